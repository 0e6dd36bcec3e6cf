"""Learning automata from tables, by comparing residuals on few digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.errors import LimitError

Points = NDArray[np.int64]
Member = Callable[[Points], NDArray[np.bool_]]

#: Points per look-up: arrays of this size stay in the cache of a core.
BATCH = 1 << 16
#: Limit of points for the comparison of residuals; more would take seconds for each state.
MOST_POINTS = 1 << 20


@dataclass(frozen=True)
class Graph:
    """The graph of a partial function: one coordinate is determined by the others.

    Residuals are compared by values of the function instead of truth values, which saves one dimension.
    """

    #: Maps points without the determined coordinate, int64 of shape (n, d - 1), to its values, int64 of shape (n,), with -1 for
    #: an undefined value.
    function: Callable[[Points], Points]
    #: Index of the determined coordinate.
    determined: int

    def __call__(self, points: Points) -> NDArray[np.bool_]:
        """Return a mask of the points on the graph, given int64 of shape (n, d)."""
        is_member: NDArray[np.bool_] = (
            self.function(self.free(points)) == points[:, self.determined]
        )
        return is_member

    def free(self, points: Points) -> Points:
        """Return the points without the determined coordinate."""
        return np.delete(points, self.determined, axis=1)


@dataclass(frozen=True)
class Learned:
    """The result of `learn`."""

    #: The minimal automaton of the residuals, or None if the number of residuals kept growing.
    automaton: Automaton | None
    #: ``growth[e]`` is the number of distinct residuals of words of at most e digits.
    growth: tuple[int, ...]


def learn(
    member: Member,
    tracks: Sequence[str],
    depth: int,
    window: int,
    most_states: int = 3000,
) -> Learned:
    """Guess the automaton of a relation from its members below 2**depth.

    A word of e digits in each track, least significant digit first, is a point r with coordinates below 2**e. Its residual is the
    relation {q : r + 2**e q is a member}. The residuals are the states of the minimal automaton (Myhill and Nerode). Here two
    residuals are identified if they agree for all q below 2**window. So the result is a guess, which a proof must confirm. Raises
    `LimitError` if the window has more than `MOST_POINTS` points.

    Parameters
    ----------
    member
        Maps points below 2**depth, int64 of shape (n, d), to truth values of shape (n,). For a `Graph`, its function is used
        instead, and may have larger values.
    tracks
        The names of coordinates, in the order of the columns of points.
    depth
        Number of binary digits of coordinates.
    window
        Number of digits for the comparison of residuals.
    most_states
        Limit of residuals.

    Returns
    -------
    Learned
        Without an automaton if words of ``depth - window`` digits still have new residuals.

    References
    ----------
    O. Maler and A. Pnueli, On the learnability of infinitary regular sets, 1995.

    Examples
    --------
    >>> even_sum = learn(lambda p: p.sum(axis=1) % 2 == 0, ("x", "y"), depth=6, window=2)
    >>> even_sum.growth, even_sum.automaton.states
    ((1, 3, 3), 3)
    """
    dimensions = len(tracks)
    free = dimensions - isinstance(member, Graph)
    if window * free > MOST_POINTS.bit_length() - 1:
        raise LimitError(
            f"a window of {window} digits in {free} coordinates has 2**{window * free} points,"
            f" more than the {MOST_POINTS} that residuals can be told apart by"
        )
    symbols = _grid(dimensions, 1)
    steps = _grid(free, window)
    words = np.zeros((1, dimensions), np.int64)  # one shortest word for each new residual
    number = {_keys(member, words, 0, steps)[0]: 0}
    languages, targets, growth = [words], [], [1]
    for length in range(1, depth - window + 1):
        longer = (words[:, None, :] + (symbols << (length - 1))).reshape(
            len(words) * len(symbols), dimensions
        )
        new: list[int] = []
        row = np.empty(len(longer), np.int32)
        for i, key in enumerate(_keys(member, longer, length, steps)):
            row[i] = number.setdefault(key, len(number))
            if row[i] == growth[-1] + len(new):
                new.append(i)
        targets.append(row.reshape(-1, len(symbols)))
        growth.append(len(number))
        words = longer[new]
        if len(number) > most_states:
            break
        if not new:
            delta, accepting = np.concatenate(targets), member(np.concatenate(languages))
            return Learned(_automaton(tracks, delta, accepting), tuple(growth))
        languages.append(words)
    return Learned(None, tuple(growth))


def agrees(
    automaton: Automaton, member: Member, tracks: Sequence[str], depth: int, samples: int, seed: int
) -> bool:
    """Whether a guess is right at random points below 2**depth.

    There are `samples` points with random numbers of digits. For a `Graph`, points on it and near it are added.
    """
    random = np.random.default_rng(seed)
    dimensions = len(tracks)
    digits = random.integers(1, depth + 1, size=(samples, 1))
    points = random.integers(0, 1 << digits, size=(samples, dimensions))
    if isinstance(member, Graph):
        values = member.function(member.free(points))
        on = points[values >= 0]
        on[:, member.determined] = values[values >= 0]
        beside = on.copy()
        beside[:, member.determined] ^= 1 << random.integers(0, depth, size=len(on))
        points = np.concatenate([points, on, beside])
    sorted_points = points[:, sorted(range(dimensions), key=lambda i: tracks[i])]
    return np.array_equal(automaton.contains(sorted_points), member(points))


def _grid(dimensions: int, digits: int) -> Points:
    """Return all points below 2**digits; a row's number contains its coordinates."""
    numbers = np.arange(1 << (digits * dimensions), dtype=np.int64)
    shifts = digits * np.arange(dimensions)
    points: Points = numbers[:, None] >> shifts & ((1 << digits) - 1)
    return points


def _keys(member: Member, words: Points, length: int, experiments: Points) -> list[bytes]:
    """Return two hashes of each word's residual: random sums modulo 2^64.

    The probability of a collision is at most 10^-20 for a pair of residuals. The guess is then wrong, and a later check refutes it. A
    cryptographic digest would take ten times as long.
    """
    graph = member if isinstance(member, Graph) else None
    lows = words if graph is None else graph.free(words)
    steps = experiments << length
    keys = []
    batch = max(1, BATCH // len(steps))
    for first in range(0, len(words), batch):
        block = lows[first : first + batch]
        # Each coordinate is contiguous, because members read one coordinate after the other.
        axes = [np.add.outer(*pair).ravel() for pair in zip(block.T, steps.T, strict=True)]
        points = np.array(axes, np.int64).reshape(len(axes), len(block) * len(steps)).T
        if graph is None:
            packed: NDArray[np.generic] = np.packbits(
                member(points).reshape(len(block), -1), axis=1
            )
        else:
            low = words[first : first + batch, graph.determined, None]
            rest = graph.function(points).reshape(len(block), -1) - low
            # Words are below 2**length, so a value below a word, such as -1, gives -1 in both branches.
            packed = np.where(rest & ((1 << length) - 1) == 0, rest >> length, -1)
        factors = _factors(packed.shape[1])
        keys += [sums.tobytes() for sums in packed.astype(np.int64, copy=False) @ factors]
    return keys


@lru_cache(maxsize=4)
def _factors(number: int) -> NDArray[np.int64]:
    """Return pseudo-random odd integers with a fixed seed, shape (number, 2)."""
    random = np.random.default_rng(0)
    return random.integers(-(1 << 63), (1 << 63) - 1, (number, 2), np.int64) | 1


def _automaton(
    tracks: Sequence[str], delta: NDArray[np.int32], accepting: NDArray[np.bool_]
) -> Automaton:
    """Return the minimal automaton with sorted tracks."""
    order = sorted(range(len(tracks)), key=lambda i: tracks[i])
    symbols = np.arange(delta.shape[1])
    here = sum((symbols >> new & 1) << old for new, old in enumerate(order))
    return Automaton(tuple(tracks[i] for i in order), *minimised(delta[:, here], accepting))
