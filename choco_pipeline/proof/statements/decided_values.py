"""Claims on values of a formula over the P-positions, on printed numbers and lists, and on counts, decided on a proved relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from choco_pipeline.automata.algebra import disjunction as either
from choco_pipeline.automata.algebra import is_empty
from choco_pipeline.claims.checks.values import NO_MEMBER
from choco_pipeline.claims.kinds import Count, PList, PrintedNumbers, Values
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.images import describe, first_members
from choco_pipeline.proof.arithmetic.logic import (
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    linear,
    negation,
)
from choco_pipeline.proof.games.automaton_counts import number_below
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.explained import counterexample_at, number_at, outcome
from choco_pipeline.proof.statements.question import (
    VALUE,
    Question,
    at_negative,
    has_value,
    holds,
    least,
)
from choco_pipeline.statements.meaning import UndefinedError


def about_values(question: Question, check: Values) -> Finding:
    """Return whether the values of a formula over the P-positions are as claimed; evidence says which they are."""
    evidence = _image_evidence(question, check)
    claimed = {negative: _claimed(question, check, negative) for negative in (False, True)}

    def wrong(passes: int) -> Sentence:
        values = (
            conjunction(
                has_value(check.of, question.values(passes), VALUE, negative=negative),
                negation(there),
            )
            for negative, there in claimed.items()
        )
        is_wrong = disjunction(*(exists((VALUE,), value) for value in values))
        return conjunction(_among(question, check, passes), is_wrong)

    if check.relation != "contains-all":
        position = question.least([wrong(passes) for passes in question.passes])
        if position is not None:
            known = question.known(position)
            shown = counterexample_at(question.claim, question.parameters, known)
            return question.refuted(shown, evidence)
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
    if question.is_nowhere([_among(question, check, p) for p in question.passes]):
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
    automaton = question.engines.automaton
    try:
        natural, below = (
            [automaton(_image(question, check, passes, negative)) for passes in question.passes]
            for negative in (False, True)
        )
        image = reduce(either, natural)
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
    has = has_value(check.of, question.values(passes), VALUE, negative=negative)
    return exists(question.coordinates, conjunction(_among(question, check, passes), has))


def about_numbers(question: Question, check: PrintedNumbers) -> Finding:
    """Return whether printed Grundy numbers are those that the automata give; the least position that differs refutes."""
    game, heaps = question.proof.ruleset, len(question.coordinates)
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


def about_list(question: Question, check: PList) -> Finding:
    """Return whether the P-positions within the claim's reach are exactly those that are printed."""
    heaps = len(question.coordinates)
    game = question.proof.ruleset
    printed = {tuple(position) for position in check.positions if game.is_position(tuple(position))}

    def wrong(passes: int) -> Sentence:
        chosen = (q[:heaps] for q in printed if not question.left or q[heaps] == passes)
        spoken = question.speaks(check.where, passes)
        listed = conjunction(spoken, disjunction(*(_is(question, at) for at in chosen)))
        due = _among(question, check, passes)
        return disjunction(conjunction(listed, negation(due)), conjunction(due, negation(listed)))

    def shown(position: Position) -> Counterexample:
        actual = outcome(question.known(position).is_p_position)
        is_there = "P-position of the list" if position in printed else "not on the list"
        return Counterexample(actual, is_there, position, game.coordinates)

    first = question.least([wrong(passes) for passes in question.passes])
    return question.proved({}) if first is None else question.refuted(shown(first), {})


def about_count(question: Question, check: Count) -> Finding:
    """Return whether so many positions within the claim's reach have a property; our engine alone counts them."""
    if check.beside:
        what = "choices of a position and further integers are counted on tables only"
        return Finding(Undecided(what))
    if "grundy" in check.of.names and question.proof.relation != "grundy":
        return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
    number = _number_of(question, lambda passes: _counted(question, check, passes))
    claimed = int(check.equals.value(question.environment))
    evidence = {"counted": number, "engines": ["own"]}
    unit = "P-position" if check.over == "p-positions" else "position"
    if number != claimed:
        shown = Counterexample(f"{number:,} {unit}s", f"{claimed:,}")
        return Finding(Refuted(shown, 0), evidence)
    if not number and not _number_of(question, lambda passes: _among(question, check, passes)):
        return Finding(Vacuous(f"no {unit} is one that it speaks of"), evidence)
    return Finding(Proved(question.certificate, reach=question.reach), evidence)


def _number_of(question: Question, sentence: Callable[[int], Sentence]) -> int:
    """Return how many positions within the reach, with each number of passes left, make a sentence true."""
    digits = max(0, question.reach or 0).bit_length()
    automata = [question.engines.automaton(sentence(passes)) for passes in question.passes]
    return sum(number_below(automaton, digits) for automaton in automata)


def _counted(question: Question, check: Count, passes: int) -> Sentence:
    """Return that a position is counted; every coordinate is in it, for all are bounded by the reach."""
    among = _among(question, check, passes)
    condition = holds(check.of, question.values(passes), {"grundy": VALUE})
    if "grundy" not in check.of.names:
        return conjunction(among, condition)
    return conjunction(among, exists((VALUE,), conjunction(question.grundy(passes), condition)))


def _among(question: Question, check: Values | PList | Count, passes: int) -> Sentence:
    """Return that a position is one of those that the claim speaks of, P-positions but where it counts all."""
    of_all = isinstance(check, Count) and check.over != "p-positions"
    is_one = question.legal if of_all else question.is_p(passes)
    return conjunction(question.speaks(check.where, passes), is_one)


def _is(question: Question, position: Position) -> Sentence:
    pairs = zip(question.coordinates, position, strict=True)
    return conjunction(*(linear({name: 1}, -value, "==") for name, value in pairs))
