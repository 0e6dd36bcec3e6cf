"""Statements on the options of positions and on the shapes of bars, as the papers define and print them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Name, Natural
from choco_pipeline.claims.kinds.kind import Kind, Part
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula.written.math_text import math_text

Coordinates = Annotated[list[Natural], Field(min_length=1, max_length=16)]


class Options(Kind):
    """Of every position with a property, no option, some option or every option has another."""

    reads_tables: ClassVar[bool] = False

    kind: Literal["options"]
    of: Condition = Field(description="Which positions it speaks of: a condition on coordinates.")
    have: Literal["no", "some", "every"] = Field(
        description="How many of their options satisfy `to`."
    )
    to: Condition = Field(description="A condition on the coordinates of an option.")
    by: list[Name] = Field(
        default=[],
        description="Only options by moves that lower none but these coordinates; `p` for a pass. All options by default.",
    )
    beside: Literal["kept", "lowered"] | None = Field(
        default=None,
        description="`kept`: only options that change no coordinate but those that the move lowers;"
        " `lowered`: only options in which another one falls to its largest value, as y does. Both by default.",
    )

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield cuts of what is no coordinate."""
        for i, name in enumerate(self.by):
            if name not in coordinates:
                yield ("by", i), f"{name!r} is no coordinate: these are {', '.join(coordinates)}"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return f"{math_text(self.of)} ⇒ {self.have} option{self.which} has {math_text(self.to)}"

    @property
    def which(self) -> str:
        """The options that it counts, as words that follow "option"."""
        cuts = f" by {', '.join(self.by)}" if self.by else ""
        return cuts + (f", y {self.beside}" if self.beside else "")


class OptionSet(Kind):
    """The options of every position are the cells that satisfy `formula`, cells that are no positions looked at, too."""

    reads_tables: ClassVar[bool] = False

    kind: Literal["option-set"]
    option: list[Name] = Field(
        min_length=1,
        description="Names for the coordinates of an option, in their order, such as `[u, v, w]` beside x, y, z.",
    )
    formula: Condition = Field(
        description="When a cell is an option: a condition on the coordinates of a position and on those of `option`."
    )
    relation: Literal["exactly", "contain", "within"] = Field(
        default="exactly",
        description="The options are exactly these cells, contain all of them, or are all among them.",
    )

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        yield ("formula",), self.formula, coordinates | set(self.option)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield names of another number than the coordinates have, and names that mean something already."""
        if len(self.option) != len(coordinates):
            yield (
                ("option",),
                f"{len(coordinates)} names are needed, one for each of {', '.join(coordinates)}",
            )
        for i, name in enumerate(self.option):
            if name in coordinates or name in self.option[:i]:
                yield ("option", i), f"{name!r} cannot name this coordinate: it names another one"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        sign = {"exactly": "⇔", "contain": "⇐", "within": "⇒"}[self.relation]
        return f"({', '.join(self.option)}) is an option {sign} {math_text(self.formula)}"


class MoveExample(Model):
    """What a paper prints about the options of one position."""

    position: Coordinates
    options: list[Coordinates] = Field(min_length=1)
    are: Literal["all", "among", "none"] = Field(
        description="These are all options, are among them, or none of them is one."
    )


class Moves(Kind):
    """Printed examples of options."""

    reads_tables: ClassVar[bool] = False

    kind: Literal["moves"]
    examples: list[MoveExample] = Field(min_length=1)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield positions with another number of coordinates."""
        for n, example in enumerate(self.examples):
            for position in (example.position, *example.options):
                yield from wrong_length(("examples", n), position, coordinates)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return f"options of {', '.join(str(tuple(e.position)) for e in self.examples)} as printed"


class ShapeExample(Model):
    """The columns of one bar as a paper prints them."""

    position: Coordinates
    columns: list[Natural] = Field(
        min_length=1, description="The number of squares in each column, the bitter one's first."
    )


class Shape(Kind):
    """Printed shapes of step bars."""

    reads_tables: ClassVar[bool] = False
    rulesets: ClassVar[tuple[str, ...] | None] = ("step-bar", "strip-bar")

    kind: Literal["shape"]
    examples: list[ShapeExample] = Field(min_length=1)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield positions with another number of coordinates."""
        for n, example in enumerate(self.examples):
            yield from wrong_length(("examples", n), example.position, coordinates)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return "; ".join(f"{tuple(e.position)} has columns {e.columns}" for e in self.examples)


def wrong_length(
    place: Location, position: list[int], coordinates: tuple[str, ...]
) -> Iterator[tuple[Location, str]]:
    """Yield a mistake if a position has not one number for each coordinate."""
    if len(position) != len(coordinates):
        yield (
            place,
            f"{tuple(position)} has {len(position)} numbers, a position has {len(coordinates)}:"
            f" ({', '.join(coordinates)})",
        )
