"""Check of a position's value against that of a position of another game.

The related game's table is computed as far as the related positions reach. Their existence is a part of the claim: without
such a position, or without such a game, the claim is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from choco_pipeline.claims.checks.evidence import (
    ClaimCase,
    Tally,
    counterexample_to_number,
    counterexample_to_outcome,
)
from choco_pipeline.claims.checks.formulas import all_positions, candidate_positions, outcomes_of
from choco_pipeline.claims.kinds import Related
from choco_pipeline.claims.language.verdict import Counterexample, Finding, Refuted
from choco_pipeline.errors import LimitError, RulesetError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games import Ruleset
from choco_pipeline.games.listing import heights_at
from choco_pipeline.games.notation import build, read
from choco_pipeline.tables.bounded_game import estimated_positions
from choco_pipeline.tables.cells import (
    CellBlock,
    Cells,
    Ints,
    Points,
    Truths,
    are_positions,
    evaluate_at,
    select,
)
from choco_pipeline.tables.computing import computation_of
from choco_pipeline.tables.spec import NONE, Quantity, variable_of

#: Limits of the enumeration of positions and of the related table: some seconds.
MOST_POSITIONS, MOST_SECONDS = 1 << 26, 10.0


@dataclass(frozen=True)
class _Comparison:
    """A claim that relates two games, with integers for all parameters."""

    #: The game's table.
    cells: Cells
    #: The related game.
    game: Ruleset
    #: Each coordinate of the related position, a formula in the coordinates.
    at: Mapping[str, Formula]
    #: The Grundy number, a formula in `g`; None where outcomes are compared.
    equals: Formula | None
    #: The positions that the claim is about; None for all.
    where: Formula | None

    @cached_property
    def by_columns(self) -> str | None:
        """The stored coordinate of both tables, if the claim does not use it.

        In this case few values of the coordinate can be wrong in each column.
        """
        stored = self.cells.variable.stored
        others = [formula for name, formula in self.at.items() if name != stored]
        if stored is None or variable_of(self.game, "p-positions").stored != stored:
            return None
        is_used = any(stored in f.names for f in (*others, self.where) if f is not None)
        is_alone = self.at[stored].names <= {stored} and stored == self.game.base.rules.free
        is_alone &= self.cells.free is not None
        return stored if not is_used and (is_alone or self.at[stored] == parse(stored)) else None

    def target(self, points: Points) -> Points:
        return {name: evaluate_at(formula, points) for name, formula in self.at.items()}

    def parts(self, size: int) -> Iterator[tuple[CellBlock, Points]]:
        """Yield blocks of cells with their positions: all, or one per column."""
        stored = self.cells.variable.stored
        for block in self.cells.blocks(size):
            if self.by_columns is not None:
                columns = block.within(self.where)
                yield columns, columns.points | {self.by_columns: np.zeros_like(columns.values)}
                continue
            for part in [block] if stored is None else all_positions(block, stored):
                chosen = part.within(self.where)
                yield chosen, chosen.points

    def related_table(self, size: int) -> Cells:
        """Return the table of the related game, as far as the claim needs it.

        It holds Grundy numbers where these are compared.
        """
        game, largest = self.game, dict.fromkeys(self.game.coordinates, 0)
        for _, points in self.parts(size):
            for name, values in self.target(points).items():
                largest[name] = max(largest[name], int(values.max(initial=0)))
        rules, variable = game.base.rules, variable_of(game, "p-positions")
        by_numbers = self.equals is not None or not variable.dims or variable.face is not None
        quantity: Quantity = "grundy" if by_numbers else "p-positions"
        heap = None if by_numbers else rules.free  # of any size, for each bound
        bound = max((largest[name] for name in rules.unbounded if name != heap), default=0)
        if computation_of(game, bound, quantity).seconds > MOST_SECONDS:
            raise LimitError(f"{game.notation}: its table to bound {bound:,} takes too long")
        return Cells.computed(game, bound, quantity)

    def exist(self, target: Points) -> Truths:
        """Return a mask of the positions of the related game."""
        natural: Truths = np.logical_and.reduce([values >= 0 for values in target.values()])
        if not natural.all():
            target = {name: np.maximum(values, 0) for name, values in target.items()}
        return natural & are_positions(self.game, target)

    def claimed(self, related: Cells, target: Points) -> Ints:
        """Return the claimed Grundy numbers, or 1 for P-positions and 0 for others."""
        values = _values(related, target)
        if self.equals is None:
            return outcomes_of(related, target, values).astype(np.int64)
        return evaluate_at(self.equals, {"g": values})

    def compare(self, related: Cells, block: CellBlock, points: Points, tally: Tally) -> None:
        """Record the positions, or columns of them, that contradict the claim."""
        compared: Iterable[tuple[Points, Ints | Truths]]
        if self.by_columns is not None:
            tally.settle_columns(block)
            candidates = self._candidates(related, points, self.by_columns)
            compared = candidate_positions(self.cells, block, candidates)
        else:
            tally.settle(points)
            is_p = None if self.equals else outcomes_of(self.cells, points, block.values)
            compared = [(points, block.values if is_p is None else is_p)]
        for positions, found in compared:
            target = self.target(positions)
            exist = self.exist(target)
            wrong = ~exist
            wrong[exist] = self.claimed(related, select(target, exist)) != found[exist]
            tally.fail(select(positions, wrong))

    def _candidates(self, related: Cells, points: Points, stored: str) -> Iterator[Ints]:
        """Yield the stored coordinates, besides P-positions, that can be wrong."""
        target = self.target(points) | {stored: points[stored]}
        exist = self.exist(target)
        there = np.full(exist.shape, NONE, np.int64)
        there[exist] = _values(related, select(target, exist))
        yield from self._preimages(there, stored)
        yield np.where(exist, NONE, 0)
        if (limit := self.game.base.rules.limits.get(stored)) is not None:
            given = {name: np.maximum(target[name], 0) for name in limit.of}
            largest = np.broadcast_to(heights_at(limit, given), exist.shape)
            yield np.where(exist, largest + 1, NONE)

    def _preimages(self, there: Ints, stored: str) -> Iterator[Ints]:
        """Yield the stored coordinates whose related coordinate is the given one.

        Two within the bound suffice, because only one of them can belong to a P-position. The last result is the least value
        without a related position.
        """
        if self.at[stored] == parse(stored):
            yield there
            return
        heaps = np.arange(self.cells.bound + 1)
        images = np.maximum(evaluate_at(self.at[stored], {stored: heaps}), NONE)
        nowhere = np.flatnonzero(images == NONE)
        size = max(int(there.max(initial=0)), int(images.max(initial=0))) + 2  # NONE is the last
        for _ in range(2):
            first = np.full(size, NONE, np.int64)
            first[images[::-1]] = heaps[::-1]
            first[NONE] = NONE
            yield first[there]
            images = np.where(first[images] == heaps, NONE, images)
        yield np.full(there.shape, nowhere[0] if nowhere.size else NONE, np.int64)


def _values(cells: Cells, points: Points) -> Ints:
    where = tuple(points[name] for name in cells.variable.dims)
    return cells.cells[tuple(slice(0, n) for n in cells.shape)][where].astype(np.int64)


def find_related(check: Related, case: ClaimCase) -> Finding:
    """Return the verdict on a claim that relates two games, by the tables of both.

    Raises `LimitError` if there are too many positions, or the related table is too large; `FormulaError` if a formula has no
    value at a position.
    """
    try:
        game = build(read(check.game), case.environment, Path(), case.claim.games)
    except RulesetError as error:
        return Finding(Refuted(Counterexample(str(error), f"there is the game {check.game}"), 0))
    env = case.environment
    at = {name: formula.substitute(env) for name, formula in check.at.items()}
    equals, where = (f and f.substitute(env) for f in (check.equals, check.where))
    comparison = _Comparison(case.cells, game, at, equals, where)
    is_long = case.cells.variable.stored is not None and comparison.by_columns is None
    if is_long and estimated_positions(case.cells.game, case.bound) > MOST_POSITIONS:
        raise LimitError("too many positions to compare each of them")
    related = comparison.related_table(case.block)
    tally = Tally(case.cells, case.reach)
    for block, points in comparison.parts(case.block):
        comparison.compare(related, block, points, tally)
    if tally.least is None:
        return Finding(case.agreement(tally.settled) if tally.settled else case.nothing("position"))
    position = tally.least
    here = {name: np.array([n]) for name, n in case.cells.named(position).items()}
    target = comparison.target(here)
    if not comparison.exist(target)[0]:
        there = tuple(int(target[name][0]) for name in game.coordinates)
        actual = f"{there} is no position of {game.notation}"
        found = Counterexample(actual, "a position", position, case.cells.game.coordinates)
    elif equals is None:
        found = counterexample_to_outcome(case, position)
    else:
        claimed = int(comparison.claimed(related, target)[0])
        found = counterexample_to_number(case, position, claimed)
    return Finding(Refuted(found, tally.settled))
