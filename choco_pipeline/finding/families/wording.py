"""Choices of parameters as conditions, lists and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from choco_pipeline.finding.families.combinations import Point
from choco_pipeline.finding.families.table_family import Outcome
from choco_pipeline.formula.written import parameter_text
from choco_pipeline.mining.table_findings import Evidence

#: Most parameters in a list.
MOST_LISTED = 8
#: Most ranges of values of one parameter in a condition.
MOST_SPANS = 3
#: With several parameters: most ranges of one parameter, over all values of the others, and most choices in each.
MOST_RANGES, FEWEST_IN_RANGE = 8, 2


def evidence(seen: Sequence[tuple[Point, Outcome]], kind: str) -> Evidence:
    """Return the evidence of some tables."""
    positions = sum(outcome.positions for _, outcome in seen)
    which = listed([point for point, _ in seen])
    what = f"{len(seen)} {kind + ' ' if kind else ''}tables, {which}"
    return Evidence(positions, what, len(seen))


def listed(points: Sequence[Point]) -> str:
    """Return a list of parameters in words, shortened if it is long."""
    return parameter_text.listed(points, MOST_LISTED) or "none"


def named(points: Sequence[Point]) -> str:
    """Return the condition that parameters are one of some choices; "" if it is too long.

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
    """Return the number of ranges in such a condition, and the condition."""
    if not points:
        return 0, ""
    names = sorted(points[0])
    ways = (_named(points, order) for order in permutations(names))
    ranges, condition = min(ways, key=lambda way: (way[0], len(way[1]), way[1]))
    most = MOST_SPANS if len(names) == 1 else min(MOST_RANGES, len(points) // FEWEST_IN_RANGE)
    return ranges, condition if ranges <= most else ""


def _named(points: Sequence[Point], order: Sequence[str]) -> tuple[int, str]:
    """Return the number of ranges of the last parameter for some points, and the condition."""
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
    """Return sorted values as ranges without gaps."""
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
    """Return the values of each parameter at some points."""
    chosen = list(points)
    return {name: tuple(sorted({point[name] for point in chosen})) for name in names}
