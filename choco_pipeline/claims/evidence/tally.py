"""Counts of the failures of a claim, with the least place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from choco_pipeline.games import Position
from choco_pipeline.tables.cells import CellBlock, Cells, Ints, Points, Truths, select

_LARGEST = np.iinfo(np.int64).max


@dataclass
class Tally:
    """The counts of a check, and its least failures."""

    #: The table that is checked.
    cells: Cells
    #: The largest coordinate, except passes, of positions in the statement; None for any.
    reach: int | None = None
    #: Number of compared positions.
    settled: int = 0
    #: Number of these that satisfy the premise of an implication.
    met: int = 0
    #: Number of these that contradict the statement.
    failures: int = 0
    #: The least failure: by its largest coordinate, except passes, then lexicographically.
    least: Position | None = None
    #: The least position beyond the reach at which the statement would be false.
    beyond: Position | None = None

    def meet(self, points: Points, truths: Truths) -> None:
        """Count the points that satisfy the premise of an implication."""
        inside = truths if self.reach is None else truths & (self.cells.sizes(points) <= self.reach)
        self.met += int(np.count_nonzero(inside))

    def settle(self, points: Points) -> None:
        """Count positions that have been compared."""
        inside = self.cells.within_reach(points, self.reach)
        self.settled += next(iter(inside.values())).size

    def settle_columns(self, columns: CellBlock) -> None:
        """Count the positions of columns that have been compared."""
        assert columns.tops is not None
        tops = columns.tops
        if self.reach is not None:
            heaps = [values for name, values in columns.points.items() if name != "p"]
            inside = columns.chosen(np.logical_and.reduce([v <= self.reach for v in heaps]))
            assert inside.tops is not None
            tops = inside.tops.clip(max=self.reach)
        self.settled += int((tops + 1).sum())

    def fail(self, points: Points) -> None:
        """Record points that contradict the claim, within its reach or beyond."""
        sizes = self.cells.sizes(points)
        if self.reach is None:
            self.failures += sizes.size
            self.least = self._least(points, sizes, self.least)
            return
        inside = sizes <= self.reach
        self.failures += int(inside.sum())
        self.least = self._least(select(points, inside), sizes[inside], self.least)
        self.beyond = self._least(select(points, ~inside), sizes[~inside], self.beyond)

    def add(self, settled: int, met: int, failures: int) -> None:
        """Add the counts of a scan."""
        self.settled += settled
        self.met += met
        self.failures += failures

    def may_be_less(self, size: int, start: Position, known: Position | None) -> bool:
        """Whether a position of this size, from `start` on, may be less than `known`."""
        return known is None or (size, start) <= (self.cells.size(known), known)

    def take_least(self, other: Tally) -> None:
        """Keep the least places of another tally of the same table, where they are less."""
        self.least = self._lesser(self.least, other.least)
        self.beyond = self._lesser(self.beyond, other.beyond)

    def _lesser(self, *positions: Position | None) -> Position | None:
        return min(
            (position for position in positions if position is not None),
            key=lambda position: (self.cells.size(position), position),
            default=None,
        )

    def _least(self, points: Points, sizes: Ints, known: Position | None) -> Position | None:
        """Return the least of the points and `known`.

        Most blocks have no point that is small enough, which the sizes show.
        """
        size = int(sizes.min(initial=_LARGEST))
        if not sizes.size or (known is not None and self.cells.size(known) < size):
            return known
        rows = self.cells.positions(select(points, sizes == size))
        for column in range(rows.shape[1]):
            rows = rows[rows[:, column] == rows[:, column].min()]
        position: Position = tuple(rows[0].tolist())
        return self._lesser(known, position)
