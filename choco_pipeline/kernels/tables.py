"""The arrays that kernels fill: their type is known to hold every number before any is computed."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

GrundyTable: TypeAlias = NDArray[np.int16] | NDArray[np.int32]


def grundy_dtype(largest: int) -> type[np.int16] | type[np.int32]:
    """Return the smaller of int16 and int32 that holds ``largest``.

    A mex is at most the number of options, so the largest number of options of any position is enough to ask for.
    """
    if largest <= np.iinfo(np.int16).max:
        return np.int16
    if largest <= np.iinfo(np.int32).max:
        return np.int32
    raise ValueError(
        f"a position has {largest} options, more than an int32 table can hold as a Grundy number"
    )


def table_for(shape: tuple[int, ...], dtype: type[Any], out: NDArray[Any] | None) -> NDArray[Any]:
    """Return an unwritten table, or ``out`` if it is one: kernels write every cell, so pages are touched only once."""
    if out is None:
        return np.empty(shape, dtype)
    if (
        out.shape != shape
        or out.dtype != dtype
        or not out.flags.c_contiguous
        or not out.flags.writeable
    ):
        raise ValueError(
            f"out must be a writeable C-contiguous {np.dtype(dtype)} array of shape {shape}, not {out.dtype} {out.shape}"
        )
    return out
