"""Finite statements, such as printed numbers and lists, decided on a proved relation."""

from __future__ import annotations

from collections.abc import Callable

from choco_pipeline.claims.evidence.explain import no_position
from choco_pipeline.claims.kinds import Count, GrundyList, GrundyTable, PList
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.logic import (
    Sentence,
    conjunction,
    disjunction,
    exists,
    linear,
    negation,
)
from choco_pipeline.proof.games.automaton_counts import number_below
from choco_pipeline.proof.statements.conditions import holds
from choco_pipeline.proof.statements.explained import number_at, outcome
from choco_pipeline.proof.statements.question import VALUE, Question


def about_numbers(question: Question, check: GrundyTable | GrundyList) -> Finding:
    """Return whether printed Grundy numbers are those that the automata give; the least position that differs refutes."""
    game, heaps = question.proof.ruleset, len(question.coordinates)
    wrong, printed = [], list(check.printed(question.coordinates))
    for position, number in printed:
        if not game.is_position(position) or question.known(position).number != number:
            wrong.append((max(position[:heaps], default=0), position, number))
    if not wrong:
        return Finding(Proved(question.certificate, printed=len(printed)))
    _, position, number = min(wrong)
    if game.is_position(position):
        shown = number_at(question.claim, question.parameters, question.known(position), number)
    else:
        shown = no_position(question.proof.ruleset, position, f"Grundy number {number}")
    return Finding(Refuted(shown, 0), {"failures": len(wrong)})


def about_list(question: Question, check: PList) -> Finding:
    """Return whether the P-positions within the claim's reach are exactly those that are printed."""
    heaps = len(question.coordinates)
    printed = {tuple(position) for position in check.positions}

    def is_printed(passes: int) -> Sentence:
        chosen = (q[:heaps] for q in printed if not question.left or q[heaps] == passes)
        return disjunction(*(_is(question, position) for position in chosen))

    def should_be(passes: int) -> Sentence:
        return conjunction(question.speaks(check.where, passes), question.is_p(passes))

    def wrong(passes: int) -> Sentence:
        listed, due = is_printed(passes), should_be(passes)
        return disjunction(conjunction(listed, negation(due)), conjunction(due, negation(listed)))

    def shown(position: Position) -> Counterexample:
        game = question.proof.ruleset
        if not game.is_position(position):
            return no_position(question.proof.ruleset, position, "P-position of the list")
        actual = outcome(question.known(position).is_p_position)
        is_there = "P-position of the list" if position in printed else "not on the list"
        return Counterexample(actual, is_there, position, game.coordinates)

    # No sentence speaks of more passes than a position can have left.
    differing = [q for q in printed if question.left and q[heaps] not in question.passes]
    first = question.least([wrong(passes) for passes in question.passes])
    if first is not None:
        differing.append(first)
    if not differing:
        return question.proved({})
    least = min(differing, key=lambda q: (max(q[:heaps], default=0), q))
    return question.refuted(shown(least), {})


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


def _among(question: Question, check: Count, passes: int) -> Sentence:
    """Return that a position is one of those among which is counted."""
    inside = question.speaks(check.where, passes)
    is_one = question.is_p(passes) if check.over == "p-positions" else question.legal
    return conjunction(inside, is_one)


def _is(question: Question, position: Position) -> Sentence:
    pairs = zip(question.coordinates, position, strict=True)
    return conjunction(*(linear({name: 1}, -value, "==") for name, value in pairs))
