"""Sentences by their meaning, in plain Python: a quantifier tries every number up to a bound."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from itertools import product
from operator import and_, eq, ge, gt, le, lt, ne, or_, xor

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

COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
OPERATORS = {"^": xor, "&": and_, "|": or_}


def truth(
    sentence: Sentence,
    values: Mapping[str, int],
    relations: Mapping[str, Collection[tuple[int, ...]]],
    most: int,
) -> bool:
    """Whether `sentence` holds at `values`, quantifiers ranging over 0 to `most`."""
    match sentence:
        case Linear():
            total = sum(c * values[x] for x, c in sentence.coefficients) + sentence.constant
            return COMPARED[sentence.relation](total, 0)
        case Bitwise():
            found = OPERATORS[sentence.op](values[sentence.a], values[sentence.b])
            return found == values[sentence.c]
        case NimSumZero():
            return reduce(xor, (values[x] for x in sentence.names), 0) == 0
        case Member():
            return tuple(values[x] for x in sentence.arguments) in relations[sentence.relation]
        case And():
            return all(truth(part, values, relations, most) for part in sentence.parts)
        case Or():
            return any(truth(part, values, relations, most) for part in sentence.parts)
        case Not():
            return not truth(sentence.part, values, relations, most)
        case Exists():
            tried = product(range(most + 1), repeat=len(sentence.names))
            return any(
                truth(
                    sentence.body,
                    {**values, **dict(zip(sentence.names, found, strict=True))},
                    relations,
                    most,
                )
                for found in tried
            )


NAMES = ("x", "y", "z")
REACH = 3

variables = st.sampled_from(NAMES)
linears = st.builds(
    Linear,
    st.lists(st.tuples(variables, st.integers(-3, 3)), max_size=3).map(tuple),
    st.integers(-9, 9),
    st.sampled_from(list(COMPARED)),
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
