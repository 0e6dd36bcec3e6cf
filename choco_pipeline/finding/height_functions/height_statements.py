"""Statements on the height functions of a box: how many have each formula, and a condition that distinguishes them.

The shortest such condition on f is searched (solid2022, Questions 1 and 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypedDict

import numpy as np

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.height_functions.height_criteria import (
    CriterionSearch,
    named,
    number_in_box,
    search,
)
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.mining.height_search import (
    EVERY,
    GRUNDY,
    P_POSITIONS,
    HeightClass,
    Heights,
    Truths,
)
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.orders import ASKED_OF_HEIGHTS

RULESET = "solid-bar(f=f)"
MEANING = (
    "f is monotone, u < x, g = f(u, z) and h = f(x, z); the condition is meant for all such u, x and z, and also with the"
    " arguments of f exchanged"
)
TOP = (
    "t is the least of the v⊕z with v < x and f(v, z) = v⊕z and the x⊕w with w < z and f(x, w) = x⊕w, infinite where there"
    " are none"
)


@dataclass(frozen=True)
class HeightQuestion:
    """A formula, and the class of height functions that have it."""

    label: str
    formula: str
    shown: str
    heights: HeightClass


#: By their names in a plan.
QUESTIONS: Mapping[str, HeightQuestion] = {
    "grundy": HeightQuestion("G =", "x ^ y ^ z", "G = x⊕y⊕z", HeightClass(GRUNDY)),
    "p-positions": HeightQuestion(
        "P iff", "x ^ y ^ z == 0", "P iff x⊕y⊕z = 0", HeightClass(P_POSITIONS)
    ),
}


def classify_heights(order: Mapping[str, Any], report: Any) -> dict[str, Any]:
    """Answer one question about all height functions of a box, and return a `FoundDocument` as plain data.

    The order is ``{"asked": …, "side": n, "height": h}``: f has arguments 0..n and heights 0..h, h ≤ n. Asked is a name of
    `QUESTIONS`, for a condition on f, or ``counts``. The report is called as ``report(Stage.MINE, searches=1)``. Raises
    `HeightsError` if the box has too many functions, or is higher than wide.
    """
    document = classified(order["asked"], int(order["side"]), int(order["height"]))
    report(Stage.MINE, searches=1)
    return document.document()


def classified(asked: str, side: int, height: int) -> FoundDocument:
    """Return statements and searches on the height functions of a box."""
    if asked not in QUESTIONS:
        return FoundDocument(statements=(census(side, height),), searches=())
    question = QUESTIONS[asked]
    criterion = search(question.heights, side, height)
    searched = Searched(
        what=f"conditions on f for {question.shown}",
        game=RULESET,
        tried=criterion.tried,
        nothing=not criterion.exact,
    )
    statements = statements_of(question, criterion, side, height)
    return FoundDocument(statements=tuple(statements), searches=(searched,))


def classified_all(side: int, height: int) -> FoundDocument:
    """Return statements and searches on all questions about a box."""
    parts = [classified(asked, side, height) for asked in ASKED_OF_HEIGHTS]
    return FoundDocument(
        statements=tuple(statement for part in parts for statement in part.statements),
        searches=tuple(search for part in parts for search in part.searches),
    )


def statements_of(
    question: HeightQuestion, criterion: CriterionSearch, side: int, height: int
) -> list[FoundStatement]:
    """Return the statements of a search."""
    box = f"all monotone {named(side, height)}"
    statements = []
    for joined in criterion.exact:
        conditions = "; and ".join(
            math_text(part.such) + (f" wherever {math_text(part.guard)}" if part.where else "")
            for part in joined
        )
        top = f"; {TOP}" if any("t" in part.names for part in joined) else ""
        criterion_of = [{"such": part.such, "where": part.guard} for part in joined]
        statement = FoundStatement(
            search="heights",
            ruleset=RULESET,
            parameters={"f": ()},
            words=f"of {box}, exactly those have {question.shown} for which {conditions}. Here {MEANING}{top}",
            found_on=Evidence(criterion.functions, f"{box}; {criterion.members:,} are so"),
            held_on=criterion.held,
            tried=criterion.tried,
            conclusion=Conclusion(
                "unchecked", f"right for {criterion.held.positions:,} other functions, too"
            ),
            picture={
                "kind": "height-criterion",
                "formula": question.formula,
                "conditions": criterion_of,
            },
        )
        statements.append(statement)
    return statements


#: Most functions of a box for a count. Few functions have the formula for Grundy numbers, so those boxes may be larger.
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


def counts(asked: HeightClass) -> list[dict[str, int]]:
    """Return the number of functions of a class in each box that is not too large."""
    return [
        {"side": side, "height": height, "functions": asked.count(side, height)}
        for side in range(1, LARGEST + 1)
        for height in range(1, LARGEST + 1)
        if number_in_box(side, height) <= MOST_COUNTED[asked.asked]
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
