"""Results of moves from many positions at once, as `Rules.results` defines them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.games.rules import Amounts, Limit, Move, Rules

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
#: An array for each coordinate, with an entry for each position.
Points = Mapping[str, Ints]
#: Largest number of combinations of chosen numbers for a kind of move. Each takes some µs, and some ns for each position.
MOST_CHOICES = 1 << 21


def results_of(
    rules: Rules, move: Move, points: Points
) -> Iterator[tuple[Ints, tuple[Points, ...]]]:
    """Yield the results of one kind of move, for each choice of amounts.

    A result has the indices of the positions that allow the choice, and the options of these positions. If the move splits,
    there are two arrays of positions, whose sum is played. Raises `LimitError` if there are more than `MOST_CHOICES` choices of
    amounts; `FormulaError` if a formula has no value.
    """
    size = next(iter(points.values())).size
    allowed = np.ones(size, np.bool_)
    if move.unless is not None:
        allowed &= ~holds_at(move.unless, points)
    if move.needs:
        able = np.zeros(size, np.bool_)
        for other in move.needs:
            for rows, _ in results_of(rules, other, points):
                able[rows] = True
        allowed &= able
    here = np.flatnonzero(allowed)
    at = {name: values[here] for name, values in points.items()}
    for rows, left in _lowered_positions(move, at) if here.size else ():
        ends = [fallen(rules, one) for one in left]
        keep = np.ones(rows.size, np.bool_)
        for before, end in zip(left, ends, strict=True):
            if not move.clips:
                keep &= _are_equal(before, end)
            if rules.legal is not None:
                keep &= holds_at(rules.legal, end)
            if len(ends) > 1:
                keep &= ~_are_equal({name: values[rows] for name, values in at.items()}, end)
        if keep.any():
            parts = tuple({name: values[keep] for name, values in end.items()} for end in ends)
            yield here[rows[keep]], parts


def fallen(rules: Rules, points: Points) -> dict[str, Ints]:
    """Apply `Rules.fallen` to each point."""
    lowered = dict(points)
    while True:
        changed = False
        for name, limit in rules.limits.items():
            heights = heights_at(limit, lowered)
            above = lowered[name] > heights
            if above.any():
                changed = True
                lowered[name] = np.minimum(lowered[name], heights)
        if not (changed and rules.is_nested):
            return lowered


def heights_at(limit: Limit, points: Points) -> Ints:
    """Return the largest legal values of a coordinate, for arrays of the others."""
    given = tuple(points[name] for name in limit.of)
    heights = limit.height.block(*(range(int(n.max(initial=0)) + 1) for n in given))
    return heights[given].astype(np.int64)


def _lowered_positions(move: Move, at: Points) -> Iterator[tuple[Ints, list[dict[str, Ints]]]]:
    """Yield for each choice its positions, and the results before coordinates fall."""
    if isinstance(move.by, Amounts):
        yield from _lowered_by_formulas(move, move.by, at)
        return
    size = next(iter(at.values())).size
    most = [at[name] for name in move.lowers]
    if move.at_most is not None:
        limit = np.broadcast_to(move.at_most.evaluate(at), size)
        most = [np.minimum(values, limit) for values in most]
    largest = [int(values.max(initial=0)) for values in most]
    for amounts in move.amounts_up_to(largest):
        pairs = zip(amounts, most, strict=True)
        rows = np.flatnonzero(np.all([values >= amount for amount, values in pairs], axis=0))
        if rows.size:
            left = {name: values[rows] for name, values in at.items()}
            for name, amount in zip(move.lowers, amounts, strict=True):
                left[name] = left[name] - amount
            yield rows, [left]


def _lowered_by_formulas(
    move: Move, by: Amounts, at: Points
) -> Iterator[tuple[Ints, list[dict[str, Ints]]]]:
    split = move.split
    own = [at[name] for name in (*move.lowers, *((split.coordinate,) if split else ()))]
    largest = np.maximum.reduce(own)
    for numbers in _choices(by, int(largest.max(initial=0))):
        rows = np.flatnonzero(largest >= max(numbers, default=0))
        given: dict[str, Ints] = {name: values[rows] for name, values in at.items()}
        given |= {
            name: np.full(rows.size, number)
            for name, number in zip(by.chosen, numbers, strict=True)
        }
        taken = [evaluate_at(formula, given) for formula in by.taken]
        keep = np.ones(rows.size, np.bool_)
        left = {name: given[name] for name in at}
        for name, amount in zip(move.lowers, taken, strict=True):
            keep &= (amount >= 0) & (amount <= given[name])
            left[name] = left[name] - amount
        ends = [left]
        if split is None:
            keep &= np.any([amount > 0 for amount in taken], axis=0)
        else:
            first = given[split.parts[0]]
            second = left[split.coordinate] - first
            keep &= second >= 0
            given |= {split.parts[1]: second}
            ends = [{**left, split.coordinate: part} for part in (first, second)]
        if by.where is not None and keep.any():
            held = np.flatnonzero(keep)
            keep[held] = holds_at(by.where, {name: values[held] for name, values in given.items()})
        if keep.any():
            kept = [{name: values[keep] for name, values in end.items()} for end in ends]
            yield rows[keep], kept


def _choices(by: Amounts, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield choices of numbers, without those that are impossible at any position."""
    number = (largest + 1) ** len(by.chosen)
    if number > MOST_CHOICES:
        raise LimitError(
            f"a move has {number:,} choices of amounts, at most {MOST_CHOICES:,} are tried: a smaller bound has fewer"
        )
    every = product(range(largest + 1), repeat=len(by.chosen))
    conditions = [by.where] if by.where is not None and by.where.names <= {*by.chosen} else []
    fixed = [formula for formula in by.taken if formula.names <= {*by.chosen}]
    if not by.chosen or not (conditions or fixed):
        yield from every
        return
    numbers = np.array(list(every), np.int64)
    at = dict(zip(by.chosen, numbers.T, strict=True))
    keep = np.ones(len(numbers), np.bool_)
    for formula in fixed:
        amounts = evaluate_at(formula, at)
        keep &= (amounts >= 0) & (amounts <= largest)
    for condition in conditions:
        held = np.flatnonzero(keep)
        keep[held] = holds_at(condition, {name: values[held] for name, values in at.items()})
    yield from map(tuple, numbers[keep].tolist())


def _are_equal(points: Points, others: Points) -> Truths:
    same: Truths = np.all([values == others[name] for name, values in points.items()], axis=0)
    return same


def evaluate_at(formula: Formula, points: Points) -> Ints:
    """Return the values of an integer formula at each point."""
    size = next(iter(points.values())).size
    return np.broadcast_to(formula.evaluate(points), size).astype(np.int64, copy=False)


def holds_at(condition: Formula, points: Points) -> Truths:
    """Return a mask of the points where a condition holds."""
    size = next(iter(points.values())).size
    return np.broadcast_to(condition.evaluate(points), size).astype(np.bool_, copy=False)
