"""Where a relation contradicts the definition of a game: at one position and its options, without any engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.games import Position, Ruleset, mex
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.games.membership import Relation

#: Grundy numbers that are tried at a time.
BATCH = 1 << 14
#: Values of a position that are told; a second one is a contradiction.
SHOWN = 5


def contradiction(
    ruleset: Ruleset,
    relation: Relation,
    automata: Sequence[Automaton],
    passes: int,
    counterexample: Mapping[str, int],
    clock: Clock = FOREVER,
) -> str | None:
    """Return how relations contradict the definition at a counterexample's position, or None if they do not.

    The automata are the relation for no pass left, for one and so on, as far as `passes`. Coordinates that the
    counterexample lacks are 0; the largest value in it bounds the Grundy numbers that are tried besides those that options
    can lead to. The clock says for how long options are looked at: there may be as many as the coordinates say. Raises
    `UndecidedError` if the time is over before it is known.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> contradiction(Nim(1), "p", [linear({"0": 1}, -1, "<=")], 0, {"a": 1})
    'the relation holds at (1) and at its option (0)'
    """
    base, most = ruleset.base, ruleset.passes
    here = tuple(counterexample.get(name, 0) for name in base.coordinates)
    position = (*here, passes) if most else here
    if relation == "p":
        return _p(ruleset, automata, position, clock)
    return _grundy(ruleset, automata, position, max(counterexample.values(), default=0), clock)


def height_falls(ruleset: Ruleset, at: Mapping[str, int]) -> bool:
    """Return whether a height is below 0, or below its value nearer to the origin: at primed coordinates, if any."""
    names = ruleset.base.coordinates
    near = {name: at.get(name, 0) for name in names}
    far = {name: at.get(f"{name}'", near[name]) for name in names}
    limits = ruleset.base.rules.limits.values()
    return any(limit.at(near) < 0 or limit.at(far) < limit.at(near) for limit in limits)


def _p(
    ruleset: Ruleset, automata: Sequence[Automaton], position: Position, clock: Clock
) -> str | None:
    holds = _holds(ruleset, automata, position)
    if not ruleset.is_position(position):
        why = f"which is no position: {ruleset.why_not(position)}"
        return f"the relation holds at {_text(position)}, {why}" if holds else None
    for option in clock.limited(ruleset.options(position)):
        if _holds(ruleset, automata, option):
            if not holds:
                return None
            return f"the relation holds at {_text(position)} and at its option {_text(option)}"
    if holds:
        return None
    return f"the relation holds neither at {_text(position)} nor at any of its options"


def _grundy(
    ruleset: Ruleset,
    automata: Sequence[Automaton],
    position: Position,
    largest: int,
    clock: Clock,
) -> str | None:
    # From a position with the Grundy number g there are plays of g moves.
    top = max(largest, sum(position))

    def values(here: Position) -> list[int]:
        reached: list[int] = []
        for first in range(0, top + 1, BATCH):
            clock.require()
            numbers = range(first, min(first + BATCH, top + 1))
            reached += _values(ruleset, automata, here, numbers)
            if len(reached) >= SHOWN:
                break
        return reached

    def told(here: Position, numbers: Sequence[int]) -> str:
        number = f"at least {SHOWN}" if len(numbers) >= SHOWN else str(len(numbers))
        listed = ", ".join(map(str, numbers[:SHOWN])) or "none"
        return f"{_text(here)} has {number} values up to {top}: {listed}"

    actual = values(position)
    if not ruleset.is_position(position):
        what = f"{_text(position)} is no position ({ruleset.why_not(position)})"
        return f"{what}, but has the value {actual[0]}" if actual else None
    if len(actual) != 1:
        return told(position, actual)
    below: dict[Position, int] = {}
    for option in clock.limited(ruleset.options(position)):
        if option not in below:
            seen = values(option)
            if len(seen) != 1:
                return told(option, seen)
            below[option] = seen[0]
    least = mex(below.values())
    if actual[0] == least:
        return None
    return (
        f"{_text(position)} has the value {actual[0]}, but the least that no option has is {least}"
    )


def _values(
    ruleset: Ruleset, automata: Sequence[Automaton], here: Position, numbers: range
) -> list[int]:
    """Return those of the numbers that the automata say are Grundy numbers of a position, however far out it is."""
    *coordinates, passes = here if ruleset.passes else (*here, 0)
    automaton = automata[passes]
    bit = [automaton.tracks.index(str(i)) for i in range(len(coordinates) + 1)]
    state = np.zeros(len(numbers), np.int32)
    left = np.array(numbers, np.int64)
    while left.any() or any(coordinates):
        symbol = sum((c & 1) << bit[i] for i, c in enumerate(coordinates))
        state = automaton.delta[state, symbol + ((left & 1) << bit[-1])]
        left, coordinates = left >> 1, [c >> 1 for c in coordinates]
    return [numbers[i] for i in np.flatnonzero(automaton.accepting[state])]


def _holds(ruleset: Ruleset, automata: Sequence[Automaton], position: Position) -> bool:
    *coordinates, passes = position if ruleset.passes else (*position, 0)
    return automata[passes].accepts({str(i): c for i, c in enumerate(coordinates)})


def _text(position: Position) -> str:
    return f"({', '.join(map(str, position))})"
