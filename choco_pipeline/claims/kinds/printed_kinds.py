"""Tables and lists that a paper prints, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Integer, Name, Natural
from choco_pipeline.claims.kinds.kind import Kind, where_text
from choco_pipeline.claims.kinds.option_kinds import Coordinates, wrong_length
from choco_pipeline.claims.kinds.position_kinds import WHERE
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.specs.schema import Quantity


class GrundyTable(Kind):
    """A printed table of Grundy numbers in two coordinates."""

    of_tables: ClassVar[Quantity | None] = "grundy"

    kind: Literal["grundy-table"]
    down: Name = Field(description="The coordinate that counts rows, from 0.")
    across: Name = Field(description="The coordinate that counts the numbers in a row, from 0.")
    rows: list[list[Natural]] = Field(min_length=1)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield axes that are not the two coordinates, and rows without a number."""
        if not any(self.rows):
            yield ("rows",), "a number is needed"
        if {self.down, self.across} != set(coordinates):
            yield (), f"`down` and `across` must be the coordinates, {' and '.join(coordinates)}"

    def printed(self, coordinates: Sequence[str]) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the positions, with these coordinates in their order, and their printed numbers."""
        order = [(self.down, self.across).index(name) for name in coordinates]
        for down, row in enumerate(self.rows):
            for across, number in enumerate(row):
                yield tuple((down, across)[axis] for axis in order), number

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return f"G({self.across}, {self.down}) in {len(self.rows)} printed rows"


class GrundyList(Kind):
    """Printed Grundy numbers of single positions."""

    of_tables: ClassVar[Quantity | None] = "grundy"

    kind: Literal["grundy-list"]
    numbers: list[list[Natural]] = Field(
        min_length=1, description="For each position its coordinates and then its Grundy number."
    )

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield rows of another length."""
        for n, row in enumerate(self.numbers):
            yield from wrong_length(("numbers", n), row, (*coordinates, "its Grundy number"))

    def printed(self, coordinates: Sequence[str]) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the positions and their printed numbers."""
        yield from ((tuple(position), number) for *position, number in self.numbers)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return ", ".join(f"G({', '.join(map(str, p))}) = {g}" for *p, g in self.numbers)


class PList(Kind):
    """A printed list of P-positions: within the reach they are exactly these."""

    reach: ClassVar[str] = "must"

    kind: Literal["p-list"]
    positions: list[Coordinates] = Field(min_length=1)
    where: Condition | None = Field(default=None, description=WHERE)

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on."""
        return ("grundy",) if whole_bars else super().quantities(whole_bars)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield positions with another number of coordinates."""
        for n, position in enumerate(self.positions):
            yield from wrong_length(("positions", n), position, coordinates)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        return f"P ⇔ one of {len(self.positions)} printed positions{where_text(self.where)}"


class Listing(Kind):
    """A printed run of values of a formula at P-positions, in the order in which a program lists them."""

    reach: ClassVar[str] = "must"

    kind: Literal["listing"]
    of: Integer = Field(description="An integer formula in coordinates and parameters.")
    order: list[Name] = Field(
        description="The coordinates from the outermost loop of the program to the innermost."
    )
    where: Condition | None = Field(default=None, description=WHERE)
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
