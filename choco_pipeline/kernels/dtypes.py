"""Dtypes of tables."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.int16] | NDArray[np.int32]

LARGEST = int(np.iinfo(np.int32).max)


def dtype_for(largest: int) -> type[np.int16] | type[np.int32]:
    """Return int16 if it can hold ``largest``, otherwise int32.

    A mex is at most the number of options, so the largest number of options of a position is an upper bound.
    """
    if largest <= np.iinfo(np.int16).max:
        return np.int16
    if largest <= LARGEST:
        return np.int32
    raise ValueError(f"a table may hold {largest}, more than int32 does")


def table_for(shape: tuple[int, ...], largest: int) -> Table:
    """Return an uninitialised table; kernels write every cell."""
    is_narrow = dtype_for(largest) is np.int16
    return np.empty(shape, np.int16) if is_narrow else np.empty(shape, np.int32)
