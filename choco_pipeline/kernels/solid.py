"""Grundy numbers of solid (three-dimensional) bars, with and without passes.

A position is (x, y, z) with y ≤ heights[x, z] and p passes left. Its options are (u, min(y, heights[u, z]), z) for u < x;
(x, v, z) for v < y; (x, min(y, heights[x, w]), w) for w < z; and, with p > 0 and (x, y, z) ≠ (0, 0, 0), the same position
with p-1 passes left (triangular, solid2022). A table for p passes equals the table for p-2. Constant heights clip nothing, so the
same table describes three-heap Nim with passes, and contains the d of the unique P-position (a, b, c, ·) of four-heap Nim.

Idea: the options of (x, y, z) lie on three lines. Along each line, the set of earlier Grundy numbers only grows, and is stored as
bits. The mex is the first bit that is in none of the three sets, found 64 bits at a time. A move along x or z to a lower column clips
y to the top of that column, so the sets along x and z are kept for each y.

Invariant: positions are filled with x, z and then y ascending. Before each position, the sets of its lines hold exactly the Grundy
numbers of its options (`OptionSets`). Blocks are filled tile by tile, so that the sets stay in the cache of a core.

Cost: for each position, a search in words with a free bit, and three bits set. Memory: a bit for each line, y and number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel
from choco_pipeline.kernels.bitset import (
    EMPTY,
    FULL,
    ONE,
    OptionSets,
    bit_of,
    first_of,
    fold_line,
    raise_line,
)
from choco_pipeline.kernels.dtypes import Table

TILE = 32  # the option sets of a tile fit into a core's own cache (1 MiB) up to bound 1000


@kernel
def fill_tile(
    heights: NDArray[np.int32],
    rows: tuple[int, int, int],
    z_range: tuple[int, int],
    is_first: bool,
    by_x: OptionSets,
    by_z: OptionSets,
    grundy: Table,
) -> None:
    """Fill a tile; ``rows`` has its x and the first x of ``by_z``."""
    layers, _, _, n_y = grundy.shape
    below = np.empty(by_x.top.shape[2], np.uint64)  # Grundy numbers of (x, v, z), v < y
    below_open = np.empty(by_x.open_words.shape[2], np.uint64)
    for x in range(rows[0], rows[1]):
        row = x - rows[2]
        for z in range(z_range[0], z_range[1]):
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
def fold_tile(
    heights: NDArray[np.int32],
    rows: tuple[int, int],
    z_range: tuple[int, int],
    by_x: OptionSets,
    by_z: OptionSets,
    grundy: Table,
) -> None:
    """Add the numbers of a filled tile to the sets, exactly as `fill_tile` does."""
    for x in range(rows[0], rows[1]):
        for z in range(z_range[0], z_range[1]):
            height = np.int64(heights[x, z])
            raise_line(by_x, z, height)
            raise_line(by_z, x, height)
            for p in range(grundy.shape[0]):
                numbers = grundy[p, x, z, : height + 1]
                fold_line(by_x, z, p, numbers)
                fold_line(by_z, x, p, numbers)


@kernel
def fill_solid(
    heights: NDArray[np.int32],
    rows: tuple[int, int],
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
        Start and stop of the x. All smaller x must have been filled with the same ``by_x``, and the blocks at smaller z with
        the same ``by_z``.
    is_first
        Whether (0, 0, 0) of these arrays is the terminal position, from which passing is not allowed.
    by_x
        Options along x. Line z belongs to the z of ``heights``. Updated in place.
    by_z
        Options along z. Line i belongs to the i-th x of ``rows``. Updated in place.
    grundy : int16 or int32 [passes+1, n_x, n_z, n_y]
        Output: Grundy numbers, and -1 above the heights.
    """
    n_z = grundy.shape[2]
    for x in range(rows[0], rows[1], TILE):
        tile = (x, min(x + TILE, rows[1]), rows[0])
        for z in range(0, n_z, TILE):
            fill_tile(heights, tile, (z, min(z + TILE, n_z)), is_first, by_x, by_z, grundy)


@kernel
def fold_solid(
    heights: NDArray[np.int32], by_x: OptionSets, by_z: OptionSets, grundy: Table
) -> None:
    """Update the option sets from a filled block, exactly as `fill_solid` does."""
    _, n_x, n_z, _ = grundy.shape
    for x in range(0, n_x, TILE):
        for z in range(0, n_z, TILE):
            fold_tile(heights, (x, min(x + TILE, n_x)), (z, min(z + TILE, n_z)), by_x, by_z, grundy)
