"""Options of all positions of a box at once, from the rules of the game.

A move first takes its amounts. Then each coordinate above its largest legal value falls to that value; `Box.fallen` stores the
result for each cell. A position has an option in a wanted set if and only if a cell below it, at a legal distance, falls to a
position of this set.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.formula.evaluate import narrowest
from choco_pipeline.games import Ruleset
from choco_pipeline.games.listing import heights_at
from choco_pipeline.games.rules import Move
from choco_pipeline.tables.cells import BLOCK, Ints, Truths, evaluate_at, holds_at, select

#: Largest number of coordinates that a move with limited amounts may lower; n of them cost n 2^n steps for each cell.
MOST_LIMITED = 6
#: The distance if there is no end; it exceeds every box.
FAR = 1 << 30


@dataclass(frozen=True)
class Box:
    """The positions of a game up to a bound, one axis for each coordinate."""

    #: `bound` also limits the heaps of a rectangular bar.
    game: Ruleset
    bound: int
    #: Whether a cell is a position.
    legal: Truths = field(repr=False)
    #: For each coordinate with a limit, a mask of the cells above the limit.
    above: Mapping[str, Truths] = field(repr=False)
    #: For each cell, the flat index of the cell in which all coordinates have fallen to their largest legal values.
    fallen: Ints = field(repr=False)
    #: Arguments and results of the last calls of `with_option`: many statements on one table repeat them.
    _calls: deque[tuple[Any, ...]] = field(default_factory=lambda: deque(maxlen=4), repr=False)

    @classmethod
    @lru_cache(maxsize=2)  # most statements on one table are checked on the same boxes
    def of(cls, game: Ruleset, bound: int) -> Box:
        """Return the box of `game` up to `bound`."""
        rules, shape = game.rules, box_sides(game, bound)
        grid = dict(zip(rules.coordinates, np.ogrid[tuple(map(slice, shape))], strict=True))
        low, above = dict(grid), {}
        for name, limit in rules.limits.items():
            heights = heights_at(limit, grid)
            low[name], above[name] = np.minimum(grid[name], heights), grid[name] > heights
        legal = ~_any(above.values(), shape)
        if rules.within is not None:
            legal &= np.asarray(rules.within.evaluate(grid), np.bool_)
        return cls(game, bound, legal, above, flat_index([*low.values()], shape).astype(np.intp))

    def where(self, formula: Formula) -> Truths:
        """Return a mask of the positions that satisfy a condition."""
        satisfied = np.zeros(self.legal.shape, np.bool_)
        for cells, points in self.positions:
            satisfied.reshape(-1)[cells] = holds_at(formula, points)
        return satisfied

    def with_option(
        self, wanted: Truths, by: Sequence[str] = (), falls: bool | None = None
    ) -> Truths:
        """Return a mask of the positions with an option among the `wanted` ones.

        With `by`, only moves that lower no other coordinates count. With `falls`, only options for which another coordinate falls
        to its largest legal value (True), or for which none does (False).
        """
        having: Truths
        for *before, having in self._calls:
            if before[1:] == [by, falls] and np.array_equal(before[0], wanted):
                return having
        having = np.zeros(self.legal.shape, np.bool_)
        both_ends = self._ends(wanted)
        for move in self.game.rules.moves:
            if set(move.lowers) <= set(by or move.lowers):
                ends = both_ends[move.clips]
                if falls is not None:
                    others = [self.above[name] for name in self.above if name not in move.lowers]
                    ends = ends & (_any(others, ends.shape) == falls)
                having |= self._from(move, ends)
        self._calls.append((wanted, by, falls, having))
        return having

    @cached_property
    def positions(self) -> Sequence[tuple[Ints, dict[str, Ints]]]:
        """The positions in blocks: their indices in a flat array, and coordinates."""
        return [*blocks_of(self.legal, self.game.coordinates)]

    def _ends(self, wanted: Truths) -> tuple[Truths, Truths]:
        """Return the ends of moves to wanted positions: without clipping, and with."""
        return wanted & self.legal, wanted.take(self.fallen, mode="clip")

    def _from(self, move: Move, ends: Truths) -> Truths:
        """Return a mask of the positions from which a move leads to a cell of `ends`."""
        starts = np.zeros_like(ends)
        axes = [self.game.coordinates.index(name) for name in move.lowers]
        most = self._most(move)
        if isinstance(move.by, tuple):
            for amount in move.by:
                starts |= _shifted(ends, dict.fromkeys(axes, amount)) & (most >= amount)
        elif move.by == "same" and len(axes) > 1:
            starts = _nearest(ends, axes) <= most
        else:
            below = _below if move.at_most is None else partial(_little_below, most=most)
            for strict in [axes] if move.by == "each" else [[axis] for axis in axes]:
                starts |= below(ends, axes, strict)
        if move.unless is not None:
            starts &= ~self.where(move.unless)
        if move.needs:
            lands = self._ends(self.legal)
            ways = [self._from(m, lands[m.clips]) for m in move.needs]
            starts &= _any(ways, starts.shape)
        return starts

    def _most(self, move: Move) -> Ints:
        """Return the largest amount of a move at each cell, arbitrary if not allowed."""
        largest = max(self.legal.shape)
        if move.at_most is None:
            return np.array(largest)
        amounts = np.zeros(self.legal.shape, np.int64)
        for cells, points in self.positions:
            if move.unless is not None:
                goes_on = ~holds_at(move.unless, points)
                cells, points = cells[goes_on], select(points, goes_on)
            amounts.reshape(-1)[cells] = evaluate_at(move.at_most, points).clip(0, largest)
        return amounts


def box_sides(game: Ruleset, bound: int) -> tuple[int, ...]:
    """Return the sides of a box; the bound also limits fixed heaps."""
    rules = game.rules
    passes = {name for move in rules.moves if move.needs for name in move.lowers}
    limited = {name for name, limit in rules.limits.items() if not limit.of} - passes
    limits = zip(rules.coordinates, game.limits(bound), strict=True)
    return tuple((min(most, bound) if name in limited else most) + 1 for name, most in limits)


def flat_index(columns: Sequence[Ints], sides: Sequence[int]) -> Ints:
    """Return the indices of cells in a flat array; any integers for points outside."""
    index = np.zeros((), np.int32 if math.prod(sides) < 1 << 31 else np.int64)
    for column, side in zip(columns, sides, strict=True):
        index = index * side + column.astype(index.dtype, copy=False)
    return index


def blocks_of(mask: Truths, names: Sequence[str]) -> Iterator[tuple[Ints, dict[str, Ints]]]:
    """Yield the cells of a mask in blocks: indices in a flat array, and coordinates.

    Coordinates have the narrowest dtype, so that their range is known without a look at them.
    """
    flat = mask.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        cells = np.flatnonzero(flat[start : start + BLOCK]) + start
        rest, points = cells.astype(narrowest(-flat.size - 1, 0)), dict[str, Ints]()
        for name, side in zip(reversed(names), reversed(mask.shape), strict=True):
            before = rest // side
            points[name] = (rest - before * side).astype(narrowest(0, side))
            rest = before
        if cells.size:
            yield cells, {name: points[name] for name in names}


def _any(several: Iterable[Truths], shape: Sequence[int]) -> Truths:
    """Return the union of masks, each broadcast to the shape."""
    anywhere = np.zeros(shape, np.bool_)
    for truths in several:
        anywhere |= truths
    return anywhere


def _shifted(cells: Truths, by: Mapping[int, int]) -> Truths:
    """Return a mask that is shifted up along some axes and filled with False."""
    shifted = np.zeros_like(cells)
    if all(amount < cells.shape[axis] for axis, amount in by.items()):
        to = tuple(slice(by.get(axis, 0), None) for axis in range(cells.ndim))
        of = tuple(slice(n - by.get(axis, 0)) for axis, n in enumerate(cells.shape))
        shifted[to] = cells[of]
    return shifted


def _nearest(ends: Truths, axes: Sequence[int]) -> Ints:
    """Return the distance to the nearest of `ends` down the common diagonal.

    Distances are at least 1; without such an end they are at least `FAR`.
    """
    first, *rest = axes
    distances = np.full(ends.shape, FAR, np.int64)
    steps, here = np.moveaxis(distances, first, 0), np.moveaxis(ends, first, 0)
    moved = [axis - (axis > first) for axis in rest]
    to, of = (
        tuple(side if axis in moved else slice(None) for axis in range(ends.ndim - 1))
        for side in (slice(1, None), slice(-1))
    )
    for i in range(1, len(steps)):
        steps[i][to] = np.where(here[i - 1], 1, steps[i - 1] + 1)[of]
    return distances


def _below(ends: Truths, axes: Sequence[int], strict: Collection[int]) -> Truths:
    """Return a mask of the cells from which a path down `axes` leads to `ends`.

    The path has at least one step along each axis in `strict`.
    """
    below = ends
    for axis in axes:
        reached = _running(below, axis)
        below = _shifted(reached, {axis: 1}) if axis in strict else reached
    return below


def _running(cells: Truths, axis: int) -> Truths:
    """Compute `numpy.logical_or.accumulate`, ten times faster."""
    if axis == cells.ndim - 1:
        running: Truths = np.maximum.accumulate(cells.view(np.uint8), axis=axis).view(np.bool_)
        return running
    running = cells.copy()
    slices = np.moveaxis(running, axis, 0)
    for before, here in pairwise(slices):
        here |= before
    return running


def _little_below(ends: Truths, axes: Sequence[int], strict: Collection[int], most: Ints) -> Truths:
    """Return the result of `_below` for moves of at most `most` steps on each axis.

    Cumulative sums count the `ends` in the box of possible steps.
    """
    if len(axes) > MOST_LIMITED:
        raise LimitError(
            f"a move takes a limited amount from each of {len(axes)} coordinates:"
            f" the options of many positions at once are found for at most {MOST_LIMITED}"
        )
    sums = np.pad(ends.astype(np.int32), [(int(axis in axes), 0) for axis in range(ends.ndim)])
    for axis in axes:
        sums.cumsum(axis=axis, out=sums)
    grid = np.ogrid[tuple(map(slice, ends.shape))]
    number = np.zeros(ends.shape, np.int32)
    for corner in product((0, 1), repeat=len(axes)):
        at = list(grid)
        for axis, is_low in zip(axes, corner, strict=True):
            end = grid[axis] + (axis not in strict)
            at[axis] = np.maximum(grid[axis] - most, 0) if is_low else end
        number += (-1) ** sum(corner) * sums[tuple(at)]
    below: Truths = number > 0
    return below
