"""Checks of formulas for P-positions, Grundy numbers, numbers of positions and sets of values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, assert_never

import numpy as np

from choco_pipeline.claims.checks.evaluation import Batch, Evaluation
from choco_pipeline.claims.checks.evidence import ClaimCase, Pass, Tally, counterexample_at
from choco_pipeline.claims.checks.scan import (
    ColumnsTask,
    FormulaTask,
    NumbersTask,
    OutcomesTask,
    ValueCounts,
    ValueScan,
    compare_by_scan,
)
from choco_pipeline.claims.kinds import Count, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.kinds.shapes import Containment
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


def compare_p_positions(
    check: PPositions,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Compare the P-positions of a table with those of a formula.

    In a table that holds one coordinate c of the P-positions, every column has one cell. If the formula can be solved for c,
    each column has few candidates, and only these and the stored P-position can disagree. A strip or a last heap may then have
    any size. Otherwise c takes every value up to the bound, in every column.

    `environment` has integers for all names except coordinates. `size` cells are compared together. `reach` is the largest
    coordinate that the claim is about, None for any. Raises `LimitError` if the formula cannot be solved and there are too
    many positions to evaluate it at each; `FormulaError` if the formula has no value at a position.
    """
    formula, where = _substituted(environment, check.formula, check.where)
    assert formula is not None
    stored, relation, tally = cells.variable.stored, check.relation, Tally(cells, reach)

    def compare(block: CellBlock, tally: Tally) -> None:
        block = block.within(where)
        tally.settle(block.points)
        is_p = outcomes_of(cells, block.points, block.values)
        _compare(relation, formula, block.points, is_p, tally)

    if stored is None:
        task: FormulaTask = OutcomesTask(
            formula, where, relation, int(cells.variable.name != "grundy")
        )

        def compare_cells(slab: Slab, tally: Tally) -> None:
            compare(cells.block_of(slab), tally)

        yield from compare_by_scan(task, tally, size, compare_cells)
        return tally
    solutions = formula.solve(stored)
    if solutions is not None and (where is None or stored not in where.names):

        def compare_columns(slab: Slab, tally: Tally) -> None:
            columns = cells.block_of(slab).within(where)
            _compare_candidates(columns, stored, formula, solutions, relation, tally)

        task = ColumnsTask(formula, where, relation, tuple(solutions))
        yield from compare_by_scan(task, tally, size, compare_columns)
        return tally
    evaluations = estimated_positions(cells.game, cells.bound)
    if evaluations > MOST_EVALUATIONS:
        raise LimitError(
            f"{formula} cannot be solved for {stored}, and the table stands for {evaluations:,} positions:"
            f" it is evaluated at {MOST_EVALUATIONS:,} at most"
        )
    for block in cells.blocks(size):
        for positions in all_positions(block, stored):
            compare(positions, tally)
        yield
    return tally


def _substituted(
    environment: Mapping[str, int], *formulas: Formula | None
) -> Iterator[Formula | None]:
    return (None if formula is None else formula.substitute(environment) for formula in formulas)


def outcomes_of(cells: Cells, points: Points, values: Ints) -> Truths:
    """Return a mask of the P-positions, from the cells of the points."""
    stored = cells.variable.stored
    held: Truths = cells.holds_p(values) if stored is None else values == points[stored]
    return held


def _compare(
    relation: Containment, formula: Formula, points: Points, is_p: Truths, tally: Tally
) -> None:
    """Count where the premise is true and where the statement is false."""
    holds = holds_at(formula, points)
    match relation:
        case "exactly":
            met, wrong = np.ones_like(holds), holds != is_p
        case "contain":
            met, wrong = holds, holds & ~is_p
        case "within":
            met, wrong = is_p, is_p & ~holds
        case _:
            assert_never(relation)
    tally.meet(points, met)
    tally.fail(select(points, wrong))


def _compare_candidates(
    columns: CellBlock,
    stored: str,
    formula: Formula,
    solutions: list[Formula],
    relation: Containment,
    tally: Tally,
) -> None:
    assert columns.tops is not None
    tally.settle_columns(columns)
    held = tally.cells.holds_p(columns.values)
    p_positions = {**select(columns.points, held), stored: columns.values[held]}
    _compare(relation, formula, p_positions, held[held], tally)
    tried = [columns.values]
    for solution in solutions:
        candidates = evaluate_at(solution, columns.points)
        new = candidates >= 0
        if tally.cells.free is None:
            new &= candidates <= columns.tops
        for other in tried:
            new &= candidates != other
        tried.append(candidates)
        points = {**select(columns.points, new), stored: candidates[new]}
        _compare(relation, formula, points, ~new[new], tally)


def all_positions(columns: CellBlock, stored: str) -> Iterator[CellBlock]:
    """Yield all positions of columns, one value of the stored coordinate at a time."""
    assert columns.tops is not None
    for value in range(int(columns.tops.max(initial=-1)) + 1):
        high = columns.chosen(columns.tops >= value)
        points = {**high.points, stored: np.full(len(high), value, np.int64)}
        yield CellBlock(points, high.values, None)


def compare_grundy_numbers(
    check: GrundyNumbers,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Compare a table with a formula; arguments as in `compare_p_positions`."""
    equals, where = _substituted(environment, check.equals, check.where)
    assert equals is not None
    tally = Tally(cells, reach)

    def by_arrays(slab: Slab, tally: Tally) -> None:
        block = cells.block_of(slab).within(where)
        tally.settle(block.points)
        tally.fail(select(block.points, evaluate_at(equals, block.points) != block.values))

    yield from compare_by_scan(NumbersTask(equals, where), tally, size, by_arrays)
    return tally


def find_count(check: Count, case: ClaimCase) -> Finding:
    """Return the verdict on a number of positions or choices."""
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
        start = evaluation.start(inside)
        batch = Batch(start.size, {**start.known, **inside})
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


#: Intervals of one search: some seconds of work.
MOST_INTERVALS = 1 << 17


@dataclass(frozen=True)
class IntegerSet:
    """The integers that satisfy a condition on `v`.

    A member outside given integers is searched outwards from 0, in intervals. One throughout which the condition is false is
    skipped, whatever its length, so the last, infinite one can end the search. Others are halved, down to single integers.
    Interval arithmetic guarantees that skipped intervals hold no member, and evaluation that the result is one.
    """

    #: A truth with no name but `v`.
    condition: Formula

    def up_to(self, size: int) -> Ints:
        """Return the members from -`size` to `size`, ascending."""
        candidates = np.arange(-size, size + 1)
        return candidates[holds_at(self.condition, {"v": candidates})]

    def first_outside(self, others: Collection[int]) -> int | None:
        """Return the member nearest to 0 that is not among given integers, if any.

        Of two, the negative one is returned. Raises `LimitError` if `MOST_INTERVALS` intervals are not enough, and `FormulaError`
        if the condition has no value at a candidate.
        """
        nearest = [self._nearest_outside(others, sign) for sign in (-1, 1)]
        return min((v for v in nearest if v is not None), key=lambda v: (abs(v), v), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether no integer is a member; raises as `first_outside` does."""
        return self.first_outside(()) is None

    def _nearest_outside(self, others: Collection[int], sign: int) -> int | None:
        """Return the nearest member of a sign, 0 being positive, not among the others."""
        waiting: list[tuple[int, int | float]] = [(0 if sign > 0 else 1, inf)]
        visited = 0
        while waiting:
            near, far = waiting.pop()
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
                    waiting += [(middle + 1, far), (near, middle)]
                case False:
                    pass
        return None


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
class _ComparedValues:
    """The values that were found, and how they compare with the claimed set."""

    #: P-positions whose value lies outside the claimed set are its failures.
    tally: Tally
    #: The values at P-positions with all coordinates within the bound, ascending, and for each of them the largest coordinate of
    #: the first P-position that has it.
    values: Ints
    sizes: Ints
    #: The members of the claimed set up to the absolute value `looked_up_to`, ascending, and those without such a P-position, the
    #: nearest to 0 first.
    members: Ints
    missing: Ints
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
    of, members_of, where = _substituted(case.environment, check.of, check.values, check.where)
    assert of is not None
    assert members_of is not None
    claimed, tally = IntegerSet(members_of), Tally(cells, reach)
    nearest_of: dict[int, int] = {}

    def positions(slab: Slab) -> Points:
        return cells.within_reach(select_where(cells.p_positions_of(slab), where), reach)

    scan = ValueScan(of, where, cells, reach)
    for slab in cells.slabs(case.block):
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
    return _ComparedValues(tally, values, sizes, members, missing, claimed, size)


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
    compared = yield from _collect_values(check, case)
    evidence, settled = compared.evidence(), compared.tally.settled
    if compared.tally.least is not None:
        verdict = Refuted(counterexample_at(case, compared.tally.least), settled)
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
            span = compared.span(compared.looked_up_to)
            sense = f"no P-position has a value outside of the set, and every member {span} occurs"
            if absent.size:
                listed = ", ".join(f"{v:,}" for v in absent[:8].tolist())
                listed += ", …" if absent.size > 8 else ""
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


def _conclude_finite_values(
    case: ClaimCase, check: Values, compared: _ComparedValues, evidence: Mapping[str, Any]
) -> Finding:
    """Return the verdict if the table holds all P-positions in question."""
    settled = compared.tally.settled
    if check.relation != "within":
        absent = compared.claimed.first_outside(set(compared.values.tolist()))
        if absent is not None:
            claimed = f"{absent:,}, a v with {math_text(check.values)}, is a value"
            counterexample = Counterexample(f"no P-position has the value {absent:,}", claimed)
            return Finding(Refuted(counterexample, settled), evidence)
    if not compared.values.size:
        return Finding(case.nothing("P-position"))
    if check.relation == "contains-all" and compared.claimed.is_empty:
        return Finding(Vacuous(NO_MEMBER.format(check.values)), evidence)
    return Finding(Exhausted(settled), evidence)
