"""The parts of a statement as frozen values.

A statement is a proposition about the positions of a game, or about integers. Its leaves are conditions on integers, which
are formulas of `choco_pipeline.formula`. A formula knows nothing of games: where it uses a Grundy number, a count or the
coordinate of an option, it has a name that is the canonical text of that term, and the leaf maps this name to the term.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.ranges import Range
from choco_pipeline.games.notation import Notation

#: The name of the largest coordinate of a position; passes left do not count.
SIZE = "size"

Word = Literal["every", "some", "no"]
Relation = Literal["==", "<=", ">="]


@dataclass(frozen=True)
class Place:
    """A position: the current one, one of its options, or one that is given by its coordinates."""

    #: The coordinates; None for the current position.
    at: tuple[Expression, ...] | None = None
    #: Another game, whose arguments may be formulas in parameters; None for the same game.
    game: Notation | None = None
    #: Whether it is the option that a quantifier has chosen.
    primed: bool = False


@dataclass(frozen=True)
class Grundy:
    """The Grundy number of a position."""

    place: Place


@dataclass(frozen=True)
class Count:
    """The number of choices of bound variables for which a proposition holds."""

    bindings: tuple[Binding, ...]
    body: Proposition


@dataclass(frozen=True)
class Printed:
    """An entry of the printed table of a claim, by its row and column from 0."""

    row: Expression
    column: Expression


@dataclass(frozen=True)
class Primed:
    """A coordinate of the option that a quantifier has chosen."""

    coordinate: str


Term = Grundy | Count | Printed | Primed


@dataclass(frozen=True)
class Expression:
    """An integer, or a condition on integers, which is a proposition."""

    #: Names are coordinates, parameters, bound variables, and the texts of `terms`.
    formula: Formula
    #: The terms that are no names of integers, by their canonical text.
    terms: tuple[tuple[str, Term], ...] = ()

    @property
    def is_total(self) -> bool:
        """Whether every term in it has a value wherever the statement is evaluated."""
        return all(isinstance(term, Primed) or term == Grundy(Place()) for _, term in self.terms)

    @property
    def names(self) -> frozenset[str]:
        """The coordinates, parameters and variables in the formula itself, without those inside terms."""
        return self.formula.names - {name for name, _ in self.terms}


@dataclass(frozen=True)
class PPosition:
    """A position is a P-position."""

    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class IsOption:
    """The cell with these coordinates is an option of the current position.

    Arguments that are new names stand for every natural number.
    """

    at: tuple[Expression, ...]


@dataclass(frozen=True)
class IsPrinted:
    """A tuple of integers is a row of the printed list of a claim."""

    row: tuple[Expression, ...]


@dataclass(frozen=True)
class Not:
    """The negation of a proposition."""

    operand: Proposition


@dataclass(frozen=True)
class Junction:
    """``and`` or ``or`` of two or more propositions; later ones are evaluated only where earlier ones leave it open."""

    word: Literal["and", "or"]
    operands: tuple[Proposition, ...]


@dataclass(frozen=True)
class Implies:
    """The conclusion holds wherever the premise holds; it is not evaluated elsewhere."""

    premise: Proposition
    conclusion: Proposition


@dataclass(frozen=True)
class Equivalent:
    """Two or more propositions that are all true or all false."""

    operands: tuple[Proposition, ...]


@dataclass(frozen=True)
class InRange:
    """A variable that takes the integers of a range."""

    name: str
    span: Range
    #: Whether the statement is about more integers, so that no verdict may say "for all".
    is_sample: bool = False


@dataclass(frozen=True)
class OfPosition:
    """The coordinates, over all positions of the game."""


@dataclass(frozen=True)
class OfOption:
    """The primed coordinates, over the options of the current position."""

    #: Only moves that lower no other coordinates than these; any move if empty.
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfCell:
    """New names, one for each coordinate: every tuple of natural numbers up to the bound."""

    names: tuple[str, ...]


Binding = InRange | OfPosition | OfOption | OfCell


@dataclass(frozen=True)
class Quantified:
    """A proposition holds for every choice, some choice or no choice of bound variables."""

    word: Word
    bindings: tuple[Binding, ...]
    body: Proposition


@dataclass(frozen=True)
class Let:
    """A proposition in which a name stands for an integer."""

    name: str
    value: Expression
    body: Proposition


@dataclass(frozen=True)
class At:
    """A proposition at one position."""

    position: tuple[Expression, ...]
    body: Proposition


@dataclass(frozen=True)
class ValueSet:
    """The values of an expression at the positions that satisfy a condition, compared with a set of integers.

    ``==``: they are the same set; ``<=``: every value is a member; ``>=``: every member is a value.
    """

    value: Expression
    condition: Proposition
    relation: Relation
    #: The set: the integers that satisfy `members`, a condition on `variable`.
    variable: str
    members: Expression


Proposition = (
    Expression
    | PPosition
    | IsOption
    | IsPrinted
    | Not
    | Junction
    | Implies
    | Equivalent
    | Quantified
    | Let
    | At
    | ValueSet
)
Part = Proposition | Term | Place | Binding


#: A condition that is true everywhere.
TRUE = Expression(parse("0 == 0"))


def children(part: Part) -> Iterator[Part]:
    """Yield the parts directly in a part, left to right."""
    match part:
        case Expression(_, terms):
            yield from (term for _, term in terms)
        case PPosition(place) | Grundy(place):
            yield place
        case IsOption(at) | IsPrinted(at):
            yield from at
        case Printed(row, column):
            yield from (row, column)
        case Not(operand):
            yield operand
        case Junction(_, operands) | Equivalent(operands):
            yield from operands
        case Implies(premise, conclusion):
            yield from (premise, conclusion)
        case Quantified(_, bindings, body) | Count(bindings, body):
            yield from bindings
            yield body
        case Let(_, value, body):
            yield from (value, body)
        case At(position, body):
            yield from position
            yield body
        case ValueSet(value, condition, _, _, members):
            yield from (value, condition, members)
        case Place(at):
            yield from at or ()
        case Primed() | InRange() | OfPosition() | OfOption() | OfCell():
            pass


def walk(part: Part) -> Iterator[Part]:
    """Yield a part and everything in it."""
    yield part
    for child in children(part):
        yield from walk(child)


def is_of_one_game(part: Part) -> bool:
    """Return whether a part is about positions of one game, options and integers only."""
    others = At | IsOption | OfCell | OfPosition | Printed
    return not any(
        isinstance(one, others) or (isinstance(one, Place) and one.game is not None)
        for one in walk(part)
    )


def is_about_option(part: Part, known: Collection[str]) -> bool:
    """Return whether a part depends only on the chosen option and on the `known` names."""
    for one in walk(part):
        match one:
            case Expression():
                if not one.names <= {*known}:
                    return False
            case Place():
                if not one.primed:
                    return False
            case (
                PPosition()
                | Grundy()
                | Primed()
                | IsPrinted()
                | Not()
                | Junction()
                | Implies()
                | Equivalent()
            ):
                pass
            case _:
                return False
    return True


@dataclass(frozen=True)
class OnOptions:
    """A condition on positions implies that every, some or no option of theirs satisfies another condition."""

    where: Formula
    word: Word
    #: Only options by moves that lower no other coordinates than these; any move if empty.
    by: tuple[str, ...]
    #: A condition on the coordinates of the option, by the names of the coordinates.
    to: Formula


def on_options(part: Proposition, coordinates: Collection[str]) -> OnOptions | None:
    """Return a statement as `OnOptions`; None if it has another form."""
    where = TRUE.formula
    if (
        isinstance(part, Implies)
        and isinstance(part.premise, Expression)
        and not part.premise.terms
    ):
        where, part = part.premise.formula, part.conclusion
    match part:
        case Quantified(word, (OfOption(by),), Expression(to, terms)) if (
            all(isinstance(term, Primed) for _, term in terms)
            and {SIZE, *coordinates}.isdisjoint(to.names)
            and SIZE not in where.names
        ):
            return OnOptions(where, word, by, to.rename_all({f"{x}'": x for x in coordinates}))
        case _:
            return None


def conjuncts(proposition: Proposition) -> tuple[Proposition, ...]:
    """Return the propositions that are joined by ``and`` on the outside; the proposition itself if there are none."""
    match proposition:
        case Junction("and", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case Expression(formula, terms):
            return tuple(
                replace(proposition, formula=part, terms=_used(part, terms))
                for part in formula.conjuncts
            )
        case _:
            return (proposition,)


def _used(formula: Formula, terms: tuple[tuple[str, Term], ...]) -> tuple[tuple[str, Term], ...]:
    return tuple((name, term) for name, term in terms if name in formula.names)


def joined(word: Literal["and", "or"], parts: list[Proposition]) -> Proposition:
    """Return a junction in which conditions side by side are one formula, and junctions of the same word are flat."""
    flat: list[Proposition] = []
    for part in parts:
        inner = part.operands if isinstance(part, Junction) and part.word == word else (part,)
        for one in inner:
            before = flat[-1] if flat else None
            if (
                isinstance(one, Expression)
                and isinstance(before, Expression)
                and one.is_total
                and before.is_total
            ):
                flat.pop()
                terms = dict(before.terms) | dict(one.terms)
                one = Expression(
                    Formula.joined(word, before.formula, one.formula), tuple(terms.items())
                )
            flat.append(one)
    return flat[0] if len(flat) == 1 else Junction(word, tuple(flat))


def negated(part: Proposition) -> Proposition:
    """Return the negation of a proposition; that of a condition is a condition."""
    if isinstance(part, Expression):
        return replace(part, formula=part.formula.negated)
    return Not(part)


def rebuilt(part: Proposition, act: Callable[[Proposition], Proposition]) -> Proposition:
    """Return a proposition with `act` applied to the propositions in it."""
    match part:
        case Not(operand):
            return negated(act(operand))
        case Junction(word, operands):
            return joined(word, [act(operand) for operand in operands])
        case Equivalent(operands):
            return Equivalent(tuple(map(act, operands)))
        case Implies(premise, conclusion):
            return Implies(act(premise), act(conclusion))
        case Quantified() | Let() | At():
            return replace(part, body=act(part.body))
        case ValueSet():
            return replace(part, condition=act(part.condition))
        case Expression() | PPosition() | IsOption() | IsPrinted():
            return part


def samples(part: Part) -> Iterator[InRange]:
    """Yield the ranges that are samples."""
    return (one for one in walk(part) if isinstance(one, InRange) and one.is_sample)


def is_sampled(part: Part) -> bool:
    """Return whether a part has a range that is a sample."""
    return any(True for _ in samples(part))


def uses_bound(part: Part) -> bool:
    """Return whether a statement about integers is another one for a larger N."""
    formulas = (one.formula.names for one in walk(part) if isinstance(one, Expression))
    spans = (one.span.names for one in walk(part) if isinstance(one, InRange))
    return any("N" in names for names in (*formulas, *spans))


def applies(part: Proposition) -> Proposition:
    """Return the proposition that a statement is not vacuous.

    Its premise holds, and if it is about every option, there is one.
    """
    match part:
        case Implies(premise, conclusion):
            return joined("and", [premise, applies(conclusion)])
        case Let():
            return replace(part, body=applies(part.body))
        case Quantified("every", (OfOption(),) as bindings, Implies(premise, _)):
            return Quantified("some", bindings, premise)
        case Quantified("every", (OfOption(),) as bindings, _):
            return Quantified("some", bindings, TRUE)
        case _:
            return TRUE


def integers_in_front(part: Proposition) -> tuple[tuple[InRange, ...], Proposition]:
    """Return the outer variables ``for n in …, k in …:`` of a statement, and its body."""
    if isinstance(part, Quantified) and part.word == "every":
        ranges = tuple(one for one in part.bindings if isinstance(one, InRange))
        if len(ranges) == len(part.bindings):
            return ranges, part.body
    return (), part


def without_samples(part: Proposition) -> Proposition:
    """Return a proposition in which no range is marked as a sample."""
    inner = rebuilt(part, without_samples)
    if not isinstance(inner, Quantified):
        return inner
    bindings = tuple(
        replace(one, is_sample=False) if isinstance(one, InRange) else one for one in inner.bindings
    )
    return replace(inner, bindings=bindings)
