"""Statements on all monotone height functions in a box.

A property of f is compared with a formula for its Grundy numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.kinds import HeightFunctions
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError, parse_range
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.statements.tree import TRUE, Expression, InRange
from choco_pipeline.tables.cells import Points, Truths

#: Largest number of integers in one array of the search.
BLOCK = 1 << 20

#: The largest number of height functions: some minutes of work.
MOST_FUNCTIONS = 1 << 23

#: The largest number of choices of integers in a property.
MOST_POINTS = 1 << 20

#: A set of Grundy numbers is stored as the bits of one word, so they are less than this.
WORD = 64


def find_height_functions(check: HeightFunctions, bound: int, block: int = BLOCK) -> Finding:
    """Judge a statement on all monotone height functions in a box.

    Arguments run up to `bound`, the value of `N`. Raises `FormulaError` if a formula has no value where it is needed, or the
    height is negative; `LimitError` if there are too many functions, too many integers, or Grundy numbers from 64.

    The counterexample is the least function: by its largest height, then by its heights in the order of the arguments. Its position
    is the least one whose Grundy number differs from the claimed one. If the function has the formula but not the property, it is
    the first choice of integers that violates the property. The evidence counts all `functions`, those with the property
    (`with_property`) and those with the formula (`with_formula`).
    """
    box = _Box(check, bound)
    least: tuple[int, tuple[int, ...]] | None = None
    functions = with_property = with_formula = 0
    for heights in box.functions(block):
        has_property, has_formula = box.has_property(heights), box.has_formula(heights)
        functions += len(heights)
        with_property += int(has_property.sum())
        with_formula += int(has_formula.sum())
        wrong: Truths = {
            "exactly": has_property ^ has_formula,
            "if": has_property & ~has_formula,
            "only-if": has_formula & ~has_property,
        }[check.relation]
        if wrong.any():
            rows = heights.reshape(len(heights), -1)[wrong]
            row: list[int] = rows[rows[:, -1].argmin()].tolist()
            failing = row[-1], tuple(row)
            least = failing if least is None else min(least, failing)
    evidence = {
        "functions": functions,
        "with_property": with_property,
        "with_formula": with_formula,
    }
    if least is not None:
        heights = np.array(least[1]).reshape(1, *box.shape)
        return Finding(Refuted(box.counterexample(heights), functions), evidence)

    if not {"exactly": functions, "if": with_property, "only-if": with_formula}[check.relation]:
        what = "property" if check.relation == "if" else "formula"
        why = f"no height function with arguments up to {bound} has the {what}"
        return Finding(Undecided(why), evidence)
    up_to = f"with arguments up to {bound} and heights up to {box.height}"
    sense = f"for all {functions:,} monotone height functions {up_to}"
    return Finding(HoldsToBound(functions, bound, sense, "function"), evidence)


def number_of_height_functions(n_x: int, n_z: int, height: int) -> int:
    """Count the monotone f from n_x × n_z arguments to 0..height.

    These are plane partitions, counted by MacMahon's formula.

    Examples
    --------
    >>> number_of_height_functions(1, 9, 8)
    24310
    """
    sides = ((x, z) for x in range(1, n_x + 1) for z in range(1, n_z + 1))
    return int(math.prod(Fraction(x + z + height - 1, x + z - 1) for x, z in sides))


def grundy_numbers(heights: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the Grundy numbers of many solid bars; with one x, of bars (y, z).

    The heights, int64 [functions, n_x, n_z], must be monotone along x and z, and so small that no position has 64 options. The
    numbers are int8 [functions, n_x, n_z, n_y], where n_y = heights.max() + 1, and -1 above the heights.
    """
    functions, n_x, n_z = heights.shape
    n_y = int(heights.max()) + 1
    one = np.uint64(1)
    grundy = np.empty((n_x, n_z, n_y, functions), np.int8)
    by_x = np.zeros(
        (n_z, n_y, functions), np.uint64
    )  # the Grundy numbers that moves along x reach, for each z and y
    for x in range(n_x):
        by_z = np.zeros((n_y, functions), np.uint64)
        for z in range(n_z):
            height = heights[:, x, z]
            below = np.zeros(functions, np.uint64)  # Grundy numbers of (x, v, z), v < y
            bit = below
            for y in range(n_y):
                used = below | by_x[z, y] | by_z[y]
                exists = y <= height
                # Above the height, a cut to this column leaves its highest position.
                bit = np.where(exists, ~used & (used + one), bit)
                grundy[x, z, y] = np.where(exists, np.bitwise_count(bit - one).astype(np.int8), -1)
                below |= bit
                by_x[z, y] |= bit
                by_z[y] |= bit
    return np.ascontiguousarray(np.moveaxis(grundy, -1, 0))


@dataclass(frozen=True)
class _Box:
    """The monotone height functions of a box, and a statement about them."""

    check: HeightFunctions
    bound: int

    @property
    def known(self) -> dict[str, int]:
        return {"N": self.bound}

    @cached_property
    def height(self) -> int:
        formula = self.check.height
        height = int(formula.value(self.known))
        if height < 0:
            why = f"the largest height is at least 0, found {height}"
            raise FormulaError(why, formula.source, 1)
        return height

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of arguments x and z; there is one x for functions of z alone."""
        return (1 if self.check.arguments == 1 else self.bound + 1), self.bound + 1

    @cached_property
    def points(self) -> Points:
        where = TRUE if self.check.where is None else Expression(self.check.where)
        bindings = [InRange(name, span) for name, span in self.check.all.items()]
        evaluation = Evaluation(None, self.bound, self.known)
        rows, found = 0, [np.empty((0, len(bindings)), np.int64)]
        for _, batch in evaluation.choices(bindings, evaluation.start(), where):
            chosen = batch.chosen(evaluation.holds(where, batch))
            rows += chosen.size
            if rows > MOST_POINTS:
                raise LimitError(
                    f"the property is about more than {MOST_POINTS:,} choices of integers: a smaller bound has fewer"
                )
            found.append(np.stack([chosen.known[name] for name in self.check.all], axis=1))
        return dict(zip(self.check.all, np.concatenate(found).T, strict=True))

    @property
    def number_of_points(self) -> int:
        return next(iter(self.points.values())).size

    @cached_property
    def claimed(self) -> NDArray[np.int64]:
        """The claimed Grundy numbers, [n_x, n_z, n_y]."""
        shape = (*self.shape, self.height + 1)
        x, z, y = np.ogrid[tuple(map(slice, shape))]
        claimed = self.check.grundy.evaluate({"x": x, "y": y, "z": z})
        return np.broadcast_to(claimed, shape).astype(np.int64, copy=False)

    def functions(self, block: int) -> Iterator[NDArray[np.int64]]:
        """Yield arrays [functions, n_x, n_z] of all functions, in lexicographic order."""
        n_x, n_z = self.shape
        number = number_of_height_functions(n_x, n_z, self.height)
        box = f"arguments up to {self.bound} and heights up to {self.height}"
        if number > MOST_FUNCTIONS:
            raise LimitError(
                f"there are {number:,} monotone height functions with {box}, at most {MOST_FUNCTIONS:,} are allowed:"
                " a smaller bound has fewer"
            )
        if n_x + n_z - 2 + self.height >= WORD:
            raise LimitError(f"{box} have Grundy numbers from {WORD} on: a smaller bound is needed")
        spans = {}
        for x in range(n_x):
            for z in range(n_z):
                before = [f"f{x - 1}_{z}"] if x else []
                before += [f"f{x}_{z - 1}"] if z else []
                lowest = f"max({', '.join(before)})" if len(before) > 1 else "".join(before) or "0"
                spans[f"f{x}_{z}"] = parse_range(f"{lowest}..{self.height}")
        largest = max(self.number_of_points, n_x * n_z * (self.height + 1))
        together = max(1, block // largest)
        bindings = [InRange(name, span) for name, span in spans.items()]
        evaluation = Evaluation(None, self.bound, {})
        for _, batch in evaluation.choices(bindings, evaluation.start()):
            heights = np.stack([batch.known[name] for name in spans], axis=1)
            for start in range(0, len(heights), together):
                yield heights[start : start + together].reshape(-1, n_x, n_z)

    def has_formula(self, heights: NDArray[np.int64]) -> Truths:
        """Return a mask of the functions whose Grundy numbers are all as claimed."""
        grundy = grundy_numbers(heights)
        right = (grundy < 0) | (grundy == self.claimed[:, :, : grundy.shape[3]])
        holds: Truths = np.all(right, axis=(1, 2, 3))
        return holds

    def has_property(self, heights: NDArray[np.int64]) -> Truths:
        """Return a mask of the functions with the property."""
        tables = heights.reshape(len(heights), -1)
        try:
            together = self._truths_together(tables)
        except FormulaError:
            together = None
        if together is not None:
            return together
        return np.array([bool(self._truths(table).all()) for table in tables], np.bool_)

    def _truths(self, table: NDArray[np.int64]) -> Truths:
        """Return a mask of the points at which one function satisfies the condition."""
        truths = self.check.condition.evaluate({**self.known, **self.points}, {"f": table})
        return np.broadcast_to(truths, (self.number_of_points,)).astype(np.bool_, copy=False)

    def _truths_together(self, tables: NDArray[np.int64]) -> Truths | None:
        """Return a mask of the functions with the property, or None outside the box."""
        condition, look_ups = self.check.condition.name_look_ups("f", "F")
        shape = (len(tables), self.number_of_points)
        env: dict[str, int | NDArray[np.int64]] = {**self.known, **self.points}
        for name, argument in look_ups.items():
            index = np.broadcast_to(argument.evaluate(env), shape).astype(np.int64, copy=False)
            if index.size and (index.min() < 0 or index.max() >= tables.shape[1]):
                return None
            env[name] = np.take_along_axis(tables, index, axis=1)
        truths: Truths = np.all(np.broadcast_to(condition.evaluate(env), shape), axis=1)
        return truths

    def counterexample(self, heights: NDArray[np.int64]) -> Counterexample:
        is_flat = self.check.arguments == 1
        rows = [tuple(row) for row in heights[0].tolist()]
        function = f"f = {rows[0] if is_flat else tuple(rows)}"
        grundy = grundy_numbers(heights)[0]
        wrong = np.argwhere((grundy >= 0) & (grundy != self.claimed[:, :, : grundy.shape[2]]))
        numbers = math_text(self.check.grundy)
        if not wrong.size:
            first = int(self._truths(heights.reshape(-1)).argmin())
            place = tuple(int(values[first]) for values in self.points.values())
            claimed = math_text(self.check.condition)
            actual = f"{function} has Grundy numbers {numbers}, but {claimed} is false"
            return Counterexample(actual, claimed, place, tuple(self.points))
        x, z, y = min(wrong.tolist(), key=lambda at: (max(at), at[0], at[2], at[1]))
        place, names = ((y, z), ("y", "z")) if is_flat else ((x, y, z), ("x", "y", "z"))
        actual = f"{function} has the property, and Grundy number {grundy[x, z, y]}"
        return Counterexample(actual, f"{numbers} = {self.claimed[x, z, y]}", place, names)
