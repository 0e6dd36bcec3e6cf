"""Claims on the options of positions, decided for all positions: they follow from the definition alone."""

from __future__ import annotations

from collections.abc import Callable

from choco_pipeline.claims.checks.options import contradiction_at, counts
from choco_pipeline.claims.kinds import Options
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import Counterexample
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.logic import (
    TRUE,
    Sentence,
    conjunction,
    disjunction,
    negation,
    within,
)
from choco_pipeline.proof.games.moves import Variables, has_moves, steps
from choco_pipeline.proof.statements.conditions import holds
from choco_pipeline.proof.statements.explained import MOST_OPTIONS
from choco_pipeline.proof.statements.question import Question


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
    return Counterexample(shown, check.summary(), position, game.coordinates)
