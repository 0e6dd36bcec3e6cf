"""The least automaton against refinement in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.algebra import canonical
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.automata.minimise import minimised

from .drawn import assert_canonical, automata, breadth_first, classes, random_automaton, relation

WORDS = st.integers(0, 2**32)


@given(automata(("x", "y"), most_states=8))
def test_the_result_is_canonical_and_accepts_the_same(automaton):
    least = canonical(automaton)
    assert_canonical(least)
    assert relation(least, 5) == relation(automaton, 5)


@given(WORDS, st.integers(1, 120), st.integers(0, 3))
def test_larger_automata_have_as_many_states_as_classes_of_reachable_states(seed, states, tracks):
    automaton = random_automaton(seed, states, ("x", "y", "z")[:tracks])
    least = canonical(automaton)
    assert_canonical(least)
    found = classes(automaton)
    assert least.states == len({found[q] for q in breadth_first(automaton)})
    random = np.random.default_rng(seed)
    values = random.integers(0, 2**40, (200, tracks))
    assert least.contains(values).tolist() == automaton.contains(values).tolist()


@given(automata(("x", "y"), most_states=3), automata(("x", "y"), most_states=3))
def test_automata_are_equal_exactly_if_their_relations_are(a, b):
    # Automata of 3 states each that differ do so on a word of at most 4 symbols.
    assert (canonical(a) == canonical(b)) == (relation(a, 4) == relation(b, 4))


@given(WORDS, st.integers(2, 60))
def test_neither_the_numbering_nor_copies_of_states_matter(seed, states):
    automaton = random_automaton(seed, states, ("x", "y"))
    random = np.random.default_rng(seed)
    copy_of = np.concatenate([np.arange(states), random.integers(0, states, states)])
    delta = automaton.delta[copy_of]
    delta = delta + states * random.integers(0, 2, delta.shape, np.int32)
    # A transition to the copy of a state is a transition to any state that copies it.
    first = {q: [p for p in range(2 * states) if copy_of[p] == q] for q in range(states)}
    delta = np.array([[random.choice(first[q % states]) for q in row] for row in delta.tolist()])
    order = np.concatenate([[0], 1 + random.permutation(2 * states - 1)])
    place = np.argsort(order)
    shuffled = Automaton(
        automaton.tracks, place[delta[order]].astype(np.int32), automaton.accepting[copy_of][order]
    )
    assert canonical(shuffled) == canonical(automaton)


@pytest.mark.parametrize("states", [1, 2, 3, 64, 65, 1000])
def test_a_counter_keeps_all_of_its_states(states):
    # A word is accepted from the state `states - 1` on: state q needs states - 1 - q ones more.
    ones = np.minimum(np.arange(states) + 1, states - 1)
    delta = np.stack([np.arange(states), ones], axis=1).astype(np.int32)
    accepting = np.arange(states) == states - 1
    least, flags = minimised(delta, accepting)
    np.testing.assert_array_equal(least, delta)
    np.testing.assert_array_equal(flags, accepting)
