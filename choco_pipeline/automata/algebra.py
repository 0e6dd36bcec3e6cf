"""Logic on relations; results are minimal automata, numbered canonically."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.arithmetic import constant
from choco_pipeline.automata.dfa import (
    Arrays,
    Automaton,
    AutomatonError,
    Variable,
    listed,
    remembered,
    sorted_tracks,
)
from choco_pipeline.automata.minimise import minimised, numbered
from choco_pipeline.automata.subsets import reachable_sets
from choco_pipeline.errors import LimitError

#: Limit of states before minimising. This limit and the next two keep an operation below 4 GiB.
MOST_STATES = 4_000_000
MOST_TRANSITIONS = 1 << 26
MOST_MEMBERS = 1 << 27
#: Multiplier of the hash of a state set: odd, 63 bits.
HASH = 0x1E3779B97F4A7C15


def canonical(a: Automaton) -> Automaton:
    """Return the minimal automaton, which is unique for the relation and its tracks."""
    return Automaton(a.tracks, *minimised(a.delta, a.accepting))


def complement(a: Automaton) -> Automaton:
    """Return the complement of a relation."""
    return Automaton(a.tracks, *minimised(a.delta, ~a.accepting))


def conjunction(a: Automaton, b: Automaton, *, most_states: int = MOST_STATES) -> Automaton:
    """Return the conjunction, on the union of the tracks.

    Raises `LimitError` if there are more than `most_states` pairs of states, `MOST_TRANSITIONS` transitions or `MOST_TRACKS` tracks.
    """
    return _joined(a, b, most_states, ends=False)


def disjunction(a: Automaton, b: Automaton, *, most_states: int = MOST_STATES) -> Automaton:
    """Return the disjunction; the limits are those of `conjunction`."""
    return _joined(a, b, most_states, ends=True)


def _joined(a: Automaton, b: Automaton, most_states: int, *, ends: bool) -> Automaton:
    """Return the disjunction if `ends` is true, otherwise the conjunction.

    `ends` is the acceptance of one automaton that decides the result alone.
    """
    tracks = sorted_tracks(a.tracks + b.tracks)
    most = min(most_states, MOST_TRANSITIONS >> len(tracks))
    places = tuple(tuple(map(tracks.index, one.tracks)) for one in (a, b))
    return _product(tracks, a, b, len(tracks), places, most, ends)


@remembered
def _product(
    a: Automaton,
    b: Automaton,
    tracks: int,
    places: tuple[tuple[int, ...], ...],
    most: int,
    ends: bool,
) -> Arrays:
    # Both automata in one array. Their traps with equal acceptance are merged.
    delta = np.zeros((a.states + b.states, max(a.delta.shape[1], b.delta.shape[1])), np.int32)
    delta[: a.states, : a.delta.shape[1]] = a.delta
    delta[a.states :, : b.delta.shape[1]] = b.delta + a.states
    traps = []
    for first, second in zip(_traps(a, ends), _traps(b, ends), strict=True):
        if min(first, second) >= 0:
            delta[delta == a.states + second] = first
        traps.append(first if first >= 0 or second < 0 else a.states + second)
    dead, sure = traps
    delta, accepts, complete = reachable_sets(
        delta,
        np.array([0, a.states], np.int32),
        a.states,
        np.stack([_own_symbols(own, tracks) for own in places])[:, :, None],
        np.concatenate([a.accepting, b.accepting]) == ends,
        dead,
        sure,
        HASH,
        most,
        MOST_MEMBERS,
    )
    if not complete:
        raise LimitError(
            f"automata of {a.states} and {b.states} states together have more than {most} states"
        )
    return minimised(delta, accepts == ends)


def renamed(a: Automaton, names: Mapping[Variable, Variable]) -> Automaton:
    """Rename tracks. Tracks with the same new name are identified.

    Raises `AutomatonError` if an old name is not a track.
    """
    unknown = sorted(set(names) - set(a.tracks))
    if unknown:
        raise AutomatonError(f"no track {unknown[0]}: tracks are {listed(a.tracks) or 'none'}")
    targets = [names.get(track, track) for track in a.tracks]
    tracks = sorted_tracks(targets)
    old = _own_symbols(tuple(map(tracks.index, targets)), len(tracks))
    return Automaton(tracks, *minimised(np.ascontiguousarray(a.delta[:, old]), a.accepting))


def exists(a: Automaton, *tracks: Variable, most_states: int = MOST_STATES) -> Automaton:
    """Eliminate some tracks by existential quantification.

    Names that are not tracks are ignored. Raises `LimitError` if there are more than `most_states` sets of states,
    `MOST_TRANSITIONS` transitions, or `MOST_MEMBERS` states in all sets together.

    Examples
    --------
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> even = exists(linear({"x": 1, "half": -2}, 0, "=="), "half")
    >>> [x for x in range(10) if even.accepts({"x": x})]
    [0, 2, 4, 6, 8]
    """
    kept = tuple(track for track in a.tracks if track not in tracks)
    if kept == a.tracks:
        return canonical(a)
    bound = tuple(i for i, track in enumerate(a.tracks) if track in tracks)
    return _projected(kept, a, bound, min(most_states, MOST_TRANSITIONS >> len(kept)))


@remembered
def _projected(a: Automaton, bound: tuple[int, ...], most: int) -> Arrays:
    kept = tuple(i for i in range(len(a.tracks)) if i not in bound)
    with_kept, with_bound = (
        _moved_bits(1 << len(places), range(len(places)), places) for places in (kept, bound)
    )
    choices = with_kept[:, None] | with_bound[None, :]
    # A state accepts if further digits of the projected numbers alone lead to an accepting state.
    accepting = a.accepting.copy()
    others = np.flatnonzero(~accepting)
    while (accepts := accepting[a.delta[np.ix_(others, with_bound)]].any(axis=1)).any():
        accepting[others[accepts]] = True
        others = others[~accepts]
    delta, accepts, complete = reachable_sets(
        a.delta,
        np.zeros(1, np.int32),
        a.states,
        choices[None],
        accepting,
        *_traps(a, True),
        HASH,
        most,
        MOST_MEMBERS,
    )
    if not complete:
        raise LimitError(
            f"to project {listed(tuple(a.tracks[i] for i in bound))} out of {a.states} states"
            f" takes more than {most} states or {MOST_MEMBERS} members of sets"
        )
    return minimised(delta, accepts)


def restricted(a: Automaton, known: Mapping[Variable, int]) -> Automaton:
    """Substitute numbers for some tracks; the result is on the other tracks."""
    given = {track: known[track] for track in a.tracks if track in known}
    for track, value in given.items():
        a = conjunction(a, constant(track, value))
    return exists(a, *given)


def witness(a: Automaton) -> dict[Variable, int] | None:
    """Return the member with the fewest digits, then lexicographically first, if any.

    Examples
    --------
    >>> from choco_pipeline.automata.arithmetic import linear
    >>> witness(linear({"x": 3, "y": -5}, 1, "=="))
    {'x': 3, 'y': 2}
    """
    layers = shortest(a)
    if layers is None:
        return None
    # A least continuation of a state extends a least continuation of a successor, because doubling preserves the order.
    nothing = (0,) * len(a.tracks)
    least = dict.fromkeys(layers.pop(), nothing)
    for layer in reversed(layers):
        least = {
            state: min(
                tuple(2 * rest + (symbol >> i & 1) for i, rest in enumerate(least[after]))
                for symbol, after in enumerate(a.delta[state].tolist())
                if after in least
            )
            for state in layer
        }
    return dict(zip(a.tracks, least[0], strict=True))


def shortest(a: Automaton) -> list[list[int]] | None:
    """Return the states of shortest accepted words after 0, 1, … digits, if any."""
    distance = np.where(a.accepting, 0, a.states)
    while True:
        nearer = np.minimum(distance, 1 + distance[a.delta].min(axis=1))
        if np.array_equal(nearer, distance):
            break
        distance = nearer
    if distance[0] >= a.states:
        return None
    layers = [[0]]
    for left in range(int(distance[0]) - 1, -1, -1):
        reached = np.unique(a.delta[layers[-1]])
        layers.append(reached[distance[reached] == left].tolist())
    return layers


def least(a: Automaton, order: tuple[Variable, ...]) -> tuple[int, ...] | None:
    """Return the member with the least maximum, then lexicographically first, if any.

    `order` is the order of tracks for the comparison and the result. A name that is not a track has the value 0.
    """
    layers = shortest(a)
    if layers is None:
        return None
    # A continuation with the least maximum still has it after one more digit. Among continuations with equal maxima, the best one
    # depends on the set of maximal coordinates, so the best one for each such set is kept.
    following: dict[int, dict[int, tuple[int, ...]]] = {
        state: {(1 << len(order)) - 1: (0,) * len(order)} for state in layers.pop()
    }
    digits = [
        [symbol >> a.tracks.index(name) & 1 if name in a.tracks else 0 for name in order]
        for symbol in range(a.delta.shape[1])
    ]
    for layer in reversed(layers):
        following = {
            state: _leading(
                tuple(2 * r + d for r, d in zip(rest, digits[symbol], strict=True))
                for symbol, after in enumerate(a.delta[state].tolist())
                for rest in following.get(after, {}).values()
            )
            for state in layer
        }
    return min(following[0].values(), key=lambda position: (max(position, default=0), position))


def _leading(positions: Iterable[tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    """Map sets of maximal coordinates to the first position with the least maximum."""
    best: dict[int, tuple[int, ...]] = {}
    lowest = -1
    for position in positions:
        largest = max(position, default=0)
        if lowest in (-1, largest) or largest < lowest:
            if largest != lowest:
                best, lowest = {}, largest
            maximal = sum((number == largest) << i for i, number in enumerate(position))
            best[maximal] = min(position, best.get(maximal, position))
    return best


def is_empty(a: Automaton) -> bool:
    """Whether the relation is empty."""
    return not numbered(a.delta, a.accepting)[1].any()


def _traps(a: Automaton, accepting: bool) -> tuple[int, int]:
    """Return a trap state of the other acceptance and one of this; -1 for none."""
    stays = np.flatnonzero((a.delta == np.arange(a.states, dtype=np.int32)[:, None]).all(axis=1))
    by_acceptance = {bool(a.accepting[state]): int(state) for state in stays[::-1]}
    return by_acceptance.get(not accepting, -1), by_acceptance.get(accepting, -1)


@lru_cache(maxsize=1 << 10)
def _own_symbols(places: tuple[int, ...], tracks: int) -> NDArray[np.int64]:
    """Map each symbol of some tracks to the symbol of those at `places`."""
    return _moved_bits(1 << tracks, places, range(len(places)))


def _moved_bits(end: int, before: Sequence[int], after: Sequence[int]) -> NDArray[np.int64]:
    """Map numbers below `end` to sums of bits, moved from `before` to `after`."""
    bits = np.arange(end)[:, None] >> np.array(before, np.int64) & 1
    moved: NDArray[np.int64] = (bits << np.array(after, np.int64)).sum(axis=1)
    return moved
