"""Checks of formulas: P-positions, Grundy numbers, counts, value sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, assert_never

import numpy as np

from choco_pipeline.claims.checks.evaluation import Batch, Evaluation
from choco_pipeline.claims.checks.evidence import (
    ClaimCase,
    Pass,
    Tally,
    counterexample_at,
    finding_of_tally,
)
from choco_pipeline.claims.checks.scan import CellTask, compare_by_scan
from choco_pipeline.claims.kinds import Containment, Count, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.statements.tree import InRange
from choco_pipeline.tables.bounded_game import estimated_positions
from choco_pipeline.tables.cells import (
    CellBlock,
    Cells,
    Ints,
    Points,
    Slab,
    Truths,
    evaluate_at,
    growing_bounds,
    holds_at,
    select,
    select_where,
)

#: A formula is evaluated position by position at most this often: about a minute.
MOST_EVALUATIONS = 1 << 30


def compare(
    check: PPositions | GrundyNumbers,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Compare a table with a formula for Grundy numbers or for P-positions.

    In a table that holds one coordinate c of the P-positions, every column has one cell. If the formula can be solved for c,
    each column has few candidates, and only these and the stored P-position can disagree. If the formula is claimed of P-positions
    alone, only they can. In both cases a strip or a last heap may have any size. Otherwise c takes every value up to the bound, in
    every column.

    `environment` has the values of all names except coordinates. `size` cells are compared together. `reach` is the largest
    coordinate that the claim is about, None for any. Raises `LimitError` if the formula cannot be solved and there are too
    many positions to evaluate it at each; `FormulaError` if the formula has no value at a position.
    """
    stored, tally = cells.variable.stored, Tally(cells, reach)
    where = check.where and check.where.substitute(environment)
    if isinstance(check, GrundyNumbers):
        equals = check.equals.substitute(environment)

        def compare_numbers(slab: Slab, tally: Tally) -> None:
            block = cells.block_of(slab).within(where)
            tally.settle(block.points)
            tally.fail(select(block.points, evaluate_at(equals, block.points) != block.values))

        yield from compare_by_scan(CellTask(equals, where), tally, size, compare_numbers)
        return tally
    formula, relation = check.formula.substitute(environment), check.relation

    def compare_positions(block: CellBlock, tally: Tally) -> None:
        block = block.within(where)
        tally.settle(block.points)
        is_p = outcomes_of(cells, block.points, block.values)
        _compare(relation, formula, block.points, is_p, tally)

    if stored is None:
        p_value = int(cells.variable.name != "grundy")

        def compare_cells(slab: Slab, tally: Tally) -> None:
            compare_positions(cells.block_of(slab), tally)

        task = CellTask(formula, where, relation, p_value)
        yield from compare_by_scan(task, tally, size, compare_cells)
        return tally
    solutions = formula.solve(stored)
    if solutions is not None and (where is None or stored not in where.names):

        def compare_columns(slab: Slab, tally: Tally) -> None:
            columns = cells.block_of(slab).within(where)
            tally.settle_columns(columns)
            candidates = (evaluate_at(solution, columns.points) for solution in solutions)
            for points, is_p in candidate_positions(cells, columns, candidates):
                _compare(relation, formula, points, is_p, tally)

        task = CellTask(formula, where, relation, candidates=tuple(solutions))
        yield from compare_by_scan(task, tally, size, compare_columns)
        return tally
    if relation == "within":  # only P-positions can contradict it
        for points in cells.p_positions(size):
            points = points if where is None else select(points, holds_at(where, points))
            tally.settle(points)
            _compare(relation, formula, points, np.ones_like(points[stored], np.bool_), tally)
            yield
        return tally
    evaluations = estimated_positions(cells.game, cells.bound)
    if evaluations > MOST_EVALUATIONS:
        raise LimitError(
            f"{formula} cannot be solved for {stored}, and the table stands for {evaluations:,} positions:"
            f" it is evaluated at {MOST_EVALUATIONS:,} at most"
        )
    for block in cells.blocks(size):
        for positions in all_positions(block, stored):
            compare_positions(positions, tally)
        yield
    tally.is_bounded = True
    return tally


def outcomes_of(cells: Cells, points: Points, values: Ints) -> Truths:
    """Return a mask of the P-positions, from the cells of the points."""
    stored = cells.variable.stored
    held: Truths = cells.holds_p(values) if stored is None else values == points[stored]
    return held


def _compare(
    relation: Containment, formula: Formula, points: Points, is_p: Truths, tally: Tally
) -> None:
    """Count the true premises, and record the failures."""
    holds = holds_at(formula, points)
    met = premise(relation, holds, is_p)
    tally.meet(points, met)
    tally.fail(select(points, met & (holds != is_p)))


def premise(relation: Containment, holds: Truths, is_p: Truths) -> Truths:
    """Return a mask of the premise of an implication; all for an equivalence.

    The statement is false where the premise is true and `holds` differs from `is_p`.
    """
    match relation:
        case "exactly":
            return np.ones_like(holds)
        case "contain":
            return holds
        case "within":
            return is_p
        case _:
            assert_never(relation)


def candidate_positions(
    cells: Cells, columns: CellBlock, candidates: Iterable[Ints]
) -> Iterator[tuple[Points, Truths]]:
    """Yield the P-positions of columns, then the other candidate positions.

    `candidates` are values of the stored coordinate. With each block of positions comes a mask of the P-positions.
    """
    stored = cells.variable.stored
    assert stored is not None
    assert columns.tops is not None
    held = cells.holds_p(columns.values)
    yield {**select(columns.points, held), stored: columns.values[held]}, held[held]
    tried = [columns.values]
    for candidate in candidates:
        new = candidate >= 0
        if cells.free is None:
            new &= candidate <= columns.tops
        for other in tried:
            new &= candidate != other
        tried.append(candidate)
        yield {**select(columns.points, new), stored: candidate[new]}, ~new[new]


def all_positions(columns: CellBlock, stored: str) -> Iterator[CellBlock]:
    """Yield all positions of columns, one value of the stored coordinate at a time."""
    assert columns.tops is not None
    for value in range(int(columns.tops.max(initial=-1)) + 1):
        high = columns.chosen(columns.tops >= value)
        points = {**high.points, stored: np.full(len(high), value, np.int64)}
        yield CellBlock(points, high.values, None)


def find_by_formula(check: PPositions | GrundyNumbers, case: ClaimCase) -> Pass[Finding]:
    """Return the verdict on a formula for Grundy numbers or P-positions."""
    tally = yield from compare(check, case.environment, case.cells, case.block, case.reach)
    if isinstance(check, GrundyNumbers):
        return finding_of_tally(case, tally)
    if check.relation != "exactly":  # an implication
        if not tally.met:
            return Finding(
                case.nothing("position" if check.relation == "contain" else "P-position")
            )
        tally.settled = tally.met
    free = None if tally.is_bounded or case.reach is not None else case.cells.free
    return finding_of_tally(case, tally, {"free": free} if free else {})


def find_count(check: Count, case: ClaimCase) -> Finding:
    """Return the verdict on a claimed number of positions."""
    environment, cells = case.environment, case.cells
    if not case.is_complete:
        why = f"the table reaches bound {case.bound:,}, {case.reach:,} is needed"
        return Finding(Undecided(why))
    of = check.of.substitute(environment)
    counted = among = 0
    evaluation = Evaluation(None, case.bound, environment)
    further = [InRange(name, span) for name, span in check.beside.items()]
    blocks: Iterable[Points] = cells.p_positions(case.block)
    if check.over == "positions":
        blocks = ({**b.points, "grundy": b.values} for b in cells.blocks(case.block))
    for points in blocks:
        inside = cells.within_reach(points, case.reach)
        batch = Batch(next(iter(inside.values())).size, inside)
        for _, choices in evaluation.choices(further, batch):
            truths = holds_at(of, choices.known)
            counted += int(truths.sum())
            among += truths.size
    claimed = int(check.equals.value(environment))
    unit = "P-position" if check.over == "p-positions" else "position"
    evidence = {"counted": counted, "among": among}
    what = f"choices of {unit}s and of {', '.join(check.beside)}" if check.beside else f"{unit}s"
    if counted != claimed:
        found = Counterexample(f"{counted:,} {what}", f"{claimed:,}")
        return Finding(Refuted(found, among), evidence)
    if not among:
        return Finding(case.nothing(unit), evidence)
    return Finding(Exhausted(among, "case" if check.beside else "position"), evidence)


#: Largest number of intervals of one search: some seconds of work.
MOST_INTERVALS = 1 << 17


@dataclass(frozen=True)
class IntegerSet:
    """The integers that satisfy a condition on `v`.

    Idea: a member outside a given set is searched from 0 outwards. The first interval is infinite. If interval arithmetic shows
    that the condition is false on an interval, it is skipped; if it is true, the first integer outside the given set is the
    result. All other intervals are bisected, down to single integers, where the condition is evaluated.
    """

    #: A condition whose only name is `v`.
    condition: Formula

    def up_to(self, size: int) -> Ints:
        """Return the members from -`size` to `size`, ascending."""
        candidates = np.arange(-size, size + 1)
        return candidates[holds_at(self.condition, {"v": candidates})]

    def first_outside(self, others: Collection[int]) -> int | None:
        """Return the member nearest to 0 that is not in `others`, if any.

        Of v and −v, the negative one is returned. Raises `LimitError` if `MOST_INTERVALS` intervals are not enough, and
        `FormulaError` if the condition has no value at a candidate.
        """
        nearest = [self._nearest_outside(others, sign) for sign in (-1, 1)]
        return min((v for v in nearest if v is not None), key=lambda v: (abs(v), v), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether no integer is a member; raises as `first_outside` does."""
        return self.first_outside(()) is None

    def _nearest_outside(self, others: Collection[int], sign: int) -> int | None:
        """Return the nearest member not in `others` that is negative, or at least 0."""
        pending: list[tuple[int, int | float]] = [(0 if sign > 0 else 1, inf)]
        visited = 0
        while pending:
            near, far = pending.pop()
            visited += 1
            if visited > MOST_INTERVALS:
                raise LimitError(
                    f"{self.condition}: whether an integer {'above' if sign > 0 else 'below'} {sign * near:,} satisfies"
                    f" it is not known, after {MOST_INTERVALS:,} intervals"
                )
            low, high = sorted((sign * near, sign * far))
            match self.condition.throughout("v", low, high):
                case True:
                    size = next(size for size in count(near) if sign * size not in others)
                    if size <= far:
                        return sign * size
                case None:
                    middle = 2 * near + 1 if far == inf else (near + int(far)) // 2
                    pending += [(middle + 1, far), (near, middle)]
                case False:
                    pass
        return None


#: The largest number of values that are listed.
MOST_LISTED = 64
#: Missing members of the set are listed up to this size, which the verdict states.
LARGEST_MEMBER = 1 << 20
#: If all members are claimed to occur, the frontier must grow from the bound divided by this to the bound.
GROWTH = 4
#: Members of the set are searched at least up to the bound divided by this.
SMALL = 4
#: The reason why a claim about an empty set is vacuous.
NO_MEMBER = "no integer satisfies {}"


@dataclass(frozen=True)
class _ComparedValues:
    """The values at the P-positions, compared with the claimed set."""

    #: P-positions whose value lies outside the claimed set are its failures.
    tally: Tally
    #: The values at P-positions within the bound, ascending, and for each value the least size of a P-position with it. The size
    #: is the largest coordinate.
    values: Ints
    sizes: Ints
    #: The members of the claimed set with absolute value up to `looked_up_to`, ascending, and those that are not among the values,
    #: the nearest to 0 first.
    members: Ints
    missing: Ints
    claimed: IntegerSet
    #: The largest absolute value, but at least the bound divided by `SMALL`, and at most `LARGEST_MEMBER`.
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
            largest, frontier = int(seen[-1]) if seen.size else None, self.frontier(bound)
            growth.append(
                {"bound": bound, "count": seen.size, "largest": largest, "frontier": frontier}
            )
        return {
            "values": self.values[:MOST_LISTED].tolist(),
            "count": self.values.size,
            "missing": self.missing[:MOST_LISTED].tolist(),
            "missing_count": self.missing.size,
            "growth": growth,
        }


def _collect_values(check: Values, case: ClaimCase) -> Pass[_ComparedValues]:
    """Collect the values of the claim's formula at the P-positions.

    A P-position beyond the bound, as in a strip, can refute the claim, but its value is not listed.
    """
    cells, reach = case.cells, case.reach
    of = check.of.substitute(case.environment)
    where = check.where and check.where.substitute(case.environment)
    claimed, tally = IntegerSet(check.values.substitute(case.environment)), Tally(cells, reach)
    nearest_of: dict[int, int] = {}
    for slab in cells.slabs(case.block):
        points = cells.within_reach(select_where(cells.p_positions_of(slab), where), reach)
        values, sizes = evaluate_at(of, points), cells.sizes(points)
        order = np.lexsort((sizes, values))
        distinct, first = np.unique(values[order], return_index=True)
        for value, near in zip(distinct.tolist(), sizes[order[first]].tolist(), strict=True):
            nearest_of[value] = min(near, nearest_of.get(value, near))
        tally.settled += values.size
        if check.relation != "contains-all":
            outside = distinct[~holds_at(claimed.condition, {"v": distinct})]
            tally.fail(select(points, np.isin(values, outside)))
        yield
    nearby = sorted((value, near) for value, near in nearest_of.items() if near <= cells.bound)
    values, sizes = np.array(nearby, np.int64).reshape(-1, 2).T
    size = max(int(np.abs(values).max(initial=0)), cells.bound // SMALL)
    size = min(size, LARGEST_MEMBER)
    members = claimed.up_to(size) if values.size else np.empty(0, np.int64)
    missing = np.setdiff1d(members, values)
    missing = missing[np.argsort(np.abs(missing), stable=True)]
    return _ComparedValues(tally, values, sizes, members, missing, claimed, size)


def find_values(check: Values, case: ClaimCase) -> Pass[Finding]:
    """Return the verdict on the set of values at the P-positions.

    An incomplete table refutes a set only by a value outside it; a missing member leaves the claim undecided.
    """
    compared = yield from _collect_values(check, case)
    evidence, settled = compared.evidence(), compared.tally.settled
    if compared.tally.least is not None:
        verdict = Refuted(counterexample_at(case, compared.tally.least), settled)
        return Finding(verdict, {**evidence, "failures": compared.tally.failures})
    if case.is_complete and check.relation != "within":
        absent = compared.claimed.first_outside(set(compared.values.tolist()))
        if absent is not None:
            claimed = f"{absent:,}, a v with {math_text(check.values)}, is a value"
            counterexample = Counterexample(f"no P-position has the value {absent:,}", claimed)
            return Finding(Refuted(counterexample, settled), evidence)
    if case.is_complete and not compared.values.size:
        return Finding(case.nothing("P-position"))
    if check.relation == "contains-all" and not compared.members.size and compared.claimed.is_empty:
        return Finding(Vacuous(NO_MEMBER.format(check.values)), evidence)
    if case.is_complete:
        return Finding(Exhausted(settled), evidence)
    if not compared.values.size:
        return Finding(case.nothing("P-position"))
    match check.relation:
        case "within":
            sense = "no P-position has a value outside of the set"
        case "exactly":
            missing = compared.missing
            if missing.size and abs(missing[0]) <= case.bound // SMALL:
                why = f"{missing[0]:,} is a member, and no P-position up to bound {case.bound:,} has it"
                return Finding(Undecided(why), evidence)
            span = compared.span(compared.looked_up_to)
            sense = f"no P-position has a value outside of the set, and every member {span} occurs"
            if missing.size:
                listed = ", ".join(f"{v:,}" for v in missing[:8].tolist())
                listed += ", …" if missing.size > 8 else ""
                sense = f"no P-position has a value outside of the set, and its members {span} occur except {listed}"
        case "contains-all":
            smaller = case.bound // GROWTH
            frontier, before = compared.frontier(case.bound), compared.frontier(smaller)
            if frontier is None:
                why = f"not even the least member occurs up to bound {case.bound:,}"
                return Finding(Undecided(why), evidence)
            span = compared.span(frontier)
            if before is not None and frontier <= before:
                if compared.claimed.first_outside(set(compared.values.tolist())) is None:
                    return Finding(Exhausted(compared.members.size, "member"), evidence)
                why = f"all members {span} occur, but the next does not, neither up to bound"
                return Finding(Undecided(f"{why} {smaller:,} nor {case.bound:,}"), evidence)
            sense = f"every member {span} occurs, and no table can contradict the claim"
        case _:
            assert_never(check.relation)
    return Finding(HoldsToBound(settled, case.bound, sense), evidence)
