"""How many monotone height functions of a box have which formula, and the least ones that show a difference."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, TypedDict

import numpy as np

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.standalone.height_functions import number_of_height_functions
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.mining.height_search import (
    EVERY,
    GRUNDY,
    P_POSITIONS,
    HeightClass,
    Heights,
    Truths,
)
from choco_pipeline.mining.table_findings import Evidence, Tried

#: Boxes are counted while they have at most so many functions: those with the formula for Grundy numbers are few.
MOST_COUNTED: Mapping[int, int] = {GRUNDY: 10**12, P_POSITIONS: 10**7}
#: Boxes are counted with largest arguments and heights up to this.
LARGEST = 8
#: a, b, c of P iff (x+a)⊕(y+b)⊕(z+c) = 0, the smallest first; the empty bar is P, so a⊕b⊕c = 0.
SHIFTS: tuple[tuple[int, int, int], ...] = tuple(
    sorted(
        ((a, b, c) for a, b, c in product(range(-1, 3), repeat=3) if a ^ b ^ c == 0),
        key=lambda shift: (sum(map(abs, shift)), min(shift) < 0, shift),
    )
)


def total(side: int, height: int) -> int:
    """Return how many monotone functions there are from (0..side)² to 0..height."""
    return number_of_height_functions(side + 1, side + 1, height)


def counts(asked: HeightClass) -> list[dict[str, int]]:
    """Return how many functions of a class are in each box that is not too large, by largest argument and height."""
    return [
        {"side": side, "height": height, "functions": asked.count(side, height)}
        for side in range(1, LARGEST + 1)
        for height in range(1, LARGEST + 1)
        if total(side, height) <= MOST_COUNTED[asked.asked]
    ]


def census(side: int, height: int) -> FoundStatement:
    """Return the numbers of functions of a box with each formula, and in its picture those of other boxes.

    The box has arguments up to `side` and heights up to `height`.
    """
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    grundy, p_positions = HeightClass(GRUNDY).has(every), HeightClass(P_POSITIONS).has(every)
    shifts = best_shifts(every)
    least = {
        "P iff x⊕y⊕z = 0, not G = x⊕y⊕z": least_of(every, p_positions & ~grundy),
        "not P iff x⊕y⊕z = 0": least_of(every, ~p_positions),
        "G = x⊕y⊕z, not constant": least_of(every, grundy & (every[:, 0, 0] < every[:, -1, -1])),
    }
    number = len(every)
    return FoundStatement(
        search="heights",
        ruleset="solid-bar(f=f)",
        parameters={"f": ()},
        words=f"of the {number:,} monotone f from {{0..{side}}}² to {{0..{height}}}, {grundy.sum():,} have G = x⊕y⊕z"
        f" ({up_to_exchange(every, grundy):,} up to exchanging x and z), and {p_positions.sum():,} have P iff x⊕y⊕z = 0"
        f" ({up_to_exchange(every, p_positions):,})",
        found_on=Evidence(number, "all functions of the box"),
        held_on=Evidence(0, "nothing, for it is a count"),
        tried=Tried(1 + len(SHIFTS), "formulas"),
        conclusion=Conclusion("unchecked", "counted"),
        picture={
            "kind": "height-functions",
            "counts": {
                "G = x⊕y⊕z": counts(HeightClass(GRUNDY)),
                "P iff x⊕y⊕z = 0": counts(HeightClass(P_POSITIONS)),
            },
            "shifts": shifts,
            "least": least,
        },
    )


class ShiftCount(TypedDict):
    """A nim-sum with shifts, for how many functions it is zero exactly at P, and for how many it comes closest to that."""

    sum: str
    exact: int
    best: int


def best_shifts(every: Heights) -> list[ShiftCount]:
    """Return for how many functions each sum is zero exactly at P, and for how many it comes closest to that.

    Closest is the sum with the fewest mismatches, and of several the first of `SHIFTS`. Sums that come closest for none and
    are exact for none are left out.
    """
    wrong = np.array([HeightClass(P_POSITIONS, shift).mismatches(every) for shift in SHIFTS])
    best = wrong.argmin(axis=0)
    rows: list[ShiftCount] = [
        {"sum": _sum(shift), "exact": int((wrong[i] == 0).sum()), "best": int((best == i).sum())}
        for i, shift in enumerate(SHIFTS)
    ]
    return [row for row in rows if row["exact"] or row["best"]]


def least_of(every: Heights, chosen: Truths) -> list[list[int]] | None:
    """Return the least function among the chosen: by its largest height, its sum, its heights; None if there is none."""
    heights: list[Any] = every[chosen].tolist()
    return min(heights, key=lambda f: (f[-1][-1], sum(map(sum, f)), f), default=None)


def up_to_exchange(every: Heights, chosen: Truths) -> int:
    """Return how many functions there are among the chosen if f(x, z) and f(z, x) are one."""
    among = every[chosen]
    symmetric = int((among == among.transpose(0, 2, 1)).all(axis=(1, 2)).sum())
    return (len(among) + symmetric) // 2


def _sum(shift: tuple[int, int, int]) -> str:
    names = (
        f"({n}{s:+d})".replace("-", "−") if s else n for n, s in zip("xyz", shift, strict=True)
    )
    return "⊕".join(names)
