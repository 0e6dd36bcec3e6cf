"""The arrays that kernels fill: their type is known to hold every number before any is computed."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.int16] | NDArray[np.int32]


def dtype_for(largest: int) -> type[np.int16] | type[np.int32]:
    """Return the smaller of int16 and int32 that holds ``largest``.

    A mex is at most the number of options, so the largest number of options of any position is enough to ask for.
    """
    if largest <= np.iinfo(np.int16).max:
        return np.int16
    if largest <= np.iinfo(np.int32).max:
        return np.int32
    raise ValueError(f"a table may hold {largest}, more than int32 does")


def table_for(shape: tuple[int, ...], largest: int, out: Table | None) -> Table:
    """Return an unwritten table, or ``out`` if it is one: kernels write every cell, so pages are touched only once."""
    dtype = dtype_for(largest)
    if out is None:
        return np.empty(shape, np.int16) if dtype is np.int16 else np.empty(shape, np.int32)
    if (
        out.shape != shape
        or out.dtype not in {np.dtype(dtype), np.dtype(np.int32)}
        or not out.flags.c_contiguous
        or not out.flags.writeable
    ):
        raise ValueError(
            f"out must be a writeable C-contiguous {np.dtype(dtype)} array of shape {shape}, not {out.dtype} {out.shape}"
        )
    return out
