"""Ranges of integers: how they are read and written, and their integers one by one and on arrays."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse_range

from .drawn import integers_of, unhurried

PLACES = [{"x": x, "y": y} for x, y in product(range(-2, 4), repeat=2)]
COLUMNS = {name: np.array([place[name] for place in PLACES]) for name in ("x", "y")}

ends = integers_of(("x", "y"))
ranges = st.builds("{0.text}..{1.text}".format, ends, ends)
stepped = st.builds("{0}  step {1.text}".format, ranges, ends)
single = ends.map(lambda end: end.text)


@pytest.mark.parametrize(
    ("text", "canonical", "place", "integers"),
    [
        ("0..k-1", "0..k-1", {"k": 3}, [0, 1, 2]),
        ("2 .. 16 step 5", "2..16 step 5", {}, [2, 7, 12]),
        ("2..17 step 5", "2..17 step 5", {}, [2, 7, 12, 17]),
        ("-1..2**t", "-1..2**t", {"t": 1}, [-1, 0, 1, 2]),
        ("k * t", "k*t", {"k": 3, "t": -2}, [-6]),
        ("k..k", "k", {"k": 4}, [4]),
        ("3..2", "3..2", {}, []),
        ("3..-9 step 4", "3..-9 step 4", {}, []),
        ("1..step step step+1", "1..step step step+1", {"step": 4}, [1]),
    ],
)
def test_ranges_are_read_and_written(text, canonical, place, integers):
    span = parse_range(text)
    assert span.text == str(span) == canonical
    assert parse_range(canonical) == span
    assert span.names == place.keys()
    assert list(span.values(place)) == integers


@unhurried
@given(ranges | stepped | single)
def test_arrays_have_the_integers_of_each_place(text):
    span = parse_range(text)
    assert parse_range(span.text) == span
    expected = []
    for place in PLACES:
        try:
            expected.append(list(span.values(place)) if abs(_far(span, place)) < 99 else None)
        except FormulaError:
            expected.append(None)
    try:
        first, step, count = span.evaluate(COLUMNS)
    except FormulaError:
        assert None in expected, text
        return
    for i, integers in enumerate(expected):
        if integers is not None:
            found = [int(first[i]) + n * int(step[i]) for n in range(int(count[i]))]
            assert found == integers, f"{text} at {PLACES[i]}"


def _far(span, place):
    return max(span.first.value(place), span.last.value(place), key=abs)


@pytest.mark.parametrize(
    ("text", "column"),
    [("0..", 1), ("0..k < 3", 4), ("0 .. 9 step q", 13), ("0...9", 4), ("x..9", 1), ("1 < 2", 1)],
)
def test_what_is_no_range_is_refused(text, column):
    with pytest.raises(FormulaError) as caught:
        parse_range(text, names={"k"})
    assert caught.value.column == column


def test_a_step_is_at_least_1():
    span = parse_range("0..9 step x")
    with pytest.raises(FormulaError, match="the step of a range is at least 1, found 0"):
        span.values({"x": 0})
    with pytest.raises(FormulaError, match="the step of a range is at least 1, found -2"):
        span.evaluate({"x": np.array([1, -2, 3])})


@pytest.mark.parametrize("text", ["0..2**61+x", "-2**61-x..0", "2**62..2**62"])
def test_ends_of_which_64_bits_cannot_hold_the_distance_are_refused(text):
    span = parse_range(text)
    assert len(span.values({"x": 1})) > 0
    with pytest.raises(FormulaError, match="the ends of a range are at most 2305843009213693952"):
        span.evaluate({"x": np.array([0, 1])})


def test_the_farthest_ends_are_exact():
    first, _, count = parse_range("-2**61..2**61-x").evaluate({"x": np.array([0, 1])})
    assert first.tolist() == [-(2**61)] * 2
    assert count.tolist() == [2**62 + 1, 2**62]
