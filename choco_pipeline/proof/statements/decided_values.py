"""Values of an expression at some positions, printed numbers and numbers of positions, decided on a proved relation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from choco_pipeline.automata.algebra import disjunction as either
from choco_pipeline.automata.algebra import is_empty
from choco_pipeline.claims.checks.values import NO_MEMBER
from choco_pipeline.claims.kinds import Count, PrintedNumbers
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.proof.arithmetic.images import describe, first_members
from choco_pipeline.proof.arithmetic.logic import (
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    negation,
    within,
)
from choco_pipeline.proof.games.automaton_counts import number_below
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.explained import counterexample_at, number_at
from choco_pipeline.proof.statements.question import VALUE, Question, at_negative, holds, least
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.statements.tree import (
    TRUE,
    Expression,
    PPosition,
    Proposition,
    ValueSet,
    conjuncts,
)
from choco_pipeline.statements.tree import Count as CountTerm


def about_values(question: Question, part: ValueSet) -> Finding:
    """Return whether the values of an expression at some positions are as claimed; evidence says which they are."""
    evidence = _image_evidence(question, part)
    claimed = {negative: _claimed(question, part, negative) for negative in (False, True)}
    which = "P-position" if PPosition() in conjuncts(part.condition) else "such position"

    def wrong(passes: int) -> Sentence:
        values = (
            conjunction(
                question.translator(passes).value_is(part.value, VALUE, negative=negative),
                negation(there),
            )
            for negative, there in claimed.items()
        )
        is_wrong = disjunction(*(exists((VALUE,), value) for value in values))
        return conjunction(_among(question, part.condition, passes), is_wrong)

    if part.relation != ">=":
        position = question.least([wrong(passes) for passes in question.passes])
        if position is not None:
            known = question.known(position)
            shown = counterexample_at(question.claim, question.parameters, known)
            return question.refuted(shown, evidence)
    if part.relation != "<=":
        missing = [
            value
            for negative, there in claimed.items()
            if (value := _missing(question, part, there, negative)) is not None
        ]
        if missing:
            absent = min(missing, key=lambda v: (abs(v), v))
            refutation = f"no {which} has the value {absent:,}"
            attained = f"{absent:,}, a v with {math_text(_members(part))}, is a value"
            return question.refuted(Counterexample(refutation, attained), evidence)
    if question.is_nowhere([_among(question, part.condition, p) for p in question.passes]):
        return Finding(Vacuous(f"no {which} satisfies its premise"), evidence)
    if part.relation == ">=" and question.is_nowhere([*claimed.values()]):
        return Finding(Vacuous(NO_MEMBER.format(_members(part))), evidence)
    return question.proved(evidence)


def _members(part: ValueSet) -> Formula:
    return part.members.formula.rename({part.variable: "v"})


def _claimed(question: Question, part: ValueSet, negative: bool) -> Sentence:
    """Return that `VALUE` is in the claimed set; if `negative`, that -`VALUE`-1 is."""
    values = _members(part).substitute(question.environment)
    return holds(at_negative(values, "v") if negative else values, {}, {"v": VALUE})


def _missing(question: Question, part: ValueSet, claimed: Sentence, negative: bool) -> int | None:
    """Return a member of the claimed set, of one sign, that is no value; None if there is none."""
    image = disjunction(*(_image(question, part, p, negative) for p in question.passes))
    if question.engine.decide(implies(claimed, image)).valid:
        return None
    missing = conjunction(claimed, negation(image))
    absent = least(question.engine.automaton_of(missing), (VALUE,))
    if absent is None:
        raise DisagreementError(f"{question.claim.id}: a member is no value, and all members are")
    return -absent[0] - 1 if negative else absent[0]


def _image_evidence(question: Question, part: ValueSet) -> Mapping[str, Any]:
    automaton = question.engine.automaton_of
    try:
        natural, below = (
            [automaton(_image(question, part, passes, negative)) for passes in question.passes]
            for negative in (False, True)
        )
        image = reduce(either, natural)
        if not image.tracks:  # no position satisfies the condition
            return {}
    except (UndecidedError, LimitError):
        return {}
    return {
        "image": describe(image),
        "first_values": first_members(image),
        "image_states": image.states,
        "negative_values": not all(map(is_empty, below)),
    }


def _image(question: Question, part: ValueSet, passes: int, negative: bool) -> Sentence:
    """Return that `VALUE` is a value; if `negative`, that -`VALUE`-1 is."""
    has = question.translator(passes).value_is(part.value, VALUE, negative=negative)
    return exists(question.coordinates, conjunction(_among(question, part.condition, passes), has))


def _among(question: Question, condition: Proposition, passes: int) -> Sentence:
    """Return that a position satisfies a condition, and is one of those that the claim speaks of."""
    return within(question.in_reach, question.translator(passes).true(condition))


def about_numbers(question: Question, check: PrintedNumbers) -> Finding:
    """Return whether printed Grundy numbers are those that the automata give; the least position that differs refutes."""
    game, heaps = question.proof.ruleset, len(question.coordinates)
    if question.proof.relation != "grundy":
        return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
    try:
        printed = check.spoken(game)
    except UndefinedError as error:
        return Finding(Undecided(str(error)))
    wrong = [
        (max(position[:heaps], default=0), position, number)
        for position, number in printed
        if question.known(position).number != number
    ]
    if not wrong:
        return Finding(Proved(question.certificate, printed=len(printed)))
    _, position, number = min(wrong)
    shown = number_at(question.claim, question.parameters, question.known(position), number)
    return Finding(Refuted(shown, 0), {"failures": len(wrong)})


def about_count(question: Question, check: Count) -> Finding:
    """Return whether so many positions within the claim's reach have a property."""
    if check.beside:
        what = "choices of a position and further integers are counted on tables only"
        return Finding(Undecided(what))
    part = question.claim.parts.rest
    assert isinstance(part, Expression)
    ((_, term),) = part.terms
    assert isinstance(term, CountTerm)
    number = _number_of(question, term.body)
    claimed = int(check.equals.value(question.environment))
    evidence = {"counted": number, "engines": ["own"]}
    unit = "P-position" if check.over == "p-positions" else "position"
    if number != claimed:
        shown = Counterexample(f"{number:,} {unit}s", f"{claimed:,}")
        return Finding(Refuted(shown, 0), evidence)
    among = PPosition() if check.over == "p-positions" else TRUE
    if not number and not _number_of(question, among):
        return Finding(Vacuous(f"no {unit} satisfies its premise"), evidence)
    return Finding(Proved(question.certificate, reach=question.reach), evidence)


def _number_of(question: Question, condition: Proposition) -> int:
    """Return how many positions within the reach, with each number of passes left, satisfy a condition."""
    digits = max(0, question.reach or 0).bit_length()
    sentences = [_among(question, condition, passes) for passes in question.passes]
    return sum(number_below(question.engine.automaton_of(s), digits) for s in sentences)
