"""Tables and lists that a paper prints, number by number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Integer, Name, Natural
from choco_pipeline.claims.kinds.kind import Kind, where_text
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.specs.schema import Quantity

Coordinates = Annotated[list[Natural], Field(min_length=1, max_length=16)]


class ShapeExample(Model):
    """The columns of one bar as a paper prints them."""

    position: Coordinates
    columns: list[Natural] = Field(
        min_length=1, description="The number of squares in each column, the bitter one's first."
    )


class Columns(Kind):
    """Printed columns of step bars."""

    reads_tables: ClassVar[bool] = False
    rulesets: ClassVar[tuple[str, ...] | None] = ("step-bar", "strip-bar")

    kind: Literal["columns"]
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


class Listing(Kind):
    """A printed run of values of a formula at P-positions, in the order in which a program lists them."""

    kind: Literal["listing"]
    of: Integer = Field(description="An integer formula in coordinates and parameters.")
    order: list[Name] = Field(
        description="The coordinates from the outermost loop of the program to the innermost."
    )
    where: Condition | None = Field(
        default=None, description="The statement speaks of these positions only."
    )
    up_to: Natural = Field(description="The largest coordinate of the P-positions that are listed.")
    begins: list[int] = Field(default=[], description="The first values.")
    ends: list[int] = Field(default=[], description="The last values.")
    length: Natural | None = Field(default=None, description="How many values there are.")

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return ("grundy",) if whole_bars else super().quantities(whole_bars)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield an order of other coordinates, and a listing without values."""
        if sorted(self.order) != sorted(coordinates):
            yield ("order",), f"the coordinates, each once, are needed: {', '.join(coordinates)}"
        if not self.begins and not self.ends:
            yield (), "`begins` or `ends` is needed"
        if self.length is not None and self.length < max(len(self.begins), len(self.ends)):
            yield ("length",), f"more values are listed than {self.length}"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        begins = f" begins {self.begins}" if self.begins else ""
        ends = f" ends {self.ends}" if self.ends else ""
        length = "" if self.length is None else f" has {self.length} values"
        return (
            f"{math_text(self.of)} over P-positions{where_text(self.where)}{begins}{ends}{length}"
        )
