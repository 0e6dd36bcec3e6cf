"""Automata of linear relations and bitwise operations on natural numbers.

References
----------
A. Boudet and H. Comon, Diophantine equations, Presburger arithmetic and finite automata, 1996.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import and_, or_, xor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.dfa import (
    Arrays,
    Automaton,
    AutomatonError,
    Variable,
    remembered,
    sorted_tracks,
)
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.errors import LimitError

Relation = Literal["==", "<=", "<", ">=", ">", "!="]
Operation = Literal["^", "&", "|"]

#: Limit of carries. A linear relation has about as many states as the sum of its absolute coefficients.
MOST_CARRIES = 1 << 16

_BITS: Mapping[Operation, Callable[[Any, Any], Any]] = {"^": xor, "&": and_, "|": or_}
_ODD = None


def linear(
    coefficients: Mapping[Variable, int],
    constant: int,
    relation: Relation,
    *,
    most_states: int = MOST_CARRIES,
) -> Automaton:
    """Return the automaton of Σ coefficient·number + constant (relation) 0.

    A state is a carry b: the remaining digits x must satisfy Σ c·x + b (relation) 0. After digits d, the carry is ⌊(b + Σ c·d) / 2⌋.
    A coefficient may be 0. Raises `AutomatonError` for an unknown relation; `LimitError` if there are more than `most_states` states
    before minimising, or too many tracks.
    """
    match relation:
        case "==" | "!=":
            automaton = _carries(coefficients, constant, "==", most_states)
            if relation == "==":
                return automaton
            return Automaton(automaton.tracks, automaton.delta, ~automaton.accepting)
        case "<=" | "<":
            # Σ c·x + b ≤ 0 is Σ (−c)·x − b ≥ 0.
            opposite = {track: -coefficient for track, coefficient in coefficients.items()}
            return _carries(opposite, -constant - (relation == "<"), ">=", most_states)
        case ">=" | ">":
            return _carries(coefficients, constant - (relation == ">"), ">=", most_states)
        case _:
            raise AutomatonError(f"relation {relation!r}: relations are ==, !=, <, <=, >, >=")


def constant(track: Variable, value: int) -> Automaton:
    """Return the automaton that accepts only `value`, empty if it is negative."""
    return linear({track: 1}, -value, "==")


def nim_sum_is_zero(*tracks: Variable) -> Automaton:
    """Return the automaton of nim-sum zero; a repeated track cancels itself."""
    names = sorted_tracks(tracks)
    digits = _digits(names)
    nim_sum = np.zeros(1 << len(names), np.int64)
    for track in tracks:
        nim_sum ^= digits[track]
    return _digitwise(names, nim_sum == 0)


def bitwise(operation: Operation, a: Variable, b: Variable, c: Variable) -> Automaton:
    """Return the automaton of c == a (operation) b; names may be equal.

    Raises `AutomatonError` for an unknown operation.
    """
    if operation not in _BITS:
        raise AutomatonError(f"operation {operation!r}: operations are ^, & and |")
    names = sorted_tracks((a, b, c))
    digits = _digits(names)
    return _digitwise(names, _BITS[operation](digits[a], digits[b]) == digits[c])


def _digits(names: tuple[Variable, ...]) -> dict[Variable, NDArray[np.int64]]:
    """Return, for each track, its digit in every symbol."""
    return {name: np.arange(1 << len(names)) >> i & 1 for i, name in enumerate(names)}


def _digitwise(names: tuple[Variable, ...], holds: NDArray[np.bool_]) -> Automaton:
    """Return the automaton of the words whose symbols all satisfy `holds`."""
    delta = np.stack([~holds, np.ones_like(holds)]).astype(np.int32)
    return Automaton(names, *minimised(delta, np.array([True, False])))


def _carries(
    coefficients: Mapping[Variable, int],
    constant: int,
    relation: Literal["==", ">="],
    most_states: int,
) -> Automaton:
    tracks = sorted_tracks(tuple(coefficients))
    factors = tuple(coefficients[track] for track in tracks)
    return _of_carries(tracks, factors, constant, relation, most_states)


@remembered
def _of_carries(
    factors: tuple[int, ...], constant: int, relation: Literal["==", ">="], most_states: int
) -> Arrays:
    sums = [
        sum(factor for i, factor in enumerate(factors) if symbol >> i & 1)
        for symbol in range(1 << len(factors))
    ]
    # Carries are Python integers because a constant may exceed a machine word.
    number: dict[int | None, int] = {constant: 0}
    carries: list[int | None] = [constant]
    rows = []
    for carry in carries:
        row = []
        for added in sums:
            if carry is _ODD or (relation == "==" and (carry + added) % 2):
                after = _ODD
            else:
                after = (carry + added) >> 1
            if after not in number:
                number[after] = len(carries)
                carries.append(after)
            row.append(number[after])
        rows.append(row)
        if len(carries) > most_states:
            raise LimitError(
                f"a linear relation of {len(factors)} numbers needs more than {most_states} states"
            )
    accepting = [
        carry is not _ODD and (carry == 0 if relation == "==" else carry >= 0) for carry in carries
    ]
    return minimised(np.array(rows, np.int32), np.array(accepting, np.bool_))
