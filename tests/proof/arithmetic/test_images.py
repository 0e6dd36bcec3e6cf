"""Sets of numbers as text: forms and lists."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import AutomatonError
from choco_pipeline.formula import parse
from choco_pipeline.proof.arithmetic.engine import automaton_of
from choco_pipeline.proof.arithmetic.images import describe, first_members, is_finite
from choco_pipeline.proof.arithmetic.terms import condition
from tests.automata.drawn import automata
from tests.effort import examples

UP_TO = 300


def of(text):
    return automaton_of(condition(parse(text)), {})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v == 1 or (v+2) & (v+1) == 0", "{2^n − 2 : n ≥ 1} ∪ {1}"),
        ("v == 0", "{0}"),
        ("v < 0", "{}"),
        ("v >= 0", "all natural numbers"),
        ("v > 5 or v == 2", "all natural numbers except 0, 1, 3, …, 5"),
        ("v == 9 or 2 <= v <= 5 or v == 11", "{2, …, 5, 9, 11}"),
        ("v & (v-1) == 0 and v > 9", "{2^n : n ≥ 4}"),
        ("v & (v+1) == 0 and v != 7", "{2^n − 1 : n ≥ 0} except 7"),
        ("v == 3 or v > 4 and (v-3) & (v-4) == 0", "{2^n + 3 : n ≥ 1} ∪ {3}"),
        ("v % 4 == 2", "the numbers that an automaton of 4 states accepts"),
    ],
)
def test_known_forms(text, said):
    assert describe(of(text)) == said


def listed(said):
    """Return the numbers of a list as printed."""
    found = []
    for part in filter(None, said.strip("{}").split(", ")):
        if part == "…":
            found.append(None)
        elif found and found[-1] is None:
            found[-1:] = range(found[-2] + 1, int(part) + 1)
        else:
            found.append(int(part))
    return found


def of_form(said):
    """Return the members up to UP_TO of a list or a form."""
    if said.startswith("all natural numbers"):
        return set(range(UP_TO)) - set(
            listed(said.removeprefix("all natural numbers").removeprefix(" except "))
        )
    powers = re.match(r"\{2\^n(?: ([+−]) (\d+))? : n ≥ (\d+)\}", said)
    if powers is None:
        return set(listed(said))
    added = int(powers[2] or 0) * (-1 if powers[1] == "−" else 1)
    found = {2**n + added for n in range(int(powers[3]), 12)}
    more, _, fewer = said[powers.end() :].partition(" except ")
    return found.union(listed(more.removeprefix(" ∪ "))).difference(listed(fewer))


@settings(max_examples=examples(200), deadline=None)
@given(automata(("v",), 6))
def test_what_is_said_of_a_set_is_the_set(automaton):
    said = describe(automaton)
    members = np.flatnonzero(automaton.contains(np.arange(UP_TO)[:, None])).tolist()
    if said.startswith("the numbers that"):
        assert said == f"the numbers that an automaton of {automaton.states} states accepts"
        assert len(first_members(automaton, 9)) == 9
    else:
        assert {v for v in of_form(said) if v < UP_TO} == set(members), said
    first = first_members(automaton, 9)
    assert [v for v in first if v < UP_TO] == members[:9][: len(first)]
    assert len(first) >= min(9, len(members))


@settings(max_examples=examples(50))
@given(st.sets(st.integers(0, 200), max_size=8))
def test_finite_sets_are_listed(members):
    text = " or ".join(f"v == {v}" for v in sorted(members)) or "v < 0"
    automaton = of(text)
    assert is_finite(automaton)
    assert listed(describe(automaton)) == sorted(members)
    assert first_members(automaton, 100) == sorted(members)


def test_members_may_be_far_apart():
    assert first_members(of("v == 2**70 or v == 3")) == [3, 2**70]


def test_one_track_is_needed():
    with pytest.raises(AutomatonError, match="has 2"):
        describe(linear({"x": 1, "y": 1}, 0, "=="))
