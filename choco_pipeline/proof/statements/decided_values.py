"""Claims on the values of a formula over the P-positions, decided on a proved relation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from choco_pipeline.automata.algebra import disjunction as either
from choco_pipeline.automata.algebra import is_empty
from choco_pipeline.claims.checks.values import NO_MEMBER
from choco_pipeline.claims.kinds import Values
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import Counterexample, Vacuous
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.proof.arithmetic.images import describe, first_members
from choco_pipeline.proof.arithmetic.logic import (
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    negation,
)
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.conditions import (
    at_negative,
    has_negative_value,
    has_value,
    holds,
    least,
)
from choco_pipeline.proof.statements.explained import counterexample_at
from choco_pipeline.proof.statements.question import VALUE, Question


def about_values(question: Question, check: Values) -> Finding:
    """Return whether the values of a formula over the P-positions are as claimed; evidence says which they are."""
    evidence = _image_evidence(question, check)
    claimed = {negative: _claimed(question, check, negative) for negative in (False, True)}
    if check.relation != "contains-all":
        position = question.least(
            [
                conjunction(
                    _counted(question, check, p),
                    disjunction(
                        *(
                            _some_value(question, check, p, negation(there), negative)
                            for negative, there in claimed.items()
                        )
                    ),
                )
                for p in question.passes
            ]
        )
        if position is not None:
            found_there = counterexample_at(
                question.claim, question.parameters, question.known(position)
            )
            return question.refuted(found_there, evidence)
    if check.relation != "within":
        missing = [
            value
            for negative, there in claimed.items()
            if (value := _missing(question, check, there, negative)) is not None
        ]
        if missing:
            absent = min(missing, key=lambda v: (abs(v), v))
            refutation = f"no P-position has the value {absent:,}"
            attained = f"{absent:,}, a v with {math_text(check.values)}, is a value"
            return question.refuted(Counterexample(refutation, attained), evidence)
    if question.is_nowhere([_counted(question, check, p) for p in question.passes]):
        return Finding(Vacuous("no P-position is one that it speaks of"), evidence)
    if check.relation == "contains-all" and question.is_nowhere([*claimed.values()]):
        return Finding(Vacuous(NO_MEMBER.format(check.values)), evidence)
    return question.proved(evidence)


def _claimed(question: Question, check: Values, negative: bool) -> Sentence:
    """Return that `VALUE` is in the claimed set; if `negative`, that -`VALUE`-1 is."""
    values = check.values.substitute(question.environment)
    return holds(at_negative(values, "v") if negative else values, {}, {"v": VALUE})


def _missing(question: Question, check: Values, claimed: Sentence, negative: bool) -> int | None:
    """Return a member of the claimed set, of one sign, that is no value; None if there is none."""
    image = disjunction(*(_image(question, check, p, negative) for p in question.passes))
    if question.engines.hold(implies(claimed, image)):
        return None
    missing = conjunction(claimed, negation(image))
    absent = least(question.engines.automaton(missing), (VALUE,))
    if absent is None:
        raise DisagreementError(f"{question.claim.id}: a member is no value, and all members are")
    return -absent[0] - 1 if negative else absent[0]


def _image_evidence(question: Question, check: Values) -> Mapping[str, Any]:
    try:
        parts = [
            question.engines.automaton(_image(question, check, p, False)) for p in question.passes
        ]
        below = [
            question.engines.automaton(_image(question, check, p, True)) for p in question.passes
        ]
        image = parts[0]
        for part in parts[1:]:
            image = either(image, part)
    except (UndecidedError, LimitError):
        return {}
    return {
        "image": describe(image),
        "first_values": first_members(image),
        "image_states": image.states,
        "negative_values": not all(map(is_empty, below)),
    }


def _image(question: Question, check: Values, passes: int, negative: bool) -> Sentence:
    """Return that `VALUE` is a value; if `negative`, that -`VALUE`-1 is."""
    value = has_negative_value if negative else has_value
    has = value(check.of, question.values(passes), VALUE)
    return exists(question.coordinates, conjunction(_counted(question, check, passes), has))


def _some_value(
    question: Question, check: Values, passes: int, body: Sentence, negative: bool
) -> Sentence:
    value = has_negative_value if negative else has_value
    return exists((VALUE,), conjunction(value(check.of, question.values(passes), VALUE), body))


def _counted(question: Question, check: Values, passes: int) -> Sentence:
    """Return that a position is one of the P-positions that the claim speaks of."""
    return conjunction(question.speaks(check.where, passes), question.is_p(passes))
