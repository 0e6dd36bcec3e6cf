"""All integers in ranges that satisfy conditions, block by block, with names for what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.ranges import Range
from choco_pipeline.tables.reading.cells import BLOCK, Points, select

#: Choices of integers that are looked at before a statement counts as too large: some minutes' worth.
MOST_VISITED = 1 << 31


@dataclass
class EvaluationBudget:
    """How many choices may still be looked at, partial ones counted."""

    left: int = MOST_VISITED

    def spend(self, visited: float) -> None:
        """Take off some; `LimitError` if there are not so many left."""
        if visited > self.left:
            raise LimitError(
                f"there are more than {MOST_VISITED:,} choices of integers to look at: a smaller bound has fewer"
            )
        self.left -= int(visited)


@dataclass(frozen=True)
class Choices:
    """Every choice of integers, one for each name."""

    #: A range for each name; it may use the names before it.
    spans: Mapping[str, Range]
    #: Further names, for integers that follow from these and from earlier ones.
    let: Mapping[str, Formula] = field(default_factory=dict)
    #: What is supposed. A condition is asked as soon as its names are known: what that leaves out is not looked at
    #: further. A formula that has no value where it is first asked is asked again when more is known, so that any
    #: condition protects all others and `let`; it is an error only if that never gives it a value.
    where: Sequence[Formula] = ()
    #: Integers that formulas may use, and that are no choice.
    known: Mapping[str, int] = field(default_factory=dict)
    #: The one value that a name is to have; none if its range does not hold that.
    fixed: Mapping[str, int] = field(default_factory=dict)

    def blocks(
        self, budget: EvaluationBudget, block: int = BLOCK, start: Points | None = None
    ) -> Iterator[Points]:
        """Yield the choices in the order of the names, the first slowest; at most `block` of them together.

        Every choice looked at is taken off the budget. With integers to `start` from, all their names are in the blocks, too.
        Raises `FormulaError` if a formula has no value, or may leave 64 bits; `LimitError` if the budget does not suffice.
        """
        waiting: list[tuple[str | None, Formula]] = [(None, condition) for condition in self.where]
        waiting += self.let.items()
        yield from self._below(list(self.spans), start or {}, waiting, budget, block)

    def _below(
        self,
        names: list[str],
        points: Points,
        waiting: list[tuple[str | None, Formula]],
        budget: EvaluationBudget,
        block: int,
    ) -> Iterator[Points]:
        """Yield the blocks below some choices of the names before `names`; `waiting` is what was not asked yet."""
        name, *rest = names
        for wider in self._expanded(name, points, budget, block):
            fitting, still_waiting = self._asked(wider, waiting, required=not rest)
            if not _count(fitting):
                continue
            if rest:
                yield from self._below(rest, fitting, still_waiting, budget, block)
            else:
                yield fitting

    def _expanded(
        self, name: str, points: Points, budget: EvaluationBudget, block: int
    ) -> Iterator[Points]:
        """Yield the points with every integer of the next name's range."""
        span = self.spans[name]
        env = points | {key: np.array([value]) for key, value in self.known.items()}
        first, step, counts = span.evaluate(env)
        if name in self.fixed:
            value = self.fixed[name]
            counts = ((first <= value) & ((value - first) % step == 0)) & (
                value <= first + (counts - 1) * step
            )
            first = np.full(first.shape, value)
        budget.spend(float(counts.sum(dtype=np.float64)))
        ends = np.cumsum(counts, dtype=np.int64)
        starts = ends - counts
        total = int(counts.sum())
        for low in range(0, total, block):
            high = min(low + block, total)
            rows = slice(
                int(np.searchsorted(ends, low, "right")),
                int(np.searchsorted(ends, high, "left")) + 1,
            )
            parts = np.minimum(ends[rows], high) - np.maximum(starts[rows], low)
            wider = {key: np.repeat(values[rows], parts) for key, values in points.items()}
            begin = first[rows] - starts[rows] * step[rows]
            wider[name] = np.repeat(begin, parts) + np.arange(low, high) * np.repeat(
                step[rows], parts
            )
            yield wider

    def _asked(
        self, points: Points, waiting: list[tuple[str | None, Formula]], *, required: bool
    ) -> tuple[Points, list[tuple[str | None, Formula]]]:
        """Return the points that satisfy what can be asked of them, with what `let` adds; and what can't be asked yet."""
        asked = True
        while waiting and asked:
            asked = False
            later: list[tuple[str | None, Formula]] = []
            refusal: FormulaError | None = None
            for name, formula in waiting:
                if not required and not formula.names <= points.keys() | self.known.keys():
                    later.append((name, formula))
                    continue
                try:
                    values = values_at(formula, points, self.known)
                except FormulaError as error:
                    refusal = refusal or error
                    later.append((name, formula))
                    continue
                asked = True
                if name is not None:
                    points = points | {name: values.astype(np.int64, copy=False)}
                elif not values.all():
                    points = select(points, values.astype(np.bool_))
                if not _count(points):
                    return points, []
            waiting = later
            if required and refusal is not None and not asked:
                raise refusal
        return points, waiting


def values_at(
    formula: Formula, points: Points, known: Mapping[str, int]
) -> NDArray[np.int64 | np.bool_]:
    """Return the value of a formula at each point, with further names that have one value."""
    return np.broadcast_to(formula.evaluate({**known, **points}), (_count(points),))


def _count(points: Points) -> int:
    return next(iter(points.values())).size
