"""Playing by automata: who wins, and how, at positions far beyond any table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.algebra import traps
from choco_pipeline.automata.dfa import Automaton, Auxiliary, Variable
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.logic import And, Exists, Member, Sentence, conjunction
from choco_pipeline.proof.games.certificate import Certificate, CertificateError
from choco_pipeline.proof.games.moves import Variables, has_moves, steps
from choco_pipeline.proof.games.obligations import relation_name

#: The variable of the Grundy number.
VALUE = Auxiliary("value'")


@dataclass(frozen=True)
class Play:
    """What a certificate's automata say of one position."""

    #: ``P`` or ``N``.
    outcome: Literal["P", "N"]
    #: The Grundy number; None of a certificate of P-positions, if it is not 0.
    grundy: int | None
    #: P-positions that a move leads to: for each kind of move that has one, that which leaves least. None of them
    #: exactly at a P-position.
    winning: tuple[Position, ...]


def play(certificate: Certificate, position: Sequence[int]) -> Play:
    """Return the outcome of a position, and how to win from it, by running automata over its digits.

    Time grows with the number of digits, not with the coordinates.

    Whether the certificate's automata are right is asked by `check_certificate`, not here. Passes left come last in the
    position. Raises `RulesetError` if `position` is not a position of the game; `CertificateError` if the automata contradict
    each other at this position, so that the certificate is wrong.
    """
    ruleset = certificate.ruleset
    here = ruleset.check(position)
    base, most = ruleset.base, ruleset.passes
    passes, bar = (here[-1], here[:-1]) if most else (0, here)
    relations = {relation_name(p): automaton for p, automaton in enumerate(certificate.automata)}
    engine = Engine(relations)
    value = (VALUE,) if certificate.relation == "grundy" else ()
    names = base.coordinates
    known = dict(zip(names, bar, strict=True))
    zero = dict.fromkeys(value, 0)

    automaton = engine.automaton_of(Member(relation_name(passes), (*names, *value)))
    grundy = None
    if value:
        solved = solve([automaton], known, value)
        if solved is None:
            raise _wrong(ruleset, "no Grundy number", here)
        grundy = solved[VALUE]
        outcome: Literal["P", "N"] = "N" if grundy else "P"
    else:
        outcome = "P" if automaton.accepts(known) else "N"
        grundy = 0 if outcome == "P" else None

    winning = []
    for option, left, sentence in _moves(base, names, passes, value):
        new = tuple(name for name in option if name not in known)
        parts = [engine.automaton_of(part) for part in _opened(sentence, new)]
        solved = solve(parts, known | zero, new)
        if solved is not None:
            values = known | solved
            reached = tuple(values[name] for name in option)
            winning.append((*reached, left) if most else reached)
    if (outcome == "N") != bool(winning):
        what = "no winning option" if outcome == "N" else f"the option {winning[0]} in the relation"
        raise _wrong(ruleset, f"the outcome {outcome} and {what}", here)
    return Play(outcome, grundy, tuple(dict.fromkeys(winning)))


def solve(
    automata: Sequence[Automaton], known: Mapping[Any, int], unknown: Sequence[Variable]
) -> dict[Variable, int] | None:
    """Return the least numbers for `unknown` with which all automata accept, or None if there are none.

    Numbers are looked for that have no more binary digits than 1 plus the sum of `known` has: a move reaches no other.

    Idea: automata read the least significant digit first. All joint states that some digits of `unknown` lead to are kept, place
    by place; then, from the joint states at the end in which all automata accept, the way back chooses the least digits that stay
    on the way to one of them. Cost: for each place at most all joint states times all digits, however large the numbers are.

    Tracks are names that are known or unknown; known numbers may be however large. From the most significant digit on, the digits
    of `unknown`, in this order, are the least possible ones.

    Examples
    --------
    >>> from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
    >>> parts = [nim_sum_is_zero("x", "y", "z"), linear({"x": 1, "y": -1}, 0, "<")]
    >>> solve(parts, {"y": 10, "z": 12}, ["x"])
    {'x': 6}
    >>> solve(parts, {"y": 10, "z": 2}, ["x"])
    {'x': 8}
    >>> solve(parts, {"y": 2, "z": 12}, ["x"]) is None
    True
    """
    digits = (1 + sum(known.values())).bit_length()
    choices = list(product((0, 1), repeat=len(unknown)))
    sizes = [automaton.states for automaton in automata]
    # A joint state with one that is left by no digit, and does not accept, leads nowhere.
    alive = [~traps(automaton, False) for automaton in automata]
    # A joint state is one number, in mixed radix; a layer holds those that some digits so far lead to.
    layers = [np.zeros(1, np.int64)]
    steps: list[list[NDArray[np.int64]]] = []
    for place in range(digits):
        states = np.unravel_index(layers[-1], sizes)
        step = []
        for choice in choices:
            digit = {name: value >> place & 1 for name, value in known.items()}
            digit.update(zip(unknown, choice, strict=True))
            after, possible = np.zeros(len(layers[-1]), np.int64), np.True_
            for i, automaton in enumerate(automata):
                symbol = sum(digit[track] << j for j, track in enumerate(automaton.tracks))
                part = automaton.delta[states[i], symbol]
                possible = possible & alive[i][part]
                after = after * sizes[i] + part
            step.append(np.where(possible, after, -1))
        steps.append(step)
        layers.append(np.setdiff1d(np.concatenate(step), -1))
    ends = np.unravel_index(layers[-1], sizes)
    accepting = np.logical_and.reduce(
        [automaton.accepting[ends[i]] for i, automaton in enumerate(automata)]
    )
    wanted = layers[-1][accepting]
    if not len(wanted):
        return None
    values = dict.fromkeys(unknown, 0)
    for layer, step in zip(reversed(layers[:-1]), reversed(steps), strict=True):
        least = next(i for i, after in enumerate(step) if np.isin(after, wanted).any())
        wanted = layer[np.isin(step[least], wanted)]
        for name, bit in zip(unknown, choices[least], strict=True):
            values[name] = 2 * values[name] + bit
    return values


def _moves(
    game: Ruleset, names: Variables, passes: int, value: Variables
) -> Iterator[tuple[Variables, int, Sentence]]:
    """Yield for each kind of move the option's variables, the passes it leaves, and that the option is in the relation."""
    for step in steps(game, names):
        member = Member(relation_name(passes), (*step.option, *value))
        yield step.option, passes, step.to(member)
    if passes:
        passed = Member(relation_name(passes - 1), (*names, *value))
        yield names, passes - 1, conjunction(has_moves(game, names), passed)


def _opened(sentence: Sentence, names: Variables) -> Iterator[Sentence]:
    """Yield the conditions on the option, without the quantifiers of its own variables `names`."""
    match sentence:
        case And(parts):
            for part in parts:
                yield from _opened(part, names)
        case Exists(bound, body) if set(bound) <= set(names):
            yield from _opened(body, names)
        case _:
            yield sentence


def _wrong(ruleset: Ruleset, what: str, position: Position) -> CertificateError:
    shown = ", ".join(map(str, position))
    return CertificateError(
        f"{ruleset.notation}: the certificate is wrong: it says {what} at ({shown})"
    )
