"""Grundy numbers of two-dimensional bars, with and without passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.kernels.bitset import (
    EMPTY,
    FULL,
    ONE,
    OptionSets,
    bit_of,
    first_of,
    raise_line,
)
from choco_pipeline.kernels.compiling import kernel
from choco_pipeline.kernels.heights import as_heights, as_layers
from choco_pipeline.kernels.tables import GrundyTable, grundy_dtype, table_for


@kernel
def fill_bar(
    heights: NDArray[np.int32],
    z_range: tuple[int, int],
    holds_terminal: bool,
    by_z: OptionSets,
    grundy: GrundyTable,
) -> None:
    """Fill the block ``grundy[:, z_range, :]``, continuing from the option sets of the blocks before it.

    Parameters
    ----------
    heights : int32 [n_z]
        The largest y of each z, checked by `as_heights`.
    z_range
        First and stop of the block along z. All blocks at smaller z must have been filled with the same ``by_z``.
    holds_terminal
        Whether (0, 0) of these arrays is the terminal position, from which nobody may pass.
    by_z
        One line: what the moves along z reach. Carried on.
    grundy : int16 or int32 [passes+1, n_z, n_y]
        Filled with Grundy numbers, and with -1 above the heights.
    """
    layers, _, n_y = grundy.shape
    words = by_z.top.shape[2]
    summary = by_z.open_words.shape[2]
    below = np.empty(words, np.uint64)  # Grundy numbers of (v, z), v < y
    below_open = np.empty(summary, np.uint64)
    for z in range(z_range[0], z_range[1]):
        height = np.int64(heights[z])
        raise_line(by_z, 0, height)
        for p in range(layers):
            used_z = by_z.used[0, p]
            open_z = by_z.open_words[0, p]
            out = grundy[p, z]
            fewer_passes = grundy[max(p - 1, 0), z]
            passes_from = n_y if p == 0 else 1 if holds_terminal and z == 0 else 0
            below[:] = EMPTY
            below_open[:] = FULL
            mex = np.int64(0)
            for y in range(height + 1):
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
            out[height + 1 :] = -1
            by_z.top[0, p, mex >> 6] |= bit_of(mex)


def grundy_bar(heights: ArrayLike, passes: int = 0, out: GrundyTable | None = None) -> GrundyTable:
    """Return all Grundy numbers of a bar: positions (y, z) with y ≤ heights[z], and p passes left.

    The options are (v, z) for v < y; (min(y, heights[w]), w) for w < z; and, with p > 0 and (y, z) ≠ (0, 0), the same
    position with p-1 passes left (step2015 Def 3.1; pass2016 for the pass, one at most).

    Three other tables are this one. For the sum of the bar and a strip of length x (one heap of Nim), with r passes to
    share, the x of the one P-position at (., y, z) is ``grundy[r, y, z]``: it is the mex of the same numbers. A heap of
    Nim is what constant heights make of z, so with heights constant this is also two-heap Nim with passes, and, by
    the strip, the c of the P-position (a, b, c) of three-heap Nim with passes (pass2016; patterns Fig. 7). A table of p
    passes equals that of p-2, since a pass can be answered by a pass.

    Parameters
    ----------
    heights
        [n_z] integers, non-negative and never decreasing.
    passes
        The largest number of passes left.
    out
        Where to put the table; else it is allocated.

    Returns
    -------
    int16 or int32 [passes+1, n_z, n_y], n_y = heights[-1] + 1
        Passes left, z, y; -1 where there is no position. int16 if no position has more than 32767 options.

    Raises
    ------
    ValueError
        If the heights, the passes or the shape or dtype of ``out`` are not as above.

    Examples
    --------
    >>> grundy_bar([0, 1, 2, 3])[0, 3]  # step2015 Fig 4.2: k = 1, so y ≤ z; here z = 3
    array([3, 4, 1, 5], dtype=int16)
    """
    checked = as_heights(heights, ndim=1)
    layers = as_layers(passes)
    n_y = int(checked[-1]) + 1
    largest = (n_y - 1) + (checked.size - 1) + min(passes, 1)
    table = table_for((layers, checked.size, n_y), grundy_dtype(largest), out)
    by_z = OptionSets.start(lines=1, layers=layers, largest=largest, n_y=n_y)
    fill_bar(checked, (0, checked.size), True, by_z, table)
    return table
