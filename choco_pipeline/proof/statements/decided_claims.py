"""Claims on a game whose relation is proved, decided for all positions: true, or false first at this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from choco_pipeline.claims.kinds import Count, PrintedNumbers
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_formulas import without_value
from choco_pipeline.claims.language.verdict import Counterexample, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.logic import Sentence, conjunction, within
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.decided_values import about_count, about_numbers, about_values
from choco_pipeline.proof.statements.explained import counterexample_at
from choco_pipeline.proof.statements.question import Question
from choco_pipeline.statements.tree import Implies, Proposition, ValueSet, applies, conjuncts


def decide(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    seconds: float = 60.0,
) -> Finding:
    """Return whether a claim is true at every position that it speaks of.

    Raises `ConfigError` if the claim needs auxiliary integers and does not speak of these parameters; `DisagreementError` if
    the engine contradicts the definition. The claim is about positions and their options, by
    P-positions, Grundy numbers and integers; or about the values of a formula, or a number of positions. The parameters are
    those with which it speaks of the game, as `Claim.match` returns them. What is proved is the game's Grundy numbers for a claim on these, else those or its
    P-positions; the verdict names the certificate that shows it to be right.

    Returns
    -------
    Finding
        ``Proved``; ``Refuted`` at the least position where it is false, its largest coordinate (passes not counted) and
        then coordinate by coordinate; or ``Undecided``, with the reason. No table is looked at, so that a refutation
        counts no positions. Evidence: the states of the largest automaton and, of values,
        which they are.
    """
    question = Question(claim, parameters, proof, certificate, seconds)
    try:
        if proof.status != "proved":
            why = f"{proof.ruleset.notation} has no proved automata: {proof.why}"
            return Finding(Undecided(why))
        if not claim.is_decidable:
            what = f"no sentence is written for a statement of this form: {claim.summary}"
            return Finding(Undecided(what))
        match claim.check, claim.parts.rest:
            case PrintedNumbers() as check, _:
                return about_numbers(question, check)
            case Count() as check, _:
                return about_count(question, check)
            case _, ValueSet() as part:
                return about_values(question, part)
            case _, part:
                return _about_positions(question, part)
    except FormulaError as error:
        return without_value(claim, error)
    except (NotDefinableError, UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))


def _about_positions(question: Question, part: Proposition) -> Finding:
    def spoken(passes: int) -> Sentence:
        return within(question.in_reach, question.translator(passes).true(applies(part)))

    def wrong(passes: int) -> Sentence:
        return question.translator(passes).false_where(question.in_reach, part)

    def shown(position: Position) -> Counterexample:
        return counterexample_at(question.claim, question.parameters, question.known(position))

    off_board = [one for passes in question.passes for one in _off_board(question, passes, part)]
    if off_board and not question.is_nowhere(off_board):
        raise UndecidedError("a place that the statement asks about may be no position")
    return question.everywhere(spoken, wrong, shown)


def _off_board(question: Question, passes: int, part: Proposition) -> Iterator[Sentence]:
    """Yield sentences that must be false: a place in the statement is no position although the premises before it hold."""
    translator, where = question.translator(passes), question.in_reach
    while isinstance(part, Implies):
        for premise in conjuncts(part.premise):
            yield from translator.off_board(where, premise)
            where = conjunction(where, translator.true(premise))
        part = part.conclusion
    yield from translator.off_board(where, part)
