"""Sharp bounds: the largest coordinate up to which a formula is right where it does not hold, as a law in the parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from choco_pipeline.finding.families.laws import TRIED, Law, laws
from choco_pipeline.finding.families.lift import LabelledFormula
from choco_pipeline.finding.families.table_family import (
    MemberTable,
    Outcome,
    TableFamily,
    extent,
    outcome,
)
from choco_pipeline.finding.families.wording import (
    claim_of,
    constant_exceptions,
    evidence,
    kind_of,
    sentence,
)
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import StatementLine


@dataclass(frozen=True)
class FamilyFormula:
    """A formula with parameters, as the ``check`` of a claim, and what it is worth on each table of a family."""

    labelled: LabelledFormula
    check: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]

    @property
    def holds(self) -> tuple[bool, ...]:
        """Whether it is right, table by table."""
        return tuple(outcome.holds for outcome in self.outcomes)

    @property
    def inside(self) -> tuple[int, ...]:
        """Places of the tables in which it is right."""
        return tuple(i for i, outcome in enumerate(self.outcomes) if outcome.holds)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The largest coordinate up to which it is right, table by table; None where it is right all over."""
        return tuple(None if o.failure is None else o.failure[1] - 1 for o in self.outcomes)

    def evidence(self, family: TableFamily, places: Sequence[int], kind: str) -> Evidence:
        """Return on which of a family's tables it is right, and on how many positions of them."""
        members = [family.members[i] for i in places]
        seen = [(m.parameters, self.outcomes[i]) for m, i in zip(members, places, strict=True)]
        counted = evidence(seen, kind)
        return replace(counted, what=counted.what + extent(members))


def frontier_statements(
    family: TableFamily, formulas: Sequence[FamilyFormula], tried: int
) -> Iterator[FoundStatement]:
    """Yield how far formulas are right, for the parameters for which they fail, if that follows a law.

    A law that a formula obeys is left out where another one is right as far for all those parameters, and further for some; so
    are constant ones. Of formulas that are right equally far the first is taken. Each formula has an outcome for
    each of the tables; `tried` ones were looked at. Where tables differ in several parameters nothing is looked for.
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
    """Whether no coordinate is 0 at some position within a reach; where bars are flat, what is right there is Nim with fewer heaps."""
    if not reach:
        return False
    game = member.corner.game.base
    corners = product({1, reach}, repeat=len(game.coordinates))
    return any(game.is_position(corner) for corner in corners)


def _told(formula: FamilyFormula, places: Mapping[int, int], name: str) -> frozenset[int]:
    """Return the tables in which it is said how far a formula is right: by a law, or all over."""
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
    """Whether another formula is said to be right as far in some tables, and further in one of them if not `or_equal`."""
    if not told.issuperset(members):
        return False
    pairs = [(other.reaches[i], formula.reaches[i]) for i in members]
    as_far = all(a is None or (b is not None and a >= b) for a, b in pairs)
    return as_far and (or_equal or any(a != b for a, b in pairs))


def _statement(
    family: TableFamily, formula: FamilyFormula, law: Law, places: Mapping[int, int], tried: int
) -> FoundStatement:
    labelled, text = formula.labelled, law.combination.text

    def seen(parameters: Sequence[int], kind: str) -> Evidence:
        members = [(family.members[places[k]], formula.reaches[places[k]]) for k in parameters]
        return evidence(
            [(m.parameters, outcome(formula.check, m, reach)) for m, reach in members], kind
        )

    lines = (StatementLine(labelled.label, labelled.formula, labelled.where),)
    return FoundStatement(
        kind=kind_of(labelled),
        ruleset=family.ruleset,
        said=f"{sentence(labelled)}, for coordinates up to {text or law.formula}, and no further",
        found_on=seen(law.fitted, "smaller"),
        held_on=seen(law.held_out, "larger"),
        tried=Tried(
            tried,
            f"formulas that tables have in common, and nim-sums with shifts; bounds: {TRIED}",
            len(places),
        ),
        when=law.when,
        parameters={law.name: tuple(sorted((*law.fitted, *law.held_out)))},
        claim=None if text is None else claim_of(family.ruleset, formula.check, text),
        # without one for the bound they would be said of all positions
        formulas=() if text is None else (*lines, StatementLine("up to", text)),
        exceptions=() if text is None else constant_exceptions(labelled),
    )
