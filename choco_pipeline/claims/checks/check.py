"""Checking one claim on one table: a verdict and the evidence for it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from choco_pipeline.claims.checks.board import MOST_CELLS, Board
from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.checks.formulas import (
    compare_grundy_numbers,
    compare_p_positions,
    find_count,
)
from choco_pipeline.claims.checks.generations import find_generation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.checks.octahedron import find_section
from choco_pipeline.claims.checks.options import box_sides
from choco_pipeline.claims.checks.printed import (
    find_columns,
    find_listing,
    find_printed_numbers,
)
from choco_pipeline.claims.checks.related import find_related
from choco_pipeline.claims.checks.values import find_values
from choco_pipeline.claims.evidence.explain import concluded
from choco_pipeline.claims.evidence.shared_pass import Pass, alone
from choco_pipeline.claims.kinds import Counts, Evaluated, GrundyNumbers, PPositions
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.mistakes import without_value
from choco_pipeline.claims.language.verdict import Undecided, Vacuous
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.games import Ruleset
from choco_pipeline.statements.printer import math_of
from choco_pipeline.statements.tree import Expression, Implies, OfCell, OfOption, conjuncts, walk
from choco_pipeline.tables.cells import BLOCK, Cells, TableData

#: Margin beyond a claim's range that is also checked, besides a quarter of the range.
BEYOND = 32
#: Largest number of pairs of a position and a cell: some tenths of a second. A mistake in a rule shows near 0 already.
MOST_PAIRS = 1 << 20

#: For each relation that is an implication: the unit of its premise.
_PREMISE = {"contain": "position", "within": "P-position"}


def check_claim(
    claim: Claim,
    parameters: Mapping[str, int],
    game: Ruleset,
    bound: int,
    data: TableData,
    block: int = BLOCK,
    *,
    explains: bool = True,
) -> Finding:
    """Check a claim on a table of a matching game.

    `parameters` are as `Claim.match` returns them. A stored table is read in windows. At most `block` cells are compared
    together; the finding does not depend on it. Without `explains`, a counterexample is a position alone.
    """
    return check_cells(claim, parameters, Cells.of(game, bound, data), block, explains=explains)


def check_cells(
    claim: Claim,
    parameters: Mapping[str, int],
    cells: Cells,
    block: int = BLOCK,
    *,
    explains: bool = True,
) -> Finding:
    """Check a claim on a table, or a corner of one, that is already read."""
    return alone(pass_of_claim(claim, parameters, cells, block, explains=explains))


def pass_of_claim(
    claim: Claim,
    parameters: Mapping[str, int],
    cells: Cells,
    block: int = BLOCK,
    *,
    explains: bool = True,
) -> Pass[Finding]:
    """Check a claim as a pass, so that several checks can share one reading of the table."""
    if not cells.variable.dims:
        return Finding(Undecided("the table is a single cell, one P-position: it settles nothing"))
    try:
        case = ClaimCase(claim, parameters, cells, block, explains)
        if case.reach is not None:  # a little beyond it, to see whether more would be true
            case = replace(case, cells=cells.corner(max(case.reach, 0) * 5 // 4 + BEYOND))
        return (yield from _find(case))
    except FormulaError as error:
        return without_value(claim, error)
    except LimitError as error:
        return Finding(Undecided(str(error)))


def _find(case: ClaimCase) -> Pass[Finding]:
    check, false = case.claim.check, _false_premise(case)
    if false is not None:
        return Finding(Vacuous(f"{math_of(false, MathNotation())} is false"))
    if check.kind not in CHECKS:
        raise ValueError(f"{case.claim.id} is about no ruleset: no table decides it")
    finding = CHECKS[check.kind](check, case)
    return finding if isinstance(finding, Finding) else (yield from finding)


def _false_premise(case: ClaimCase) -> Expression | None:
    """Return a false conjunct of the premise on parameters alone, if any."""
    statement = case.claim.parts.rest if case.claim.statement.check is None else None
    for part in conjuncts(statement.premise) if isinstance(statement, Implies) else ():
        if isinstance(part, Expression) and part.formula.names <= case.environment.keys():
            with suppress(FormulaError):
                if not part.formula.value(case.environment):
                    return part
    return None


def _find_p_positions(check: PPositions, case: ClaimCase) -> Pass[Finding]:
    tally = yield from compare_p_positions(
        check, case.environment, case.cells, case.block, case.reach
    )
    if check.relation in _PREMISE:
        if not tally.met:
            return Finding(case.nothing(_PREMISE[check.relation]))
        tally.settled = tally.met
    free = case.cells.free
    return concluded(case, tally, {"free": free} if free and case.reach is None else {})


def _find_grundy_numbers(check: GrundyNumbers, case: ClaimCase) -> Pass[Finding]:
    tally = yield from compare_grundy_numbers(
        check, case.environment, case.cells, case.block, case.reach
    )
    return concluded(case, tally)


def find_by_evaluation(check: Evaluated, case: ClaimCase) -> Finding:
    """Judge a statement of any shape by evaluation up to the bound of the table.

    A statement about cells compares each cell with each position: the bound is reduced until there are at most `MOST_PAIRS`
    such pairs. For a statement about options it is reduced until there are at most `MOST_CELLS` cells.
    """
    game, bound = case.cells.game, case.bound
    board = Board(game, case.claim.is_of_whole_bars)
    parts = list(walk(check.proposition))
    if any(isinstance(part, OfCell) for part in parts):

        def pairs(bound: int) -> int:
            return math.prod(side + 1 for side in game.limits(bound)) ** 2

        bound = _largest_bound(game, bound, pairs, MOST_PAIRS, "pairs of a position and a cell")
    elif any(isinstance(part, OfOption) for part in parts) and not board.is_finite:

        def cells(bound: int) -> int:
            return math.prod(box_sides(game, bound))

        bound = _largest_bound(game, bound, cells, MOST_CELLS, "cells")
    evaluation = Evaluation(board, bound, case.environment, check.printed, case.claim.games)
    finding = judge(check.proposition, evaluation, case.reach)
    return finding if bound == case.bound else finding.with_evidence({"bound": bound})


def _largest_bound(
    game: Ruleset, most: int, size: Callable[[int], int], largest: int, what: str
) -> int:
    """Return the largest bound up to `most` whose size is at most `largest`.

    `what` names the unit of the size. Raises `LimitError` if bound 0 is already too large.
    """
    bound = bisect_right(range(most + 1), largest, key=size) - 1
    if bound < 0:
        raise LimitError(
            f"{game.notation}: up to bound 0 there are {size(0):,} {what}, at most {largest:,} are allowed"
        )
    return bound


def _find_number(check: Counts, case: ClaimCase) -> Finding:
    number = sum(next(iter(p.values())).size for p in case.cells.p_positions(case.block))
    why = "compares tables: this one gives a number, the ledger compares them"
    return Finding(Undecided(why), {"p_positions": number})


#: The judges of claims on a table, by the kind of the claim; some work in a pass.
CHECKS: Mapping[str, Callable[[Any, ClaimCase], Finding | Pass[Finding]]] = {
    "p-positions": _find_p_positions,
    "grundy": _find_grundy_numbers,
    "values": find_values,
    "related": find_related,
    "count": find_count,
    "counts": _find_number,
    "cellular": find_generation,
    "octahedron": find_section,
    "columns": find_columns,
    "statement": find_by_evaluation,
    "grundy-list": find_printed_numbers,
    "listing": find_listing,
}
