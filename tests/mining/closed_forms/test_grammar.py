"""Expressions of the grammar: each has the values that its text has, and no two have the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms import synthesis
from choco_pipeline.mining.closed_forms.synthesis import (
    DIFFERENT,
    Atoms,
    Target,
    grow,
    length,
    pair,
)
from tests.effort import examples

GRID = [axis.ravel() for axis in np.indices((9, 11))]
NAMES = ("y", "z")
POINTS = dict(zip(NAMES, GRID, strict=True))


@pytest.mark.parametrize("own", [(), (3,), (1, 4, 6)])
def test_expressions_are_what_they_say_and_each_is_there_once(own):
    grown = list(grow(NAMES, GRID, own))
    assert len(grown) == DIFFERENT
    assert len({values.tobytes() for _, values in grown}) == DIFFERENT
    sizes = [form.size for form, _ in grown]
    assert sizes == sorted(sizes)
    for form, values in grown[::13]:
        for more in (0, 2, -1):
            said = np.broadcast_to(parse(form.text(NAMES, more)).evaluate(POINTS), values.shape)
            assert np.array_equal(said, values + more), form.text(NAMES, more)
        assert length(form.text(NAMES, 0))[0] <= form.size


@settings(max_examples=examples(60))
@given(st.data())
def test_pairs_are_what_they_say(data):
    atoms = Atoms.at(POINTS, (3,), with_grammar=True)
    i, j = (data.draw(st.integers(0, len(atoms.formulas) - 1)) for _ in "ij")
    a, b, more = (data.draw(st.integers(-4, 4)) for _ in "abm")
    word = data.draw(st.sampled_from(["min", "max", "^", "+"]))
    act = {"min": np.minimum, "max": np.maximum, "^": np.bitwise_xor, "+": np.add}[word]
    atom = pair(word, atoms.formulas[i], atoms.formulas[j], (a, b))
    said = parse(atom.text(NAMES, more)).evaluate(POINTS)
    meant = act(atoms.values[i] + a, atoms.values[j] + b) + more
    assert np.array_equal(np.broadcast_to(said, meant.shape), meant)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("y ^ z//2", 5),
        ("(y ^ (z+3))-3", 7),
        ("((y ^ (z-1))+1 ^ 2*y)-1", 13),
        ("min(y, z-2)", 5),
        ("max(y%3, z//2)", 7),
        ("z-y+min(y, z-y)//2", 15),
        ("v2(z+1)+(y ^ z)", 8),
    ],
)
def test_what_two_formulas_make_is_found(text, size):
    numbers = parse(text).evaluate(POINTS)
    everywhere = np.ones(numbers.shape, np.bool_)
    found = Atoms.at(POINTS, (3,), with_grammar=True).shortest(Target(numbers), everywhere)
    assert np.array_equal(parse(found).evaluate(POINTS), numbers)
    assert length(found)[0] <= size


def test_a_target_with_columns_that_hold_none():
    """A formula must say nothing legal where there is no number."""
    y, z = GRID
    tops = np.full(y.size, 6)
    numbers = np.where((y ^ z) <= 6, y ^ z, -1)
    everywhere = np.ones(y.shape, np.bool_)
    atoms = Atoms.at(POINTS)
    assert atoms.shortest(Target(numbers, tops), everywhere) == "y ^ z"
    assert atoms.shortest(Target(numbers, tops + 1), everywhere) is None
    numbers[(y == 3) & (z == 3)] = 5
    assert atoms.shortest(Target(numbers, tops), everywhere) != "y ^ z"
    assert atoms.shortest(Target(numbers, tops, forgiven=1), everywhere) == "y ^ z"


def test_nim_sums_of_two_with_exceptions():
    text = "((y ^ (z+2))+1 ^ z//2)-3"
    numbers = parse(text).evaluate(POINTS)
    atoms = Atoms.at(POINTS, (2,), with_grammar=True)
    everywhere = np.ones(numbers.shape, np.bool_)
    first = np.random.default_rng(0).integers(0, numbers.size, synthesis.PROBES)[0]
    numbers[first] += 40  # where the first checksum looks
    assert atoms.shortest(Target(numbers), everywhere) is None
    found = atoms.shortest(Target(numbers, forgiven=1), everywhere)
    assert (parse(found).evaluate(POINTS) != numbers).sum() == 1


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32 - 1), st.sampled_from([(3, 40), (60, 40), (2**62, 2000)]))
def test_matches_are_all_pairs_with_equal_checksums(seed, sizes):
    random = np.random.default_rng(seed)
    largest, count = sizes  # of 2000 checksums some are in the bucket of another one
    own = random.integers(-largest, largest, count)
    needed = np.concatenate([random.integers(-largest, largest, count // 2), own[:3]])
    i, j = synthesis._matches(synthesis._sorted(own), needed)
    assert [*zip(i, j, strict=True)] == [*map(tuple, np.argwhere(needed[:, None] == own))]


def test_a_sum_is_found_where_no_formula_is_0_at_the_first_point():
    values = np.random.default_rng(0).integers(1, 100, (20, 30))
    pairs = synthesis._sums(values[3] + values[7] + 5, values)
    assert sorted(pairs.tolist()) == [[3, 7, 0, 0, 5], [7, 3, 0, 0, 5]]
