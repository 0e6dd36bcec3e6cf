"""Sentences by their meaning, in plain Python: a quantifier tries every number up to a bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import xor

from hypothesis import strategies as st

from choco_pipeline.proof.arithmetic.logic import (
    And,
    Bitwise,
    Exists,
    Linear,
    Member,
    NimSumZero,
    Not,
    Or,
    Sentence,
)
from tests.formula.drawn import COMPARISONS, INTEGER_SIGNS

Relations = Mapping[str, Collection[tuple[int, ...]]]


def truth(sentence: Sentence, values: Mapping[str, int], relations: Relations, most: int) -> bool:
    """Whether `sentence` holds at `values`, quantifiers ranging over 0 to `most`."""
    return _meaning(sentence).holds(values, relations, most)


@dataclass(frozen=True)
class Meaning:
    """The names that a sentence speaks of, and whether it holds."""

    names: frozenset[str]
    holds: Callable[[Mapping[str, int], Relations, int], bool]


@lru_cache(1 << 12)
def _meaning(sentence: Sentence) -> Meaning:
    match sentence:
        case Linear(coefficients, constant, relation):
            compared = COMPARISONS[relation]
            return Meaning(
                frozenset(x for x, _ in coefficients),
                lambda v, _, __: compared(sum(c * v[x] for x, c in coefficients) + constant, 0),
            )
        case Bitwise(op, a, b, c):
            operator = INTEGER_SIGNS[op]
            return Meaning(frozenset((a, b, c)), lambda v, _, __: operator(v[a], v[b]) == v[c])
        case NimSumZero(names):
            return Meaning(
                frozenset(names), lambda v, _, __: reduce(xor, (v[x] for x in names), 0) == 0
            )
        case Member(relation, names):
            return Meaning(
                frozenset(names), lambda v, known, _: tuple(v[x] for x in names) in known[relation]
            )
        case And(parts) | Or(parts):
            meanings = [_meaning(part) for part in parts]
            every = all if isinstance(sentence, And) else any
            return Meaning(
                frozenset().union(*(part.names for part in meanings)),
                lambda *where: every(part.holds(*where) for part in meanings),
            )
        case Not(part):
            denied = _meaning(part)
            return Meaning(denied.names, lambda *where: not denied.holds(*where))
        case Exists(names, body):
            return _exists(names, body)


def _exists(names: Sequence[str], body: Sentence) -> Meaning:
    """Try the numbers of one name after the other; a part of the body is asked as soon as its names have numbers."""
    parts = [_meaning(part) for part in (body.parts if isinstance(body, And) else (body,))]
    ready: list[list[Meaning]] = [[] for _ in range(len(names) + 1)]
    for part in parts:
        last = max((i for i, name in enumerate(names, 1) if name in part.names), default=0)
        ready[last].append(part)

    def holds(values: Mapping[str, int], relations: Relations, most: int) -> bool:
        tried = dict(values)

        def from_name(i: int) -> bool:
            if not all(part.holds(tried, relations, most) for part in ready[i]):
                return False
            if i == len(names):
                return True
            for number in range(most + 1):
                tried[names[i]] = number
                if from_name(i + 1):
                    return True
            return False

        return from_name(0)

    return Meaning(frozenset().union(*(part.names for part in parts)) - set(names), holds)


NAMES = ("x", "y", "z")
REACH = 3

variables = st.sampled_from(NAMES)
linears = st.builds(
    Linear,
    st.lists(st.tuples(variables, st.integers(-3, 3)), max_size=3).map(tuple),
    st.integers(-9, 9),
    st.sampled_from(list(COMPARISONS)),
)
atoms = st.one_of(
    linears,
    st.builds(Bitwise, st.sampled_from("^&|"), variables, variables, variables),
    st.builds(NimSumZero, st.lists(variables, max_size=4).map(tuple)),
    st.builds(Member, st.just("even"), st.tuples(variables)),
    st.builds(Member, st.just("order"), st.tuples(variables, variables)),
)


@st.composite
def bounded(draw: st.DrawFn, bodies: st.SearchStrategy[Sentence]) -> Sentence:
    """Draw a quantifier over a number that is at most one that is free, plus `REACH`."""
    bound, other = draw(st.permutations(NAMES))[:2]
    limit = Linear(((bound, 1), (other, -1)), -draw(st.integers(0, REACH)), "<=")
    parts = [limit, draw(bodies)]
    return Exists((bound,), And(tuple(draw(st.permutations(parts)))))


def _larger(smaller: st.SearchStrategy[Sentence]) -> st.SearchStrategy[Sentence]:
    parts = st.lists(smaller, max_size=3).map(tuple)
    return st.one_of(
        st.builds(And, parts), st.builds(Or, parts), st.builds(Not, smaller), bounded(smaller)
    )


#: With values up to n, quantified numbers are at most n + REACH * (the number of quantifiers inside each other).
sentences = st.recursive(atoms, _larger, max_leaves=6)


def depth(sentence: Sentence) -> int:
    """Return how many quantifiers are inside each other."""
    match sentence:
        case And() | Or():
            return max(map(depth, sentence.parts), default=0)
        case Not():
            return depth(sentence.part)
        case Exists():
            return 1 + depth(sentence.body)
        case _:
            return 0
