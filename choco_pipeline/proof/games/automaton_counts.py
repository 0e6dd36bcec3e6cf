"""Numbers of positions in boxes: exact terms, their recurrence, a closed form.

The numbers in a relation that all have at most n binary digits are counted by the n-th power of a matrix, whose entry
(p, q) is the number of symbols that lead from state p to state q. So the counts satisfy a linear recurrence whose order is
at most the number of states, by the theorem of Cayley and Hamilton.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from choco_pipeline.automata.algebra import conjunction, exists
from choco_pipeline.automata.arithmetic import constant
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import LimitError
from choco_pipeline.mining.recurrences import (
    closed_form,
    follows,
    printed,
    rule_text,
    shortest_recurrence,
)
from choco_pipeline.proof.games.proof_outcome import PositionCounts
from choco_pipeline.proof.games.proved import Proof

#: Largest automaton to count, because time grows with the cube of its states.
MOST_STATES = 400
#: Least number of terms.
SHOWN = 8
#: Positions with Grundy numbers below this are counted.
VALUES = 4


@dataclass(frozen=True)
class AutomatonCounts:
    """Numbers a(0), a(1), … of members of a relation with all coordinates below 2^n."""

    #: The first terms, at least as many as the recurrence needs.
    first: tuple[int, ...]
    #: The shortest c with a(n+d) = c[0]·a(n) + … + c[d-1]·a(n+d-1) for every n.
    recurrence: tuple[int, ...]
    #: a(n) as a sum of powers, if all roots of the recurrence are integers.
    closed: str | None

    @property
    def rule(self) -> str:
        """The recurrence as text.

        Examples
        --------
        >>> print(AutomatonCounts((1, 3), (-8, 6), None).rule)
        a(n+2) = 6·a(n+1) - 8·a(n)
        """
        return printed(rule_text(self.recurrence))


def counts(a: Automaton) -> AutomatonCounts:
    """Return the numbers of members of a relation in the boxes of side 2^n.

    Raises `LimitError` if the automaton has more than `MOST_STATES` states.

    Examples
    --------
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> found = counts(linear({"y": 1, "z": -1}, 0, "<="))
    >>> found.first[:4], found.rule, found.closed
    ((1, 3, 10, 36), 'a(n+2) = 6·a(n+1) - 8·a(n)', '(2^n + 4^n)/2')
    """
    if a.states > MOST_STATES:
        raise LimitError(f"counts from an automaton of {a.states} states: at most {MOST_STATES}")
    terms = tuple(islice(_numbers(a), 2 * a.states))
    recurrence = shortest_recurrence(terms)
    order = len(recurrence)
    # The error of a recurrence is a sequence of the same matrix: it is 0 everywhere if its first `states` terms are 0.
    if not follows(terms[: order + a.states], recurrence):
        raise LimitError(f"the recurrence of {a.states} states has too large coefficients")
    shown = (*terms, *islice(_numbers(a), len(terms), max(SHOWN, len(terms))))
    closed = closed_form(terms, recurrence, a.delta.shape[1])
    return AutomatonCounts(
        shown[: max(SHOWN, order)], recurrence, None if closed is None else str(closed)
    )


def number_below(a: Automaton, digits: int) -> int:
    """Return the number of members with at most `digits` binary digits."""
    return next(islice(_numbers(a), digits, None))


def described_counts(proof: Proof) -> tuple[PositionCounts, ...]:
    """Return counts by passes left and Grundy number, except of large automata."""
    track = str(len(proof.ruleset.base.coordinates))
    described = []
    for passes, automaton in enumerate(proof.automata):
        for value in range(VALUES if proof.relation == "grundy" else 1):
            chosen = automaton
            try:
                if proof.relation == "grundy":
                    chosen = exists(conjunction(automaton, constant(track, value)), track)
                these = counts(chosen)
            except LimitError:
                continue
            described.append(
                PositionCounts(
                    passes=passes,
                    value=value,
                    first=these.first,
                    recurrence=these.rule,
                    closed=these.closed,
                )
            )
    return tuple(described)


def _numbers(a: Automaton) -> Iterator[int]:
    """Yield the counts, exactly."""
    after = a.accepting.astype(np.int64).astype(object)
    while True:
        yield int(after[0])
        after = after[a.delta].sum(axis=1)
