"""Intervals enclose every value of a formula over ranges, and are tight enough."""

from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.formula import parse
from tests.formula.small_places import HIGH, LOW, PLACES

from .drawn import INTEGER_SIGNS, NAMES, Drawn, formulas_of, power, shift, unhurried


@unhurried
@given(formulas_of(), st.data())
def test_interval_encloses_every_value(drawn: Drawn, data):
    ranges = {}
    for name in NAMES:
        low = data.draw(st.integers(LOW, HIGH), label=f"low {name}")
        ranges[name] = (low, data.draw(st.integers(low, HIGH), label=f"high {name}"))
    values = [
        drawn.at(place)
        for place in PLACES
        if all(low <= place[name] <= high for name, (low, high) in ranges.items())
    ]
    low, high = parse(drawn.text).interval(ranges)
    for value in values:
        assert value is None or low <= value <= high, drawn.text


@pytest.mark.parametrize("sign", sorted([*INTEGER_SIGNS, "<<", ">>", "**"]))
def test_interval_of_each_operator_on_all_small_ranges(sign):
    formula = parse(f"x {sign} y")
    ranges = [(low, high) for low in range(-4, 5) for high in range(low, 5)]
    act = power if sign == "**" else INTEGER_SIGNS.get(sign, partial(shift, sign))
    table = {}
    for x, y in product(range(-4, 5), repeat=2):
        if not (y == 0 and sign in "//%") and not (y < 0 and sign in ("<<", ">>", "**")):
            table[x, y] = act(x, y)
    for left, right in product(ranges, repeat=2):
        low, high = formula.interval({"x": left, "y": right})
        for place in product(range(left[0], left[1] + 1), range(right[0], right[1] + 1)):
            assert low <= table.get(place, low) <= high, f"{place} in {left} {sign} {right}"


def test_interval_of_a_power_is_exact():
    formula = parse("x**y")
    bases = [(low, high) for low in range(-4, 5) for high in range(low, 5)]
    exponents = [(low, high) for low in range(6) for high in range(low, 6)]
    for base, exponent in product(bases, exponents):
        values = [
            power(x, y)
            for x in range(base[0], base[1] + 1)
            for y in range(exponent[0], exponent[1] + 1)
        ]
        found = formula.interval({"x": base, "y": exponent})
        assert found == (min(values), max(values)), f"{base}**{exponent}"


@pytest.mark.parametrize(
    ("text", "ranges", "expected"),
    [
        ("(x+z)//3", {"x": (0, 7), "z": (0, 7)}, (0, 4)),
        ("x*z", {"x": (-2, 3), "z": (-5, 1)}, (-15, 10)),
        ("x % 7", {"x": (0, 100)}, (0, 6)),
        ("x % 7", {"x": (0, 3)}, (0, 3)),
        ("x ^ z", {"x": (0, 8), "z": (0, 3)}, (0, 11)),
        ("x & z", {"x": (-8, 8), "z": (0, 3)}, (0, 3)),
        ("x % (-7)", {"x": (0, 100)}, (-6, 0)),
        ("x % (-7)", {"x": (-3, -1)}, (-3, -1)),
        ("x ^ z", {"x": (-8, 7), "z": (-1, 1)}, (-8, 7)),
        ("x // z", {"x": (10, 20), "z": (-2, 5)}, (-20, 20)),
        ("v2(x)", {"x": (-5, 8)}, (0, 3)),
        ("abs(x)", {"x": (-5, 3)}, (0, 5)),
        ("1 << x", {"x": (-3, 100)}, (1, 2**100)),
        ("2**x", {"x": (-3, 100)}, (1, 2**100)),
        ("(-1)**x", {"x": (0, 2**4000)}, (-1, 1)),
        ("x**2", {"x": (-3, 2)}, (0, 9)),
        ("x == 1", {"x": (0, 3)}, (0, 1)),
    ],
)
def test_intervals_are_tight_enough(text, ranges, expected):
    assert parse(text).interval(ranges) == expected
