"""Checks of printed tables, lists and columns of bars."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from choco_pipeline.claims.evidence.explain import (
    bound_of,
    counterexample_to_number,
    counterexample_to_outcome,
)
from choco_pipeline.claims.kinds import Columns, Listing, PrintedNumbers
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Exhausted, Refuted, Undecided
from choco_pipeline.drawing import Squares
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.games.pictures import shapes_of
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.tables.cells import Points, evaluate_at, select_where

#: Most P-positions that are compared with a list: some hundred megabytes.
MOST_LISTED = 1 << 20


def find_printed_numbers(check: PrintedNumbers, case: ClaimCase) -> Finding:
    """Compare printed Grundy numbers with those of the game, if the table has all."""
    game, lookup = case.cells.game, case.cells
    try:
        printed = check.legal_numbers(game)
    except UndefinedError as error:
        return Finding(Undecided(str(error)))
    needed = max((bound_of(game, at) for at, _ in printed), default=0)
    if needed > case.bound and not case.cells.is_whole:
        return Finding(Undecided(f"the table reaches bound {case.bound:,}, {needed:,} is needed"))
    wrong = [
        (position, number) for position, number in printed if lookup.grundy(position) != number
    ]
    if not wrong:
        return Finding(Exhausted(len(printed), "number"))
    position, number = min(wrong, key=lambda entry: (case.cells.size(entry[0]), entry))
    counterexample = counterexample_to_number(case, position, number)
    return Finding(Refuted(counterexample, len(printed)), {"failures": len(wrong)})


def find_listing(check: Listing, case: ClaimCase) -> Finding:
    """Compare a printed list of a formula's values at P-positions.

    The list has the order of nested loops over the coordinates. Raises `LimitError` if the table ends before the reach, or holds
    too many P-positions within it; `FormulaError` if the formula has no value at a P-position.
    """
    blocks = list(_p_positions(case, check.where))
    points = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    order = np.lexsort([points[name] for name in reversed(check.order)])
    points = {name: values[order] for name, values in points.items()}
    values = evaluate_at(check.of.substitute(case.environment), points).tolist()
    positions = [tuple(row) for row in case.cells.positions(points).tolist()]
    evidence = {"count": len(values)}
    needed = max(len(check.begins), len(check.ends))
    settled = min(len(values), len(check.begins) + len(check.ends))  # which may overlap
    if len(values) < needed or (check.length is not None and len(values) != check.length):
        claimed = f"at least {needed:,}" if check.length is None else f"{check.length:,}"
        other = Counterexample(f"a list of {len(values):,} values", f"one of {claimed}")
        return Finding(Refuted(other, settled), evidence)
    first = len(values) - len(check.ends)
    for start, printed in ((0, check.begins), (first, check.ends)):
        for i, value in enumerate(printed, start):
            if values[i] != value:
                entry = f"entry {i + 1:,} of {len(values):,} is"
                wrong = counterexample_to_outcome(
                    case, positions[i], f"{entry} {values[i]}", f"{entry} {value}"
                )
                return Finding(Refuted(wrong, settled), evidence)
    return Finding(Exhausted(settled, "number"), evidence)


def _p_positions(case: ClaimCase, where: Formula | None) -> Iterable[Points]:
    """Yield the P-positions within the reach that satisfy a condition, in blocks."""
    if case.cells.variable.name == "p_cell":
        raise LimitError("the table holds uncut bars only: one of Grundy numbers is needed")
    if not case.is_complete:
        raise LimitError(f"the table reaches bound {case.bound:,}, {case.reach:,} is needed")
    listed = 0
    where = None if where is None else where.substitute(case.environment)
    for points in case.cells.p_positions(case.block):
        chosen = case.cells.within_reach(select_where(points, where), case.reach)
        listed += case.cells.sizes(chosen).size
        if listed > MOST_LISTED:
            raise LimitError(
                f"it is about more P-positions than the {MOST_LISTED:,} that a list is compared with"
            )
        yield chosen


def find_columns(check: Columns, case: ClaimCase) -> Finding:
    """Compare the columns of flat bars with the printed ones."""
    game, number = case.cells.game, len(check.examples)
    for example in check.examples:
        position = tuple(example.position)
        if not game.is_position(position):
            actual = f"it is no position: {game.why_not(position)}"
        else:
            (bar,) = (shape for shape in shapes_of(game, position) if isinstance(shape, Squares))
            columns = [bar.above(column) + 1 for column in range(bar.right + 1)]
            if columns == example.columns:
                continue
            actual = f"its columns are {columns}"
        claimed = f"its columns are {example.columns}"
        found = Counterexample(actual, claimed, position, game.coordinates)
        return Finding(Refuted(found, number))
    return Finding(Exhausted(number, "example"))
