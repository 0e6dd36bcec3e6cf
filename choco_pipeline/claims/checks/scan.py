"""Scans of tables, slab by slab: machine code where possible, arrays otherwise.

Arrays are also faster for small tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.claims.checks.cell_loop import (
    BEYOND,
    FAILURES,
    FAULT,
    LEAST,
    MET,
    SETTLED,
    CellLoop,
    FormulaTask,
    LoopShape,
    ValuesTask,
    loop_for,
    nowhere,
)
from choco_pipeline.claims.checks.evidence import Pass, Tally
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.interval import Interval
from choco_pipeline.formula.machine_code import WIDTHS
from choco_pipeline.tables.cells import Cells, Slab
from choco_pipeline.tables.spec import NONE

#: Smaller tables are compared by arrays, which compare this number of cells in 50 ms, the time of a compilation.
FEWEST_CELLS = 1 << 21

#: Largest number of possible values of a formula that are counted in an array: a few megabytes.
MOST_VALUES = 1 << 18


def compare_by_scan(
    task: FormulaTask, tally: Tally, size: int, by_arrays: Callable[[Slab, Tally], None]
) -> Pass[None]:
    """Compare a table with a formula, and count in a tally.

    This pass stops after each slab. `by_arrays` compares one slab by arrays, and raises errors. It also finds the least failure,
    in the part of a slab up to the least size that the machine code found.
    """
    cells = tally.cells
    scan = Scan(task, cells, tally.reach)
    for slab in cells.slabs(size):
        counted = scan.run(slab)
        if counted is None:
            by_arrays(slab, tally)
            yield
            continue
        tally.add(counted.settled, counted.met, counted.failures)
        start = cells.first_of(slab)
        places = ((counted.least, tally.least), (counted.beyond, tally.beyond))
        sizes = [n for n, known in places if n is not None and tally.may_be_less(n, start, known)]
        if sizes:
            part = Tally(cells, tally.reach)
            by_arrays(cells.part_within(slab, max(sizes)), part)
            tally.take_least(part)
        yield


@dataclass(frozen=True)
class ScanResult:
    """The counts of one slab, with the sizes of the least failures."""

    settled: int
    met: int
    failures: int
    least: int | None
    beyond: int | None


@dataclass
class Scan:
    """A task on one table."""

    #: The instructions for each cell, and the cells.
    task: FormulaTask
    cells: Cells
    #: The largest coordinate that the statement is about; None for any.
    reach: int | None
    _bits: dict[Interval, tuple[int, tuple[tuple[str, Interval], ...]] | None] = field(
        default_factory=dict
    )

    def run(self, slab: Slab, arrays: Sequence[NDArray[np.int64]] = ()) -> ScanResult | None:
        """Return the counts of a slab; None if arrays must compare it."""
        if not _is_worth_it(self.cells):
            return None
        if not slab.cells.size or slab.cells.dtype not in (np.int16, np.int32):
            return None
        slab, order = _in_order(slab)
        loop = self._loop(slab, order)
        if loop is None:
            return None
        counts = loop.run(slab, order, self.reach, arrays)
        if counts[FAULT]:
            return None
        none = nowhere(loop.shape.bits)
        least = counts[LEAST] if counts[FAILURES] else None
        beyond = counts[BEYOND] if counts[BEYOND] != none else None
        return ScanResult(counts[SETTLED], counts[MET], counts[FAILURES], least, beyond)

    def ranges(self, held: Interval) -> dict[str, Interval]:
        """Return the ranges of all names for cells in an interval.

        Raises `FormulaError` if a solution may be too large.
        """
        variable = self.cells.variable
        ranges: dict[str, Interval] = {}
        for name, length in zip(variable.dims, self.cells.shape, strict=True):
            least = variable.first(name)
            ranges[name] = (least, _power_above(least + length - 1))
        tried = [solution.interval(ranges) for solution in self.task.solutions]
        if variable.stored is not None:
            low, high = held
            ranges[variable.stored] = (min(low, 0), max([0, high, *(last for _, last in tried)]))
        return ranges

    def _loop(self, slab: Slab, order: Sequence[int]) -> CellLoop | None:
        held = (0, 0) if self.cells.variable.stored is None else _limits_of(slab.cells)
        if held not in self._bits:
            self._bits[held] = self._width(held)
        width = self._bits[held]
        if width is None:
            return None
        bits, ranges = width
        variable = self.cells.variable
        stored = variable.stored
        shape = LoopShape(
            dims=tuple(variable.dims[axis] for axis in order),
            sized=self.cells.game.base.coordinates,
            stored=stored,
            everywhere=stored is not None and self.cells.free is None,
            limited=self.cells.free is None,
            cell_bits=8 * slab.cells.itemsize,
            top_varies=slab.tops is not None and slab.tops.strides[order[-1]] != 0,
            narrow_sums=_fewest_digits_suffice(slab, order[-1]),
            has_reach=self.reach is not None,
            bits=bits,
            ranges=ranges,
        )
        return loop_for(self.task, shape)

    def _width(self, held: Interval) -> tuple[int, tuple[tuple[str, Interval], ...]] | None:
        """Return the least bit width without overflows, if any, and the ranges of names."""
        try:
            ranges = self.ranges(held)
        except FormulaError:
            return None
        for bits in WIDTHS:
            largest = max(high for _, high in ranges.values())
            formulas = (*self.task.formulas, *self.task.solutions)
            if largest < nowhere(bits) and all(formula.fits(ranges, bits) for formula in formulas):
                return bits, tuple(ranges.items())
        return None


@dataclass(frozen=True)
class ValueCounts:
    """Ascending values at P-positions, with counts and least sizes of positions."""

    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    nearest: NDArray[np.int64]


_Counting = tuple[Scan, int, NDArray[np.int64], NDArray[np.int64]]


@dataclass
class ValueScan:
    """The values of a formula at the P-positions of one table."""

    #: The formula, and the condition on P-positions; None for all.
    formula: Formula
    where: Formula | None
    #: As in `Scan`; larger positions are excluded.
    cells: Cells
    reach: int | None
    _counting: dict[Interval, _Counting | None] = field(default_factory=dict)

    def run(self, slab: Slab) -> ValueCounts | None:
        """Return the values in a slab; None if arrays have to compute them."""
        if not slab.cells.size or not _is_worth_it(self.cells):
            return None
        held = range_of(slab.cells)
        if held not in self._counting:
            self._counting[held] = self._counting_of(held)
        if (counting := self._counting[held]) is None:
            return None
        scan, low, counts, nearest = counting
        counted = scan.run(slab, (counts, nearest))
        found = np.flatnonzero(counts)
        values = ValueCounts(found + low, counts[found], nearest[found])
        counts[found], nearest[found] = 0, np.iinfo(np.int64).max
        return None if counted is None else values

    def _counting_of(self, held: Interval) -> _Counting | None:
        """Return the scan for cells in an interval, the least value, and two arrays.

        The arrays, of counts and of least sizes, are empty. Making them takes as long as scanning a slab, so they are kept. None if
        a scan cannot count the values.
        """
        task = FormulaTask(self.formula, self.where)
        try:
            ranges = Scan(task, self.cells, self.reach).ranges(held)
            low, high = self.formula.interval(ranges)
        except FormulaError:
            return None
        if high - low >= MOST_VALUES:
            return None
        variable = self.cells.variable
        p_value = None if variable.stored is not None else int(variable.name != "grundy")
        counted = ValuesTask(self.formula, self.where, p_value, low, high)
        counts = np.zeros(high - low + 1, np.int64)
        nearest = np.full(counts.size, np.iinfo(np.int64).max)
        return Scan(counted, self.cells, self.reach), low, counts, nearest


def _is_worth_it(cells: Cells) -> bool:
    return math.prod(cells.shape) >= FEWEST_CELLS and cells.variable.face is None


def _in_order(slab: Slab) -> tuple[Slab, Sequence[int]]:
    """Return a slab, and its dimensions in the order of memory, innermost last."""
    cells, tops = slab.cells, slab.tops
    order = sorted(range(cells.ndim), key=lambda axis: -abs(cells.strides[axis]))
    if cells.strides[order[-1]] != cells.itemsize:
        order = list(range(cells.ndim))
        cells = np.ascontiguousarray(cells)
    if tops is not None and tops.strides[order[-1]] not in (0, tops.itemsize):
        tops = np.ascontiguousarray(tops.transpose(order)).transpose(np.argsort(order))
    return Slab(slab.starts, cells, tops), order


def _fewest_digits_suffice(slab: Slab, axis: int) -> bool:
    """Whether a line of columns has fewer positions than 32 bits can count."""
    if slab.tops is None:
        return True
    highest = int(slab.tops[(-1,) * slab.tops.ndim])  # heights never fall
    length: int = slab.cells.shape[axis]
    return (highest + 1) * length < 1 << 31


def _limits_of(cells: NDArray[np.integer]) -> Interval:
    """Return a range that contains all cells, that of the type if it is narrow."""
    if cells.itemsize > 2:
        return range_of(cells)
    limits = np.iinfo(cells.dtype)
    return int(limits.min), int(limits.max)


def range_of(cells: NDArray[np.integer]) -> Interval:
    """Return a generous range of all cells except `NONE`, to suit many slabs."""
    low, high = int(cells.min()), int(cells.max())
    return (0 if low >= NONE else -1 - _power_above(-low)), max(_power_above(high), (1 << 15) - 1)


def _power_above(value: int) -> int:
    """Return the largest integer of the same bit length; 0 for negative values."""
    return (1 << max(value, 0).bit_length()) - 1
