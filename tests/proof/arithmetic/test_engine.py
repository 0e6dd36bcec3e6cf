"""Sentences and the engine against their meaning in plain Python."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.arithmetic import engine as module
from choco_pipeline.proof.arithmetic.engine import Engine, automaton_of
from choco_pipeline.proof.arithmetic.logic import (
    And,
    Bitwise,
    Exists,
    Member,
    NimSumZero,
    Not,
    Or,
    conjunction,
    disjunction,
    equal,
    free,
    implies,
    less,
    linear,
    negation,
    within,
)
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from tests.effort import examples
from tests.proof.interpret import NAMES, REACH, depth, sentences, truth
from tests.proof.relations import counterexample, small, small_sets

A, B, C = (Member(name, ("x",)) for name in "ABC")


@given(sentences, sentences, sentences)
def test_helpers_mean_what_they_say(p, q, r):
    values = {"x": 2, "y": 1, "z": 3}
    most = 3 + 3 * max(map(depth, (p, q, r)))
    sets = small_sets(most)

    def holds(sentence):
        return truth(sentence, values, sets, most)

    assert holds(conjunction(p, q)) == (holds(p) and holds(q))
    assert holds(disjunction(p, q)) == (holds(p) or holds(q))
    assert holds(negation(p)) == (not holds(p))
    assert holds(within(p, q)) == (holds(p) and holds(q))
    assert holds(implies(p, q, r)) == (not (holds(p) and holds(q)) or holds(r))


def test_a_condition_goes_inside_of_quantifiers_and_is_not_captured():
    some, condition = Exists(("u",), less("u", "y")), less("x", "y")
    inside = Exists(("u",), And((condition, less("u", "y"))))
    assert within(condition, disjunction(some, A)) == disjunction(inside, conjunction(condition, A))
    about_u = less("u", "x")
    assert within(about_u, some) == And((about_u, some))


MOST = 4


@settings(max_examples=examples(200))
@given(sentences)
def test_automata_accept_what_makes_the_sentence_true(sentence):
    automaton = automaton_of(sentence, small())
    assert automaton.tracks == tuple(sorted(free(sentence)))
    most = MOST + REACH * depth(sentence)
    sets = small_sets(most)
    for point in product(range(MOST + 1), repeat=len(NAMES)):
        values = dict(zip(NAMES, point, strict=True))
        assert automaton.accepts(values) == truth(sentence, values, sets, most), (sentence, values)


@given(sentences)
@example(Not(Or((Member("order", ("y", "z")),))))
def test_decisions_come_with_a_counterexample(sentence):
    values = counterexample(sentence, small())
    most = MOST + REACH * depth(sentence)
    sets = small_sets(most)
    false = [
        point
        for point in product(range(MOST), repeat=len(free(sentence)))
        if not truth(sentence, dict(zip(sorted(free(sentence)), point, strict=True)), sets, most)
    ]
    if values is None:
        assert not false
        return
    assert list(values) == sorted(free(sentence))
    found = tuple(values.values())
    assert found in false or max(found, default=0) >= MOST, (sentence, found)
    if not isinstance(sentence, Not | And):  # then no quantifier is outermost in its negation
        least = min(
            false, key=lambda point: (max(point, default=0).bit_length(), point), default=found
        )
        assert found == least, (sentence, found)


def test_a_bound_name_may_be_bound_again():
    inner = Exists(("u",), And((less("u", "y"), Not(Exists(("u",), less("u", "x"))))))
    assert counterexample(Or((Not(Exists(("u",), And((less("u", "x"), inner)))),)), {}) is None
    shadow = Exists(("u",), And((equal("u", "x"), Exists(("u",), less("x", "u")))))
    assert counterexample(shadow, {}) is None


def test_several_names_bound_at_once():
    sizes = linear({"u": 2, "v": 3, "x": -1}, 0, "==")
    one = linear({"v": 5, "x": -1}, 1, "==")  # 1, 6, 11, …
    for sentence, missing in (
        (Exists(("u",), Exists(("v",), sizes)), {1}),
        (Exists(("u", "v"), sizes), {1}),
        (Exists(("u", "v"), Or((sizes, one))), set()),
    ):
        automaton = automaton_of(sentence, {})
        assert automaton.tracks == ("x",)
        assert {x for x in range(12) if not automaton.accepts({"x": x})} == missing


def test_arguments_may_be_equal_and_come_in_any_order():
    order = small()
    assert counterexample(Member("order", ("x", "x")), order) == {"x": 0}
    assert automaton_of(Member("order", ("y", "x")), order).accepts({"x": 1, "y": 1})
    assert not automaton_of(Member("order", ("y", "x")), order).accepts({"x": 1, "y": 2})


def test_unknown_relations_and_other_arguments_are_refused():
    with pytest.raises(NotDefinableError, match="no automaton for R7: given are even, order"):
        counterexample(Member("R7", ("x",)), small())
    with pytest.raises(NotDefinableError, match="even of 2 arguments needs the tracks 0, 1"):
        counterexample(Member("even", ("x", "y")), small())


def test_limits_end_in_undecided(monkeypatch):
    sentence = Exists(
        ("u",), And((linear({"u": 5, "x": -3}, 2, "=="), NimSumZero(("u", "x", "y"))))
    )
    with pytest.raises(UndecidedError, match="too large"):
        Engine({}, most_states=3).counterexample(sentence)
    with pytest.raises(UndecidedError, match="time is up"):
        Engine({}, 0.0).counterexample(sentence)
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    with pytest.raises(UndecidedError, match="parts take more than 100 B"):
        Engine({}).counterexample(sentence)


def test_a_witness_needs_no_projection():
    """That x has the digit 1 a dozen places below its highest one takes thousands of states without the mark u."""
    places = 12
    before, dead, last = 0, places + 2, places + 1
    delta = np.full((places + 3, 4), dead, np.int32)
    delta[before] = [
        before,
        before,
        dead,
        1,
    ]  # symbols are x + 2*u: the mark is where x has the digit 1
    for passed in range(1, places):
        delta[passed, :2] = passed + 1
    delta[places, 1] = last  # the highest digit
    delta[last, 0] = last
    marked = Automaton(("0", "1"), delta, np.arange(places + 3) == last)
    engine = Engine({"marked": marked}, most_states=1000)
    sentence = Exists(("u",), Member("marked", ("x", "u")))
    with pytest.raises(UndecidedError, match="too large"):
        engine.automaton_of(sentence)
    assert engine.counterexample(Not(sentence)) == {"x": (1 << places) + 1}
    assert not engine.is_valid(Not(sentence))


def test_a_sentence_without_variables_is_a_truth():
    some_larger = Not(Exists(("x",), Not(Exists(("y",), less("x", "y")))))
    assert counterexample(some_larger, {}) is None
    assert counterexample(Exists(("x",), Bitwise("^", "x", "x", "x")), {}) is None  # 0 ^ 0 == 0
    assert counterexample(Exists(("x",), And((less("x", "x"),))), {}) == {}
