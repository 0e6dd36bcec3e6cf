"""Deterministic automata on tuples of numbers, least significant bit first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import count
from typing import Any, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import ChocoError, LimitError

_numbers = count()
#: Transitions and accepting states.
Arrays = tuple[NDArray[np.int32], NDArray[np.bool_]]
Arguments = TypeVarTuple("Arguments")


class Auxiliary(str):
    """A fresh variable, equal only to itself, so that quantifiers capture no other.

    Variables are sorted by text, then names before auxiliary variables, then by age.
    """

    def __new__(cls, label: str) -> Auxiliary:
        """Return a variable that is printed as `label`, which need not be unique."""
        return super().__new__(cls, f"{label}\0{next(_numbers):012}")

    def __str__(self) -> str:
        return self.partition("\0")[0]


#: A name, or an `Auxiliary`.
Variable = str


def listed(variables: tuple[Variable, ...]) -> str:
    """Return variables separated by commas."""
    return ", ".join(map(str, variables))


#: Limit of tracks, because an automaton has 2**tracks columns.
MOST_TRACKS = 16


def sorted_tracks(names: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return distinct names, sorted; raise `LimitError` if there are too many."""
    tracks = tuple(sorted(set(names)))
    if len(tracks) > MOST_TRACKS:
        raise LimitError(f"a relation of {len(tracks)} tracks: at most {MOST_TRACKS} are possible")
    return tracks


class AutomatonError(ChocoError):
    """A malformed automaton, or a missing track."""


@dataclass(frozen=True, eq=False)
class Automaton:
    """A relation on natural numbers, as a complete deterministic automaton.

    Parameters
    ----------
    tracks
        Names of the numbers, sorted.
    delta
        Next state for each state and symbol: int32, shape (states, 2**tracks). Bit i of a symbol is the digit of
        ``tracks[i]``.
    accepting
        Whether the word read so far is in the relation: bool, shape (states,). A state and its successor after zeros must agree,
        because leading zeros do not change a number.

    Raises `AutomatonError` if the parts do not fit together; `LimitError` if there are more than `MOST_TRACKS` tracks.
    """

    tracks: tuple[Variable, ...]
    delta: NDArray[np.int32]
    accepting: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if len(self.tracks) > MOST_TRACKS:
            raise LimitError(
                f"an automaton of {len(self.tracks)} tracks: at most {MOST_TRACKS} are possible"
            )
        if list(self.tracks) != sorted(set(self.tracks)):
            raise AutomatonError(f"tracks {listed(self.tracks)} are not sorted and distinct")
        delta = _frozen(self.delta, np.int32, "delta")
        accepting = _frozen(self.accepting, np.bool_, "accepting")
        needed = (len(accepting), 1 << len(self.tracks))
        if accepting.ndim != 1 or len(accepting) == 0 or delta.shape != needed:
            raise AutomatonError(
                f"delta has shape {delta.shape} and accepting has shape {accepting.shape}: for {len(self.tracks)}"
                f" tracks they must be (n, {needed[1]}) and (n,) with n at least 1"
            )
        if delta.min() < 0 or delta.max() >= len(accepting):
            raise AutomatonError(f"delta leads to a state outside of 0 to {len(accepting) - 1}")
        changed = np.flatnonzero(accepting[delta[:, 0]] != accepting)
        if len(changed):
            raise AutomatonError(
                f"a zero read in state {changed[0]} changes whether the numbers are accepted"
            )
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "accepting", accepting)

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.accepting)

    def __eq__(self, other: object) -> bool:
        """Compare automata; minimal ones are equal if and only if their relations are."""
        if not isinstance(other, Automaton):
            return NotImplemented
        return (self.tracks, self.table) == (other.tracks, other.table)

    def __hash__(self) -> int:
        return hash((self.tracks, self.table))

    def __repr__(self) -> str:
        return f"<Automaton of {listed(self.tracks) or 'no tracks'} with {self.states} states>"

    @cached_property
    def table(self) -> tuple[bytes, bytes]:
        """Transitions and accepting states as a cache key without track names."""
        return self.delta.tobytes(), self.accepting.tobytes()

    def on(self, tracks: tuple[Variable, ...]) -> Automaton:
        """Replace the track names by `tracks`, which must be sorted."""
        renamed = object.__new__(Automaton)
        renamed.__dict__.update(self.__dict__, tracks=tracks)
        return renamed

    def accepts(self, values: Mapping[Variable, int]) -> bool:
        """Whether the relation contains these numbers; other names are ignored.

        Raises `AutomatonError` if a track has no value or a negative value.
        """
        left = []
        for track in self.tracks:
            value = values.get(track, -1)
            if value < 0:
                given = f"{value}" if track in values else "nothing"
                raise AutomatonError(f"track {track} needs a natural number, and {given} was given")
            left.append(int(value))
        state = 0
        while any(left):
            state = int(self.delta[state, sum((value & 1) << i for i, value in enumerate(left))])
            left = [value >> 1 for value in left]
        return bool(self.accepting[state])

    def contains(self, points: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the rows of `points` in the relation; column i is track i.

        Raises `AutomatonError` for a wrong number of columns or a negative number.
        """
        if points.ndim != 2 or points.shape[1] != len(self.tracks):
            raise AutomatonError(
                f"points of shape {points.shape} given, needed (points, {len(self.tracks)})"
            )
        if points.size and points.min() < 0:
            raise AutomatonError(
                f"a point has the coordinate {points.min()}: natural numbers are needed"
            )
        state = np.zeros(len(points), np.int32)
        weights = 1 << np.arange(len(self.tracks), dtype=np.int64)
        digits = int(points.max()).bit_length() if points.size else 0
        for digit in range(digits):
            state = self.delta[state, (points >> digit & 1) @ weights]
        return self.accepting[state]

    def as_json(self) -> dict[str, object]:
        """Return JSON data: tracks, rows of delta, accepting states."""
        return {
            "tracks": list(self.tracks),
            "delta": self.delta.tolist(),
            "accepting": np.flatnonzero(self.accepting).tolist(),
        }

    @classmethod
    def from_json(cls, data: Any) -> Automaton:
        """Read the output of `as_json`; raise `AutomatonError` if `data` is malformed."""
        if not isinstance(data, dict) or set(data) != {"tracks", "delta", "accepting"}:
            raise AutomatonError(
                "an automaton is written as an object of tracks, delta and accepting"
            )
        tracks, rows, accepting = data["tracks"], data["delta"], data["accepting"]
        if not isinstance(tracks, list) or not all(isinstance(track, str) for track in tracks):
            raise AutomatonError("tracks is not a list of names")
        if not isinstance(rows, list) or not rows:
            raise AutomatonError("delta is not a list of at least one row")
        width = 1 << min(len(tracks), MOST_TRACKS)
        for i, row in enumerate(rows):
            if not _are_states(row, len(rows)) or len(row) != width:
                raise AutomatonError(
                    f"row {i} of delta is not a list of {width} states from 0 to {len(rows) - 1}"
                )
        if not _are_states(accepting, len(rows)) or accepting != sorted(set(accepting)):
            raise AutomatonError(
                f"accepting is not an ascending list of states from 0 to {len(rows) - 1}"
            )
        flags = np.zeros(len(rows), np.bool_)
        flags[accepting] = True
        return cls(tuple(tracks), np.array(rows, np.int32), flags)


def _are_states(value: Any, states: int) -> bool:
    return isinstance(value, list) and all(type(q) is int and 0 <= q < states for q in value)


def _frozen(array: NDArray[Any], dtype: type[Any], name: str) -> NDArray[Any]:
    given = np.asarray(array)
    if given.dtype != dtype:
        raise AutomatonError(f"{name} has dtype {given.dtype}, and {np.dtype(dtype)} is needed")
    if given.flags.writeable or not given.flags.c_contiguous:
        given = np.array(given, order="C")
        given.flags.writeable = False
    return given


#: Larger automata are not cached. If the cache exceeds the second limit, it is cleared.
MOST_BYTES_OF_ONE, MOST_BYTES = 1 << 14, 1 << 26

_results: dict[tuple[Hashable, ...], Automaton] = {}
_bytes = 0


def remembered(
    make: Callable[[*Arguments], Arrays],
) -> Callable[[tuple[Variable, ...], *Arguments], Automaton]:
    """Return the function ``make(…)`` on given tracks; small automata are cached.

    Statements about one game or one family contain many parts that are equal up to the names of variables. So `make` must not depend
    on the tracks of automata among its arguments. Its result must be minimal and canonically numbered.
    """

    @wraps(make)
    def known(tracks: tuple[Variable, ...], *given: *Arguments) -> Automaton:
        global _bytes
        size = sum(_size(one) for one in given if isinstance(one, Automaton))
        if size > MOST_BYTES_OF_ONE:
            return Automaton(tracks, *make(*given))
        key = (make, *(one.table if isinstance(one, Automaton) else one for one in given))
        if key in _results:
            return _results[key].on(tracks)
        automaton = Automaton(tracks, *make(*given))
        size += _size(automaton)
        if size <= MOST_BYTES_OF_ONE:
            if _bytes + size > MOST_BYTES:
                _results.clear()
                _bytes = 0
            _results[key] = automaton
            _bytes += size
        return automaton

    return known


def _size(automaton: Automaton) -> int:
    return automaton.delta.nbytes + automaton.accepting.nbytes
