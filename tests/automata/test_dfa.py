"""What an automaton accepts, and what is not an automaton."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import MOST_TRACKS, Automaton, AutomatonError, Auxiliary
from choco_pipeline.errors import LimitError
from choco_pipeline.proof.arithmetic.logic import Exists, less, negation
from tests.proof.relations import counterexample

from .drawn import automata, points, run

EVEN_X = Automaton(
    ("x",), np.array([[1, 2], [1, 1], [2, 2]], np.int32), np.array([True, True, False])
)


def test_bit_i_of_a_symbol_is_the_digit_of_track_i():
    # The first symbol decides: only x odd and y even is accepted.
    delta = np.array([[2, 1, 2, 2], [1, 1, 1, 1], [2, 2, 2, 2]], np.int32)
    automaton = Automaton(("x", "y"), delta, np.array([False, True, False]))
    for x in range(4):
        for y in range(4):
            assert automaton.accepts({"y": y, "x": x}) == (x % 2 == 1 and y % 2 == 0)


@given(automata(("x", "y", "z")))
def test_accepts_and_contains_read_every_digit(automaton):
    rows = points(automaton.tracks, 3)
    expected = [run(automaton, row) for row in rows.tolist()]
    assert automaton.contains(rows).tolist() == expected
    for row, accepted in zip(rows.tolist(), expected, strict=True):
        assert automaton.accepts(dict(zip(automaton.tracks, row, strict=True))) == accepted


@given(automata(("x",)), st.integers(0, 2**100))
def test_numbers_may_be_longer_than_a_machine_word(automaton, x):
    assert automaton.accepts({"x": x}) == run(automaton, [x])


def test_without_tracks_an_automaton_is_a_truth():
    for truth in (True, False):
        automaton = Automaton((), np.zeros((1, 1), np.int32), np.array([truth]))
        assert automaton.accepts({}) == truth
        assert automaton.contains(np.zeros((3, 0), np.int64)).tolist() == [truth] * 3


@pytest.mark.parametrize(
    ("values", "said"), [({"y": 1}, "nothing was given"), ({"x": -1}, "-1 was given")]
)
def test_a_track_needs_a_natural_number(values, said):
    with pytest.raises(AutomatonError, match=f"track x needs a natural number, and {said}"):
        EVEN_X.accepts(values)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.zeros((2, 2), np.int64), r"\(2, 2\)"),
        (np.zeros(2, np.int64), r"\(2,\)"),
        (np.array([[-3]]), "-3"),
    ],
)
def test_points_are_natural_numbers_one_for_each_track(rows, said):
    with pytest.raises(AutomatonError, match=said):
        EVEN_X.contains(rows)


def test_equal_content_is_equal_and_hashes_alike():
    same = Automaton(("x",), EVEN_X.delta.copy(), EVEN_X.accepting.copy())
    assert same == EVEN_X
    assert hash(same) == hash(EVEN_X)
    assert Automaton(("y",), EVEN_X.delta, EVEN_X.accepting) != EVEN_X
    assert Automaton(("x",), EVEN_X.delta, ~EVEN_X.accepting) != EVEN_X
    other = EVEN_X.delta.copy()
    other[2, 1] = 1
    assert Automaton(("x",), other, EVEN_X.accepting) != EVEN_X
    assert EVEN_X != "automaton"


def test_an_automaton_does_not_change_with_the_arrays_it_was_made_of():
    delta = EVEN_X.delta.copy()
    automaton = Automaton(("x",), delta, EVEN_X.accepting)
    delta[0, 1] = 1
    assert automaton == EVEN_X
    with pytest.raises(ValueError, match="read-only"):
        automaton.delta[0, 1] = 1


@pytest.mark.parametrize(
    ("tracks", "delta", "accepting", "said"),
    [
        (("y", "x"), [[0] * 4], [True], "not sorted and distinct"),
        (("x", "x"), [[0] * 4], [True], "not sorted and distinct"),
        (("x",), [[0] * 4], [True], r"delta has shape \(1, 4\)"),
        (("x",), [[0, 0]], [True, True], r"delta has shape \(1, 2\)"),
        (("x",), [0, 0], [True], r"delta has shape \(2,\)"),
        (("x",), np.zeros((0, 2)), [], r"n at least 1"),
        (("x",), [[0, 1]], [True], "outside of 0 to 0"),
        (("x",), [[0, -1]], [True], "outside of 0 to 0"),
        (("x",), [[0, 1], [0, 1]], [True, False], "a zero read in state 1"),
    ],
)
def test_nonsense_is_refused(tracks, delta, accepting, said):
    with pytest.raises(AutomatonError, match=said):
        Automaton(tracks, np.array(delta, np.int32), np.array(accepting, np.bool_))


def test_other_dtypes_are_refused():
    for delta, flag in ((np.zeros((1, 2), np.int64), True), (np.zeros((1, 2), np.int32), 1)):
        with pytest.raises(AutomatonError, match="has dtype int64"):
            Automaton(("x",), delta, np.array([flag]))


def test_more_tracks_than_columns_are_possible_are_refused():
    tracks = tuple(f"x{i:02}" for i in range(MOST_TRACKS + 1))
    with pytest.raises(LimitError, match="17 tracks: at most 16"):
        Automaton(tracks, np.zeros((1, 2), np.int32), np.array([True]))


@given(st.integers(0, 3).flatmap(lambda n: automata(("x", "y", "z")[:n])))
def test_json_brings_the_same_automaton_back(automaton):
    assert Automaton.from_json(json.loads(json.dumps(automaton.as_json()))) == automaton


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tracks": "x"}, "tracks is not a list of names"),
        ({"tracks": [1]}, "tracks is not a list of names"),
        ({"tracks": ["x", "y"]}, "row 0 of delta is not a list of 4 states"),
        ({"tracks": []}, "row 0 of delta is not a list of 1 states"),
        ({"tracks": ["x"] * 60}, "row 0 of delta"),
        ({"delta": []}, "at least one row"),
        ({"delta": {"0": 1}}, "at least one row"),
        ({"delta": [[1, 2], [1], [2, 2]]}, "row 1 of delta is not a list of 2 states from 0 to 2"),
        ({"delta": [[1, 2], [1, 1], 2]}, "row 2 of delta"),
        ({"delta": [[1, 2], [1, 3], [2, 2]]}, "row 1 of delta"),
        ({"delta": [[1, 2], [1, -1], [2, 2]]}, "row 1 of delta"),
        ({"delta": [[1, 2], [1, True], [2, 2]]}, "row 1 of delta"),
        ({"delta": [[1, 2], [1, 1.0], [2, 2]]}, "row 1 of delta"),
        ({"accepting": [1, 0]}, "ascending"),
        ({"accepting": [0, 0, 1]}, "ascending"),
        ({"accepting": [0, 3]}, "ascending"),
        ({"accepting": "01"}, "ascending"),
        ({"accepting": [0]}, "a zero read in state 0"),
        ({"start": 0}, "an object of tracks, delta and accepting"),
        (None, "an object of tracks"),
    ],
)
def test_json_that_says_something_else_is_refused(change, said):
    with pytest.raises(AutomatonError, match=said):
        Automaton.from_json([] if change is None else EVEN_X.as_json() | change)


labels = st.sampled_from(["x", "x'", "y", "'1", ""])
variables = st.one_of(labels, st.builds(Auxiliary, labels))


@given(labels)
def test_it_is_equal_to_nothing_else(label):
    one, other = Auxiliary(label), Auxiliary(label)
    assert len({one, other, label}) == 3
    assert str(one) == str(other) == label


@given(variables, variables, variables)
def test_they_have_one_order(a, b, c):
    assert (a == b) + (a < b) + (b < a) == 1
    assert (a > b) == (b < a)
    if a < b < c:
        assert a < c


def test_a_number_with_the_label_of_another_is_not_that_one():
    there = Auxiliary("x")
    both = linear({"x": 1, there: -1}, 0, "<")
    assert both.accepts({"x": 1, there: 2})
    assert not both.accepts({"x": 2, there: 1})
    # some number is below x: not of 0, though it is written alike
    assert counterexample(Exists((there,), less(there, "x")), {}) == {"x": 0}
    assert counterexample(negation(Exists((there,), less(there, "x"))), {}) == {"x": 1}
