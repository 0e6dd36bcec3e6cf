"""Counting where a claim fails, and keeping the least place."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from choco_pipeline.games import Position
from choco_pipeline.tables.cells import Block, Cells, Ints, Points, Truths


@dataclass
class Tally:
    """What a check has seen so far.

    Attributes
    ----------
    cells
        The table that is checked.
    reach
        The statement speaks only of positions whose coordinates, passes apart, are at most this; None for all.
    settled
        Positions that the statement speaks of and that have been compared with it.
    failures
        Those of them that contradict it.
    least
        The least of them: by its largest coordinate, passes not counted, then coordinate by coordinate.
    beyond
        The least position beyond the reach at which the statement would be false.
    """

    cells: Cells
    reach: int | None = None
    settled: int = 0
    failures: int = 0
    least: Position | None = None
    beyond: Position | None = None
    _sizes: dict[Position, int] = field(default_factory=dict, repr=False)

    def settle(self, points: Points) -> None:
        """Count positions that have been compared."""
        sizes = self.cells.sizes(points)
        self.settled += sizes.size if self.reach is None else int((sizes <= self.reach).sum())

    def settle_columns(self, columns: Block) -> None:
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
        """Record points that contradict the claim, or would if it reached so far."""
        sizes = self.cells.sizes(points)
        inside = sizes >= 0 if self.reach is None else sizes <= self.reach
        self.failures += int(inside.sum())
        self.least = self._least(points, sizes, inside, self.least)
        if self.reach is not None:
            self.beyond = self._least(points, sizes, ~inside, self.beyond)

    def size(self, position: Position) -> int:
        """Return the largest coordinate of a position that failed, passes not counted."""
        return self._sizes[position]

    def _least(
        self, points: Points, sizes: Ints, chosen: Truths, known: Position | None
    ) -> Position | None:
        if not chosen.any():
            return known
        size = int(sizes[chosen].min())
        rows = self.cells.positions(points)[chosen & (sizes == size)].tolist()
        position = min(tuple(row) for row in rows)
        if known is not None and (self._sizes[known], known) <= (size, position):
            return known
        self._sizes[position] = size
        return position
