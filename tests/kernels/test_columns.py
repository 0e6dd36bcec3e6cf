"""P-columns of solid bars: against the definition, against Grundy numbers, against theorems, and in blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.kernels import BlockedHeights, fill_columns, fold_columns
from tests.effort import examples

from .definitions import (
    assert_same_sets,
    block_edges,
    grundy_bar,
    grundy_solid,
    p_columns,
    solid_heights,
    solid_p_positions,
)
from .test_solid import triangular


def p_positions_of(p_y):
    return {(x, int(y), z, p) for (p, x, z), y in np.ndenumerate(p_y) if y >= 0}


@given(heights=solid_heights(), passes=st.integers(0, 3))
@settings(deadline=None)
def test_definition(heights, passes):
    assert p_positions_of(p_columns(heights, passes)) == solid_p_positions(heights, passes)


@given(heights=solid_heights(most=40, most_y=90), passes=st.integers(0, 2))
@settings(deadline=None, max_examples=examples(30))
def test_zeros_of_grundy_numbers(heights, passes):
    p, x, z, y = np.nonzero(grundy_solid(heights, passes) == 0)
    assert p_positions_of(p_columns(heights, passes)) == set(
        zip(x.tolist(), y.tolist(), z.tolist(), p.tolist(), strict=True)
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_zeros_of_grundy_numbers_across_words(k):
    heights = triangular(150, k)
    p, x, z, y = np.nonzero(grundy_solid(heights, 1) == 0)
    expected = np.full((2, *heights.shape), -1)
    expected[p, x, z] = y
    np.testing.assert_array_equal(p_columns(heights, 1), expected)


@pytest.mark.parametrize("k", [3, 7, 11])
def test_nim_sum(k):
    """For k = 4m+3 the P-positions are those with nim-sum zero (triangular Thm 7.3)."""
    x = np.arange(901)
    nim_sum = x[:, None] ^ x
    expected = np.where(nim_sum <= triangular(900, k), nim_sum, -1)
    np.testing.assert_array_equal(p_columns(triangular(900, k))[0], expected)


def test_heights_above_4096_between_smaller_ones():
    """Where a second word of open words is in use, and the smaller heights are still needed."""
    heap = np.arange(4200, dtype=np.int32)
    p_y = p_columns(np.full((4200, 4200), 8191))[0]
    np.testing.assert_array_equal(p_y, heap[:, None] ^ heap)


def test_lines_that_use_every_height_of_whole_words():
    heap = np.arange(70)
    nim_sum = heap[:, None] ^ heap
    expected = np.where(nim_sum <= 63, nim_sum, -1)
    np.testing.assert_array_equal(p_columns(np.full((70, 70), 63))[0], expected)


def test_bar_heights_ignoring_x_are_a_strip_sum():
    """With heights that ignore x the game is strip + bar, whose P-positions have x = the bar's Grundy number."""
    heights = (np.arange(120) + 2) // 4
    x_of = grundy_bar(heights, 1)
    bound = int(x_of.max())
    p_y = p_columns(np.broadcast_to(heights, (bound + 1, 120)), 1)
    assert p_positions_of(p_y) == {
        (int(x), y, z, p) for (p, z, y), x in np.ndenumerate(x_of) if x >= 0
    }


def test_heights_beyond_every_move_never_clip():
    """Heights that no column can reach change nothing, however large."""
    low = p_columns(np.full((30, 40), 30 + 40), 1)
    np.testing.assert_array_equal(p_columns(np.full((30, 40), 2**31 - 1), 1), low)


@given(heights=solid_heights(most=12), passes=st.integers(0, 2), data=st.data())
@settings(deadline=None)
def test_blocks(heights, passes, data):
    """A wavefront of blocks that hand on what is blocked gives the same table, in place and in each block's own arrays."""
    x_edges, z_edges = (block_edges(data.draw, length) for length in heights.shape)
    check_blocks(heights, passes, x_edges, z_edges)


@pytest.mark.parametrize("cuts", [(64, 128), (1, 63), (65, 127)])
def test_blocks_beside_words(cuts):
    edges = list(zip([0, *cuts], [*cuts, 140], strict=True))
    check_blocks(triangular(139, 4), 1, edges, edges)


def test_blocks_whose_lines_fill_words():
    edges = [(0, 90), (90, 140)]
    check_blocks(np.full((140, 140), 127), 1, edges, edges)


def check_blocks(heights, passes, x_edges, z_edges):
    whole = p_columns(heights, passes)
    layers, _, n_z = whole.shape
    n_y = int(heights.max()) + 1
    heights = heights.astype(np.int32)
    table = np.empty_like(whole)
    by_x = BlockedHeights.start(n_z, layers, n_y)
    by_x_alone, by_x_folded = (
        [BlockedHeights.start(z1 - z0, layers, n_y) for z0, z1 in z_edges] for _ in range(2)
    )
    for x0, x1 in x_edges:
        by_z, by_z_alone, by_z_folded = (
            BlockedHeights.start(x1 - x0, layers, n_y) for _ in range(3)
        )
        fill_columns(heights, (x0, x1, x0), True, by_x, by_z, table)
        for (z0, z1), lines, folded in zip(z_edges, by_x_alone, by_x_folded, strict=True):
            block = np.empty((layers, x1 - x0, z1 - z0), whole.dtype)
            own = heights[x0:x1, z0:z1].copy()
            fill_columns(own, (0, x1 - x0, 0), x0 == z0 == 0, lines, by_z_alone, block)
            np.testing.assert_array_equal(block, whole[:, x0:x1, z0:z1])
            fold_columns(own, folded, by_z_folded, block)
            assert_same_sets(folded, lines)
            assert_same_sets(by_z_folded, by_z_alone)
        assert_same_sets(by_z_folded, by_z)
    np.testing.assert_array_equal(table, whole)


def lines_of(state, first, stop):
    """Return some lines of a state, in arrays of their own; the first is a multiple of 64, the bits of a word of `live`."""
    *others, live = state
    words = live[:, first // 64 : -(-stop // 64)].copy()
    return BlockedHeights(*(part[..., first:stop].copy() for part in others), words)


def test_lines_cut_out():
    """A block filled with lines cut out of those of the whole table comes out as with the whole."""
    heights = triangular(200, 4).astype(np.int32)
    whole = p_columns(heights, 1)
    by_x = BlockedHeights.start(201, 2, 101)
    by_z = BlockedHeights.start(100, 2, 101)
    fill_columns(heights, (0, 100, 0), True, by_x, by_z, np.empty_like(whole))
    by_z = BlockedHeights.start(101, 2, 101)
    for z0, z1 in [(0, 64), (64, 128), (128, 201)]:
        lines = lines_of(by_x, z0, z1)
        block = np.empty((2, 101, z1 - z0), np.int16)
        own = heights[100:, z0:z1].copy()
        fill_columns(own, (0, 101, 0), False, lines, by_z, block)
        np.testing.assert_array_equal(block, whole[:, 100:, z0:z1])
        assert all(part.flags.c_contiguous for part in lines)
        assert all(part.nbytes < whole.nbytes for part, whole in zip(lines, by_x, strict=True))


@pytest.mark.parametrize(("top", "dtype"), [(32767, np.int16), (32768, np.int32)])
def test_dtype_holds_every_height(top, dtype):
    assert p_columns(np.full((33000, 2), top)).dtype == dtype
