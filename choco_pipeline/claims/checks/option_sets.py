"""Comparing the options that the definition gives with a set described by a formula, cell by cell.

For each position of a box and each cell of the same box, a position or not, the formula says whether the cell is an
option, and so does the ruleset's own `options`. A ruleset without moves, or one in which a cut forgets to lower y, thus
differs from the formula somewhere, which a property that all options have would not show.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.options import largest_bound
from choco_pipeline.claims.kinds import OptionSet
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Exhausted, HoldsToBound, Refuted
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.tables.reading.cells import Truths

#: Pairs of a position and a cell that are looked at: some hundredths of a second. A mistake in a rule shows near 0 already.
#: With more of them the box, of which the verdict is, has a larger bound.
MOST_PAIRS = 1 << 20


def find_option_set(check: OptionSet, case: ClaimCase) -> Finding:
    """Return whether the options of every position are as a statement says.

    The table is not read: options follow from the definition. The bound is the table's, or the largest whose box has at
    most `MOST_PAIRS` pairs of cells; the verdict states it. Of a game that its shape limits all options are looked at, but
    not all cells: one beyond its box is no option, and a formula may say that it is. Raises `LimitError` if even the least box
    is too large; `FormulaError` if the condition has no value for some position and cell.
    """
    game = case.cells.game

    def pairs(bound: int) -> int:
        return math.prod(side + 1 for side in game.limits(bound)) ** 2

    bound = largest_bound(game, case.bound, pairs, MOST_PAIRS, "pairs of a position and a cell")
    sides = [most + 1 for most in game.limits(bound)]
    cells = np.stack([axis.reshape(-1) for axis in np.indices(sides, np.int64)])
    positions = list(game.positions(bound))
    together = max(1, case.block // cells.shape[1])
    wrong: list[tuple[Position, Position]] = []
    for start in range(0, len(positions), together):
        some = positions[start : start + together]
        claimed = _said(check, case, np.array(some, np.int64).T, cells)
        have = _options(game, some, sides)
        differ = {"exactly": claimed != have, "contain": claimed & ~have, "within": have & ~claimed}
        wrong_cells = differ[check.relation]
        for row in np.flatnonzero(wrong_cells.any(axis=1)).tolist():
            wrong.append((some[row], tuple(cells[:, wrong_cells[row].argmax()].tolist())))
    evidence = {} if bound == case.bound else {"bound": bound}
    if wrong:
        position, cell = min(wrong, key=lambda pair: (case.cells.size(pair[0]), pair))
        counterexample = _contradiction(game, position, cell)
        return Finding(
            Refuted(counterexample, len(positions)), {"failures": len(wrong), **evidence}
        )
    if case.cells.is_whole and check.relation == "within":
        return Finding(Exhausted(len(positions)))
    return Finding(HoldsToBound(len(positions), bound), evidence)


def _said(
    check: OptionSet, case: ClaimCase, positions: NDArray[np.int64], cells: NDArray[np.int64]
) -> Truths:
    """Return which cells the statement calls options, an array (positions, cells); arguments (coordinates, …)."""
    shape = (positions.shape[1], cells.shape[1])
    names = zip(case.cells.game.coordinates, positions[..., None], strict=True)
    points = {**dict(names), **dict(zip(check.option, cells[:, None], strict=True))}
    claimed = check.formula.substitute(case.environment).evaluate(points)
    return np.broadcast_to(np.asarray(claimed, np.bool_), shape)


def _options(game: Ruleset, positions: list[Position], sides: list[int]) -> Truths:
    """Return which cells are options by definition, an array (positions, cells)."""
    are_options = np.zeros((len(positions), math.prod(sides)), np.bool_)
    for row, position in enumerate(positions):
        options = list(game.options(position))
        if options:
            are_options[row, np.ravel_multi_index(tuple(np.array(options).T), sides)] = True
    return are_options


def _contradiction(game: Ruleset, position: Position, cell: Position) -> Counterexample:
    is_option = cell in set(game.options(position))
    why = "" if game.is_position(cell) else f": it is no position, {game.why_not(cell)}"
    is_one, is_none = f"{cell} is an option", f"{cell} is no option"
    actual, claimed = (is_one, is_none) if is_option else (f"{is_none}{why}", is_one)
    return Counterexample(actual, claimed, position, game.coordinates)
