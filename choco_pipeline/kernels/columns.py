"""P-positions of solid bars, column by column; for the game see `bars`.

Idea: a move joins any two positions of a column (x, ·, z), so at most one of them is a P-position. It has the least y, up to the
height, that no P-position at a smaller x or z blocks. A P-position blocks its y on its lines along x and z. If it is the highest
position of its column, it also blocks every greater y, because cuts clip these to it. With passes, the P-position of the same column
with one pass less also blocks its y. So N² columns represent N³ positions.

Invariant: columns are filled with x and z ascending. Before each column, its two lines hold all y that earlier P-positions block
(`BlockedHeights`). A line is dead if every y up to its cap is blocked. Dead lines are skipped. Later blocks need only the lines of
earlier blocks, so several workers can fill blocks, and a table can be extended.

Cost: for each column, a search for the first y that is free on two lines, 64 at a time, in words with a free bit. A column on a dead
line costs nothing, and most columns in the papers' games are on dead lines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel
from choco_pipeline.kernels.bitset import EMPTY, FULL, ONE, Index, bit_of, first_of, words_for
from choco_pipeline.kernels.dtypes import Table

TILE_Z = 512  # the bitsets of a tile fit into the L1 cache; smaller tiles have more overhead
UNCAPPED = np.int32(2**31 - 1)


class BlockedHeights(NamedTuple):
    """The y blocked by earlier P-positions, for each line along one axis."""

    #: uint64 [passes+1, words, lines]. Bit y: the line holds a P-position at this y.
    used: NDArray[np.uint64]
    #: uint64 [passes+1, summary words, lines]. Bit i: word i of ``used`` is not full.
    open_words: NDArray[np.uint64]
    #: int32 [passes+1, lines]. The least y of a P-position that is the highest position of its column. Every greater y would be
    #: clipped to it.
    cap: NDArray[np.int32]
    #: uint64 [passes+1, ceil(lines/64)]. Bit l: line l may still get a P-position. A line is dead when every y up to its cap is
    #: used. In the bars of the papers most columns lie on a dead line, so skipping dead lines saves the most time.
    live: NDArray[np.uint64]

    @classmethod
    def start(cls, lines: int, layers: int, n_y: int) -> BlockedHeights:
        """Return the state of lines without P-positions, for y < n_y."""
        words = words_for(n_y + 1)  # y = n_y stays unused, so every search ends
        return cls(
            used=np.zeros((layers, words, lines), np.uint64),
            open_words=np.full((layers, words_for(words), lines), FULL),
            cap=np.full((layers, lines), UNCAPPED),
            live=np.full((layers, words_for(lines)), FULL),
        )


@kernel
def is_dead(blocked: BlockedHeights, p: Index, line: Index) -> bool:
    """Whether every y up to the line's cap is used."""
    s = 0
    while blocked.open_words[p, s, line] == EMPTY:
        s += 1
    i = (s << 6) + first_of(blocked.open_words[p, s, line])
    return bool((i << 6) + first_of(~blocked.used[p, i, line]) > blocked.cap[p, line])


@kernel
def retire(blocked: BlockedHeights) -> None:
    """Mark every dead line; filling marks only some of them."""
    for p in range(blocked.cap.shape[0]):
        for line in range(blocked.cap.shape[1]):
            if blocked.live[p, line >> 6] & bit_of(line) != EMPTY and is_dead(blocked, p, line):
                blocked.live[p, line >> 6] &= ~bit_of(line)


@kernel
def fill_columns(
    heights: NDArray[np.int32],
    rows: tuple[int, int, int],
    is_first: bool,
    by_x: BlockedHeights,
    by_z: BlockedHeights,
    p_y: Table,
) -> None:
    """Fill some x of a block; earlier blocks must be filled.

    The parameters are those of `fill_solid`, except that `by_x` and `by_z` hold blocked heights. ``p_y``, int16 or int32
    [passes+1, n_x, n_z], receives the y of the P-position of each column, or -1 if a column has none.
    """
    layers, _, n_z = p_y.shape
    for first in range(0, n_z, TILE_Z):
        stop = min(first + TILE_Z, n_z)
        for p in range(layers):
            used_x = by_x.used[p]
            open_x = by_x.open_words[p]
            cap_x = by_x.cap[p]
            live_x = by_x.live[p]
            used_z = by_z.used[p]
            open_z = by_z.open_words[p]
            out = p_y[p]
            fewer_passes = p_y[max(p - 1, 0)]
            for x in range(rows[0], rows[1]):
                row = x - rows[2]
                out[x, first:stop] = -1
                if by_z.live[p, row >> 6] & bit_of(row) == EMPTY:
                    continue
                row_cap = np.int64(by_z.cap[p, row])
                # (0, 0, 0) with fewer passes blocks nothing: no pass is allowed there, so it is a P-position for any number of passes.
                passes_from = stop if p == 0 else 1 if is_first and x == 0 else 0
                for group in range(first >> 6, (stop + 63) >> 6):
                    lines = live_x[group]
                    if group == stop >> 6:
                        lines &= bit_of(stop) - ONE
                    while lines != EMPTY:
                        z = (group << 6) + first_of(lines)
                        lines &= lines - ONE
                        passed = np.int64(-1) if z < passes_from else np.int64(fewer_passes[x, z])
                        s = 0
                        candidates = open_x[0, z] & open_z[0, row]
                        while True:
                            while candidates == EMPTY:
                                s += 1
                                candidates = open_x[s, z] & open_z[s, row]
                            i = (s << 6) + first_of(candidates)
                            used = used_x[i, z] | used_z[i, row]
                            if passed >> 6 == i:
                                used |= bit_of(passed)
                            if used != FULL:
                                break
                            candidates &= candidates - ONE
                        y = (i << 6) + first_of(~used)
                        if y <= heights[x, z] and y <= row_cap and y <= cap_x[z]:
                            out[x, z] = y
                            bit = bit_of(y)
                            used_x[i, z] |= bit
                            used_z[i, row] |= bit
                            if y == heights[x, z]:
                                row_cap = y
                                by_z.cap[p, row] = y
                                cap_x[z] = y
                            if used_x[i, z] == FULL:
                                open_x[s, z] &= ~bit_of(i)
                            if used_z[i, row] == FULL:
                                open_z[s, row] &= ~bit_of(i)
                        else:  # rare, except after the last P-position of a line
                            if is_dead(by_x, p, z):
                                live_x[group] &= ~bit_of(z)
                            if is_dead(by_z, p, row):
                                by_z.live[p, row >> 6] &= ~bit_of(row)
                                break
                    else:
                        continue
                    break
    retire(by_x)
    retire(by_z)


@kernel
def fold_columns(
    heights: NDArray[np.int32], by_x: BlockedHeights, by_z: BlockedHeights, p_y: Table
) -> None:
    """Update blocked heights from a filled block, exactly as `fill_columns` does."""
    layers, n_x, n_z = p_y.shape
    for p in range(layers):
        used_x = by_x.used[p]
        open_x = by_x.open_words[p]
        used_z = by_z.used[p]
        open_z = by_z.open_words[p]
        for x in range(n_x):
            for z in range(n_z):
                y = np.int64(p_y[p, x, z])
                if y < 0:
                    continue
                i = y >> 6
                used_x[i, z] |= bit_of(y)
                used_z[i, x] |= bit_of(y)
                if y == heights[x, z]:
                    by_x.cap[p, z] = y
                    by_z.cap[p, x] = y
                if used_x[i, z] == FULL:
                    open_x[i >> 6, z] &= ~bit_of(i)
                if used_z[i, x] == FULL:
                    open_z[i >> 6, x] &= ~bit_of(i)
    retire(by_x)
    retire(by_z)
