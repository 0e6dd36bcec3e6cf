"""Checking that cells of a bar are like cells of other square bars: copies, symmetries, diagonals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from choco_pipeline.claims.evidence.explain import concluded, counterexample_at
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Pattern
from choco_pipeline.claims.kinds.bar_kinds import Case as Part
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.games import RectangularBar, Ruleset, WithPass
from choco_pipeline.tables.computing.in_memory import p_table
from choco_pipeline.tables.reading.cells import Ints, Points, Truths, evaluate_at, holds_at, select

#: The tables of all other bars of one statement are made from at most so many cells: some seconds of work.
MOST_CELLS = 1 << 28


def find_pattern(check: Pattern, case: ClaimCase) -> Finding:
    """Return whether the cells of a bar are as a statement says: like cells of other bars, P, or N.

    Each cell belongs to the first of the statement's cases whose `where` it satisfies. The other bars' P-positions are
    computed, not taken from a formula. In a bar with passes, a cell is like one of a bar with as many passes. Raises
    `LimitError` if the other bars are too large or too many; `FormulaError` if a formula has no value at a cell.
    """
    environment = case.environment
    parts = [_substituted(part, environment) for part in check.cases]
    others = _OtherBars(case.cells.game)
    tally = Tally(case.cells)
    for block in case.cells.blocks(case.block):
        for part in parts:
            mine = block.within(part.where)
            if part.where is not None:
                block = block.chosen(~holds_at(part.where, block.points))
            if len(mine):
                nowhere, like = _claimed(part, mine.points, others)
                if nowhere is not None:
                    return Finding(Undecided(nowhere))
                tally.settle(mine.points)
                wrong = case.cells.holds_p(mine.values) != like
                tally.fail(select(mine.points, wrong))
            if part.where is None:
                break
    if tally.least is None:
        return concluded(case, tally)
    shown = counterexample_at(case, tally.least)
    source = _source(parts, case.cells.named(tally.least))
    return concluded(case, tally, counterexample=replace(shown, claimed=shown.claimed + source))


@dataclass(frozen=True)
class _OtherBars:
    """P-positions of square bars with as many passes as a game, each computed once."""

    game: Ruleset
    _known: dict[int, Truths] = field(default_factory=dict)

    def are_p(self, m: int, i: Ints, j: Ints, passes_left: Ints) -> Truths:
        """Whether cells (i, j) of the m × m bar are P-positions."""
        if m not in self._known:
            sides = [*self._known, m]
            if sum(side**3 for side in sides) > MOST_CELLS:
                raise LimitError(
                    f"bars of side {', '.join(f'{side:,}' for side in sorted(sides)[-4:])} are needed:"
                    f" their sides' cubes may sum to {MOST_CELLS:,} at most"
                )
            passes = self.game.passes
            bar: Ruleset = RectangularBar(m, m)
            table = p_table(WithPass(bar, passes) if passes else bar).p_cell
            self._known[m] = (table.values == 1).reshape(passes + 1, m, m)
        is_p: Truths = self._known[m][passes_left, i - 1, j - 1]
        return is_p


def _substituted(part: Part, environment: dict[str, int]) -> Part:
    """Return a case of the statement with integers for all names but coordinates."""

    def known(formula: Formula) -> Formula:
        return formula.substitute(environment)

    return Part.model_construct(
        where=None if part.where is None else known(part.where),
        like=None if part.like is None else [known(formula) for formula in part.like],
        outcome=part.outcome,
    )


def _claimed(part: Part, points: Points, others: _OtherBars) -> tuple[str | None, Truths]:
    """Return what is wrong with the other bars' cells, or None, and whether each of these cells is claimed to be P."""
    here_i, here_j = points["i"], points["j"]
    if part.like is None:
        return None, np.full(here_i.size, part.outcome == "P")
    sides, i, j = (evaluate_at(formula, points) for formula in part.like)
    outside = (np.minimum(i, j) < 1) | (np.maximum(i, j) > sides)
    if outside.any():
        n = int(outside.argmax())
        return (
            f"cell ({here_i[n]}, {here_j[n]}) is to be like cell ({i[n]}, {j[n]}) of the {sides[n]} × {sides[n]} bar,"
            f" which has none: rows and columns count from 1",
            outside,
        )
    left = points.get("p", np.zeros_like(i))
    claimed = np.empty(i.size, np.bool_)
    for side in np.unique(sides).tolist():
        at = sides == side
        claimed[at] = others.are_p(side, i[at], j[at], left[at])
    return None, claimed


def _source(parts: list[Part], named: dict[str, int]) -> str:
    """Return which cell of which bar a claimed outcome is taken from, as the end of a text."""
    part = next(part for part in parts if part.where is None or part.where.value(named))
    if part.like is None:
        return ""
    side, i, j = (formula.value(named) for formula in part.like)
    return f", as cell ({i}, {j}) of the {side} × {side} bar"
