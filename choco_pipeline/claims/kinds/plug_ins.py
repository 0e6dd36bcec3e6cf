"""Checks that the language of statements cannot express, and types of their keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from choco_pipeline.claims.kinds.shapes import Kind, Part, in_order
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.spec import Quantity

_T = TypeVar("_T")


def _reader(kind: type[_T], read: Callable[[str], _T]) -> PlainValidator:
    """Return a validator that reads a text or an integer, and refuses anything else."""

    def validated(value: object) -> _T:
        if isinstance(value, kind):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError("a formula is needed")
        try:
            return read(value)
        except FormulaError as error:
            raise ValueError(str(error)) from error

    return PlainValidator(validated)


def _formula(is_truth: bool, functions: Collection[str] = ()) -> PlainValidator:
    def read(text: str) -> Formula:
        formula = parse(text, functions=functions)
        if formula.is_truth != is_truth:
            words = ("a condition", "an integer") if is_truth else ("an integer", "a condition")
            raise ValueError(f"{words[0]} is needed, this is {words[1]}")
        return formula

    return _reader(Formula, read)


_AS_TEXT = PlainSerializer(lambda formula: formula.text, return_type=str)
_INTEGER = WithJsonSchema({"type": ["string", "integer"], "format": "integer formula"})
_CONDITION = WithJsonSchema({"type": "string", "format": "condition"})
_RANGE = WithJsonSchema({"type": ["string", "integer"], "format": "range"})

Integer = Annotated[Formula, _formula(False), _AS_TEXT, _INTEGER]
Condition = Annotated[Formula, _formula(True), _AS_TEXT, _CONDITION]
#: An integer, or a condition, in which ``g(n)`` is the number of P-positions in the table whose parameter is n.
Number = Annotated[Formula, _formula(False, {"g"}), _AS_TEXT, _INTEGER]
#: ``first..last``, ``first..last step n``, or a single formula.
Span = Annotated[Range, _reader(Range, lambda text: parse_range(text.strip())), _AS_TEXT, _RANGE]

Text = Annotated[str, Field(min_length=1, max_length=2000)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
Natural = Annotated[int, Field(ge=0)]


Coordinates = Annotated[list[Natural], Field(min_length=1, max_length=16)]
#: The row and the column of a square, from 1.
SQUARE = frozenset({"i", "j"})


class BarKind(Kind):
    """A statement on uncut rectangular bars."""

    rulesets: ClassVar[tuple[str, ...] | None] = ("rectangular-bar",)
    of_whole_bars: ClassVar[bool] = True
    of_tables: ClassVar[Quantity | None] = "p-positions"

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it; none may use coordinates."""
        return super().parts(frozenset())


class Counts(BarKind):
    """Relations between counts of P-positions in tables with one parameter."""

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
    def conditions(self) -> list[Formula]:
        """The relations, parsed; `mistakes` reports those that cannot be parsed."""
        return [parse(text, functions=self._functions) for text in self.relations]

    @property
    def _functions(self) -> set[str]:
        return {"g", *self.sums}

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it."""
        for name, summand in self.sums.items():
            yield ("sums", name), summand, set()
        if not list(self.mistakes(())):
            for i, relation in enumerate(self.conditions):
                yield ("relations", i), relation, set()

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a sum that hides the numbers g, and relations that are no conditions."""
        if "g" in self.sums:
            yield ("sums", "g"), "'g' cannot name a sum: g(n) is a number of P-positions"
        for i, text in enumerate(self.relations):
            yield from _unless_condition(("relations", i), text, self._functions)

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        sums = (f"{name}(n) = Σ {math_text(summand)}" for name, summand in self.sums.items())
        return "; ".join([*map(math_text, self.conditions), *sums])


class Cellular(BarKind):
    """The P-positions of a bar are the nonzero cells of a cellular automaton."""

    kind: Literal["cellular"]
    terms: list[Annotated[list[int], Field(min_length=3, max_length=3)]] = Field(
        min_length=1,
        description="`[dn, di, dj]` for each term a(n-dn) at (i-di, j-dj) of the sum that is a(n) at (i, j).",
    )
    start: list[Annotated[list[int], Field(min_length=4, max_length=4)]] = Field(
        min_length=1, description="`[n, i, j, value]` for each cell that is given and not 0."
    )
    modulo: Annotated[int, Field(ge=2)] = Field(description="The modulus of the sums.")
    generation: Integer = Field(
        description="The generation of a table, a formula in the parameters."
    )

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield terms that do not come from an earlier generation."""
        why = "a generation follows from earlier ones: dn is at least 1, found"
        yield from ((("terms", i), f"{why} {t[0]}") for i, t in enumerate(self.terms) if t[0] < 1)

    def summary(self) -> str:
        """Return the claim as one line of formulas."""

        def less(name: str, steps: int) -> str:
            return name if steps == 0 else f"{name}−{steps}" if steps > 0 else f"{name}+{-steps}"

        terms = " + ".join(
            f"a[{less('i', di)}, {less('j', dj)}]({less('n', dn)})" for dn, di, dj in self.terms
        )
        return f"a[i, j](n) = {terms} mod {self.modulo}; P ⇔ a[i, j]({self.generation}) ≠ 0"


class Octahedron(BarKind):
    """The pattern is a horizontal section of the Sierpiński octahedron."""

    kind: Literal["octahedron"]
    level: Integer = Field(
        description="The section has height 1 − level/2^order: a formula in the parameters, from 1 at the top; 2^order is the"
        " middle, 2^(order+1)-1 the bottom."
    )
    order: Integer = Field(description="A formula in the parameters.")
    halves: bool = Field(
        default=False,
        description="The level is counted in halves: the section lies between two layers of small octahedra.",
    )

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        level = _level_text(self.level, self.halves)
        return f"P ~ section of S_n at 1 − {level}/2^n, n = {math_text(self.order)}"


class ShapeExample(Model):
    """The columns of one bar as a paper prints them."""

    position: Coordinates
    columns: list[Natural] = Field(
        min_length=1, description="The number of squares in each column, the bitter one's first."
    )


class Columns(Kind):
    """Printed columns of step bars."""

    rulesets: ClassVar[tuple[str, ...] | None] = ("step-bar", "strip-bar")

    kind: Literal["columns"]
    examples: list[ShapeExample] = Field(min_length=1)

    @property
    def reads_tables(self) -> bool:
        """False, because the definition of the game decides it."""
        return False

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield positions with another number of coordinates."""
        needed = f"a position has {len(coordinates)}: ({', '.join(coordinates)})"
        for n, position in enumerate(tuple(example.position) for example in self.examples):
            if len(position) != len(coordinates):
                yield ("examples", n), f"{position} has {len(position)} numbers, {needed}"

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        return "; ".join(f"{tuple(e.position)} has columns {e.columns}" for e in self.examples)


class Listing(Kind):
    """A printed run of a formula's values at P-positions, in loop order."""

    kind: Literal["listing"]
    of: Integer = Field(description="An integer formula in coordinates and parameters.")
    order: list[Name] = Field(
        description="The coordinates from the outermost loop of the program to the innermost."
    )
    where: Condition | None = Field(
        default=None, description="The statement is about these positions only."
    )
    up_to: Natural = Field(description="The largest coordinate of the P-positions that are listed.")
    begins: list[int] = Field(default=[], description="The first values.")
    ends: list[int] = Field(default=[], description="The last values.")
    length: Natural | None = Field(default=None, description="The number of values.")

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
        """Return the claim as one line of formulas."""
        begins = f" begins {self.begins}" if self.begins else ""
        ends = f" ends {self.ends}" if self.ends else ""
        length = "" if self.length is None else f" has {self.length} values"
        listed = f"{math_text(self.of)} over P-positions{_where_text(self.where)}"
        return f"{listed}{begins}{ends}{length}"


class HeightFunctions(Kind):
    """A property of height functions, and a formula for their Grundy numbers.

    The statement is about all monotone height functions f in a box.
    """

    of_rulesets: ClassVar[bool] = False

    kind: Literal["height-functions"]
    arguments: Literal[1, 2] = Field(
        description="1: bars (y, z) with y ≤ f(z). 2: solid bars (x, y, z) with y ≤ f(x, z)."
    )
    bound: Natural = Field(description="The default of `N`, the largest argument of f.")
    height: Integer = Field(description="The largest height in the box, a formula in `N`.")
    all: dict[Name, Span] = Field(description="The integers in the property, each with its range.")
    where: Condition | None = Field(default=None, description="A condition on these integers.")
    such: Text = Field(
        description="The property: a condition on these integers that holds for all of them, with `f(z)` for a height"
        " of one argument and `f(x*(N+1)+z)` for two."
    )
    grundy: Integer = Field(description="The claimed Grundy number, in the coordinates.")
    relation: Literal["exactly", "if", "only-if"] = Field(
        default="exactly",
        description="The formula is correct exactly if f has the property, if f has it, or only if f has it.",
    )

    @property
    def condition(self) -> Formula:
        """The property, parsed; `mistakes` reports one that cannot be parsed."""
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
        """Yield a property that is not a condition."""
        return _unless_condition(("such",), self.such, {"f"})

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        sign = {"exactly": "⇔", "if": "⇐", "only-if": "⇒"}[self.relation]
        such = f"{math_text(self.condition)}{_where_text(self.where)}"
        return f"G = {math_text(self.grundy)} {sign} {such}"


class SectionCase(Model):
    """Some squares of a section equal those of another section, or are all empty."""

    where: Condition | None = Field(
        default=None,
        description="A condition on the squares; by default all that belong to no earlier case.",
    )
    like: Annotated[list[Integer], Field(min_length=4, max_length=4)] | None = Field(
        default=None,
        description="`[n, m, i, j]`: square (i, j) of the section of the octahedron of order n at level m, each an integer"
        " formula; only i and j may depend on the square.",
    )
    empty: bool = Field(default=False, description="Instead of `like`.")


class Sections(Kind):
    """Sections of Sierpiński octahedra, or the numbers of their small octahedra."""

    of_rulesets: ClassVar[bool] = False

    kind: Literal["sections"]
    bound: Natural = Field(description="The default of `N`, which ranges may use.")
    all: dict[Name, Span] = Field(
        min_length=1,
        description="The integers in the statement, in order, each with its range; a range may use the names before it and `N`.",
    )
    let: dict[Name, Integer] = Field(
        default={}, description="Names for integers that follow from them, in order."
    )
    order: Integer = Field(description="The order of the octahedron.")
    level: Integer | None = Field(
        default=None,
        description="The level of the section, at height 1 − level/2^order: from 1 at the top, 2^order in the middle; needed"
        " with `cases`.",
    )
    halves: bool = Field(
        default=False,
        description="The level is counted in halves: the section lies between two layers of small octahedra, and its squares"
        " have half the size.",
    )
    cases: list[SectionCase] = Field(
        default=[],
        description="A square (i, j) belongs to the first case whose `where` it satisfies; nothing is claimed about squares in"
        " no case.",
    )
    pieces: Integer | None = Field(
        default=None,
        description="Instead of `cases`: the number of different small octahedra.",
    )

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers that it is about, in order, each with its range."""
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
        """Yield missing and conflicting keys, and names that are defined twice."""
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
        """Return the claim as one line of formulas."""
        order = f"n = {math_text(self.order)}"
        if self.pieces is not None:
            return f"S_n consists of {math_text(self.pieces)} octahedra, {order}"
        assert self.level is not None  # otherwise `mistakes` reports it
        parts = []
        for case in self.cases:
            other = "empty"
            if case.like is not None:
                n, m, i, j = map(math_text, case.like)
                other = f"S_n at {m}, n = {n}, [{i}, {j}]"
            parts.append(f"[i, j] as {other}{_where_text(case.where)}")
        return f"S_n at {_level_text(self.level, self.halves)}, {order}: {'; '.join(parts)}"


def _where_text(where: Formula | None) -> str:
    return "" if where is None else f", where {math_text(where)}"


def _level_text(level: Formula, halves: bool) -> str:
    return f"({math_text(level)})/2" if halves else math_text(level)


def _unless_condition(
    place: Location, text: str, functions: Collection[str]
) -> Iterator[tuple[Location, str]]:
    """Yield a mistake if a text is not a condition with these functions."""
    try:
        if not parse(text, functions=functions).is_truth:
            yield place, "a condition is needed, this is an integer"
    except FormulaError as error:
        yield place, str(error)
