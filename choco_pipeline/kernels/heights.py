"""Heights that never decrease, and arrays of a type that holds every number."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.compiling import kernel

Table: TypeAlias = NDArray[np.int16] | NDArray[np.int32]

LARGEST = int(np.iinfo(np.int32).max)


@kernel
def first_descent(heights: NDArray[np.int32]) -> tuple[int, int, int]:
    """Return (x, z, axis) of the first descent along an axis, or (-1, -1, -1)."""
    n_x, n_z = heights.shape
    for x in range(n_x):
        here = heights[x]
        above = heights[min(x + 1, n_x - 1)]
        descends = False
        for z in range(n_z):  # no early exit, so that the machine compares many at once
            descends |= here[z] > above[z]
        for z in range(n_z - 1):
            descends |= here[z] > here[z + 1]
        if descends:
            for z in range(n_z):
                if z + 1 < n_z and here[z] > here[z + 1]:
                    return x, z, 1
                if here[z] > above[z]:
                    return x, z, 0
    return -1, -1, -1


@kernel
def total(heights: NDArray[np.int32]) -> int:
    """Return the sum of heights in 64 bits, without widening all of them."""
    cells = np.int64(0)
    for x in range(heights.shape[0]):
        for z in range(heights.shape[1]):
            cells += heights[x, z]
    return int(cells)


def as_heights(heights: ArrayLike, ndim: int) -> NDArray[np.int32]:
    """Return heights as a contiguous int32 array that kernels may trust.

    Raises `ValueError` if the shape or dtype is another, a height is negative or above the largest int32, or a height is above
    its successor along an axis; the message names the places. Heights are integers, [n_z] for bars (``ndim`` 1) or [n_x, n_z]
    for solid bars (``ndim`` 2), at least one along each axis.
    """
    array = np.asarray(heights)
    if array.ndim != ndim or array.size == 0:
        wanted = "[n_z]" if ndim == 1 else "[n_x, n_z]"
        raise ValueError(f"heights must be a non-empty array {wanted}, not of shape {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"heights must be integers, not {array.dtype}")
    if array.max() > LARGEST:
        raise ValueError(f"heights must be at most {LARGEST}: {_place(array, array.argmax())}")
    if array.min() < 0:
        raise ValueError(f"heights must not be negative: {_place(array, array.argmin())}")
    checked = np.ascontiguousarray(array, np.int32)
    x, z, axis = first_descent(checked.reshape(-1, checked.shape[-1]))
    if x >= 0:
        here = np.ravel_multi_index((x, z), (checked.size // checked.shape[-1], checked.shape[-1]))
        there = here + (1 if axis == 1 else checked.shape[-1])
        places = f"{_place(checked, here)}, but {_place(checked, there)}"
        raise ValueError(f"heights must never decrease: {places}")
    return checked


def as_layers(passes: int) -> int:
    """Return the layers of a table, one for each number of passes left."""
    if passes < 0:
        raise ValueError(f"passes must be at least 0, not {passes}")
    return passes + 1


def dtype_for(largest: int) -> type[np.int16] | type[np.int32]:
    """Return the smaller of int16 and int32 that holds ``largest``.

    A mex is at most the number of options, so the largest number of options of any position is enough to ask for.
    """
    if largest <= np.iinfo(np.int16).max:
        return np.int16
    if largest <= np.iinfo(np.int32).max:
        return np.int32
    raise ValueError(f"a table may hold {largest}, more than int32 does")


def table_for(shape: tuple[int, ...], largest: int) -> Table:
    """Return an unwritten table: kernels write every cell."""
    is_narrow = dtype_for(largest) is np.int16
    return np.empty(shape, np.int16) if is_narrow else np.empty(shape, np.int32)


def _place(array: NDArray[Any], flat: np.intp) -> str:
    index = np.unravel_index(flat, array.shape)
    return f"heights[{', '.join(map(str, index))}] = {array[index]}"
