"""Checks of formulas for P-positions, Grundy numbers and numbers of positions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from choco_pipeline.claims.checks.evaluation import Batch, Evaluation
from choco_pipeline.claims.evidence.shared_pass import Pass
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Count, GrundyNumbers, PPositions
from choco_pipeline.claims.kinds.position_kinds import Containment
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Exhausted, Refuted, Undecided
from choco_pipeline.claims.scans.cell_loop import (
    ColumnsTask,
    FormulaTask,
    NumbersTask,
    OutcomesTask,
)
from choco_pipeline.claims.scans.scan import compare_by_scan
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
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
    holds_at,
    select,
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
    formula = check.formula.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    stored = cells.variable.stored
    tally = Tally(cells, reach)
    relation = check.relation
    if stored is None:

        def compare_cells(slab: Slab, tally: Tally) -> None:
            _compare_block(cells.block_of(slab), formula, where, relation, tally)

        p_value = int(cells.variable.name != "grundy")
        task: FormulaTask = OutcomesTask(formula, where, relation, p_value)
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
            _compare_block(positions, formula, where, relation, tally)
        yield
    return tally


_Truths = Callable[[Truths, Truths], Truths]
#: For each relation: the masks of the true premises and of the false statements, from those of the formula and of the
#: P-positions.
_RELATIONS: Mapping[Containment, tuple[_Truths, _Truths]] = {
    "exactly": (lambda holds, is_p: holds | ~holds, lambda holds, is_p: holds != is_p),
    "contain": (lambda holds, is_p: holds, lambda holds, is_p: holds & ~is_p),
    "within": (lambda holds, is_p: is_p, lambda holds, is_p: is_p & ~holds),
}


def outcomes_of(cells: Cells, points: Points, values: Ints) -> Truths:
    """Return a mask of the P-positions, from the cells of the points."""
    stored = cells.variable.stored
    held: Truths = cells.holds_p(values) if stored is None else values == points[stored]
    return held


def _compare(
    relation: Containment, formula: Formula, points: Points, is_p: Truths, tally: Tally
) -> None:
    """Count where the premise is true and where the statement is false."""
    met, wrong = _RELATIONS[relation]
    holds = holds_at(formula, points)
    tally.meet(points, met(holds, is_p))
    tally.fail(select(points, wrong(holds, is_p)))


def _compare_block(
    block: CellBlock,
    formula: Formula,
    where: Formula | None,
    relation: Containment,
    tally: Tally,
) -> None:
    block = block.within(where)
    tally.settle(block.points)
    is_p = outcomes_of(tally.cells, block.points, block.values)
    _compare(relation, formula, block.points, is_p, tally)


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
    equals = check.equals.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    tally = Tally(cells, reach)

    def by_arrays(slab: Slab, tally: Tally) -> None:
        block = cells.block_of(slab).within(where)
        tally.settle(block.points)
        tally.fail(select(block.points, evaluate_at(equals, block.points) != block.values))

    yield from compare_by_scan(NumbersTask(equals, where), tally, size, by_arrays)
    return tally


def find_count(check: Count, case: ClaimCase) -> Finding:
    """Return the verdict on a number of positions or choices."""
    environment, cells, size = case.environment, case.cells, case.block
    if not case.is_complete:
        why = f"the table reaches bound {case.bound:,}, {case.reach:,} is needed"
        return Finding(Undecided(why))
    of = check.of.substitute(environment)
    counted = among = 0
    evaluation = Evaluation(None, case.bound, environment)
    further = [InRange(name, span) for name, span in check.beside.items()]
    if check.over == "p-positions":
        points_of_blocks = cells.p_positions(size)
    else:
        points_of_blocks = (
            {**block.points, "grundy": block.values} for block in cells.blocks(size)
        )
    for points in points_of_blocks:
        inside = cells.within_reach(points, case.reach)
        start = evaluation.start(inside)
        batch = Batch(start.size, {**start.known, **inside})
        for _, choices in evaluation.choices(further, batch):
            truths = holds_at(of, choices.known)
            counted += int(truths.sum())
            among += truths.size
    unit = "P-position" if check.over == "p-positions" else "position"
    claimed = int(check.equals.value(environment))
    evidence = {"counted": counted, "among": among}
    what = f"{unit}s"
    if check.beside:
        what = f"choices of {what} and of {', '.join(check.beside)}"
    if counted == claimed:
        if not among:
            return Finding(case.nothing(unit), evidence)
        return Finding(Exhausted(among, "case" if check.beside else "position"), evidence)
    return Finding(Refuted(Counterexample(f"{counted:,} {what}", f"{claimed:,}"), among), evidence)
