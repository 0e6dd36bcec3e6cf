"""Check of statements on horizontal sections of Sierpiński octahedra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from choco_pipeline.claims.checks.octahedron import section_of
from choco_pipeline.claims.kinds import Sections
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.claims.language.verdict import Counterexample, HoldsToBound, Refuted, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.tables.cells import Points, Truths, evaluate_at, holds_at

#: The largest number of squares, or of small octahedra, for one statement: some seconds of work.
MOST_VISITED = 1 << 24


def find_sections(check: Sections, bound: int, fixed: Mapping[str, int]) -> Finding:
    """Judge a statement on sections for all integers in its ranges.

    `bound` is the value of `N`; names in `fixed` have one value. A counterexample is the first one in the order of the names,
    then of the rows and columns. Cases are the squares in question, or the octahedra whose pieces are counted; evidence is the
    number of `choices` of integers. Raises `FormulaError` if a formula has no value where it is needed; `LimitError` if a section
    does not exist, or there are too many squares.
    """
    cases = choices = visited = 0
    for known in _choices(check, bound, fixed):
        choices += 1
        order = int(check.order.value(known))
        if check.pieces is not None:
            if 6 ** min(order, 16) > MOST_VISITED:
                raise LimitError(f"order {order:,}: more than {MOST_VISITED:,} small octahedra")
            cases += 1
            number, claimed = len(centres(order)), int(check.pieces.value(known))
            if number != claimed:
                return _refuted(
                    check, known, f"{number:,} octahedra", f"{claimed:,}", cases, choices
                )
            continue
        assert check.level is not None
        squares = _squares(order, int(check.level.value(known)), check.halves)
        visited += 1 + squares.size
        if visited > MOST_VISITED:
            raise LimitError(
                f"there are more than {MOST_VISITED:,} squares to look at: a smaller bound has fewer"
            )
        in_question, wrong = _compared(check, known, squares)
        cases += in_question
        if wrong is not None:
            i, j, claimed_there = wrong
            words = {True: "there is a square", False: "there is none"}
            return _refuted(
                check,
                known | {"i": i, "j": j},
                words[not claimed_there],
                words[claimed_there],
                cases,
                choices,
            )
    if not cases:
        return Finding(Undecided(f"no section up to N = {bound} belongs to the statement"))
    unit = "octahedron" if check.pieces is not None else "square"
    return Finding(HoldsToBound(cases, bound, unit=unit), {"choices": choices})


def centres(order: int) -> set[tuple[int, ...]]:
    """Return the centres of the small octahedra of S_order, in units of their radius."""
    centres = np.zeros((1, 3), np.int64)
    for i in range(order):
        step = np.vstack([np.eye(3, dtype=np.int64), -np.eye(3, dtype=np.int64)]) << (order - 1 - i)
        centres = (centres[:, None] + step).reshape(-1, 3)
    return {tuple(centre) for centre in centres.tolist()}


def _choices(check: Sections, bound: int, fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for known in assignments(dict(check.all), {"N": bound}):
        if all(known[name] == value for name, value in fixed.items()):
            for name, formula in check.let.items():
                known[name] = int(formula.value(known))
            yield known


@lru_cache(maxsize=256)
def _squares(order: int, level: int, halves: bool) -> Truths:
    return section_of(order, level, halves).squares


def _compared(
    check: Sections, known: Mapping[str, int], squares: Truths
) -> tuple[int, tuple[int, int, bool] | None]:
    """Return the number of squares in question, and the first wrong one."""
    i, j = (index.ravel() + 1 for index in np.indices(squares.shape))
    there = squares.ravel()
    left = np.ones(there.size, np.bool_)
    wrong = np.zeros(there.size, np.bool_)
    in_question = 0
    for case in check.cases:
        points: Points = {"i": i, "j": j}
        mine = left.copy()
        if case.where is not None:
            mine &= holds_at(case.where.substitute(known), points)
        left &= ~mine
        if not mine.any():
            continue
        in_question += int(mine.sum())
        claimed = np.zeros(int(mine.sum()), np.bool_)
        if case.like is not None:
            order, level = (int(part.value(known)) for part in case.like[:2])
            other = _squares(order, level, False)
            here: Points = {"i": i[mine], "j": j[mine]}
            row, column = (evaluate_at(part.substitute(known), here) - 1 for part in case.like[2:])
            inside = (np.minimum(row, column) >= 0) & (np.maximum(row, column) < other.shape[0])
            claimed[inside] = other[row[inside], column[inside]]
        wrong[mine] = there[mine] != claimed
    if not wrong.any():
        return in_question, None
    n = int(wrong.argmax())
    return in_question, (int(i[n]), int(j[n]), not bool(there[n]))


def _refuted(
    check: Sections, known: Mapping[str, int], actual: str, claimed: str, cases: int, choices: int
) -> Finding:
    names = (*check.all, *(name for name in ("i", "j") if name in known))
    position = tuple(known[name] for name in names)
    counterexample = Counterexample(actual, claimed, position, names)
    return Finding(Refuted(counterexample, cases), {"choices": choices})
