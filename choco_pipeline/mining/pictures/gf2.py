"""Linear equations over GF(2): many equations in few unknowns, packed eight to a byte."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]

#: Of a nullspace up to this dimension every element is looked at for the sparsest solution.
LARGEST_NULLSPACE = 12


@dataclass(frozen=True)
class Solutions:
    """All solutions of a solvable system."""

    #: A solution; bool, shape (unknowns,).
    one: Bits
    #: A basis of the solutions with right-hand sides 0; bool, shape (dimension, unknowns).
    nullspace: Bits
    #: How many different equations there were, other than 0 = 0.
    equations: int

    @property
    def rank(self) -> int:
        """How many of the equations are independent."""
        return len(self.one) - len(self.nullspace)

    def sparsest(self, costs: NDArray[np.int64]) -> Bits:
        """Return the solution whose ones cost least, or one that no single vector of the basis makes cheaper.

        Costs are positive; shape (unknowns,).
        """
        best = self.one
        if len(self.nullspace) <= LARGEST_NULLSPACE:
            number = np.arange(1 << len(self.nullspace))[:, None]
            chosen = (number >> np.arange(len(self.nullspace))) & 1
            every = best ^ ((chosen @ self.nullspace.astype(np.int64)) % 2 == 1)
            return np.asarray(every[int(np.argmin(every @ costs))])
        cheaper = True
        while cheaper:
            others = best ^ self.nullspace
            least = int(np.argmin(others @ costs))
            cheaper = bool(others[least] @ costs < best @ costs)
            if cheaper:
                best = others[least]
        return best


def solve(coefficients: Bits, values: Bits) -> Solutions | None:
    """Return the solutions of linear equations over GF(2), or None if there are none.

    Coefficients have shape (equations, unknowns), right-hand sides (equations,).

    Examples
    --------
    >>> solve(np.array([[1, 1], [0, 1]], bool), np.array([1, 1], bool)).one
    array([False,  True])
    >>> solve(np.array([[1, 1], [1, 1]], bool), np.array([1, 0], bool)) is None
    True
    """
    unknowns = coefficients.shape[1]
    packed = np.packbits(np.column_stack([coefficients, values]), axis=1)
    rows = np.unique(packed.view(f"V{packed.shape[1]}").ravel()).view(np.uint8)
    rows = rows.reshape(-1, packed.shape[1])
    rows = rows[rows.any(axis=1)].copy()
    equations = len(rows)
    pivots: list[int] = []
    for unknown in range(unknowns + 1):
        byte, bit = unknown >> 3, np.uint8(0x80 >> (unknown & 7))
        has = (rows[:, byte] & bit) != 0
        below = np.flatnonzero(has[len(pivots) :])
        if not below.size:
            continue
        if unknown == unknowns:
            return None
        here, there = len(pivots), len(pivots) + int(below[0])
        rows[[here, there]] = rows[[there, here]]
        has[[here, there]] = has[[there, here]]
        has[here] = False
        rows[has] ^= rows[here]
        pivots.append(unknown)
    reduced = np.unpackbits(rows[: len(pivots)], axis=1)[:, : unknowns + 1].astype(np.bool_)
    solution: Bits = np.zeros(unknowns, np.bool_)
    solution[pivots] = reduced[:, unknowns]
    free = np.setdiff1d(np.arange(unknowns), pivots)
    nullspace: Bits = np.zeros((len(free), unknowns), np.bool_)
    nullspace[np.arange(len(free)), free] = True
    nullspace[:, pivots] = reduced[:, free].T
    return Solutions(solution, nullspace, equations)
