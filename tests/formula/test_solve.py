"""Names replaced, recognised and solved for."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse

from .drawn import (
    NAMES,
    binary,
    chain,
    formulas_of,
    integers_of,
    junction,
    literal,
    name,
    negated,
    truths_of,
    unhurried,
)

PLACES = [dict(zip(NAMES, place, strict=True)) for place in product(range(-2, 5), repeat=3)]


@unhurried
@given(formulas_of(), st.sampled_from(PLACES), st.sets(st.sampled_from(NAMES)))
def test_substitution_is_the_value_there(drawn, place, replaced):
    formula = parse(drawn.text)
    rest = formula.substitute({name: place[name] for name in replaced})
    assert rest.names == formula.names - replaced
    assert parse(rest.text) == rest
    expected = drawn.at(place)
    if expected is None:
        with pytest.raises(FormulaError):
            rest.value(place)
    else:
        assert rest.value(place) == expected


def test_columns_count_in_the_text_after_substitution():
    rest = parse("( x + z ) // k").substitute({"k": 0})
    assert rest.source == rest.text == "(x+z)//0"
    with pytest.raises(FormulaError, match="division by zero at column 6") as caught:
        rest.value({"x": 1, "z": 1})
    assert caught.value.text == "(x+z)//0"
    with pytest.raises(FormulaError, match="value of 10001 bits for k: at most 4096"):
        parse("x//k").substitute({"k": 1 << 10_000})


@unhurried
@given(formulas_of(), st.integers(-9, 9), st.integers(-9, 9))
def test_constants_of_a_pattern_are_found_again(drawn, y, z):
    pattern = parse(drawn.text)
    formula = pattern.substitute({"y": y, "z": z})
    found = formula.match(pattern, fixed={"x"})
    assert found is not None, f"{formula.text} is {pattern.text} with y={y}, z={z}"
    assert found.keys() == pattern.names - {"x"}
    assert pattern.substitute(found) == formula


@unhurried
@given(formulas_of(), formulas_of())
def test_a_match_makes_the_formula(drawn, other):
    formula, pattern = parse(drawn.text), parse(other.text)
    found = formula.match(pattern, fixed={"x"})
    if found is not None:
        assert pattern.substitute(found) == formula


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("(x+z)//3", "(x+z)//k", {"k": 3}),
        ("(x+(-3))//3", "(x+s)//k", {"s": -3, "k": 3}),
        ("-3*x", "k*x", {"k": -3}),
        ("x//3 + z//3", "x//k + z//k", {"k": 3}),
        ("(x+z)//3", "(z+x)//k", None),
        ("(x+z)//y", "(x+z)//k", None),
        ("(x+z)//(1+2)", "(x+z)//k", None),
        ("(-2)**x", "b**x", {"b": -2}),
        ("-2**x", "-b**x", {"b": 2}),
        ("-2**x", "(-b)**x", None),
        ("x < 3", "x <= k", None),
        ("x < 3 and z == 1", "x < k and z == m", {"k": 3, "m": 1}),
        ("x < 3 or z == 1", "x < k and z == m", None),
        ("min(x, z, 3)", "min(x, k)", None),
        ("min(x, 3)", "max(x, k)", None),
        ("7", "k", {"k": 7}),
        ("7", "-k", None),
    ],
)
def test_matches(text, pattern, expected):
    assert parse(text).match(parse(pattern), {"x", "z"}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x+s) ^ y ^ (z+s) ^ p == 0", ["(y ^ (z+s) ^ p)-s"]),
        ("0 == (x+s) ^ y ^ (z+s)", ["(y ^ (z+s))-s"]),
        ("x+s == 0", ["-s"]),
        ("-x == 3", ["-3"]),
        ("-(x-y) == z", ["-z+y"]),
        ("(x ^ 0) == y", ["y"]),
        ("x ^ 3 == y ^ z", ["3 ^ y ^ z"]),
        ("(x==0 and y==0 and z==0 and p==1) or (x+s)^y^(z+s)^p==0", ["0", "(y ^ (z+s) ^ p)-s"]),
        ("x == 1 or x == 2 or x == 1", ["1", "2"]),
        ("(x == 1 or x == 2) and x == y", ["y"]),
        ("y < x == z", ["z"]),
        ("x == (z+y)//3", ["(z+y)//3"]),
        ("x <= 3", None),
        ("not x == 3", None),
        ("x == 3 or y == 2", None),
        ("x == x ^ y", None),
        ("x//2 == y", None),
        ("abs(x) == y", None),
        ("x == y//z", None),
        ("x == 2**y", None),
        ("x == y**(-1)", None),
        ("x == y**2 + 1", ["y**2+1"]),
        ("x == v2(y)", None),
        ("x == g(y)", None),
    ],
)
def test_solutions(text, expected):
    solutions = parse(text, functions={"g"}).solve("x")
    assert (solutions and [solution.text for solution in solutions]) == expected


def test_only_conditions_are_solved():
    with pytest.raises(FormulaError):
        parse("x+1").solve("x")


def test_a_solution_too_deep_to_be_a_formula_is_none():
    others = "".join("+y" for _ in range(60))
    assert parse(f"x == 1{others}").solve("x") is not None
    assert parse(f"(x{others}) == 1{others}").solve("x") is None


def assert_solved(drawn):
    """Check that where the condition holds, x is one of the solutions; return whether there are any."""
    solutions = parse(drawn.text).solve("x")
    for solution in solutions or []:
        assert "x" not in solution.names
        assert not solution.is_truth
    for place in PLACES:
        if solutions is not None and drawn.at(place):
            values = [solution.value(place) for solution in solutions]
            assert place["x"] in values, f"{drawn.text} at {place}: {values}"
    return solutions is not None


@unhurried
@given(truths_of(NAMES))
def test_solutions_hold_wherever_a_condition_does(drawn):
    assert_solved(drawn)


others = integers_of(("y", "z"))
plain = st.sampled_from(["y", "z"]).map(name) | st.integers(-3, 3).map(literal)


@st.composite
def equations(draw, operands=plain):
    """Draw an equation in which x is reached by steps that can be undone."""
    side = name("x")
    for _ in range(draw(st.integers(0, 4))):
        other, sign = draw(operands), draw(st.sampled_from(["+", "-", "^", "minus"]))
        if sign == "minus":
            side = negated(side)
        else:
            left, right = (side, other) if draw(st.booleans()) else (other, side)
            side = binary(sign, left, right)
    target = draw(operands)
    return chain(*((side, [("==", target)]) if draw(st.booleans()) else (target, [("==", side)])))


@unhurried
@given(equations())
def test_steps_that_can_be_undone_are(drawn):
    assert assert_solved(drawn)


@unhurried
@given(equations(operands=others))
def test_solutions_have_a_value_everywhere(drawn):
    solutions = parse(drawn.text).solve("x")
    for solution in solutions or []:
        for place in PLACES:
            solution.value(place)
    assert_solved(drawn)


@unhurried
@given(
    st.lists(equations(), min_size=2, max_size=4), truths_of(NAMES), st.sampled_from(["and", "or"])
)
def test_junctions_of_equations_are_solved(drawn, condition, word):
    assert assert_solved(junction(word, drawn))
    assert assert_solved(junction("and", [junction(word, drawn), condition]))
    assert_solved(junction("or", [junction(word, drawn), condition]))


def test_look_ups_are_named_inner_ones_first():
    f = parse("g(n) == g(g(n)-1) + x and h(n) < g(n)", functions={"g", "h"})
    named, asked = f.name_look_ups("g", "G")
    assert named.text == "G0 == G1+x and h(n) < G0"
    assert {name: part.text for name, part in asked.items()} == {"G0": "n", "G1": "G0-1"}
    assert parse("n < 3").name_look_ups("g", "G") == (parse("n < 3"), {})
