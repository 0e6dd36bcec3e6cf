"""A loop over the cells of a slab, as machine code.

A task emits the instructions for one cell, without a branch. Its counts stay in registers until the end of a line of cells.
LLVM vectorises the loop, which takes 0.2 to 1 ns per cell; it is compiled in 20 to 60 ms. No text ever becomes code:
instructions are built one by one from the parts of formulas.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce

import numpy as np
from llvmlite import binding, ir
from numpy.typing import NDArray

from choco_pipeline.claims.kinds.shapes import Containment
from choco_pipeline.formula import Formula
from choco_pipeline.formula.interval import Interval
from choco_pipeline.formula.machine_code import MachineFormulas
from choco_pipeline.tables.cells import Slab
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
