"""How statements on families are worded: as a sentence, as a claim, and with what they were seen on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
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
#: Of several parameters, one is in so many ranges at most, for all values of the others together, and of so many choices each.
MOST_RANGES, FEWEST_IN_RANGE = 8, 2


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


def named(points: Sequence[Point]) -> str:
    """Return the condition that parameters are one of some choices; "" where that is too long to say.

    Choices of several parameters are put together by the values of one of them, of whichever that gives fewer ranges.

    Examples
    --------
    >>> named([{"s": 0}, {"s": 1}, {"s": 2}, {"s": 8}]), named([{"k": 2}, {"k": 4}])
    ('0 <= s <= 2 or s == 8', 'k == 2 or k == 4')
    >>> named([{"k": k, "s": s} for k, s in [(1, 0), (1, 1), (3, 0), (3, 1), (3, 2), (3, 5)]])
    'k == 1 and 0 <= s <= 1 or k == 3 and (0 <= s <= 2 or s == 5)'
    >>> named([{"k": k, "s": s} for k, s in [(1, 0), (2, 3), (3, 5)]])
    ''
    """
    return named_by_ranges(points)[1]


def named_by_ranges(points: Sequence[Point]) -> tuple[int, str]:
    """Return how many ranges of values such a condition has, and the condition."""
    if not points:
        return 0, ""
    names = sorted(points[0])
    ways = (_named(points, order) for order in permutations(names))
    ranges, condition = min(ways, key=lambda way: (way[0], len(way[1]), way[1]))
    most = MOST_SPANS if len(names) == 1 else min(MOST_RANGES, len(points) // FEWEST_IN_RANGE)
    return ranges, condition if ranges <= most else ""


def _named(points: Sequence[Point], order: Sequence[str]) -> tuple[int, str]:
    """Return how many ranges of the last parameter name some points, and the condition that does."""
    name, *others = order
    if not others:
        spans = _spans(sorted({point[name] for point in points}))
        return len(spans), " or ".join(_in_span(name, span) for span in spans)
    by_value: dict[int, list[Point]] = {}
    for point in points:
        by_value.setdefault(point[name], []).append(point)
    alike: dict[tuple[int, str], list[int]] = {}
    for value in sorted(by_value):
        alike.setdefault(_named(by_value[value], others), []).append(value)
    total, parts = 0, []
    for (ranges, condition), values in alike.items():
        inner = f"({condition})" if ranges > 1 else condition
        for span in _spans(values):
            total += ranges
            parts.append(f"{_in_span(name, span)} and {inner}")
    return total, " or ".join(parts)


def _spans(values: Sequence[int]) -> list[list[int]]:
    """Return values, which are in order, as ranges without a gap."""
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][-1] + 1:
            spans[-1].append(value)
        else:
            spans.append([value])
    return spans


def _in_span(name: str, span: Sequence[int]) -> str:
    return f"{span[0]} <= {name} <= {span[-1]}" if len(span) > 1 else f"{name} == {span[0]}"


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
