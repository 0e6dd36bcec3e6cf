"""Kernels of Grundy numbers, the fastest first.

Compiled code cannot read Python objects. The generic kernel therefore takes moves, heights and conditions as flat arrays: lists
are concatenated, with an array of their start indices. `MoveArrays` in `kernels/generic.py` documents each array. A move
follows the moves that it needs. These are in the arrays even if the game does not allow them as moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import Formula
from choco_pipeline.games.listing import Points, holds_at, results_of
from choco_pipeline.games.rules import Move
from choco_pipeline.kernels.dtypes import LARGEST, Table, table_for
from choco_pipeline.kernels.generic import MoveArrays, grundy_generic, settle
from choco_pipeline.tables.block_kernels import BarKernel, Cells, SolidKernel, TableKernel
from choco_pipeline.tables.bounded_game import BoundedGame, dependent
from choco_pipeline.tables.spec import NONE

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


#: The fastest first; the last one computes every game.
KERNELS: tuple[type[TableKernel], ...] = (
    BarKernel,
    SolidKernel,
    NimSumKernel,
    ListedKernel,
    GenericKernel,
)


def grundy_kernel(game: BoundedGame) -> TableKernel:
    """Return the fastest kernel that computes a game's Grundy numbers."""
    return next(kernel for kind in KERNELS if (kernel := kind.of(game)) is not None)


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
