"""Checking statements on options by the description of the game, for all positions of a box at once.

A move first takes its amounts, and then what stands above its largest legal value falls to it. Where everything falls to is
an array of its own (`Box.fallen`). So which positions have an option among some wanted ones is a question on amounts alone:
is there a cell so far below from which a wanted position is fallen to?
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise, product

import numpy as np

from choco_pipeline.claims.kinds import Options
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.games.rules import Limit, Move
from choco_pipeline.tables.reading.cells import BLOCK, Ints, Truths, evaluate_at, holds_at, select

#: The largest box of positions that is looked at: some ten megabytes, some tenths of a second.
MOST_CELLS = 1 << 20
#: A move that takes a limited amount from each of so many coordinates is looked at: with n of them, n 2^n times the box.
MOST_LIMITED = 6
#: Steps to where there is nothing; more than any box has.
FAR = 1 << 30


@dataclass(frozen=True)
class Box:
    """The positions of a game within a bound, as arrays with an axis for each coordinate."""

    #: Of which ruleset, and how far; here a bound limits the heaps of a rectangular bar, too.
    game: Ruleset
    bound: int
    #: Cells at which a formula is evaluated together.
    block: int
    #: Whether a cell is a position.
    legal: Truths = field(repr=False)
    #: For each coordinate with a largest legal value, whether it is above that.
    above: Mapping[str, Truths] = field(repr=False)
    #: For each cell, the index, in a flat array, of where it is when all that is above its largest value has fallen to it.
    fallen: Ints = field(repr=False)

    @classmethod
    @lru_cache(maxsize=1)  # most statements on one table are checked on the same box
    def of(cls, game: Ruleset, bound: int, block: int = BLOCK) -> Box:
        """Return the box of `game` up to `bound`."""
        rules, shape = game.rules, _shape(game, bound)
        grid = dict(zip(rules.coordinates, np.ogrid[tuple(map(slice, shape))], strict=True))
        low, above = dict(grid), {}
        for name, limit in rules.limits.items():
            heights = _heights(limit, rules.coordinates, shape)
            low[name], above[name] = np.minimum(grid[name], heights), grid[name] > heights
        legal = ~_any(above.values(), shape)
        if rules.within is not None:
            legal &= np.asarray(rules.within.evaluate(grid), np.bool_)
        fallen = np.zeros((), np.int64)
        for at, side in zip(low.values(), shape, strict=True):
            fallen = fallen * side + at
        return cls(game, bound, block, legal, above, fallen)

    def where(self, formula: Formula) -> Truths:
        """Return at which positions a condition holds."""
        grid = np.ogrid[tuple(map(slice, self.legal.shape))]
        try:
            at_cells = formula.evaluate(dict(zip(self.game.coordinates, grid, strict=True)))
        except FormulaError:  # perhaps only where there is no position
            satisfied = np.zeros(self.legal.shape, np.bool_)
            for cells, points in self._points():
                satisfied.reshape(-1)[cells] = holds_at(formula, points)
            return satisfied
        return self.legal & np.asarray(at_cells, np.bool_)

    def with_option(self, check: Options, wanted: Truths) -> Truths:
        """Return which positions have an option of those that `check` counts among the `wanted` positions."""
        having = np.zeros(self.legal.shape, np.bool_)
        for move in self.game.rules.moves:
            if not _is_by(check, move):
                continue
            ends = self._ends(move, wanted)
            if check.beside is not None:
                others = [self.above[name] for name in self.above if name not in move.lowers]
                lowered = _any(others, ends.shape)
                ends = ends & (lowered if check.beside == "lowered" else ~lowered)
            having |= self._from(move, ends)
        return having

    def least(self, chosen: Truths) -> Position:
        """Return the least of some positions: by its largest coordinate, passes not counted, then by its coordinates."""
        heaps = len(self.game.base.coordinates)
        flat, candidates = chosen.reshape(-1), []
        for start in range(0, flat.size, self.block):
            index = np.unravel_index(
                np.flatnonzero(flat[start : start + self.block]) + start, chosen.shape
            )
            rows = np.stack(index, axis=1)
            if rows.size:
                sizes = rows[:, :heaps].max(axis=1)
                first = int(sizes.argmin())
                candidates.append((int(sizes[first]), tuple(rows[first].tolist())))
        return min(candidates)[1]

    def _points(self) -> Iterator[tuple[Ints, dict[str, Ints]]]:
        """Yield the positions, block by block: where they are in a flat array, and their coordinates."""
        for start in range(0, self.legal.size, self.block):
            cells = np.flatnonzero(self.legal.reshape(-1)[start : start + self.block]) + start
            if cells.size:
                index = np.unravel_index(cells, self.legal.shape)
                yield cells, dict(zip(self.game.coordinates, index, strict=True))

    def _ends(self, move: Move, wanted: Truths) -> Truths:
        """Return the cells from which a wanted position is fallen to, if that is allowed."""
        return wanted.reshape(-1)[self.fallen] if move.clips else wanted & self.legal

    def _from(self, move: Move, ends: Truths) -> Truths:
        """Return the positions from which a kind of move leads to one of the cells `ends`."""
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
            ways = [self._from(m, self._ends(m, self.legal)) for m in move.needs]
            starts &= _any(ways, starts.shape)
        return starts

    def _most(self, move: Move) -> Ints:
        """Return the most that a kind of move takes from a coordinate, where play goes on; of other cells anything."""
        largest = max(self.legal.shape)
        if move.at_most is None:
            return np.array(largest)
        amounts = np.zeros(self.legal.shape, np.int64)
        for cells, points in self._points():
            if move.unless is not None:
                goes_on = ~holds_at(move.unless, points)
                cells, points = cells[goes_on], select(points, goes_on)
            amounts.reshape(-1)[cells] = evaluate_at(move.at_most, points).clip(0, largest)
        return amounts


def find_options(check: Options, case: ClaimCase) -> Finding:
    """Return whether no, some or every option of each position is as a statement says.

    The table is not read: options follow from the definition. The bound is the table's, or the largest whose box has at
    most `MOST_CELLS` cells; the verdict states it. All positions of a rectangular bar are looked at if they are so few. Raises
    `LimitError` if even the box up to bound 0 is too large; `FormulaError` if a condition has no value at some position.
    """
    game = case.cells.game
    most = max(game.base.limits()) if case.cells.is_whole else case.bound
    bound = largest_bound(
        game, most, lambda bound: math.prod(_shape(game, bound)), MOST_CELLS, "cells"
    )
    box = Box.of(game, bound, case.block)
    of, to = (formula.substitute(case.environment) for formula in (check.of, check.to))
    chosen, wanted = box.where(of), box.where(to)
    against = box.legal & ~wanted if check.have == "every" else wanted
    having = box.with_option(check, against)
    if case.reach is not None:
        heaps = len(game.base.coordinates)
        beyond = np.ones_like(chosen)
        beyond[(slice(max(case.reach, -1) + 1),) * heaps] = False
        chosen = chosen & ~beyond
    wrong = chosen & (~having if check.have == "some" else having)
    settled, failures = int(chosen.sum()), int(wrong.sum())
    is_complete = case.is_complete and bound == most
    if not (chosen & box.with_option(check, box.legal) if check.have == "every" else chosen).any():
        nothing = f"is one that it speaks of{' and has an option' + check.which if settled else ''}"
        if is_complete:
            return Finding(Vacuous(f"no position {nothing}"))
        return Finding(Undecided(f"no position up to bound {bound:,} {nothing}"))
    evidence = {} if bound == most else {"bound": bound}
    if failures:
        position = box.least(wrong)
        counterexample = Counterexample(
            contradiction_at(check, game, to, position),
            case.claim.summary,
            position,
            game.coordinates,
        )
        return Finding(Refuted(counterexample, settled), {"failures": failures, **evidence})
    if is_complete:
        return Finding(Exhausted(settled))
    return Finding(HoldsToBound(settled, bound), evidence)


def counts(check: Options, move: Move, fallen: Collection[str]) -> bool:
    """Whether a statement counts options of a kind of move with which these coordinates fall.

    By some coordinates are the moves that lower none but these; what falls with them to its largest legal value is beside.
    """
    beside = "kept" if set(fallen) <= set(move.lowers) else "lowered"
    return _is_by(check, move) and check.beside in (None, beside)


def contradiction_at(check: Options, game: Ruleset, to: Formula, position: Position) -> str:
    """Return what the definition says of the options of one position that contradicts the statement."""
    names = game.coordinates
    counted = {
        option
        for move in game.rules.moves
        for option in game.rules.options_by(move, position)
        if counts(check, move, _changed(names, position, option))
    }
    options = [option for option in dict.fromkeys(game.options(position)) if option in counted]
    if not options:
        return f"it has no option{check.which}"
    if check.have == "some":
        return f"none of its {len(options):,} options{check.which} has {math_text(check.to)}"
    wanted = check.have == "no"
    option = next(q for q in options if to.value(dict(zip(names, q, strict=True))) == wanted)
    return f"its option {option} {'has' if wanted else 'has not'} {math_text(check.to)}"


def _is_by(check: Options, move: Move) -> bool:
    return set(move.lowers) <= set(check.by or move.lowers)


def _changed(
    names: Sequence[str], position: Sequence[object], option: Sequence[object]
) -> list[str]:
    return [name for name, a, b in zip(names, position, option, strict=True) if a != b]


def _shape(game: Ruleset, bound: int) -> tuple[int, ...]:
    """Return how many values of each coordinate are looked at: of heaps with a fixed limit, too, up to the bound."""
    rules = game.rules
    passes = {name for move in rules.moves if move.needs for name in move.lowers}
    limited = {name for name, limit in rules.limits.items() if not limit.of} - passes
    limits = zip(rules.coordinates, game.limits(bound), strict=True)
    return tuple((min(most, bound) if name in limited else most) + 1 for name, most in limits)


def _heights(limit: Limit, names: Sequence[str], shape: Sequence[int]) -> Ints:
    """Return the largest legal value of a coordinate, as an array that broadcasts against the box."""
    axes = [names.index(name) for name in limit.of]
    heights = limit.height.table(*(shape[axis] for axis in axes))
    others = [axis for axis in range(len(shape)) if axis not in axes]
    expanded: Ints = np.expand_dims(heights.transpose(np.argsort(axes)), tuple(others)).astype(
        np.int64
    )
    return expanded


def largest_bound(
    game: Ruleset, most: int, size: Callable[[int], int], largest: int, what: str
) -> int:
    """Return the largest bound up to `most` whose box has no more than the `largest` size, `what` in words.

    Raises `LimitError` if that of bound 0 has more.
    """
    bound = bisect_right(range(most + 1), largest, key=size) - 1
    if bound < 0:
        raise LimitError(
            f"{game.notation}: up to bound 0 its box has {size(0):,} {what}, at most {largest:,} are looked at"
        )
    return bound


def _any(several: Iterable[Truths], shape: Sequence[int]) -> Truths:
    """Return where any of several arrays is true, each of which broadcasts to a shape."""
    anywhere = np.zeros(shape, np.bool_)
    for truths in several:
        anywhere |= truths
    return anywhere


def _shifted(cells: Truths, by: Mapping[int, int]) -> Truths:
    """Return what stands so many cells below along some axes, False where there is nothing."""
    shifted = np.zeros_like(cells)
    if all(amount < cells.shape[axis] for axis, amount in by.items()):
        to = tuple(slice(by.get(axis, 0), None) for axis in range(cells.ndim))
        of = tuple(slice(n - by.get(axis, 0)) for axis, n in enumerate(cells.shape))
        shifted[to] = cells[of]
    return shifted


def _nearest(ends: Truths, axes: Sequence[int]) -> Ints:
    """Return how many steps down along all of some axes at once the nearest of `ends` is, from 1 on; very many for none."""
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
    """Return from where some of `ends` can be reached by going down along some axes: along `strict` by at least one."""
    below = ends
    for axis in axes:
        reached = _running(below, axis)
        below = _shifted(reached, {axis: 1}) if axis in strict else reached
    return below


def _running(cells: Truths, axis: int) -> Truths:
    """Return whether any cell up to here along an axis is true: `numpy.logical_or.accumulate`, in a tenth of its time."""
    if axis == cells.ndim - 1:
        running: Truths = np.maximum.accumulate(cells.view(np.uint8), axis=axis).view(np.bool_)
        return running
    running = cells.copy()
    slices = np.moveaxis(running, axis, 0)
    for before, here in pairwise(slices):
        here |= before
    return running


def _little_below(ends: Truths, axes: Sequence[int], strict: Collection[int], most: Ints) -> Truths:
    """Return the same of going down by at most `most`, an array, along each axis: sums over boxes count the `ends` in reach."""
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
