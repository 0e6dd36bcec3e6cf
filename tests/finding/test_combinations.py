"""Combinations of terms: exact, written so that the formula language gives the same values, none where numbers have none."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.finding.laws import (
    CONSTANT,
    Combination,
    Term,
    determined,
    linear,
    log_down,
    log_up,
    product_of,
    shapes_of,
    two_part,
)
from choco_pipeline.formula import parse

K, Q = linear("k"), two_part("k")
SHAPE = (product_of(K, Q), K, Q, CONSTANT)


@given(st.lists(st.integers(-6, 6), min_size=4, max_size=4), st.integers(1, 4))
def test_planted_coefficients_come_back(factors, below):
    planted = Combination(SHAPE, tuple(Fraction(f, below) for f in factors))
    points = [{"k": below * k} for k in range(1, 20)]
    numbers = [planted.value(point) for point in points]
    if any(number.denominator != 1 for number in numbers):
        return
    (found,) = determined(points, list(map(int, numbers)), [SHAPE])
    assert found == planted
    later = {"k": below * 1000}
    assert parse(found.text).value(later) == planted.value(later)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda k, s: 7, "7"),
        (lambda k, s: -s, "-s"),
        (lambda k, s: k + s - 1, "k+s-1"),
        (lambda k, s: s // 2 + 3, "s//2+3"),
        (lambda k, s: s % 2, "s%2"),
        (lambda k, s: 2 * (s % 2) - 1, "2*(s%2)-1"),
        (lambda k, s: k * s, "k*s"),
        (lambda k, s: k * (s & -s), "k*2**v2(s)"),
        (lambda k, s: 2 * (k & -k) - s, "-s+2*2**v2(k)"),
    ],
)
def test_expressions_in_two_parameters(rule, text):
    points = [{"k": k, "s": s} for k in range(1, 6) for s in range(1, 9)]
    shapes = shapes_of(["k", "s"], points)
    found = next(determined(points, [rule(p["k"], p["s"]) for p in points], shapes))
    assert found.text == text
    assert all(parse(text).value(p) == rule(p["k"], p["s"]) for p in points)


def test_terms_without_a_value_are_no_part_of_a_shape():
    points = [{"s": s} for s in range(9)]
    assert all(
        "v2" not in (term.text or "") for shape in shapes_of(["s"], points) for term in shape
    )


def test_random_numbers_are_no_combination():
    points = [{"k": k, "s": s} for k in range(1, 6) for s in range(1, 5)]
    shapes = shapes_of(["k", "s"], points)
    for seed in range(50):
        random = Random(seed)
        numbers = [random.randint(-9, 9) for _ in points]
        assert list(determined(points, numbers, shapes)) == [], f"seed {seed}"


def test_as_many_points_as_terms_prove_nothing():
    points = [{"k": 3}, {"k": 5}]
    assert list(determined(points, [4, 9], [(K, CONSTANT)])) == []
    assert len(list(determined([*points, {"k": 7}], [4, 9, 14], [(K, CONSTANT)]))) == 1


def test_logarithms():
    for k in range(1, 70):
        down, up = log_down("k").value({"k": k}), log_up("k").value({"k": k})
        assert 2**down <= k < 2 ** (down + 1)
        assert k <= 2**up < 2 * k


def test_minus_a_remainder_is_not_the_remainder_of_minus() -> None:
    terms = (Term("(s mod 2)", "s%2"), Term("⌊s/2⌋", "s//2"), CONSTANT)
    for factors in ((-1, 0, 1), (0, -1, 0), (-1, -1, 3), (2, -3, 0)):
        found = Combination(terms, tuple(map(Fraction, factors)))
        assert found.text is not None
        for s in range(9):
            assert parse(found.text).value({"s": s}) == found.value({"s": s})
