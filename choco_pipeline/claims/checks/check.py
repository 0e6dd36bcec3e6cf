"""Check of a claim on a table, or of a statement that needs no table."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from choco_pipeline.claims import kinds
from choco_pipeline.claims.checks.bars import find_generation, find_section, find_sections
from choco_pipeline.claims.checks.evaluation import MOST_CELLS, Board, Evaluation
from choco_pipeline.claims.checks.evidence import (
    ClaimCase,
    Pass,
    alone,
    bound_of,
    counterexample_to_number,
    counterexample_to_outcome,
)
from choco_pipeline.claims.checks.formulas import (
    find_by_formula,
    find_count,
    find_values,
)
from choco_pipeline.claims.checks.height_functions import find_height_functions
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.checks.options import box_sides
from choco_pipeline.claims.checks.related import find_related
from choco_pipeline.claims.language.catalogue import without_value
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    Finding,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.drawing import Squares
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.games import Ruleset
from choco_pipeline.games.listing import evaluate_at
from choco_pipeline.games.pictures import shapes_of
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.tables.cells import BLOCK, Cells, Points, TableData, select_where

#: Largest number of P-positions compared with a list, for some hundred megabytes.
MOST_LISTED = 1 << 20


def _find_printed_numbers(check: kinds.PrintedNumbers, case: ClaimCase) -> Finding:
    """Compare printed Grundy numbers with those of the table."""
    game, cells = case.cells.game, case.cells
    try:
        printed = check.legal_numbers(game)
    except UndefinedError as error:
        return Finding(Undecided(str(error)))
    needed = max((bound_of(game, at) for at, _ in printed), default=0)
    if needed > case.bound and not cells.is_whole:
        return Finding(Undecided(f"the table reaches bound {case.bound:,}, {needed:,} is needed"))
    wrong = [entry for entry in printed if cells.grundy(entry[0]) != entry[1]]
    if not wrong:
        return Finding(Exhausted(len(printed), "number"))
    least = min(wrong, key=lambda entry: (cells.size(entry[0]), entry))
    counterexample = counterexample_to_number(case, *least)
    return Finding(Refuted(counterexample, len(printed)), {"failures": len(wrong)})


def _find_listing(check: kinds.Listing, case: ClaimCase) -> Finding:
    """Compare a printed list of a formula's values at P-positions.

    The list has the order of nested loops over the coordinates. Raises `LimitError` if the table ends before the reach, or holds
    too many P-positions within it; `FormulaError` if the formula has no value at a P-position.
    """
    if case.cells.variable.name == "p_cell":
        raise LimitError("the table holds uncut bars only: a table of Grundy numbers is needed")
    if not case.is_complete:
        raise LimitError(f"the table reaches bound {case.bound:,}, {case.reach:,} is needed")
    where = None if check.where is None else check.where.substitute(case.environment)
    blocks, listed = list[Points](), 0
    for block in case.cells.p_positions(case.block):
        blocks.append(case.cells.within_reach(select_where(block, where), case.reach))
        listed += case.cells.sizes(blocks[-1]).size
        if listed > MOST_LISTED:
            raise LimitError(
                f"it is about more P-positions than the {MOST_LISTED:,} that a list is compared with"
            )
    points = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    order = np.lexsort([points[name] for name in reversed(check.order)])
    points = {name: values[order] for name, values in points.items()}
    values = evaluate_at(check.of.substitute(case.environment), points).tolist()
    positions = [tuple(row) for row in case.cells.positions(points).tolist()]
    evidence = {"count": len(values)}
    needed = max(len(check.begins), len(check.ends))
    settled = min(len(values), len(check.begins) + len(check.ends))  # the parts may overlap
    if len(values) < needed or (check.length is not None and len(values) != check.length):
        claimed = f"at least {needed:,}" if check.length is None else f"{check.length:,}"
        other = Counterexample(f"a list of {len(values):,} values", f"one of {claimed}")
        return Finding(Refuted(other, settled), evidence)
    first = len(values) - len(check.ends)
    for i, value in [*enumerate(check.begins), *enumerate(check.ends, first)]:
        if values[i] != value:
            entry = f"entry {i + 1:,} of {len(values):,} is"
            texts = f"{entry} {values[i]}", f"{entry} {value}"
            wrong = counterexample_to_outcome(case, positions[i], *texts)
            return Finding(Refuted(wrong, settled), evidence)
    return Finding(Exhausted(settled, "number"), evidence)


def _find_columns(check: kinds.Columns, case: ClaimCase) -> Finding:
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


#: Margin beyond a claim's range that is also checked, besides a quarter of the range.
BEYOND = 32
#: Largest number of pairs of a position and a cell, for some tenths of a second. Wrong rules already fail at small positions.
MOST_PAIRS = 1 << 20


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
    together; the finding does not depend on it. Without `explains`, a counterexample has no texts.
    """
    cells = Cells.of(game, bound, data)
    return alone(pass_of_claim(claim, parameters, cells, block, explains=explains))


def pass_of_claim(
    claim: Claim,
    parameters: Mapping[str, int],
    cells: Cells,
    block: int = BLOCK,
    *,
    explains: bool = True,
) -> Pass[Finding]:
    """Check a claim in a pass; several passes can share one reading of the table."""
    if not cells.variable.dims:
        return Finding(Undecided("the table is a single cell, one P-position: it decides nothing"))
    try:
        case = ClaimCase(claim, parameters, cells, block, explains)
        if case.reach is not None:  # also beyond the reach: is the bound sharp?
            case = replace(case, cells=cells.corner(max(case.reach, 0) * 5 // 4 + BEYOND))
        check = claim.check
        if (false := _false_premise(case)) is not None:
            return Finding(Vacuous(f"{tree.math_of(false, MathNotation())} is false"))
        if check.kind not in CHECKS:
            raise ValueError(f"{claim.id} is about no ruleset: no table decides it")
        finding = CHECKS[check.kind](check, case)
        return finding if isinstance(finding, Finding) else (yield from finding)
    except FormulaError as error:
        return without_value(claim, error)
    except LimitError as error:
        return Finding(Undecided(str(error)))


def _false_premise(case: ClaimCase) -> tree.Expression | None:
    """Return a false conjunct of the premise on parameters alone, if any."""
    statement = case.claim.parts.rest if case.claim.statement.check is None else None
    for part in tree.conjuncts(statement.premise) if isinstance(statement, tree.Implies) else ():
        if isinstance(part, tree.Expression) and part.formula.names <= case.environment.keys():
            with suppress(FormulaError):
                if not part.formula.value(case.environment):
                    return part
    return None


def find_by_evaluation(check: kinds.Evaluated, case: ClaimCase) -> Finding:
    """Judge a statement of any shape by evaluation up to the bound of the table.

    A statement about cells compares each cell with each position: the bound is reduced until there are at most `MOST_PAIRS`
    such pairs. For a statement about options it is reduced until there are at most `MOST_CELLS` cells.
    """
    game, bound = case.cells.game, case.bound
    board = Board.of(game, case.claim.is_of_whole_bars)
    parts = list(tree.walk(check.proposition))
    if any(isinstance(part, tree.OfCell) for part in parts):

        def pairs(bound: int) -> int:
            return math.prod(side + 1 for side in game.limits(bound)) ** 2

        bound = _largest_bound(game, bound, pairs, MOST_PAIRS, "pairs of a position and a cell")
    elif any(isinstance(part, tree.OfOption) for part in parts) and not board.is_finite:

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


def _count_p_positions(check: kinds.Counts, case: ClaimCase) -> Finding:
    number = sum(next(iter(p.values())).size for p in case.cells.p_positions(case.block))
    why = "compares tables: this one gives a number, the ledger compares them"
    return Finding(Undecided(why), {"p_positions": number})


#: The functions that check claims on a table, by the kind of the claim; some are passes.
CHECKS: Mapping[str, Callable[[Any, ClaimCase], Finding | Pass[Finding]]] = {
    "p-positions": find_by_formula,
    "grundy": find_by_formula,
    "values": find_values,
    "related": find_related,
    "count": find_count,
    "counts": _count_p_positions,
    "cellular": find_generation,
    "octahedron": find_section,
    "columns": _find_columns,
    "statement": find_by_evaluation,
    "grundy-list": _find_printed_numbers,
    "listing": _find_listing,
}


def check_standing(
    claim: Claim, bound: int | None = None, fixed: Mapping[str, int] | None = None
) -> Finding:
    """Judge a statement on integers, height functions or sections.

    `bound` is `N`, by default the claim's own. Names in `fixed` have one value; the others run over their ranges. Raises
    `ConfigError` if a fixed name does not occur in the statement.
    """
    check, fixed = claim.check, fixed or {}
    if not isinstance(check, kinds.Evaluated | kinds.HeightFunctions | kinds.Sections):
        raise ValueError(f"{claim.id} is about rulesets: it is checked on tables")
    bound = check.bound if bound is None else bound
    try:
        match check:
            case kinds.Evaluated():
                for name in fixed.keys() - claim.integers.keys():
                    names = ", ".join(claim.integers) or "none"
                    raise ConfigError(f"{name!r} is no integer of the statement: it has {names}")
                evaluation = Evaluation(None, bound, {"N": bound}, check.printed, fixed=fixed)
                return judge(check.proposition, evaluation)
            case kinds.HeightFunctions():
                return find_height_functions(check, bound)
            case kinds.Sections():
                return find_sections(check, bound, fixed)
    except FormulaError as error:
        return without_value(claim, error)
    except LimitError as error:
        return Finding(Undecided(str(error)))
