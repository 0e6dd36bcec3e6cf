"""Check of P-positions against a generation of a cellular automaton."""

from __future__ import annotations

import numpy as np

from choco_pipeline.claims.evidence.explain import concluded
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Cellular
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample
from choco_pipeline.errors import LimitError
from choco_pipeline.tables.cells import Ints, select

#: Cells of all generations: some seconds of work.
MOST_CELLS = 1 << 32
#: Cells of one generation: some hundred megabytes.
MOST_CELLS_AT_ONCE = 1 << 24
#: The largest sum of terms before reduction.
LARGEST_SUM = (1 << 63) - 1


def find_generation(check: Cellular, case: ClaimCase) -> Finding:
    """Compare the P-positions of a rectangular bar with a generation.

    P-positions must be exactly the nonzero cells. A nonzero cell outside the bar counts as a failure without a place. Raises
    `LimitError` if the generation is too large or too late.
    """
    generation = int(check.generation.value(case.environment))
    grid, (low_i, low_j) = generation_of(check, generation)
    tally = Tally(case.cells)
    inside = 0
    for block in case.cells.blocks(case.block):
        i, j = block.points["i"] - low_i, block.points["j"] - low_j
        covered = (i >= 0) & (i < grid.shape[0]) & (j >= 0) & (j < grid.shape[1])
        alive = np.zeros(len(block), np.bool_)
        alive[covered] = grid[i[covered], j[covered]] != 0
        inside += int(alive.sum())
        tally.settled += len(block)
        tally.fail(select(block.points, alive != case.cells.holds_p(block.values)))
    tally.failures += int(np.count_nonzero(grid)) - inside
    if tally.failures and tally.least is None:
        outside = Counterexample(
            "the automaton has a cell outside of the bar that is not 0", "none"
        )
        return concluded(case, tally, counterexample=outside)
    return concluded(case, tally)


def generation_of(check: Cellular, generation: int) -> tuple[Ints, tuple[int, int]]:
    """Return all cells of a generation that may be other than 0.

    Raises `LimitError` if there are too many cells, or a sum may leave 64 bits. Values, int64 of shape (n_i, n_j), are modulo
    the automaton's number; with them come i and j of the first cell.
    """
    if len(check.terms) * (check.modulo - 1) > LARGEST_SUM:
        raise LimitError(
            f"sums of {len(check.terms):,} terms modulo {check.modulo:,} exceed 64 bits"
        )
    given = {n for n, _, _, _ in check.start}
    steps = max(generation - min(given), 0)
    low_i, high_i = _extent(
        [i for _, i, _, _ in check.start], [di for _, di, _ in check.terms], steps
    )
    low_j, high_j = _extent(
        [j for _, _, j, _ in check.start], [dj for _, _, dj in check.terms], steps
    )
    shape = (high_i - low_i + 1, high_j - low_j + 1)
    if shape[0] * shape[1] > min(MOST_CELLS_AT_ONCE, MOST_CELLS // (steps + 1)):
        raise LimitError(
            f"the automaton needs {shape[0]:,} × {shape[1]:,} cells for each of {steps + 1:,} generations:"
            f" at most {MOST_CELLS_AT_ONCE:,} for one and {MOST_CELLS:,} for all are computed"
        )
    nothing = np.zeros(shape, np.int64)
    order = max(dn for dn, _, _ in check.terms)
    recent: dict[int, Ints] = {}
    for n in range(min(given), generation + 1):
        grid = nothing.copy()
        for at, i, j, value in check.start:
            if at == n:
                grid[i - low_i, j - low_j] = value % check.modulo
        if n > max(given):
            for dn, di, dj in check.terms:
                grid += _shifted(recent.get(n - dn, nothing), di, dj)
        recent[n] = grid % check.modulo
        recent.pop(n - order, None)
    return recent.get(generation, nothing), (low_i, low_j)


def _extent(starts: list[int], moves: list[int], steps: int) -> tuple[int, int]:
    return min(starts) + steps * min(0, *moves), max(starts) + steps * max(0, *moves)


def _shifted(grid: Ints, di: int, dj: int) -> Ints:
    """Return the grid moved by (di, dj), filled with 0."""
    moved = np.zeros_like(grid)
    to_i, from_i = _overlap(grid.shape[0], di)
    to_j, from_j = _overlap(grid.shape[1], dj)
    moved[to_i, to_j] = grid[from_i, from_j]
    return moved


def _overlap(length: int, step: int) -> tuple[slice, slice]:
    if step >= 0:
        return slice(step, None), slice(0, max(length - step, 0))
    return slice(0, max(length + step, 0)), slice(-step, None)
