"""Statements on all height functions in a box, and on sections of Sierpiński octahedra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Integer, Name, Natural, Span, Text
from choco_pipeline.claims.kinds.kind import Kind, Part, in_order, where_text
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range
from choco_pipeline.formula.written.math_text import math_text

#: The row and the column of a square, from 1.
SQUARE = frozenset({"i", "j"})


class HeightFunctions(Kind):
    """Over all monotone height functions in a box: a property of f is equivalent to a formula for its Grundy numbers."""

    of_rulesets: ClassVar[bool] = False

    kind: Literal["height-functions"]
    arguments: Literal[1, 2] = Field(
        description="1: bars (y, z) with y ≤ f(z). 2: solid bars (x, y, z) with y ≤ f(x, z)."
    )
    bound: Natural = Field(
        description="The value of `N`, the largest argument of f, where no other is asked for."
    )
    height: Integer = Field(description="The largest height in the box, a formula in `N`.")
    all: dict[Name, Span] = Field(
        description="The integers that the property speaks of, each with its range."
    )
    where: Condition | None = Field(default=None, description="What is supposed of them.")
    such: Text = Field(
        description="The property: a condition on these integers that holds for all of them, with `f(z)` for a height"
        " of one argument and `f(x*(N+1)+z)` for two."
    )
    grundy: Integer = Field(description="The claimed Grundy number, in the coordinates.")
    relation: Literal["exactly", "if", "only-if"] = Field(
        default="exactly",
        description="The formula is right exactly if f has the property, if it has it, or only if it has it.",
    )

    @property
    def condition(self) -> Formula:
        """Property that f may have, parsed; `mistakes` says if it cannot be."""
        return parse(self.such, functions={"f"})

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        known = {"N"}
        yield ("height",), self.height, set(known)
        yield from in_order(("all",), self.all, known)
        yield ("where",), self.where, known
        if not list(self.mistakes(())):
            yield ("such",), self.condition, known
        yield ("grundy",), self.grundy, {"y", "z"} | ({"x"} if self.arguments == 2 else set())

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a property that cannot be read or is no condition."""
        try:
            if not parse(self.such, functions={"f"}).is_truth:
                yield ("such",), "a condition is needed, this is an integer"
        except FormulaError as error:
            yield ("such",), str(error)

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        sign = {"exactly": "⇔", "if": "⇐", "only-if": "⇒"}[self.relation]
        return f"G = {math_text(self.grundy)} {sign} {math_text(self.condition)}{where_text(self.where)}"


class SectionCase(Model):
    """What is said of some squares of a section: they are as a square of another section, or are all empty."""

    where: Condition | None = Field(
        default=None,
        description="The squares that it speaks of; all that no case before speaks of by default.",
    )
    like: Annotated[list[Integer], Field(min_length=4, max_length=4)] | None = Field(
        default=None,
        description="`[n, m, i, j]`: square (i, j) of the section of the octahedron of order n at level m, each an integer"
        " formula; only i and j may depend on the square.",
    )
    empty: bool = Field(default=False, description="Instead of `like`.")


class Sections(Kind):
    """Sections of Sierpiński octahedra are made of others, or an octahedron consists of so many small ones."""

    of_rulesets: ClassVar[bool] = False

    kind: Literal["sections"]
    bound: Natural = Field(
        description="The value of `N`, which ranges may use, where no other is asked for."
    )
    all: dict[Name, Span] = Field(
        min_length=1,
        description="The integers that it speaks of, in order, each with its range; a range may use the names before it and `N`.",
    )
    let: dict[Name, Integer] = Field(
        default={}, description="Names for integers that follow from them, in order."
    )
    order: Integer = Field(description="Of the octahedron.")
    level: Integer | None = Field(
        default=None,
        description="Of the section, at height 1 − level/2^order: from 1 at the top, 2^order in the middle; needed with `cases`.",
    )
    halves: bool = Field(
        default=False,
        description="The level is counted in halves: the section lies between two layers of small octahedra, and its squares"
        " have half the size.",
    )
    cases: list[SectionCase] = Field(
        default=[],
        description="A square (i, j) belongs to the first case whose `where` it satisfies; of squares in no case nothing is"
        " claimed.",
    )
    pieces: Integer | None = Field(
        default=None,
        description="Instead of `cases`: the number of different small octahedra.",
    )

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers that it speaks of, in order, each with its range."""
        return self.all

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        known = {"N"}
        yield from in_order(("all",), self.all, known)
        yield from in_order(("let",), self.let, known)
        yield ("order",), self.order, known
        yield ("level",), self.level, known
        yield ("pieces",), self.pieces, known
        for n, case in enumerate(self.cases):
            yield ("cases", n, "where"), case.where, known | SQUARE
            for i, part in enumerate(case.like or []):
                yield ("cases", n, "like", i), part, known if i < 2 else known | SQUARE

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield statements that say nothing or two things, and names that are given twice."""
        if bool(self.cases) == (self.pieces is not None):
            yield (), "either `cases` or `pieces` is needed"
        if bool(self.cases) != (self.level is not None):
            yield (), "`level` is needed with `cases`, and only there"
        for n, case in enumerate(self.cases):
            if (case.like is None) != case.empty:
                yield ("cases", n), "either `like` or `empty` is needed"
        for name in [*self.all, *self.let]:
            if name in SQUARE or (name in self.all and name in self.let):
                yield (), f"{name!r} is given twice"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        if self.pieces is not None:
            return (
                f"S_n consists of {math_text(self.pieces)} octahedra, n = {math_text(self.order)}"
            )
        assert self.level is not None  # `mistakes` says so otherwise
        level = math_text(self.level)
        level = f"({level})/2" if self.halves else level
        parts = []
        for case in self.cases:
            other = "empty"
            if case.like is not None:
                n, m, i, j = map(math_text, case.like)
                other = f"S_n at {m}, n = {n}, [{i}, {j}]"
            parts.append(f"[i, j] as {other}{where_text(case.where)}")
        return f"S_n at {level}, n = {math_text(self.order)}: {'; '.join(parts)}"
