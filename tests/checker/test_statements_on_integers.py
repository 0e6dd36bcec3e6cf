"""The checker on certificates of statements on integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from tests.checker.certificates import checker, integers, verdict_on

#: Three shifts in one condition: an automaton of each would remember nine digits, and of all of them 2 ** 27 states.
FAR, LESS = "(x >> 9) + (z >> 9) - 7*(y >> 9) >= (x ^ y ^ z) >> 10", "for k in 1..9, z in 0..N: "
XYZ, PAIRS = "for x in 0..N, y in 0..N, z in 0..N: ", "count(y in 0..x, z in 0..x: y+z == 2)"
ON_INTEGERS: list[tuple[str, dict[str, int], str]] = [
    ("for x in 0..N: x//2*2 <= x", {}, "proved"),
    ("for x in 5..N, from_first_of_x in 0..N: x < from_first_of_x + 3000", {}, "refuted"),
    ("for x in 0..N, y in 0..N: let d = (x-y)//2: 2*d <= x-y", {}, "proved"),
    ("for x in 0..N, y in 0..N: let d = (x-y)//2: d >= -1000", {}, "refuted"),
    ("for x in 0..N, y in N-1000..N: x + y < 5000", {}, "refuted"),  # from some bound on only
    ("for x in -N..N: abs(x) % 3 == abs(-x) % 3", {}, "proved"),
    ("for x in -N..N: x ^ -1 == -x-1 and x & 1 == x % 2", {}, "proved"),
    ("for x in -N..N: x != -77777", {}, "refuted"),
    ("for x in 1..N step 2: x % 2 == 1", {}, "proved"),
    ("for x in 0..N: x < 0 => x == 1", {}, "vacuous"),
    (LESS + "z - k*(z//k) < k", {"k": 7}, "proved"),
    (LESS + "z - k*(z//k) < k", {"k": 11}, "vacuous"),
    (LESS + "z - k*(z//k) < k", {}, "undecided"),
    (LESS + "z < k", {"q": 7}, "no certificate"),
    ("for x in 0..N: (x % 2 == 0 or x % 2 == 1)", {}, "proved"),
    ("for x in 0..N: (x % 4 == 0 or x % 4 == 1 or x % 4 == 3)", {}, "refuted"),
    ("for x in 0..N: (x % 2 == 0 <=> x ^ 1 > x)", {}, "proved"),
    ("for x in 0..N: (x % 2 == 0 <=> x | 1 > x <=> x < 50)", {}, "refuted"),
    ("for x in 0..N: count(z in 0..2*N: z ^ z//4 == x) == 1", {}, "proved"),
    ("for x in 0..N: count(z in 0..N: 2*z == x) == 1", {}, "refuted"),
    (f"for x in 2..N: {PAIRS} == 3", {}, "proved"),
    (f"for x in 2..N: {PAIRS} == 2", {}, "refuted"),
    ("for x in 2..N: count(y in 0..x: y < 9) >= 3", {}, "proved"),
    ("for x in 2..N: count(y in 0..x: y < 9) >= 4", {}, "refuted"),
    ("for x in 2..N: count(y in 0..x: y < 0) == 0", {}, "proved"),
    ("for x in 0..N: ", {}, "no certificate"),
    ("for x in 0..N: let x = 1: x == 1", {}, "no certificate"),
    ("for N in 0..5: N < 6", {}, "no certificate"),
    ("for x in 0..N: x*x >= x", {}, "undecided"),
    ("for x in -N..N: (x >> 40) + (x >> 40) == (x >> 40) << 1", {}, "proved"),
    (f"{XYZ}{FAR} => {FAR} - 2", {}, "refuted"),
    (f"{XYZ}{FAR} => {FAR}", {}, "proved"),
    ("for x in -N..N: (x >> 9 == 3 <=> 3*512 <= x < 4*512)", {}, "proved"),
    ("for x in -N..N: (x >> 9 == 3 <=> 3*512 <= x <= 4*512)", {}, "refuted"),
]


@pytest.mark.parametrize(("statement", "names", "wanted"), ON_INTEGERS)
def test_statements_on_integers(statement, names, wanted, folder):
    verdict, why = verdict_on(integers(statement, **names), folder)
    assert verdict == wanted, why


def formulas():
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
