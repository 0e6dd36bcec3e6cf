"""A statement that is wrong for some parameters is said of fewer: by a condition that tells these apart, or by their names.

A statement that names its games goes on without those where it is wrong. Of any other the shortest condition that keeps these apart
narrows its own; what was learnt so is tried on other games (`choco_pipeline.finding.judge.trial`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from choco_pipeline.finding.families.domains import (
    domain,
    is_chance,
    is_overfitted,
    without_superfluous,
)
from choco_pipeline.finding.families.wording import listed, named, values_of
from choco_pipeline.finding.judge.simpler import simplified
from choco_pipeline.finding.judge.trial_outcome import MissingMember, TableTrial
from choco_pipeline.finding.statements.scope import Parameters, between
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.statement_line import nodes_in
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Junction
from choco_pipeline.formula.parse import parse_nodes

NARROWED = "; the condition was narrowed where it was wrong"
MISSED = " or not all small values of a set occur"
#: A statement that names its games is left without those where it is wrong, if so many remain.
FEWEST_NAMED = 3


@dataclass(frozen=True)
class Narrowed:
    """A statement with a narrower condition, and the trials that the condition was learnt from."""

    statement: FoundStatement
    learnt_from: Sequence[TableTrial]


def narrowed(
    statement: FoundStatement,
    seen: Iterable[Parameters],
    outcomes: Sequence[TableTrial],
    searched: str,
) -> Narrowed | None:
    """Return a statement for fewer parameters, by a short condition that tells where it was wrong; None if there is none.

    Where the statement was right in trials is not looked at, so that it is tried on them again, unless the condition is
    shorter then, or would leave some of them out. What is joined of several conditions must be shorter, in bits, than a list of
    where it was right.
    """
    points = [dict(known) for known in seen]
    wrong = [dict(t.parameters) for t in outcomes if t.is_against]
    right = [dict(t.parameters) for t in outcomes if t.positions]
    right = [point for point in right if point not in wrong and point not in points]
    kept = [point for point in points if point not in wrong]
    if names_its_games(statement):
        return _renamed(statement, kept, wrong, searched)
    domains = [
        domain([*kept, *wrong], [True] * len(kept) + [False] * len(wrong), right),
        domain([*kept, *right, *wrong], [True] * len(kept + right) + [False] * len(wrong)),
    ]
    blind, seeing = (fitted if fitted is not None and fitted.text else None for fitted in domains)
    if blind is not None and seeing is not None and not all(map(blind.holds, right)):
        blind = None
    inside = sum(1 for _ in _different([*kept, *right]))
    several = list(_different(wrong))
    conditions = [
        fitted
        for fitted in (blind, seeing)
        if fitted is not None
        and not is_overfitted(fitted.text, [*kept, *right])
        and not (
            isinstance(parse_nodes(fitted.text), Junction)
            and is_chance(fitted, inside + len(several), inside, largest=1)
        )
    ]
    if not conditions:
        return None
    best = min(conditions, key=lambda fitted: nodes_in(fitted.text))
    when = f"({statement.when}) and ({best.text})" if statement.when else best.text
    when = without_superfluous(when, [*between(statement), *right, *wrong])
    missed = MISSED if any(isinstance(t.verdict, MissingMember) for t in outcomes) else ""
    search = replace(
        statement.tried,
        candidates=statement.tried.candidates + best.tried,
        what=f"{searched}{NARROWED}{missed}, {listed(several)}",
    )
    narrower = simplified(replace(statement, when=when, tried=search))
    learnt_from = [t for t in outcomes if best is not blind or t.is_against]
    return Narrowed(narrower, learnt_from)


def names_its_games(statement: FoundStatement) -> bool:
    """Whether its condition says which games they are that it was seen for, so that it speaks of no others."""
    condition = named(statement.points) if statement.when else ""
    return bool(condition) and parse(condition).text == statement.when


def _renamed(
    statement: FoundStatement,
    kept: Sequence[Parameters],
    wrong: Sequence[Parameters],
    searched: str,
) -> Narrowed | None:
    """Return a statement that names its games without those where it was wrong; None if too few are left, or too many to name."""
    when = named(kept) if len(kept) >= FEWEST_NAMED else ""
    if not when:
        return None
    what = f"{searched}{NARROWED}, {listed(list(_different(wrong)))}"
    fewer = replace(
        statement,
        when=when,
        tried=replace(statement.tried, what=what),
        parameters=values_of(kept, list(statement.parameters)),
        seen=tuple(tuple(point[name] for name in statement.parameters) for point in kept),
    )
    return Narrowed(fewer, [])


def _different(points: Sequence[Parameters]) -> Iterator[Parameters]:
    return (point for i, point in enumerate(points) if point not in points[:i])
