"""What a table says of one position."""

from __future__ import annotations

from dataclasses import dataclass

from choco_pipeline.games import Position, Ruleset
from choco_pipeline.tables.reading.windows import TableCells, TableData, cells_of
from choco_pipeline.tables.specs.schema import NONE, Variable


@dataclass(frozen=True)
class Lookup:
    """A table of one ruleset, asked position by position."""

    #: The ruleset.
    game: Ruleset
    #: What the cells hold.
    variable: Variable
    #: The table's values, in memory or stored, dimensions as in `variable`.
    cells: TableCells

    @classmethod
    def of(cls, game: Ruleset, data: TableData) -> Lookup:
        """Make a look-up of a table of either quantity."""
        return cls(game, *cells_of(game, data))

    def covers(self, position: Position) -> bool:
        """Whether the table settles this legal position."""
        face = self.variable.face
        if face is not None:
            return face.holds(position[: len(face.position)])
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
        return value != NONE and value == self.named(position)[self.variable.stored]

    def stored(self, position: Position) -> int | None:
        """Return the stored coordinate of the P-position in the column of `position`, or None."""
        value = int(self.cells[self._index(position)])
        return None if self.variable.stored is None or value == NONE else value

    def named(self, position: Position) -> dict[str, int]:
        """Return the coordinates of a position as formulas name them."""
        named = dict(zip(self.game.coordinates, position, strict=True))
        face = self.variable.face
        if face is None:
            return named
        split = len(face.position)
        passes = {name: named[name] for name in self.game.coordinates[split:]}
        return face.place(position[:split]) | passes

    def _index(self, position: Position) -> tuple[int, ...]:
        named = self.named(position)
        return tuple(named[dim] - self.variable.first(dim) for dim in self.variable.dims)
