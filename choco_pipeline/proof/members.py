"""Who is in a relation, from tables in memory: P-positions, and Grundy numbers with their positions."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.residuals import Graph, Member, Points
from choco_pipeline.errors import LimitError
from choco_pipeline.games import DisjunctiveSum, Nim, Ruleset, StripBar
from choco_pipeline.tables.compute import grundy_cells, p_cells
from choco_pipeline.tables.cost import cost_of, in_bytes
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.schema import NONE, Quantity, variable_of

Relation = Literal["p", "grundy"]
Function = Callable[[Points], Points]

#: A table that takes longer, or more memory, is not worth a guess.
MOST_SECONDS = 10.0
MOST_MEMORY = 2 << 30


def members(ruleset: Ruleset, relation: Relation, depth: int) -> tuple[Member, ...]:
    """Return membership of a game's relation, for positions below 2**depth, one for each number of passes left.

    Parameters
    ----------
    ruleset
        The game, with passes or without.
    relation
        ``p``: the P-positions, points in the order of the ruleset's coordinates without passes. ``grundy``: the same
        followed by the Grundy number.
    depth
        Binary digits of the largest coordinate.

    Returns
    -------
    tuple of callables
        For no pass left, one pass left and so on: from points, int64 of shape (n, d), to bool of shape (n,). A `Graph`
        where the relation determines one coordinate by the others; that coordinate may exceed 2**depth.

    Raises
    ------
    LimitError
        If the tables take more than `MOST_SECONDS` or `MOST_MEMORY`.
    ValueError
        By the callables, if a point exceeds 2**depth.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> (is_p,) = members(StripBar(k=4, s=2), "p", depth=4)
    >>> is_p(np.array([[9, 2, 7], [9, 2, 6]])).tolist()
    [True, False]
    """
    bound = (1 << depth) - 1
    for game, quantity in _tables(ruleset, relation):
        cost = cost_of(game, bound, quantity)
        if cost.seconds > MOST_SECONDS or cost.memory > min(MOST_MEMORY, worker_memory(1)):
            raise LimitError(
                f"{game.notation}: its {quantity} table to {depth} binary digits takes {cost.seconds:.0f} s and"
                f" {in_bytes(cost.memory)}, more than a guess is worth"
            )
    base = ruleset.base
    d = len(base.coordinates)
    if relation == "grundy":
        return tuple(Graph(value, d) for value in _grundy(ruleset, bound))
    stored = variable_of(ruleset, "p-positions").stored
    if stored is None:
        return tuple(_zeros(value) for value in _grundy(ruleset, bound))
    axis = base.coordinates.index(stored)
    if _is_nim(ruleset):
        return (Graph(_nim_sum, axis),)
    cells = p_cells(ruleset, bound)
    return tuple(Graph(_look_up(layer, bound), axis) for layer in _layers(ruleset, cells))


def deepest(ruleset: Ruleset, relation: Relation, most: int) -> int:
    """Return the largest depth, at most `most`, at which `members` is not refused; 0 if there is none."""
    for depth in range(most, 0, -1):
        costs = [cost_of(g, (1 << depth) - 1, q) for g, q in _tables(ruleset, relation)]
        memory = min(MOST_MEMORY, worker_memory(1))
        if all(cost.seconds <= MOST_SECONDS and cost.memory <= memory for cost in costs):
            return depth
    return 0


def _tables(ruleset: Ruleset, relation: Relation) -> list[tuple[Ruleset, Quantity]]:
    """Return the tables that the relation is read from: the smallest ones that determine it."""
    base, passes = ruleset.base, ruleset.passes
    if _is_nim(ruleset):
        return []
    if relation == "p" and variable_of(ruleset, "p-positions").stored is not None:
        return [(ruleset, "p-positions")]
    match base:
        case StripBar() if passes == 0:
            return _tables(base.bar, "grundy")
        case DisjunctiveSum(a, b) if passes == 0:
            return [*_tables(a, "grundy"), *_tables(b, "grundy")]
        case _:
            return [(ruleset, "grundy")]


def _grundy(ruleset: Ruleset, bound: int) -> tuple[Function, ...]:
    """Return the Grundy numbers for each number of passes left; of sums without passes from their parts."""
    base, passes = ruleset.base, ruleset.passes
    match base:
        case Nim() if passes == 0:
            return (_nim_sum,)
        case StripBar() if passes == 0:
            return (_sum(1, _nim_sum, *_grundy(base.bar, bound)),)
        case DisjunctiveSum(a, b) if passes == 0:
            # with passes in a part, the part's last coordinate says how many are left
            first, second = _stacked(a, bound), _stacked(b, bound)
            return (_sum(len(a.coordinates), first, second),)
        case _:
            cells = grundy_cells(ruleset, bound)
            return tuple(_look_up(layer, bound) for layer in _layers(ruleset, cells))


def _stacked(ruleset: Ruleset, bound: int) -> Function:
    layers = _grundy(ruleset, bound)
    if ruleset.base is ruleset:
        return layers[0]

    def value(points: Points) -> Points:
        cases = [
            np.where(points[:, -1] == p, f(points[:, :-1]), NONE) for p, f in enumerate(layers)
        ]
        return cast(Points, reduce(np.maximum, cases))

    return value


def _sum(split: int, first: Function, second: Function) -> Function:
    """Return the nim-sum of two games' Grundy numbers, the first's coordinates before the second's."""

    def value(points: Points) -> Points:
        a, b = first(points[:, :split]), second(points[:, split:])
        return np.where((a == NONE) | (b == NONE), NONE, a ^ b)

    return value


def _look_up(cells: NDArray[np.integer], bound: int) -> Function:
    """Return the table as a function; outside of its shape, but within the bound, there is no position."""
    beside = np.array(cells.shape, dtype=np.int64)

    def value(points: Points) -> Points:
        if points.size and int(points.max()) > bound:
            raise ValueError(f"a table to {bound} is asked about {points.max()}")
        inside = (points < beside).all(axis=1)
        if inside.all():
            return (
                cells[tuple(points.T)].astype(np.int64) if cells.ndim else _repeated(cells, points)
            )
        found = np.full(len(points), NONE, np.int64)
        found[inside] = cells[tuple(points[inside].T)]
        return found

    return value


def _repeated(cell: NDArray[np.integer], points: Points) -> Points:
    return np.full(len(points), int(cell), np.int64)


def _layers(ruleset: Ruleset, cells: NDArray[np.integer]) -> list[NDArray[np.integer]]:
    return [cells] if ruleset.base is ruleset else list(cells)


def _zeros(value: Function) -> Member:
    return lambda points: value(points) == 0


def _nim_sum(points: Points) -> Points:
    return cast(Points, np.bitwise_xor.reduce(points, axis=1))


def _is_nim(ruleset: Ruleset) -> bool:
    return isinstance(ruleset, Nim)
