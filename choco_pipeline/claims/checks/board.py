"""Values and options of many positions of a game at once.

A statement may use positions beyond the table of its claim, and positions of other games. A board is a table of Grundy
numbers that grows on demand. For uncut rectangular bars, with the poisoned cell as coordinates, it holds P-positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.options import Box, box_sides
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.games.listing import results_of
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.tables.cells import Ints, Points, Truths
from choco_pipeline.tables.computing import cost_of, require_memory, table
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import NONE, Quantity, variable_of

#: The largest box of positions whose options are found at once: some ten megabytes, some tenths of a second.
MOST_CELLS = 1 << 20
#: A board that takes longer to compute is refused.
MOST_SECONDS = 60.0
#: Options of all positions of one step together.
MOST_OPTIONS = 1 << 24


@dataclass
class Board:
    """The Grundy numbers of a game's positions, or the outcomes of uncut bars."""

    game: Ruleset
    #: Whether the coordinates are those of the poisoned cell, and the passes left.
    of_whole_bars: bool = False
    _values: NDArray[np.integer] = field(default_factory=lambda: np.empty(0, np.int32))
    _bound: int = -1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        game = self.game
        return ("i", "j", *game.coordinates[4:]) if self.of_whole_bars else game.coordinates

    @property
    def holds_outcomes(self) -> bool:
        """Whether the table holds 1 for P-positions, and no Grundy numbers."""
        return self.of_whole_bars or self.game.rules.misere

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
            raise LimitError(
                f"{self.game.notation}: its table up to {bound:,} takes about {cost.seconds:,.0f} s (at most {MOST_SECONDS:,.0f} s)"
            )
        variable = variable_of(self.game, quantity)
        data = table(self.game, bound, quantity)[variable.name]
        self._values, self._bound = data.transpose(*self.names).to_numpy(), bound

    def box(self, bound: int) -> Box | None:
        """Return the positions up to a bound as arrays, if they are at most `MOST_CELLS`.

        None for uncut bars, and for games whose rules do not determine the options.
        """
        game = self.game
        if self.of_whole_bars or game.has_own_options or game.rules.needs_listing:
            return None
        bound = max(game.base.limits()) if self.is_finite else bound
        return Box.of(game, bound) if math.prod(box_sides(game, bound)) <= MOST_CELLS else None

    def positions(self, bound: int, block: int) -> Iterator[Points]:
        """Yield the positions up to a bound in blocks, in lexicographic order."""
        box = self.box(bound) if bound > self._bound else None
        if box is not None:  # a statement on moves alone needs no table
            yield from (points for _, points in box.positions(block))
            return
        self.reach(bound)
        shape = self._values.shape
        limits = [n - 1 for n in shape] if self.of_whole_bars else self.game.limits(bound)
        sides = [min(n, most + 1) for n, most in zip(shape, limits, strict=True)]
        values = self._values[tuple(map(slice, sides))]
        flat = np.flatnonzero(values.reshape(-1) != NONE)
        first = int(self.of_whole_bars)
        for start in range(0, flat.size, block):
            index = np.unravel_index(flat[start : start + block], values.shape)
            yield {
                name: at.astype(np.int64) + (first if name in ("i", "j") else 0)
                for name, at in zip(self.names, index, strict=True)
            }

    def sizes(self, points: Points) -> Ints:
        """Return the largest coordinate of each position, passes left not counted."""
        heaps = self.names[: len(self.names) - bool(self.game.passes)]
        return reduce(np.maximum, (points[name] for name in heaps))

    def values(self, points: Points) -> Ints:
        """Return the cells of the table at the points.

        Raises `UndefinedError` for the first point that is not a position.
        """
        rules = self.game.rules
        columns = [points[name] for name in self.names]
        if not columns[0].size:
            return np.empty(0, np.int64)
        least = int(self.of_whole_bars)
        if not self.of_whole_bars:
            needed = max((int(points[name].max()) for name in rules.unbounded), default=0)
            self.reach(max(needed, 0))
        index, inside = [], np.ones(columns[0].size, np.bool_)
        for name, values, side in zip(self.names, columns, self._values.shape, strict=True):
            at = values - (least if name in ("i", "j") else 0)
            inside &= (at >= 0) & (at < side)
            index.append(at)
        held = np.full(inside.size, NONE, np.int64)
        held[inside] = self._values[tuple(at[inside] for at in index)]
        if (held == NONE).any():
            row = int((held == NONE).argmax())
            position = tuple(int(values[row]) for values in columns)
            raise UndefinedError(f"{position} is no position of {self.game.notation}")
        return held

    def are_p(self, points: Points) -> Truths:
        """Return a mask of the P-positions."""
        held: Truths = self.values(points) == (1 if self.holds_outcomes else 0)
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

        The first array holds the row of the position of each option, the second result its coordinates. With `by`, only moves
        that lower no other coordinates count. Raises `LimitError` if there are too many options.
        """
        if self.game.has_own_options:
            return self._listed(points, by)
        rows, columns = [], []
        for move in self.game.rules.moves:
            if by and not set(move.lowers) <= set(by):
                continue
            for row, (option, *others) in results_of(self.game.rules, move, points):
                if others:
                    raise LimitError(
                        f"{self.game.notation}: a move splits, and leaves two positions"
                    )
                rows.append(row)
                columns.append(np.stack([option[name] for name in self.names], axis=1))
                if sum(map(len, rows)) > MOST_OPTIONS:
                    raise LimitError(
                        f"more than {MOST_OPTIONS:,} options at once: a smaller bound has fewer"
                    )
        if not rows:
            return np.empty(0, np.int64), {name: np.empty(0, np.int64) for name in self.names}
        table_of = np.column_stack([np.concatenate(rows), np.concatenate(columns)])
        distinct = np.unique(table_of, axis=0)
        return distinct[:, 0], dict(zip(self.names, distinct[:, 1:].T, strict=True))

    def _listed(self, points: Points, by: Sequence[str]) -> tuple[Ints, Points]:
        """Return options as the game lists them, position by position."""
        if by:
            raise LimitError(f"{self.game.notation} does not say which moves lower {', '.join(by)}")
        positions = zip(*(points[name].tolist() for name in self.names), strict=True)
        found = [(row, q) for row, at in enumerate(positions) for q in set(self.game.options(at))]
        rows = np.array([row for row, _ in found], np.int64)
        columns = np.array([q for _, q in found], np.int64).reshape(-1, len(self.names))
        return rows, dict(zip(self.names, columns.T, strict=True))
