"""Evaluation of a statement at many positions at once.

Idea: the syntax tree is evaluated from the root on a batch of points, which are flat arrays of integers. A quantifier makes a
larger batch with a point for each choice of its variables; the truth values are then combined for each original point. Points
that violate a premise are dropped as soon as its names are bound.
Invariant: a part is evaluated only at points where the parts before it do not decide the value, so that premises guard
conclusions. `choco_pipeline.statements.meaning` defines the values.
Cost: one numpy operation for each node and batch. The number of choices of bound variables is limited.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.options import Box, blocks_of, box_sides, flat_index
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.evaluate import narrowest
from choco_pipeline.games import RectangularBar, Ruleset
from choco_pipeline.games.listing import results_of
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError, game_of
from choco_pipeline.tables.cells import Ints, Points, Truths
from choco_pipeline.tables.computing import cells_of, cost_of, require_memory
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import NONE, Quantity, variable_of

#: Largest box of positions whose options are found at once, for some ten megabytes and some tenths of a second.
MOST_CELLS = 1 << 20
#: Largest estimated time for the table of a board, in seconds.
MOST_SECONDS = 60.0
#: Largest number of options of all positions in a batch together.
MOST_OPTIONS = 1 << 24


@dataclass
class Board:
    """The Grundy numbers of a game's positions, or the outcomes of uncut bars.

    This table grows on demand: a statement may use positions beyond the table of its claim, and positions of other games.
    """

    game: Ruleset
    #: Whether the coordinates are the poisoned cell and the passes left.
    of_whole_bars: bool = False
    _values: NDArray[np.integer] = field(default_factory=lambda: np.empty(0, np.int32))
    _bound: int = -1
    #: Cache of `option_pairs`, with the bound of its box.
    _pairs: tuple[int, Truths | None] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        game = self.game
        return ("i", "j", *game.coordinates[4:]) if self.of_whole_bars else game.coordinates

    @property
    def holds_outcomes(self) -> bool:
        """Whether the table holds outcomes (1 for P-positions), not Grundy numbers."""
        return self.of_whole_bars or self.game.rules.misere

    @classmethod
    @lru_cache(maxsize=1)  # the claims on one table are checked one after another
    def of(cls, game: Ruleset, of_whole_bars: bool) -> Board:
        """Return the board of a game, which all claims on a table share."""
        return cls(game, of_whole_bars)

    @property
    def is_finite(self) -> bool:
        """Whether the game has finitely many positions."""
        return self.of_whole_bars or not self.game.base.rules.unbounded

    def reach(self, bound: int) -> None:
        """Extend the table to a bound. Raises `LimitError` if that takes too long."""
        if bound <= self._bound:
            return
        quantity: Quantity = "p-positions" if self.holds_outcomes else "grundy"
        cost = cost_of(self.game, bound, quantity)
        require_memory(self.game, bound, cost.memory_whole, worker_memory(1))
        if cost.seconds > MOST_SECONDS:
            takes = f"takes about {cost.seconds:,.0f} s (at most {MOST_SECONDS:,.0f} s)"
            raise LimitError(f"{self.game.notation}: its table up to {bound:,} {takes}")
        cells = cells_of(self.game, bound, quantity)
        axes = map(variable_of(self.game, quantity).dims.index, self.names)
        cells = np.ascontiguousarray(cells.transpose(*axes))
        if self.of_whole_bars:  # the poisoned cell is counted from 1
            before = [(int(name in ("i", "j")), 0) for name in self.names]
            cells = np.pad(cells, before, constant_values=NONE)
        self._values, self._bound = cells, bound

    def box(self, bound: int) -> Box | None:
        """Return the box up to a bound; None if it has more than `MOST_CELLS` cells.

        Also None for uncut bars, and for games whose options must be listed.
        """
        game = self.game
        if self.of_whole_bars or game.has_own_options or game.rules.needs_listing:
            return None
        bound = max(game.base.limits()) if self.is_finite else bound
        return Box.of(game, bound) if math.prod(box_sides(game, bound)) <= MOST_CELLS else None

    def positions(self, bound: int) -> Iterator[Points]:
        """Yield the positions up to a bound in blocks, in lexicographic order."""
        box = self.box(bound)
        if box is not None:  # a statement on moves alone needs no table
            yield from (points for _, points in box.positions)
            return
        self.reach(bound)
        values = self._values
        if not self.of_whole_bars:
            values = values[tuple(slice(most + 1) for most in self.game.limits(bound))]
        yield from (points for _, points in blocks_of(values != NONE, self.names))

    def sizes(self, points: Points) -> Ints:
        """Return the largest coordinate of each position, passes left not counted."""
        heaps = self.names[: len(self.names) - bool(self.game.passes)]
        return reduce(np.maximum, (points[name] for name in heaps))

    def values(self, points: Points) -> Ints:
        """Return the cells of the table at the points.

        Raises `UndefinedError` for the first point that is not a position.
        """
        columns = [points[name] for name in self.names]
        if not columns[0].size:
            return np.empty(0, np.int64)
        if not self.of_whole_bars:
            unbounded = self.game.rules.unbounded
            self.reach(max((int(points[name].max()) for name in unbounded), default=0))
        shape = self._values.shape
        cells = self._values.reshape(-1).take(flat_index(columns, shape), mode="clip")
        held: NDArray[Any] = np.where(_inside(columns, shape), cells, NONE)
        if (held == NONE).any():
            row = int((held == NONE).argmax())
            position = tuple(int(values[row]) for values in columns)
            raise UndefinedError(f"{position} is no position of {self.game.notation}")
        return held

    def grundy(self, points: Points) -> Ints:
        """Return the Grundy numbers of positions."""
        if self.game.rules.misere:
            raise LimitError(f"{self.game.notation}: misère play has no Grundy numbers")
        if self.of_whole_bars:
            raise LimitError(
                "only outcomes of uncut bars are computed, no Grundy numbers: use the coordinates a, b, c, d"
            )
        return self.values(points)

    def options(self, points: Points, by: Sequence[str]) -> tuple[Ints, Points]:
        """Return the distinct options of each position.

        For each option, the first result has the row of its position, and the second has its coordinates. With `by`, only moves
        that lower no other coordinates count. Raises `LimitError` if there are too many options.
        """
        if self.game.has_own_options:
            return self._listed_options(points, by)
        rows, columns = self._results(points, by)
        distinct = np.unique(np.column_stack([rows, columns]), axis=0)
        return distinct[:, 0], dict(zip(self.names, distinct[:, 1:].T, strict=True))

    def _results(self, points: Points, by: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the options with their rows, as an array with a column per coordinate.

        Options may be repeated.
        """
        game = self.game
        points = {name: values.astype(np.int64) for name, values in points.items()}
        rows, columns = [np.empty(0, np.int64)], [np.empty((0, len(self.names)), np.int64)]
        for move in game.rules.moves:
            if by and not set(move.lowers) <= set(by):
                continue
            for row, (option, *others) in results_of(game.rules, move, points):
                if others:
                    raise LimitError(f"{game.notation}: a move splits, and leaves two positions")
                rows.append(row)
                columns.append(np.stack([option[name] for name in self.names], axis=1))
                if sum(map(len, rows)) > MOST_OPTIONS:
                    raise LimitError(
                        f"more than {MOST_OPTIONS:,} options at once: a smaller bound has fewer"
                    )
        return np.concatenate(rows), np.concatenate(columns)

    def option_pairs(self, bound: int) -> Truths | None:
        """Return a matrix that is true at [a, b] if cell b is an option of cell a.

        Cells are numbered in lexicographic order. The result is None if the box is too large. It is cached, because a statement on
        all cells needs the same options for each block of cells.
        """
        if self._pairs is None or self._pairs[0] != bound:
            box, pairs = self.box(bound), None
            if box is not None and box.legal.size**2 <= MOST_PAIRS:
                pairs = np.zeros((box.legal.size,) * 2, np.bool_)
                for cells, points in box.positions:
                    rows, columns = self._results(points, ())
                    pairs[cells[rows], flat_index([*columns.T], box.legal.shape)] = True
            self._pairs = bound, pairs
        return self._pairs[1]

    def _listed_options(self, points: Points, by: Sequence[str]) -> tuple[Ints, Points]:
        """Return the result of `options` from the options that the game lists."""
        if by:
            raise LimitError(f"{self.game.notation} does not say which moves lower {', '.join(by)}")
        positions = zip(*(points[name].tolist() for name in self.names), strict=True)
        found = [(row, q) for row, at in enumerate(positions) for q in set(self.game.options(at))]
        rows = np.array([row for row, _ in found], np.int64)
        columns = np.array([q for _, q in found], np.int64).reshape(-1, len(self.names))
        return rows, dict(zip(self.names, columns.T, strict=True))


#: Points that are evaluated together.
BLOCK = 1 << 16
#: From this number of positions on, options are found for all positions at once.
MANY = 64
#: Largest number of points of one evaluation, including those of bound variables: some minutes of work.
MOST_POINTS = 1 << 30
#: Largest number of entries in `Board.option_pairs`.
MOST_PAIRS = 1 << 24


@dataclass(frozen=True)
class Batch:
    """A batch of points: an integer array for each name, all of one length."""

    size: int
    #: Bound variables.
    known: Points
    #: The coordinates of the current position and of the bound option, if any.
    position: Points | None = None
    option: Points | None = None

    def chosen(self, rows: Ints | Truths | slice) -> Batch:
        """Return the points of some rows: a mask, a slice, or indices, which may repeat."""
        if not isinstance(rows, slice) and rows.dtype == np.bool_:
            # numpy is faster with indices than with a mask
            rows = slice(None) if rows.all() else np.flatnonzero(rows)
        size = len(range(self.size)[rows]) if isinstance(rows, slice) else rows.size

        def of(points: Points | None) -> Points:
            return {name: values[rows] for name, values in (points or {}).items()}

        position = None if self.position is None else of(self.position)
        option = None if self.option is None else of(self.option)
        return Batch(size, of(self.known), position, option)

    def with_known(self, name: str, values: Ints) -> Batch:
        """Return the same points with the value of one more name."""
        return replace(self, known={**self.known, name: values})

    @property
    def named(self) -> Points:
        """Bound variables and coordinates."""
        return {**self.known, **(self.position or {})}


@dataclass
class Evaluation:
    """Evaluates statements about one game, or about integers."""

    #: None for a statement about integers.
    board: Board | None
    #: The largest coordinate of the positions that bound variables run over.
    bound: int
    #: Integers by name: parameters, and N.
    values: Mapping[str, int]
    #: The printed table or list of a claim.
    printed: Sequence[Sequence[int]] = ()
    #: Descriptions of games, used instead of files.
    games: Mapping[str, Any] | None = None
    #: Values of fixed bound variables; a value outside the range leaves no choice.
    fixed: Mapping[str, int] = field(default_factory=dict)
    points_left: int = MOST_POINTS
    _boards: dict[str, Board] = field(default_factory=dict)
    #: Cache of `_with_option`: for each quantifier, the positions of the box with a deciding option.
    _having: dict[tree.Quantified, Truths | None] = field(default_factory=dict)

    def start(self, position: Points | None = None) -> Batch:
        """Return the initial batch: positions, or one point for a statement on integers."""
        return Batch(1 if position is None else next(iter(position.values())).size, {}, position)

    def holds(self, part: tree.Proposition, batch: Batch) -> Truths:
        """Return a mask of the points at which a proposition holds.

        Raises `FormulaError` or `UndefinedError` if a needed value does not exist, and `LimitError` if too many points would be
        visited.
        """
        if not batch.size:
            return np.empty(0, np.bool_)
        match part:
            case tree.Expression():
                return self.value(part, batch).astype(np.bool_, copy=False)
            case tree.PPosition(place):
                board, points = self._place(place, batch)
                are_p: Truths = board.values(points) == int(board.holds_outcomes)
                return are_p
            case tree.IsOption(at):
                return self._are_options(at, batch)
            case tree.IsPrinted(row):
                return _rows_in([self.value(one, batch) for one in row], self.printed)
            case tree.Not(operand):
                return ~self.holds(operand, batch)
            case tree.Junction(word, operands):
                truths = self.holds(operands[0], batch)
                for operand in operands[1:]:
                    is_open = truths if word == "and" else ~truths
                    truths = truths & ~is_open | self._holds_where(is_open, operand, batch)
                return truths
            case tree.Implies(premise, conclusion):
                truths = self.holds(premise, batch)
                return ~truths | self._holds_where(truths, conclusion, batch)
            case tree.Equivalent(operands):
                first, *others = (self.holds(operand, batch) for operand in operands)
                agree: Truths = np.logical_and.reduce([first == other for other in others])
                return agree
            case tree.Quantified(word, (tree.OfOption(),), _):
                having = self._with_option(part, batch)
                if having is None:
                    return self._quantified(word, part.bindings, part.body, batch)
                return having if word == "some" else ~having
            case tree.Quantified(word, bindings, body):
                return self._quantified(word, bindings, body, batch)
            case tree.Let(name, value, body):
                truths = np.empty(batch.size, np.bool_)
                for rows, inner in self.defined(name, value, batch):
                    truths[rows] = self.holds(body, inner)
                return truths
            case tree.At(position, body):
                values = [self.value(one, batch) for one in position]
                points = dict(zip(self._own.names, values, strict=True))
                self._own.values(points)  # raises an error if one is no position
                return self.holds(body, replace(batch, position=points, option=None))
            case tree.ValueSet():
                raise FormulaError(
                    f"{tree.text_of(part)}: a set of values stands alone, outside of other parts",
                    tree.text_of(part),
                    1,
                )

    def _holds_where(self, mask: Truths, part: tree.Proposition, batch: Batch) -> Truths:
        """Return the part of a mask where a proposition holds; evaluate only there."""
        rows = np.flatnonzero(mask)
        if rows.size == batch.size:
            return self.holds(part, batch)
        truths = np.zeros(batch.size, np.bool_)
        truths[rows] = self.holds(part, batch.chosen(rows))
        return truths

    def value(self, part: tree.Expression, batch: Batch) -> Ints:
        """Return the values of an expression; 0 and 1 for a condition."""
        formula = part.formula
        known = self._named(batch, formula.names)
        known |= {name: self.term(term, batch) for name, term in part.terms}
        if formula.names <= known.keys():
            return np.broadcast_to(formula.evaluate_narrow(known), batch.size)
        # A missing name is an error only where its value is needed.
        arrays = {name: np.broadcast_to(value, batch.size) for name, value in known.items()}
        rows = ({name: int(arrays[name][row]) for name in arrays} for row in range(batch.size))
        integers = [int(formula.value(row)) for row in rows]
        if any(value.bit_length() > 63 for value in integers):
            raise LimitError(f"{formula}: an integer of more than 64 bits")
        return np.array(integers, np.int64)

    def _named(self, batch: Batch, names: Collection[str] = ()) -> dict[str, Any]:
        """Return the known names with their values, each an integer or an array.

        The size is included if `names` contains it.
        """
        known = {**self.values, **batch.known, **(batch.position or {})}
        if tree.SIZE in names and batch.position is not None:
            known[tree.SIZE] = self._own.sizes(batch.position)
        return known

    @property
    def _own(self) -> Board:
        assert self.board is not None
        return self.board

    def term(self, term: tree.Term, batch: Batch) -> Ints:
        """Return the values of a term."""
        match term:
            case tree.Grundy(place):
                board, points = self._place(place, batch)
                return board.grundy(points)
            case tree.Primed(coordinate):
                assert batch.option is not None
                return batch.option[coordinate]
            case tree.Printed(row, column):
                return self._printed_at(self.value(row, batch), self.value(column, batch))
            case tree.Count(bindings, body):
                counts = np.zeros(batch.size, np.int64)
                for owners, inner in self.choices(bindings, batch, body):
                    rows = np.flatnonzero(self.holds(body, inner))
                    counts += np.bincount(owners[rows], minlength=batch.size)
                return counts

    def _quantified(
        self,
        word: tree.Word,
        bindings: Sequence[tree.Binding],
        body: tree.Proposition,
        batch: Batch,
    ) -> Truths:
        found = np.zeros(batch.size, np.bool_)  # points with a choice that decides the quantifier
        for owners, inner in self.choices(bindings, batch, necessary_condition(word, body)):
            held = self.holds(body, inner)
            found[owners[np.flatnonzero(~held if word == "every" else held)]] = True
        return found if word == "some" else ~found

    def _with_option(self, part: tree.Quantified, batch: Batch) -> Truths | None:
        """Return a mask of the positions with an option that decides a quantifier.

        An option decides `some` and `no` if the body is true for it, and `every` if it is false. The body is evaluated once at
        all positions up to the bound. Return None if the body compares the option with the position, if there are few
        positions, or if the body has no value at some position.
        """
        assert batch.position is not None
        at = [batch.position[name] for name in self._own.names]
        against = part.word == "every"
        if part not in self._having:
            falls, body = self._without_fall(part)
            if batch.size < MANY or not tree.is_about_option(body, self.values):
                return None
            box = self._own.box(self.bound)
            if box is None:
                return None
            (binding,) = part.bindings
            assert isinstance(binding, tree.OfOption)
            wanted = np.zeros(box.legal.shape, np.bool_)
            try:
                for cells, points in box.positions:
                    there = replace(self.start(points), position=None, option=points)
                    wanted.reshape(-1)[cells] = self.holds(body, there) ^ against
                self._having[part] = box.with_option(wanted, binding.by, falls)
            except (FormulaError, UndefinedError, LimitError):
                self._having[part] = None
        having = self._having[part]
        if having is None or not _inside(at, having.shape).all():
            return None
        return having.reshape(-1).take(flat_index(at, having.shape))

    def _without_fall(self, part: tree.Quantified) -> tuple[bool | None, tree.Proposition]:
        """Split off a condition on a falling coordinate from the body of a quantifier.

        The condition is ``y' < y`` (True) or ``y' == y`` (False), for the only coordinate y that can fall. Without such a condition
        the first result is None.
        """
        (binding,), body = part.bindings, part.body
        assert isinstance(binding, tree.OfOption)
        limits = () if self._own.of_whole_bars else self._own.game.rules.limits.items()
        falling = {name for name, limit in limits if limit.of}
        condition = necessary_condition(part.word, body)
        if condition is None or len(falling) != 1 or not binding.by or falling & {*binding.by}:
            return None, body
        (name,), (first, *rest) = falling, tree.conjuncts(condition)
        text = first.formula.text if isinstance(first, tree.Expression) else ""
        falls = {f"{name}' == {name}": False, f"{name}' < {name}": True}.get(text)
        if falls is None:
            return None, body
        left = tree.joined("and", rest) if rest else tree.TRUE
        return falls, tree.Implies(left, body.conclusion) if isinstance(
            body, tree.Implies
        ) else left

    def choices(
        self,
        bindings: Sequence[tree.Binding],
        batch: Batch,
        condition: tree.Proposition | None = None,
    ) -> Iterator[tuple[Ints, Batch]]:
        """Yield batches with bound variables, and the original row of each point.

        With a condition, choices that violate it may be left out.
        """
        if not bindings:
            yield np.arange(batch.size), batch
        if not bindings or not batch.size:
            return
        first, *rest = bindings
        later = self._own.names if tree.OfPosition() in rest else ()
        for rows, inner in self._bound(first, batch):
            for start in range(0, inner.size, BLOCK):
                part = slice(start, start + BLOCK)
                owners, chosen = rows[part], inner.chosen(part)
                self.points_left -= chosen.size
                if self.points_left < 0:
                    raise LimitError(
                        f"more than {MOST_POINTS:,} choices of positions and integers: a smaller bound has fewer"
                    )
                if condition is not None and isinstance(first, tree.InRange):
                    fitting = self._fitting(condition, chosen, later)
                    if fitting.size < chosen.size:
                        owners, chosen = owners[fitting], chosen.chosen(fitting)
                if not rest:
                    yield owners, chosen
                    continue
                for deeper, innermost in self.choices(rest, chosen, condition):
                    yield owners[deeper], innermost

    def _fitting(self, condition: tree.Proposition, batch: Batch, later: Collection[str]) -> Ints:
        """Return the rows that satisfy the first conjuncts of a condition.

        Conjuncts are evaluated from left to right, up to the first one with an unknown name or a name in `later`.
        """
        rows, known = np.arange(batch.size), self._named(batch)

        def evaluated(part: tree.Proposition) -> NDArray[Any] | None:
            if not isinstance(part, tree.Expression) or part.terms:
                return None
            names = part.formula.names
            if not (names <= known.keys() and names.isdisjoint(later)):
                return None
            few = {name: known[name] for name in names}
            if rows.size < batch.size:
                few = {n: v if isinstance(v, int) else v[rows] for n, v in few.items()}
            try:
                return np.broadcast_to(part.formula.evaluate_narrow(few), rows.size)
            except FormulaError:
                return None

        while isinstance(condition, tree.Let):
            known.pop(condition.name, None)
            if (values := evaluated(condition.value)) is not None:
                known[condition.name] = values
            condition = condition.body
        for part in tree.conjuncts(condition):
            if (held := evaluated(part)) is None:
                break
            rows = rows[np.flatnonzero(held)]
        return rows

    def _bound(self, binding: tree.Binding, batch: Batch) -> Iterator[tuple[Ints, Batch]]:
        """Yield batches with one more variable, and the original row of each point."""
        match binding:
            case tree.InRange(name, span, _):
                whole = {"": np.zeros(batch.size, np.int64)}
                first, step, counts = span.evaluate(whole | self._named(batch, span.names))
                if name in self.fixed:
                    above = self.fixed[name] - first
                    counts = (above >= 0) & (above % step == 0) & (above // step < counts)
                    first = np.full(batch.size, self.fixed[name])
                    counts = counts.astype(np.int64)
                most = int((first + step * (counts - 1)).max())
                dtype = narrowest(int(first.min()), most)
                for low, high in _pieces(counts):
                    number = counts[low:high]
                    rows = np.repeat(np.arange(low, high), number)
                    if not rows.size:
                        continue
                    # Sums modulo a power of 2, as those of narrow integers are, with a result in range.
                    starts = first[low:high] - step[low:high] * (np.cumsum(number) - number)
                    steps = np.arange(rows.size).astype(dtype) * step.astype(dtype)[rows]
                    values = np.repeat(starts.astype(dtype), number) + steps
                    yield rows, batch.chosen(rows).with_known(name, values)
            case tree.OfOption(by):
                assert batch.position is not None
                for start in range(0, batch.size, BLOCK // 8):
                    part = np.arange(start, min(start + BLOCK // 8, batch.size))
                    rows, option = self._own.options(batch.chosen(part).position or {}, by)
                    yield part[rows], replace(batch.chosen(part[rows]), option=option)
            case tree.OfPosition():
                for points in self._own.positions(self.bound):
                    size = next(iter(points.values())).size
                    for row in range(batch.size):
                        rows = np.full(size, row)
                        yield rows, replace(batch.chosen(rows), position=points, option=None)
            case tree.OfCell(names):
                sides = [most + 1 for most in self._own.game.limits(self.bound)]
                for _, cells in blocks_of(np.ones(sides, np.bool_), names):
                    size = cells[names[0]].size
                    together = max(1, BLOCK // size)
                    for start in range(0, batch.size, together):
                        part = np.arange(start, min(start + together, batch.size))
                        inner = batch.chosen(rows := np.repeat(part, size))
                        named = {name: np.tile(cell, part.size) for name, cell in cells.items()}
                        yield rows, replace(inner, known={**inner.known, **named})

    def defined(
        self, name: str, value: tree.Expression, batch: Batch
    ) -> Iterator[tuple[Ints, Batch]]:
        """Yield parts of a batch with the value of a definition: rows, and their points.

        Where the value is undefined, the name is missing; this is an error only if the name is used.
        """
        rows = np.arange(batch.size)
        try:
            values = self.value(value, batch)
        except (FormulaError, UndefinedError):
            if batch.size == 1:
                yield rows, batch
                return
            for half in np.array_split(rows, 2):
                for inner, points in self.defined(name, value, batch.chosen(half)):
                    yield half[inner], points
        else:
            yield rows, batch.with_known(name, values)

    def _place(self, place: tree.Place, batch: Batch) -> tuple[Board, Points]:
        if place.primed:
            assert batch.option is not None
            return self._own, batch.option
        if place.at is None:
            assert batch.position is not None
            return self._own, batch.position
        columns = [self.value(one, batch) for one in place.at]
        board = self._own if place.game is None else self._other(place, batch)
        if len(columns) != len(board.names):
            raise UndefinedError(
                f"a position of {board.game.notation} has {len(board.names)} coordinates, found {len(columns)}"
            )
        return board, dict(zip(board.names, columns, strict=True))

    def _other(self, place: tree.Place, batch: Batch) -> Board:
        """Return the board of another game, which must be the same one at all points."""
        assert place.game is not None
        values, named = dict[str, int](), self._named(batch)
        for name in place.game.names & named.keys():
            values[name], *others = np.unique(named[name]).tolist()
            if others:
                why = f"{name} has more than one value here, which is not supported"
                raise LimitError(f"{place.game.text}: {why}")
        game = game_of(place.game, values, self.games)
        if game.identity not in self._boards:
            board = Board(game, self._own.of_whole_bars and isinstance(game.base, RectangularBar))
            board.reach(max(game.limits(None)) if board.of_whole_bars else 0)
            self._boards[game.identity] = board
        return self._boards[game.identity]

    def _are_options(self, at: Sequence[tree.Expression], batch: Batch) -> Truths:
        names, position = self._own.names, batch.position
        assert position is not None
        columns = [position[name] for name in names]
        wanted = [self.value(one, batch) for one in at]
        box, pairs = self._own.box(self.bound), self._own.option_pairs(self.bound)
        if box is not None and pairs is not None and _inside(columns, box.legal.shape).all():
            pair = flat_index([*columns, *wanted], box.legal.shape * 2)
            is_option: Truths = pairs.reshape(-1).take(pair, mode="clip")
            return is_option & _inside(wanted, box.legal.shape)
        sides = tuple(int(values.max()) + 1 for values in columns)
        _, first, which = np.unique(
            np.ravel_multi_index(columns, sides), return_index=True, return_inverse=True
        )
        points = {name: values[first] for name, values in zip(names, columns, strict=True)}
        rows, option = self._own.options(points, ())
        listed = np.column_stack([rows, *(option[name] for name in names)])
        return _rows_in([which, *wanted], listed.tolist())

    def _printed_at(self, rows: Ints, columns: Ints) -> Ints:
        values = np.empty(rows.size, np.int64)
        for n, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            if not (0 <= i < len(self.printed) and 0 <= j < len(self.printed[i])):
                raise UndefinedError(f"printed({i}, {j}) does not exist")
            values[n] = self.printed[i][j]
        return values


def necessary_condition(word: tree.Word, body: tree.Proposition) -> tree.Proposition | None:
    """Return a condition on the choices that can decide a quantifier.

    It is the premise of `every`, if there is one, or the body of `some` or `no`.
    """
    if word != "every":
        return body
    if isinstance(body, tree.Let):
        premise = necessary_condition(word, body.body)
        return None if premise is None else replace(body, body=premise)
    return body.premise if isinstance(body, tree.Implies) else None


def _inside(columns: Sequence[Ints], sides: Sequence[int]) -> Truths:
    """Return a mask of the points inside a box."""
    pairs = zip(columns, sides, strict=True)
    return reduce(np.logical_and, ((at >= 0) & (at < side) for at, side in pairs))


def _pieces(counts: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with about `BLOCK` choices in total."""
    ends = np.cumsum(counts)
    low, done = 0, 0
    while low < counts.size:
        high = max(low + 1, int(np.searchsorted(ends, done + BLOCK, "right")))
        yield low, high
        low, done = high, int(ends[high - 1])


def _rows_in(row_columns: Sequence[Ints], listed: Iterable[Sequence[int]]) -> Truths:
    """Return a mask of the rows, given as columns, that are among the listed ones."""
    wanted = set(map(tuple, listed))
    rows = zip(*(column.tolist() for column in row_columns), strict=True)
    return np.fromiter((row in wanted for row in rows), np.bool_, row_columns[0].size)
