"""Kernel of games whose options are listed.

These games have formulas in moves, splits, conditions on positions, or misère play.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games.listing import Points, results_of
from choco_pipeline.kernels.heights import LARGEST, Table, table_for
from choco_pipeline.kernels.listed import settle
from choco_pipeline.tables.computing.table_kernel import TableKernel
from choco_pipeline.tables.specs.patterns import BoundedGame
from choco_pipeline.tables.specs.schema import NONE

Ints = NDArray[np.int64]
#: Options that are listed together: some hundred megabytes.
MOST_OPTIONS = 1 << 22
#: Cells that are listed together.
MOST_CELLS = 1 << 16
#: Bytes of an option while it is listed and sorted.
BYTES_PER_OPTION = 80
#: Seconds for each option, and for each choice of amounts in a list.
SECONDS_PER_OPTION, SECONDS_PER_CHOICE = 150e-9, 60e-6
#: Positions whose options are counted before a table is computed.
SAMPLES = 200


@dataclass(frozen=True)
class ListedKernel(TableKernel):
    """Numbers from lists of options; in misère play 0 for P-positions, 1 for others."""

    rate = 1 / SECONDS_PER_OPTION

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if the game needs it."""
        if not game.rules.needs_listing:
            return None
        return cls(game, game.rules.coordinates, tuple(game.sizes.values()))

    @property
    def largest(self) -> int:
        """The largest number; with splits only that of 32 bits is known."""
        return LARGEST - 1 if self.game.rules.splits else super().largest

    def whole(self) -> Table:
        """Return the numbers [passes+1, *coordinates]."""
        cells = table_for((self.layers, *self.shape), self.largest)
        cells[...] = NONE
        flat = cells.reshape(self.layers, -1)
        seen, stamp = np.zeros(64, np.int64), 0
        for places, points in self._positions():
            for some, starts, first, second in self._listed(places, points):
                most = int(np.diff(starts).max(initial=0)) + 3
                if most > seen.size:
                    seen = np.zeros(2 * most, np.int64)
                stamp = settle(
                    some, starts, first, second, self.game.rules.misere, flat, seen, stamp
                )
        return cells

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        options, choices = self._sample
        cells = math.prod(self.shape)
        lists = cells // MOST_CELLS + cells * options // MOST_OPTIONS + 1
        return cells * options * SECONDS_PER_OPTION + lists * choices * SECONDS_PER_CHOICE

    @property
    def beside(self) -> int:
        """Bytes for the lists of options."""
        return 2 * MOST_OPTIONS * BYTES_PER_OPTION

    @cached_property
    def _sample(self) -> tuple[float, int]:
        """Mean number of options of a cell, and choices of amounts at a large position."""
        random, rules = np.random.default_rng(0), self.game.rules
        places = random.integers(0, self.shape, (SAMPLES, len(self.shape))).tolist()
        options = [rules.most_options(at) for at in places if rules.why_not(at) is None]
        largest = max(self.shape)
        choices = [
            move.number_of_amounts(dict.fromkeys(rules.coordinates, largest))
            for move in rules.moves
        ]
        return sum(options) / SAMPLES, sum(choices)

    def _positions(self) -> Iterator[tuple[Ints, Points]]:
        """Yield the positions in lexicographic order: their cells, and their coordinates."""
        rules = self.game.rules
        conditions = [one for one in (rules.within, rules.legal) if one is not None]
        for start in range(0, math.prod(self.shape), MOST_CELLS):
            places = np.arange(start, min(start + MOST_CELLS, math.prod(self.shape)))
            points = dict(zip(rules.coordinates, np.unravel_index(places, self.shape), strict=True))
            keep = np.ones(places.size, np.bool_)
            for name, limit in rules.limits.items():
                heights = limit.height.table(*(self.game.sizes[other] for other in limit.of))
                keep &= points[name] <= heights[tuple(points[other] for other in limit.of)]
            for condition in conditions:
                held = {name: values[keep] for name, values in points.items()}
                keep[keep] = np.broadcast_to(condition.evaluate(held), int(keep.sum()))
            if keep.any():
                yield places[keep], {name: values[keep] for name, values in points.items()}

    def _listed(self, places: Ints, points: Points) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Yield positions with options as `settle` takes them, in halves if too many."""
        rows: list[Ints] = []
        cells: list[tuple[Ints, Ints]] = []
        number = 0
        for move in self.game.rules.moves:
            for row, parts in results_of(self.game.rules, move, points):
                found = [self._cells(part) for part in parts]
                rows.append(row)
                cells.append((found[0], found[1] if len(found) > 1 else np.full(row.size, -1)))
                number += row.size
                if number > MOST_OPTIONS and places.size > 1:
                    middle = places.size // 2
                    for half in (slice(middle), slice(middle, None)):
                        yield from self._listed(
                            places[half], {n: v[half] for n, v in points.items()}
                        )
                    return
        order = np.zeros(0, np.int64)
        every = np.concatenate([order, *rows])
        order = np.argsort(every, kind="stable")
        first, second = (
            np.concatenate([np.zeros(0, np.int64), *column])[order]
            for column in (zip(*cells, strict=True) if cells else ((), ()))
        )
        starts = np.searchsorted(every[order], np.arange(places.size + 1))
        yield places, starts.astype(np.int64), first, second

    def _cells(self, points: Points) -> Ints:
        columns = tuple(points[name] for name in self.game.rules.coordinates)
        return np.asarray(np.ravel_multi_index(columns, self.shape), np.int64)
