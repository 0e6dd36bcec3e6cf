"""Sentences of Büchi arithmetic on natural numbers.

Every variable ranges over 0, 1, 2, …. A sentence is valid if it holds for all values of its free variables. Names of users are
`str`; all other variables are `Auxiliary`, so that no quantifier captures a user's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from choco_pipeline.automata.dfa import Variable

Relation = Literal["==", "!=", "<", "<=", ">", ">="]
Operator = Literal["^", "&", "|"]


@dataclass(frozen=True)
class Linear:
    """Σ c·x + constant stands in the relation to 0."""

    #: Pairs (x, c); kept sorted, one for a variable, without zeros.
    coefficients: tuple[tuple[Variable, int], ...]
    constant: int
    relation: Relation

    def __post_init__(self) -> None:
        """Sort the coefficients, so that equal relations are equal values."""
        total: Counter[Variable] = Counter()
        for name, factor in self.coefficients:
            total[name] += factor
        kept = tuple(sorted((name, factor) for name, factor in total.items() if factor))
        object.__setattr__(self, "coefficients", kept)


@dataclass(frozen=True)
class Bitwise:
    """c == a op b, digit by digit in base 2."""

    op: Operator
    a: Variable
    b: Variable
    c: Variable


@dataclass(frozen=True)
class NimSumZero:
    """The nim-sum of the variables is 0."""

    names: tuple[Variable, ...]


@dataclass(frozen=True)
class Member:
    """The arguments are in a relation given by an automaton on "0", "1", …."""

    relation: str
    arguments: tuple[Variable, ...]


@dataclass(frozen=True)
class And:
    """All parts hold; without parts, true."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True)
class Or:
    """Some part holds; without parts, false."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: Sentence


@dataclass(frozen=True)
class Exists:
    """Some natural numbers for the names make the body true."""

    names: tuple[Variable, ...]
    body: Sentence


Sentence = Linear | Bitwise | NimSumZero | Member | And | Or | Not | Exists

TRUE = And(())
FALSE = Or(())


def free(sentence: Sentence) -> frozenset[Variable]:
    """Return the variables that no quantifier binds.

    Examples
    --------
    >>> sorted(free(Exists(("u",), And((less("u", "x"), Member("R0", ("u", "y")))))))
    ['x', 'y']
    """
    match sentence:
        case Linear():
            return frozenset(name for name, _ in sentence.coefficients)
        case Bitwise():
            return frozenset((sentence.a, sentence.b, sentence.c))
        case NimSumZero():
            return frozenset(sentence.names)
        case Member():
            return frozenset(sentence.arguments)
        case And() | Or():
            return frozenset[Variable]().union(*map(free, sentence.parts))
        case Not():
            return free(sentence.part)
        case Exists():
            return free(sentence.body) - set(sentence.names)


def linear(coefficients: Mapping[Any, int], constant: int, relation: Relation) -> Linear:
    """Return Σ c·x + constant (relation) 0."""
    return Linear(tuple(coefficients.items()), constant, relation)


def less(a: Variable, b: Variable) -> Linear:
    """Return a < b."""
    return Linear(((a, 1), (b, -1)), 0, "<")


def equal(a: Variable, b: Variable) -> Linear:
    """Return a == b."""
    return Linear(((a, 1), (b, -1)), 0, "==")


def conjunction(*parts: Sentence) -> Sentence:
    """Return the conjunction, with conjunctions among the parts opened."""
    return _joined(And, FALSE, parts)


def disjunction(*parts: Sentence) -> Sentence:
    """Return the disjunction, with disjunctions among the parts opened."""
    return _joined(Or, TRUE, parts)


def negation(part: Sentence) -> Sentence:
    """Return the negation; that of a negation is what was negated."""
    return part.part if isinstance(part, Not) else Not(part)


def implies(*sides: Sentence) -> Sentence:
    """Return the implication from all other sides to the last one."""
    *conditions, conclusion = sides
    return disjunction(negation(conjunction(*conditions)), conclusion)


def exists(names: Iterable[Variable], body: Sentence) -> Sentence:
    """Return `body` with its free variables among the names quantified."""
    needed = free(body)
    bound = tuple(name for name in names if name in needed)
    return Exists(bound, body) if bound else body


def within(condition: Sentence, sentence: Sentence) -> Sentence:
    """Return the conjunction, the condition inside of quantifiers: ∃u.(A ∧ B).

    The engine then does not compute where else the quantified part holds.

    Examples
    --------
    >>> inside = within(less("x", "y"), Exists(("u",), less("u", "x")))
    >>> inside == Exists(("u",), conjunction(less("x", "y"), less("u", "x")))
    True
    """
    match sentence:
        case Or(parts):
            return disjunction(*(within(condition, part) for part in parts))
        case Exists(names, body) if free(condition).isdisjoint(names):
            return Exists(names, conjunction(condition, body))
        case _:
            return conjunction(condition, sentence)


def _joined(kind: type[And] | type[Or], decisive: Sentence, parts: Iterable[Sentence]) -> Sentence:
    """Return the junction of the parts without repeats, or a part that decides it."""
    flat: dict[Sentence, None] = {}
    for part in parts:
        if isinstance(part, And | Or) and isinstance(part, kind):
            flat.update(dict.fromkeys(part.parts))
        else:
            flat[part] = None
    if decisive in flat:
        return decisive
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))
