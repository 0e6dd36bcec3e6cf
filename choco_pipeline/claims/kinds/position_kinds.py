"""Statements on the P-positions and the Grundy numbers of one game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Integer, Name, Span, Text
from choco_pipeline.claims.kinds.kind import Kind, Part, in_order, where_text
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.games.notation import read
from choco_pipeline.tables.specs.schema import Quantity

WHERE = "The statement speaks of these positions only."


class PPositions(Kind):
    """The P-positions are the positions that satisfy `formula`."""

    reach: ClassVar[str] = "may"
    of_whole_bars: ClassVar[bool] = True

    kind: Literal["p-positions"]
    formula: Condition = Field(description="A condition on coordinates and parameters.")
    relation: Literal["exactly", "contain", "within"] = Field(
        default="exactly",
        description="The P-positions are exactly these positions, contain all of them, or are all among them.",
    )
    where: Condition | None = Field(default=None, description=WHERE)

    @property
    def of_all_positions(self) -> bool:
        """Whether it says of every position whether it is a P-position."""
        return self.relation == "exactly" and self.where is None

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        sign = {"exactly": "⇔", "contain": "⇐", "within": "⇒"}[self.relation]
        return f"P {sign} {math_text(self.formula)}{where_text(self.where)}"


class GrundyNumbers(Kind):
    """The Grundy number equals an integer formula."""

    reach: ClassVar[str] = "may"
    of_tables: ClassVar[Quantity | None] = "grundy"

    kind: Literal["grundy"]
    equals: Integer = Field(description="An integer formula in coordinates and parameters.")
    where: Condition | None = Field(default=None, description=WHERE)

    @property
    def of_all_positions(self) -> bool:
        """Whether it says of every position what its Grundy number is."""
        return self.where is None

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return f"G = {math_text(self.equals)}{where_text(self.where)}"


class Values(Kind):
    """The values of a formula over the P-positions make a set, stay inside of one, or contain one."""

    reach: ClassVar[str] = "may"
    of_whole_bars: ClassVar[bool] = True

    kind: Literal["values"]
    of: Integer = Field(description="An integer formula in coordinates and parameters.")
    values: Condition = Field(description="The set, as a condition on `v`.")
    relation: Literal["exactly", "contains-all", "within"]
    where: Condition | None = Field(default=None, description=WHERE)

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        yield ("of",), self.of, coordinates
        yield ("values",), self.values, {"v"}
        yield ("where",), self.where, coordinates

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        sign = {"exactly": "=", "contains-all": "⊇", "within": "⊆"}[self.relation]
        return f"{{{math_text(self.of)} : P-positions}} {sign} {{v : {math_text(self.values)}}}{where_text(self.where)}"


class Count(Kind):
    """A finite number of positions, or of P-positions, or of these with further integers, satisfies a condition."""

    reach: ClassVar[str] = "must"
    of_whole_bars: ClassVar[bool] = True

    kind: Literal["count"]
    over: Literal["positions", "p-positions"] = "positions"
    beside: dict[Name, Span] = Field(
        default={},
        description="Further integers, each with its range, which may use coordinates: what is counted is then the choices"
        " of a position and of these.",
    )
    of: Condition = Field(
        description="A condition on coordinates and parameters, and on `grundy` where all positions are counted."
    )
    where: Condition | None = Field(
        default=None, description="The box in which positions are counted."
    )
    equals: Integer = Field(description="The number, a formula in the parameters.")

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return ("grundy",) if self.over == "positions" else super().quantities(whole_bars)

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        known = set(coordinates)
        yield from in_order(("beside",), self.beside, known)
        yield ("of",), self.of, known | ({"grundy"} if self.over == "positions" else set())
        yield ("where",), self.where, coordinates
        yield ("equals",), self.equals, set()

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield further integers with the name of a coordinate."""
        for name in self.beside:
            if name in coordinates or name == "grundy":
                yield ("beside", name), f"{name!r} cannot be named here: it has a value already"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        what = {"positions": "positions", "p-positions": "P-positions"}[self.over]
        if self.beside:
            beside = ", ".join(range_text(name, span) for name, span in self.beside.items())
            what = f"choices of {what} and of {beside}"
        counted = f"the number of {what} with {math_text(self.of)}"
        return f"{counted} is {math_text(self.equals)}{where_text(self.where)}"


class Related(Kind):
    """The Grundy number of a position, or whether it is a P-position, follows from a position of a related game."""

    kind: Literal["related"]
    game: Text = Field(
        description="The related game, a ruleset in which parameters of the claim's own may stand in formulas, as in `s=s-1`."
    )
    at: dict[Name, Integer] = Field(
        default={},
        description="Where a coordinate of the related position is another number than here: a formula in the coordinates.",
    )
    equals: Integer | None = Field(
        default=None,
        description="The Grundy number, a formula in that of the related position, `g`; without it a position is a"
        " P-position if and only if the related one is.",
    )
    where: Condition | None = Field(
        default=None, description=WHERE + " At each of them the related position is one."
    )

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return super().quantities(whole_bars) if self.equals is None else ("grundy",)

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        for name, formula in self.at.items():
            yield ("at", name), formula, coordinates
        yield ("equals",), self.equals, {"g"}
        yield ("where",), self.where, coordinates

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield why the related game cannot be read."""
        try:
            read(self.game)
        except ChocoError as error:
            yield ("game",), str(error)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        at = ", ".join(f"{name} → {math_text(formula)}" for name, formula in self.at.items())
        text = "P ⇔ P" if self.equals is None else f"G = {math_text(self.equals)}, g = G"
        return f"{text} of {self.game}{f' at {at}' if at else ''}{where_text(self.where)}"
