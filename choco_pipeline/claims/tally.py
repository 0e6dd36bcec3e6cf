"""Counting where a claim fails, and keeping the least place."""

from __future__ import annotations

from dataclasses import dataclass, field

from choco_pipeline.claims.cells import Cells, Points
from choco_pipeline.games import Position


@dataclass
class Tally:
    """What a check has seen so far.

    Attributes
    ----------
    cells
        The table that is checked.
    settled
        Positions that the statement speaks of and that have been compared with it.
    failures
        Those of them that contradict it.
    least
        The least of them: by its largest coordinate, passes not counted, then coordinate by coordinate.
    """

    cells: Cells
    settled: int = 0
    failures: int = 0
    least: Position | None = None
    _size: int = field(default=0, repr=False)

    def fail(self, points: Points) -> None:
        """Record points that contradict the claim."""
        sizes = self.cells.sizes(points)
        if not sizes.size:
            return
        self.failures += sizes.size
        size = int(sizes.min())
        rows = self.cells.positions(points)[sizes == size].tolist()
        position = min(tuple(row) for row in rows)
        if self.least is None or (size, position) < (self._size, self.least):
            self._size, self.least = size, position
