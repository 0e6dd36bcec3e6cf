"""Statements that need no table: on integers, on all height functions in a box, and on sections of Sierpiński octahedra."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from choco_pipeline.claims.kinds.fields import Condition, Integer, Name, Natural, Span, Text
from choco_pipeline.claims.kinds.kind import Kind, Part, in_order, where_text
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.math_text import math_text, range_text
from choco_pipeline.formula.written.parameter_text import assigned

#: The row and the column of a square, from 1.
SQUARE = frozenset({"i", "j"})


class Number(Model):
    """How many integers there are with a property, for each choice of the others."""

    of: dict[Name, Span] = Field(
        min_length=1, description="The integers that are counted, each with its range."
    )
    let: dict[Name, Integer] = Field(default={}, description="Names for integers that follow.")
    such: Condition = Field(description="What they satisfy.")
    least: Integer | None = Field(default=None, description="There are at least so many.")
    exactly: Integer | None = Field(default=None, description="There are exactly so many.")

    @property
    def counted(self) -> str:
        """What is counted, in words."""
        names = ", ".join(self.of)
        what = names if len(self.of) == 1 else f"({names})"
        return f"the number of {what} with {math_text(self.such)}"


class IntegerStatement(Kind):
    """For all integers in some ranges, something holds."""

    of_rulesets: ClassVar[bool] = False

    kind: Literal["integers"]
    bound: Natural = Field(
        description="The value of `N`, which ranges may use, where no other is asked for."
    )
    all: dict[Name, Span] = Field(
        min_length=1,
        description="The integers that it speaks of, in order, each with its range; a range may use the names before it and `N`.",
    )
    listed: list[Name] = Field(
        default=[],
        description="Names in `all` of whose integers the range lists some only: the statement speaks of others, too, and no"
        " verdict says that it is proved, or checked in all cases, for these.",
        examples=[["k"]],
    )
    let: dict[Name, Integer] = Field(
        default={}, description="Names for integers that follow from them, in order."
    )
    where: list[Condition] | Condition = Field(default=[], description="What is supposed of them.")
    holds: list[Condition] | Condition = Field(default=[], description="What holds then.")
    any: list[Condition] = Field(default=[], description="Of these, at least one holds then.")
    equivalent: list[Condition] = Field(
        default=[], description="These are then all true or all false."
    )
    number: Number | None = Field(default=None, description="How many others there are then.")

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        known = {"N"}
        yield from in_order(("all",), self.all, known)
        yield from in_order(("let",), self.let, known)
        for key in ("where", "holds", "any", "equivalent"):
            conditions = getattr(self, key)
            if isinstance(conditions, Formula):
                yield (key,), conditions, known
            else:
                for i, condition in enumerate(conditions):
                    yield (key, i), condition, known
        if self.number is not None:
            inner = set(known)
            yield from in_order(("number", "of"), self.number.of, inner)
            yield from in_order(("number", "let"), self.number.let, inner)
            yield ("number", "such"), self.number.such, inner
            yield ("number", "least"), self.number.least, known
            yield ("number", "exactly"), self.number.exactly, known

    @property
    def is_finite(self) -> bool:
        """Whether it is the same statement for every `N`, so that its ranges hold all that it speaks of."""
        return not self.listed and not any(
            part is not None and "N" in part.names for _, part, _ in self.parts(frozenset())
        )

    def listed_text(self, names: Collection[str]) -> str:
        """Return the ranges of some names, as words that say of which integers something is known."""
        return ", ".join(range_text(name, self.all[name]) for name in names)

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield statements that claim nothing, and names that are given twice."""
        if not (self.holds or self.any or self.equivalent or self.number):
            yield (), "one of `holds`, `any`, `equivalent` or `number` is needed"
        if len(self.equivalent) == 1:
            yield ("equivalent",), "two conditions or more are needed"
        for i, name in enumerate(self.listed):
            if name not in self.all:
                yield ("listed", i), f"{name!r} is not in `all`: {', '.join(self.all)}"
            elif used := self.all[name].names:
                named = " and ".join(sorted(used))
                yield (
                    ("listed", i),
                    f"a range of numbers is needed for {name!r}; its own uses {named}",
                )
        if self.number is not None and (self.number.least is None) == (self.number.exactly is None):
            yield ("number",), "either `least` or `exactly` is needed"
        names = [*self.all, *self.let]
        if self.number is not None:
            names += [*self.number.of, *self.number.let]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield (), f"{name!r} is given twice"

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        where = " and ".join(map(math_text, conditions_of(self.where)))
        let = assigned({name: math_text(formula) for name, formula in self.let.items()})
        parts = [*map(math_text, conditions_of(self.holds))]
        parts += [" or ".join(map(math_text, self.any))] if self.any else []
        if self.equivalent:
            equivalent = " ⇔ ".join(map(math_text, self.equivalent))
            parts.append(f"({equivalent})" if where else equivalent)
        if self.number is not None:
            least, exactly = self.number.least, self.number.exactly
            number = f"at least {math_text(least)}" if least else math_text(exactly or "")
            parts.append(f"{self.number.counted} is {number}")
        given = f"{let}: " if let else ""
        return given + (f"{where} ⇒ " if where else "") + "; ".join(parts)


def conditions_of(value: list[Formula] | Formula) -> list[Formula]:
    """Return one condition or several as a list."""
    return [value] if isinstance(value, Formula) else value


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
