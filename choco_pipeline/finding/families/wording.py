"""How statements on families are worded: as a sentence, as a claim, and with what they were seen on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.finding.families.combinations import Point
from choco_pipeline.finding.families.lift import LabelledFormula
from choco_pipeline.finding.families.table_family import Outcome
from choco_pipeline.finding.statements.statement import Evidence
from choco_pipeline.finding.statements.statement_line import Kind
from choco_pipeline.formula.written import parameter_text

#: So many parameters are listed.
MOST_LISTED = 8
#: A parameter that has one of some values is said to be in so many ranges at most.
MOST_SPANS = 3


def sentence(labelled: LabelledFormula) -> str:
    """Return what is said as one sentence without its full stop.

    Examples
    --------
    >>> sentence(LabelledFormula("G =", "y ^ z", "y > 0"))
    'G = y ^ z where y > 0'
    """
    where = f" where {labelled.where}" if labelled.where else ""
    but = [f"({', '.join(place)})" for place in labelled.exceptions]
    exceptions = f", except at {', '.join(but)}" if but else ""
    return f"{labelled.label} {labelled.formula}{where}{exceptions}"


def evidence(seen: Sequence[tuple[Point, Outcome]], kind: str) -> Evidence:
    """Return on which tables a statement was right, and on how many positions of them."""
    positions = sum(outcome.positions for _, outcome in seen)
    which = listed([point for point, _ in seen])
    what = f"{len(seen)} {kind + ' ' if kind else ''}tables, {which}"
    return Evidence(positions, what, len(seen))


def listed(points: Sequence[Point]) -> str:
    """Return parameters in words, the first of them if they are many."""
    return parameter_text.listed(points, MOST_LISTED) or "none"


def named(name: str, values: Sequence[int]) -> str:
    """Return the condition that a parameter has one of some values, which are in order; "" where that is too long to say.

    Examples
    --------
    >>> named("s", [0, 1, 2, 3, 8]), named("k", [2, 4])
    ('0 <= s <= 3 or s == 8', 'k == 2 or k == 4')
    """
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][-1] + 1:
            spans[-1].append(value)
        else:
            spans.append([value])
    if len(spans) > MOST_SPANS:
        return ""
    conditions = (
        f"{span[0]} <= {name} <= {span[-1]}" if len(span) > 1 else f"{name} == {span[0]}"
        for span in spans
    )
    return " or ".join(conditions)


def values_of(points: Iterable[Point], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return for each parameter the values that it has at some points."""
    chosen = list(points)
    return {name: tuple(sorted({point[name] for point in chosen})) for name in names}


def constant_exceptions(labelled: LabelledFormula) -> tuple[tuple[int, ...], ...]:
    """Return the exceptions that are the same positions for all parameters."""
    return tuple(
        tuple(map(int, place))
        for place in labelled.exceptions
        if all(part.lstrip("-").isdigit() for part in place)
    )


def claim_of(ruleset: str, check: Mapping[str, Any], reach: str = "") -> dict[str, object]:
    """Return what is said of some parameters as the formal part of a claim."""
    return {"ruleset": ruleset} | ({"reach": reach} if reach else {}) | {"check": dict(check)}


def kind_of(labelled: LabelledFormula) -> Kind:
    """Return what a statement is about."""
    return "grundy" if labelled.label == "G =" else "p-positions"
