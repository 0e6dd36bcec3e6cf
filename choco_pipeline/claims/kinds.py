"""The checks of claims: shapes of statements, their recognition, and plug-ins.

A shape is a form of statement with a specialised check. It holds the parts that a fast loop, an automaton or a lemma needs, and
does not depend on the wording. All other statements are checked by evaluation. A plug-in is a check with its own keys, for
claims that the language of statements cannot express.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, Range, parse, parse_range
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.games.notation import coordinates_of
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.tables.spec import QUANTITIES, Quantity

#: A formula, its place in the check, and the names that it may use besides parameters.
Part = tuple[Location, Formula | Range | None, Collection[str]]


class Judged:
    """The properties of a check that determine its tables."""

    #: Whether it compares several tables; then no single table decides it.
    over_tables: ClassVar[bool] = False
    #: Whether, for rectangular bars, it is about uncut bars, given by the poisoned cell (i, j).
    of_whole_bars: ClassVar[bool] = False
    #: The quantity that the table must hold; None for any.
    of_tables: ClassVar[Quantity | None] = None

    @property
    def reads_tables(self) -> bool:
        """Whether the check reads tables; otherwise it uses the definition of the game."""
        return True

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the quantities of suitable tables; `whole_bars` means uncut bars."""
        if self.of_tables is not None:
            return (self.of_tables,)
        return ("p-positions",) if whole_bars else QUANTITIES


class Kind(Judged, Model):
    """Base class of plug-ins."""

    #: The names of the allowed rulesets; None for any, none if it is about integers or height functions and needs no table.
    rulesets: ClassVar[tuple[str, ...] | None] = None

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers of the statement, in order, each with its range."""
        return {}

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield the formulas of the check, with their places.

        By default these are the keys with formulas as values, which may use coordinates.
        """
        for name, value in self:
            if isinstance(value, Formula):
                yield (name,), value, coordinates

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield the place and a message for each mistake other than unknown names."""
        yield from ()

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        raise NotImplementedError


def in_order(
    place: Location, formulas: Mapping[str, Formula | Range], known: set[str]
) -> Iterator[Part]:
    """Yield formulas that may use earlier names; add their own names to `known`."""
    for name, formula in formulas.items():
        yield (*place, name), formula, frozenset(known)
        known.add(name)


Containment = Literal["exactly", "contain", "within"]


@dataclass(frozen=True)
class PPositions(Judged):
    """The P-positions equal, contain, or are among the solutions of a formula."""

    kind: ClassVar[str] = "p-positions"
    of_whole_bars: ClassVar[bool] = True

    formula: Formula
    relation: Containment = "exactly"
    #: The positions that the statement is about; None for all.
    where: Formula | None = None


@dataclass(frozen=True)
class GrundyNumbers(Judged):
    """The Grundy number is the value of a formula."""

    kind: ClassVar[str] = "grundy"
    of_tables: ClassVar[Quantity | None] = "grundy"

    equals: Formula
    where: Formula | None = None


@dataclass(frozen=True)
class Values(Judged):
    """The values of a formula at P-positions equal, contain, or are in a set."""

    kind: ClassVar[str] = "values"
    of_whole_bars: ClassVar[bool] = True

    of: Formula
    values: Formula
    relation: Literal["exactly", "within", "contains-all"]
    where: Formula | None = None


@dataclass(frozen=True)
class Count(Judged):
    """The number of positions, or of positions and integers, with a condition."""

    kind: ClassVar[str] = "count"
    of_whole_bars: ClassVar[bool] = True

    over: Literal["positions", "p-positions"]
    #: Further integers, each with its range.
    beside: Mapping[str, Range]
    #: A condition on coordinates and, where all positions are counted, on ``grundy``.
    of: Formula
    equals: Formula

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the quantities of suitable tables."""
        return ("grundy",) if self.over == "positions" else super().quantities(whole_bars)


@dataclass(frozen=True)
class Related(Judged):
    """Grundy numbers or outcomes are given by those of positions of another game."""

    kind: ClassVar[str] = "related"

    #: The notation of the other game, with parameters of the claim.
    game: str
    #: The coordinates of the other position, by their names in the other game.
    at: Mapping[str, Formula]
    #: The Grundy number as a formula in ``g``, that of the other position; None if the outcomes are equal.
    equals: Formula | None = None
    where: Formula | None = None

    @property
    def moved(self) -> Mapping[str, Formula]:
        """The coordinates whose values differ between the two positions."""
        return {name: formula for name, formula in self.at.items() if formula.text != name}

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the quantities of suitable tables."""
        return QUANTITIES if self.equals is None else ("grundy",)


@dataclass(frozen=True)
class PrintedNumbers(Judged):
    """Printed Grundy numbers of single positions, or of a table of positions."""

    kind: ClassVar[str] = "grundy-list"
    of_tables: ClassVar[Quantity | None] = "grundy"

    numbers: tuple[tuple[Position, int], ...]
    #: For a table: the first place after each row. It must be no position, because it has no number.
    ends: tuple[Position, ...] | None = None

    def legal_numbers(self, game: Ruleset) -> list[tuple[Position, int]]:
        """Return the legal positions among the printed places, and their numbers.

        Raises `UndefinedError` if a list names a place that is no position, or a table lacks the number of a position.
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
class Evaluated(Judged):
    """A statement of any other form, which is checked by evaluation."""

    kind: ClassVar[str] = "statement"
    of_whole_bars: ClassVar[bool] = True

    proposition: tree.Proposition
    #: The rows of the claim's printed table or list.
    printed: Sequence[Sequence[int]] = field(default=(), hash=False)
    #: The value of `N` in a statement about integers.
    bound: int = 0

    @property
    def reads_tables(self) -> bool:
        """Whether it is about outcomes or Grundy numbers."""
        return any(
            isinstance(part, tree.PPosition | tree.Grundy) for part in tree.walk(self.proposition)
        )

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the quantities of suitable tables."""
        has_numbers = any(isinstance(part, tree.Grundy) for part in tree.walk(self.proposition))
        return ("grundy",) if has_numbers and not whole_bars else super().quantities(whole_bars)


#: The shape of a statement.
Recognised = PPositions | GrundyNumbers | Values | Count | Related | PrintedNumbers | Evaluated


# ---- Recognition of shapes.


#: Names in the formulas of shapes: a value, the Grundy number, and the Grundy number in the related game.
OWN_NAMES = frozenset({"v", "grundy", "g"})
OWN_NAMES_OF = frozenset({Values.kind, Count.kind, Related.kind})


@dataclass(frozen=True)
class Parts:
    """The parts of a statement about positions."""

    #: Definitions of names by formulas in the parameters.
    let: dict[str, Formula]
    #: The largest coordinate of the positions that it is about; None for any.
    reach: Formula | None
    #: The statement without the definitions and the limit on the size.
    rest: tree.Proposition


def parts_of(proposition: tree.Proposition, coordinates: Collection[str]) -> Parts:
    """Split definitions and a premise ``size <= …`` from a statement on positions."""
    let = dict[str, Formula]()
    while isinstance(proposition, tree.Let):
        value = proposition.value
        if value.terms or not value.names.isdisjoint({*coordinates, tree.SIZE}):
            break
        let[proposition.name], proposition = value.formula, proposition.body
    reach = None
    match proposition:
        case tree.Implies(premise, conclusion):
            counted = (one for one in tree.walk(conclusion) if isinstance(one, tree.Count))
            if not any(tree.OfPosition() in one.bindings for one in counted):
                reach, parts = _without_reach(premise, coordinates)
                whole = (
                    replace(proposition, premise=tree.joined("and", parts)) if parts else conclusion
                )
                proposition = proposition if reach is None else whole
        case tree.ValueSet():
            reach, parts = _without_reach(proposition.condition, coordinates)
            if reach is not None:
                proposition = replace(proposition, condition=tree.joined("and", parts))
        case tree.Expression(_, ((name, tree.Count(bindings, body) as count),)):
            if tree.OfPosition() in bindings and OWN_NAMES.isdisjoint(let):
                bound = {one.name for one in bindings if isinstance(one, tree.InRange)}
                most, parts = _without_reach(body, {*coordinates, *bound})
                counts = replace(
                    proposition, terms=((name, replace(count, body=tree.joined("and", parts))),)
                )
                if most is not None and _count(counts, coordinates) is not None:
                    reach, proposition = most, counts
        case _:
            pass
    return Parts(let, reach, proposition)


def recognise(
    proposition: tree.Proposition, coordinates: tuple[str, ...], printed: Sequence[Sequence[int]]
) -> Recognised | None:
    """Return the shape of a statement about positions, or None.

    The statement has no definitions and no size limit; `printed` are the printed rows of a claim.
    """
    if printed:
        return _printed(proposition, coordinates, printed)
    match proposition:
        case tree.Implies(premise, conclusion):
            return _implication(premise, conclusion)
        case tree.ValueSet():
            return _values(proposition)
        case tree.Expression():
            counted = _count(proposition, coordinates)
            return counted or _equation(proposition, None) or _numbers(proposition)
        case tree.Junction("and"):
            return _numbers(proposition)
        case _:
            return _outcomes(proposition, None)


def _without_reach(
    condition: tree.Proposition, variables: Collection[str]
) -> tuple[Formula | None, list[tree.Proposition]]:
    """Split off a conjunct ``size <= limit`` whose limit contains no variables."""
    parts = tree.conjuncts(condition)
    for i, part in enumerate(parts):
        if isinstance(part, tree.Expression) and not part.terms:
            bound = part.formula.bound_of(tree.SIZE)
            if bound is not None and bound.names.isdisjoint(variables):
                return bound, [*parts[:i], *parts[i + 1 :]]
    return None, [*parts]


def _formula(part: tree.Proposition | None) -> Formula | None:
    """Return a condition without game terms as a formula; None for anything else."""
    if not isinstance(part, tree.Expression) or part.terms or tree.SIZE in part.formula.names:
        return None
    return part.formula


def _implication(premise: tree.Proposition, conclusion: tree.Proposition) -> Recognised | None:
    where = _formula(premise)
    if where is not None:
        match conclusion:
            case tree.PPosition() if conclusion == tree.PPosition():
                return PPositions(where, "contain")
            case tree.Implies():
                inner = _implication(conclusion.premise, conclusion.conclusion)
                if isinstance(inner, PPositions) and inner.where is None:
                    return PPositions(inner.formula, inner.relation, where)
                return None
            case tree.Equivalent():
                return _outcomes(conclusion, where)
            case tree.Expression():
                return _equation(conclusion, where)
            case _:
                return None
    formula, beside = _formula(conclusion), _beside_p(premise)
    return None if formula is None or not beside else PPositions(formula, "within", *beside)


def _beside_p(condition: tree.Proposition) -> list[Formula | None]:
    """Return the condition in ``P and condition``, in a list; None for ``P`` alone.

    The list is empty for a proposition of another form.
    """
    parts = tree.conjuncts(condition)
    others = [part for part in parts if part != tree.PPosition()]
    if len(others) + 1 != len(parts):
        return []
    where = _formula(tree.joined("and", others)) if others else None
    return [] if others and where is None else [where]


def _outcomes(proposition: tree.Proposition, where: Formula | None) -> Recognised | None:
    match proposition:
        case tree.Equivalent((first, second)) if tree.PPosition() in (first, second):
            other = second if first == tree.PPosition() else first
            if isinstance(other, tree.PPosition) and other.place.game is not None:
                return _related(other.place, None, where)
            formula = _formula(other)
            return None if formula is None else PPositions(formula, "exactly", where)
        case _:
            return None


def _numbers(part: tree.Proposition) -> Recognised | None:
    """Recognise ``G(2, 3) == 1 and G(5, 9) == 12``."""
    numbers = list[tuple[Position, int]]()
    for one in tree.conjuncts(part):
        match one:
            case tree.Expression(formula, ((name, tree.Grundy(tree.Place(tuple() as at, None))),)):
                value = formula.solved_for(name)
                if value is None or value.names or any(x.terms or x.names for x in at):
                    return None
                place = tuple(int(x.formula.value({})) for x in at)
                numbers.append((place, int(value.value({}))))
            case _:
                return None
    return PrintedNumbers(numbers=tuple(numbers))


def _printed(
    part: tree.Proposition, coordinates: tuple[str, ...], printed: Sequence[Sequence[int]]
) -> Recognised | None:
    """Recognise ``row <= last => G == printed(row, column)``."""
    match part:
        case tree.Implies(premise, tree.Expression(equation, ((_, _), (_, _)) as terms)):
            where, value = _formula(premise), equation.solved_for("G")
        case _:
            return None
    entry = next((term for _, term in terms if isinstance(term, tree.Printed)), None)
    if entry is None or _GRUNDY not in terms or where is None or value is None:
        return None
    axes = [one.formula.text for one in (entry.row, entry.column)]
    limit = where.bound_of(axes[0])
    is_of_positions = value.text == tree.term_text(entry) and sorted(axes) == sorted(coordinates)
    if not is_of_positions or limit is None or limit.text != str(len(printed) - 1):
        return None

    def place(row: int, column: int) -> Position:
        return tuple((row, column)[axes.index(name)] for name in coordinates)

    cells = [(place(i, j), n) for i, row in enumerate(printed) for j, n in enumerate(row)]
    ends = tuple(place(i, len(row)) for i, row in enumerate(printed))
    return PrintedNumbers(numbers=tuple(cells), ends=ends)


_GRUNDY = ("G", tree.Grundy(tree.Place()))


def _equation(part: tree.Expression, where: Formula | None) -> Recognised | None:
    """Recognise ``G == e``; e may contain a Grundy number of a related game."""
    value = part.formula.solved_for("G") if _GRUNDY in part.terms else None
    match [one for one in part.terms if one != _GRUNDY]:
        case _ if value is None:
            return None
        case []:
            return None if tree.SIZE in value.names else GrundyNumbers(equals=value, where=where)
        case [(name, tree.Grundy(place))] if place.game is not None and value.names == {name}:
            return _related(place, value.rename_all({name: "g"}), where)
        case _:
            return None


def _related(place: tree.Place, equals: Formula | None, where: Formula | None) -> Recognised | None:
    assert place.game is not None
    assert place.at is not None
    names = coordinates_of(place.game)
    at = [formula for formula in map(_formula, place.at) if formula is not None]
    if not len(names) == len(at) == len(place.at):
        return None
    return Related(place.game.text, dict(zip(names, at, strict=True)), equals, where)


_RELATIONS: Mapping[str, Literal["exactly", "within", "contains-all"]] = {
    "==": "exactly",
    "<=": "within",
    ">=": "contains-all",
}


def _values(part: tree.ValueSet) -> Recognised | None:
    value, beside = _formula(part.value), _beside_p(part.condition)
    is_named = part.variable != "v" and "v" in part.members.names
    if value is None or not beside or is_named:
        return None
    members = part.members.formula.rename({part.variable: "v"})
    return Values(value, members, _RELATIONS[part.relation], *beside)


def _count(part: tree.Expression, coordinates: Collection[str]) -> Recognised | None:
    """Recognise a number of positions: ``count(position: …) == e``."""
    match part:
        case tree.Expression(formula, ((name, tree.Count((tree.OfPosition(), *further), body)),)):
            equals = formula.solved_for(name)
        case _:
            return None
    if equals is None or not equals.names.isdisjoint(coordinates):
        return None
    parts = tree.conjuncts(body)
    conditions = [one for one in parts if one != tree.PPosition()]
    of = tree.joined("and", conditions)
    beside = {one.name: one.span for one in further if isinstance(one, tree.InRange)}
    if len(beside) < len(further) or "grundy" in beside:
        return None
    if not isinstance(of, tree.Expression) or of.terms not in ((), (_GRUNDY,)):
        return None
    if tree.SIZE in of.formula.names.union(equals.names, *(one.names for one in beside.values())):
        return None
    over: Literal["positions", "p-positions"] = (
        "p-positions" if len(conditions) < len(parts) else "positions"
    )
    return Count(over=over, beside=beside, of=of.formula.rename({"G": "grundy"}), equals=equals)


# ---- Plug-ins, and types of their keys.


_T = TypeVar("_T")


def _reader(kind: type[_T], read: Callable[[str], _T]) -> PlainValidator:
    """Return a validator that parses a text or an integer, and rejects other types."""

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


def _formula_reader(is_truth: bool, functions: Collection[str] = ()) -> PlainValidator:
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

Integer = Annotated[Formula, _formula_reader(False), _AS_TEXT, _INTEGER]
Condition = Annotated[Formula, _formula_reader(True), _AS_TEXT, _CONDITION]
#: An integer formula in which ``g(n)`` is the number of P-positions in the table with parameter n.
Number = Annotated[Formula, _formula_reader(False, {"g"}), _AS_TEXT, _INTEGER]
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

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield the formulas of the check, which contain no coordinates."""
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
        """Yield the formulas of the check, with their places."""
        for name, summand in self.sums.items():
            yield ("sums", name), summand, set()
        if not list(self.mistakes(())):
            for i, relation in enumerate(self.conditions):
                yield ("relations", i), relation, set()

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a sum with the name ``g``, and relations that are no conditions."""
        if "g" in self.sums:
            yield ("sums", "g"), "'g' cannot name a sum: g(n) is a number of P-positions"
        for i, text in enumerate(self.relations):
            yield from _mistakes_in_condition(("relations", i), text, self._functions)

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
        """False: the check uses the definition of the game alone."""
        return False

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield positions with a wrong number of coordinates."""
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

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a wrong order of coordinates, and a listing without values."""
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

    rulesets: ClassVar[tuple[str, ...] | None] = ()

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
        """Yield the formulas of the check, with their places."""
        known = {"N"}
        yield ("height",), self.height, set(known)
        yield from in_order(("all",), self.all, known)
        yield ("where",), self.where, known
        if not list(self.mistakes(())):
            yield ("such",), self.condition, known
        yield ("grundy",), self.grundy, {"y", "z"} | ({"x"} if self.arguments == 2 else set())

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield a property that is not a condition."""
        return _mistakes_in_condition(("such",), self.such, {"f"})

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

    rulesets: ClassVar[tuple[str, ...] | None] = ()

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
        default=None, description="Instead of `cases`: the number of different small octahedra."
    )

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers of the statement, in order, each with its range."""
        return self.all

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield the formulas of the check, with their places."""
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
        assert self.level is not None  # `mistakes` reports a missing level
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


def _mistakes_in_condition(
    place: Location, text: str, functions: Collection[str]
) -> Iterator[tuple[Location, str]]:
    """Yield a mistake if a text is not a condition with these functions."""
    try:
        if not parse(text, functions=functions).is_truth:
            yield place, "a condition is needed, this is an integer"
    except FormulaError as error:
        yield place, str(error)


# ---- All checks.


#: Checks that the language of statements cannot express.
PlugIn = Annotated[
    Counts | Cellular | Octahedron | Columns | Listing | HeightFunctions | Sections,
    Field(discriminator="kind"),
]
Check = Recognised | PlugIn
