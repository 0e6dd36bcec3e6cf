"""Automata drawn by Hypothesis, and what plain Python says about them."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from choco_pipeline.automata.dfa import Automaton


@st.composite
def automata(draw, tracks=("x", "y"), most_states=5):
    """Draw any automaton: a zero leads to a state that accepts alike, everything else anywhere."""
    accepting = draw(st.lists(st.booleans(), min_size=1, max_size=most_states))
    alike = {flag: [q for q, other in enumerate(accepting) if other == flag] for flag in accepting}
    anywhere = st.integers(0, len(accepting) - 1)
    rows = [
        [draw(st.sampled_from(alike[flag])), *(draw(anywhere) for _ in range(2 ** len(tracks) - 1))]
        for flag in accepting
    ]
    return Automaton(tuple(tracks), np.array(rows, np.int32), np.array(accepting))


def random_automaton(seed, states, tracks):
    """Return a larger automaton, in which some states are made to do the same as others."""
    random = np.random.default_rng(seed)
    accepting = random.random(states) < random.choice([0.1, 0.5])
    delta = random.integers(0, states, (states, 2 ** len(tracks)), np.int32)
    for q in range(states):
        delta[q, 0] = random.choice(np.flatnonzero(accepting == accepting[q]))
    for q in range(1, states):
        twin = random.integers(0, q)
        if random.random() < 0.5 and accepting[twin] == accepting[q]:
            delta[q] = delta[twin]
    return Automaton(tuple(tracks), delta, accepting)


def points(tracks, digits):
    """Return all tuples of numbers of at most so many digits, as rows."""
    return np.array(list(product(range(2**digits), repeat=len(tracks))), np.int64).reshape(
        2 ** (digits * len(tracks)), len(tracks)
    )


def relation(automaton, digits):
    """Return the set of the value tuples below 2**digits, in the order of the tracks, that are accepted."""
    rows = points(automaton.tracks, digits)
    return {tuple(row) for row in rows[automaton.contains(rows)].tolist()}


def run(automaton, values):
    """Read the words of the values digit by digit, one zero more than needed."""
    state = 0
    for digit in range(max((value.bit_length() for value in values), default=0) + 1):
        symbol = sum((value >> digit) % 2 * 2**i for i, value in enumerate(values))
        state = automaton.delta[state, symbol]
    return bool(automaton.accepting[state])


def classes(automaton):
    """Return the class of each state, by Moore's refinement: the same class if the same words are accepted."""
    found = [int(flag) for flag in automaton.accepting]
    while True:
        signatures = [
            (found[q], *(found[p] for p in row)) for q, row in enumerate(automaton.delta.tolist())
        ]
        number = {signature: i for i, signature in enumerate(dict.fromkeys(signatures))}
        finer = [number[signature] for signature in signatures]
        if len(set(finer)) == len(set(found)):
            return finer
        found = finer


def breadth_first(automaton):
    """Return the reachable states in the order of a search with symbols ascending."""
    order = [0]
    for q in order:
        for p in automaton.delta[q].tolist():
            if p not in order:
                order.append(p)
    return order


def assert_canonical(automaton):
    """Fail unless all states are reachable, no two accept the same words, and the numbers are the search's."""
    assert breadth_first(automaton) == list(range(automaton.states))
    assert len(set(classes(automaton))) == automaton.states
