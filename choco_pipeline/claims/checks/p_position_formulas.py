"""Checking that the P-positions are exactly those of a formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from choco_pipeline.claims.evidence.shared_pass import Pass
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import PPositions
from choco_pipeline.claims.scans.cell_tasks import ColumnsTask, FormulaTask, OutcomesTask
from choco_pipeline.claims.scans.scan import compare_by_scan
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.tables.reading.cells import (
    CellBlock,
    Cells,
    Points,
    Slab,
    Truths,
    evaluate_at,
    holds_at,
    select,
)
from choco_pipeline.tables.specs.position_count import estimated_positions

#: A formula is evaluated position by position at most this often: about a minute.
MOST_EVALUATIONS = 1 << 30


def compare_p_positions(
    check: PPositions,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Return where table and formula disagree on which positions are P.

    In a table that holds one coordinate c of the P-positions, every column has one cell. If the formula can be solved
    for c, each column has few candidates, and they and the P-position that is stored are all that can disagree. A strip
    or a last heap may then have any size. Otherwise c takes every value up to the bound, in every column.

    `environment` has integers for all names but coordinates, `size` cells are looked at together, and `reach` is the largest
    coordinate that the claim speaks of, None for any. Raises `LimitError` if the formula cannot be solved and there are too
    many positions to evaluate it at each; `FormulaError` if the formula has no value at a position.
    """
    formula = check.formula.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    stored = cells.variable.stored
    tally = Tally(cells, reach)
    relation = _RELATIONS[check.relation]
    if stored is None:

        def compare_cells(slab: Slab, tally: Tally) -> None:
            _compare_cells(cells.block_of(slab), formula, where, relation, tally)

        p_value = int(cells.variable.name != "grundy")
        task: FormulaTask = OutcomesTask(formula, where, check.relation, p_value)
        yield from compare_by_scan(task, tally, size, compare_cells)
        return tally
    solutions = formula.solve(stored)
    if solutions is not None and (where is None or stored not in where.names):

        def compare_columns(slab: Slab, tally: Tally) -> None:
            columns = cells.block_of(slab).within(where)
            _compare_candidates(columns, stored, formula, solutions, relation, tally)

        task = ColumnsTask(formula, where, check.relation, tuple(solutions))
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
            _compare_all(positions, stored, formula, where, relation, tally)
        yield
    return tally


@dataclass(frozen=True)
class _Containment:
    """How a statement relates the positions that satisfy a formula to those that are P."""

    #: From whether the formula holds and whether positions are P: where the premise of an implication is true, and where
    #: the statement is false.
    met: Callable[[Truths, Truths], Truths]
    wrong: Callable[[Truths, Truths], Truths]

    def compare(self, points: Points, holds: Truths, is_p: Truths, tally: Tally) -> None:
        """Record where the premise is true and where the statement is false."""
        tally.meet(points, self.met(holds, is_p))
        tally.fail(select(points, self.wrong(holds, is_p)))


_RELATIONS = {
    "exactly": _Containment(lambda holds, is_p: holds | ~holds, lambda holds, is_p: holds != is_p),
    "contain": _Containment(lambda holds, is_p: holds, lambda holds, is_p: holds & ~is_p),
    "within": _Containment(lambda holds, is_p: is_p, lambda holds, is_p: is_p & ~holds),
}


def _compare_cells(
    block: CellBlock, formula: Formula, where: Formula | None, relation: _Containment, tally: Tally
) -> None:
    block = block.within(where)
    tally.settle(block.points)
    is_p = tally.cells.holds_p(block.values)
    relation.compare(block.points, holds_at(formula, block.points), is_p, tally)


def _compare_candidates(
    columns: CellBlock,
    stored: str,
    formula: Formula,
    solutions: list[Formula],
    relation: _Containment,
    tally: Tally,
) -> None:
    assert columns.tops is not None
    tally.settle_columns(columns)
    held = tally.cells.holds_p(columns.values)
    p_positions = {**select(columns.points, held), stored: columns.values[held]}
    relation.compare(p_positions, holds_at(formula, p_positions), held[held], tally)
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
        relation.compare(points, holds_at(formula, points), ~new[new], tally)


def all_positions(columns: CellBlock, stored: str) -> Iterator[CellBlock]:
    """Yield every position of the columns: one value of the stored coordinate at a time."""
    assert columns.tops is not None
    for value in range(int(columns.tops.max(initial=-1)) + 1):
        high = columns.chosen(columns.tops >= value)
        points = {**high.points, stored: np.full(len(high), value, np.int64)}
        yield CellBlock(points, high.values, None)


def _compare_all(
    block: CellBlock,
    stored: str,
    formula: Formula,
    where: Formula | None,
    relation: _Containment,
    tally: Tally,
) -> None:
    block = block.within(where)
    tally.settle(block.points)
    is_p = block.values == block.points[stored]
    relation.compare(block.points, holds_at(formula, block.points), is_p, tally)
