"""Grundy numbers of bars of two and of three dimensions, with and without passes.

A position of a flat bar is (y, z) with y ≤ heights[z] and p passes left. Its options are (v, z) for v < y; (min(y, heights[w]), w)
for w < z; and, with p > 0 and (y, z) ≠ (0, 0), the same position with p-1 passes left (step2015 Def 3.1; pass2016 for at most one
pass). A table for p passes equals the table for p-2, because a pass can be answered by a pass.

The same table describes three other games. First, the sum of the bar and a strip of length x (a Nim heap) with r shared passes: the
x of the unique P-position (·, y, z) is the mex of the same numbers, so it is the Grundy number of (y, z) with r passes. Second,
two-heap Nim with passes: constant heights. Third, three-heap Nim with passes: constant heights and a strip, where the table contains
the c of the P-position (a, b, c) (pass2016; patterns Fig. 7).

A position of a solid bar is (x, y, z) with y ≤ heights[x, z]. Its options are (u, min(y, heights[u, z]), z) for u < x; (x, v, z) for
v < y; (x, min(y, heights[x, w]), w) for w < z; and a pass, as above (triangular, solid2022). Constant heights clip nothing, so the
same table describes three-heap Nim with passes, and contains the d of the unique P-position (a, b, c, ·) of four-heap Nim.

Idea: the options of a position lie on two or three lines. Along each line, the set of earlier Grundy numbers only grows, and is
stored as bits. The mex is the first bit that is in none of the sets, found 64 bits at a time. A move along x or z to a lower column
clips y to the top of that column, so the sets along x and z are kept for each y.

Invariant: positions are filled with x, z and then y ascending. Before each position, the sets of its lines hold exactly the Grundy
numbers of its options (`OptionSets`). Solid bars are filled tile by tile, so that the sets stay in the cache of a core.

Cost: for each position, a search in words with a free bit, and a bit set in each set. Memory: a bit for each line, y and number.
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

TILE = 32  # the option sets of a tile fit into a core's own cache (1 MiB) up to bound 1000


@kernel
def fill_bar(
    heights: NDArray[np.int32],
    rows: tuple[int, int, int],
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
        Start and stop of the z, and the z of the first line of ``by_y``. All smaller z must have been filled with the same
        ``by_z``, and the blocks at smaller y with the same ``by_y``.
    is_first
        Whether the first position of these arrays is the terminal (0, 0), from which passing is not allowed.
    by_z
        Options along z. One line, whose row 0 belongs to the first y. Updated in place.
    by_y
        Options along y. Updated in place.
    grundy : int16 or int32 [passes+1, n_z, n_y]
        Output: Grundy numbers, and -1 above the heights.
    """
    layers, _, n_y = grundy.shape
    for z in range(rows[0], rows[1]):
        line = z - rows[2]
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


@kernel
def fill_solid(
    heights: NDArray[np.int32],
    rows: tuple[int, int, int],
    is_first: bool,
    by_x: OptionSets,
    by_z: OptionSets,
    grundy: Table,
) -> None:
    """Fill some x of a block; earlier blocks must be filled.

    Parameters
    ----------
    heights : int32 [n_x, n_z]
        The largest y of each (x, z), never decreasing along either axis.
    rows
        Start and stop of the x, few enough for the cache, and the x of the first line of ``by_z``. All smaller x must have been
        filled with the same ``by_x``, and the blocks at smaller z with the same ``by_z``.
    is_first
        Whether (0, 0, 0) of these arrays is the terminal position, from which passing is not allowed.
    by_x
        Options along x. Line z belongs to the z of ``heights``. Updated in place.
    by_z
        Options along z. Updated in place.
    grundy : int16 or int32 [passes+1, n_x, n_z, n_y]
        Output: Grundy numbers, and -1 above the heights.
    """
    layers, _, n_z, n_y = grundy.shape
    below = np.empty(by_x.top.shape[2], np.uint64)  # Grundy numbers of (x, v, z), v < y
    below_open = np.empty(by_x.open_words.shape[2], np.uint64)
    for first_z in range(0, n_z, TILE):
        for x in range(rows[0], rows[1]):
            row = x - rows[2]
            for z in range(first_z, min(first_z + TILE, n_z)):
                height = np.int64(heights[x, z])
                raise_line(by_x, z, height)
                raise_line(by_z, row, height)
                for p in range(layers):
                    used_x = by_x.used[z, p]
                    open_x = by_x.open_words[z, p]
                    used_z = by_z.used[row, p]
                    open_z = by_z.open_words[row, p]
                    out = grundy[p, x, z]
                    fewer_passes = grundy[max(p - 1, 0), x, z]
                    passes_from = n_y if p == 0 else 1 if is_first and x == 0 and z == 0 else 0
                    below[:] = EMPTY
                    below_open[:] = FULL
                    mex = np.int64(0)
                    for y in range(height + 1):
                        passed = np.int64(-1) if y < passes_from else np.int64(fewer_passes[y])
                        s = 0
                        candidates = below_open[0] & open_x[0, y] & open_z[0, y]
                        while True:
                            while candidates == EMPTY:
                                s += 1
                                candidates = below_open[s] & open_x[s, y] & open_z[s, y]
                            i = (s << 6) + first_of(candidates)
                            used = below[i] | used_x[i, y] | used_z[i, y]
                            if passed >> 6 == i:
                                used |= bit_of(passed)
                            if used != FULL:
                                break
                            candidates &= candidates - ONE
                        mex = (i << 6) + first_of(~used)
                        out[y] = mex
                        bit = bit_of(mex)
                        below[i] |= bit
                        used_x[i, y] |= bit
                        used_z[i, y] |= bit
                        if below[i] == FULL:
                            below_open[s] &= ~bit_of(i)
                        if used_x[i, y] == FULL:
                            open_x[s, y] &= ~bit_of(i)
                        if used_z[i, y] == FULL:
                            open_z[s, y] &= ~bit_of(i)
                    out[height + 1 :] = -1
                    by_x.top[z, p, mex >> 6] |= bit_of(mex)
                    by_z.top[row, p, mex >> 6] |= bit_of(mex)


@kernel
def fold_solid(
    heights: NDArray[np.int32], by_x: OptionSets, by_z: OptionSets, grundy: Table
) -> None:
    """Update the option sets from a filled block, exactly as `fill_solid` does."""
    layers, n_x, n_z, _ = grundy.shape
    for x in range(n_x):
        for z in range(n_z):
            height = np.int64(heights[x, z])
            raise_line(by_x, z, height)
            raise_line(by_z, x, height)
            for p in range(layers):
                numbers = grundy[p, x, z, : height + 1]
                fold_line(by_x, z, p, numbers)
                fold_line(by_z, x, p, numbers)
