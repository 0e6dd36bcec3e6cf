"""For which height functions a formula holds: the shortest condition on f that tells (solid2022, Questions 1 and 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.height_functions import find_height_functions
from choco_pipeline.claims.kinds import HeightFunctions
from choco_pipeline.claims.model import Entry
from choco_pipeline.claims.verdict import Refuted
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.height_census import census, total
from choco_pipeline.finding.height_conditions import BLOCK, Condition, family, having
from choco_pipeline.finding.height_samples import held_out
from choco_pipeline.finding.statement import Evidence, Line, Statement, Tried, Verdict
from choco_pipeline.mining.heights import EVERY, GRUNDY, P_POSITIONS, HeightClass, Heights

FORMAT = 1
RULESET = "solid-bar(f=f)"
#: Functions of the box in which conditions are searched, at most.
MOST_FUNCTIONS = 1 << 16
#: Conditions that are joined, at most.
MOST_JOINED = 3
#: Of the joined conditions that are exact in the box, so many of the shortest are tried on other functions,
CANDIDATES = 12
#: and so many of those that are right there, too, become statements.
KEPT = 2

#: The questions, by what they ask of a bar.
QUESTIONS = {
    "G = x⊕y⊕z": HeightClass(GRUNDY),
    "P iff x⊕y⊕z = 0": HeightClass(P_POSITIONS),
}
MEANING = "for all z and u < x, with g = f(u,z) and h = f(x,z), and the same with the arguments of f exchanged"
TOP = (
    "t is the least of the v⊕z with v < x and f(v,z) = v⊕z and the x⊕w with w < z and f(x,w) = x⊕w,"
    " infinite where there are none"
)

Joined = tuple[Condition, ...]


class HeightsError(ChocoError):
    """A box of height functions that cannot be searched."""


@dataclass(frozen=True)
class Search:
    """What became of one question.

    Attributes
    ----------
    functions, members
        How many functions the box has, and how many of them are in the class.
    exact
        The joined conditions that only the members have, in the box and in everything held out, the shortest first.
    looked_at
        How many single conditions there were, and how many joined ones were right in the box.
    held
        On which other functions the shortest of these were then tried.
    """

    functions: int
    members: int
    exact: tuple[Joined, ...]
    looked_at: tuple[int, int]
    held: Evidence


def which_heights(order_file: str, out_file: str, report: Any) -> dict[str, Any]:
    """Search conditions for the height functions of a box, and count those with each formula.

    Parameters
    ----------
    order_file
        Holds ``{"heights": {"side": n, "height": h}}``: f has arguments 0..n and heights 0..h, h ≤ n.
    out_file
        Receives ``{"format", "statements": […], "searches": […]}``, whole or not at all.
    report
        Called as ``report("finding", steps=1)`` for each question and for the counts.

    Returns
    -------
    dict
        Numbers of statements and of searches.

    Raises
    ------
    HeightsError
        If the box has too many functions, or is higher than wide.
    """
    box = read_json(Path(order_file))["heights"]
    side, height = int(box["side"]), int(box["height"])
    statements, searches = [], []
    for question, height_class in QUESTIONS.items():
        found = search(height_class, side, height)
        statements += statements_of(question, found, side, height)
        said = {
            "what": f"conditions on f for {question}",
            "game": RULESET,
            "tried": tried(found).candidates,
        }
        searches.append({**said, "nothing": not found.exact})
        report("finding", steps=1)
    statements.append(census(side, height))
    report("finding", steps=1)
    documents = [statement.as_json() for statement in statements]
    write_json(Path(out_file), {"format": FORMAT, "statements": documents, "searches": searches})
    return {"statements": len(documents), "searches": len(searches)}


def search(
    height_class: HeightClass,
    side: int,
    height: int,
    conditions: Sequence[Condition] | None = None,
) -> Search:
    """Return the shortest joined conditions that exactly the members of a class have.

    Parameters
    ----------
    height_class
        Which functions.
    side, height
        The box in which they are found; larger ones are held out.
    conditions
        The family, by default `choco_pipeline.finding.height_conditions.family`.
    """
    number = total(side, height)
    if number > MOST_FUNCTIONS or not 1 <= height <= side:
        raise HeightsError(
            f"heights: side {side}, height {height}: {number:,} functions; 1 ≤ height ≤ side and at most"
            f" {MOST_FUNCTIONS:,} functions are needed"
        )
    conditions = family() if conditions is None else conditions
    every = np.concatenate(list(HeightClass(EVERY).members(side, height)))
    inside = height_class.has(every)
    needed = _needed(every[inside], conditions)
    joined = list(_separating(every[~inside], needed))
    candidates = sorted(joined, key=lambda one: sum(condition.size for condition in one))
    exact, held = _confirmed(candidates[:CANDIDATES], height_class, side, height)
    return Search(len(every), int(inside.sum()), exact[:KEPT], (len(conditions), len(joined)), held)


def _needed(members: Heights, conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions that all members have."""
    for start in range(0, len(members), BLOCK):
        together = having(members[start : start + BLOCK], conditions)
        conditions = [one for one, truths in zip(conditions, together, strict=True) if truths.all()]
    return list(conditions)


def _separating(others: Heights, conditions: Sequence[Condition]) -> Iterator[Joined]:
    """Yield the joined conditions, as few as can be, of which every other function breaks one."""
    columns = np.zeros((len(conditions), len(others)), np.bool_)
    for start in range(0, len(others), BLOCK):
        block = others[start : start + BLOCK]
        for row, truths in zip(columns, having(block, conditions), strict=True):
            row[start : start + BLOCK] = ~truths
    distinct: dict[bytes, tuple[Condition, int]] = {}
    packed = np.packbits(columns, axis=1)
    for condition, row in zip(conditions, packed, strict=True):
        wrong = int.from_bytes(row.tobytes(), "big")
        if wrong:
            distinct.setdefault(row.tobytes(), (condition, wrong))  # the shortest comes first
    everyone = int.from_bytes(np.packbits(np.ones(len(others), np.bool_)).tobytes(), "big")
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
            parts = sorted({part for one in left for part in one}, key=repr)
            truths = dict(zip(parts, having(heights, parts), strict=True))
            left = [
                one
                for one in left
                if (np.logical_and.reduce([truths[part] for part in one]) == inside).all()
            ]
        seen += number
        what.append(f"{number:,} {name}")
    return tuple(left), Evidence(seen, "; ".join(what))


def tried(found: Search) -> Tried:
    """Return what a search looked at."""
    conditions, joined = found.looked_at
    what = f"single conditions, joined up to {MOST_JOINED} at a time; {joined:,} ways were right in the box"
    return Tried(conditions, what)


def statements_of(question: str, found: Search, side: int, height: int) -> list[Statement]:
    """Return what a search says."""
    box = f"all monotone f from {{0..{side}}}² to {{0..{height}}}; {found.members:,} are so"
    statements = []
    for joined in found.exact:
        lines = tuple(Line("all f(x,z) with", part.such, part.guard) for part in joined)
        named = "; ".join(
            f"{line.formula} wherever {line.where}" if line.where else line.formula
            for line in lines
        )
        top = f" ({TOP})" if any("t" in part.names for part in joined) else ""
        statement = Statement(
            kind="heights",
            ruleset=RULESET,
            parameters={"f": ()},
            text=f"For monotone f, {question} exactly if, {MEANING}: {named}{top}.",
            formulas=(Line(*_label(question)), *lines),
            found_on=Evidence(found.functions, box),
            held_on=found.held,
            tried=tried(found),
            verdict=Verdict("observed", f"right for {found.held.positions:,} other functions, too"),
        )
        statements.append(_checked(statement, question, joined, side, height))
    return statements


def _label(question: str) -> tuple[str, str]:
    return ("G =", "x ^ y ^ z") if question.startswith("G") else ("P iff", "x ^ y ^ z == 0")


def _checked(
    statement: Statement, question: str, joined: Joined, side: int, height: int
) -> Statement:
    """Return a statement on Grundy numbers with its claim and what the claim's own check says; others as they are."""
    if not question.startswith("G") or any({"t", "i"} & part.names for part in joined):
        return statement
    less = side - height
    entry = {
        "id": statement.id,
        "number": "found",
        "status": "found",
        "statement": statement.text,
        "check": {
            "kind": "height-functions",
            "arguments": 2,
            "bound": side,
            "height": f"N-{less}" if less else "N",
            "all": {"u": "0..N", "x": "u+1..N", "z": "0..N"},
            "such": " and ".join(f"({_with_look_ups(part)})" for part in joined),
            "grundy": "x ^ y ^ z",
        },
    }
    claim = Claim(Entry.model_validate(entry))
    assert isinstance(claim.check, HeightFunctions)
    match find_height_functions(claim.check, side).verdict:
        case Refuted() as refuted:
            verdict = Verdict("refuted", str(refuted.counterexample.found))
        case _:
            said = f"checked for each of the {total(side, height):,} functions in the box"
            verdict = Verdict("exhausted", said)
    return replace(statement, claim=entry, verdict=verdict)


def _with_look_ups(part: Condition) -> str:
    """Return a condition, in both arguments, as a claim says it."""
    said = f"(not ({part.guard}) or {part.such})" if part.where else f"({part.such})"
    both = []
    for g, h in (
        ("f(u*(N+1)+z)", "f(x*(N+1)+z)"),
        ("f(z*(N+1)+u)", "f(z*(N+1)+x)"),
    ):
        both.append(re.sub(r"\bh\b", h, re.sub(r"\bg\b", g, said)))
    return " and ".join(both)
