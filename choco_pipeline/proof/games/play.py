"""Outcomes and winning moves by automata, at positions of any size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

from choco_pipeline.automata import algebra
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
    """The outcome of one position, its Grundy number and winning options."""

    #: ``P`` or ``N``.
    outcome: Literal["P", "N"]
    #: None for a certificate of P-positions, if it is not 0.
    grundy: int | None
    #: Options that are P-positions: for each kind of move with such an option, the one that leaves least.
    winning: tuple[Position, ...]


def play(certificate: Certificate, position: Sequence[int]) -> Play:
    """Return the outcome of a position and winning options; nothing is checked.

    Passes left come last in the position. Raises `RulesetError` if `position` is not a position of the game; `CertificateError` if
    the automata contradict each other at this position, so that the certificate is wrong.
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
    """Return the least numbers for `unknown` with which all automata accept, if any.

    Numbers are compared digit by digit from the most significant one, at each place in the order of `unknown`. Tracks are known or
    unknown names. Time grows with the number of digits, not with the numbers.

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
    together = reduce(algebra.conjunction, (algebra.restricted(one, known) for one in automata))
    layers = algebra.shortest(together)
    if layers is None:
        return None
    width, tracks = len(unknown), together.tracks
    symbols = range(together.delta.shape[1])
    # The digits of all unknown numbers at a place are one digit in base 2**width.
    digits = [
        sum(
            (symbol >> tracks.index(name) & 1) << i
            for i, name in enumerate(reversed(unknown))
            if name in tracks
        )
        for symbol in symbols
    ]
    code = dict.fromkeys(layers.pop(), 0)
    places = len(layers)
    for layer in reversed(layers):
        code = {
            state: min(
                (code[after] << width) + digits[symbol]
                for symbol, after in enumerate(together.delta[state].tolist())
                if after in code
            )
            for state in layer
        }
    return {
        name: sum((code[0] >> place * width + i & 1) << place for place in range(places))
        for i, name in reversed([*enumerate(reversed(unknown))])
    }


def _moves(
    game: Ruleset, names: Variables, passes: int, value: Variables
) -> Iterator[tuple[Variables, int, Sentence]]:
    """Yield for each kind of move the option, its passes left, and its membership."""
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
