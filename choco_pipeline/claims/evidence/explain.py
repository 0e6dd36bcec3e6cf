"""Findings from tallies, and counterexamples with the option that explains them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor
from types import MappingProxyType
from typing import Any

from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import GrundyNumbers, Values
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Refuted
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import WINDOW_BYTES, WORKER_BYTES, cost_of, grundy_table

#: Largest number of positions below a counterexample for which the definition is used.
MOST_BELOW = 5_000
#: Limits of a table of the box below a counterexample.
MOST_SECONDS = 1.0
MOST_BYTES = WORKER_BYTES + WINDOW_BYTES


@dataclass(frozen=True)
class KnownPosition:
    """A position, looked up in the table, by definition, or in a small table."""

    #: The claim, and the table that it is checked on.
    case: ClaimCase
    #: A legal position.
    position: Position

    @property
    def game(self) -> Ruleset:
        """The ruleset of the table."""
        return self.case.cells.game

    @cached_property
    def options(self) -> list[tuple[Position, ...]]:
        """The results of its moves: single positions, or pairs played as a sum."""
        return list(self.game.results(self.position))

    @cached_property
    def number(self) -> int | None:
        """The position's Grundy number, if it is known; None in misère play."""
        return None if self.game.rules.misere else self.grundy(self.position)

    @cached_property
    def winning(self) -> tuple[Position, ...] | None:
        """The first known P-position among the options."""
        return next((option for option in self.options if self.is_won(option)), None)

    def is_won(self, option: Sequence[Position]) -> bool | None:
        """Whether an option is a P-position; None if it would take too long."""
        if len(option) == 1:
            return self.is_p_position(option[0])
        first, second = map(self.grundy, option)
        return None if first is None or second is None else first == second

    def total(self, option: Sequence[Position]) -> int | None:
        """Return the Grundy number of an option, or None if it would take too long."""
        numbers = [number for number in map(self.grundy, option) if number is not None]
        return reduce(xor, numbers) if len(numbers) == len(option) else None

    def grundy(self, position: Position) -> int | None:
        """Return a Grundy number, or None if it would take too long."""
        source = self._source(position, of_numbers=True)
        return None if source is None else source.grundy(position)

    def is_p_position(self, position: Position) -> bool | None:
        """Whether a position is P; None if it would take too long."""
        source = self._source(position, of_numbers=False)
        return None if source is None else source.is_p_position(position)

    def _source(self, position: Position, *, of_numbers: bool) -> Cells | Ruleset | None:
        cells = self.case.cells
        if cells.covers(position) and (not of_numbers or cells.variable.name == "grundy"):
            return cells
        return self.game if math.prod(c + 1 for c in position) <= MOST_BELOW else self._numbers

    @cached_property
    def _numbers(self) -> Cells | None:
        """A table of Grundy numbers up to the position, if it costs little."""
        if self.game.rules.misere:
            return None
        bound = bound_of(self.game, self.position)
        cost = cost_of(self.game, bound, "grundy")
        if cost.seconds > MOST_SECONDS or cost.memory > MOST_BYTES:
            return None
        return Cells.of(self.game, bound, grundy_table(self.game, bound))


def counterexample_at(case: ClaimCase, position: Position) -> Counterexample:
    """Return the counterexample to a claim at a position."""
    match case.claim.check:
        case GrundyNumbers() as check:
            named = case.environment | case.cells.named(position)
            return counterexample_to_number(case, position, int(check.equals.value(named)))
        case Values() as check:
            named = case.environment | case.cells.named(position)
            actual = f"the P-position has the value {check.of.value(named)}"
            return counterexample_to_outcome(
                case, position, actual, f"a value v with {math_text(check.values)}"
            )
        case _:
            return counterexample_to_outcome(case, position)


def concluded(
    case: ClaimCase,
    tally: Tally,
    evidence: Mapping[str, Any] = MappingProxyType({}),
    counterexample: Counterexample | None = None,
) -> Finding:
    """Return the finding of a complete tally.

    The counterexample is `counterexample_at` its least place by default.
    """
    evidence = {**evidence, **_about_the_reach(case, tally)}
    if tally.failures:
        if counterexample is None:
            assert tally.least is not None
            counterexample = counterexample_at(case, tally.least)
        refuted = Refuted(counterexample, tally.settled)
        return Finding(refuted, {**evidence, "failures": tally.failures})
    if not tally.settled:
        return Finding(case.nothing("position"))
    return Finding(case.agreement(tally.settled), evidence)


def _about_the_reach(case: ClaimCase, tally: Tally) -> Mapping[str, Any]:
    """Return the evidence on larger bounds for a statement with a bound of its own."""
    if case.reach is None or case.bound <= case.reach:
        return {}
    if tally.beyond is None:
        return {"reach": case.reach, "true_up_to": case.bound, "best_possible": False}
    true_up_to = case.cells.size(tally.beyond) - 1
    if tally.least is not None:
        true_up_to = case.cells.size(tally.least) - 1
    return {
        "reach": case.reach,
        "true_up_to": true_up_to,
        "best_possible": true_up_to == case.reach,
        "false_at": list(tally.beyond),
    }


def counterexample_to_number(case: ClaimCase, position: Position, claimed: int) -> Counterexample:
    """Return the counterexample at a position, from a table of Grundy numbers."""
    if not case.explains:
        return Counterexample("", "", position, case.cells.game.coordinates)
    known = KnownPosition(case, position)
    number = case.cells.grundy(position)
    lower = [option for option in known.options if known.total(option) == claimed]
    if claimed < number and lower:
        reason = f"its option {_sum(lower[0])} has Grundy number {claimed}"
    else:
        reason = _none_of(known.options, f"has Grundy number {number}", "has another")
    return Counterexample(
        f"Grundy number {number}",
        f"Grundy number {claimed}",
        position,
        known.game.coordinates,
        _single(known.winning) if number else None,
        reason,
    )


def counterexample_to_outcome(
    case: ClaimCase, position: Position, actual: str | None = None, claimed: str | None = None
) -> Counterexample:
    """Return the counterexample at a position with the other outcome.

    `actual` and `claimed` replace the outcomes in the text. The table must cover the position.
    """
    if not case.explains:
        return Counterexample("", "", position, case.cells.game.coordinates)
    known = KnownPosition(case, position)
    if known.is_p_position(position):
        outcome, other, option = "P-position", "N-position", None
        reason: str | None = _none_of(known.options, "is a P-position", "is an N-position")
    else:
        number = "" if known.number is None else f"Grundy number {known.number} "
        outcome = f"{number}(N-position)" if number else "N-position"
        other, option = "P-position", known.winning
        reason = f"its option {_sum(option)} is a P-position" if option else None
    return Counterexample(
        actual or outcome,
        claimed or other,
        position,
        known.game.coordinates,
        _single(option),
        reason,
    )


def _single(option: tuple[Position, ...] | None) -> Position | None:
    """Return the position of an option; None for a sum of two, which has no drawing."""
    return option[0] if option is not None and len(option) == 1 else None


def _sum(option: Sequence[Position]) -> str:
    return " + ".join(map(str, option))


def bound_of(game: Ruleset, position: Position) -> int:
    """Return the least bound of a table that contains a legal position."""
    return next(
        bound
        for bound in range(max(position) + 1)
        if all(c <= most for c, most in zip(position, game.limits(bound), strict=True))
    )


def _none_of(options: Sequence[Sequence[Position]], verb: str, other: str) -> str:
    """Return the sentence that `verb` is true of no option; `other` of a single one."""
    match options:
        case []:
            return "it has no option"
        case [only]:
            return f"its only option, {_sum(only)}, {other}"
        case _:
            return f"none of its {len(options):,} options {verb}"
