"""Conditions as sentences against their values, and least positions against a search."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.automata.algebra import canonical, least
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.proof.arithmetic.engine import automaton_of
from choco_pipeline.proof.arithmetic.logic import TRUE
from choco_pipeline.proof.proof_errors import NotDefinableError
from choco_pipeline.proof.statements.sentences import at_most_each, has_value, holds, signed
from tests.automata.drawn import automata
from tests.effort import examples
from tests.proof.arithmetic.test_terms import integers, truths

MOST = 8


@pytest.mark.parametrize(
    "text",
    ["(x-1) ^ y ^ (z-1) == 0", "(x-s) ^ y ^ (z-p) == p", "x-p < y-s <= z or (y-2) & x == z-s"],
)
def test_negative_values_are_those_of_the_language(text) -> None:
    values = {"s": 3, "p": 1}
    automaton = automaton_of(holds(parse(text), values), {})
    for place in product(range(MOST), repeat=3):
        named = dict(zip("xyz", place, strict=True))
        assert automaton.accepts(named) == parse(text).value({**named, **values}), named


@settings(max_examples=examples(60))
@given(truths, st.integers(-3, 5))
def test_parameters_may_be_any_integers(text, value) -> None:
    formula = parse(text)
    automaton = automaton_of(holds(formula, {"z": value}), {})
    for x in range(MOST):
        assert automaton.accepts({"x": x}) == formula.value({"x": x, "z": value})


@settings(max_examples=examples(60))
@given(integers)
def test_values_of_both_signs(text) -> None:
    formula = parse(text)
    natural = automaton_of(has_value(formula, {"z": 2}, "'v"), {})
    negative = automaton_of(has_value(formula, {"z": 2}, "'v", negative=True), {})
    for x in range(MOST):
        value = formula.value({"x": x, "z": 2})
        for v in {0, 1, 5, abs(value), max(0, -value - 1)}:
            assert natural.accepts({"x": x, "'v": v}) == (value == v)
            assert negative.accepts({"x": x, "'v": v}) == (value == -v - 1)


@settings(max_examples=examples(60))
@given(truths)
def test_a_condition_on_negative_numbers(text) -> None:
    formula = parse(text)
    mirrored = automaton_of(holds(formula, {}, {"x": signed("x", negative=True)}), {})
    for x, z in product(range(MOST), repeat=2):
        assert mirrored.accepts({"x": x, "z": z}) == formula.value({"x": -x - 1, "z": z})


def test_nothing_is_asked_without_a_condition_or_a_bound() -> None:
    assert holds(None, {}) == TRUE
    assert at_most_each(("x", "y"), None) == TRUE
    box = automaton_of(at_most_each(("x", "y"), 3), {})
    for x, y in product(range(6), repeat=2):
        assert box.accepts({"x": x, "y": y}) == (max(x, y) <= 3)


def test_what_cannot_be_said_is_named() -> None:
    with pytest.raises(NotDefinableError, match=r"x\*y multiplies"):
        holds(parse("x*y == k"), {"k": 3})
    with pytest.raises(FormulaError, match="division by zero"):
        holds(parse("x//k == y"), {"k": 0})


def smallest(automaton, order, most=33):
    """Return the least point by search, None if there is none up to `most`."""
    points = np.array(list(product(range(most), repeat=len(order))))
    tracks = [order.index(track) for track in automaton.tracks]
    found = points[automaton.contains(points[:, tracks])].tolist()
    return min(map(tuple, found), key=lambda point: (max(point), point), default=None)


@settings(max_examples=examples(150))
@given(automata(("x", "y")), st.permutations(["x", "y"]))
def test_least_of_two(automaton, order) -> None:
    found = least(automaton, tuple(order))
    expected = smallest(automaton, order)
    assert found == expected or (expected is None and (found is None or max(found) > 32))


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(*[st.integers(0, 20)] * 3), max_size=6), st.permutations(["x", "y", "z"]))
def test_least_of_listed_points(points, order) -> None:
    text = " or ".join(f"x == {x} and y == {y} and z == {z}" for x, y, z in points)
    automaton = automaton_of(holds(parse(f"x == y == z == -1 or {text or '0 == 1'}"), {}), {})
    places = [tuple(dict(zip("xyz", p, strict=True))[name] for name in order) for p in points]
    expected = min(places, key=lambda place: (max(place), place), default=None)
    assert least(automaton, tuple(order)) == expected


def test_the_largest_number_counts_before_the_first() -> None:
    automaton = automaton_of(holds(parse("x == 4 and y == 7 or x == 6 and y == 5"), {}), {})
    assert least(automaton, ("x", "y")) == (6, 5)


def test_numbers_that_are_not_asked_about_are_zero() -> None:
    nothing = Automaton((), np.zeros((1, 1), np.int32), np.ones(1, np.bool_))
    assert least(canonical(nothing), ("x", "y")) == (0, 0)
