"""Machine code for formulas against what they mean, in plain Python, and where they mean nothing."""

import gc
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from choco_pipeline.claims.checks.scan import (
    FAILURES,
    FAULT,
    LEAST,
    SETTLED,
    CellTask,
    LoopShape,
    loop_for,
)
from choco_pipeline.formula import parse
from choco_pipeline.formula.machine_code import WIDTHS
from choco_pipeline.tables.cells import Slab
from tests.formula.drawn import NAMES, Drawn, formulas_of, unhurried

sides = st.builds(lambda first, n: range(first, first + n), st.integers(-9, 9), st.integers(1, 12))
LARGE = st.sampled_from([-(2**31), 2**15, 2**31 - 3]).map(lambda first: range(first, first + 3))


def run(formula, ranges, cells, bits):
    """Return what a loop counts that compares the formula with cells, along the named ranges."""
    task = CellTask(formula, None, "exactly" if formula.is_truth else None, p_value=1)
    shape = LoopShape(
        dims=NAMES,
        sized=NAMES,
        stored=None,
        everywhere=True,
        limited=True,
        cell_bits=32,
        top_varies=False,
        narrow_sums=False,
        has_reach=False,
        bits=bits,
        ranges=tuple((name, (r[0], r[-1])) for name, r in zip(NAMES, ranges, strict=True)),
    )
    slab = Slab(tuple(r.start for r in ranges), cells, None)
    return loop_for(task, shape).run(slab, range(3), None)


def require_meaning(drawn, ranges, bits, index):
    """Assert that no cell differs from the formula's meaning, that one that is changed does, and what exists."""
    formula = parse(drawn.text, NAMES)
    places = list(product(*ranges))
    values = [drawn.at(dict(zip(NAMES, place, strict=True))) for place in places]
    given = {name: (r[0], r[-1]) for name, r in zip(NAMES, ranges, strict=True)}
    assume(formula.fits(given, bits))
    known = [0 if value is None else value for value in values]
    assume(max(map(abs, known)) < 2**31)
    cells = np.array(known, np.int32).reshape([len(r) for r in ranges])
    found = run(formula, ranges, cells, bits)
    assert (found[FAULT] > 0) == (None in values)
    if None in values:
        return
    assert (found[SETTLED], found[FAILURES]) == (len(places), 0)
    index %= len(places)
    cells.flat[index] ^= 1
    found = run(formula, ranges, cells, bits)
    assert found[FAILURES] == 1
    assert found[LEAST] == min(max(places[index]), (1 << bits - 1) - 2)


@example(Drawn("x//y", lambda env: env["x"] // env["y"]), (range(-9, 9), range(-4, 0), range(1)), 5)
@example(Drawn("x%y", lambda env: env["x"] % env["y"]), (range(-9, 9), range(1, 5), range(1)), 7)
@example(Drawn("x%(-4)", lambda env: env["x"] % -4), (range(-9, 9), range(1), range(1)), 7)
@example(Drawn("x>>y", lambda env: env["x"] >> env["y"]), (range(-9, 9), range(70), range(1)), 7)
@unhurried
@given(formulas_of(), st.tuples(sides, sides, sides), st.integers(0, 2000))
def test_a_formula_is_what_it_means(drawn, ranges, index):
    for bits in WIDTHS:
        require_meaning(drawn, ranges, bits, index)


@unhurried
@given(formulas_of(large=True), st.tuples(sides | LARGE, sides | LARGE, sides), st.integers(0, 99))
def test_at_the_ends_of_the_width(drawn, ranges, index):
    require_meaning(drawn, ranges, 64, index)


@pytest.mark.full
def test_code_that_is_kept_no_longer_takes_nothing_with_it():
    """What several engines shared was freed with the first of them: the process ended then, or later."""
    cells = np.zeros((3, 3, 1), np.int32)
    for factor in range(40):
        formula = parse(f"x*{factor} - x*{factor}", NAMES)
        found = run(formula, (range(3), range(3), range(1)), cells, 64)
        assert (found[SETTLED], found[FAILURES]) == (9, 0)
        if factor % 5 == 0:
            loop_for.cache_clear()
            gc.collect()


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("text", ["x//y", "x%y"])
def test_the_least_integer_divided_by_minus_1_stops_nothing(text, bits):
    """The machine would: only a remainder can be asked for, since the quotient needs one more bit."""
    least = -(1 << bits - 1)
    ranges = {"x": (least, least), "y": (-1, 1)}
    formula = parse(text)
    assert formula.fits(ranges, bits) == (text == "x%y")
    if text == "x%y" and bits == 32:
        cells = np.zeros((1, 3, 1), np.int32)
        found = run(formula, (range(least, least + 1), range(-1, 2), range(1)), cells, bits)
        assert found[FAULT] == 1
        found = run(formula, (range(least, least + 1), range(-1, 0), range(1)), cells[:, :1], bits)
        assert found[FAULT] == found[FAILURES] == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("y == 0 or x//y == 1", False),
        ("y != 0 and x//y == 1", False),
        ("x//y == 1 or y == 0", True),
        ("y >= 0 < x//y", True),
        ("0 < y < x//y", False),
        ("not (y == 0 or v2(y) == 1)", False),
        ("not (x == 0 or v2(y) == 1)", True),
        ("y < 0 or x << y == 3 or 2**y == x", False),
        ("x >> (y-1) == 3", True),
        ("y == 0 or x % (x//y*0) == 0", True),
    ],
)
def test_what_is_decided_is_not_asked_further(text, fault):
    ranges = range(4), range(3), range(1)
    cells = np.zeros((4, 3, 1), np.int32)
    assert bool(run(parse(text), ranges, cells, 64)[FAULT]) == fault


def test_what_cannot_be_computed_is_refused():
    assert not parse("x+1").fits({"x": (0, 2**31 - 1)}, 32)
    assert parse("x+1").fits({"x": (0, 2**31 - 1)}, 64)
    assert not parse("2**x").fits({"x": (0, 63)}, 64)
    assert not parse("g(x)", functions={"g"}).fits({"x": (0, 1)}, 64)
