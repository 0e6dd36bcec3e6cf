"""Checking one claim on one table: a verdict and the evidence for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

import xarray as xr

from choco_pipeline.claims.cells import BLOCK, Cells
from choco_pipeline.claims.cellular import compare_generation
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.grundy import compare_grundy_numbers, count_positions_with
from choco_pipeline.claims.model import Cellular, Count, Counts, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.p_positions import compare_p_positions
from choco_pipeline.claims.tally import Tally
from choco_pipeline.claims.values import GROWTH, ValueSet, collect_values
from choco_pipeline.claims.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Verdict,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import Position, Ruleset

#: Grundy numbers and options of a counterexample are found by definition if no more positions are below it.
MOST_BELOW = 5_000


@dataclass(frozen=True)
class Finding:
    """A verdict, and plain data that supports it."""

    verdict: Verdict
    evidence: dict[str, Any] = field(default_factory=dict)


def check_claim(
    claim: Claim,
    parameters: Mapping[str, int],
    game: Ruleset,
    bound: int,
    data: xr.Dataset,
    block: int = BLOCK,
) -> Finding:
    """Return what a table says of a claim.

    Parameters
    ----------
    claim
        One that speaks of `game`.
    parameters
        Those with which it does, as `Claim.match` returns them.
    game, bound, data
        The table, of a quantity that the claim can be checked on.
    block
        Cells looked at together; the finding does not depend on it.
    """
    cells = Cells.of(game, bound, data)
    if not cells.variable.dims:
        return Finding(Undecided("the table is a single cell, one P-position: it settles nothing"))
    try:
        return _Case(claim, claim.environment(parameters), cells).find(block)
    except (FormulaError, LimitError) as error:
        return Finding(Undecided(str(error)))


@dataclass(frozen=True)
class _Case:
    """A claim with its parameters, and the table it is checked on."""

    claim: Claim
    environment: dict[str, int]
    cells: Cells

    @property
    def bound(self) -> int:
        return self.cells.bound

    @property
    def needed(self) -> int | None:
        """The bound at which a table holds every case of the statement; None for an infinite one."""
        if self.cells.is_whole:
            return 0
        finite = self.claim.statement.finite
        return None if finite is None else int(finite.value(self.environment))

    @property
    def is_complete(self) -> bool:
        return self.needed is not None and self.bound >= self.needed

    def find(self, block: int) -> Finding:
        check = self.claim.check
        match check:
            case PPositions():
                tally = compare_p_positions(check, self.environment, self.cells, block)
                return self._conclude(tally, {"free": self.cells.free} if self.cells.free else {})
            case GrundyNumbers():
                return self._conclude(
                    compare_grundy_numbers(check, self.environment, self.cells, block), {}
                )
            case Cellular():
                return self._conclude(
                    compare_generation(check, self.environment, self.cells, block), {}
                )
            case Values():
                return self._conclude_values(
                    check, collect_values(check, self.environment, self.cells, block)
                )
            case Count():
                return self._conclude_count(check, block)
            case Counts():
                number = sum(next(iter(p.values())).size for p in self.cells.p_positions(block))
                why = "compares tables: this one gives a number, the ledger compares them"
                return Finding(Undecided(why), {"p_positions": number})
            case _:
                assert_never(check)

    def _conclude(self, tally: Tally, evidence: dict[str, Any]) -> Finding:
        if tally.failures:
            return Finding(
                Refuted(self._counterexample(tally), tally.settled),
                evidence | {"failures": tally.failures},
            )
        if not tally.settled:
            return Finding(
                Undecided(f"no position up to bound {self.bound:,} is one that it speaks of")
            )
        if self.is_complete:
            return Finding(Exhausted(tally.settled), evidence)
        return Finding(HoldsToBound(tally.settled, self.bound), evidence)

    def _conclude_values(self, check: Values, found: ValueSet) -> Finding:
        evidence = found.evidence()
        if found.tally.failures:
            outside = evidence | {"failures": found.tally.failures}
            return Finding(Refuted(self._counterexample(found.tally), found.tally.settled), outside)
        if not found.values.size:
            return Finding(
                Undecided(f"no P-position up to bound {self.bound:,} is one that it speaks of")
            )
        match check.relation:
            case "within":
                sense = "no P-position has a value outside of the set"
            case "exactly":
                sense = f"no P-position has a value outside of the set, {_which_occur(found)}"
            case "contains-all":
                frontier, before = found.frontier(self.bound), found.frontier(self.bound // GROWTH)
                if frontier is None:
                    why = f"not even the least member occurs up to bound {self.bound:,}"
                    return Finding(Undecided(why), evidence)
                if before is not None and frontier <= before:
                    why = f"all members up to {frontier:,} occur, but the next does not, neither up to bound"
                    return Finding(
                        Undecided(f"{why} {self.bound // GROWTH:,} nor {self.bound:,}"), evidence
                    )
                sense = (
                    f"every member up to {frontier:,} occurs, and no table can contradict the claim"
                )
            case _:
                assert_never(check.relation)
        return Finding(HoldsToBound(found.tally.settled, self.bound, sense), evidence)

    def _conclude_count(self, check: Count, block: int) -> Finding:
        if not self.is_complete:
            return Finding(
                Undecided(f"the table reaches bound {self.bound:,}, {self.needed:,} is needed")
            )
        counted, among = count_positions_with(check, self.environment, self.cells, block)
        claimed = int(check.equals.value(self.environment))
        evidence = {"counted": counted, "among": among}
        if counted == claimed:
            return Finding(Exhausted(among), evidence)
        what = "P-positions" if check.over == "p-positions" else "positions"
        counterexample = Counterexample(f"{counted:,} {what}", f"{claimed:,}")
        return Finding(Refuted(counterexample, among), evidence)

    def _counterexample(self, tally: Tally) -> Counterexample:
        position, check = tally.least, self.claim.check
        if position is None:
            return Counterexample(
                "the automaton has a cell outside of the bar that is not 0", "none"
            )
        named = self.environment | self.cells.named(position)
        is_p = self.cells.lookup.is_p_position(position)
        option: Position | None = None
        match check:
            case GrundyNumbers():
                found = f"Grundy number {self.cells.lookup.grundy(position)}"
                claimed = f"Grundy number {check.equals.value(named)}"
            case Values():
                found = f"the P-position has the value {check.of.value(named)}"
                claimed = f"a value v with {check.values}"
            case _:
                found, claimed = (
                    self._outcome(position, is_p),
                    "N-position" if is_p else "P-position",
                )
                option = None if is_p else self._winning_option(position)
        return Counterexample(found, claimed, position, self.cells.game.coordinates, option)

    def _outcome(self, position: Position, is_p: bool) -> str:
        if is_p:
            return "P-position"
        if self.cells.variable.name == "grundy":
            return f"Grundy number {self.cells.lookup.grundy(position)} (N-position)"
        if _below(position) <= MOST_BELOW:
            return f"Grundy number {self.cells.game.grundy(position)} (N-position)"
        return "N-position"

    def _winning_option(self, position: Position) -> Position | None:
        """Return the first option that is P: by the table, or by definition where the table does not say."""
        lookup, game = self.cells.lookup, self.cells.game
        for option in game.options(position):
            if lookup.covers(option):
                if lookup.is_p_position(option):
                    return option
            elif _below(position) <= MOST_BELOW and game.is_p_position(option):
                return option
        return None


def _which_occur(found: ValueSet) -> str:
    largest = int(found.values[-1])
    if not found.missing.size:
        return f"and every member up to {largest:,} occurs"
    listed = ", ".join(f"{v:,}" for v in found.missing[:8].tolist()) + (
        ", …" if found.missing.size > 8 else ""
    )
    return f"and of its members up to {largest:,} all occur but {listed}"


def _below(position: Position) -> int:
    return math.prod(c + 1 for c in position)
