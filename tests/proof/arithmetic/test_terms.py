"""Formulas as sentences against the values of the formulas."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.proof.arithmetic.engine import automaton_of
from choco_pipeline.proof.arithmetic.terms import at_most, condition, value_is
from choco_pipeline.proof.proof_errors import NotDefinableError
from tests.effort import examples

MOST = 6

constants = st.integers(-4, 6).map(str)
divisors = st.sampled_from(["1", "2", "3", "5", "-1", "-2", "-3"])
shifts = st.sampled_from(["0", "1", "2"])


def _larger(smaller):
    return st.one_of(
        st.builds("({} {} {})".format, smaller, st.sampled_from("+-^&|"), smaller),
        st.builds("({})*({})".format, smaller, constants),
        st.builds("({})*({})".format, constants, smaller),
        st.builds("({}){}({})".format, smaller, st.sampled_from(["//", "%"]), divisors),
        st.builds("(({}) {} {})".format, smaller, st.sampled_from(["<<", ">>"]), shifts),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), smaller, smaller),
        st.builds("abs({})".format, smaller),
        st.builds("-({})".format, smaller),
    )


integers = st.recursive(st.one_of(st.sampled_from("xz"), constants), _larger, max_leaves=4)
compared = st.builds(
    "{} {} {}".format, integers, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), integers
)
truths = st.recursive(
    compared,
    lambda smaller: st.one_of(
        st.builds("({}) {} ({})".format, smaller, st.sampled_from(["and", "or"]), smaller),
        st.builds("not ({})".format, smaller),
    ),
    max_leaves=2,
)


def places():
    return [dict(zip("xz", point, strict=True)) for point in product(range(MOST), repeat=2)]


@settings(max_examples=examples(150))
@given(integers)
def test_values(text):
    formula = parse(text)
    below = automaton_of(at_most("y", formula), {})
    same = automaton_of(value_is("y", formula), {})
    for place in places():
        value = formula.value(place)
        for y in {0, 1, 7, max(0, value - 1), max(0, value), max(0, value + 1)}:
            assert below.accepts({**place, "y": y}) == (y <= value), (text, place, y)
            assert same.accepts({**place, "y": y}) == (y == value), (text, place, y)


@settings(max_examples=examples(150))
@given(truths)
def test_conditions(text):
    formula = parse(text)
    automaton = automaton_of(condition(formula), {})
    for place in places():
        assert automaton.accepts(place) == formula.value(place), (text, place)


LOOKED_UP = parse("g(x)+1", functions={"g"})
NESTED = "abs(" * 60 + "x-z" + ")" * 60
LONG = " ^ ".join(f"(x-{n})" for n in range(1, 30))


@pytest.mark.parametrize(
    ("formula", "error", "why"),
    [
        ("x*z", NotDefinableError, r"x\*z multiplies two coordinates"),
        ("x**2+z", NotDefinableError, r"x\*\*2 is a power"),
        ("2**x", NotDefinableError, r"2\*\*x is a power"),
        ("(x+1)//(z+1)", NotDefinableError, "right operand of // that is not a constant"),
        ("x % (z+1)", NotDefinableError, "right operand of % that is not a constant"),
        ("x << z", NotDefinableError, "right operand of << that is not a constant"),
        ("x >> z", NotDefinableError, "right operand of >> that is not a constant"),
        ("v2(x+1)", NotDefinableError, r"v2\(x\+1\) is an exponent"),
        (LOOKED_UP, NotDefinableError, r"g\(x\) looks up a table"),
        ("x//0", ChocoError, "division by zero"),
        ("x << 10**9", ChocoError, "needs more than 4096 bits"),
        ("x >> 10**9", ChocoError, "needs more than 4096 bits"),
    ],
)
@pytest.mark.parametrize("say", [at_most, value_is])
def test_what_is_not_arithmetic_is_refused(say, formula, error, why):
    with pytest.raises(error, match=why):
        say("y", parse(formula) if isinstance(formula, str) else formula)


@pytest.mark.parametrize(
    ("say", "text", "why"),
    [
        (lambda f: at_most("y", f), NESTED, "more than 20,000 comparisons are needed"),
        (condition, f"{LONG} == 0", "more than 2000 auxiliary variables are needed"),
        (condition, "x", "x is an integer"),
    ],
)
def test_what_is_too_long_or_no_condition_is_refused(say, text, why):
    with pytest.raises(NotDefinableError, match=why):
        say(parse(text))
