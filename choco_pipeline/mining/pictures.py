"""P-positions as plane pictures, and linear equations over GF(2) on cells.

There is a picture for each value of a coordinate, or for each size of a bar. A rule between pictures is a solution of many equations
in few unknowns. Coefficients are packed eight to a byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Nim, WithPass
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.tables.cells import Cells, Points, Truths, select
from choco_pipeline.tables.spec import variable_of

Bits = NDArray[np.bool_]

#: Default side of pictures.
SIDE = 64
#: Four heaps of Nim are drawn as C(m, n) for all m and n up to this.
BOTH_SIDES = 16
#: Largest dimension of a nullspace whose elements are all tried for the sparsest solution.
LARGEST_NULLSPACE = 12


@dataclass(frozen=True)
class Stack:
    """Plane pictures of P-positions, indexed by one number or by two."""

    #: A ruleset, or a family of bars with the parameter m.
    ruleset: str
    #: Names of the picture's numbers, of the row and of the column.
    axes: tuple[str, ...]
    #: Numbers, row and column of the first cell.
    first: tuple[int, ...]
    #: Passes left in all of these positions, or None for a game without.
    passes: int | None
    #: Which cells are P-positions; bool, [number, …, row, column].
    cells: Bits
    #: Which cells are positions; bool, as `cells`.
    legal: Bits
    #: Whether no position lies beyond the ends of rows and columns; otherwise these positions are unknown.
    closed: bool

    @property
    def numbers(self) -> int:
        """The number of a picture's indices."""
        return self.cells.ndim - 2

    @property
    def source(self) -> dict[str, Any]:
        """The fields of a finding that name its pictures."""
        return {"ruleset": self.ruleset, "axes": tuple(self.axes), "passes": self.passes}

    @property
    def text(self) -> str:
        """The ruleset and the numbers of the pictures, in words."""
        spans = zip(self.axes[:-2], self.first, self.cells.shape, strict=False)
        numbers = (f"{name} = {first}, …, {first + length - 1}" for name, first, length in spans)
        left = "" if self.passes is None else f", {passes_left(self.passes)}"
        return f"{self.ruleset} by {' and '.join(numbers)}{left}"


def stacks(table: Cells, side: int = SIDE) -> Iterator[Stack]:
    """Yield the ways to cut P-positions into plane pictures, by passes left.

    Coordinates are below `side`, and bars have at most that side. Positions with three coordinates are cut along each of them. Four
    heaps of Nim are drawn as the bars C(m, m), by m, and as C(m, n), by m and n; for a rectangular bar up to its size. Grundy numbers
    of a step bar are drawn as P-positions of the bar with a strip. Other games have no pictures.
    """
    table = with_strip(table)
    game, rules, passes = table.game, table.game.base.rules, table.game.passes
    if rules.face is not None or (rules.is_nim and table.variable.name == "p_d"):
        largest = None if rules.face is None else min(max(rules.face.sizes.values()), side)
        heaps = four_heaps(passes, table if largest is None else largest - 1)
        size = min(heaps.shape[-1], side)
        yield from _bars(heaps, size, is_square=True)
        yield from _bars(heaps, min(size, BOTH_SIDES), is_square=False)
    elif len(game.base.coordinates) == 3:
        cells, legal = _box(table, side)
        seen: list[tuple[Bits, Bits]] = []
        for order in ((2, 0, 1), (1, 0, 2), (0, 2, 1)):
            cut = cells.transpose(0, *(1 + axis for axis in order))
            exists = legal.transpose(order)
            if any(np.array_equal(cut, c) and np.array_equal(exists, e) for c, e in seen):
                continue  # a game that is symmetric in two coordinates
            seen.append((cut, exists))
            last = int(np.flatnonzero(exists.any(axis=(1, 2)))[-1]) + 1
            axes = tuple(game.base.coordinates[axis] for axis in order)
            for left, pictures in zip(range(passes + 1) if passes else [None], cut, strict=True):
                cut_off = pictures[:last], exists[:last]
                yield Stack(game.notation, axes, (0,) * 3, left, *cut_off, closed=False)


def with_strip(cells: Cells) -> Cells:
    """Return Grundy numbers of a step bar as P-positions of the bar with a strip.

    Other tables are returned unchanged.
    """
    strip, passes = cells.game.base.with_strip, cells.game.passes
    if strip is None or cells.variable.name != "grundy":
        return cells
    game = WithPass(strip, passes) if passes else strip
    return replace(cells, game=game, variable=variable_of(game, "p-positions"))


def four_heaps(passes: int, table: Cells | int) -> NDArray[np.integer]:
    """Return the table [passes, a, b, c] → d of P-positions (a, b, c, d).

    `table` is a stored table of four heaps, or a bound to which one is computed.
    """
    if isinstance(table, int):
        game = WithPass(Nim(4), passes) if passes else Nim(4)
        table = Cells.computed(game, table, "p-positions")
    return table.array if passes else table.array[None]


def _box(cells: Cells, side: int) -> tuple[Bits, Bits]:
    """Return masks of the P-positions, by passes left, and of the positions."""
    names, passes = cells.game.base.coordinates, cells.game.passes
    lengths = dict(zip(cells.variable.dims, cells.shape, strict=True))
    sides = {name: min(lengths.get(name, cells.bound + 1), side) for name in names}

    def inside(points: Points) -> Truths:
        near = [points[name] < sides[name] for name in names if name in points]
        in_box: Truths = np.all(near, axis=0)
        return in_box

    is_p: Bits = np.zeros((passes + 1, *sides.values()), np.bool_)
    for points in cells.p_positions():
        near = select(points, inside(points))
        left = near[cells.game.coordinates[-1]] if passes else np.zeros_like(near[names[0]])
        is_p[(left, *(near[name] for name in names))] = True
    legal: Bits = np.zeros(tuple(sides.values()), np.bool_)
    stored = cells.variable.stored or ""
    inner = np.arange(sides.get(stored, 1))
    for block in cells.blocks():
        here = block.chosen(inside(block.points))
        at = {stored: inner} | {name: values[:, None] for name, values in here.points.items()}
        is_legal = True if here.tops is None else inner <= here.tops[:, None]
        legal[tuple(at[name] for name in names)] = is_legal
    return is_p, legal


def _bars(heaps: NDArray[np.integer], most: int, *, is_square: bool) -> Iterator[Stack]:
    """Yield the pictures of the bars C(m, m), or of all C(m, n), up to a side."""
    side, passes = np.arange(1, most + 1), len(heaps) - 1
    m, n = side[:, None, None], side[:, None, None]
    if not is_square:
        m = m[..., None]
    family = f"rectangular-bar(m=m, n={'m' if is_square else 'n'})"
    i, j = np.arange(most)[:, None], np.arange(most)
    legal = (i < m) & (j < n)
    below = np.maximum(m - 1 - i, 0)
    for p in range(passes + 1):
        yield Stack(
            f"with-pass({family}, passes={passes})" if passes else family,
            ("m", "i", "j") if is_square else ("m", "n", "i", "j"),
            (1,) * legal.ndim,
            p if passes else None,
            legal & (heaps[p][i, below, j] == n - 1 - j),
            legal,
            True,
        )


def window(cells: Bits, starts: Sequence[int], lengths: Sequence[int]) -> Bits:
    """Return a box of the cells; it is False beyond their ends."""
    sides = [*zip(starts, lengths, cells.shape, strict=True)]
    padded = np.pad(cells, [(max(0, -at), max(0, at + n - size)) for at, n, size in sides])
    return padded[tuple(slice(max(0, at), max(0, at) + n) for at, n, _ in sides)]


@dataclass(frozen=True)
class Solutions:
    """All solutions of a solvable system."""

    #: A solution; bool, shape (unknowns,).
    one: Bits
    #: A basis of the solutions with right-hand sides 0; bool, shape (dimension, unknowns).
    nullspace: Bits
    #: Number of different equations other than 0 = 0.
    equations: int

    @property
    def rank(self) -> int:
        """The number of independent equations."""
        return len(self.one) - len(self.nullspace)

    def sparsest(self, costs: NDArray[np.int64]) -> Bits:
        """Return the cheapest solution, or a local minimum in a large nullspace.

        Costs are positive; shape (unknowns,).
        """
        best = self.one
        if len(self.nullspace) <= LARGEST_NULLSPACE:
            number = np.arange(1 << len(self.nullspace))[:, None]
            chosen = (number >> np.arange(len(self.nullspace))) & 1
            every = best ^ ((chosen @ self.nullspace.astype(np.int64)) % 2 == 1)
            return np.asarray(every[int(np.argmin(every @ costs))])
        while True:
            others = best ^ self.nullspace
            cheapest = others[int(np.argmin(others @ costs))]
            if cheapest @ costs >= best @ costs:
                return best
            best = cheapest


def solve(coefficients: Bits, values: Bits) -> Solutions | None:
    """Return the solutions of linear equations over GF(2), or None.

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
