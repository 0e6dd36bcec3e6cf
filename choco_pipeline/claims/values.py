"""Checking which values a formula takes over the P-positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from choco_pipeline.claims.kinds import Values
from choco_pipeline.claims.tally import Tally
from choco_pipeline.formula import Formula
from choco_pipeline.tables.cells import Cells, Ints, evaluate_at, holds_at, select, select_where

#: At most so many values are listed.
MOST_LISTED = 64
#: Members of the set are looked for among the values up to this.
LARGEST_MEMBER = 1 << 24
#: Members of the set that a finite statement claims to be values are looked for up to this at least.
LEAST_SEARCH = 1 << 20
#: A set that is claimed to hold everything must have grown over this factor of the bound.
GROWTH = 4


@dataclass(frozen=True)
class ValueSet:
    """The values that were found, and how they compare with the claimed set.

    Attributes
    ----------
    tally
        P-positions whose value lies outside the claimed set are its failures.
    values
        The values at P-positions with all coordinates within the bound, ascending.
    sizes
        For each of them the largest coordinate of the first P-position that has it.
    missing
        Members of the claimed set, up to the largest value, that no such P-position has.
    members
        The members of the claimed set up to the largest value.
    claimed
        The claimed set, a condition on `v`.
    """

    tally: Tally
    values: Ints
    sizes: Ints
    members: Ints
    missing: Ints
    claimed: Formula

    def least_absent(self) -> int | None:
        """Return the least member of the claimed set, of any size, that is no value; None if none is found."""
        largest = int(self.values[-1]) if self.values.size else 0
        absent = np.setdiff1d(_members(self.claimed, max(2 * largest, LEAST_SEARCH)), self.values)
        return int(absent[0]) if absent.size else None

    def frontier(self, bound: int) -> int | None:
        """Return the member up to which all members occur at P-positions within `bound`; None if the least does not."""
        absent = np.setdiff1d(self.members, self.values[self.sizes <= bound])
        before = self.members if not absent.size else self.members[self.members < absent[0]]
        return int(before[-1]) if before.size else None

    def evidence(self) -> dict[str, Any]:
        """Return what a report shows: values, missing members, and how both grow with the bound."""
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
) -> ValueSet:
    """Return the values of the claim's formula over the P-positions; arguments as in `compare_p_positions`.

    A P-position that lies beyond the bound, as a strip may, can refute the claim, but its value is not among those listed.
    """
    of = check.of.substitute(environment)
    claimed = check.values.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    tally = Tally(cells, reach)
    first: dict[int, int] = {}
    for points in cells.p_positions(size):
        inside = cells.within_reach(select_where(points, where), reach)
        values, sizes = evaluate_at(of, inside), cells.sizes(inside)
        tally.settled += values.size
        distinct, which = np.unique(values, return_inverse=True)
        if check.relation != "contains-all":
            tally.fail(select(inside, ~holds_at(claimed, {"v": distinct})[which]))
        nearest = np.full(distinct.size, np.iinfo(np.int64).max)
        np.minimum.at(nearest, which, sizes)
        for value, near in zip(distinct.tolist(), nearest.tolist(), strict=True):
            first[value] = min(near, first.get(value, near))
    found = sorted((value, near) for value, near in first.items() if near <= cells.bound)
    values, sizes = np.array(found, np.int64).reshape(-1, 2).T
    members = _members(claimed, int(values[-1]) if values.size else -1)
    return ValueSet(tally, values, sizes, members, np.setdiff1d(members, values), claimed)


def growing_bounds(bound: int) -> list[int]:
    """Return bounds that double up to `bound`, at most six of them."""
    steps = [bound]
    while steps[-1] // 2 >= 16 and len(steps) < 6:
        steps.append(steps[-1] // 2)
    return steps[::-1]


def _members(claimed: Formula, largest: int) -> Ints:
    """Return the natural numbers up to `largest` in the claimed set."""
    candidates = np.arange(min(largest, LARGEST_MEMBER) + 1)
    return candidates[holds_at(claimed, {"v": candidates})]
