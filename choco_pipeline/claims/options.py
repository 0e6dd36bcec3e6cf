"""Checking statements on options by the ruleset's own definition, for all positions of a box at once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from choco_pipeline.claims.case import Case, Finding
from choco_pipeline.claims.kinds import Options
from choco_pipeline.claims.verdict import (
    Counterexample,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.games import (
    DisjunctiveSum,
    Nim,
    Position,
    RectangularBar,
    Ruleset,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
)
from choco_pipeline.tables.cells import Ints, Truths, holds_at

#: The largest box of positions that is looked at: some ten megabytes, some tenths of a second.
MOST_CELLS = 1 << 20


@dataclass(frozen=True)
class Cut:
    """A cut of one coordinate, which may lower y.

    Attributes
    ----------
    axis
        The coordinate that is cut.
    lowers
        The y that it may lower, or None.
    heights
        The largest legal y, as an array with as many dimensions as the box and length 1 along y; None if y stays.
    """

    axis: int
    lowers: int | None = None
    heights: Ints | None = None


@dataclass(frozen=True)
class Pass:
    """A pass: it lowers the coordinate `axis` by 1, unless all coordinates in `heaps` are 0."""

    axis: int
    heaps: tuple[int, ...]


@dataclass(frozen=True)
class Box:
    """The positions of a game within a bound, as boolean arrays with an axis for each coordinate.

    Attributes
    ----------
    game, bound
        Of which ruleset, and how far; here a bound limits the heaps of a rectangular bar, too.
    legal
        Whether a cell is a position.
    moves
        Every kind of move, with axes numbered as coordinates are.
    """

    game: Ruleset
    bound: int
    legal: Truths = field(repr=False)
    moves: tuple[Cut | Pass, ...] = field(repr=False)

    @classmethod
    def of(cls, game: Ruleset, bound: int) -> Box:
        """Return the box of `game` up to `bound`."""
        shape = _shape(game, bound)
        grid = np.ogrid[tuple(slice(side) for side in shape)]
        legal = np.ones(shape, np.bool_)
        moves: list[Cut | Pass] = []
        for part, first in _parts(game):
            at = grid[first:]
            match part:
                case WithPass():
                    inside = range(first, first + len(part.ruleset.coordinates))
                    passes = {move.axis for move in moves if isinstance(move, Pass)}
                    moves.append(Pass(inside.stop, tuple(a for a in inside if a not in passes)))
                case StepBar(k, s):
                    heights = (at[1] + s) // k
                    legal &= at[0] <= heights
                    moves += [Cut(first), Cut(first + 1, first, heights)]
                case SolidBar(f):
                    rows = f.table(shape[first], shape[first + 2]).astype(np.int64)
                    sides = [1] * len(shape)
                    sides[first], sides[first + 2] = rows.shape
                    heights = rows.reshape(sides)
                    legal &= at[1] <= heights
                    y = first + 1
                    moves += [Cut(first, y, heights), Cut(y), Cut(first + 2, y, heights)]
                case RectangularBar(m, n):
                    legal &= (at[0] + at[1] < m) & (at[2] + at[3] < n)
                    moves += [Cut(first + i) for i in range(4)]
                case Nim(heaps):
                    moves += [Cut(first + i) for i in range(heaps)]
                case _:
                    raise LimitError(
                        f"{part.notation}: nothing says how to find the options of many positions at once"
                    )
        return cls(game, bound, legal, tuple(moves))

    def where(self, formula: Formula, block: int) -> Truths:
        """Return at which positions a condition holds, evaluated at `block` cells together."""
        found = np.zeros(self.legal.shape, np.bool_)
        flat, legal = found.reshape(-1), self.legal.reshape(-1)
        for start in range(0, legal.size, block):
            cells = np.flatnonzero(legal[start : start + block]) + start
            if cells.size:
                index = np.unravel_index(cells, self.legal.shape)
                points = dict(zip(self.game.coordinates, index, strict=True))
                flat[cells] = holds_at(formula, points)
        return found

    def with_option(self, check: Options, wanted: Truths) -> Truths:
        """Return which positions have an option of those that `check` counts among the `wanted` positions."""
        found = np.zeros(self.legal.shape, np.bool_)
        for move in self.moves:
            if check.by and self.game.coordinates[move.axis] not in check.by:
                continue
            if check.beside != "lowered":
                found |= (
                    _after_a_pass(move, wanted) if isinstance(move, Pass) else _below(move, wanted)
                )
            if check.beside != "kept" and isinstance(move, Cut) and move.heights is not None:
                found |= _below_lowered(move, wanted)
        return found

    def counts(self, check: Options, position: Sequence[object], option: Sequence[object]) -> bool:
        """Whether `check` speaks of the move from a position to one of its options, far outside of the box, too."""
        changed = {i for i, (a, b) in enumerate(zip(position, option, strict=True)) if a != b}
        lowered = {move.lowers for move in self.moves if isinstance(move, Cut)}
        kept = len(changed) == 1
        (axis,) = changed if kept else changed - lowered
        of_those = not check.by or self.game.coordinates[axis] in check.by
        return of_those and check.beside in (None, "kept" if kept else "lowered")

    def least(self, chosen: Truths, block: int) -> Position:
        """Return the least of some positions: by its largest coordinate, passes not counted, then by its coordinates."""
        heaps = len(self.game.base.coordinates)
        flat, found = chosen.reshape(-1), []
        for start in range(0, flat.size, block):
            index = np.unravel_index(
                np.flatnonzero(flat[start : start + block]) + start, chosen.shape
            )
            rows = np.stack(index, axis=1)
            if rows.size:
                sizes = rows[:, :heaps].max(axis=1)
                first = int(sizes.argmin())
                found.append((int(sizes[first]), tuple(rows[first].tolist())))
        return min(found)[1]


def find_options(check: Options, case: Case) -> Finding:
    """Return whether no, some or every option of each position is as a statement says.

    The table is not read: options follow from the definition. The bound is the table's, or the largest whose box has at
    most `MOST_CELLS` cells; the verdict states it. All positions of a rectangular bar are looked at if they are so few.

    Raises
    ------
    LimitError
        If even the box up to bound 0 is too large.
    FormulaError
        If a condition has no value at some position.
    """
    game = case.cells.game
    base = game.base
    most = max(base.m, base.n) - 1 if isinstance(base, RectangularBar) else case.bound
    bound = _largest_bound(game, most)
    box = Box.of(game, bound)
    of, to = (formula.substitute(case.environment) for formula in (check.of, check.to))
    chosen, wanted = box.where(of, case.block), box.where(to, case.block)
    against = box.legal & ~wanted if check.have == "every" else wanted
    having = box.with_option(check, against)
    wrong = chosen & (~having if check.have == "some" else having)
    settled, failures = int(chosen.sum()), int(wrong.sum())
    is_complete = case.cells.is_whole and bound == most
    if not (chosen & box.with_option(check, box.legal) if check.have == "every" else chosen).any():
        nothing = f"is one that it speaks of{' and has an option' + check.which if settled else ''}"
        if is_complete:
            return Finding(Vacuous(f"no position {nothing}"))
        return Finding(Undecided(f"no position up to bound {bound:,} {nothing}"))
    evidence = {} if bound == most else {"bound": bound}
    if failures:
        position = box.least(wrong, case.block)
        counterexample = Counterexample(
            contradiction_at(check, box, to, position), check.summary(), position, game.coordinates
        )
        return Finding(Refuted(counterexample, settled), {"failures": failures, **evidence})
    if is_complete:
        return Finding(Exhausted(settled))
    return Finding(HoldsToBound(settled, bound), evidence)


def contradiction_at(check: Options, box: Box, to: Formula, position: Position) -> str:
    """Return what the definition says of the options of one position that contradicts the statement.

    The position need not lie in the box.
    """
    names = box.game.coordinates
    options = [q for q in box.game.options(position) if box.counts(check, position, q)]
    if not options:
        return f"it has no option{check.which}"
    if check.have == "some":
        return f"none of its {len(options):,} options{check.which} has {check.to}"
    wanted = check.have == "no"
    option = next(q for q in options if to.value(dict(zip(names, q, strict=True))) == wanted)
    return f"its option {option} {'has' if wanted else 'has not'} {check.to}"


def _parts(game: Ruleset, first: int = 0) -> Iterator[tuple[Ruleset, int]]:
    """Yield the rulesets that a game is made of, each with its first axis; one with passes after what it is made of."""
    match game:
        case WithPass():
            yield from _parts(game.ruleset, first)
            yield game, first
        case DisjunctiveSum(a, b):
            yield from _parts(a, first)
            yield from _parts(b, first + len(a.coordinates))
        case StripBar():
            yield Nim(1), first
            yield game.bar, first + 1
        case _:
            yield game, first


def _shape(game: Ruleset, bound: int) -> tuple[int, ...]:
    limits: list[int] = []
    for part, _ in _parts(game):
        match part:
            case WithPass():
                limits.append(part.passes)
            case RectangularBar():
                limits += [min(most, bound) for most in part.limits()]
            case _:
                limits += part.limits(bound)
    return tuple(most + 1 for most in limits)


def _largest_bound(game: Ruleset, most: int) -> int:
    """Return the largest bound up to `most` whose box has at most `MOST_CELLS` cells."""

    def cells(bound: int) -> int:
        return math.prod(_shape(game, bound))

    found = bisect_right(range(most + 1), MOST_CELLS, key=cells) - 1
    if found < 0:
        raise LimitError(
            f"{game.notation}: up to bound 0 its box has {cells(0):,} cells, at most {MOST_CELLS:,} are looked at"
        )
    return found


def _below(cut: Cut, wanted: Truths) -> Truths:
    """Return the cells below which, along the axis of the cut, a wanted cell lies."""
    found = np.zeros_like(wanted)
    before, after = _neighbours(cut.axis)
    np.logical_or.accumulate(wanted[before], axis=cut.axis, out=found[after])
    return found


def _below_lowered(cut: Cut, wanted: Truths) -> Truths:
    """Return the cells from which a cut that lowers y leads to a wanted cell.

    The cut leads to a cell with the largest legal y, so of all wanted ones the one with the least y decides.
    """
    assert cut.lowers is not None
    assert cut.heights is not None
    never = wanted.shape[cut.lowers]
    tops = np.take_along_axis(wanted, cut.heights, axis=cut.lowers)
    reached = np.where(tops, cut.heights, never)
    least = np.full_like(reached, never)
    before, after = _neighbours(cut.axis)
    np.minimum.accumulate(reached[before], axis=cut.axis, out=least[after])
    y = np.arange(never).reshape([-1 if i == cut.lowers else 1 for i in range(wanted.ndim)])
    found: Truths = y > least
    return found


def _after_a_pass(move: Pass, wanted: Truths) -> Truths:
    """Return the cells from which a pass leads to a wanted cell."""
    found = np.zeros_like(wanted)
    before, after = _neighbours(move.axis)
    found[after] = wanted[before]
    found[tuple(0 if i in move.heaps else slice(None) for i in range(wanted.ndim))] = False
    return found


def _neighbours(axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return all cells but the last along an axis, and all but the first."""
    front = (slice(None),) * axis
    return (*front, slice(None, -1)), (*front, slice(1, None))
