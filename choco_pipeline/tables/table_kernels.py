"""Kernels of tables: the common interface, kernels in blocks, sums, and any game.

A block does not need the cells of earlier blocks, only their *frontiers*: the y that earlier P-positions block, or the Grundy
numbers that moves into earlier blocks reach. There is one frontier along each row of blocks, and one along each column. Filling
a block computes its cells and updates both frontiers. Folding a finished block updates both from its stored cells.

Compiled code cannot read Python objects. The generic kernel therefore takes moves, heights and conditions as flat arrays: lists
are concatenated, with an array of their start indices. `MoveArrays` in `kernels/generic.py` documents each array. A move
follows the moves that it needs. These are in the arrays even if the game does not allow them as moves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import Formula
from choco_pipeline.games.listing import Points, holds_at, results_of
from choco_pipeline.games.rules import Move
from choco_pipeline.kernels.bars import fill_bar, fill_solid, fold_bar, fold_solid
from choco_pipeline.kernels.bitset import BelowSets, OptionSets
from choco_pipeline.kernels.columns import BlockedHeights, fill_columns, fold_columns
from choco_pipeline.kernels.dtypes import LARGEST, Table, dtype_for, table_for
from choco_pipeline.kernels.generic import MoveArrays, grundy_generic, settle
from choco_pipeline.tables.bounded_game import BoundedGame, PlainBar, dependent, heights_over
from choco_pipeline.tables.spec import NONE

Cells = NDArray[np.integer]
Ints = NDArray[np.int64]
#: Stands for the passes left among names of coordinates, which are not empty.
PASSES = ""
#: Amounts are clipped to this value, which no coordinate reaches, so that they fit into 32 bits.
LARGEST_AMOUNT = 1 << 30
#: Size of the sample of cells for estimating the mean number of options; it gives about two digits.
SAMPLES = 400
#: Seconds for each cell, and for each kind of move at a position, without the time for options.
SECONDS_PER_CELL, SECONDS_PER_MOVE = 25e-9, 100e-9
#: Bytes of a number in the arrays of the generic kernel during its computation.
BYTES_PER_VALUE = 16


@dataclass(frozen=True)
class TableKernel(ABC):
    """A kernel for the table of one game within one bound."""

    #: Cells settled, or options visited, per second on one core: a low estimate from benchmarks/.
    rate: ClassVar[float]

    game: BoundedGame
    #: The game's coordinates in the kernel's order, without passes.
    axes: tuple[str, ...]

    @classmethod
    @abstractmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel for this game, or None if it cannot compute it."""

    @abstractmethod
    def whole(self) -> Table:
        """Return all cells [passes+1, *axes]."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each axis."""
        return tuple(self.game.sizes[name] for name in self.axes)

    @property
    def layers(self) -> int:
        """Number of layers, one for each number of passes left."""
        return self.game.passes + 1

    @property
    def number(self) -> int:
        """Number of cells."""
        return self.layers * math.prod(self.shape)

    @property
    def largest(self) -> int:
        """Upper bound of the numbers in cells.

        Each move lowers the sum of the coordinates, and passes answer each other.
        """
        return sum(self.shape) - len(self.shape) + min(self.game.passes, 1)

    @property
    def dtype(self) -> str:
        """The dtype of the cells: 16 bits if these suffice."""
        return np.dtype(dtype_for(self.largest)).name

    @property
    def itemsize(self) -> int:
        """Bytes of a cell; estimates may use it beyond 32 bits, where `dtype` fails."""
        return max(2, np.min_scalar_type(-self.largest - 1).itemsize)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        return self.number / self.rate

    @property
    def beside(self) -> int:
        """Peak memory of the computation in bytes, without the cells."""
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions: passes left, if there are any, then the axes."""
        return (*self.game.front, *self.axes)

    def arranged(self, cells: Any, dims: Sequence[str]) -> Any:
        """Transpose cells [passes+1, *axes] to these dimensions."""
        arranged = cells if self.game.front else cells[0]
        return arranged.transpose([self.names.index(dim) for dim in dims])

    def cells(self, dims: Sequence[str]) -> Cells:
        """Compute all cells, with these dimensions."""
        cells: Cells = self.arranged(self.whole(), dims)
        return cells


Frontier: TypeAlias = BlockedHeights | OptionSets | BelowSets
#: Row and column of a block among the blocks of a table.
Place: TypeAlias = tuple[int, int]


class Block(NamedTuple):
    """A block: its rows and columns in the plane of the first two axes."""

    rows: range
    columns: range


@dataclass(frozen=True)
class BlockKernel(TableKernel):
    """A kernel of plain bars, in blocks that cut the first two axes."""

    #: Number of rows that are filled together, so that their frontier stays in a core's cache.
    tile: ClassVar[int]
    #: The compiled loops that fill and fold.
    loops: ClassVar[tuple[Callable[..., None], Callable[..., None]]]

    bar: PlainBar

    @property
    def every(self) -> Block:
        """The block that is the whole table."""
        rows, columns = (*map(range, self.shape), range(1), range(1))[:2]
        return Block(rows, columns)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights over a block's rows and columns, checked to be monotone."""
        *lower, top = self.bar.axes or ("",)
        sides = dict(zip(lower or [top], block, strict=False))
        if self.bar.limit is not None:
            # Kernels are compiled for writable arrays.
            return np.require(heights_over(self.bar.limit, sides), requirements=["C", "W"])
        most = self.game.sizes[top] - 1 if lower else 0  # one heap is a row without height
        return np.full([len(side) for side in sides.values()], most, np.int32)

    @abstractmethod
    def start(self, axis: int, block: Block) -> Any:
        """Return the initial frontier of a block: 0 along its columns, 1 along its rows."""

    def whole(self) -> Table:
        """Return all cells [passes+1, *axes]."""
        every = self.every
        heights, cells, down = self.heights(every), self.empty(every), self.start(0, every)
        for first in every.rows[:: self.tile]:
            rows = every.rows[first : first + self.tile]
            across = self.start(1, Block(rows, every.columns))
            sides = (rows.start, rows.stop, rows.start)
            self.loops[0](heights, sides, True, down, across, cells)
        return cells.reshape(self.layers, *self.shape)

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the cells [passes+1, *axes] of a block, and update its frontiers.

        `down` comes from the blocks with the same columns and smaller rows, `across` from those with the same rows and smaller
        columns.
        """
        cells, is_first = self.empty(block), block.rows.start == block.columns.start == 0
        for first in range(0, len(block.rows), self.tile):
            sides = (first, min(first + self.tile, len(block.rows)), 0)
            self.loops[0](heights, sides, is_first, down, across, cells)
        return cells

    def empty(self, block: Block) -> Table:
        """Return unwritten cells [passes+1, *axes] for a block."""
        sides = (len(block.rows), len(block.columns), *self.shape[2:])
        return table_for((self.layers, *sides), self.largest)

    def fold(self, heights: NDArray[np.int32], cells: Table, down: Any, across: Any) -> None:
        """Update the frontiers of a block from its cells [passes+1, *axes]."""
        self.loops[1](heights, down, across, cells)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return the axes of the frontiers that folding needs for the one along `axis`."""
        return (axis,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions in the block: the sum of all heights plus 1."""
        return self.layers * (int(heights.sum(dtype=np.int64)) + heights.size)

    @property
    def depth(self) -> int:
        """Number of cells for each pair of a row and a column."""
        return self.layers * math.prod(self.shape[2:])

    def memory(self, block: Block) -> int:
        """Return the memory for a block: cells and frontiers twice, and heights."""
        cells = len(block.rows) * len(block.columns) * self.depth * self.itemsize
        return 2 * cells + 4 * len(block.rows) * len(block.columns) + 2 * self.frontier(block)

    @property
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer: one bit per y and Grundy number."""
        return math.prod(self.shape[2:]) * (self.largest // 8 + 16)

    def frontier(self, block: Block) -> int:
        """Return the bytes of both frontiers of a block."""
        return (len(block.rows) + len(block.columns)) * self.layers * self.line_bytes


@dataclass(frozen=True)
class ColumnKernel(BlockKernel):
    """The y of the P-position of each column of a bar."""

    rate = 140e6
    tile = 64
    loops = (fill_columns, fold_columns)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel for a bar with columns."""
        bar = PlainBar.of(game.rules)
        if bar is None or game.rules.bar is None or game.rules.bar.strip is not None:
            return None
        return cls(game, bar.axes[:-1], bar)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights [x, z]; a bar of two coordinates has one z."""
        return super().heights(block).reshape(len(block.rows), -1)

    @property
    def n_y(self) -> int:
        """Exclusive upper bound of the P-positions' y; columns have fewer blocked y."""
        return min(self.game.sizes[self.bar.axes[-1]], sum(map(len, self.every)))

    @property
    def largest(self) -> int:
        """The largest y."""
        return self.n_y - 1

    @property
    def beside(self) -> int:
        """Bytes of the heights, and of a checked copy."""
        return 8 * self.number // self.layers

    def start(self, axis: int, block: Block) -> BlockedHeights:
        """Return a frontier in which no y is blocked."""
        return BlockedHeights.start(len(block[1 - axis]), self.layers, self.n_y)

    @property
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer: about one bit for each y."""
        return self.n_y // 8 + 16


@dataclass(frozen=True)
class SolidKernel(BlockKernel):
    """Grundy numbers of a solid bar or an equivalent; blocks do not cut y."""

    rate = 90e6
    tile = 32
    loops = (fill_solid, fold_solid)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of three coordinates, the limited one last."""
        bar = PlainBar.of(game.rules)
        return cls(game, bar.axes, bar) if bar is not None and len(bar.axes) == 3 else None

    @property
    def beside(self) -> int:
        """Bytes of the heights, a checked copy, and the option sets."""
        n_x, n_z, n_y = self.shape
        sets = self.layers * (n_z + 32) * n_y * (n_x + n_y + n_z) // 8
        return 8 * n_x * n_z + sets

    def start(self, axis: int, block: Block) -> OptionSets:
        """Return empty option sets."""
        return OptionSets.start(len(block[1 - axis]), self.layers, self.largest, self.shape[2])


@dataclass(frozen=True)
class BarKernel(BlockKernel):
    """Grundy numbers of a bar or of one or two heaps; blocks cut z and y."""

    rate = 150e6
    tile = 128
    loops = (fill_bar, fold_bar)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of one or two coordinates."""
        bar = PlainBar.of(game.rules)
        return cls(game, bar.axes, bar) if bar is not None and len(bar.axes) <= 2 else None

    @property
    def beside(self) -> int:
        """Bytes of the option sets: about one bit for each y and Grundy number."""
        n_y = self.shape[1] if len(self.shape) > 1 else 1
        return self.layers * n_y * self.line_bytes

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights above the first y of a block."""
        return super().heights(block) - np.int32(block.columns.start)

    def start(self, axis: int, block: Block) -> OptionSets | BelowSets:
        """Return the empty option sets of moves along z, or along y."""
        if axis == 0:
            return OptionSets.start(1, self.layers, self.largest, len(block.columns))
        return BelowSets.start(len(block.rows), self.layers, self.largest)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return both axes for the frontier along the columns.

        A move along z may clip y to the top of a lower row, in an earlier block.
        """
        return (0, 1) if axis == 0 else (1,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions (y, z) of the bar in the block."""
        rows = heights.astype(np.int64) + 1
        return self.layers * int(rows.clip(0, len(block.columns)).sum())


@dataclass(frozen=True)
class NimSumKernel(TableKernel):
    """Grundy numbers of a disjunctive sum without shared passes."""

    rate = 100e6

    #: The kernels of the components.
    parts: tuple[TableKernel, ...]

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if the game is a sum of at least two components."""
        components = game.components
        if game.passes or len(components) < 2:
            return None
        parts = tuple(map(grundy_kernel, components))
        return cls(game, game.rules.coordinates, parts)

    def whole(self) -> Table:
        """Return the nim-sums [1, *coordinates], NONE without a position."""

        def add(a: Cells, b: Cells) -> Cells:
            total = np.bitwise_xor.outer(a.astype(np.int32, copy=False), b.astype(np.int32))
            total[np.logical_or.outer(a == NONE, b == NONE)] = NONE
            return cast(Cells, total)

        cells = reduce(add, [part.cells(part.names) for part in self.parts])
        joined = [name for part in self.parts for name in part.names]
        cells = cells.transpose([joined.index(name) for name in self.axes])
        within = self.game.rules.within
        if within is not None:
            np.copyto(cells, NONE, where=~self.game.values(within))
        return cells[None].astype(np.int32, copy=False)

    @property
    def dtype(self) -> str:
        """The dtype of the cells, which holds every nim-sum."""
        return "int32"

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core, for the components and the sum."""
        return super().seconds + sum(part.seconds for part in self.parts)

    @property
    def beside(self) -> int:
        """Bytes of the largest component's table."""
        return max(2 * part.number * part.itemsize + part.beside for part in self.parts)


@dataclass(frozen=True)
class SampledKernel(TableKernel):
    """A kernel whose time depends on the number of options."""

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel."""
        return cls(game, game.rules.coordinates)

    @cached_property
    def _sample(self) -> tuple[float, float]:
        """Mean number of options of a cell, and the share of cells with a position."""
        random, rules = np.random.default_rng(0), self.game.rules
        places = random.integers(0, self.shape, (SAMPLES, len(self.shape))).tolist()
        options = [rules.most_options(at) for at in places if rules.why_not(at) is None]
        return sum(options) / SAMPLES, len(options) / SAMPLES


@dataclass(frozen=True)
class GenericKernel(SampledKernel):
    """Grundy numbers of any game, option by option, with passes as a coordinate."""

    rate = 200e6

    def whole(self) -> Table:
        """Return the Grundy numbers [passes+1, *coordinates]."""
        rules = self.game.rules
        sizes = (self.layers, *self.shape)
        within = None if rules.within is None else self.game.values(rules.within).astype(bool)
        return grundy_generic(move_arrays(self.game), sizes, within)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core, from a sample of positions."""
        moves = len(self.game.rules.moves) + (self.game.passes > 0)
        options, positions = self._sample
        each = SECONDS_PER_CELL + positions * moves * SECONDS_PER_MOVE + options / self.rate
        return self.number * each

    @property
    def beside(self) -> int:
        """Bytes of tabulated functions of the position, and of the mask of positions."""
        rules, sizes = self.game.rules, self.game.sizes
        read = [limit.of for limit in dependent(rules).values()]
        for move in rules.moves:
            read += [tuple(f.names) for f in (move.at_most, move.unless) if f is not None]
        values = sum(math.prod(sizes[name] for name in names) for names in read)
        return BYTES_PER_VALUE * values + (rules.within is not None) * math.prod(self.shape)


#: Most options in one list, which takes a few hundred megabytes.
MOST_OPTIONS = 1 << 22
#: Most cells in one list.
MOST_CELLS = 1 << 16
#: Bytes of an option while it is listed and sorted.
BYTES_PER_OPTION = 80
#: Seconds for each option, and for each choice of amounts in a list.
SECONDS_PER_OPTION, SECONDS_PER_CHOICE = 150e-9, 60e-6


@dataclass(frozen=True)
class ListedKernel(SampledKernel):
    """Grundy numbers from lists of options; in misère play, 0 for P and 1 for N."""

    rate = 1 / SECONDS_PER_OPTION

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if only lists of options describe the game."""
        return super().of(game) if game.rules.needs_listing else None

    @property
    def largest(self) -> int:
        """Upper bound of the numbers; with splits, only the 32-bit limit is known."""
        return LARGEST - 1 if self.game.rules.splits else super().largest

    def whole(self) -> Table:
        """Return the numbers [passes+1, *coordinates]."""
        cells = table_for((self.layers, *self.shape), self.largest)
        cells[...] = NONE
        flat = cells.reshape(self.layers, -1)
        seen, stamp, misere = np.zeros(64, np.int64), 0, self.game.rules.misere
        for places, points in self._positions():
            for batch, starts, first, second in self._listed(places, points):
                most = int(np.diff(starts).max(initial=0)) + 3
                if most > seen.size:
                    seen = np.zeros(2 * most, np.int64)
                stamp = settle(batch, starts, first, second, misere, flat, seen, stamp)
        return cells

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        options, _ = self._sample
        rules, cells = self.game.rules, math.prod(self.shape)
        largest = dict.fromkeys(rules.coordinates, max(self.shape))
        choices = sum(move.number_of_amounts(largest) for move in rules.moves)
        lists = cells // MOST_CELLS + cells * options // MOST_OPTIONS + 1
        return cells * options * SECONDS_PER_OPTION + lists * choices * SECONDS_PER_CHOICE

    @property
    def beside(self) -> int:
        """Bytes for the lists of options."""
        return 2 * MOST_OPTIONS * BYTES_PER_OPTION

    def _positions(self) -> Iterator[tuple[Ints, Points]]:
        """Yield the positions in lexicographic order: flat cell indices and coordinates."""
        rules, sizes, number = self.game.rules, self.game.sizes, math.prod(self.shape)
        heights = {
            name: limit.height.table(*(sizes[other] for other in limit.of))
            for name, limit in rules.limits.items()
        }
        for start in range(0, number, MOST_CELLS):
            places = np.arange(start, min(start + MOST_CELLS, number))
            points = dict(zip(self.axes, np.unravel_index(places, self.shape), strict=True))
            keep = np.ones(places.size, np.bool_)
            for name, table in heights.items():
                keep &= points[name] <= table[tuple(points[n] for n in rules.limits[name].of)]
            for condition in filter(None, (rules.within, rules.legal)):
                held = {name: values[keep] for name, values in points.items()}
                keep[keep] = holds_at(condition, held)
            if keep.any():
                yield places[keep], {name: values[keep] for name, values in points.items()}

    def _listed(self, places: Ints, points: Points) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Yield positions with their options, as arguments of `settle`.

        A batch of positions with more than `MOST_OPTIONS` options is halved.
        """
        rules, number = self.game.rules, 0
        options = [(np.zeros(0, np.int64),) * 3]
        for move in rules.moves:
            for rows, parts in results_of(rules, move, points):
                first, *second = (self._cells(part) for part in parts)
                options.append((rows, first, second[0] if second else np.full(rows.size, -1)))
                number += rows.size
                if number > MOST_OPTIONS and places.size > 1:
                    middle = places.size // 2
                    for half in (slice(middle), slice(middle, None)):
                        part = {name: values[half] for name, values in points.items()}
                        yield from self._listed(places[half], part)
                    return
        owners, firsts, seconds = map(np.concatenate, zip(*options, strict=True))
        order = np.argsort(owners, kind="stable")
        starts = np.searchsorted(owners[order], np.arange(places.size + 1))
        yield places, starts.astype(np.int64), firsts[order], seconds[order]

    def _cells(self, points: Points) -> Ints:
        columns = tuple(points[name] for name in self.axes)
        return np.asarray(np.ravel_multi_index(columns, self.shape), np.int64)


def grundy_kernel(game: BoundedGame) -> TableKernel:
    """Return the fastest kernel that computes a game's Grundy numbers."""
    kinds = BarKernel, SolidKernel, NimSumKernel, ListedKernel, GenericKernel  # the fastest first
    return next(kernel for kind in kinds if (kernel := kind.of(game)) is not None)


def move_arrays(game: BoundedGame) -> MoveArrays:
    """Return the arrays of a game; the first coordinate is the passes left."""
    rules = game.rules
    names = (PASSES, *rules.coordinates)
    passing = [Move((PASSES,), by=(1,), needs=rules.moves)] if game.passes else []
    played = [*rules.moves, *passing]
    moves = list(dict.fromkeys(_needed_first(played)))
    limits = dependent(rules)
    values: list[NDArray[np.int32]] = []
    steps: list[list[int]] = []

    def add(read: Sequence[str], table: NDArray[np.int32]) -> int:
        """Add a table with an axis for each coordinate of `read`; return its number."""
        step = dict.fromkeys(names, 0)
        step |= {name: math.prod(table.shape[axis + 1 :]) for axis, name in enumerate(read)}
        values.append(table.reshape(-1))
        steps.append(list(step.values()))
        return len(values) - 1

    def add_formula(formula: Formula | None, unless: Formula | None = None) -> int:
        """Add a formula's values, clipped to amounts; return its number, -1 for None."""
        if formula is None:
            return -1
        table = np.clip(game.values_in_play(formula, unless), 0, LARGEST_AMOUNT)
        return add([name for name in names if name in formula.names], table.astype(np.int32))

    for limit in limits.values():
        add(limit.of, limit.height.table(*(game.sizes[name] for name in limit.of)))
    at_most = [add_formula(move.at_most, move.unless) for move in moves]
    unless = [add_formula(move.unless) for move in moves]
    lowers, lowers_bounds = _joined([names.index(name) for name in move.lowers] for move in moves)
    amounts, amounts_bounds = _joined(map(_amounts, moves))
    clips, clips_bounds = _joined(
        [i for i, limit in enumerate(limits.values()) if not set(move.lowers).isdisjoint(limit.of)]
        for move in moves
    )
    needs, needs_bounds = _joined([moves.index(need) for need in move.needs] for move in moves)
    return MoveArrays(
        values=np.concatenate([np.zeros(0, np.int32), *values]),
        starts=_ints(np.cumsum([0, *map(len, values)])[:-1]),
        steps=_ints(steps).reshape(-1, len(names)),
        limited=_ints([names.index(name) for name in limits]),
        lowers=lowers,
        lowers_bounds=lowers_bounds,
        amounts=amounts,
        amounts_bounds=amounts_bounds,
        clips=clips,
        clips_bounds=clips_bounds,
        needs=needs,
        needs_bounds=needs_bounds,
        at_most=_ints(at_most),
        unless=_ints(unless),
        differ=np.array(
            [move.by in ("any", "each") and len(move.lowers) > 1 for move in moves], bool
        ),
        least=_ints([move.by == "each" for move in moves]),
        may_clip=np.array([move.clips for move in moves], bool),
        has_needs=np.array([bool(move.needs) or move in passing for move in moves], bool),
        is_played=np.array([move in played for move in moves], bool),
    )


def _needed_first(moves: Iterable[Move]) -> Iterable[Move]:
    for move in moves:
        yield from _needed_first(move.needs)
        yield move


def _amounts(move: Move) -> list[int]:
    """Return the amounts of a move; empty for any amount, `LARGEST_AMOUNT` for none."""
    if not isinstance(move.by, tuple):
        return []
    return [min(n, LARGEST_AMOUNT) for n in move.by if n > 0] or [LARGEST_AMOUNT]


def _joined(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Concatenate lists; return the result and the start of each list."""
    parts = list(lists)
    flat = [n for part in parts for n in part]
    return _ints(flat), _ints(np.cumsum([0, *map(len, parts)]))


def _ints(numbers: object) -> Ints:
    return np.array(numbers, dtype=np.int64)
