"""What a table says of one position."""

from __future__ import annotations

from dataclasses import dataclass

from choco_pipeline.games import Position, RectangularBar, Ruleset
from choco_pipeline.tables.schema import NONE, Variable
from choco_pipeline.tables.windows import TableCells, TableData, cells_of


@dataclass(frozen=True)
class Lookup:
    """A table of one ruleset, asked position by position.

    Attributes
    ----------
    game
        The ruleset.
    variable
        What the cells hold.
    cells
        The table's values, in memory or stored, dimensions as in `variable`.
    """

    game: Ruleset
    variable: Variable
    cells: TableCells

    @classmethod
    def of(cls, game: Ruleset, data: TableData) -> Lookup:
        """Make a look-up of a table of either quantity."""
        return cls(game, *cells_of(game, data))

    def covers(self, position: Position) -> bool:
        """Whether the table settles this legal position."""
        if self.variable.name == "p_cell":
            base = self.game.base
            assert isinstance(base, RectangularBar)
            a, b, c, d = position[:4]
            return a + b == base.m - 1 and c + d == base.n - 1
        index = self._index(position)
        return all(i < n for i, n in zip(index, self.cells.shape, strict=True))

    def grundy(self, position: Position) -> int:
        """Return the Grundy number of a covered position, from a table of Grundy numbers."""
        if self.variable.name != "grundy":
            raise ValueError(f"a table of {self.variable.name} holds no Grundy numbers")
        return int(self.cells[self._index(position)])

    def is_p_position(self, position: Position) -> bool:
        """Whether a covered position is a P-position."""
        value = int(self.cells[self._index(position)])
        if self.variable.name == "grundy":
            return value == 0
        if self.variable.stored is None:
            return value == 1
        return value != NONE and value == self._named(position)[self.variable.stored]

    def stored(self, position: Position) -> int | None:
        """Return the stored coordinate of the P-position in the column of `position`, or None."""
        value = int(self.cells[self._index(position)])
        return None if self.variable.stored is None or value == NONE else value

    def _named(self, position: Position) -> dict[str, int]:
        named = dict(zip(self.game.coordinates, position, strict=True))
        if self.variable.name == "p_cell":
            named |= {"i": position[0], "j": position[2]}
        return named

    def _index(self, position: Position) -> tuple[int, ...]:
        named = self._named(position)
        return tuple(named[dim] for dim in self.variable.dims)
