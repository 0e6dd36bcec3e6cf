"""Membership of a game's relation by tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.residuals import Graph, Member, Points
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.tables.block_kernels import TableKernel
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.cells import holds_at
from choco_pipeline.tables.computing import (
    Computation,
    computation_of,
    in_bytes,
)
from choco_pipeline.tables.grundy_kernels import grundy_kernel
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import NONE, Quantity, variable_of

Relation = Literal["p", "grundy"]
Function = Callable[[Points], Points]
#: What a table of a relation holds.
QUANTITIES: Mapping[Relation, Quantity] = {"p": "p-positions", "grundy": "grundy"}

#: A table that takes longer, or more memory, is not worth a guess.
MOST_SECONDS = 10.0
MOST_MEMORY = 2 << 30


def members(ruleset: Ruleset, relation: Relation, depth: int) -> tuple[Member, ...]:
    """Return membership of a game's relation, for positions below 2**depth, one for each number of passes left.

    Each callable takes points, int64 of shape (n, d), and returns bool of shape (n,). A point has the coordinates without passes,
    and for ``grundy`` the Grundy number. A callable is a `Graph` where one coordinate is determined by the others; that coordinate
    may exceed 2**depth. Raises `LimitError` if the tables take more than `MOST_SECONDS` or `MOST_MEMORY`; a callable raises
    `ValueError` if a point exceeds 2**depth.

    Examples
    --------
    >>> from choco_pipeline import StripBar
    >>> (is_p,) = members(StripBar(k=4, s=2), "p", depth=4)
    >>> is_p(np.array([[9, 2, 7], [9, 2, 6]])).tolist()
    [True, False]
    """
    bound = (1 << depth) - 1
    for table in _tables(ruleset, relation, bound):
        if not _is_worth_it(table):
            raise LimitError(
                f"{ruleset.notation}: its {QUANTITIES[relation]} table to {depth} binary digits takes"
                f" {table.seconds:.0f} s and {in_bytes(table.memory)}, more than a guess is worth"
            )
    game = BoundedGame.of(ruleset, bound)
    names = game.rules.coordinates
    stored = variable_of(ruleset, "p-positions").stored
    if relation == "grundy":
        return tuple(Graph(value, len(names)) for value in _grundy(game, bound))
    if stored is None:
        return tuple(map(_zeros, _grundy(game, bound)))
    axis = names.index(stored)
    if stored == game.rules.free:  # which is as large as the rest's Grundy number
        return tuple(Graph(value, axis) for value in _grundy(game.without(stored), bound))
    cells = computation_of(ruleset, bound, "p-positions").cells()
    layers = cells if game.passes else [cells]
    return tuple(Graph(_look_up(layer, bound), axis) for layer in layers)


def deepest(ruleset: Ruleset, relation: Relation, most: int) -> int:
    """Return the largest depth, at most `most`, at which `members` is not refused; 0 if there is none."""
    for depth in range(most, 0, -1):
        if all(map(_is_worth_it, _tables(ruleset, relation, (1 << depth) - 1))):
            return depth
    return 0


def _is_worth_it(table: Computation) -> bool:
    most = min(MOST_MEMORY, worker_memory(1))
    return table.seconds <= MOST_SECONDS and table.memory <= most


def _tables(ruleset: Ruleset, relation: Relation, bound: int) -> list[Computation]:
    """Return the smallest tables that determine the relation."""
    game, free = BoundedGame.of(ruleset, bound), ruleset.base.rules.free
    if relation == "p":
        if free is not None:
            game = game.without(free)
        elif variable_of(ruleset, "p-positions").stored is not None:
            return [computation_of(ruleset, bound, "p-positions")]
    return [Computation(kernel, kernel.names, 1) for kernel in _kernels(game)]


def _kernels(game: BoundedGame) -> list[TableKernel]:
    """Return the kernels of a game's components except heaps; one with passes."""
    if game.passes:
        return [grundy_kernel(game)]
    return [grundy_kernel(component) for component in game.without(*game.heaps).components]


def _grundy(game: BoundedGame, bound: int) -> list[Function]:
    """Return the Grundy numbers for each number of passes left."""
    rules = game.rules
    if game.passes:
        cells = grundy_kernel(game).cells(game.names)
        return [_look_up(layer, bound) for layer in cells]
    tables = [
        ([rules.coordinates.index(name) for name in kernel.names], kernel.cells(kernel.names))
        for kernel in _kernels(game)
    ]
    heaps = [rules.coordinates.index(name) for name in game.heaps]
    largest = [game.sizes[name] - 1 if name in rules.limits else None for name in game.heaps]

    def value(points: Points) -> Points:
        total = np.bitwise_xor.reduce(points[:, heaps], axis=1)
        is_position = np.ones(len(points), bool)
        for heap, most in zip(heaps, largest, strict=True):
            if most is not None:
                is_position &= points[:, heap] <= most
        for columns, cells in tables:
            numbers = _look_up(cells, bound)(points[:, columns])
            is_position &= numbers != NONE
            total ^= numbers
        if rules.within is not None:
            is_position &= holds_at(
                rules.within, dict(zip(rules.coordinates, points.T, strict=True))
            )
        return np.where(is_position, total, NONE)

    return [value]


def _look_up(cells: NDArray[np.integer], bound: int) -> Function:
    """Return a table as a function; points outside of its shape are no positions."""

    def value(points: Points) -> Points:
        # Along rows of two or three numbers, maxima and comparisons would take ten times as long.
        columns = tuple(points.T)
        largest = [int(column.max(initial=0)) for column in columns]
        if max(largest, default=0) > bound:
            raise ValueError(f"a table to {bound} is asked about {max(largest)}")
        if not cells.ndim:
            return np.full(len(points), int(cells), np.int64)
        outside = [i for i, size in enumerate(cells.shape) if largest[i] >= size]
        if not outside:
            return np.asarray(cells[columns], np.int64)
        inside = reduce(np.logical_and, (columns[i] < cells.shape[i] for i in outside))
        values = np.full(len(points), NONE, np.int64)
        values[inside] = cells[tuple(column[inside] for column in columns)]
        return values

    return value


def _zeros(value: Function) -> Member:
    return lambda points: value(points) == 0
