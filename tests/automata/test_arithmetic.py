"""Arithmetic by automata against arithmetic."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.arithmetic import bitwise, linear, nim_sum_is_zero
from choco_pipeline.automata.dfa import AutomatonError
from choco_pipeline.errors import LimitError
from tests.formula.drawn import COMPARISONS, INTEGER_SIGNS

from .drawn import assert_canonical, points, relation

BITS = {sign: INTEGER_SIGNS[sign] for sign in "^&|"}


def satisfying(coefficients, constant, compare, digits):
    tracks = sorted(coefficients)
    return {
        tuple(row)
        for row in points(tracks, digits).tolist()
        if COMPARISONS[compare](
            sum(coefficients[t] * v for t, v in zip(tracks, row, strict=True)) + constant, 0
        )
    }


@given(
    st.dictionaries(st.sampled_from("wxyz"), st.integers(-40, 40), max_size=4),
    st.integers(-200, 200),
    st.sampled_from(list(COMPARISONS)),
)
def test_linear_relations_of_up_to_four_numbers(coefficients, added, compare):
    automaton = linear(coefficients, added, compare)
    assert automaton.tracks == tuple(sorted(coefficients))
    assert relation(automaton, 3) == satisfying(coefficients, added, compare, 3)
    assert_canonical(automaton)


@given(
    st.integers(-(2**90), 2**90),
    st.integers(-9, 9),
    st.integers(0, 2**90),
    st.sampled_from(list(COMPARISONS)),
)
def test_constants_may_be_longer_than_a_machine_word(near, offset, x, compare):
    automaton = linear({"x": 3, "y": -2}, near, compare)
    for y in (0, x, max(0, (near + 3 * x) // 2 + offset)):
        assert automaton.accepts({"x": x, "y": y}) == COMPARISONS[compare](3 * x - 2 * y + near, 0)


@pytest.mark.parametrize("names", [(), ("x",), ("x", "y"), ("z", "x", "y"), ("w", "x", "y", "z")])
def test_nim_sum_is_zero(names):
    automaton = nim_sum_is_zero(*names)
    assert_canonical(automaton)
    for row in points(names, 3).tolist():
        nim_sum = 0
        for value in row:
            nim_sum ^= value
        assert automaton.accepts(dict(zip(sorted(names), row, strict=True))) == (nim_sum == 0)


def test_a_name_given_twice_to_a_nim_sum_cancels():
    automaton = nim_sum_is_zero("x", "y", "x")
    assert automaton.tracks == ("x", "y")
    assert relation(automaton, 3) == {(x, 0) for x in range(8)}


@pytest.mark.parametrize("operation", BITS)
@pytest.mark.parametrize("names", list(product("xyz", repeat=3)), ids="".join)
def test_bitwise_operations_for_all_ways_to_name_three_numbers(operation, names):
    automaton = bitwise(operation, *names)
    assert automaton.tracks == tuple(sorted(set(names)))
    assert_canonical(automaton)
    for row in points(automaton.tracks, 3).tolist():
        values = dict(zip(automaton.tracks, row, strict=True))
        a, b, c = (values[name] for name in names)
        assert automaton.accepts(values) == (c == BITS[operation](a, b))


def test_unknown_relations_and_operations_are_refused():
    with pytest.raises(AutomatonError, match="relation '=<': relations are ==, !=, <, <=, >, >="):
        linear({"x": 1}, 0, "=<")
    with pytest.raises(AutomatonError, match=r"operation '\+': operations are \^, & and |"):
        bitwise("+", "x", "y", "z")


def test_what_needs_too_many_states_or_tracks_is_refused():
    with pytest.raises(LimitError, match="needs more than 50 states"):
        linear({"x": 101, "y": -1}, 0, "==", most_states=50)
    names = [f"x{i}" for i in range(17)]
    for make in (lambda: nim_sum_is_zero(*names), lambda: linear(dict.fromkeys(names, 1), 0, "==")):
        with pytest.raises(LimitError, match="17 tracks: at most 16"):
            make()
