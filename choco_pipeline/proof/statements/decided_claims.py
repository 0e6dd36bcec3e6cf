"""Claims on a game whose relation is proved, decided for all positions: true, or false first at this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from choco_pipeline.claims.checks.options import contradiction_at, counts
from choco_pipeline.claims.kinds import (
    Count,
    GrundyNumbers,
    Options,
    PList,
    PPositions,
    PrintedNumbers,
    Values,
)
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_formulas import without_value
from choco_pipeline.claims.language.verdict import Counterexample, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.logic import (
    TRUE,
    Sentence,
    conjunction,
    disjunction,
    exists,
    negation,
    within,
)
from choco_pipeline.proof.arithmetic.mona import EngineName, installed_engines
from choco_pipeline.proof.games.moves import Variables, has_moves, steps
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.decided_values import (
    about_count,
    about_list,
    about_numbers,
    about_values,
)
from choco_pipeline.proof.statements.explained import MOST_OPTIONS, counterexample_at
from choco_pipeline.proof.statements.question import VALUE, Question, has_value, holds


def decide(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    engines: Sequence[EngineName] | None = None,
    seconds: float = 60.0,
) -> Finding:
    """Return whether a claim is true at every position that it speaks of.

    Raises `ConfigError` if the claim needs auxiliary integers and does not speak of these parameters; `DisagreementError` if
    the engines contradict each other, or one contradicts the definition. The claim is on P-positions, Grundy numbers, values of
    a formula at P-positions, options, or printed numbers of these; the parameters are those with which it speaks of the game,
    as `Claim.match` returns them. What is proved is the game's Grundy numbers for a claim on these, else those or its
    P-positions; the verdict names the certificate that shows it to be right.

    Returns
    -------
    Finding
        ``Proved``; ``Refuted`` at the least position where it is false, its largest coordinate (passes not counted) and
        then coordinate by coordinate; or ``Undecided``, with the reason. No table is looked at, so that a refutation
        counts no positions. Evidence: the engines that agree, the states of the largest automaton and, of values,
        which they are.
    """
    kind = claim.check
    names = tuple(engines or installed_engines())
    question = Question(claim, parameters, proof, certificate, names, seconds)
    try:
        match kind:
            case _ if proof.status != "proved":
                why = f"{proof.ruleset.notation} has no proved automata: {proof.why}"
                return Finding(Undecided(why))
            case _ if claim.is_of_whole_bars:
                return Finding(Undecided("whole bars: no sentence is written for them"))
            case GrundyNumbers() | PrintedNumbers() if proof.relation != "grundy":
                return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
            case PPositions() | GrundyNumbers():
                return _about_positions(question, kind)
            case Values():
                return about_values(question, kind)
            case Options():
                return about_options(question, kind)
            case PrintedNumbers():
                return about_numbers(question, kind)
            case PList():
                return about_list(question, kind)
            case Count():
                return about_count(question, kind)
            case _:
                what = f"no sentence is written for a statement of this form: {claim.summary}"
                return Finding(Undecided(what))
    except FormulaError as error:
        return without_value(claim, error)
    except (NotDefinableError, UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))


def _about_positions(question: Question, check: PPositions | GrundyNumbers) -> Finding:
    def spoken(passes: int) -> Sentence:
        premise = _premise(question, check, passes)
        return conjunction(question.speaks(check.where, passes), question.legal, premise)

    def wrong(passes: int) -> Sentence:
        return conjunction(question.speaks(check.where, passes), wrong_at(question, check, passes))

    def shown(position: Position) -> Counterexample:
        return counterexample_at(question.claim, question.parameters, question.known(position))

    return question.everywhere(spoken, wrong, shown)


def _premise(question: Question, check: PPositions | GrundyNumbers, passes: int) -> Sentence:
    """Return the premise of an implication, which nothing may satisfy; that nothing is supposed where there is none."""
    match check:
        case PPositions(relation="contain"):
            return holds(check.formula, question.values(passes))
        case PPositions(relation="within"):
            return question.is_p(passes)
        case _:
            return TRUE


def wrong_at(question: Question, check: PPositions | GrundyNumbers, passes: int) -> Sentence:
    """Return that a position is not as claimed; one of those that the claim speaks of, or none at all."""
    values = question.values(passes)
    if isinstance(check, GrundyNumbers):
        other = negation(has_value(check.equals, values, VALUE))
        return exists((VALUE,), conjunction(question.grundy(passes), other))
    is_p, claimed = question.is_p(passes), holds(check.formula, values)
    extra = conjunction(question.legal, claimed, negation(is_p))
    missing = conjunction(is_p, negation(claimed))
    match check.relation:
        case "exactly":
            return disjunction(extra, missing)
        case "contain":
            return extra
        case "within":
            return missing
        case _:
            assert_never(check.relation)


def about_options(question: Question, check: Options) -> Finding:
    """Return whether no, some or every option of each position is as a statement says.

    The relation is not asked: positions and options are the ruleset's own.
    """
    return question.everywhere(
        lambda passes: _met(question, check, passes),
        lambda passes: _wrong(question, check, passes),
        lambda position: _shown(question, check, position),
    )


def _spoken(question: Question, check: Options, passes: int) -> Sentence:
    return conjunction(question.legal, holds(check.of, question.values(passes)))


def _met(question: Question, check: Options, passes: int) -> Sentence:
    """Return that a position is one of which it says something: of every option nothing where there is none."""
    spoken = _spoken(question, check, passes)
    if check.have != "every":
        return spoken
    return within(spoken, _some_option(question, check, passes, lambda *_: TRUE))


def _wrong(question: Question, check: Options, passes: int) -> Sentence:
    def looked_for(left: int, option: Variables) -> Sentence:
        names = dict(zip(question.coordinates, option, strict=True))
        wanted = holds(check.to, question.values(left), names)
        return negation(wanted) if check.have == "every" else wanted

    spoken = _spoken(question, check, passes)
    # An option is asked for only where the claim speaks: else it would be worked out where all options lead.
    reachable = within(spoken, _some_option(question, check, passes, looked_for))
    return conjunction(spoken, negation(reachable)) if check.have == "some" else reachable


def _some_option(
    question: Question,
    check: Options,
    passes: int,
    looked_for: Callable[[int, Variables], Sentence],
) -> Sentence:
    """Return that some option, of those that the statement counts, is as is said of its passes left and its coordinates."""
    base = question.proof.ruleset.base
    here = question.coordinates
    cut = disjunction(
        *(
            step.to(looked_for(passes, step.option))
            for step in steps(base, here)
            if counts(check, step.move, step.falling)
        )
    )
    if (
        passes == 0
        or check.beside == "lowered"
        or not set(check.by or question.left) & set(question.left)
    ):
        return cut
    return disjunction(cut, conjunction(has_moves(base, here), looked_for(passes - 1, here)))


def _shown(question: Question, check: Options, position: Position) -> Counterexample:
    game = question.proof.ruleset
    if sum(position) <= MOST_OPTIONS:
        to = check.to.substitute(question.environment)
        shown = contradiction_at(check, game, to, position)
    elif check.have == "some":
        shown = f"none of its options{check.which} has {math_text(check.to)}"
    else:
        verb = "has" if check.have == "no" else "has not"
        shown = f"one of its options{check.which} {verb} {math_text(check.to)}"
    return Counterexample(shown, question.claim.summary, position, game.coordinates)
