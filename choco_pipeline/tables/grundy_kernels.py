"""Kernels of Grundy numbers, the fastest first.

Compiled code reads no objects. For the generic kernel moves, heights and conditions become numbers in flat arrays: lists are
concatenated, with their start indices. `MoveArrays` in `kernels/generic.py` describes each array. A move comes after the
moves that it needs, which are in the arrays even if they may not be played.
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
from choco_pipeline.kernels import MoveArrays, grundy_generic
from choco_pipeline.kernels.dtypes import LARGEST, Table, table_for
from choco_pipeline.kernels.generic import settle
from choco_pipeline.tables.block_kernels import BarKernel, Cells, SolidKernel, TableKernel
from choco_pipeline.tables.bounded_game import BoundedGame, dependent
from choco_pipeline.tables.spec import NONE

Ints = NDArray[np.int64]
#: The name of the passes left in this module, different from all coordinates.
PASSES = ""
#: Amounts are cut to this value, which no coordinate reaches, to fit into 32 bits.
LARGEST_AMOUNT = 1 << 30
#: Places at which the options of a game are counted before its table is computed: enough for two digits of their mean.
SAMPLES = 400
#: Seconds for each cell, and for each kind of move at a position, apart from its options.
SECONDS_PER_CELL, SECONDS_PER_MOVE = 25e-9, 100e-9
#: Bytes of a number in the arrays of the generic kernel during its computation.
BYTES_PER_VALUE = 16


@dataclass(frozen=True)
class NimSumKernel(TableKernel):
    """Grundy numbers of a sum whose components share no passes."""

    rate = 100e6

    #: The kernels of the components.
    parts: tuple[TableKernel, ...]

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if the game is a sum of several."""
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
        """Wide enough for every sum."""
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
        """Mean number of options of a cell, and the share of positions."""
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
        """Bytes of the functions of the position, and of the mask of positions."""
        rules, sizes = self.game.rules, self.game.sizes
        read = [limit.of for limit in dependent(rules).values()]
        for move in rules.moves:
            read += [tuple(f.names) for f in (move.at_most, move.unless) if f is not None]
        values = sum(math.prod(sizes[name] for name in names) for names in read)
        return BYTES_PER_VALUE * values + (rules.within is not None) * math.prod(self.shape)


#: Options that are listed together: some hundred megabytes.
MOST_OPTIONS = 1 << 22
#: Cells that are listed together.
MOST_CELLS = 1 << 16
#: Bytes of an option while it is listed and sorted.
BYTES_PER_OPTION = 80
#: Seconds for each option, and for each choice of amounts in a list.
SECONDS_PER_OPTION, SECONDS_PER_CHOICE = 150e-9, 60e-6


@dataclass(frozen=True)
class ListedKernel(SampledKernel):
    """Numbers from lists of options; in misère play 0 for P-positions, 1 for others."""

    rate = 1 / SECONDS_PER_OPTION

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if the game needs it."""
        return super().of(game) if game.rules.needs_listing else None

    @property
    def largest(self) -> int:
        """The largest number; with splits only that of 32 bits is known."""
        return LARGEST - 1 if self.game.rules.splits else super().largest

    def whole(self) -> Table:
        """Return the numbers [passes+1, *coordinates]."""
        cells = table_for((self.layers, *self.shape), self.largest)
        cells[...] = NONE
        flat = cells.reshape(self.layers, -1)
        seen, stamp, misere = np.zeros(64, np.int64), 0, self.game.rules.misere
        for places, points in self._positions():
            for some, starts, first, second in self._listed(places, points):
                most = int(np.diff(starts).max(initial=0)) + 3
                if most > seen.size:
                    seen = np.zeros(2 * most, np.int64)
                stamp = settle(some, starts, first, second, misere, flat, seen, stamp)
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
        """Yield the positions in lexicographic order: their cells, and their coordinates."""
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

        Positions with too many options together are split into halves.
        """
        rules, number = self.game.rules, 0
        found = [(np.zeros(0, np.int64),) * 3]
        for move in rules.moves:
            for rows, parts in results_of(rules, move, points):
                first, *second = (self._cells(part) for part in parts)
                found.append((rows, first, second[0] if second else np.full(rows.size, -1)))
                number += rows.size
                if number > MOST_OPTIONS and places.size > 1:
                    middle = places.size // 2
                    for half in (slice(middle), slice(middle, None)):
                        part = {name: values[half] for name, values in points.items()}
                        yield from self._listed(places[half], part)
                    return
        every, firsts, seconds = map(np.concatenate, zip(*found, strict=True))
        order = np.argsort(every, kind="stable")
        starts = np.searchsorted(every[order], np.arange(places.size + 1))
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
    """Return the arrays of a game, whose first coordinate is the passes left."""
    rules = game.rules
    names = (PASSES, *rules.coordinates)
    passing = [Move((PASSES,), by=(1,), needs=rules.moves)] if game.passes else []
    played = [*rules.moves, *passing]
    moves = list(dict.fromkeys(_needed_first(played)))
    limits = dependent(rules)
    values: list[NDArray[np.int32]] = []
    steps: list[list[int]] = []

    def add(read: Sequence[str], table: NDArray[np.int32]) -> int:
        """Add a function of the position, with an axis for each read coordinate.

        Return its number.
        """
        step = dict.fromkeys(names, 0)
        step |= {name: math.prod(table.shape[axis + 1 :]) for axis, name in enumerate(read)}
        values.append(table.reshape(-1))
        steps.append(list(step.values()))
        return len(values) - 1

    def add_formula(formula: Formula | None, unless: Formula | None = None) -> int:
        """Add a formula, cut to amounts, and return its number; -1 for None.

        It is 0 where play has ended.
        """
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
    """Return the amounts of a move; empty for any amount.

    `LARGEST_AMOUNT` alone means that no amount is possible.
    """
    if not isinstance(move.by, tuple):
        return []
    return [min(n, LARGEST_AMOUNT) for n in move.by if n > 0] or [LARGEST_AMOUNT]


def _joined(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Concatenate lists; return the result and the start of each list."""
    every = list(lists)
    flat = [n for part in every for n in part]
    return _ints(flat), _ints(np.cumsum([0, *map(len, every)]))


def _ints(numbers: object) -> Ints:
    return np.array(numbers, dtype=np.int64)
