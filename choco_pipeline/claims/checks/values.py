"""Check of the set of values of a formula at the P-positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from choco_pipeline.claims.evidence.explain import counterexample_at
from choco_pipeline.claims.evidence.integer_sets import IntegerSet
from choco_pipeline.claims.evidence.shared_pass import Pass
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Values
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.claims.scans.scan import ValueCounts, ValueScan
from choco_pipeline.formula import Formula
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.cells import (
    Cells,
    Ints,
    Points,
    Slab,
    evaluate_at,
    growing_bounds,
    holds_at,
    select,
    select_where,
)

#: The largest number of values that are listed.
MOST_LISTED = 64
#: Missing members of the set are listed up to this size, which the verdict states.
LARGEST_MEMBER = 1 << 20
#: A set that is claimed to contain all members must grow over this factor of the bound.
GROWTH = 4
#: Members of the set are searched at least up to the bound divided by this.
SMALL = 4
#: The reason why a claim about an empty set is vacuous.
NO_MEMBER = "no integer satisfies {}"


@dataclass(frozen=True)
class ComparedValues:
    """The values that were found, and how they compare with the claimed set."""

    #: P-positions whose value lies outside the claimed set are its failures.
    tally: Tally
    #: The values at P-positions with all coordinates within the bound, ascending.
    values: Ints
    #: For each of them the largest coordinate of the first P-position that has it.
    sizes: Ints
    #: The members of the claimed set up to this size, ascending.
    members: Ints
    #: Members of the claimed set, up to the absolute value `looked_up_to`, without such a P-position, the nearest to 0 first.
    missing: Ints
    #: The claimed set.
    claimed: IntegerSet
    #: The size of the largest value, if that is not too large; at least the bound divided by `SMALL`.
    looked_up_to: int

    def frontier(self, bound: int) -> int | None:
        """Return the size up to which all members occur at P-positions within `bound`.

        None if not even the smallest member occurs.
        """
        absent = np.setdiff1d(self.members, self.values[self.sizes <= bound])
        sizes = np.abs(self.members)
        before = sizes if not absent.size else sizes[sizes < np.abs(absent).min()]
        return int(before.max()) if before.size else None

    def span(self, size: int) -> str:
        """Return the range of members up to a size, as words after "members"."""
        is_of_both_signs = self.members.size and self.members[0] < 0
        return f"from {-size:,} to {size:,}" if is_of_both_signs else f"up to {size:,}"

    def evidence(self) -> Mapping[str, Any]:
        """Return values, missing members, and their growth with the bound."""
        growth = []
        for bound in growing_bounds(self.tally.cells.bound):
            seen = self.values[self.sizes <= bound]
            largest = int(seen[-1]) if seen.size else None
            growth.append(
                {
                    "bound": bound,
                    "count": seen.size,
                    "largest": largest,
                    "frontier": self.frontier(bound),
                }
            )
        return {
            "values": self.values[:MOST_LISTED].tolist(),
            "count": self.values.size,
            "missing": self.missing[:MOST_LISTED].tolist(),
            "missing_count": self.missing.size,
            "growth": growth,
        }


def collect_values(
    check: Values,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[ComparedValues]:
    """Collect the values of the claim's formula at the P-positions.

    The arguments are those of `compare_p_positions`. A P-position beyond the bound, as in a strip, can refute the claim, but its
    value is not listed.
    """
    of = check.of.substitute(environment)
    claimed = IntegerSet(check.values.substitute(environment))
    where = None if check.where is None else check.where.substitute(environment)
    tally = Tally(cells, reach)
    nearest_of: dict[int, int] = {}

    def positions(slab: Slab) -> Points:
        return cells.within_reach(select_where(cells.p_positions_of(slab), where), reach)

    scan = ValueScan(of, where, cells, reach)
    for slab in cells.slabs(size):
        seen = scan.run(slab) or _values_at(of, positions(slab), cells)
        tally.settled += int(seen.counts.sum())
        for value, near in zip(seen.values.tolist(), seen.nearest.tolist(), strict=True):
            nearest_of[value] = min(near, nearest_of.get(value, near))
        outside = np.zeros(seen.values.size, np.bool_)
        if check.relation != "contains-all":
            outside = ~holds_at(claimed.condition, {"v": seen.values})
        tally.failures += int(seen.counts[outside].sum())
        near = int(seen.nearest[outside].min(initial=np.iinfo(np.int64).max))
        if outside.any() and tally.may_be_less(near, cells.first_of(slab), tally.least):
            part = Tally(cells, reach)
            points = positions(cells.part_within(slab, near))
            part.fail(select(points, ~holds_at(claimed.condition, {"v": evaluate_at(of, points)})))
            tally.take_least(part)
        yield
    nearby = sorted((value, near) for value, near in nearest_of.items() if near <= cells.bound)
    values, sizes = np.array(nearby, np.int64).reshape(-1, 2).T
    size = max(int(np.abs(values).max(initial=0)), cells.bound // SMALL)
    size = min(size, LARGEST_MEMBER)
    members = claimed.up_to(size) if values.size else np.empty(0, np.int64)
    missing = np.setdiff1d(members, values)
    missing = missing[np.argsort(np.abs(missing), stable=True)]
    return ComparedValues(tally, values, sizes, members, missing, claimed, size)


def _values_at(of: Formula, points: Points, cells: Cells) -> ValueCounts:
    values, which, counts = np.unique(
        evaluate_at(of, points), return_inverse=True, return_counts=True
    )
    nearest = np.full(values.size, np.iinfo(np.int64).max)
    np.minimum.at(nearest, which, cells.sizes(points))
    return ValueCounts(values, counts, nearest)


def find_values(check: Values, case: ClaimCase) -> Pass[Finding]:
    """Return the verdict on the set of values at the P-positions.

    A table that does not hold all of them refutes a set only by a value outside it. A missing member leaves the claim undecided.
    """
    compared = yield from collect_values(
        check, case.environment, case.cells, case.block, case.reach
    )
    evidence = compared.evidence()
    if compared.tally.least is not None:
        verdict = Refuted(counterexample_at(case, compared.tally.least), compared.tally.settled)
        return Finding(verdict, {**evidence, "failures": compared.tally.failures})
    if case.is_complete:
        return _conclude_finite_values(case, check, compared, evidence)
    if check.relation == "contains-all" and not compared.members.size and compared.claimed.is_empty:
        return Finding(Vacuous(NO_MEMBER.format(check.values)), evidence)
    if not compared.values.size:
        return Finding(case.nothing("P-position"))
    match check.relation:
        case "within":
            sense = "no P-position has a value outside of the set"
        case "exactly":
            absent = compared.missing
            if absent.size and abs(absent[0]) <= case.bound // SMALL:
                why = f"{absent[0]:,} is a member, and no P-position up to bound {case.bound:,} has it"
                return Finding(Undecided(why), evidence)
            sense = f"no P-position has a value outside of the set, {_which_occur(compared)}"
        case "contains-all":
            frontier = compared.frontier(case.bound)
            before = compared.frontier(case.bound // GROWTH)
            if frontier is None:
                why = f"not even the least member occurs up to bound {case.bound:,}"
                return Finding(Undecided(why), evidence)
            if before is not None and frontier <= before:
                if compared.claimed.first_outside(set(compared.values.tolist())) is None:
                    return Finding(Exhausted(compared.members.size, "member"), evidence)
                why = f"all members {compared.span(frontier)} occur, but the next does not, neither up to bound"
                return Finding(
                    Undecided(f"{why} {case.bound // GROWTH:,} nor {case.bound:,}"), evidence
                )
            sense = f"every member {compared.span(frontier)} occurs, and no table can contradict the claim"
        case _:
            assert_never(check.relation)
    return Finding(HoldsToBound(compared.tally.settled, case.bound, sense), evidence)


def _conclude_finite_values(
    case: ClaimCase, check: Values, compared: ComparedValues, evidence: Mapping[str, Any]
) -> Finding:
    """Return the verdict if the table holds all P-positions in question."""
    if check.relation != "within":
        absent = compared.claimed.first_outside(set(compared.values.tolist()))
        if absent is not None:
            counterexample = Counterexample(
                f"no P-position has the value {absent:,}",
                f"{absent:,}, a v with {math_text(check.values)}, is a value",
            )
            return Finding(Refuted(counterexample, compared.tally.settled), evidence)
    if not compared.values.size:
        return Finding(case.nothing("P-position"))
    if check.relation == "contains-all" and compared.claimed.is_empty:
        return Finding(Vacuous(NO_MEMBER.format(check.values)), evidence)
    return Finding(Exhausted(compared.tally.settled), evidence)


def _which_occur(compared: ComparedValues) -> str:
    span = compared.span(compared.looked_up_to)
    if not compared.missing.size:
        return f"and every member {span} occurs"
    listed = ", ".join(f"{v:,}" for v in compared.missing[:8].tolist())
    more = ", …" if compared.missing.size > 8 else ""
    return f"and its members {span} occur except {listed}{more}"
