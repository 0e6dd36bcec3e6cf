"""The shapes of statements that have a judge of their own, recognised in the tree.

A statement of any other shape is judged by evaluating it. A shape holds the parts that a fast loop, an automaton or a lemma
needs; which words the statement was written in does not matter.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Literal

from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.ranges import Range
from choco_pipeline.statements.tree import (
    SIZE,
    Count,
    Equivalent,
    Expression,
    Grundy,
    Implies,
    InRange,
    IsOption,
    Let,
    OfCell,
    OfOption,
    OfPosition,
    Place,
    PPosition,
    Primed,
    Proposition,
    Quantified,
    ValueSet,
    conjuncts,
    joined,
)

Containment = Literal["exactly", "contain", "within"]


@dataclass(frozen=True)
class Outcomes:
    """The P-positions are exactly the positions that satisfy a formula, contain these, or are among them."""

    formula: Formula
    relation: Containment = "exactly"
    #: The positions that the statement speaks of; None for all.
    where: Formula | None = None


@dataclass(frozen=True)
class GrundyNumbers:
    """The Grundy number is the value of a formula."""

    equals: Formula
    where: Formula | None = None


@dataclass(frozen=True)
class Values:
    """The values of a formula at the P-positions are a set, are in a set, or contain a set of integers ``v``."""

    of: Formula
    values: Formula
    relation: Literal["exactly", "within", "contains-all"]
    where: Formula | None = None


@dataclass(frozen=True)
class Options:
    """No, some or every option of the positions that satisfy a condition satisfies another."""

    of: Formula
    have: Literal["no", "some", "every"]
    #: A condition on the coordinates of the option.
    to: Formula
    by: tuple[str, ...] = ()
    #: Only options that change no other coordinate than the move lowers, or only those that do; None for both.
    beside: Literal["kept", "lowered"] | None = None


@dataclass(frozen=True)
class OptionSet:
    """The options are exactly the cells that satisfy a formula, contain these, or are among them."""

    option: tuple[str, ...]
    formula: Formula
    relation: Containment = "exactly"


@dataclass(frozen=True)
class Counted:
    """The number of positions, or of P-positions, that satisfy a condition."""

    over: Literal["positions", "p-positions"]
    beside: dict[str, Range]
    #: The Grundy number has the name ``G`` in it.
    of: Formula
    equals: Formula


@dataclass(frozen=True)
class CountOfIntegers:
    """How many choices of integers satisfy a condition."""

    of: dict[str, Range]
    let: dict[str, Formula]
    such: Formula
    relation: Literal["least", "exactly"]
    value: Formula


@dataclass(frozen=True)
class Integers:
    """A statement about integers in ranges."""

    all: dict[str, Range]
    listed: tuple[str, ...]
    let: dict[str, Formula]
    where: tuple[Formula, ...]
    holds: tuple[Formula, ...]
    equivalent: tuple[Formula, ...]
    number: CountOfIntegers | None


Shape = Outcomes | GrundyNumbers | Values | Options | OptionSet | Counted | Integers


@dataclass(frozen=True)
class Parts:
    """A statement about positions, taken apart."""

    #: Names for integers that follow from parameters.
    let: dict[str, Formula] = field(default_factory=dict)
    #: The largest coordinate of the positions that it speaks of; None for any.
    reach: Formula | None = None
    #: What it says of them, with the premise that does not limit the size.
    rest: Proposition = field(default_factory=PPosition)


def parts_of(proposition: Proposition, coordinates: Collection[str]) -> Parts:
    """Take apart definitions in front and a premise ``size <= …`` of a statement about positions."""
    let = dict[str, Formula]()
    while isinstance(proposition, Let) and _is_free_of(proposition.value, coordinates):
        let[proposition.name] = proposition.value.formula
        proposition = proposition.body
    reach = None
    if isinstance(proposition, Implies):
        reach, premise = _without_reach(conjuncts(proposition.premise))
        if reach is not None and not premise:
            proposition = proposition.conclusion
        elif reach is not None:
            proposition = replace(proposition, premise=joined("and", premise))
    elif isinstance(proposition, ValueSet):
        reach, condition = _without_reach(conjuncts(proposition.condition))
        if reach is not None:
            proposition = replace(proposition, condition=joined("and", condition))
    return Parts(let, reach, proposition)


def shape_of(proposition: Proposition, coordinates: tuple[str, ...]) -> Shape | None:
    """Return the shape of a statement, of which definitions and the size are taken away; None if it has no shape."""
    if not coordinates:
        return _integers(proposition)
    match proposition:
        case Implies(premise, conclusion):
            return _implication(premise, conclusion, coordinates)
        case Quantified("every", (OfCell(names),), body):
            return _option_set(names, body)
        case Quantified():
            return _options(parse("0 == 0"), proposition, coordinates)
        case ValueSet():
            return _values(proposition)
        case Expression():
            return _count(proposition, coordinates) or _equation(proposition, None)
        case _:
            return _outcomes(proposition, None)


def _is_free_of(value: Expression, coordinates: Collection[str]) -> bool:
    return not value.terms and value.formula.names.isdisjoint({*coordinates, SIZE})


def _without_reach(parts: tuple[Proposition, ...]) -> tuple[Formula | None, list[Proposition]]:
    """Return the limit of a conjunct ``size <= limit``, and the other conjuncts."""
    for i, part in enumerate(parts):
        match part:
            case Expression(formula, ()):
                bound = formula.bound_of(SIZE)
                if bound is not None:
                    return bound, [*parts[:i], *parts[i + 1 :]]
            case _:
                pass
    return None, [*parts]


def _formula(part: Proposition | None) -> Formula | None:
    """Return a condition without game terms as a formula; None for anything else."""
    is_plain = isinstance(part, Expression) and not part.terms and SIZE not in part.formula.names
    return part.formula if is_plain and isinstance(part, Expression) else None


def _implication(premise: Proposition, conclusion: Proposition, coordinates: tuple[str, ...]) -> Shape | None:
    where = _formula(premise)
    if where is not None:
        match conclusion:
            case PPosition() if conclusion == PPosition():
                return Outcomes(where, "contain")
            case Quantified():
                return _options(where, conclusion, coordinates)
            case Implies():
                inner = _implication(conclusion.premise, conclusion.conclusion, coordinates)
                is_containment = isinstance(inner, Outcomes) and inner.where is None
                return replace(inner, where=where) if is_containment and isinstance(inner, Outcomes) else None
            case Equivalent():
                return _outcomes(conclusion, where)
            case Expression():
                return _equation(conclusion, where)
            case _:
                return None
    formula, parts = _formula(conclusion), conjuncts(premise)
    others = [part for part in parts if part != PPosition()]
    if formula is None or len(others) + 1 != len(parts):
        return None
    where = _formula(joined("and", others)) if others else None
    return Outcomes(formula, "within", where) if where is not None or not others else None


def _outcomes(proposition: Proposition, where: Formula | None) -> Shape | None:
    match proposition:
        case Equivalent((first, second)):
            for one, other in ((first, second), (second, first)):
                formula = _formula(other)
                if one == PPosition() and formula is not None:
                    return Outcomes(formula, "exactly", where)
    return None


_GRUNDY = ("G", Grundy(Place()))


def _equation(part: Expression, where: Formula | None) -> Shape | None:
    """Recognise ``G == e``."""
    if part.terms == (_GRUNDY,):
        value = part.formula.solved_for("G")
        if value is not None and SIZE not in value.names:
            return GrundyNumbers(value, where)
    return None


def _values(part: ValueSet) -> Shape | None:
    conditions = conjuncts(part.condition)
    others = [one for one in conditions if one != PPosition()]
    if len(others) + 1 != len(conditions) or part.value.terms or SIZE in part.value.formula.names:
        return None
    where = _formula(joined("and", others)) if others else None
    if others and where is None:
        return None
    members = part.members.formula.rename({part.variable: "v"})
    relation = {"==": "exactly", "<=": "within", ">=": "contains-all"}[part.relation]
    return Values(part.value.formula, members, relation, where)  # type: ignore[arg-type]


def _options(of: Formula, part: Quantified, coordinates: tuple[str, ...]) -> Shape | None:
    if len(part.bindings) != 1 or not isinstance(part.bindings[0], OfOption):
        return None
    by = part.bindings[0].by
    body, beside = part.body, None
    if part.word == "every" and isinstance(body, Implies):
        beside = _beside(body.premise, by, coordinates)
        body = body.conclusion
        if beside is None:
            return None
    elif part.word != "every":
        first, *rest = conjuncts(body)
        beside = _beside(first, by, coordinates) if rest else None
        body = joined("and", rest) if beside else body
    if not isinstance(body, Expression) or not all(isinstance(term, Primed) for _, term in body.terms):
        return None
    primed = {f"{name}'": name for name in coordinates}
    if not body.formula.names.isdisjoint({*coordinates, SIZE}):
        return None  # it compares an option with the position
    return Options(of, part.word, body.formula.rename_all(primed), by, beside)


def _beside(condition: Proposition, by: tuple[str, ...], coordinates: tuple[str, ...]) -> Literal["kept", "lowered"] | None:
    """Recognise ``y' == y`` and ``y' < y`` for a coordinate that the move does not lower itself."""
    if isinstance(condition, Expression) and by:
        for name in coordinates:
            if name not in by and condition.formula.text == f"{name}' == {name}":
                return "kept"
            if name not in by and condition.formula.text == f"{name}' < {name}":
                return "lowered"
    return None


def _option_set(names: tuple[str, ...], body: Proposition) -> Shape | None:
    option = IsOption(tuple(Expression(parse(name)) for name in names))
    match body:
        case Equivalent((first, second)):
            for one, other in ((first, second), (second, first)):
                formula = _formula(other)
                if one == option and formula is not None:
                    return OptionSet(names, formula)
        case Implies(premise, conclusion):
            formula = _formula(conclusion)
            if premise == option and formula is not None:
                return OptionSet(names, formula, "within")
            formula = _formula(premise)
            if conclusion == option and formula is not None:
                return OptionSet(names, formula, "contain")
    return None


def _count(part: Expression, coordinates: tuple[str, ...]) -> Shape | None:
    """Recognise a number of positions: ``count(position: …) == e``."""
    if len(part.terms) != 1 or not isinstance(part.terms[0][1], Count):
        return None
    name, count = part.terms[0]
    equals = part.formula.solved_for(name)
    first, *further = count.bindings
    if equals is None or first != OfPosition() or not equals.names.isdisjoint(coordinates):
        return None
    conditions = [one for one in conjuncts(count.body) if one != PPosition()]
    over: Literal["positions", "p-positions"] = "p-positions" if len(conditions) < len(conjuncts(count.body)) else "positions"
    of = joined("and", conditions) if conditions else Expression(parse("0 == 0"))
    if not isinstance(of, Expression) or of.terms not in ((), (_GRUNDY,)) or not all(isinstance(one, InRange) for one in further):
        return None
    beside = {one.name: one.span for one in further if isinstance(one, InRange)}
    return Counted(over, beside, of.formula, equals)


def _integers(part: Proposition) -> Shape | None:
    all_, listed, let = dict[str, Range](), list[str](), dict[str, Formula]()
    if isinstance(part, Quantified) and part.word == "every" and all(isinstance(one, InRange) for one in part.bindings):
        for one in part.bindings:
            assert isinstance(one, InRange)
            all_[one.name] = one.span
            listed += [one.name] if one.is_sample else []
        part = part.body
    while isinstance(part, Let):
        if part.value.terms:
            return None
        let[part.name] = part.value.formula
        part = part.body
    where = tuple[Formula, ...]()
    if isinstance(part, Implies):
        premise = _formula(part.premise)
        if premise is None:
            return None
        where, part = tuple(premise.conjuncts), part.conclusion
    holds, equivalent, number = list[Formula](), tuple[Formula, ...](), None
    for one in conjuncts(part):
        formula = _formula(one)
        if formula is not None:
            holds.append(formula)
        elif isinstance(one, Equivalent) and not equivalent and number is None:
            sides = [_formula(side) for side in one.operands]
            if any(side is None for side in sides):
                return None
            equivalent = tuple(side for side in sides if side is not None)
        elif isinstance(one, Expression) and number is None:
            number = _count_of_integers(one)
            if number is None:
                return None
        else:
            return None
        if formula is not None and (equivalent or number):
            return None  # conditions are asked in the order in which they stand
    return Integers(all_, tuple(listed), let, where, tuple(holds), equivalent, number) if all_ else None


def _count_of_integers(part: Expression) -> CountOfIntegers | None:
    if len(part.terms) != 1 or not isinstance(part.terms[0][1], Count):
        return None
    name, count = part.terms[0]
    if not all(isinstance(one, InRange) for one in count.bindings):
        return None
    relation: Literal["least", "exactly"] = "exactly"
    value = part.formula.solved_for(name)
    if value is None:
        relation, value = "least", part.formula.least_of(name)
    let, body = dict[str, Formula](), count.body
    while isinstance(body, Let):
        if body.value.terms:
            return None
        let[body.name] = body.value.formula
        body = body.body
    such = _formula(body)
    if value is None or such is None:
        return None
    return CountOfIntegers({one.name: one.span for one in count.bindings if isinstance(one, InRange)}, let, such, relation, value)
