"""Conditions on monotone height functions f(x, z): the family that is searched, and which functions have which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.finding.statements.lines import nodes_in
from choco_pipeline.formula import parse
from choco_pipeline.mining.height_search import Heights, Truths

#: Functions that are looked at together.
BLOCK = 1 << 13
#: The value of `t` where no cut ends on top of a zero column: larger than all nim-sums.
NO_TOP = 1 << 30

#: What may be supposed of u < x, of z, and of the heights g = f(u, z) and h = f(x, z).
GUARDS = (
    "u^z < x^z",
    "u^z > x^z",
    "u^z <= h",
    "u^z > g",
    "x^z <= h",
    "x^z > h",
    "g < h",
    "u >> i == x >> i",
    "u >> 1 == x >> 1",
    "u & (u-1) == 0",
    "x & (x-1) == 0",
)
#: What may then hold.
CONCLUSIONS = (
    "u^z <= g",
    "u^z < g",
    "u^z != g",
    "u^z > h",
    "x^z <= g",
    "x^z <= h",
    "x^z > h",
    "x^z != h",
    "t < u^z",
    "t <= x^z",
    "t > x^z",
    "g == h",
    "g^u^x <= g or g^u^x > h",
    "h^u^x <= g or h^u^x >= h",
    "g >> 1 == h >> 1",
    "g >> i-1 == h >> i-1",
    "g >> i == h >> i",
    "g >> i+1 == h >> i+1",
)
MOST_GUARDS = 2


@dataclass(frozen=True)
class Condition:
    """What holds for all z and u < x, with g = f(u, z) and h = f(x, z), and with the arguments of f exchanged.

    `i` is any of 1, 2, …; `t` is the least nim-sum v⊕z with v < x and f(v, z) = v⊕z, or x⊕w with w < z and f(x, w) = x⊕w: where
    cuts from high up in column (x, z) end on a position with nim-sum zero.
    """

    #: What is supposed, of `GUARDS`.
    where: tuple[str, ...]
    #: What then holds, one of `CONCLUSIONS`.
    such: str

    @property
    def size(self) -> int:
        """Number of nodes of its formulas."""
        return sum(nodes_in(parse(part)) for part in (*self.where, self.such))

    @property
    def guard(self) -> str:
        """The suppositions as one formula; empty if there are none."""
        return " and ".join(self.where)

    @property
    def names(self) -> frozenset[str]:
        """The names in it."""
        return frozenset().union(*(parse(part).names for part in (*self.where, self.such)))


@cache
def family() -> tuple[Condition, ...]:
    """Return the conditions that are searched, the shortest first.

    A conclusion is no supposition, and suppositions do not exclude one another.
    """
    conditions = []
    for such in CONCLUSIONS:
        for number in range(MOST_GUARDS + 1):
            for where in combinations(GUARDS, number):
                condition = Condition(where, such)
                exclusive = {"u^z < x^z", "u^z > x^z"}, {"x^z <= h", "x^z > h"}
                if such in where or any(pair <= set(where) for pair in exclusive):
                    continue
                if ("u >> i == x >> i" in where) == ("i" in parse(such).names):
                    conditions.append(condition)
    return tuple(sorted(conditions, key=lambda condition: condition.size))


def having(heights: Heights, conditions: Iterable[Condition]) -> Iterator[Truths]:
    """Yield for each condition which functions have it.

    Heights are int64 [functions, n_x, n_z], monotone, and at most `BLOCK` of them are meant to come together; what is yielded
    is bool [functions].
    """
    both = [_Pieces(f) for f in (heights, heights.transpose(0, 2, 1))]
    for condition in conditions:
        yield both[0].have(condition) & both[1].have(condition)


class _Pieces:
    """The truth of each part of conditions, for functions and points, each found once."""

    def __init__(self, heights: Heights) -> None:
        bits = max(*heights.shape[1:], int(heights.max(initial=0)) + 1).bit_length()
        self._plain = _environment(heights, np.zeros(1, np.int64))
        self._shifted = _environment(heights, np.arange(1, bits + 1))
        self._found: dict[tuple[str, bool], NDArray[np.bool_]] = {}

    def have(self, condition: Condition) -> Truths:
        """Return which functions have a condition in their first argument."""
        shifted = "i" in condition.names
        right = self._piece(condition.such, shifted).copy()
        for part in condition.where:
            right[~self._piece(part, shifted)] = True
        is_so: Truths = np.all(right, axis=1)
        return is_so

    def _piece(self, part: str, shifted: bool) -> NDArray[np.bool_]:
        if (part, shifted) not in self._found:
            env = self._shifted if shifted else self._plain
            values = parse(part).evaluate(env)
            self._found[part, shifted] = np.broadcast_to(values, env["g"].shape).astype(np.bool_)
        return self._found[part, shifted]


def _environment(heights: Heights, i: NDArray[np.int64]) -> Mapping[str, NDArray[np.int64]]:
    """Return the values of the names: one row for each function where they are heights, a column for each point."""
    xs, zs = (np.arange(n) for n in heights.shape[1:])
    u, x, z, i = (a.ravel() for a in np.meshgrid(xs, xs, zs, i, indexing="ij"))
    before = u < x
    u, x, z, i = u[before], x[before], z[before], i[before]
    g, h, t = heights[:, u, z], heights[:, x, z], _tops(heights)[:, x, z]
    return {"u": u, "x": x, "z": z, "i": i, "g": g, "h": h, "t": t}


def _tops(heights: Heights) -> Heights:
    """Return `t` for each column."""
    x, z = np.ogrid[tuple(slice(n) for n in heights.shape[1:])]
    own = np.where(heights == x ^ z, x ^ z, NO_TOP)
    tops = np.full(heights.shape, NO_TOP)
    tops[:, 1:] = np.minimum.accumulate(own, axis=1)[:, :-1]
    before = np.minimum.accumulate(own, axis=2)[:, :, :-1]
    tops[:, :, 1:] = np.minimum(tops[:, :, 1:], before)
    return tops
