"""All height functions of some boxes; and others to try conditions on: larger boxes, formulas, drawn ones, near misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from choco_pipeline.finding.height_functions.height_census import total
from choco_pipeline.finding.height_functions.height_conditions import BLOCK
from choco_pipeline.formula import parse
from choco_pipeline.mining.height_search import EVERY, HeightClass, Heights

#: The larger box has at most so many functions.
MOST_FUNCTIONS = 1 << 20
#: Boxes with few arguments, and heights beyond them, in which every function is looked at: largest argument and height.
TALL = ((1, 6), (2, 4), (3, 3))
#: Of each shape with at most so many arguments a side, and each height up to it, so many functions are drawn: conditions that
#: are right in all small boxes and in large square ones were wrong for one function in a thousand of a box of 4 by 5.
LONGEST, OF_A_SHAPE = 6, 4096
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
    """Yield what the functions are, and batches of them, [at most BLOCK, n_x, n_z].

    Members of the class are drawn, too, since few functions drawn without it are among them. Not held out are `boxes` with
    these largest arguments and heights.
    """
    for wide, most in (*TALL, (side, height + 1), (side + 1, height)):
        if wide <= side and most <= height:
            continue
        tall = max((h for h in range(most + 1) if total(wide, h) <= MOST_FUNCTIONS), default=0)
        yield f"other {named(wide, tall)}, all of them", _others(wide, tall, side, height)
    random = np.random.default_rng(0)
    yield (
        f"drawn f of boxes of all shapes with up to {LONGEST} arguments a side, to {{0..{LONGEST}}}",
        drawn_of_all_shapes(random),
    )
    largest = max(SIDES)
    yield f"f by formulas, with arguments up to {largest}", [by_formulas(largest)]
    for large in SIDES:
        members = np.unique(height_class.drawn(large, large, DRAWN, random), axis=0)
        both = np.concatenate([members, near_misses(members, large, random)])
        yield (
            f"drawn f with arguments and heights up to {large}, about half of them near misses",
            [both],
        )


def named(side: int, height: int) -> str:
    """Return which functions `boxes` yields."""
    return f"f from {{0..a}}×{{0..b}} to {{0..{height}}}, a ≤ b ≤ {side}"


def boxes(side: int, height: int) -> Iterator[Heights]:
    """Yield all functions with arguments and heights up to these, of one box after the other, at most BLOCK together.

    A box is never longer along x than along z: of f and f with its arguments exchanged the same is asked. What holds in
    square boxes alone, or alone where the largest argument is large for the heights, is no condition on f.
    """
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    for n_z in range(1, side + 2):
        for n_x in range(1, n_z + 1):
            box = np.unique(every[:, :n_x, :n_z], axis=0)
            for start in range(0, len(box), BLOCK):
                yield box[start : start + BLOCK]


def drawn_of_all_shapes(random: np.random.Generator) -> Iterator[Heights]:
    """Yield functions of each shape, no longer along x than along z, and each height: drawn heights, made monotone."""
    for n_z in range(1, LONGEST + 1):
        for n_x in range(1, n_z + 1):
            for height in range(1, LONGEST + 1):
                drawn = random.integers(0, height + 1, (OF_A_SHAPE, n_x, n_z))
                monotone = np.maximum.accumulate(np.maximum.accumulate(drawn, axis=1), axis=2)
                yield np.unique(monotone, axis=0)


def _others(wide: int, tall: int, side: int, height: int) -> Iterator[Heights]:
    """Yield the functions of some boxes that are in none of those that are not held out."""
    for box in boxes(wide, tall):
        new = box if box.shape[2] > side + 1 else box[box[:, -1, -1] > height]
        if len(new):
            yield new


def by_formulas(side: int) -> Heights:
    """Return the functions of `FORMULAS` as they are up to an argument, those higher than it cut off there."""
    x, z = np.ogrid[: side + 1, : side + 1]
    shape = (side + 1, side + 1)
    samples = [
        np.broadcast_to(parse(text).evaluate({"x": x, "z": z, "k": k}), shape)
        for text in FORMULAS
        for k in range(1, LARGEST_K + 1)
    ]
    heights = np.minimum(np.unique(np.array(samples), axis=0), side)
    monotone = (np.diff(heights, axis=1) >= 0).all((1, 2)) & (np.diff(heights, axis=2) >= 0).all(
        (1, 2)
    )
    return heights[monotone]


def near_misses(heights: Heights, height: int, random: np.random.Generator) -> Heights:
    """Return the functions with one height changed, so that they stay monotone; those that cannot be are left out."""
    samples = []
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
            samples.append(changed)
    return np.array(samples, np.int64).reshape(-1, *heights.shape[1:])
