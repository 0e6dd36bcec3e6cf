"""The shapes of statements about positions that have a judge of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from choco_pipeline.claims.kinds.kind import Judged
from choco_pipeline.formula import Formula
from choco_pipeline.formula.ranges import Range
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.statements.tree import Grundy, PPosition, Proposition, walk
from choco_pipeline.tables.spec import QUANTITIES, Quantity

Containment = Literal["exactly", "contain", "within"]


class Shape(Judged):
    """A shape of statements that has a judge of its own."""

    #: How documents and commands call it.
    kind: ClassVar[str]


@dataclass(frozen=True)
class PPositions(Shape):
    """The P-positions equal, contain, or are among the solutions of a formula."""

    kind: ClassVar[str] = "p-positions"
    of_whole_bars: ClassVar[bool] = True

    formula: Formula
    relation: Containment = "exactly"
    #: The positions that the statement is about; None for all.
    where: Formula | None = None


@dataclass(frozen=True)
class GrundyNumbers(Shape):
    """The Grundy number is the value of a formula."""

    kind: ClassVar[str] = "grundy"
    of_tables: ClassVar[Quantity | None] = "grundy"

    equals: Formula
    where: Formula | None = None


@dataclass(frozen=True)
class Values(Shape):
    """The values of a formula at P-positions equal, contain, or are in a set."""

    kind: ClassVar[str] = "values"
    of_whole_bars: ClassVar[bool] = True

    of: Formula
    values: Formula
    relation: Literal["exactly", "within", "contains-all"]
    where: Formula | None = None


@dataclass(frozen=True)
class Count(Shape):
    """The number of positions, or of positions with integers, with a condition."""

    kind: ClassVar[str] = "count"
    of_whole_bars: ClassVar[bool] = True

    over: Literal["positions", "p-positions"]
    #: Further integers, each with its range.
    beside: Mapping[str, Range]
    #: A condition on coordinates and, where all positions are counted, on ``grundy``.
    of: Formula
    equals: Formula

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return ("grundy",) if self.over == "positions" else super().quantities(whole_bars)


@dataclass(frozen=True)
class Related(Shape):
    """A Grundy number, or an outcome, follows from a position of another game."""

    kind: ClassVar[str] = "related"

    #: The notation of the other game, with parameters of the claim.
    game: str
    #: The coordinates of the position there, by their names there.
    at: Mapping[str, Formula]
    #: The Grundy number, a formula in that of the other position, ``g``; None if outcomes are the same.
    equals: Formula | None = None
    where: Formula | None = None

    @property
    def moved(self) -> Mapping[str, Formula]:
        """The coordinates there that are other numbers than here."""
        return {name: formula for name, formula in self.at.items() if formula.text != name}

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return QUANTITIES if self.equals is None else ("grundy",)


@dataclass(frozen=True)
class PrintedNumbers(Shape):
    """Printed Grundy numbers of single positions, or of a table of positions."""

    kind: ClassVar[str] = "grundy-list"
    of_tables: ClassVar[Quantity | None] = "grundy"

    numbers: tuple[tuple[Position, int], ...]
    #: Of a table: the first place after each row. If it is a position, the table has no number for it.
    ends: tuple[Position, ...] | None = None

    def legal_numbers(self, game: Ruleset) -> list[tuple[Position, int]]:
        """Return the positions that it is about, and their numbers.

        Raises `UndefinedError` if a place in a list is no position, or a position has no number in the table.
        """
        for position in self.ends or ():
            if game.is_position(position):
                raise UndefinedError(f"{position} has no number in the printed table")
        legal_numbers = [(at, number) for at, number in self.numbers if game.is_position(at)]
        if self.ends is None and len(legal_numbers) < len(self.numbers):
            missing = next(at for at, _ in self.numbers if not game.is_position(at))
            raise UndefinedError(f"{missing} is no position of {game.notation}")
        return legal_numbers


@dataclass(frozen=True)
class Evaluated(Shape):
    """A statement of any other shape, which is judged by evaluating it."""

    kind: ClassVar[str] = "statement"
    of_whole_bars: ClassVar[bool] = True

    proposition: Proposition
    #: The rows of the claim's printed table or list.
    printed: Sequence[Sequence[int]] = field(default=(), hash=False)
    #: The value of `N` in a statement about integers.
    bound: int = 0

    @property
    def reads_tables(self) -> bool:
        """Whether it is about outcomes or Grundy numbers."""
        return any(isinstance(part, PPosition | Grundy) for part in walk(self.proposition))

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        has_numbers = any(isinstance(part, Grundy) for part in walk(self.proposition))
        return ("grundy",) if has_numbers and not whole_bars else super().quantities(whole_bars)
