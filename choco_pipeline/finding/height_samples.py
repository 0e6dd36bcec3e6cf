"""Height functions on which no condition was found: all of a larger box, formulas, drawn ones, and near misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from choco_pipeline.finding.height_census import total
from choco_pipeline.finding.height_conditions import BLOCK
from choco_pipeline.formula import parse
from choco_pipeline.mining.heights import EVERY, HeightClass, Heights

#: The larger box has at most so many functions.
MOST_FUNCTIONS = 1 << 20
#: Members of the class are drawn in boxes with these largest arguments and heights,
SIDES = (7, 15)
#: by so many tries in each.
DRAWN = 1500
#: Functions by formulas, for k up to `LARGEST_K`.
FORMULAS = (
    "(x+z)//k",
    "x//k + z//k",
    "max(x,z)//k",
    "min(x,z)//k",
    "max(x//k, z) - max(x//k, z)%k",
    "(x//k)*(z//k)",
)
LARGEST_K = 12


def held_out(
    height_class: HeightClass, side: int, height: int
) -> Iterator[tuple[str, Iterable[Heights]]]:
    """Yield what the functions are, and batches of them, [at most BLOCK, n, n].

    Parameters
    ----------
    height_class
        Its members are drawn, too, since few functions drawn without it are among them.
    side, height
        The box that is not held out.
    """
    wider = side + 1
    tall = max((h for h in range(height + 1) if total(wider, h) <= MOST_FUNCTIONS), default=0)
    yield f"f from {{0..{wider}}}² to {{0..{tall}}}, all of them", blocks(wider, tall)
    random = np.random.default_rng(0)
    largest = max(SIDES)
    yield f"f by formulas, with arguments up to {largest}", [by_formulas(largest)]
    for large in SIDES:
        members = np.unique(height_class.drawn(large, large, DRAWN, random), axis=0)
        both = np.concatenate([members, near_misses(members, large, random)])
        yield (
            f"drawn f with arguments and heights up to {large}, about half of them near misses",
            [both],
        )


def blocks(side: int, height: int) -> Iterator[Heights]:
    """Yield all functions of a box, at most BLOCK together."""
    for batch in HeightClass(EVERY).members(side, height):
        for start in range(0, len(batch), BLOCK):
            yield batch[start : start + BLOCK]


def by_formulas(side: int) -> Heights:
    """Return the functions of `FORMULAS` as they are up to an argument, those higher than it cut off there."""
    x, z = np.ogrid[: side + 1, : side + 1]
    shape = (side + 1, side + 1)
    found = [
        np.broadcast_to(parse(text).evaluate({"x": x, "z": z, "k": k}), shape)
        for text in FORMULAS
        for k in range(1, LARGEST_K + 1)
    ]
    heights = np.minimum(np.unique(np.array(found), axis=0), side)
    monotone = (np.diff(heights, axis=1) >= 0).all((1, 2)) & (np.diff(heights, axis=2) >= 0).all(
        (1, 2)
    )
    return heights[monotone]


def near_misses(heights: Heights, height: int, random: np.random.Generator) -> Heights:
    """Return the functions with one height changed, so that they stay monotone; those that cannot be are left out."""
    found = []
    for f in heights:
        x, z = random.integers(0, len(f), 2)
        low = max(f[x - 1, z] if x else 0, f[x, z - 1] if z else 0)
        high = min(
            f[x + 1, z] if x + 1 < len(f) else height, f[x, z + 1] if z + 1 < len(f) else height
        )
        others = np.setdiff1d(np.arange(low, high + 1), f[x, z])
        if others.size:
            changed = f.copy()
            changed[x, z] = random.choice(others)
            found.append(changed)
    return np.array(found, np.int64).reshape(-1, *heights.shape[1:])
