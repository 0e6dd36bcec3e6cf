"""Values at one place, on arrays, and their enclosures: against the plain meaning of drawn formulas."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.formula import evaluate as evaluate_module
from tests.formula.drawn import HIGH, LOW, NAMES, PLACES, formulas_of, unhurried

GRID = dict(zip(NAMES, np.ogrid[LOW : HIGH + 1, LOW : HIGH + 1, LOW : HIGH + 1], strict=True))


NO_VALUE = (
    r"(division by zero|shift by a negative count|power with a negative exponent|v2\(0\)|log2 of a number below 1)"
    r" at column \d+"
)


TOO_LARGE = r"outside signed integers of 64 bits|more than 4096 bits"


@unhurried
@given(formulas_of(), st.sampled_from(PLACES))
def test_value_is_the_meaning(drawn, place):
    formula = parse(drawn.text)
    expected = drawn.at(place)
    if expected is None:
        with pytest.raises(FormulaError, match=NO_VALUE):
            formula.value(place)
    else:
        assert formula.value(place) == expected
        assert isinstance(formula.value(place), bool) == formula.is_truth


@unhurried
@given(formulas_of(), st.sampled_from([7, 64, 1 << 16]))
def test_arrays_have_the_value_of_each_place(drawn, block):
    formula = parse(drawn.text)
    expected = [drawn.at(place) for place in PLACES]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate_module, "BLOCK", block)
        try:
            values, refusal = formula.evaluate(GRID), ""
        except FormulaError as error:
            values, refusal = np.empty(0), str(error)
    if refusal:
        low_enough = max((abs(value) for value in expected if value is not None), default=0) < 2**20
        needs_shift = "<<" in drawn.text or drawn.text.count("*") > 2  # only these get near 64 bits
        assert None in expected or needs_shift or not low_enough, f"{drawn.text}: {refusal}"
        assert re.search(f"{NO_VALUE}|{TOO_LARGE}", refusal)
    else:
        full = np.broadcast_to(values, (HIGH - LOW + 1,) * 3)
        assert values.dtype == (np.bool_ if formula.is_truth else np.int64)
        assert full.ravel().tolist() == expected, drawn.text


@unhurried
@given(
    formulas_of(large=True),
    st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 3), min_size=1, max_size=4),
)
def test_nothing_wraps(drawn, rows):
    formula = parse(drawn.text)
    arrays = dict(zip(NAMES, np.array(rows, dtype=np.int64).T, strict=True))
    try:
        values = formula.evaluate(arrays)
    except FormulaError:
        return
    expected = [drawn.at(dict(zip(NAMES, row, strict=True))) for row in rows]
    assert np.broadcast_to(values, len(rows)).tolist() == expected, drawn.text


@unhurried
@given(
    st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]),
    st.sampled_from(["x+y", "x*y-3", "x ^ y < 9", "x//(y+1)", "max(x, y) % 5", "x", "7"]),
)
def test_integer_dtypes_do_not_matter(dtype, text):
    x, y = np.arange(100, dtype=dtype), np.arange(0, 100, dtype=dtype)[:, None]
    wide = {"x": x.astype(np.int64), "y": y.astype(np.int64)}
    values = parse(text).evaluate({"x": x, "y": y})
    np.testing.assert_array_equal(values, parse(text).evaluate(wide))
    assert values.dtype in (np.int64, np.bool_)


@unhurried
@given(
    formulas_of(large=True),
    st.sampled_from([np.int8, np.uint8, np.int16, np.uint16, np.int64]),
    st.lists(st.tuples(*[st.integers(-300, 300)] * 3), min_size=2, max_size=4),
)
def test_narrow_integers_do_not_wrap(drawn, dtype, rows):
    formula, limits = parse(drawn.text), np.iinfo(dtype)
    rows = np.array(rows).clip(limits.min, limits.max)
    try:
        values = formula.evaluate_narrow(dict(zip(NAMES, rows.T.astype(dtype), strict=True)))
    except FormulaError:
        return
    expected = [drawn.at(dict(zip(NAMES, row, strict=True))) for row in rows.tolist()]
    assert np.broadcast_to(values, len(rows)).tolist() == expected, drawn.text


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("y != 0 and x//y == 3", lambda x, y: y != 0 and x // y == 3),
        ("not (y == 0 or x//y != 3)", lambda x, y: y != 0 and x // y == 3),
        ("0 != y < x//y == 3", lambda x, y: y != 0 and y < x // y == 3),
        (
            "y != 0 and (x < 2 or not x//y != 3 and 0 < x%y < x//y)",
            lambda x, y: y != 0 and (x < 2 or (x // y == 3 and 0 < x % y < x // y)),
        ),
        ("y >= 0 and x**y > 4", lambda x, y: y >= 0 and x**y > 4),
    ],
)
def test_a_decision_protects_from_operands_without_a_value(text, meaning):
    formula = parse(text)
    x, y = np.arange(-3, 20), np.arange(-3, 4)
    values = formula.evaluate({"x": x[:, None], "y": y})
    for (i, j), found in np.ndenumerate(values):
        place = {"x": int(x[i]), "y": int(y[j])}
        assert found == formula.value(place) == meaning(**place), place


def test_what_no_cell_asks_for_is_not_computed():
    never = parse("x < 0 and 1//0 == 1")
    assert never.evaluate({"x": np.arange(3)}).tolist() == [False] * 3
    with pytest.raises(FormulaError, match="division by zero at column 12"):
        never.evaluate({"x": np.arange(-1, 3)})


@pytest.mark.parametrize(
    ("text", "env", "column", "place"),
    [
        ("1 + x//y", {"x": [5, 6, 7], "y": [2, 0, 0]}, 6, "x=6, y=0"),
        ("1 + x % (y-1)", {"x": 9, "y": [2, 1]}, 7, "x=9, y=1"),
        ("((x)) // ((y))", {"x": [5], "y": [0]}, 7, "x=5, y=0"),
        ("x << y", {"x": [1, 2], "y": [3, -1]}, 3, "x=2, y=-1"),
        ("1 + x**(y-1)", {"x": [1, 2], "y": [3, 0]}, 6, "x=2, y=0"),
        ("3 + v2(x-2)", {"x": [1, 2, 3]}, 5, "x=2"),
        ("x + yy", {"x": [1], "y": [1]}, 5, 'did you mean "y"'),
        ("x ⊕ q", {}, 1, "no values are given"),
    ],
)
def test_places_without_a_value_are_named(text, env, column, place):
    with pytest.raises(FormulaError, match=place) as caught:
        parse(text).evaluate(env)
    assert (caught.value.text, caught.value.column) == (text, column)
    rows = zip(*(np.resize(values, 3).tolist() for values in env.values()), strict=True)
    places = [dict(zip(env, row, strict=True)) for row in rows] or [{}]
    with pytest.raises(FormulaError, match=place) as caught:
        [parse(text).value(place) for place in places]
    assert (caught.value.text, caught.value.column) == (text, column)


def test_the_first_place_at_fault_is_named_in_any_block():
    y = np.ones((40, 50), dtype=np.int64)
    y[7, 3] = y[30, 1] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate_module, "BLOCK", 60)
        with pytest.raises(FormulaError, match="division by zero at column 2: x=7, y=0"):
            parse("x//y").evaluate({"x": np.arange(40)[:, None], "y": y})


@pytest.mark.parametrize(
    ("text", "env", "column"),
    [
        ("2 + x*y", {"x": [10**10], "y": [10**9]}, 6),
        ("x*y", {"x": np.array([2**31 - 1], np.int32), "y": 2**40}, 2),
        ("x+1", {"x": [2**63 - 1]}, 2),
        ("x-1", {"x": [-(2**63)]}, 2),
        ("-x", {"x": [-(2**63)]}, 1),
        ("abs(x)", {"x": [-(2**63)]}, 1),
        ("x // y", {"x": [-(2**63)], "y": [-1]}, 3),
        ("1 << x", {"x": np.arange(64)}, 3),
        ("1 << x", {"x": [10**9]}, 3),
        ("2**x", {"x": np.arange(64)}, 2),
        ("x**3", {"x": [3, -(2**21) - 1]}, 2),
        ("2**x", {"x": [10**9]}, 2),
        ("x", {"x": np.array([2**63], np.uint64)}, 1),
        ("x + 1", {"x": [0.5]}, 1),
        ("x + 1", {"x": [True]}, 1),
        ("x + 1", {"x": 2**70}, 1),
        ("x + 9223372036854775808", {"x": [0]}, 5),
    ],
)
def test_what_64_bits_cannot_hold_is_refused(text, env, column):
    with pytest.raises(FormulaError) as caught:
        parse(text).evaluate(env)
    assert caught.value.column == column


def test_the_last_integers_of_64_bits_are_exact():
    assert parse("x*2 + 1").evaluate({"x": [2**62 - 1]}).tolist() == [2**63 - 1]
    assert parse("2**x - 1 + 2**x").evaluate({"x": [62]}).tolist() == [2**63 - 1]
    assert parse("x**y").evaluate({"x": [-2, -1, 0], "y": [63, 9, 0]}).tolist() == [-(2**63), -1, 1]
    assert parse("-x").evaluate({"x": [2**63 - 1]}).tolist() == [-(2**63) + 1]
    assert parse("x % y").evaluate({"x": [-(2**63)], "y": [-1]}).tolist() == [0]
    assert parse("v2(x)").evaluate({"x": [-(2**63), 2**62, -12, 7]}).tolist() == [63, 62, 2, 0]
    assert parse("x >> y").evaluate({"x": [-5, 5], "y": [200, 200]}).tolist() == [-1, 0]
    assert parse("x*y").evaluate({"x": np.array([2**20], np.int32), "y": 2**40}).tolist() == [2**60]


@pytest.mark.parametrize(
    ("text", "env"),
    [
        ("1 << 1000000000", {}),
        ("1 << x", {"x": 10**30}),
        ("2**4096", {}),
        ("9**x", {"x": 10**30}),
        ("(-3)**9**9**9", {}),
        ("x*x*x*x*x", {"x": 2**1000}),
        ("(1 << 4000)*(1 << 4000)", {}),
        ("x", {"x": 10**2000}),
    ],
)
def test_exact_integers_have_a_limit(text, env):
    with pytest.raises(FormulaError, match="needs more than 4096 bits") as caught:
        parse(text).value(env)
    assert caught.value.text == text
    with pytest.raises(FormulaError, match=r"4096 bits|outside signed integers"):
        parse(text).interval({name: (value, value) for name, value in env.items()})


def test_the_largest_power_is_exact():
    assert parse("2**4095").value({}) == 2**4095
    assert parse("(-3)**x").value({"x": 2583}) == (-3) ** 2583
    assert parse("x**y").value({"x": -1, "y": 10**100 + 1}) == -1
    assert parse("x**y").value({"x": 0, "y": 10**100}) == 0
    assert parse("0 << x").value({"x": 10**9}) == parse("5 >> x").value({"x": 10**9}) == 0
    assert parse("0 << x").evaluate({"x": [10**9]}).tolist() == [0]


def test_tables_must_be_given_and_be_rows_of_integers_with_the_place():
    f = parse("1 + g(n)", functions={"g"})
    for n in (3, -1):
        for ask in (f.value, lambda env, tables: f.evaluate({"n": [0, env["n"]]}, tables)):
            with pytest.raises(FormulaError, match=f"n={n}") as caught:
                ask({"n": n}, {"g": [1, 2, 3]})
            assert caught.value.column == 5
    for table in ([], [[1, 2]], [0.5], None):
        with pytest.raises(FormulaError) as caught:
            f.evaluate({"n": [0]}, {"h": [1]} if table is None else {"g": table})
        assert caught.value.column == 5
    with pytest.raises(FormulaError, match="has no table"):
        f.value({"n": 0}, None)
    with pytest.raises(FormulaError, match="has no table"):
        f.interval({"n": (0, 1)}, {"h": (0, 1)})


def test_arrays_given_are_not_changed():
    x = np.arange(10)
    parse("(-x + 3) ^ abs(x) - x*2").evaluate({"x": x})
    parse("x").evaluate({"x": x})[0] = 99
    assert x.tolist() == list(range(10))


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("x//0", 2),
        ("x % (3-3) == 1", 3),
        ("y + 1 << -1", 7),
        ("x >> (2-3)", 3),
        ("x == 1 and v2(0) == z", 12),
        ("x << 5000", 3),
        ("g(x//0)", 4),
    ],
)
def test_what_never_has_a_value_is_named_with_its_column(text, column):
    error = parse(text, functions={"g"}).always_undefined()
    assert (error.column, error.text) == (column, text)


@pytest.mark.parametrize(
    "text", ["x//y", "x//1", "x % (y-y)", "0//x", "1 << k", "v2(x)", "x // g(0)"]
)
def test_what_may_have_a_value(text):
    assert parse(text, functions={"g"}).always_undefined() is None


@given(
    st.sampled_from(["//", "%", "<<", ">>"]),
    st.integers(-3, 3),
    st.lists(st.integers(-5, 5), min_size=1, max_size=5),
)
def test_it_never_has_one_exactly_if_every_place_is_without_a_value(operator, constant, places):
    formula = parse(f"x {operator} ({constant})")
    fails = []
    for x in places:
        try:
            formula.value({"x": x})
            fails.append(False)
        except FormulaError:
            fails.append(True)
    assert set(fails) == {formula.always_undefined() is not None}
