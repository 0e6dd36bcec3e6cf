"""Guessed automata against the automata and the relations that the points were taken from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.algebra import conjunction, disjunction
from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.automata.residuals import Graph, Learner, agrees
from choco_pipeline.errors import LimitError


def learn(member, tracks, depth, window, most_states=3000):
    return Learner(tracks, window, most_states).learned(member, depth)


@st.composite
def automata(draw):
    """Draw a minimal automaton of at most five states, which accepts a word whatever zeros are appended."""
    tracks = draw(st.integers(1, 3))
    states = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, states - 1), min_size=1 << tracks, max_size=1 << tracks)
    delta = np.array(draw(st.lists(row, min_size=states, max_size=states)), np.int32)
    accepting = np.array(draw(st.lists(st.booleans(), min_size=states, max_size=states)))
    for state in range(states):
        here, zeros = state, []
        while here not in zeros:
            zeros.append(here)
            here = delta[here, 0]
        accepting[zeros] = accepting[here]
    return Automaton(tuple("abc"[:tracks]), *minimised(delta, accepting))


@given(automata())
def test_an_automaton_is_learned_back_from_its_members(automaton):
    # two of five states are told apart by four digits, and each state is reached by four
    learned = learn(automaton.contains, automaton.tracks, depth=10, window=4)
    assert learned.automaton == automaton
    assert learned.growth[-1] == learned.growth[-2] == automaton.states


@given(automata())
def test_growth_counts_the_states_reached_by_words_of_each_length(automaton):
    reached, counts = {0}, [1]
    for _ in range(5):
        reached |= {int(q) for state in reached for q in automaton.delta[state]}
        counts.append(len(reached))
    growth = learn(automaton.contains, automaton.tracks, depth=10, window=4).growth
    assert list(growth[:6]) == counts[: len(growth)]


def test_tracks_may_be_given_in_any_order():
    # a <= b, with b read first
    learned = learn(lambda p: p[:, 1] <= p[:, 0], ("b", "a"), depth=6, window=2)
    assert learned.automaton == linear({"a": 1, "b": -1}, 0, "<=")


@pytest.mark.parametrize("window", [2, 3, 5])
def test_a_graph_is_learned_as_its_members_are(window):
    def third(columns):
        return np.where(columns[0] % 3 == 0, columns[0] // 3, -1)

    graph = Graph(third, determined=1)
    assert graph(np.array([[6, 2], [6, 1], [7, 2]])).tolist() == [True, False, False]
    # (x, y) with x = 3 y; the determined coordinate may lead, too
    assert learn(graph, ("x", "y"), 8, window).automaton == linear({"x": 1, "y": -3}, 0, "==")
    turned = Graph(third, determined=0)
    assert learn(turned, ("y", "x"), 8, window).automaton == linear({"x": 1, "y": -3}, 0, "==")


@given(automata())
def test_a_larger_depth_continues_a_search(automaton):
    learner = Learner(automaton.tracks, window=2)
    for depth in (3, 4, 6, 9):
        continued = learner.learned(automaton.contains, depth)
        fresh = learn(automaton.contains, automaton.tracks, depth, window=2)
        assert continued == fresh


@pytest.mark.parametrize("determined", [0, 1, 2])
@pytest.mark.parametrize("end", [1, 5, 21, 40])
def test_coordinates_that_end_are_learned_as_those_without_an_end(determined, end):
    def value(columns):
        first, second = columns
        return np.where(first < end, (first ^ second) + first, -1)

    tracks = ("x", "y", "z")
    graph, bounded = Graph(value, determined), Graph(value, determined, (end, None))
    for depth, window in ((6, 2), (9, 3), (9, 5)):
        learned = learn(bounded, tracks, depth, window)
        assert learned == learn(graph, tracks, depth, window)


def test_a_window_of_a_graph_sees_values_of_any_size():
    # y = 100 x is told from y = 50 x by no member with y below 2**3
    learned = learn(Graph(lambda p: 100 * p[0], 1), ("x", "y"), depth=12, window=3)
    assert learned.automaton == linear({"x": 100, "y": -1}, 0, "==")


def test_learning_stops_at_most_states():
    learned = learn(Graph(lambda p: p[0] ** 2, 1), ("x", "y"), 12, 3, most_states=20)
    assert learned.automaton is None
    assert learned.growth[-1] > 20 >= learned.growth[-2]
    three = Graph(lambda p: 3 * p[0], 1)
    assert learn(three, ("x", "y"), 8, 3, most_states=4).automaton is not None  # it has 4
    assert learn(three, ("x", "y"), 8, 3, most_states=3).automaton is None


def test_a_window_of_too_many_points_is_refused():
    with pytest.raises(
        LimitError, match=r"7 digits in 3 coordinates has 2\*\*21 points, more than"
    ):
        learn(lambda p: p[:, 0] > 0, ("x", "y", "z"), depth=9, window=7)


def test_a_narrow_window_guesses_wrongly_and_agrees_says_so():
    def member(points):
        return points[:, 0] >= 40

    tracks = ("x",)
    narrow = learn(member, tracks, depth=9, window=1).automaton
    assert narrow is not None
    assert not agrees(narrow, member, tracks, depth=9, samples=500, seed=1)
    right = linear({"x": 1}, -40, ">=")
    assert agrees(right, member, tracks, depth=9, samples=500, seed=1)


def test_agrees_looks_on_a_graph_and_beside_it():
    graph = Graph(lambda p: p[0] + 1, 1)
    tracks = ("x", "y")
    for wrong in ("!=", "<", ">", "<=", ">="):
        assert not agrees(linear({"x": 1, "y": -1}, 1, wrong), graph, tracks, 12, 200, seed=0)
    empty = linear({"x": 1, "y": 1}, 1, "==")
    assert not agrees(empty, graph, tracks, 12, 200, seed=0)
    right = linear({"x": 1, "y": -1}, 1, "==")
    assert agrees(right, graph, tracks, 12, 200, seed=0)
    missing = conjunction(right, linear({"x": 1}, -1000, "<="))
    assert not agrees(missing, graph, tracks, 12, 200, seed=0)
    # one digit away, and so rare that no point of any size hits it
    beside = disjunction(right, linear({"x": 1, "y": -1}, 1 + 2048, "=="))
    assert not agrees(beside, graph, tracks, 12, 200, seed=0)
