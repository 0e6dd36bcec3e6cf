"""Truths throughout intervals, with and without ends, against single integers near the ends and far away."""

from __future__ import annotations

from contextlib import suppress
from math import inf

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from tests.effort import examples

FAR = 10**40

numbers = st.one_of(
    st.integers(-9, 9), st.sampled_from([-(2**31), 255, 256, 5_000_000, 2**70])
).map(lambda n: f"({n})")
terms = st.recursive(
    st.one_of(st.just("v"), st.just("v"), numbers),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["//", *"+-*%^&|"]), inner),
        st.builds(
            "({} {} {})".format, inner, st.sampled_from(["<<", ">>", "**"]), st.integers(0, 5)
        ),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        inner.map("abs({})".format),
        inner.map("(-{})".format),
    ),
    max_leaves=4,
)
signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
truths = st.recursive(
    st.one_of(
        st.builds("{} {} {}".format, terms, signs, terms),
        st.builds("{} {} {} {} {}".format, terms, signs, terms, signs, terms),
    ),
    lambda inner: st.one_of(
        st.builds("({}) {} ({})".format, inner, st.sampled_from(["and", "or"]), inner),
        inner.map("not ({})".format),
    ),
    max_leaves=3,
)


class LargeIntegerError(Exception):
    """A formula has no value since an integer is too large."""


def value_at(formula, v):
    """Return the value at one place; wherever anything is known of an interval, it has one, but for its size."""
    try:
        return formula.value({"v": v})
    except FormulaError as error:
        if "4096 bits" in str(error):
            raise LargeIntegerError from error
        raise


@settings(max_examples=examples(500))
@example("(v+2) & (v+1) == 0", 31, 30, 0)
@example("v % 7 == 3", 11, 2, 0)
@given(
    truths,
    st.one_of(st.integers(-40, 40), st.integers(-FAR, FAR)),
    st.integers(0, 40),
    st.integers(-1, 1),
)
def test_what_is_known_is_so_at_every_integer(text, start, more, endless) -> None:
    formula = parse(text)
    low, high = [(-inf, start), (start, start + more), (start, inf)][endless + 1]
    try:
        known = formula.throughout("v", low, high)
    except FormulaError:
        assume(low == high)
        return
    if known is None:
        assert low != high
        return
    beyond = [5_000_000, 2**70, FAR, FAR + 1]
    if endless == 0:
        tried = [*range(start, start + more + 1)]
    elif endless == 1:
        tried = [*range(start, start + 60), *(v for v in beyond if v >= start)]
    else:
        tried = [*range(start - 60, start + 1), *(-v for v in beyond if -v <= start)]
    for v in tried:
        with suppress(LargeIntegerError):
            assert value_at(formula, v) == known, v


@pytest.mark.parametrize(
    ("text", "low", "high", "known"),
    [
        ("v == 0 or v == 5000000", 5_000_001, inf, False),
        ("v == 0 or v == 5000000", -inf, -1, False),
        ("v >= 0", 7, inf, True),
        ("v != v", -inf, inf, False),
        ("1 // v == 1 // v", -inf, inf, None),
        ("v*v == 16", 5, inf, False),
        ("v*v >= 16", -inf, -4, True),
        ("v ^ 5 == 3", 9, inf, False),
        ("v | 5 == 7", 8, inf, False),
        ("v | 5 == -3", -inf, -17, False),
        ("(v+2) & (v+1) == 0", 32, 60, False),
        ("(v+2) & (v+1) == 0", 32, 62, None),
        ("v % 1000 == 7", 8, 999, False),
        ("v >> 3 == 2", 24, inf, False),
        ("v // 2**4000 // 2**4000 == 1", 0, 2**8000 - 1, False),
        ("v // 2**4000 // 2**4000 == 1", 2**8000, 2**8001 - 1, True),
        ("1 // v == 1", 0, 5, None),
        ("v != 0 and 1 // v == 1", 2, inf, False),
        ("v2(v) == 3", 1, inf, None),
        ("((v**60)**60)**60 > 0", 2**4000, inf, None),
    ],
)
def test_intervals(text, low, high, known) -> None:
    assert parse(text).throughout("v", low, high) is known


def test_one_integer_is_decided_by_definition() -> None:
    assert parse("v2(v) == 3").throughout("v", 8, 8) is True
    with pytest.raises(FormulaError, match="division by zero at column 3"):
        parse("1 // v == 1").throughout("v", 0, 0)
