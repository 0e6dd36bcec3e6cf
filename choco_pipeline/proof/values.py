"""Claims on the values of a formula over the P-positions, decided on a proved relation."""

from __future__ import annotations

from typing import Any

from choco_pipeline.automata.algebra import disjunction as either
from choco_pipeline.automata.algebra import is_empty, witness
from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.kinds import Values
from choco_pipeline.claims.verdict import Counterexample, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.proof.conditions import at_negative, has_negative_value, has_value, holds
from choco_pipeline.proof.errors import UndecidedError
from choco_pipeline.proof.explained import counterexample_at
from choco_pipeline.proof.images import describe, first_members
from choco_pipeline.proof.logic import Sentence, conjunction, disjunction, exists, implies, negation
from choco_pipeline.proof.question import VALUE, Question


def about_values(question: Question, check: Values) -> Finding:
    """Return whether the values of a formula over the P-positions are as claimed; evidence says which they are."""
    evidence = _image_evidence(question, check)
    claimed = holds(check.values, question.environment, {"v": VALUE})
    if check.relation != "contains-all":
        below = at_negative(check.values.substitute(question.environment), "v")
        below_claimed = holds(below, {}, {"v": VALUE})
        position = question.least(
            [
                conjunction(
                    _counted(question, check, p),
                    disjunction(
                        _some_value(question, check, p, negation(claimed)),
                        _some_value(question, check, p, negation(below_claimed), negative=True),
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
    if question.is_nowhere([_counted(question, check, p) for p in question.passes]):
        return Finding(Undecided("no P-position is one that it speaks of"))
    if check.relation != "within":
        image = disjunction(*(_image(question, check, p) for p in question.passes))
        if not question.engines.hold(implies(claimed, image)):
            missing = conjunction(claimed, negation(image))
            absent = (witness(question.engines.automaton(missing)) or {})[VALUE]
            found = f"no P-position has the value {absent:,}"
            said = f"{absent:,}, a v with {check.values}, is a value"
            return question.refuted(Counterexample(found, said), evidence)
    return question.proved(evidence)


def _image_evidence(question: Question, check: Values) -> dict[str, Any]:
    try:
        parts = [question.engines.automaton(_image(question, check, p)) for p in question.passes]
        below = [
            question.engines.automaton(_image(question, check, p, negative=True))
            for p in question.passes
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


def _image(question: Question, check: Values, passes: int, *, negative: bool = False) -> Sentence:
    """Return that `VALUE` is a value; if `negative`, that -`VALUE`-1 is."""
    value = has_negative_value if negative else has_value
    has = value(check.of, question.values(passes), VALUE)
    return exists(question.coordinates, conjunction(_counted(question, check, passes), has))


def _some_value(
    question: Question, check: Values, passes: int, body: Sentence, *, negative: bool = False
) -> Sentence:
    value = has_negative_value if negative else has_value
    return exists((VALUE,), conjunction(value(check.of, question.values(passes), VALUE), body))


def _counted(question: Question, check: Values, passes: int) -> Sentence:
    """Return that a position is one of the P-positions that the claim speaks of."""
    return conjunction(question.speaks(check.where, passes), question.is_p(passes))
