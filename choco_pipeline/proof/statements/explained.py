"""What is the case at a position, by proved automata; a small table, where there can be one, must agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from choco_pipeline.automata.algebra import conjunction, witness
from choco_pipeline.automata.arithmetic import constant
from choco_pipeline.claims.checks.board import Board
from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.checks.judgement import false_at
from choco_pipeline.claims.evidence import explain
from choco_pipeline.claims.kinds import GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.case import ClaimCase
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Counterexample
from choco_pipeline.errors import DisagreementError
from choco_pipeline.formula.written.math_text import MathNotation, math_text
from choco_pipeline.games import Position
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.statements.printer import math_of
from choco_pipeline.statements.tree import ValueSet
from choco_pipeline.tables.computing.cost import cost_of
from choco_pipeline.tables.computing.in_memory import grundy_table
from choco_pipeline.tables.reading.cells import Cells

#: Largest coordinate of a position that is looked up in a table, too: beyond, automata alone explain it, and what a table would
#: cost is not even asked.
MOST_BOUND = 1 << 12
#: So many options of a position are looked at for a P-position: a far position has more than can be, and then none is shown.
MOST_OPTIONS = 10_000


@dataclass(frozen=True)
class ProvedPosition:
    """What a proof says of one position."""

    #: Proved automata.
    proof: Proof
    #: A legal one.
    position: Position

    @property
    def number(self) -> int | None:
        """The Grundy number; None if only the outcome is proved."""
        if self.proof.relation == "p":
            return None
        heaps = len(self.proof.ruleset.base.coordinates)
        here = self.proof.automata[self.position[heaps] if len(self.position) > heaps else 0]
        for i, coordinate in enumerate(self.position[:heaps]):
            here = conjunction(here, constant(str(i), coordinate))
        value = witness(here)
        if value is None:
            raise DisagreementError(f"{self.proof.ruleset.notation}: {self.position} has no value")
        return value[str(heaps)]

    @property
    def is_p_position(self) -> bool:
        """Whether the position is a P-position."""
        return self._is_p(self.position)

    @property
    def winning(self) -> Position | None:
        """The first option that is a P-position, if it is among the first `MOST_OPTIONS`; none where moves split."""
        if self.proof.ruleset.rules.splits:
            return None
        options = islice(self.proof.ruleset.options(self.position), MOST_OPTIONS)
        return next((option for option in options if self._is_p(option)), None)

    def _is_p(self, position: Position) -> bool:
        return self.proof.holds(position, *(() if self.proof.relation == "p" else (0,)))


def counterexample_at(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> Counterexample:
    """Return what is the case at a position that contradicts a claim, what was claimed, and what shows it.

    Raises `DisagreementError` if the claim is not wrong there, or the automata do not say what the definition of the game
    does.
    """
    game, position = known.proof.ruleset, known.position
    named = claim.environment(parameters) | dict(zip(game.coordinates, position, strict=True))
    reason: str | None = None
    match claim.check:
        case PPositions() as check:
            is_wrong = check.formula.value(named) != known.is_p_position
            actual, claimed = outcome(known.is_p_position), outcome(not known.is_p_position)
        case GrundyNumbers() as check:
            is_wrong = check.equals.value(named) != known.number
            number = int(check.equals.value(named))
            actual, claimed = f"Grundy number {known.number}", f"Grundy number {number}"
        case Values() as check:
            value = int(check.of.value(named))
            is_wrong = known.is_p_position and not check.values.value({**named, "v": value})
            actual = f"the P-position has the value {value}"
            claimed = f"a value v with {math_text(check.values)}"
        case _:
            return _contradiction(claim, parameters, known)
    if not is_wrong:
        raise _not_wrong(claim, position)
    case = _on_a_table(claim, parameters, known)
    if case is not None:
        return explain.counterexample_at(case, position)
    option = None if known.is_p_position else known.winning
    if option is not None and claim.numbers is None:
        reason = f"its option {option} is a P-position"
    return Counterexample(actual, claimed, position, game.coordinates, option, reason)


def _contradiction(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> Counterexample:
    """Return what contradicts a statement of any form at a position; by the definition of the game, unless it is far."""
    game, position = known.proof.ruleset, known.position
    environment = claim.environment(parameters)
    is_near = sum(position) <= MOST_OPTIONS
    part = claim.parts.rest
    if isinstance(part, ValueSet):
        return Counterexample(
            f"its value {math_of(part.value, MathNotation())} is outside of the set",
            claim.summary,
            position,
            game.coordinates,
        )
    if is_near and (not claim.speaks_of_outcomes or _on_a_table(claim, parameters, known)):
        bound, printed = explain.bound_of(game, position), claim.statement.printed
        evaluation = Evaluation(Board(game), bound, environment, printed, claim.games)
        found = false_at(claim.parts.rest, evaluation, position)
        if found is None:
            raise _not_wrong(claim, position)
        return found
    return Counterexample("it is false", claim.summary, position, game.coordinates)


def _not_wrong(claim: Claim, position: Position) -> DisagreementError:
    return DisagreementError(f"{claim.id} is not wrong at {position}, the engine says it is")


def number_at(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition, claimed: int
) -> Counterexample:
    """Return that the Grundy number of a position is not as claimed."""
    case = _on_a_table(claim, parameters, known)
    if case is not None:
        return explain.counterexample_to_number(case, known.position, claimed)
    return Counterexample(
        f"Grundy number {known.number}",
        f"Grundy number {claimed}",
        known.position,
        known.proof.ruleset.coordinates,
        None if known.is_p_position else known.winning,
    )


def outcome(is_p: bool) -> str:
    """Return an outcome in words."""
    return "P-position" if is_p else "N-position"


def _on_a_table(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> ClaimCase | None:
    """Return the claim on a table that the position lies in, if there is one that costs little."""
    game, position = known.proof.ruleset, known.position
    if max(position, default=0) > MOST_BOUND:
        return None
    bound = explain.bound_of(game, position)
    cost = cost_of(game, bound, "grundy")
    if cost.seconds > explain.MOST_SECONDS or cost.memory > explain.MOST_BYTES:
        return None
    cells = Cells.of(game, bound, grundy_table(game, bound))
    number = cells.grundy(position)
    if (number == 0) != known.is_p_position or known.number not in (None, number):
        raise DisagreementError(
            f"{game.notation}: {position} has Grundy number {number}, the proved automata say otherwise"
        )
    return ClaimCase(claim, parameters, cells)
