"""Grundy numbers of two-dimensional bars, with and without passes.

A position is (y, z) with y ≤ heights[z] and p passes left. Its options are (v, z) for v < y; (min(y, heights[w]), w) for
w < z; and, with p > 0 and (y, z) ≠ (0, 0), the same position with p-1 passes left (step2015 Def 3.1; pass2016 for at most one
pass). A table for p passes equals the table for p-2, because a pass can be answered by a pass.

The same table describes three other games. First, the sum of the bar and a strip of length x (a Nim heap) with r shared passes: the
x of the unique P-position (·, y, z) is the mex of the same numbers, so it is the Grundy number of (y, z) with r passes. Second,
two-heap Nim with passes: constant heights. Third, three-heap Nim with passes: constant heights and a strip, where the table contains
the c of the P-position (a, b, c) (pass2016; patterns Fig. 7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel
from choco_pipeline.kernels.bitset import (
    EMPTY,
    FULL,
    ONE,
    BelowSets,
    OptionSets,
    bit_of,
    first_of,
    fold_below,
    fold_line,
    raise_line,
)
from choco_pipeline.kernels.dtypes import Table


@kernel
def fill_bar(
    heights: NDArray[np.int32],
    rows: tuple[int, int],
    is_first: bool,
    by_z: OptionSets,
    by_y: BelowSets,
    grundy: Table,
) -> None:
    """Fill some z of a block; earlier blocks must be filled.

    Parameters
    ----------
    heights : int32 [n_z]
        The largest y of each z above the first y of ``grundy``, never decreasing. It is negative if the bar ends below.
    rows
        Start and stop of the z. All smaller z must have been filled with the same ``by_z``, and the blocks at smaller y with
        the same ``by_y``.
    is_first
        Whether the first position of these arrays is the terminal (0, 0), from which passing is not allowed.
    by_z
        Options along z. One line, whose row 0 belongs to the first y. Updated in place.
    by_y
        Options along y. Line i belongs to the i-th z of ``rows``. Updated in place.
    grundy : int16 or int32 [passes+1, n_z, n_y]
        Output: Grundy numbers, and -1 above the heights.
    """
    layers, _, n_y = grundy.shape
    for z in range(rows[0], rows[1]):
        line = z - rows[0]
        stop = min(np.int64(heights[z]) + 1, n_y)
        raise_line(by_z, 0, stop - 1)
        for p in range(layers):
            below = by_y.used[line, p]
            below_open = by_y.open_words[line, p]
            used_z = by_z.used[0, p]
            open_z = by_z.open_words[0, p]
            out = grundy[p, z]
            fewer_passes = grundy[max(p - 1, 0), z]
            passes_from = n_y if p == 0 else 1 if is_first and z == 0 else 0
            mex = np.int64(by_y.last[line, p])
            for y in range(stop):
                passed = np.int64(-1) if y < passes_from else np.int64(fewer_passes[y])
                s = 0
                candidates = below_open[0] & open_z[0, y]
                while True:
                    while candidates == EMPTY:
                        s += 1
                        candidates = below_open[s] & open_z[s, y]
                    i = (s << 6) + first_of(candidates)
                    used = below[i] | used_z[i, y]
                    if passed >> 6 == i:
                        used |= bit_of(passed)
                    if used != FULL:
                        break
                    candidates &= candidates - ONE
                mex = (i << 6) + first_of(~used)
                out[y] = mex
                bit = bit_of(mex)
                below[i] |= bit
                used_z[i, y] |= bit
                if below[i] == FULL:
                    below_open[s] &= ~bit_of(i)
                if used_z[i, y] == FULL:
                    open_z[s, y] &= ~bit_of(i)
            out[max(stop, 0) :] = -1
            by_y.last[line, p] = mex
            by_z.top[0, p, mex >> 6] |= bit_of(mex)


@kernel
def fold_bar(heights: NDArray[np.int32], by_z: OptionSets, by_y: BelowSets, grundy: Table) -> None:
    """Update the option sets from a filled block, exactly as `fill_bar` does."""
    layers, n_z, n_y = grundy.shape
    for z in range(n_z):
        stop = min(np.int64(heights[z]) + 1, n_y)
        raise_line(by_z, 0, stop - 1)
        for p in range(layers):
            if stop > 0:
                fold_below(by_y, z, p, grundy[p, z, :stop])
                fold_line(by_z, 0, p, grundy[p, z, :stop])
            else:
                highest = np.int64(by_y.last[z, p])
                by_z.top[0, p, highest >> 6] |= bit_of(highest)
