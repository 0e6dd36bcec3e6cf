"""Where a relation contradicts the definition of a game: at one position and its options, without any engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.games import Position, Ruleset, mex
from choco_pipeline.proof.members import Relation
from choco_pipeline.tables.schema import unwrap


def contradiction(
    ruleset: Ruleset,
    relation: Relation,
    automata: Sequence[Automaton],
    passes: int,
    counterexample: Mapping[str, int],
) -> str | None:
    """Return how relations contradict the definition at a counterexample's position, or None if they do not.

    Parameters
    ----------
    ruleset, relation
        Of which game they should be the P-positions, or the Grundy numbers.
    automata
        The relation for no pass left, for one and so on, as far as `passes`.
    passes
        Passes left at the position.
    counterexample
        Values for the ruleset's coordinates, at least; missing ones are 0. The largest value there is bounds the Grundy
        numbers that are tried besides those that the options can lead to.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> contradiction(Nim(1), "p", [linear({"0": 1}, -1, "<=")], 0, {"a": 1})
    'the relation holds at (1) and at its option (0)'
    """
    base, most = unwrap(ruleset)
    here = tuple(counterexample.get(name, 0) for name in base.coordinates)
    position = (*here, passes) if most else here
    if relation == "p":
        return _p(ruleset, automata, position)
    return _grundy(ruleset, automata, position, max(counterexample.values(), default=0))


def height_falls(ruleset: Ruleset, at: Mapping[str, int]) -> bool:
    """Return whether a height is below 0, or below its value nearer to the origin: at primed coordinates, if any."""
    base, _ = unwrap(ruleset)
    near = tuple(at.get(name, 0) for name in base.coordinates)
    far = tuple(at.get(f"{name}'", at.get(name, 0)) for name in base.coordinates)
    return not base.is_position(far) and (near == far or base.is_position(near))


def _p(ruleset: Ruleset, automata: Sequence[Automaton], position: Position) -> str | None:
    holds = _holds(ruleset, automata, position)
    if not ruleset.is_position(position):
        why = ruleset.why_not(position)
        return (
            f"the relation holds at {_text(position)}, which is no position: {why}"
            if holds
            else None
        )
    for option in ruleset.options(position):
        if _holds(ruleset, automata, option):
            if not holds:
                return None
            return f"the relation holds at {_text(position)} and at its option {_text(option)}"
    if holds:
        return None
    return f"the relation holds neither at {_text(position)} nor at any of its options"


def _grundy(
    ruleset: Ruleset, automata: Sequence[Automaton], position: Position, largest: int
) -> str | None:
    legal = ruleset.is_position(position)
    options = list(dict.fromkeys(ruleset.options(position))) if legal else []
    top = max(largest, len(options))  # a mex is at most the number of options

    def values(here: Position) -> list[int]:
        *coordinates, passes = here if unwrap(ruleset)[1] else (*here, 0)
        points = np.empty((top + 1, len(coordinates) + 1), np.int64)
        points[:, :-1] = coordinates
        points[:, -1] = np.arange(top + 1)
        tracks = sorted(range(points.shape[1]), key=str)
        return np.flatnonzero(automata[passes].contains(points[:, tracks])).tolist()

    found = values(position)
    if not legal:
        why = ruleset.why_not(position)
        return (
            f"{_text(position)} is no position ({why}), but has the value {found[0]}"
            if found
            else None
        )
    if len(found) != 1:
        return f"{_text(position)} has {len(found)} values up to {top}: {', '.join(map(str, found)) or 'none'}"
    below: set[int] = set()
    for option in options:
        seen = values(option)
        if len(seen) != 1:
            return f"{_text(option)} has {len(seen)} values up to {top}: {', '.join(map(str, seen)) or 'none'}"
        below |= set(seen)
    if found[0] == mex(below):
        return None
    return f"{_text(position)} has the value {found[0]}, but the least that no option has is {mex(below)}"


def _holds(ruleset: Ruleset, automata: Sequence[Automaton], position: Position) -> bool:
    *coordinates, passes = position if unwrap(ruleset)[1] else (*position, 0)
    return automata[passes].accepts({str(i): c for i, c in enumerate(coordinates)})


def _text(position: Position) -> str:
    return f"({', '.join(map(str, position))})"
