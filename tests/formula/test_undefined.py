"""What has no value whatever the names are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x//0", "division by zero at column 2"),
        ("x % (3-3) == 1", "division by zero at column 3"),
        ("y + 1 << -1", "shift by a negative count at column 7"),
        ("x >> (2-3)", "shift by a negative count at column 3"),
        ("x == 1 and v2(0) == z", "at column 12"),
        ("x << 5000", "needs more than 4096 bits"),
        ("g(x//0)", "division by zero at column 4"),
    ],
)
def test_named_with_its_column(text: str, message: str) -> None:
    error = parse(text, functions={"g"}).always_undefined()
    assert isinstance(error, FormulaError)
    assert message in str(error)
    assert error.text == text


@pytest.mark.parametrize(
    "text", ["x//y", "x//1", "x % (y-y)", "0//x", "1 << k", "v2(x)", "x // g(0)"]
)
def test_what_may_have_a_value(text: str) -> None:
    assert parse(text, functions={"g"}).always_undefined() is None


@given(
    st.sampled_from(["//", "%", "<<", ">>"]),
    st.integers(-3, 3),
    st.lists(st.integers(-5, 5), min_size=1, max_size=5),
)
def test_it_is_so_exactly_if_every_place_is_without_a_value(
    operator: str, constant: int, places: list[int]
) -> None:
    formula = parse(f"x {operator} ({constant})")
    fails = []
    for x in places:
        try:
            formula.value({"x": x})
            fails.append(False)
        except FormulaError:
            fails.append(True)
    assert set(fails) == {formula.always_undefined() is not None}
