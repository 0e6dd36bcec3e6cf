"""Counterexamples: what is the case at a position, what was claimed, and which option shows it."""

from __future__ import annotations

import math

from choco_pipeline.claims.case import Case
from choco_pipeline.claims.kinds import GrundyNumbers, Values
from choco_pipeline.claims.verdict import Counterexample
from choco_pipeline.games import Position

#: Grundy numbers and options of a counterexample are found by definition if no more positions are below it.
MOST_BELOW = 5_000


def counterexample_at(case: Case, position: Position) -> Counterexample:
    """Return what is the case at a position that contradicts a claim, and what was claimed."""
    named = case.environment | case.cells.named(position)
    is_p = case.cells.lookup.is_p_position(position)
    option: Position | None = None
    match case.claim.check:
        case GrundyNumbers() as check:
            found = f"Grundy number {case.cells.lookup.grundy(position)}"
            claimed = f"Grundy number {check.equals.value(named)}"
        case Values() as check:
            found = f"the P-position has the value {check.of.value(named)}"
            claimed = f"a value v with {check.values}"
        case _:
            found, claimed = (
                _outcome(case, position, is_p),
                "N-position" if is_p else "P-position",
            )
            option = None if is_p else _winning_option(case, position)
    return Counterexample(found, claimed, position, case.cells.game.coordinates, option)


def _outcome(case: Case, position: Position, is_p: bool) -> str:
    if is_p:
        return "P-position"
    if case.cells.variable.name == "grundy":
        return f"Grundy number {case.cells.lookup.grundy(position)} (N-position)"
    if _below(position) <= MOST_BELOW:
        return f"Grundy number {case.cells.game.grundy(position)} (N-position)"
    return "N-position"


def _winning_option(case: Case, position: Position) -> Position | None:
    """Return the first option that is P: by the table, or by definition where the table does not say."""
    lookup, game = case.cells.lookup, case.cells.game
    for option in game.options(position):
        if lookup.covers(option):
            if lookup.is_p_position(option):
                return option
        elif _below(position) <= MOST_BELOW and game.is_p_position(option):
            return option
    return None


def _below(position: Position) -> int:
    return math.prod(c + 1 for c in position)
