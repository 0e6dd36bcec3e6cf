"""The checker on certificates of statements on integers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from tests.checker.certificates import checker, integers, verdict_on

#: Three shifts in one condition: an automaton of each would remember nine digits, and of all of them 2 ** 27 states.
DIGIT_9 = "(x >> 9) + (z >> 9) - 7*(y >> 9) >= (x ^ y ^ z) >> 10"


ON_INTEGERS: list[tuple[dict[str, Any], dict[str, int], str]] = [
    ({"all": {"x": "0..N"}, "holds": "x//2*2 <= x"}, {}, "proved"),
    (
        {"all": {"x": "5..N", "from_first_of_x": "0..N"}, "holds": "x < from_first_of_x + 3000"},
        {}, "refuted",
    ),
    (
        {"all": {"x": "0..N", "y": "0..N"}, "let": {"d": "(x-y)//2"}, "holds": "2*d <= x-y"}, {},
        "proved",
    ),
    (
        {"all": {"x": "0..N", "y": "0..N"}, "let": {"d": "(x-y)//2"}, "holds": "d >= -1000"}, {},
        "refuted",
    ),
    ({"all": {"x": "-N..N"}, "holds": "abs(x) % 3 == abs(-x) % 3"}, {}, "proved"),
    ({"all": {"x": "-N..N"}, "holds": ["x ^ -1 == -x-1", "x & 1 == x % 2"]}, {}, "proved"),
    ({"all": {"x": "-N..N"}, "holds": "x != -77777"}, {}, "refuted"),
    ({"all": {"x": "1..N step 2"}, "holds": "x % 2 == 1"}, {}, "proved"),
    ({"all": {"x": "0..N"}, "where": "x < 0", "holds": "x == 1"}, {}, "vacuous"),
    ({"all": {"k": "1..9", "z": "0..N"}, "holds": "z - k*(z//k) < k"}, {"k": 7}, "proved"),
    ({"all": {"k": "1..9", "z": "0..N"}, "holds": "z - k*(z//k) < k"}, {"k": 11}, "vacuous"),
    ({"all": {"k": "1..9", "z": "0..N"}, "holds": "z - k*(z//k) < k"}, {}, "undecided"),
    ({"all": {"k": "1..9", "z": "0..N"}, "holds": "z < k"}, {"q": 7}, "no certificate"),
    ({"all": {"x": "0..N"}, "any": ["x % 2 == 0", "x % 2 == 1"]}, {}, "proved"),
    ({"all": {"x": "0..N"}, "any": ["x % 4 == 0", "x % 4 == 1", "x % 4 == 3"]}, {}, "refuted"),
    ({"all": {"x": "0..N"}, "equivalent": ["x % 2 == 0", "x ^ 1 > x"]}, {}, "proved"),
    ({"all": {"x": "0..N"}, "equivalent": ["x % 2 == 0", "x | 1 > x", "x < 50"]}, {}, "refuted"),
    (
        {"all": {"x": "0..N"}, "number": {"of": {"z": "0..2*N"}, "such": "z ^ z//4 == x", "exactly": 1}},
        {}, "proved",
    ),
    (
        {"all": {"x": "0..N"}, "number": {"of": {"z": "0..N"}, "such": "2*z == x", "exactly": 1}},
        {}, "refuted",
    ),
    (
        {"all": {"x": "2..N"}, "number": {"of": {"y": "0..x", "z": "0..x"}, "such": "y+z == 2", "exactly": 3}},
        {}, "proved",
    ),
    (
        {"all": {"x": "2..N"}, "number": {"of": {"y": "0..x", "z": "0..x"}, "such": "y+z == 2", "exactly": 2}},
        {}, "refuted",
    ),
    (
        {"all": {"x": "2..N"}, "number": {"of": {"y": "0..x"}, "such": "y < 9", "least": 3}}, {},
        "proved",
    ),
    (
        {"all": {"x": "2..N"}, "number": {"of": {"y": "0..x"}, "such": "y < 9", "least": 4}}, {},
        "refuted",
    ),
    (
        {"all": {"x": "2..N"}, "number": {"of": {"y": "0..x"}, "such": "y < 0", "exactly": 0}},
        {}, "proved",
    ),
    ({"all": {"x": "0..N"}}, {}, "no certificate"),
    ({"all": {"x": "0..N"}, "let": {"x": "1"}, "holds": "x == 1"}, {}, "no certificate"),
    ({"all": {"N": "0..5"}, "holds": "N < 6"}, {}, "no certificate"),
    ({"all": {"x": "0..N"}, "holds": "x*x >= x"}, {}, "undecided"),
    ({"all": {"x": "-N..N"}, "holds": "(x >> 40) + (x >> 40) == (x >> 40) << 1"}, {}, "proved"),
    (
        {"all": {name: "0..N" for name in "xyz"}, "where": DIGIT_9, "holds": DIGIT_9 + " - 2"},
        {}, "refuted",
    ),
    ({"all": {name: "0..N" for name in "xyz"}, "where": DIGIT_9, "holds": DIGIT_9}, {}, "proved"),
    ({"all": {"x": "-N..N"}, "equivalent": ["x >> 9 == 3", "3*512 <= x < 4*512"]}, {}, "proved"),
    ({"all": {"x": "-N..N"}, "equivalent": ["x >> 9 == 3", "3*512 <= x <= 4*512"]}, {}, "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "names", "wanted"), ON_INTEGERS)
def test_statements_on_integers(check, names, wanted, folder):
    verdict, why = verdict_on(integers({"bound": 20, **check}, **names), folder)
    assert verdict == wanted, why


def test_a_statement_may_fail_from_some_bound_on_only(folder):
    check = {"bound": 20, "all": {"x": "0..N", "y": "N-1000..N"}, "holds": "x + y < 5000"}
    assert verdict_on(integers(check), folder)[0] == "refuted"


def formulas() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(["x", "y", "1", "2", "5", "0"])
    return st.recursive(
        leaves,
        lambda part: st.one_of(
            st.builds("({} {} {})".format, part, st.sampled_from(["+", "-", "^", "&", "|"]), part),
            st.builds(
                "({} {} {})".format,
                part,
                st.sampled_from(["//", "%"]),
                st.sampled_from(["1", "2", "3", "-3"]),
            ),
            st.builds(
                "({} {} {})".format,
                part,
                st.sampled_from(["<<", ">>", "*"]),
                st.sampled_from("0123"),
            ),
            st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), part, part),
            st.builds("abs({})".format, part),
            st.builds("-{}".format, part),
        ),
        max_leaves=4,
    )


@given(formulas(), formulas(), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
def test_a_condition_means_what_the_language_says(left, right, sign):
    text = f"{left} {sign} {right} or not {right} < x"
    formula, check = parse(text), checker()
    try:
        automaton = check.condition(text, {name: {name: 1} for name in "xy"})
    except check.UndecidedError:
        return
    free = [name for name in "xy" if name in automaton.tracks]
    for x in range(-9, 10, 2):
        for y in range(-6, 10, 3):
            try:
                value = bool(formula.value({"x": x, "y": y}))
            except FormulaError:
                continue
            here = {"x": x, "y": y}
            at = [check.limits({name: 1}, here[name], here[name]) for name in free]
            assert (check.witness(check.all_of([*at, automaton])) is not None) == value, here
