"""Height functions of a class: against the plain definition of the games, function by function."""

from itertools import product
from math import comb

import numpy as np
import pytest

from choco_pipeline.mining import height_search as heights_module
from choco_pipeline.mining.height_search import EVERY, GRUNDY, P_POSITIONS, HeightClass
from tests.definition import grundy_of_heights, monotone

CLASSES = [
    HeightClass(EVERY),
    HeightClass(GRUNDY),
    HeightClass(P_POSITIONS),
    HeightClass(P_POSITIONS, (1, 0, 1)),
    HeightClass(P_POSITIONS, (0, 1, 1)),
]


def by_definition(f, asked, shift):
    """Return whether a bar has the formula of a class, by mex and by the options as they are defined."""
    grundy, (a, b, c) = grundy_of_heights(f), shift
    for x, z in product(range(len(f)), repeat=2):
        for y in range(f[x][z] + 1):
            formula = (x + a) ^ (y + b) ^ (z + c)
            if asked == GRUNDY and grundy(x, y, z) != formula:
                return False
            if asked == P_POSITIONS and (grundy(x, y, z) == 0) != (formula == 0):
                return False
    return True


@pytest.mark.parametrize("height_class", CLASSES, ids=str)
@pytest.mark.parametrize(("side", "height"), [(1, 4), (2, 2), (2, 3)])
def test_members_are_those_of_the_definition(height_class, side, height, monkeypatch):
    every = np.array(monotone(side + 1, side + 1, height))
    expected = [by_definition(f, height_class.asked, height_class.shift) for f in every.tolist()]
    assert height_class.has(every).tolist() == expected
    monkeypatch.setattr(heights_module, "BATCH", 7)  # batches begin and end anywhere
    batches = list(height_class.members(side, height))
    assert all(0 < len(batch) <= 7 for batch in batches)
    np.testing.assert_array_equal(np.concatenate([every[:0], *batches]), every[expected])
    assert height_class.count(side, height) == sum(expected)


@pytest.mark.parametrize("side", range(1, 9))
def test_flat_bars_with_nim_sums_are_steps_of_two(side):
    """With heights 0 and 1, the NS property says that f(x, z) depends on x//2 and z//2 alone: lattice paths."""
    blocks = side // 2 + 1
    assert HeightClass(GRUNDY).count(side, 1) == comb(2 * blocks, blocks)


@pytest.mark.parametrize("height_class", CLASSES[:3], ids=str)
def test_drawn_functions_are_members_and_differ(height_class):
    drawn = height_class.drawn(6, 6, 60, np.random.default_rng(1))
    assert (np.diff(drawn, axis=1) >= 0).all()
    assert (np.diff(drawn, axis=2) >= 0).all()
    assert drawn.min() >= 0
    assert drawn.max() <= 6
    assert height_class.has(drawn).all()
    assert len(np.unique(drawn, axis=0)) > 15
    again = height_class.drawn(6, 6, 60, np.random.default_rng(1))
    np.testing.assert_array_equal(drawn, again)
