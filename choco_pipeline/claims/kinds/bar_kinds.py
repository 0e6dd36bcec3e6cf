"""Statements on the patterns of square bars: the uncut m × m bars, by the cell (i, j) that is poisoned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Integer, Name, Number, Text
from choco_pipeline.claims.kinds.kind import Kind, Part
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.specs.schema import Quantity


class BarKind(Kind):
    """A statement on uncut rectangular bars."""

    rulesets: ClassVar[tuple[str, ...] | None] = ("rectangular-bar",)
    of_whole_bars: ClassVar[bool] = True
    of_tables: ClassVar[Quantity | None] = "p-positions"


class Counts(BarKind):
    """Relations between the numbers of P-positions in tables that differ in one parameter."""

    over_tables: ClassVar[bool] = True

    kind: Literal["counts"]
    sums: dict[Name, Number] = Field(
        default={},
        description="Sums by name: `total: g(m)` makes `total(n)` the sum of g(m) for m = 1, …, n; m is the ruleset's parameter.",
    )
    relations: list[Text] = Field(
        min_length=1,
        description="Conditions on `g(n)`, the number of P-positions in the table whose parameter is n, and on the sums,"
        " for each value of the parameter from 1.",
    )

    @cached_property
    def functions(self) -> frozenset[str]:
        """The look-up functions that relations may call."""
        return frozenset({"g", *self.sums})

    @cached_property
    def conditions(self) -> list[Formula]:
        """The relations, parsed; `mistakes` says if they cannot be."""
        return [parse(text, functions=self.functions) for text in self.relations]

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        for name, summand in self.sums.items():
            yield ("sums", name), summand, set()
        if not list(self.mistakes(())):
            for i, relation in enumerate(self.conditions):
                yield ("relations", i), relation, set()

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a sum that would hide the numbers g, and relations that cannot be read or are no conditions."""
        if "g" in self.sums:
            yield ("sums", "g"), "'g' cannot name a sum: g(n) is a number of P-positions"
        for i, text in enumerate(self.relations):
            try:
                if not parse(text, functions=self.functions).is_truth:
                    yield ("relations", i), "a condition is needed, this is an integer"
            except FormulaError as error:
                yield ("relations", i), str(error)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        sums = "".join(
            f"; {name}(n) = Σ {math_text(summand)}" for name, summand in self.sums.items()
        )
        return "; ".join(map(math_text, self.conditions)) + sums


class Cellular(BarKind):
    """The P-positions of a rectangular bar are the cells of a generation of a cellular automaton that are not 0."""

    kind: Literal["cellular"]
    terms: list[Annotated[list[int], Field(min_length=3, max_length=3)]] = Field(
        min_length=1,
        description="`[dn, di, dj]` for each term a(n-dn) at (i-di, j-dj) of the sum that is a(n) at (i, j).",
    )
    start: list[Annotated[list[int], Field(min_length=4, max_length=4)]] = Field(
        min_length=1, description="`[n, i, j, value]` for each cell that is given and not 0."
    )
    modulo: Annotated[int, Field(ge=2)] = Field(description="What sums are reduced by.")
    generation: Integer = Field(
        description="Which generation a table shows, a formula in the parameters."
    )

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        yield ("generation",), self.generation, set()

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield terms that do not come from an earlier generation."""
        for i, (dn, _, _) in enumerate(self.terms):
            if dn < 1:
                yield (
                    ("terms", i),
                    f"a generation follows from earlier ones: dn is at least 1, found {dn}",
                )

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        terms = " + ".join(
            f"a[{_less('i', di)}, {_less('j', dj)}]({_less('n', dn)})" for dn, di, dj in self.terms
        )
        return f"a[i, j](n) = {terms} mod {self.modulo}; P ⇔ a[i, j]({self.generation}) ≠ 0"


class Octahedron(BarKind):
    """The pattern is a horizontal section of the Sierpiński octahedron, cut where its height is 1 − level/2^order."""

    kind: Literal["octahedron"]
    level: Integer = Field(
        description="A formula in the parameters, from 1 at the top; 2^order is the middle, 2^(order+1)-1 the bottom."
    )
    order: Integer = Field(description="A formula in the parameters.")
    halves: bool = Field(
        default=False,
        description="The level is counted in halves: the section lies between two layers of small octahedra.",
    )

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        yield ("level",), self.level, set()
        yield ("order",), self.order, set()

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        level = math_text(self.level)
        level = f"({level})/2" if self.halves else level
        return f"P ~ section of S_n at 1 − {level}/2^n, n = {math_text(self.order)}"


def _less(name: str, steps: int) -> str:
    return name if steps == 0 else f"{name}−{steps}" if steps > 0 else f"{name}+{-steps}"
