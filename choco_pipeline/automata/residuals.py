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

    #: Maps the other coordinates, an int64 array for each, to values, with -1 for an undefined value. The arrays broadcast against
    #: each other, as an open grid does.
    function: Callable[[Sequence[Points]], NDArray[np.integer]]
    #: Index of the determined coordinate.
    determined: int
    #: For each of the others, a number from which on there are no values; None if there is no such number.
    ends: Sequence[int | None] | None = None

    def __call__(self, points: Points) -> NDArray[np.bool_]:
        """Return a mask of the points on the graph, given int64 of shape (n, d)."""
        is_member: NDArray[np.bool_] = self.values(points) == points[:, self.determined]
        return is_member

    def values(self, points: Points) -> NDArray[np.integer]:
        """Return the function's values at points, whose determined coordinate is ignored."""
        values = self.function([*np.delete(points, self.determined, axis=1).T])
        return np.broadcast_to(values, len(points))


@dataclass(frozen=True)
class Learned:
    """The result of `Learner.learned`."""

    #: The minimal automaton of the residuals, or None if the number of residuals kept growing.
    automaton: Automaton | None
    #: ``growth[e]`` is the number of distinct residuals of words of at most e digits.
    growth: tuple[int, ...]


class Learner:
    """Guesses of the automaton of a relation, from its members below 2**depth.

    A word of e digits in each track, least significant digit first, is a point r with coordinates below 2**e. Its residual is the
    relation {q : r + 2**e q is a member}. The residuals are the states of the minimal automaton (Myhill and Nerode). Here two
    residuals are identified if they agree for all q below 2**window. So the result is a guess, which a proof must confirm.

    Residuals do not depend on the depth, so a larger depth continues the search of a smaller one.

    Parameters
    ----------
    tracks
        The names of coordinates, in the order of the columns of points.
    window
        Number of digits for the comparison of residuals.
    most_states
        Limit of residuals.

    References
    ----------
    O. Maler and A. Pnueli, On the learnability of infinitary regular sets, 1995.

    Examples
    --------
    >>> learner = Learner(("x", "y"), window=2)
    >>> even_sum = learner.learned(lambda p: p.sum(axis=1) % 2 == 0, depth=6)
    >>> even_sum.growth, even_sum.automaton.states
    ((1, 3, 3), 3)
    """

    def __init__(self, tracks: Sequence[str], window: int, most_states: int = 3000) -> None:
        self.tracks, self.window, self.most_states = tracks, window, most_states
        #: For each length of words, the first words of new residuals.
        self._words = [np.zeros((1, len(tracks)), np.int64)]
        self._number: dict[bytes, int] = {}
        self._targets: list[NDArray[np.int32]] = []
        self._growth = [1]

    def learned(self, member: Member, depth: int) -> Learned:
        """Return a guess from the members below 2**depth.

        It has no automaton if words of ``depth - window`` digits still have new residuals. `member` maps points below
        2**depth, int64 of shape (n, d), to truth values of shape (n,). For a `Graph`, its function is used instead, and may have
        larger values. It must be the same relation for each depth. Raises `LimitError` if the window has more than `MOST_POINTS`
        points.
        """
        dimensions = len(self.tracks)
        free = dimensions - isinstance(member, Graph)
        if self.window * free > MOST_POINTS.bit_length() - 1:
            raise LimitError(
                f"a window of {self.window} digits in {free} coordinates has 2**{self.window * free} points,"
                f" more than the {MOST_POINTS} that residuals can be told apart by"
            )
        if not self._number:
            self._number[_keys(member, self._words[0], 0, self.window)[0]] = 0
        while (
            len(self._words[-1])
            and len(self._growth) <= depth - self.window
            and self._growth[-1] <= self.most_states
        ):
            self._lengthen(member)
        growth = tuple(self._growth)
        if len(self._words[-1]):
            return Learned(None, growth)
        delta, accepting = np.concatenate(self._targets), member(np.concatenate(self._words))
        order = sorted(range(dimensions), key=lambda i: self.tracks[i])
        symbols = np.arange(1 << dimensions)
        sorted_symbols = sum((symbols >> new & 1) << old for new, old in enumerate(order))
        automaton = minimised(delta[:, sorted_symbols], accepting)
        return Learned(Automaton(tuple(sorted(self.tracks)), *automaton), growth)

    def _lengthen(self, member: Member) -> None:
        """Find the residuals of words of one more digit."""
        length, dimensions = len(self._growth), len(self.tracks)
        symbols = np.arange(1 << dimensions)[:, None] >> np.arange(dimensions) & 1
        longer = self._words[-1][:, None, :] + (symbols << (length - 1))
        longer = longer.reshape(-1, dimensions)
        keys = _keys(member, longer, length, self.window)
        numbers = [self._number.setdefault(key, len(self._number)) for key in keys]
        row = np.array(numbers, np.int32)
        different, first = np.unique(row, return_index=True)
        self._targets.append(row.reshape(-1, len(symbols)))
        self._words.append(longer[first[different >= self._growth[-1]]])
        self._growth.append(len(self._number))


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
        values = member.values(points)
        on = points[values >= 0]
        on[:, member.determined] = values[values >= 0]
        beside = on.copy()
        beside[:, member.determined] ^= 1 << random.integers(0, depth, size=len(on))
        points = np.concatenate([points, on, beside])
    sorted_points = points[:, sorted(range(dimensions), key=lambda i: tracks[i])]
    return np.array_equal(automaton.contains(sorted_points), member(points))


def _keys(member: Member, words: Points, length: int, window: int) -> list[bytes]:
    """Return two hashes of each word's residual: random sums modulo 2^64.

    The probability of a collision is at most 10^-20 for a pair of residuals. The guess is then wrong, and a later check refutes it. A
    cryptographic digest would take ten times as long.
    """
    graph = member if isinstance(member, Graph) else None
    lows = words if graph is None else np.delete(words, graph.determined, axis=1)
    free, size = lows.shape[1], 1 << window
    ends = (graph and graph.ends) or [None] * free
    counts = [size if end is None else min(size, -(-end >> length)) for end in ends]
    # An open grid for each word: one number for each coordinate and step.
    axes = [
        np.add.outer(low, np.arange(count) << length).reshape(
            len(words), *[1] * i, count, *[1] * (free - i - 1)
        )
        for i, (low, count) in enumerate(zip(lows.T, counts, strict=True))
    ]
    factors = (
        _factors(size**free).reshape(*[size] * free, 2)[tuple(map(slice, counts))].reshape(-1, 2)
    )
    keys: list[bytes] = []
    batch = max(1, BATCH // len(factors))
    for first in range(0, len(words), batch):
        block = [axis[first : first + batch] for axis in axes]
        if graph is None:
            points = np.stack(np.broadcast_arrays(*block), axis=-1).reshape(-1, free)
            found: NDArray[np.generic] = member(points).reshape(-1, len(factors))
        else:
            low = words[first : first + batch, graph.determined, None]
            values = np.broadcast_to(graph.function(block), (len(low), *counts)).reshape(
                len(low), -1
            )
            # The type of the values, which is mostly short, is enough for words, too.
            rest = values - low.astype(
                np.promote_types(values.dtype, np.min_scalar_type(-1 << length))
            )
            # Words are below 2**length, so values below a word, such as -1, give 0 in both cases.
            found = np.where(rest & ((1 << length) - 1) == 0, (rest >> length) + 1, 0)
        keys += (found.astype(np.int64) @ factors).view("V16")[:, 0].tolist()
    return keys


@lru_cache(maxsize=4)
def _factors(number: int) -> NDArray[np.int64]:
    """Return pseudo-random odd integers with a fixed seed, shape (number, 2)."""
    random = np.random.default_rng(0)
    return random.integers(-(1 << 63), (1 << 63) - 1, (number, 2), np.int64) | 1
