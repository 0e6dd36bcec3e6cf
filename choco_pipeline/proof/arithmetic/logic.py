"""Sentences of Büchi arithmetic on natural numbers.

Every variable ranges over 0, 1, 2, …. A sentence is valid if it holds for all values of its free variables. Users name some
variables; all others are `Auxiliary`, so that no quantifier captures a user's variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from choco_pipeline.automata.dfa import Variable

Relation = Literal["==", "!=", "<", "<=", ">", ">="]
Operator = Literal["^", "&", "|"]


@dataclass(frozen=True)
class Linear:
    """Σ c·x + constant (relation) 0."""

    #: Pairs (x, c), sorted, with distinct variables and nonzero coefficients.
    coefficients: tuple[tuple[Variable, int], ...]
    constant: int
    relation: Relation

    def __post_init__(self) -> None:
        """Normalise the coefficients, so that equal relations compare equal."""
        total: Counter[Variable] = Counter()
        for name, factor in self.coefficients:
            total[name] += factor
        kept = tuple(sorted((name, factor) for name, factor in total.items() if factor))
        object.__setattr__(self, "coefficients", kept)


@dataclass(frozen=True)
class Bitwise:
    """c == a op b, bit by bit."""

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
    """The arguments are in a named relation with an automaton on "0", "1", …."""

    relation: str
    arguments: tuple[Variable, ...]


@dataclass(frozen=True)
class And:
    """Conjunction; true without parts."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True)
class Or:
    """Disjunction; false without parts."""

    parts: tuple[Sentence, ...]


@dataclass(frozen=True)
class Not:
    """Negation."""

    part: Sentence


@dataclass(frozen=True)
class Exists:
    """Existential quantification over natural numbers."""

    names: tuple[Variable, ...]
    body: Sentence


Sentence = Linear | Bitwise | NimSumZero | Member | And | Or | Not | Exists

TRUE = And(())
FALSE = Or(())


def free(sentence: Sentence) -> frozenset[Variable]:
    """Return the free variables.

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


def linear(coefficients: Mapping[Variable, int], constant: int, relation: Relation) -> Linear:
    """Return Σ c·x + constant (relation) 0."""
    return Linear(tuple(coefficients.items()), constant, relation)


def less(a: Variable, b: Variable) -> Linear:
    """Return a < b."""
    return Linear(((a, 1), (b, -1)), 0, "<")


def equal(a: Variable, b: Variable) -> Linear:
    """Return a == b."""
    return Linear(((a, 1), (b, -1)), 0, "==")


def conjunction(*parts: Sentence) -> Sentence:
    """Return the conjunction; nested conjunctions are flattened."""
    return _joined(And, FALSE, parts)


def disjunction(*parts: Sentence) -> Sentence:
    """Return the disjunction; nested disjunctions are flattened."""
    return _joined(Or, TRUE, parts)


def negation(part: Sentence) -> Sentence:
    """Return the negation; a double negation is removed."""
    return part.part if isinstance(part, Not) else Not(part)


def implies(*sides: Sentence) -> Sentence:
    """Return the implication from all sides except the last to the last."""
    *conditions, conclusion = sides
    return disjunction(negation(conjunction(*conditions)), conclusion)


def exists(names: Iterable[Variable], body: Sentence) -> Sentence:
    """Quantify those of the names that are free in `body`."""
    needed = free(body)
    bound = tuple(name for name in names if name in needed)
    return Exists(bound, body) if bound else body


def within(condition: Sentence, sentence: Sentence) -> Sentence:
    """Return the conjunction, with the condition inside the quantifiers: ∃u.(A ∧ B).

    The engine then does not compute the quantified part outside the condition.

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
    """Return the junction of the distinct parts, or `decisive` if it is one of them."""
    flat: dict[Sentence, None] = {}
    for part in parts:
        if isinstance(part, And | Or) and isinstance(part, kind):
            flat.update(dict.fromkeys(part.parts))
        else:
            flat[part] = None
    if decisive in flat:
        return decisive
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))
