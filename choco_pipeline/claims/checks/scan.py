"""Scans of tables, slab by slab: machine code where possible, arrays otherwise.

Arrays are also faster for small tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

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
        tally.settled += counted.settled
        tally.met += counted.met
        tally.failures += counted.failures
        start = cells.first_of(slab)
        places = ((counted.least, tally.least), (counted.beyond, tally.beyond))
        sizes = [n for n, known in places if n is not None and tally.may_be_less(n, start, known)]
        if sizes:
            part = Tally(cells, tally.reach)
            by_arrays(cells.part_within(slab, max(sizes)), part)
            tally.take_least(part)
        yield


class ScanResult(NamedTuple):
    """The counts of one slab, with the sizes of the least failures."""

    settled: int
    met: int
    failures: int
    least: int | None
    beyond: int | None


@dataclass
class Scan:
    """A task on one table."""

    #: The instructions for each cell.
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
        counts = None if loop is None else loop.run(slab, order, self.reach, arrays)
        if loop is None or counts is None or counts[FAULT]:
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
        variable = self.cells.variable
        stored, last = variable.stored, order[-1]
        held = (0, 0)
        if stored is not None:  # a range of all cells, that of the type if it is narrow
            limits = np.iinfo(slab.cells.dtype)
            is_wide = slab.cells.itemsize > 2
            held = range_of(slab.cells) if is_wide else (int(limits.min), int(limits.max))
        if held not in self._bits:
            self._bits[held] = self._width(held)
        width = self._bits[held]
        if width is None:
            return None
        bits, ranges = width
        is_narrow = True
        if slab.tops is not None:  # heights never fall
            highest = int(slab.tops[(-1,) * slab.tops.ndim])
            is_narrow = (highest + 1) * slab.cells.shape[last] < 1 << 31
        shape = LoopShape(
            dims=tuple(variable.dims[axis] for axis in order),
            sized=self.cells.game.base.coordinates,
            stored=stored,
            everywhere=stored is not None and self.cells.free is None,
            limited=self.cells.free is None,
            cell_bits=8 * slab.cells.itemsize,
            top_varies=slab.tops is not None and slab.tops.strides[last] != 0,
            narrow_sums=is_narrow,
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
        largest = max(high for _, high in ranges.values())
        formulas = (*self.task.formulas, *self.task.solutions)
        for bits in WIDTHS:
            if largest < nowhere(bits) and all(formula.fits(ranges, bits) for formula in formulas):
                return bits, tuple(ranges.items())
        return None


class ValueCounts(NamedTuple):
    """Ascending values at P-positions, with counts and least sizes of positions."""

    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    nearest: NDArray[np.int64]


@dataclass
class ValueScan:
    """The values of a formula at the P-positions of one table."""

    #: The formula, and the condition on P-positions; None for all.
    formula: Formula
    where: Formula | None
    #: As in `Scan`; larger positions are excluded.
    cells: Cells
    reach: int | None
    #: For each range of cells the scan, the least value, and empty arrays of counts and of least sizes. Making these takes as
    #: long as scanning a slab, so they are kept. None if a scan cannot count the values.
    _counting: dict[Interval, tuple[Scan, int, NDArray[np.int64], NDArray[np.int64]] | None] = (
        field(default_factory=dict)
    )

    def run(self, slab: Slab) -> ValueCounts | None:
        """Return the values in a slab; None if arrays have to compute them."""
        if not slab.cells.size or not _is_worth_it(self.cells):
            return None
        held = range_of(slab.cells)
        if held not in self._counting:
            self._prepare(held)
        if (counting := self._counting[held]) is None:
            return None
        scan, low, counts, nearest = counting
        counted = scan.run(slab, (counts, nearest))
        found = np.flatnonzero(counts)
        values = ValueCounts(found + low, counts[found], nearest[found])
        counts[found], nearest[found] = 0, np.iinfo(np.int64).max
        return None if counted is None else values

    def _prepare(self, held: Interval) -> None:
        self._counting[held] = None
        task = FormulaTask(self.formula, self.where)
        try:
            ranges = Scan(task, self.cells, self.reach).ranges(held)
            low, high = self.formula.interval(ranges)
        except FormulaError:
            return
        if high - low >= MOST_VALUES:
            return
        variable = self.cells.variable
        p_value = None if variable.stored is not None else int(variable.name != "grundy")
        counted = ValuesTask(self.formula, self.where, p_value, low, high)
        counts = np.zeros(high - low + 1, np.int64)
        nearest = np.full(counts.size, np.iinfo(np.int64).max)
        self._counting[held] = Scan(counted, self.cells, self.reach), low, counts, nearest


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


def range_of(cells: NDArray[np.integer]) -> Interval:
    """Return a generous range of all cells except `NONE`, to suit many slabs."""
    low, high = int(cells.min()), int(cells.max())
    return (0 if low >= NONE else -1 - _power_above(-low)), max(_power_above(high), (1 << 15) - 1)


def _power_above(value: int) -> int:
    """Return the largest integer of the same bit length; 0 for negative values."""
    return (1 << max(value, 0).bit_length()) - 1
