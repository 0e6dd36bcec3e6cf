"""All kernels: refused heights, with their places, and passes."""

import numpy as np
import pytest

from choco_pipeline.kernels import (
    fill_bar,
    fill_columns,
    fill_solid,
    fold_bar,
    fold_columns,
    fold_solid,
    grundy_bar,
    grundy_solid,
    p_columns,
    total,
    warm_up,
)
from tests.kernels.test_solid import triangular


@pytest.mark.parametrize("kernel", [grundy_solid, p_columns])
@pytest.mark.parametrize(
    ("heights", "message"),
    [
        ([[0, 1], [2, 1]], r"never decrease: heights\[1, 0\] = 2, but heights\[1, 1\] = 1"),
        ([[0, 3], [1, 2]], r"never decrease: heights\[0, 1\] = 3, but heights\[1, 1\] = 2"),
        ([[0, -4], [1, 2]], r"must not be negative: heights\[0, 1\] = -4"),
        ([[0, 1], [1, 2**31]], r"at most 2147483647: heights\[1, 1\] = 2147483648"),
        ([0, 1], r"\[n_x, n_z\], not one of shape \(2,\)"),
        ([[]], r"non-empty array \[n_x, n_z\], not one of shape \(1, 0\)"),
        ([[0.0, 1.0]], "integers, not float64"),
    ],
)
def test_solid_heights_refused(kernel, heights, message):
    with pytest.raises(ValueError, match=message):
        kernel(heights)


@pytest.mark.parametrize(
    ("heights", "message"),
    [
        ([0, 5, 5, 4], r"never decrease: heights\[2\] = 5, but heights\[3\] = 4"),
        ([-1, 0], r"must not be negative: heights\[0\] = -1"),
        ([[0, 1]], r"\[n_z\], not one of shape \(1, 2\)"),
        ([True, True], "integers, not bool"),
    ],
)
def test_bar_heights_refused(heights, message):
    with pytest.raises(ValueError, match=message):
        grundy_bar(heights)


@pytest.mark.parametrize(
    ("kernel", "heights"), [(grundy_bar, [0, 1]), (grundy_solid, [[0]]), (p_columns, [[0]])]
)
def test_negative_passes_refused(kernel, heights):
    with pytest.raises(ValueError, match="passes must be at least 0, not -1"):
        kernel(heights, passes=-1)


def test_number_of_options_beyond_int32_refused():
    with pytest.raises(ValueError, match="may hold 2147483648, more than int32"):
        grundy_bar([2**31 - 1, 2**31 - 1])


def test_warm_up_leaves_nothing_to_compile():
    warm_up()
    kernels = (fill_bar, fill_solid, fill_columns, fold_bar, fold_solid, fold_columns)
    compiled = [len(kernel.signatures) for kernel in kernels]
    assert set(compiled) == {2}
    grundy_bar(range(9), 1)
    grundy_bar(np.zeros(32769, np.uint8))
    grundy_solid([[0, 1, 2]], 1)
    grundy_solid(np.zeros((32769, 1), np.int64))
    p_columns([[0, 1, 2]], 1)
    p_columns(np.full((32769, 1), 2**20))
    assert [len(kernel.signatures) for kernel in kernels] == compiled


@pytest.mark.parametrize(
    ("kernel", "heights"),
    [
        (grundy_bar, np.arange(700) // 3),
        (grundy_solid, triangular(60, 2)),
        (p_columns, triangular(300, 2)),
    ],
)
def test_two_more_passes_change_nothing(kernel, heights):
    table = kernel(heights, passes=4)
    np.testing.assert_array_equal(table[2:], table[:-2])
    assert (table[1] != table[0]).any()


@pytest.mark.parametrize("height", [0, 1, 2**28])
def test_a_total_beyond_32_bits(height):
    assert total(np.full((70, 130), height, np.int32)) == 70 * 130 * height
