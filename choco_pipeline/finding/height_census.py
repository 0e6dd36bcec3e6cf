"""How many monotone height functions of a box have which formula, and the least ones that show a difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from choco_pipeline.claims.height_functions import number_of_height_functions
from choco_pipeline.finding.statement import Evidence, Statement, Tried, Verdict
from choco_pipeline.mining.heights import (
    EVERY,
    GRUNDY,
    P_POSITIONS,
    HeightClass,
    Heights,
    Truths,
)

#: Boxes are counted while they have at most so many functions: those with the formula for Grundy numbers are few.
MOST_COUNTED: Mapping[int, int] = {GRUNDY: 10**12, P_POSITIONS: 10**7}
#: Boxes are counted with largest arguments and heights up to this.
LARGEST = 8
#: a, b, c of P iff (x+a)⊕(y+b)⊕(z+c) = 0; the empty bar is P, so a⊕b⊕c = 0, and x and z may be exchanged.
SHIFTS = tuple((a, b, c) for a in range(3) for b in range(3) for c in range(a, 3) if a ^ b ^ c == 0)


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


def census(side: int, height: int) -> Statement:
    """Return the numbers of functions of a box with each formula, and in its picture those of other boxes.

    Parameters
    ----------
    side, height
        The largest argument and the largest height.
    """
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    grundy, p_positions = HeightClass(GRUNDY).has(every), HeightClass(P_POSITIONS).has(every)
    shifted = {shift: int(HeightClass(P_POSITIONS, shift).has(every).sum()) for shift in SHIFTS[1:]}
    also = ", ".join(f"{_sum(shift)}: {number:,}" for shift, number in shifted.items() if number)
    least = {
        "P iff x⊕y⊕z = 0, not G = x⊕y⊕z": least_of(every, p_positions & ~grundy),
        "not P iff x⊕y⊕z = 0": least_of(every, ~p_positions),
        "G = x⊕y⊕z, not constant": least_of(every, grundy & (every[:, 0, 0] < every[:, -1, -1])),
    }
    number = len(every)
    return Statement(
        kind="heights",
        ruleset="solid-bar(f=f)",
        parameters={"f": ()},
        text=f"Of the {number:,} monotone f from {{0..{side}}}² to {{0..{height}}}, {grundy.sum():,} have G = x⊕y⊕z"
        f" ({up_to_exchange(every, grundy):,} up to exchanging x and z), {p_positions.sum():,} have P iff x⊕y⊕z = 0"
        f" ({up_to_exchange(every, p_positions):,}); with other sums zero exactly at P: {also or 'none'}.",
        found_on=Evidence(number, "all functions of the box"),
        held_on=Evidence(0, "nothing: these are counts"),
        tried=Tried(1 + len(SHIFTS), "formulas"),
        verdict=Verdict("observed", "counted"),
        picture={
            "kind": "height-functions",
            "G = x⊕y⊕z": counts(HeightClass(GRUNDY)),
            "P iff x⊕y⊕z = 0": counts(HeightClass(P_POSITIONS)),
            "least": least,
        },
    )


def least_of(every: Heights, chosen: Truths) -> list[list[int]] | None:
    """Return the least function among the chosen: by its largest height, its sum, its heights; None if there is none."""
    found: list[Any] = every[chosen].tolist()
    return min(found, key=lambda f: (f[-1][-1], sum(map(sum, f)), f), default=None)


def up_to_exchange(every: Heights, chosen: Truths) -> int:
    """Return how many functions there are among the chosen if f(x, z) and f(z, x) are one."""
    among = every[chosen]
    symmetric = int((among == among.transpose(0, 2, 1)).all(axis=(1, 2)).sum())
    return (len(among) + symmetric) // 2


def _sum(shift: tuple[int, int, int]) -> str:
    names = (f"({n}+{s})" if s else n for n, s in zip("xyz", shift, strict=True))
    return "⊕".join(names)
