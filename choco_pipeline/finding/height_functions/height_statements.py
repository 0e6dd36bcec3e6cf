"""What is said of the height functions of a box: how many have which formula, and which condition tells them apart.

The shortest condition on f that tells is looked for (solid2022, Questions 1 and 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.height_functions.height_census import census, total
from choco_pipeline.finding.height_functions.height_conditions import Condition, family, having
from choco_pipeline.finding.height_functions.height_samples import boxes, held_out, named
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.mining.height_search import GRUNDY, P_POSITIONS, HeightClass, Heights
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.config import MOST_HEIGHT_FUNCTIONS
from choco_pipeline.sweep.orders import ASKED_OF_HEIGHTS

#: Conditions that are joined, at most.
MOST_JOINED = 3
#: Of the joined conditions that are exact in the box, so many of the shortest are tried on other functions.
CANDIDATES = 12
#: Of those that are right there, too, so many become statements: others say the same in other words.
KEPT = 1

Joined = tuple[Condition, ...]
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
    """What is asked of a bar: a formula, and which height functions give it."""

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


def classify_heights(order_file: str, out_file: str, report: Any) -> dict[str, int]:
    """Answer one question on all height functions of a box.

    Raises `HeightsError` if the box has too many functions, or is higher than wide. The order is ``{"asked": …, "side": n,
    "height": h}``: f has arguments 0..n and heights 0..h, h ≤ n. Asked is a name of `QUESTIONS`, for a condition on f, or
    ``counts``. The other file receives a `FoundDocument`, whole or not at all; numbers of statements and of searches are
    returned. The report is called as ``report(Stage.MINE, searches=1)``.
    """
    order = read_record(Path(order_file))
    document = classified(order["asked"], int(order["side"]), int(order["height"]))
    document.write(Path(out_file))
    report(Stage.MINE, searches=1)
    return document.counts


def classified(asked: str, side: int, height: int) -> FoundDocument:
    """Return statements and searches on the height functions of a box."""
    if asked not in QUESTIONS:
        return FoundDocument(statements=(census(side, height),), searches=())
    question = QUESTIONS[asked]
    criterion = search(question.heights, side, height)
    searched = Searched(
        what=f"conditions on f for {question.shown}",
        game=RULESET,
        tried=tried(criterion),
        nothing=not criterion.exact,
    )
    statements = statements_of(question, criterion, side, height)
    return FoundDocument(statements=tuple(statements), searches=(searched,))


def classified_all(side: int, height: int) -> FoundDocument:
    """Return all that can be said of the height functions of a box, one question after the other."""
    parts = [classified(asked, side, height) for asked in ASKED_OF_HEIGHTS]
    return FoundDocument(
        statements=tuple(statement for part in parts for statement in part.statements),
        searches=tuple(search for part in parts for search in part.searches),
    )


def statements_of(
    question: HeightQuestion, criterion: CriterionSearch, side: int, height: int
) -> list[FoundStatement]:
    """Return what a search says."""
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
            tried=tried(criterion),
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


class HeightsError(ChocoError):
    """A box of height functions that cannot be searched."""


@dataclass(frozen=True)
class CriterionSearch:
    """What became of one question."""

    #: How many functions the boxes have, and how many of them are in the class.
    functions: int
    members: int
    #: The joined conditions that only the members have, in the boxes and in everything held out, the shortest first.
    exact: tuple[Joined, ...]
    #: How many single conditions there were, and how many joined ones were right in the boxes.
    looked_at: tuple[int, int]
    #: On which other functions the shortest of these were then tried.
    held: Evidence


def search(
    height_class: HeightClass,
    side: int,
    height: int,
    conditions: Sequence[Condition] | None = None,
) -> CriterionSearch:
    """Return the shortest joined conditions that exactly the members of a class have.

    They are found in the boxes with all arguments and heights up to `side` and `height`; larger ones are held out. Conditions
    are by default those of `choco_pipeline.finding.height_functions.height_conditions.family`.
    """
    number = total(side, height)
    if number > MOST_HEIGHT_FUNCTIONS or not 1 <= height <= side:
        raise HeightsError(
            f"heights: side {side}, height {height}: {number:,} functions; 1 ≤ height ≤ side and at most"
            f" {MOST_HEIGHT_FUNCTIONS:,} functions are needed"
        )
    conditions = family() if conditions is None else conditions
    every = list(boxes(side, height))
    inside = [height_class.has(block) for block in every]
    needed = _needed([f[has] for f, has in zip(every, inside, strict=True)], conditions)
    joined = list(_separating([f[~has] for f, has in zip(every, inside, strict=True)], needed))
    candidates = sorted(joined, key=lambda joint: sum(condition.size for condition in joint))
    exact, held = _confirmed(candidates[:CANDIDATES], height_class, side, height)
    functions, members = sum(map(len, every)), int(sum(map(np.sum, inside)))
    return CriterionSearch(functions, members, exact[:KEPT], (len(conditions), len(joined)), held)


def _needed(members: Sequence[Heights], conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions that all members have."""
    for block in members:
        together = having(block, conditions)
        conditions = [
            condition
            for condition, truths in zip(conditions, together, strict=True)
            if truths.all()
        ]
    return list(conditions)


def _separating(others: Sequence[Heights], conditions: Sequence[Condition]) -> Iterator[Joined]:
    """Yield the joined conditions, as few as can be, of which every other function breaks one."""
    ends = np.cumsum([len(block) for block in others])
    columns = np.zeros((len(conditions), ends[-1]), np.bool_)
    for block, end in zip(others, ends, strict=True):
        for row, truths in zip(columns, having(block, conditions), strict=True):
            row[end - len(block) : end] = ~truths
    distinct: dict[bytes, tuple[Condition, int]] = {}
    packed = np.packbits(columns, axis=1)
    for condition, row in zip(conditions, packed, strict=True):
        wrong = int.from_bytes(row.tobytes(), "big")
        if wrong:
            distinct.setdefault(row.tobytes(), (condition, wrong))  # the shortest comes first
    everyone = int.from_bytes(np.packbits(np.ones(ends[-1], np.bool_)).tobytes(), "big")
    if reduce(int.__or__, (wrong for _, wrong in distinct.values()), 0) != everyone:
        return
    for number in range(1, MOST_JOINED + 1):
        any_found = False
        for chosen in combinations(distinct.values(), number):
            if reduce(int.__or__, (wrong for _, wrong in chosen)) == everyone:
                any_found = True
                yield tuple(condition for condition, _ in chosen)
        if any_found:
            return


def _confirmed(
    candidates: Sequence[Joined], height_class: HeightClass, side: int, height: int
) -> tuple[tuple[Joined, ...], Evidence]:
    """Return the candidates that are right for all functions held out, and for how many they are."""
    left, seen = list(candidates), 0
    what = []
    for name, batches in held_out(height_class, side, height):
        number = 0
        for heights in batches if left else ():
            inside = height_class.has(heights)
            number += len(heights)
            parts = sorted({part for candidate in left for part in candidate}, key=repr)
            truths = dict(zip(parts, having(heights, parts), strict=True))
            left = [
                candidate
                for candidate in left
                if (np.logical_and.reduce([truths[part] for part in candidate]) == inside).all()
            ]
        seen += number
        what.append(f"{number:,} {name}")
    return tuple(left), Evidence(seen, "; ".join(what))


def tried(search: CriterionSearch) -> Tried:
    """Return what a search looked at."""
    conditions, joined = search.looked_at
    what = (
        f"single conditions, joined up to {MOST_JOINED} at a time; right in the boxes: {joined:,}"
    )
    if joined and not search.exact:
        what += f"; of the {min(joined, CANDIDATES)} shortest of these none is right for other functions, too"
    return Tried(conditions, what)
