"""Grundy numbers of solid bars: kernel against definition, other games it serves, blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.kernels import OptionSets, fill_solid, fold_solid
from tests.effort import examples

from .definitions import (
    assert_same_sets,
    block_edges,
    grundy_bar,
    grundy_solid,
    nim_p_positions,
    solid_grundy,
    solid_heights,
)


def triangular(bound, k):
    x = np.arange(bound + 1)
    return np.add.outer(x, x) // k


@given(heights=solid_heights(), passes=st.integers(0, 3))
@settings(deadline=None, max_examples=examples(60))
def test_definition(heights, passes):
    np.testing.assert_array_equal(grundy_solid(heights, passes), solid_grundy(heights, passes))


@pytest.mark.parametrize("passes", [0, 1])
def test_definition_across_words_and_tiles(passes):
    heights = np.maximum(triangular(35, 3), 20 * (np.arange(36) > 16))
    np.testing.assert_array_equal(grundy_solid(heights, passes), solid_grundy(heights, passes))


@pytest.mark.full
def test_numbers_above_4096_between_smaller_ones():
    """Where a second word of open words is in use, and the smaller numbers are still needed."""
    heap = np.arange(4160, dtype=np.int16)
    table = grundy_solid(np.ones((4160, 4160), np.int32))[0]
    np.testing.assert_array_equal(table[:, :, 0], heap[:, None] ^ heap)
    np.testing.assert_array_equal(table[:, :, 1], heap[:, None] ^ heap ^ 1)


def test_one_line_is_a_bar():
    heights = np.arange(150) // 2
    bar = grundy_bar(heights, 1)
    np.testing.assert_array_equal(grundy_solid(heights[None], 1)[:, 0], bar)
    np.testing.assert_array_equal(grundy_solid(heights[:, None], 1)[:, :, 0], bar)


@pytest.mark.parametrize("passes", [0, 1])
def test_four_heap_nim(passes):
    d = grundy_solid(np.full((4, 4), 3), passes)
    expected = {(a, b, c, int(d[p, a, c, b]), p) for p, a, c, b in np.ndindex(d.shape)}
    assert nim_p_positions((3, 3, 3, int(d.max())), passes) == expected


def lines_of(sets, first, stop):
    """Return some lines of option sets: views, so that filling a block with them changes these."""
    return OptionSets(*(part[first:stop] for part in sets))


@given(heights=solid_heights(), passes=st.integers(0, 2), data=st.data())
@settings(deadline=None)
def test_blocks(heights, passes, data):
    """A wavefront of blocks that hand on option sets gives the same table, in place and in each block's own arrays."""
    whole = grundy_solid(heights, passes)
    layers, n_x, n_z, n_y = whole.shape
    largest = n_x + n_y + n_z
    heights = heights.astype(np.int32)
    z_edges = block_edges(data.draw, n_z)
    table = np.empty_like(whole)
    by_x, by_x_folded = (OptionSets.start(n_z, layers, largest, n_y) for _ in range(2))
    for x0, x1 in block_edges(data.draw, n_x):
        by_z, by_z_alone, by_z_folded = (
            OptionSets.start(x1 - x0, layers, largest, n_y) for _ in range(3)
        )
        by_x_alone = OptionSets(*(part.copy() for part in by_x))
        fill_solid(heights, (x0, x1, x0), True, by_x, by_z, table)
        for z0, z1 in z_edges:
            own = heights[x0:x1, z0:z1].copy()
            block = np.empty((layers, x1 - x0, z1 - z0, n_y), whole.dtype)
            lines = lines_of(by_x_alone, z0, z1)
            fill_solid(own, (0, x1 - x0, 0), x0 == z0 == 0, lines, by_z_alone, block)
            np.testing.assert_array_equal(block, whole[:, x0:x1, z0:z1])
            fold_solid(own, lines_of(by_x_folded, z0, z1), by_z_folded, block)
            assert_same_sets(lines_of(by_x_folded, z0, z1), lines)
            assert_same_sets(by_z_folded, by_z_alone)
    assert_same_sets(by_x_folded, by_x)
    np.testing.assert_array_equal(table, whole)


def test_wide_table_is_int32():
    table = grundy_solid(np.zeros((32769, 1), np.uint16))
    assert table.dtype == np.int32
    np.testing.assert_array_equal(table[0, :, 0, 0], np.arange(32769))
