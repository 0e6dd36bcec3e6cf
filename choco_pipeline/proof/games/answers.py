"""Outcomes, winning moves and numbers of positions by automata.

Let the entry (p, q) of a matrix be the number of symbols that lead from state p to state q. Its n-th power counts the members of a
relation with at most n binary digits. By the theorem of Cayley and Hamilton, the counts satisfy a linear recurrence whose order is at
most the number of states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Literal

import numpy as np

from choco_pipeline.automata import algebra
from choco_pipeline.automata.dfa import Automaton, Auxiliary, Variable
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Position
from choco_pipeline.mining.recurrences import (
    closed_form,
    follows,
    printed,
    rule_text,
    shortest_recurrence,
)
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.logic import And, Exists, Member, Sentence
from choco_pipeline.proof.games.obligations import Variables, relation_name, steps_and_passes
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.proof_errors import CertificateError
from choco_pipeline.proof.records import PositionCounts

#: Limit of states for counts, because the time is cubic in the number of states.
MOST_STATES = 400
#: Least number of terms.
SHOWN = 8
#: Counts are for Grundy numbers below this.
VALUES = 4


# ---- Outcomes.


@dataclass(frozen=True)
class Play:
    """The outcome of one position, its Grundy number and its winning options."""

    outcome: Literal["P", "N"]
    #: The Grundy number. None for an N-position if only P-positions are proved.
    grundy: int | None
    #: Options that are P-positions. For each kind of move, only the least one.
    winning: tuple[Position, ...]


def play(proof: Proof, position: Sequence[int]) -> Play:
    """Return the outcome of a position and its winning options.

    The passes left are the last coordinate. Raises `RulesetError` if `position` is not a position of the game; `CertificateError` if
    the automata contradict each other there. The time grows with the number of digits of the coordinates.
    """
    ruleset = proof.ruleset
    here = ruleset.check(position)
    base, most = ruleset.base, ruleset.passes
    passes, bar = (here[-1], here[:-1]) if most else (0, here)
    engine = Engine({relation_name(p): automaton for p, automaton in enumerate(proof.automata)})
    value: Variables = (Auxiliary("value'"),) if proof.relation == "grundy" else ()
    names = base.coordinates
    known = dict(zip(names, bar, strict=True))

    def wrong(what: str) -> CertificateError:
        at = f"at ({', '.join(map(str, here))})"
        return CertificateError(
            f"{ruleset.notation}: the certificate is wrong: it says {what} {at}"
        )

    grundy: int | None = 0 if proof.holds(here) else None
    if value:
        numbers = proof.values(here)
        if not numbers:
            raise wrong("no Grundy number")
        grundy = numbers[0]
    outcome: Literal["P", "N"] = "P" if grundy == 0 else "N"

    winning: dict[Position, None] = {}
    fixed = {**dict.fromkeys(value, 0), **known}
    for step, left in steps_and_passes(ruleset, names, passes):
        option = step.option
        sentence = step.to(Member(relation_name(left), (*option, *value)))
        opened = _opened(sentence, {*option} - known.keys())
        parts = (algebra.restricted(engine.automaton_of(part), fixed) for part in opened)
        least = algebra.witness(reduce(algebra.conjunction, parts))
        if least is not None:
            reached = tuple(known[n] if n in known else least.get(n, 0) for n in option)
            winning[(*reached, left) if most else reached] = None
    if (outcome == "N") != bool(winning):
        what = (
            "no winning option"
            if outcome == "N"
            else f"the option {next(iter(winning))} in the relation"
        )
        raise wrong(f"the outcome {outcome} and {what}")
    return Play(outcome, grundy, tuple(winning))


def _opened(sentence: Sentence, names: Set[Variable]) -> Iterator[Sentence]:
    """Split a sentence into conjuncts; remove quantifiers over variables in `names`."""
    match sentence:
        case And(parts):
            for part in parts:
                yield from _opened(part, names)
        case Exists(bound, body) if names >= {*bound}:
            yield from _opened(body, names)
        case _:
            yield sentence


# ---- Counts.


@dataclass(frozen=True)
class AutomatonCounts:
    """Numbers a(0), a(1), … of members of a relation with all coordinates below 2^n."""

    #: The first terms, at least as many as the order of the recurrence.
    first: tuple[int, ...]
    #: Coefficients c of the shortest recurrence a(n+d) = c[0]·a(n) + … + c[d-1]·a(n+d-1).
    recurrence: tuple[int, ...]
    #: a(n) as a sum of powers, if all roots of the recurrence are integers.
    closed: str | None


def counts(a: Automaton) -> AutomatonCounts:
    """Return the numbers of members of a relation in the boxes of side 2^n.

    Raises `LimitError` if the automaton has more than `MOST_STATES` states.

    Examples
    --------
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> found = counts(linear({"y": 1, "z": -1}, 0, "<="))
    >>> found.first[:4], found.recurrence, found.closed
    ((1, 3, 10, 36), (-8, 6), '(2^n + 4^n)/2')
    """
    if a.states > MOST_STATES:
        raise LimitError(f"counts from an automaton of {a.states} states: at most {MOST_STATES}")
    terms = tuple(islice(numbers_below(a), max(2 * a.states, SHOWN)))
    needed = terms[: 2 * a.states]
    recurrence = shortest_recurrence(needed)
    order = len(recurrence)
    # The error of a recurrence satisfies the recurrence of the matrix, so it is 0 if its first `states` terms are 0.
    if not follows(needed[: order + a.states], recurrence):
        raise LimitError(f"the recurrence of {a.states} states has too large coefficients")
    closed = closed_form(needed, recurrence, a.delta.shape[1])
    return AutomatonCounts(
        terms[: max(SHOWN, order)], recurrence, None if closed is None else str(closed)
    )


def described_counts(proof: Proof) -> tuple[PositionCounts, ...]:
    """Return counts by passes left and Grundy number; large automata are skipped."""
    track = str(len(proof.ruleset.base.coordinates))
    described = []
    for passes, automaton in enumerate(proof.automata):
        for value in range(VALUES if proof.relation == "grundy" else 1):
            chosen = automaton
            try:
                if proof.relation == "grundy":
                    chosen = algebra.restricted(automaton, {track: value})
                these = counts(chosen)
            except LimitError:
                continue
            described.append(
                PositionCounts(
                    passes=passes,
                    value=value,
                    first=these.first,
                    recurrence=printed(rule_text(these.recurrence)),
                    closed=these.closed,
                )
            )
    return tuple(described)


def numbers_below(a: Automaton) -> Iterator[int]:
    """Yield the exact numbers of members below 2^0, 2^1, 2^2, …."""
    after = a.accepting.astype(np.int64).astype(object)
    while True:
        yield int(after[0])
        after = after[a.delta].sum(axis=1)
