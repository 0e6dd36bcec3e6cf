"""Recurrences and relations: planted ones come out, exactly; sequences by chance have none."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.mining.recurrences import (
    closed_form,
    combination,
    continuation,
    digit_form,
    follows,
    is_whole,
    linear_recurrence,
    relations,
    shortest_recurrence,
)
from tests.effort import examples

small = st.integers(-3, 3)


@st.composite
def recurrent(draw):
    """Draw a recurrence of order up to five and 60 terms that it makes."""
    recurrence = draw(st.lists(small, min_size=1, max_size=5))
    terms = draw(st.lists(small, min_size=len(recurrence), max_size=len(recurrence)))
    while len(terms) < 60:
        last = terms[-len(recurrence) :]
        terms.append(sum(c * t for c, t in zip(recurrence, last, strict=True)))
    return recurrence, tuple(terms)


@given(recurrent())
def test_planted_recurrences(drawn):
    planted, terms = drawn
    found = linear_recurrence(terms)
    assert found is not None
    recurrence, learnt = found
    assert len(recurrence) <= len(planted)
    assert 2 * len(recurrence) <= learnt
    assert len(terms) - learnt >= len(recurrence) + 5
    for n in range(len(terms) - len(recurrence)):
        assert terms[n + len(recurrence)] == sum(c * terms[n + i] for i, c in enumerate(recurrence))


@given(recurrent())
def test_closed_forms(drawn):
    _, terms = drawn
    recurrence = shortest_recurrence(terms)
    closed = closed_form(terms, recurrence, 6)
    if closed is not None:
        formula = parse(closed.text())
        for n in range(closed.start, 30):
            assert formula.value({"n": n}) == terms[n]


def test_fibonacci_numbers_have_no_closed_form_with_integer_roots():
    terms = [0, 1, 1, 2, 3, 5, 8, 13]
    assert shortest_recurrence(terms) == (1, 1)
    assert closed_form(terms, (1, 1), 20) is None


def test_a_recurrence_must_hold_to_the_end():
    terms = [2**n for n in range(40)]
    assert linear_recurrence(tuple(terms)) == ((2,), 23)
    terms[-1] += 1
    assert not follows(terms, (2,))
    assert linear_recurrence(tuple(terms)) is None


@given(
    st.lists(st.lists(small, min_size=6, max_size=6), min_size=1, max_size=5),
    st.lists(st.fractions(-3, 3, max_denominator=3), min_size=5, max_size=5),
    st.booleans(),
)
def test_combinations(columns, factors, in_span):
    total = [sum(f * c[i] for f, c in zip(factors, columns, strict=False)) for i in range(6)]
    target = [int(6 * t) for t in total]
    if not in_span:
        target[0] += 1
    found = combination(columns, target)
    matrix = np.array(columns).T
    rank = np.linalg.matrix_rank(matrix)
    solvable = np.linalg.matrix_rank(np.column_stack([matrix, target])) == rank
    assert (found is not None) == solvable
    if found is not None:
        made = [sum(f * c[i] for f, c in zip(found, columns, strict=False)) for i in range(6)]
        assert made == target
        shorter = np.array(columns[: len(found) - 1]).reshape(-1, 6).T
        if found and found[-1]:
            both = np.column_stack([shorter, target])
            assert np.linalg.matrix_rank(both) > np.linalg.matrix_rank(shorter)


@st.composite
def regular(draw):
    """Draw relations for a(2n) and a(2n+1), and 400 terms that they make."""
    rows = [draw(st.tuples(small, small, st.integers(-5, 5))) for _ in range(2)]
    centre = draw(st.integers(-2, 2))
    terms = draw(st.lists(st.integers(0, 9), min_size=8, max_size=8))
    while len(terms) < 400:
        n, odd = divmod(len(terms) - centre, 2)
        a, b, c = rows[odd]
        terms.append(a * terms[n + centre] + b * terms[n + 1 + centre] + c)
    return centre, terms


@settings(max_examples=examples(60))
@given(regular())
def test_planted_relations(drawn):
    centre, terms = drawn
    found = relations(0, terms[:300], [centre])
    for relation in found:
        for n in range(relation.start, 400):
            at = relation.left.index(n)
            places = [at, *(p.index(n) for _, p in relation.right if p.level >= 0)]
            if not 0 <= min(places) <= max(places) < 300:
                continue
            values = [terms[p.index(n)] if p.level >= 0 else n**p.step for _, p in relation.right]
            factors = [factor for factor, _ in relation.right]
            assert terms[at] == sum(c * v for c, v in zip(factors, values, strict=True))
    if is_whole(found):
        assert continuation(0, terms[:300], found, 399) == terms
    else:  # so much is the same in it that little tests a relation
        assert len(set(terms)) < 60


def test_a_relation_that_is_wrong_once_in_the_end_is_none():
    terms = [n.bit_count() for n in range(1, 300)]
    assert is_whole(relations(1, terms))
    terms[-2] += 1  # a(298)
    found = relations(1, terms)
    assert not is_whole(found)
    assert all(relation.left.index(0) % 2 for relation in found if relation.left.level == 1)


def test_a_relation_may_begin_late():
    terms = [n.bit_count() for n in range(1, 400)]
    terms[5] = 17  # a(6)
    found = relations(1, terms)
    starts = {relation.text(): relation.start for relation in found}
    assert starts == {"a(2*n) == a(n)": 7, "a(2*n+1) == a(n) + 1": 7}


def test_fractions_are_written_without_them():
    found = relations(1, [1024 // (n & -n) for n in range(1, 400)])
    said = [relation.text() for relation in found]
    assert said == ["2*a(2*n) == a(n)", "a(2*n+1) == 1024"]


def satisfies(found, first, terms):
    """Whether terms satisfy the equations of a form in digits, as far as they are known."""
    places = range(first + len(terms))
    known = {
        "g": [0] * first + list(terms),
        "popcount": [bin(n).count("1") for n in places],
        "bits": [len(f"{n:b}") if n else 0 for n in places],
    }
    for equation in found.equations:
        formula = parse(equation, functions=known)
        with suppress(FormulaError):  # beyond the last term
            for n in places[first:]:
                if not formula.value({"n": n}, known):
                    return False
    return True


@given(
    step=st.integers(1, 4),
    offset=st.integers(1, 7),
    factor=st.integers(1, 5),
    base=st.integers(2, 7),
    first=st.integers(0, 1),
    changed=st.integers(8, 99),
)
def test_planted_powers_come_back_and_one_other_term_is_enough_against_them(
    step, offset, factor, base, first, changed
):
    terms = [0] * (100 - first)
    for n, place in enumerate(range(offset, 100, step)):
        terms[place - first] = factor * base ** bin(n).count("1")
    found = digit_form(first, terms)
    assert found is not None
    assert satisfies(found, first, terms)
    terms[changed - first] += 1
    assert not satisfies(found, first, terms)
    other = digit_form(first, terms)
    assert other is None or satisfies(other, first, terms)


@given(st.tuples(*[st.integers(-4, 4)] * 4), st.integers(1, 3), st.integers(32, 99))
def test_planted_sums_of_digits_come_back(factors, below, changed):
    rows = ((1, n, n.bit_length(), n.bit_count()) for n in range(100))
    terms = [below * sum(f * v for f, v in zip(factors, row, strict=True)) for row in rows]
    found = digit_form(0, terms)
    if not any(factors[2:]):
        assert found is None, "that is linear"
        return
    assert found is not None
    assert satisfies(found, 0, terms)
    terms[changed] += 1
    assert digit_form(0, terms) is None


RANDOM = {
    "bits": lambda r: r.integers(0, 2, 512),
    "small": lambda r: r.integers(0, 5, 512),
    "rare": lambda r: (r.random(512) < 0.03).astype(int),
    "large": lambda r: r.integers(0, 10**6, 512),
    "sums": lambda r: np.cumsum(r.integers(0, 3, 512)),
    "sums of rare": lambda r: np.cumsum(r.random(512) < 0.03),
    "walk": lambda r: np.cumsum(r.integers(-1, 2, 512)),
    "short": lambda r: r.integers(0, 2, 40),
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", RANDOM)
def test_chance_has_no_recurrence(kind, seed):
    terms = tuple(RANDOM[kind](np.random.default_rng(seed)).tolist())
    assert linear_recurrence(terms) is None
    assert relations(0, terms, [0, -1, 1]) == []
