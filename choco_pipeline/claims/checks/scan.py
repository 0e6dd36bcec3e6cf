"""Scans of tables: formulas compared with all cells of a large table, slab by slab, as machine code.

A loop counts the failures. Array code finds the least failure, and raises all errors, on a part of the cells. It is also faster for
small tables. A task emits the instructions for one cell, without a branch. Its counts stay in registers until the end of a line of
cells. LLVM vectorises the loop, which takes 0.2 to 1 ns per cell; it is compiled in 20 to 60 ms. No text ever becomes code:
instructions are built one by one from the parts of formulas.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np
from llvmlite import binding, ir
from numpy.typing import NDArray

from choco_pipeline.claims.checks.evidence import Pass, Tally
from choco_pipeline.claims.kinds.shapes import Containment
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.interval import Interval
from choco_pipeline.formula.machine_code import WIDTHS, MachineFormulas
from choco_pipeline.tables.cells import Cells, Slab
from choco_pipeline.tables.spec import NONE

_BIT, _I64, _POINTER = ir.IntType(1), ir.IntType(64), ir.PointerType()
#: The results of a loop, in this order; least sizes are `nowhere` if nothing failed.
SETTLED, MET, FAILURES, LEAST, BEYOND, FAULT = range(6)


def nowhere(bits: int) -> int:
    """Return the size of no position, larger than that of each.

    It is not the largest integer: LLVM would remove the minimum with that, and not recognise a reduction.
    """
    return (1 << bits - 1) - 2


@dataclass(frozen=True)
class LoopShape:
    """The properties of a slab on which the code of its loop depends."""

    #: The dimensions; the last one has adjacent cells.
    dims: tuple[str, ...]
    #: The coordinates whose maximum is the size of a position.
    sized: tuple[str, ...]
    #: The coordinate of P-positions in cells; None for other contents.
    stored: str | None
    #: Whether a cell represents a column even if it is `NONE`.
    everywhere: bool
    #: Whether the stored coordinate has a largest legal value.
    limited: bool
    #: Bits of the integers in cells.
    cell_bits: int
    #: Whether the largest value of the stored coordinate varies along the last dimension.
    top_varies: bool
    #: Whether a line of columns has fewer than 2³¹ positions.
    narrow_sums: bool
    #: Whether failures beyond a size are counted separately.
    has_reach: bool
    #: Bits of the integers in formulas.
    bits: int
    #: The range of values of each name.
    ranges: tuple[tuple[str, Interval], ...]


@dataclass
class Registers:
    """Values of the loops around the instructions for a cell."""

    #: The builder of instructions.
    build: ir.IRBuilder
    #: The function's arguments.
    arguments: Sequence[ir.Value]
    #: Pointers to the cell and to the largest value of the stored coordinate, if there is one.
    cell: ir.Value
    top: ir.Value | None
    #: The slot of each counter for the current line.
    counters: Mapping[int, ir.Value]
    #: The slot of the number of settled positions, which may not fit into a counter.
    wide_sum: ir.Value
    #: The slots of the least sizes.
    least: Mapping[int, ir.Value]
    #: The coordinates of the cell by name.
    coordinates: dict[str, ir.Value] = field(default_factory=dict)


class CellCode:
    """The instructions for one cell, written by a task with `build`.

    `value` is the content of the cell and `top` the largest legal value of the stored coordinate. `exists` is true if the cell
    represents a position or a column, and `held` if it is not empty: a column with a P-position.
    """

    def __init__(self, shape: LoopShape, registers: Registers) -> None:
        self.shape = shape
        self.build = build = registers.build
        self.yes, self.no = ir.Constant(_BIT, 1), ir.Constant(_BIT, 0)
        self._registers = registers
        self._type = ir.IntType(shape.bits)
        self._ranges = dict(shape.ranges)
        #: Where arrays must compare the slab.
        self.fault: ir.Value = self.no
        self.names = {name: self._as_integer(at) for name, at in registers.coordinates.items()}
        narrow = build.load(registers.cell, typ=ir.IntType(shape.cell_bits))
        self.value = build.sext(narrow, self._type)
        self.top = (
            None
            if registers.top is None
            else self._as_integer(build.load(registers.top, typ=ir.IntType(32)))
        )
        is_none = build.icmp_signed("==", self.value, self.constant(NONE))
        self.exists = self.yes if shape.everywhere else build.not_(is_none)
        self.held = build.not_(is_none)

    def constant(self, value: int) -> ir.Value:
        """Return an integer that is the same in all cells."""
        return ir.Constant(self._type, value)

    def evaluate(
        self, formula: Formula, matters: ir.Value, stored: ir.Value | None = None
    ) -> ir.Value:
        """Return a formula's value where it matters, given the stored coordinate."""
        names = dict(self.names)
        if stored is not None:
            assert self.shape.stored is not None
            names[self.shape.stored] = self.build.select(matters, stored, self.constant(0))
        machine = MachineFormulas(self.build, self.constant, self.shape.bits, names, self._ranges)
        result = formula.emit(machine, matters)
        if machine.fault is not None:
            self.doubt(machine.fault)
        return result

    def doubt(self, where: ir.Value) -> None:
        """Set the fault of the slab where a bit is set: arrays must compare it."""
        self.fault = self.build.or_(self.fault, where)

    def size(self, stored: ir.Value | None = None) -> ir.Value:
        """Return the largest coordinate of the position, passes not counted."""
        names = dict(self.names)
        if stored is not None and self.shape.stored is not None:
            names[self.shape.stored] = stored
        machine = MachineFormulas(self.build, self.constant, self.shape.bits, {}, {})
        return reduce(machine.larger, [names[name] for name in self.shape.sized])

    def reached(self, *values: ir.Value) -> ir.Value:
        """Return a bit: whether all values are within the reach of the statement."""
        if not self.shape.has_reach:
            return self.yes
        bits = [self.build.icmp_signed("<=", value, self.reach) for value in values]
        return reduce(self.build.and_, bits, self.yes)

    @property
    def reach(self) -> ir.Value:
        """The largest coordinate that the statement is about."""
        return self._as_integer(self._registers.arguments[3])

    def count(self, which: int, where: ir.Value) -> None:
        """Add 1 to a counter where a bit is set."""
        slot = self._registers.counters[which]
        kept = self.build.load(slot, typ=ir.IntType(32))
        self.build.store(self.build.add(kept, self.build.zext(where, ir.IntType(32))), slot)

    def settle_up_to(self, last: ir.Value, where: ir.Value) -> None:
        """Count the positions of a column whose stored coordinate is at most `last`."""
        is_narrow = self.shape.narrow_sums
        kind = ir.IntType(32 if is_narrow else 64)
        number = self.build.add(self._as_integer(last, kind), ir.Constant(kind, 1))
        number = self.build.select(where, number, ir.Constant(kind, 0))
        slot = self._registers.counters[SETTLED] if is_narrow else self._registers.wide_sum
        self.build.store(self.build.add(self.build.load(slot, typ=kind), number), slot)

    def fail(self, where: ir.Value, size: ir.Value) -> None:
        """Count a position of this size as a failure."""
        inside = self.build.and_(where, self.reached(size))
        self.count(FAILURES, inside)
        self._note_least(LEAST, inside, size)
        if self.shape.has_reach:
            self._note_least(BEYOND, self.build.and_(where, self.build.not_(inside)), size)

    def _note_least(self, which: int, where: ir.Value, size: ir.Value) -> None:
        slot = self._registers.least[which]
        kept = self.build.load(slot, typ=self._type)
        # A minimum of the whole, not one where the bit is set: LLVM knows that for a reduction, which vectors can do.
        here = self.build.select(where, size, self.constant(nowhere(self.shape.bits)))
        less = self.build.icmp_signed("<", here, kept)
        self.build.store(self.build.select(less, here, kept), slot)

    def tell(self, where: ir.Value, index: ir.Value, size: ir.Value) -> None:
        """Count a value at an index of one array; keep its least size in another."""
        build, (counts, nearest) = self.build, self._registers.arguments[-2:]
        with build.if_then(where):
            at, wide = [self._as_integer(index, _I64)], self._as_integer(size, _I64)
            number = build.gep(counts, at, source_etype=_I64)
            build.store(build.add(build.load(number, typ=_I64), ir.Constant(_I64, 1)), number)
            least = build.gep(nearest, at, source_etype=_I64)
            is_less = build.icmp_signed("<", wide, build.load(least, typ=_I64))
            with build.if_then(is_less, likely=False):  # seldom, so that nothing waits for it
                build.store(wide, least)

    def _as_integer(self, value: ir.Value, kind: ir.IntType | None = None) -> ir.Value:
        kind = kind or self._type
        if value.type.width == kind.width:
            return value
        change = self.build.sext if value.type.width < kind.width else self.build.trunc
        return change(value, kind)


@dataclass(frozen=True)
class FormulaTask:
    """The task of a loop in each cell; frozen, so that its code is cached."""

    #: The claim for each position that it is about.
    formula: Formula
    #: The positions that it is about; None for all.
    where: Formula | None

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas that have to be computed."""
        return (self.formula,) if self.where is None else (self.formula, self.where)

    @property
    def solutions(self) -> tuple[Formula, ...]:
        """Formulas for the stored coordinate; one of them holds if `formula` does."""
        return ()

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        raise NotImplementedError

    def _domain(self, cell: CellCode) -> ir.Value:
        if self.where is None:
            return cell.exists
        return cell.build.and_(cell.exists, cell.evaluate(self.where, cell.exists))


@dataclass(frozen=True)
class NumbersTask(FormulaTask):
    """Compare Grundy numbers with a formula."""

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        in_domain, size = self._domain(cell), cell.size()
        cell.count(SETTLED, cell.build.and_(in_domain, cell.reached(size)))
        claimed = cell.evaluate(self.formula, in_domain)
        wrong = cell.build.icmp_signed("!=", claimed, cell.value)
        cell.fail(cell.build.and_(in_domain, wrong), size)


@dataclass(frozen=True)
class OutcomesTask(FormulaTask):
    """Compare which positions are P with those that satisfy a formula."""

    relation: Containment
    #: The content of the cells of P-positions.
    p_value: int

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        in_domain, size = self._domain(cell), cell.size()
        cell.count(SETTLED, cell.build.and_(in_domain, cell.reached(size)))
        holds = cell.evaluate(self.formula, in_domain)
        is_p = cell.build.icmp_signed("==", cell.value, cell.constant(self.p_value))
        _relate(cell, self.relation, in_domain, holds, is_p, size)


@dataclass(frozen=True)
class ColumnsTask(FormulaTask):
    """Compare the P-position of each column with those of a formula."""

    relation: Containment
    #: The stored coordinate is one of these wherever the formula holds.
    candidates: tuple[Formula, ...]

    @property
    def solutions(self) -> tuple[Formula, ...]:
        """The candidates."""
        return self.candidates

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        build = cell.build
        in_domain = self._domain(cell)
        assert cell.top is not None
        settled, last = in_domain, cell.top
        if cell.shape.has_reach:
            heaps = [value for name, value in cell.names.items() if name != "p"]
            settled = build.and_(in_domain, cell.reached(*heaps))
            last = build.select(build.icmp_signed("<", cell.top, cell.reach), cell.top, cell.reach)
        cell.settle_up_to(last, settled)
        held = build.and_(in_domain, cell.held)
        holds = cell.evaluate(self.formula, held, cell.value)
        _relate(cell, self.relation, held, holds, cell.yes, cell.size(cell.value))
        tried = [cell.value]
        for candidate in self.candidates:
            value = cell.evaluate(candidate, in_domain)
            new = build.and_(in_domain, build.icmp_signed(">=", value, cell.constant(0)))
            if cell.shape.limited:
                new = build.and_(new, build.icmp_signed("<=", value, cell.top))
            for other in tried:
                new = build.and_(new, build.icmp_signed("!=", value, other))
            tried.append(value)
            holds = cell.evaluate(self.formula, new, value)
            _relate(cell, self.relation, new, holds, cell.no, cell.size(value))


@dataclass(frozen=True)
class ValuesTask(FormulaTask):
    """Count each value of a formula at P-positions, with its least size."""

    #: The content of the cells of P-positions; None if it is a coordinate.
    p_value: int | None
    #: The range of possible values, which correspond to the elements of both arrays.
    least: int
    largest: int

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for a cell, with a branch, because it writes to memory."""
        build = cell.build
        if self.p_value is None:
            is_p = cell.held
        else:
            is_p = build.icmp_signed("==", cell.value, cell.constant(self.p_value))
        stored = None if self.p_value is not None else cell.value
        if self.where is not None:
            is_p = build.and_(is_p, cell.evaluate(self.where, is_p, stored))
        size = cell.size(stored)
        is_p = build.and_(is_p, cell.reached(size))
        cell.count(SETTLED, is_p)
        value = cell.evaluate(self.formula, is_p, stored)
        # Interval arithmetic shows that all values are in the range; this check makes writing safe without it.
        index = build.sub(value, cell.constant(self.least))
        span = cell.constant(self.largest - self.least)
        known = build.icmp_unsigned("<=", index, span)
        cell.doubt(build.and_(is_p, build.not_(known)))
        cell.tell(build.and_(is_p, known), index, size)


def _relate(
    cell: CellCode,
    relation: Containment,
    where: ir.Value,
    holds: ir.Value,
    is_p: ir.Value,
    size: ir.Value,
) -> None:
    """Count true premises and false statements."""
    build = cell.build
    met, wrong = {
        "exactly": lambda: (cell.yes, build.xor(holds, is_p)),
        "contain": lambda: (holds, build.and_(holds, build.not_(is_p))),
        "within": lambda: (is_p, build.and_(is_p, build.not_(holds))),
    }[relation]()
    cell.count(MET, build.and_(where, build.and_(met, cell.reached(size))))
    cell.fail(build.and_(where, wrong), size)


class _LoopCode:
    """Loops, one in another, around the instructions for a cell.

    The function takes the first cell, the first top, a row of integers for each of the dimensions' lengths, starts, and strides of
    cells and of tops in bytes, the reach, the results, and two arrays of the task.
    """

    def __init__(self, shape: LoopShape, task: FormulaTask) -> None:
        self._shape, self._task = shape, task
        self._integer = ir.IntType(shape.bits)
        self.module = ir.Module(name="cells")
        kinds = [_POINTER, _POINTER, _POINTER, _I64, _POINTER, _POINTER, _POINTER]
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), kinds), name="scan")
        self._arguments = function.args
        build = self._build = ir.IRBuilder(function.append_basic_block())
        counters = {w: self._slot(ir.IntType(32), 0) for w in (SETTLED, MET, FAILURES, FAULT)}
        self._totals = {which: self._slot(_I64, 0) for which in counters}
        self._registers = here = Registers(
            build,
            function.args,
            cell=function.args[0],
            top=None if shape.stored is None else function.args[1],
            counters=counters,
            wide_sum=self._slot(_I64, 0),
            least={w: self._slot(self._integer, nowhere(shape.bits)) for w in (LEAST, BEYOND)},
        )
        places = (ir.Constant(_I64, i) for i in range(4 * len(shape.dims)))
        pointers = [build.gep(function.args[2], [i], source_etype=_I64) for i in places]
        self._geometry = [build.load(pointer, typ=_I64) for pointer in pointers]
        self._loop(0)
        for which, slot in self._totals.items():
            total = build.load(slot, typ=_I64)
            if which == SETTLED:
                total = build.add(total, build.load(here.wide_sum, typ=_I64))
            self._keep(which, total)
        for which, slot in here.least.items():
            size = build.load(slot, typ=self._integer)
            self._keep(which, size if shape.bits == 64 else build.sext(size, _I64))
        build.ret_void()

    def _slot(self, kind: ir.IntType, start: int) -> ir.Value:
        slot = self._build.alloca(kind)
        self._build.store(ir.Constant(kind, start), slot)
        return slot

    def _keep(self, which: int, value: ir.Value) -> None:
        at = self._build.gep(self._arguments[4], [ir.Constant(_I64, which)], source_etype=_I64)
        self._build.store(value, at)

    def _loop(self, axis: int) -> None:
        """Write the loop over one dimension and those in it; every dimension has a cell."""
        build, shape = self._build, self._shape
        n = len(shape.dims)
        is_last = axis == n - 1
        length, start, by_cell, by_top = self._geometry[axis::n]
        before = build.block
        first = start if shape.bits == 64 else build.trunc(start, self._integer)
        body = build.append_basic_block()
        build.branch(body)
        build.position_at_end(body)
        index = build.phi(_I64)
        index.add_incoming(ir.Constant(_I64, 0), before)
        # A counter of its own, with the bits that formulas have: one of 64 would halve the vectors.
        coordinate = build.phi(self._integer)
        coordinate.add_incoming(first, before)
        here = self._registers
        outer = here.cell, here.top
        # Along the last dimension cells lie beside each other: so LLVM knows that it can load vectors.
        if is_last:
            here.cell = build.gep(here.cell, [index], source_etype=ir.IntType(shape.cell_bits))
            if here.top is not None and shape.top_varies:
                here.top = build.gep(here.top, [index], source_etype=ir.IntType(32))
        else:
            byte = ir.IntType(8)
            here.cell = build.gep(here.cell, [build.mul(index, by_cell)], source_etype=byte)
            if here.top is not None:
                here.top = build.gep(here.top, [build.mul(index, by_top)], source_etype=byte)
        here.coordinates[shape.dims[axis]] = coordinate
        if is_last:
            cell = CellCode(shape, here)
            self._task.emit(cell)
            cell.count(FAULT, cell.fault)
        else:
            self._loop(axis + 1)
        here.cell, here.top = outer
        following = build.add(index, ir.Constant(_I64, 1))
        index.add_incoming(following, build.block)
        next_coordinate = build.add(coordinate, ir.Constant(self._integer, 1))
        coordinate.add_incoming(next_coordinate, build.block)
        after = build.append_basic_block()
        build.cbranch(build.icmp_signed("<", following, length), body, after)
        build.position_at_end(after)
        if is_last:
            for which, slot in here.counters.items():
                added = build.zext(build.load(slot, typ=ir.IntType(32)), _I64)
                total = self._totals[which]
                build.store(build.add(build.load(total, typ=_I64), added), total)
                build.store(ir.Constant(ir.IntType(32), 0), slot)


class CellLoop:
    """A task on slabs of one shape, compiled."""

    def __init__(self, task: FormulaTask, shape: LoopShape) -> None:
        self.shape = shape
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        # LLVM takes vectors of half the width that the machine has, for fear of a lower clock: this is a third slower.
        features = binding.get_host_cpu_features()
        machine = binding.Target.from_default_triple().create_target_machine(
            cpu=binding.get_host_cpu_name(),
            features=features.flatten() + (",-prefer-256-bit" if features.get("avx512f") else ""),
            opt=3,
            jit=True,
        )
        tuning = binding.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = True
        module = binding.parse_assembly(str(_LoopCode(shape, task).module))
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        module.verify()
        passes = binding.create_pass_builder(machine, tuning)
        passes.getModulePassManager().run(module, passes)
        # The engine frees its target machine, so each has its own; the code lives as long as the engine.
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        pointers = [ctypes.c_void_p] * 3
        self._call = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64, *pointers)(
            self._engine.get_function_address("scan")
        )

    def run(
        self,
        slab: Slab,
        order: Sequence[int],
        reach: int | None,
        arrays: Sequence[NDArray[np.int64]] = (),
    ) -> list[int]:
        """Return the counts of a slab; `order` are the dimensions of the loop."""
        cells = slab.cells.transpose(order)
        tops = None if slab.tops is None else slab.tops.transpose(order)
        starts = [slab.starts[axis] for axis in order]
        strides = [0] * len(order) if tops is None else tops.strides
        geometry = np.array([*cells.shape, *starts, *cells.strides, *strides], np.int64)
        counts = np.empty(6, np.int64)
        self._call(
            cells.ctypes.data,
            None if tops is None else tops.ctypes.data,
            geometry.ctypes.data,
            0 if reach is None else reach,
            counts.ctypes.data,
            *(array.ctypes.data for array in arrays),
            *([None] * (2 - len(arrays))),
        )
        return counts.tolist()


@lru_cache(256)
def loop_for(task: FormulaTask, shape: LoopShape) -> CellLoop:
    """Return the loop, which a process compiles once."""
    return CellLoop(task, shape)


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
