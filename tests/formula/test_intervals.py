"""Intervals enclose every value of a formula over ranges, with and without ends, and are tight enough."""

from functools import partial
from itertools import product
from math import inf

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from choco_pipeline.formula import FormulaError, parse
from tests.effort import examples

from .drawn import (
    HIGH,
    INTEGER_SIGNS,
    LOW,
    NAMES,
    PLACES,
    Drawn,
    formulas_of,
    power,
    shift,
    truths_of,
    unhurried,
)


@unhurried
@given(formulas_of(), st.data())
def test_interval_encloses_every_value(drawn, data):
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
        places = product(*(range(low, high + 1) for low, high in (base, exponent)))
        values = [power(*place) for place in places]
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


FAR = 10**40


@settings(max_examples=examples(500), deadline=None)
@example(Drawn("(v+2) & (v+1) == 0", bool), 31, 30, 0)
@example(Drawn("v % 7 == 3", bool), 11, 2, 0)
@given(
    truths_of(("v",)),
    st.one_of(st.integers(-40, 40), st.integers(-FAR, FAR)),
    st.integers(0, 40),
    st.integers(-1, 1),
)
def test_what_is_known_is_so_at_every_integer(drawn, start, more, endless):
    formula = parse(drawn.text)
    low, high = [(-inf, start), (start, start + more), (start, inf)][endless + 1]
    try:
        known = formula.throughout("v", low, high)
    except FormulaError:
        assume(low == high)
        return
    if known is None:
        assert low != high
        return
    beyond = [5_000_000, 2**70, FAR, FAR + 1]
    if endless == 0:
        tried = [*range(start, start + more + 1)]
    elif endless == 1:
        tried = [*range(start, start + 60), *(v for v in beyond if v >= start)]
    else:
        tried = [*range(start - 60, start + 1), *(-v for v in beyond if -v <= start)]
    for v in tried:
        try:
            found = formula.value({"v": v})
        except FormulaError as error:
            if "4096 bits" not in str(error):  # it has a value everywhere, except too large ones
                raise
        else:
            assert found == known, v


@pytest.mark.parametrize(
    ("text", "low", "high", "known"),
    [
        ("v == 0 or v == 5000000", 5_000_001, inf, False),
        ("v == 0 or v == 5000000", -inf, -1, False),
        ("v >= 0", 7, inf, True),
        ("v != v", -inf, inf, False),
        ("1 // v == 1 // v", -inf, inf, None),
        ("v*v == 16", 5, inf, False),
        ("v*v >= 16", -inf, -4, True),
        ("v ^ 5 == 3", 9, inf, False),
        ("v | 5 == 7", 8, inf, False),
        ("v | 5 == -3", -inf, -17, False),
        ("(v+2) & (v+1) == 0", 32, 60, False),
        ("(v+2) & (v+1) == 0", 32, 62, None),
        ("v % 1000 == 7", 8, 999, False),
        ("v >> 3 == 2", 24, inf, False),
        ("v // 2**4000 // 2**4000 == 1", 0, 2**8000 - 1, False),
        ("v // 2**4000 // 2**4000 == 1", 2**8000, 2**8001 - 1, True),
        ("1 // v == 1", 0, 5, None),
        ("v != 0 and 1 // v == 1", 2, inf, False),
        ("v2(v) == 3", 1, inf, None),
        ("((v**60)**60)**60 > 0", 2**4000, inf, None),
    ],
)
def test_truths_throughout_intervals(text, low, high, known):
    assert parse(text).throughout("v", low, high) is known


def test_one_integer_is_decided_by_definition():
    assert parse("v2(v) == 3").throughout("v", 8, 8) is True
    with pytest.raises(FormulaError, match="division by zero at column 3"):
        parse("1 // v == 1").throughout("v", 0, 0)
