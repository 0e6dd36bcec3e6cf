"""Grundy numbers of bars: kernel against definition, other games it serves, blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.games import mex
from choco_pipeline.kernels import BelowSets, OptionSets, fill_bar, fold_bar
from tests.effort import examples
from tests.kernels.definitions import (
    assert_same_sets,
    bar_grundy,
    bar_heights,
    bar_options,
    block_edges,
    grundy_bar,
    nim_p_positions,
    p_positions,
)

passes_left = st.integers(0, 3)


@given(heights=bar_heights(), passes=passes_left)
@settings(deadline=None)
def test_definition(heights, passes):
    np.testing.assert_array_equal(grundy_bar(heights, passes), bar_grundy(heights, passes))


Z = np.arange(90)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize("heights", [Z, 3 + 60 * (Z > 40) + 70 * (Z > 75), (Z + 70) // 2])
def test_definition_across_words(heights, passes):
    np.testing.assert_array_equal(grundy_bar(heights, passes), bar_grundy(heights, passes))


@pytest.mark.parametrize(("k", "s"), [(2, 0), (4, 0), (4, 3), (6, 12)])
def test_shifted_nim_sum(k, s):
    """step2015 Thm 2.1 and 3.2, far enough for several words and two words of open words."""
    z = np.arange(5000)
    table = grundy_bar((z + s) // k)[0]
    y = np.arange(table.shape[1])
    formula = (y ^ (z[:, None] + s)) - s
    np.testing.assert_array_equal(table, np.where(y <= (z[:, None] + s) // k, formula, -1))


def test_numbers_above_4096_between_smaller_ones():
    """Where a second word of open words is in use, and the smaller numbers are still needed."""
    heap = np.arange(4200, dtype=np.int16)
    np.testing.assert_array_equal(grundy_bar(np.full(4200, 4199))[0], heap[:, None] ^ heap)


def test_rows_that_begin_above_4096():
    """The first row above a long plateau starts from what the plateau reached; by the mex of its options."""
    heights = np.where(np.arange(4110) < 4100, 4096, 4110)
    table = grundy_bar(heights)[0]
    for z in range(4096, 4110):
        for y in range(4096, heights[z] + 1):
            numbers = {int(table[w, v]) for v, w in bar_options(heights, y, z)}
            assert table[z, y] == mex(numbers), f"at y = {y}, z = {z}"


@given(heights=bar_heights(most_z=5, most_y=4), passes=passes_left)
@settings(deadline=None, max_examples=examples(25))
def test_strip_sum(heights, passes):
    """The x of the P-position of strip + bar with r passes is the bar's Grundy number with r passes."""
    table = grundy_bar(heights, passes)
    positions = (
        (x, y, z, p)
        for p in range(passes + 1)
        for z, height in enumerate(heights)
        for y in range(int(height) + 1)
        for x in range(int(table.max()) + 1)
    )

    def options(x, y, z):
        yield from ((u, y, z) for u in range(x))
        yield from ((x, v, w) for v, w in bar_options(heights, y, z))

    assert p_positions(positions, options) == {
        (int(x), y, z, p) for (p, z, y), x in np.ndenumerate(table) if y <= heights[z]
    }


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_three_heap_nim(passes):
    c = grundy_bar(np.full(7, 6), passes)
    expected = {(a, b, int(c[p, a, b]), p) for p, a, b in np.ndindex(c.shape)}
    assert nim_p_positions((6, 6, int(c.max())), passes) == expected


@given(heights=bar_heights(), passes=passes_left, data=st.data())
@settings(deadline=None)
def test_blocks(heights, passes, data):
    """A wavefront of blocks along y and z, each in arrays of its own, gives the same table; so does going on from a fold."""
    y_edges, z_edges = (block_edges(data.draw, n) for n in (int(heights[-1]) + 1, len(heights)))
    check_blocks(heights, passes, y_edges, z_edges)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("cuts", [(64, 128), (1, 63), (65, 127)])
def test_blocks_beside_words(k, cuts):
    edges = list(zip([0, *cuts], [*cuts, 200], strict=True))
    heights = np.minimum(np.arange(200), 199) // k + 199 - 199 // k
    check_blocks(heights, 1, edges, edges)


def check_blocks(heights, passes, y_edges, z_edges):
    whole = grundy_bar(heights, passes)
    layers, n_z, n_y = whole.shape
    largest = n_y + n_z
    heights = heights.astype(np.int32)
    below_all = BelowSets.start(n_z, layers, largest)
    for y0, y1 in y_edges:
        by_z, by_z_fold = (OptionSets.start(1, layers, largest, y1 - y0) for _ in range(2))
        for z0, z1 in z_edges:
            own = heights[z0:z1] - np.int32(y0)
            below = BelowSets(*(part[z0:z1] for part in below_all))
            below_fold = BelowSets(*(part.copy() for part in below))
            block = np.empty((layers, z1 - z0, y1 - y0), whole.dtype)
            fill_bar(own, (0, z1 - z0, 0), y0 == z0 == 0, by_z, below, block)
            np.testing.assert_array_equal(block, whole[:, z0:z1, y0:y1])
            fold_bar(own, by_z_fold, below_fold, block)
            assert_same_sets(below_fold, below)
            assert_same_sets(by_z_fold, by_z)


@pytest.mark.parametrize(
    ("columns", "passes", "dtype"),
    [(32768, 0, np.int16), (32768, 1, np.int32), (32769, 0, np.int32)],
)
def test_dtype_holds_every_number(columns, passes, dtype):
    table = grundy_bar(np.zeros(columns, np.int64), passes)
    assert table.dtype == dtype
    np.testing.assert_array_equal(table[0, :, 0], np.arange(columns))
