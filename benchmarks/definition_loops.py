"""The definitions as compiled loops over all options of every position: what the kernels are measured against."""

import numba as nb
import numpy as np


@nb.njit(cache=True)
def mex(seen, stamp):
    """Return the least number whose mark is not this stamp."""
    g = 0
    while seen[g] == stamp:
        g += 1
    return g


@nb.njit(cache=True)
def grundy_bar(heights, passes):
    """Return the Grundy numbers of a bar as int32 [passes+1, n_z, n_y], option by option."""
    n_z, n_y = len(heights), heights[-1] + 1
    table = np.full((passes + 1, n_z, n_y), -1, np.int32)
    seen = np.zeros(n_z + n_y + 1, np.int64)
    stamp = 0
    for p in range(passes + 1):
        for z in range(n_z):
            for y in range(heights[z] + 1):
                stamp += 1
                for v in range(y):
                    seen[table[p, z, v]] = stamp
                for w in range(z):
                    seen[table[p, w, min(y, heights[w])]] = stamp
                if p > 0 and y + z > 0:
                    seen[table[p - 1, z, y]] = stamp
                table[p, z, y] = mex(seen, stamp)
    return table


@nb.njit(cache=True)
def grundy_solid(heights):
    """Return the Grundy numbers of a solid bar as int32 [1, n_x, n_z, n_y], option by option."""
    n_x, n_z = heights.shape
    n_y = heights[-1, -1] + 1
    table = np.full((1, n_x, n_z, n_y), -1, np.int32)
    seen = np.zeros(n_x + n_z + n_y, np.int64)
    stamp = 0
    for x in range(n_x):
        for z in range(n_z):
            for y in range(heights[x, z] + 1):
                stamp += 1
                for u in range(x):
                    seen[table[0, u, z, min(y, heights[u, z])]] = stamp
                for v in range(y):
                    seen[table[0, x, z, v]] = stamp
                for w in range(z):
                    seen[table[0, x, w, min(y, heights[x, w])]] = stamp
                table[0, x, z, y] = mex(seen, stamp)
    return table


@nb.njit(cache=True)
def p_columns(heights):
    """Return the y of each column's P-position as int32 [1, n_x, n_z], by asking every option of every position."""
    n_x, n_z = heights.shape
    is_p = np.zeros((n_x, n_z, heights[-1, -1] + 1), np.bool_)
    columns = np.full((1, n_x, n_z), -1, np.int32)
    for x in range(n_x):
        for z in range(n_z):
            for y in range(heights[x, z] + 1):
                wins = False
                for u in range(x):
                    wins = wins or is_p[u, z, min(y, heights[u, z])]
                for v in range(y):
                    wins = wins or is_p[x, z, v]
                for w in range(z):
                    wins = wins or is_p[x, w, min(y, heights[x, w])]
                if not wins:
                    is_p[x, z, y] = True
                    columns[0, x, z] = y
    return columns
