"""The definitions of the games as plain dictionaries: what every kernel is compared with; drawn heights, whole tables."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from hypothesis import strategies as st

from choco_pipeline.games import mex
from choco_pipeline.kernels import (
    BelowSets,
    BlockedHeights,
    OptionSets,
    fill_bar,
    fill_columns,
    fill_solid,
)
from choco_pipeline.kernels.dtypes import table_for


def grundy_bar(heights, passes=0):
    """Return the Grundy numbers [passes+1, z, y] of a bar, filled as one block."""
    heights = np.array(heights, np.int32, order="C")
    layers, n_z, n_y = passes + 1, heights.size, int(heights[-1]) + 1
    largest = n_y + n_z - 2 + min(passes, 1)
    table = table_for((layers, n_z, n_y), largest)
    by_y = BelowSets.start(n_z, layers, largest)
    by_z = OptionSets.start(1, layers, largest, n_y)
    fill_bar(heights, (0, n_z, 0), True, by_z, by_y, table)
    return table


def grundy_solid(heights, passes=0):
    """Return the Grundy numbers [passes+1, x, z, y] of a solid bar, filled as one block."""
    heights = np.array(heights, np.int32, order="C")
    layers, (n_x, n_z), n_y = passes + 1, heights.shape, int(heights[-1, -1]) + 1
    largest = n_x + n_y + n_z - 3 + min(passes, 1)
    table = table_for((layers, n_x, n_z, n_y), largest)
    by_x, by_z = (OptionSets.start(n, layers, largest, n_y) for n in (n_z, n_x))
    fill_solid(heights, (0, n_x, 0), True, by_x, by_z, table)
    return table


def p_columns(heights, passes=0):
    """Return the y of the P-position of each column [passes+1, x, z], filled as one block."""
    heights = np.array(heights, np.int32, order="C")
    layers, (n_x, n_z) = passes + 1, heights.shape
    n_y = min(int(heights[-1, -1]) + 1, n_x + n_z)
    table = table_for((layers, n_x, n_z), n_y - 1)
    by_x, by_z = (BlockedHeights.start(n, layers, n_y) for n in (n_z, n_x))
    fill_columns(heights, (0, n_x, 0), True, by_x, by_z, table)
    return table


def bar_options(heights, y, z) -> Iterator[tuple[int, int]]:
    """Yield the options of (y, z) in a bar, without the pass: a solid bar of one x."""
    yield from ((v, w) for _, v, w in solid_options(np.asarray(heights)[None], 0, y, z))


def solid_options(heights, x, y, z) -> Iterator[tuple[int, int, int]]:
    """Yield the options of (x, y, z) in a solid bar, without the pass."""
    for u in range(x):
        yield u, min(y, int(heights[u, z])), z
    for v in range(y):
        yield x, v, z
    for w in range(z):
        yield x, min(y, int(heights[x, w])), w


def bar_grundy(heights, passes):
    """Return all Grundy numbers of a bar as int64 [passes+1, n_z, n_y], -1 where there is no position."""
    return solid_grundy(np.asarray(heights)[None], passes)[:, 0]


def solid_grundy(heights, passes):
    """Return all Grundy numbers of a solid bar as int64 [passes+1, n_x, n_z, n_y], -1 where there is no position."""
    table = np.full((passes + 1, *heights.shape, int(heights[-1, -1]) + 1), -1)
    for p in range(passes + 1):
        for x, z in np.ndindex(heights.shape):
            for y in range(int(heights[x, z]) + 1):
                numbers = {int(table[p, u, w, v]) for u, v, w in solid_options(heights, x, y, z)}
                if p > 0 and (x, y, z) != (0, 0, 0):
                    numbers.add(int(table[p - 1, x, z, y]))
                table[p, x, z, y] = mex(numbers)
    return table


def p_positions(positions, options) -> set[tuple[int, ...]]:
    """Return the P-positions among positions (*here, p), those without a P-position among their options.

    ``options(*here)`` are the moves, which keep the passes left p. Positions come after their options.
    """
    found: set[tuple[int, ...]] = set()
    for *here, p in positions:
        after = [(*option, p) for option in options(*here)]
        if p > 0 and any(here):
            after.append((*here, p - 1))
        if found.isdisjoint(after):
            found.add((*here, p))
    return found


def solid_p_positions(heights, passes):
    """Return the set of P-positions (x, y, z, p) of a solid bar."""
    positions = (
        (x, y, z, p)
        for p in range(passes + 1)
        for x, z in np.ndindex(heights.shape)
        for y in range(int(heights[x, z]) + 1)
    )
    return p_positions(positions, partial(solid_options, heights))


def nim_p_positions(bounds, passes):
    """Return the set of P-positions (*heaps, p) of Nim with passes, heap i from 0 to ``bounds[i]``."""
    every = [*np.ndindex(*(bound + 1 for bound in bounds))]
    positions = ((*heaps, p) for p in range(passes + 1) for heaps in every)

    def options(*heaps):
        for i, heap in enumerate(heaps):
            yield from ((*heaps[:i], smaller, *heaps[i + 1 :]) for smaller in range(heap))

    return p_positions(positions, options)


@st.composite
def bar_heights(draw, most_z=14, most_y=12):
    """Draw non-decreasing heights: constant, zero, slow, or with jumps; heights[0] may be positive."""
    steps = draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 7]), min_size=1, max_size=most_z))
    return np.minimum(np.cumsum(steps), most_y)


@st.composite
def solid_heights(draw, most=8, most_y=8):
    """Draw heights that never decrease along either axis, as running maxima of sparse integers."""
    n_x = draw(st.integers(1, most))
    n_z = draw(st.integers(1, most))
    low = draw(st.integers(0, 3))
    level = st.one_of(st.just(0), st.integers(0, most_y))
    cells = draw(st.lists(level, min_size=n_x * n_z, max_size=n_x * n_z))
    rough = np.array(cells).reshape(n_x, n_z)
    kind = draw(st.sampled_from(["rough", "constant", "slope"]))
    if kind == "constant":
        rough[:] = rough[0, 0]
    elif kind == "slope":
        k = draw(st.integers(1, 5))
        rough[:] = np.minimum(np.add.outer(np.arange(n_x), np.arange(n_z)) // k, most_y)
    return np.maximum.accumulate(np.maximum.accumulate(rough + low, axis=0), axis=1)


def block_edges(draw, n):
    """Draw where to cut 0..n into blocks, as (first, stop) pairs in order."""
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), max_size=3))) if n > 1 else []
    return list(zip([0, *cuts], [*cuts, n], strict=True))


def assert_same_sets(folded, filled):
    """Check that option sets, or what is blocked, agree bit for bit wherever they say anything."""
    for name, a, b in zip(folded._fields, folded, filled, strict=True):
        if name in {"used", "open_words"} and "rows" in folded._fields:
            for line, rows in enumerate(filled.rows):
                np.testing.assert_array_equal(a[line, ..., :rows], b[line, ..., :rows], name)
        else:
            np.testing.assert_array_equal(a, b, name)
