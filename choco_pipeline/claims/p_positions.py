"""Checking that the P-positions are exactly those of a formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from choco_pipeline.claims.kinds import PPositions
from choco_pipeline.claims.tally import Tally
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.tables.cells import Block, Cells, Truths, evaluate_at, holds_at, select
from choco_pipeline.tables.cost import estimated_positions

#: A formula is evaluated position by position at most this often: about a minute.
MOST_EVALUATIONS = 1 << 30


def compare_p_positions(
    check: PPositions,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Tally:
    """Return where table and formula disagree on which positions are P.

    In a table that holds one coordinate c of the P-positions, every column has one cell. If the formula can be solved
    for c, each column has few candidates, and they and the P-position that is stored are all that can disagree. A strip
    or a last heap may then have any size. Otherwise c takes every value up to the bound, in every column.

    Parameters
    ----------
    check
        The claim's formula and the positions it speaks of.
    environment
        Integers for all names but coordinates.
    cells
        The table.
    size
        Cells looked at together.
    reach
        Largest coordinate that the claim speaks of; None for any.

    Raises
    ------
    LimitError
        If the formula cannot be solved and there are too many positions to evaluate it at each.
    FormulaError
        If the formula has no value at a position.
    """
    formula = check.formula.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    stored = cells.variable.stored
    tally = Tally(cells, reach)
    wrong = _WRONG[check.relation]
    if stored is None:
        for block in cells.blocks(size):
            _compare_cells(block, formula, where, wrong, tally)
        return tally
    solutions = formula.solve(stored)
    if solutions is not None and (where is None or stored not in where.names):
        for block in cells.blocks(size):
            _compare_candidates(block.within(where), stored, formula, solutions, wrong, tally)
        return tally
    evaluations = estimated_positions(cells.game, cells.bound)
    if evaluations > MOST_EVALUATIONS:
        raise LimitError(
            f"{formula} cannot be solved for {stored}, and the table stands for {evaluations:,} positions:"
            f" it is evaluated at {MOST_EVALUATIONS:,} at most"
        )
    for block in cells.blocks(size):
        for positions in _all_positions(block, stored):
            _compare_all(positions, stored, formula, where, wrong, tally)
    return tally


#: From whether a formula holds and whether positions are P to where a statement fails, by its relation.
Wrong = Callable[[Truths, Truths], Truths]
_WRONG: dict[str, Wrong] = {
    "exactly": lambda holds, is_p: holds != is_p,
    "contain": lambda holds, is_p: holds & ~is_p,
    "within": lambda holds, is_p: is_p & ~holds,
}


def _compare_cells(
    block: Block, formula: Formula, where: Formula | None, wrong: Wrong, tally: Tally
) -> None:
    block = block.within(where)
    tally.settle(block.points)
    is_p = tally.cells.holds_p(block.values)
    tally.fail(select(block.points, wrong(holds_at(formula, block.points), is_p)))


def _compare_candidates(
    columns: Block,
    stored: str,
    formula: Formula,
    solutions: list[Formula],
    wrong: Wrong,
    tally: Tally,
) -> None:
    assert columns.tops is not None
    tally.settle_columns(columns)
    held = tally.cells.holds_p(columns.values)
    p_positions = {**select(columns.points, held), stored: columns.values[held]}
    tally.fail(select(p_positions, wrong(holds_at(formula, p_positions), held[held])))
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
        tally.fail(select(points, wrong(holds_at(formula, points), ~new[new])))


def _all_positions(columns: Block, stored: str) -> Iterator[Block]:
    """Yield every position of the columns: one value of the stored coordinate at a time."""
    assert columns.tops is not None
    for value in range(int(columns.tops.max(initial=-1)) + 1):
        high = columns.chosen(columns.tops >= value)
        points = {**high.points, stored: np.full(len(high), value, np.int64)}
        yield Block(points, high.values, None)


def _compare_all(
    block: Block, stored: str, formula: Formula, where: Formula | None, wrong: Wrong, tally: Tally
) -> None:
    block = block.within(where)
    tally.settle(block.points)
    is_p = block.values == block.points[stored]
    tally.fail(select(block.points, wrong(holds_at(formula, block.points), is_p)))
