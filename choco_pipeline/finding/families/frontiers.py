"""Bounds: the largest coordinate up to which a line is right, as a law in the parameter, for games in which it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.families.laws import TRIED, Law, laws
from choco_pipeline.finding.families.table_family import (
    MemberTable,
    Outcome,
    TableFamily,
    extent,
    outcome,
)
from choco_pipeline.finding.families.wording import evidence
from choco_pipeline.finding.statements.lines import up_to
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.mining.table_findings import Evidence, Tried


@dataclass(frozen=True)
class FamilyFormula:
    """A line with parameters, and its outcome on each table of a family."""

    line: str
    claim: Claim
    outcomes: tuple[Outcome, ...]

    @property
    def subject(self) -> tuple[str, str]:
        """The kind of the claim, and the condition on the positions that it is about; empty for all."""
        given = self.claim.determined
        where = given.where.text if given and given.where else ""
        return self.claim.check.kind, where

    @property
    def holds(self) -> tuple[bool, ...]:
        """Whether it is right, for each table."""
        return tuple(outcome.holds for outcome in self.outcomes)

    @property
    def inside(self) -> tuple[int, ...]:
        """Indices of the tables in which it is right."""
        return tuple(i for i, outcome in enumerate(self.outcomes) if outcome.holds)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The largest coordinate up to which it is right, for each table; None if it is right everywhere."""
        return tuple(None if o.failure is None else o.failure[1] - 1 for o in self.outcomes)

    def evidence(self, family: TableFamily, places: Sequence[int], kind: str) -> Evidence:
        """Return the evidence of some tables in which it is right."""
        members = [family.members[i] for i in places]
        seen = [(m.parameters, self.outcomes[i]) for m, i in zip(members, places, strict=True)]
        counted = evidence(seen, kind)
        return replace(counted, what=counted.what + extent(members))


def frontier_statements(
    family: TableFamily, formulas: Sequence[FamilyFormula], tried: int
) -> Iterator[FoundStatement]:
    """Yield the bounds of lines in games in which they fail, if the bounds follow a law in the one parameter of the family.

    A bound is left out if it is constant, or if another line is right as far for all these parameters, and further for some. Of lines
    with equal bounds the first is kept. Each line has an outcome for each table; `tried` is the number of candidates.
    """
    if len(family.names) != 1:
        return
    (name,) = family.names
    places = {
        member.parameters[name]: i
        for i, member in enumerate(family.members)
        if member.parameters[name] > 0
    }
    told = [(formula, _told(formula, places, name)) for formula in formulas]
    for place, formula in enumerate(formulas):
        reaches = {k: formula.reaches[i] for k, i in places.items()}
        known = {k: reach for k, reach in reaches.items() if reach is not None}
        for law in laws(known, name):
            beyond = [k for k in reaches if law.speaks_of(k) and k not in known]
            if law.combination.is_constant or any(
                (law.value(k) or 0) < family.members[places[k]].bound for k in beyond
            ):
                continue
            members = [places[k] for k in (*law.fitted, *law.held_out)]
            if not any(
                _has_all_coordinates(family.members[i], formula.reaches[i]) for i in members
            ):
                continue
            if any(
                _as_far(other, formula, members, reached, or_equal=i < place)
                for i, (other, reached) in enumerate(told)
            ):
                continue
            yield _statement(family, formula, law, places, tried)


def _has_all_coordinates(member: MemberTable, reach: int | None) -> bool:
    """Whether some position up to a size has no coordinate 0; otherwise the game up to there is Nim with fewer heaps."""
    if not reach:
        return False
    game = member.corner.game.base
    corners = product({1, reach}, repeat=len(game.coordinates))
    return any(game.is_position(corner) for corner in corners)


def _told(formula: FamilyFormula, places: Mapping[int, int], name: str) -> frozenset[int]:
    """Return the tables for which a law gives the bound of a line, or in which it is right everywhere."""
    reaches = {k: formula.reaches[i] for k, i in places.items()}
    known = {k: reach for k, reach in reaches.items() if reach is not None}
    by_law = {k for law in laws(known, name) for k in (*law.fitted, *law.held_out)}
    return frozenset(i for k, i in places.items() if k in by_law or reaches[k] is None)


def _as_far(
    other: FamilyFormula,
    formula: FamilyFormula,
    members: Sequence[int],
    told: frozenset[int],
    *,
    or_equal: bool,
) -> bool:
    """Whether another line has as large bounds in some tables, and a larger one in one of them unless `or_equal`."""
    if not told.issuperset(members):
        return False
    pairs = [(other.reaches[i], formula.reaches[i]) for i in members]
    as_far = all(a is None or (b is not None and a >= b) for a, b in pairs)
    return as_far and (or_equal or any(a != b for a, b in pairs))


def _statement(
    family: TableFamily, formula: FamilyFormula, law: Law, places: Mapping[int, int], tried: int
) -> FoundStatement:
    text, name = law.combination.text, law.name

    def seen(parameters: Sequence[int], kind: str) -> Evidence:
        members = [(family.members[places[k]], formula.reaches[places[k]]) for k in parameters]
        return evidence(
            [(m.parameters, outcome(formula.claim, m, reach)) for m, reach in members], kind
        )

    return FoundStatement(
        search="bounds",
        ruleset=family.ruleset,
        statement="" if text is None else up_to(text, formula.line),
        words=f"{formula.line}, up to size {law.formula} and no further" if text is None else "",
        found_on=seen(law.fitted, "smaller"),
        held_on=seen(law.held_out, "larger"),
        tried=Tried(
            tried,
            f"formulas that tables have in common, and nim-sums with shifts; bounds: {TRIED}",
            len(places),
        ),
        when=law.when,
        parameters={name: tuple(sorted((*law.fitted, *law.held_out)))},
    )
