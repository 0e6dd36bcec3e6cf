"""For which height functions a formula holds: the shortest condition on f that tells (solid2022, Questions 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.height_functions.height_census import total
from choco_pipeline.finding.height_functions.height_conditions import Condition, family, having
from choco_pipeline.finding.height_functions.height_samples import boxes, held_out
from choco_pipeline.finding.statements.statement import Evidence, Tried
from choco_pipeline.mining.height_search import HeightClass, Heights
from choco_pipeline.sweep.config import MOST_HEIGHT_FUNCTIONS

#: Conditions that are joined, at most.
MOST_JOINED = 3
#: Of the joined conditions that are exact in the box, so many of the shortest are tried on other functions.
CANDIDATES = 12
#: Of those that are right there, too, so many become statements: others say the same in other words.
KEPT = 1

Joined = tuple[Condition, ...]


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
