"""Scans of large tables: formulas as machine code, slab by slab.

A compiled loop counts the failures of a slab. Array code then finds the least failure in a part of the slab, and raises errors.
Small tables are compared by array code alone, which is faster for them. The instructions for one cell have no branch, and
counters stay in registers until the end of a line of cells, so that LLVM vectorises the loop. It takes 0.2 to 1 ns per cell,
and 20 to 60 ms to compile. The code is generated from syntax trees; no text is executed.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce

import numpy as np
from llvmlite import binding, ir
from numpy.typing import NDArray

from choco_pipeline.claims.checks.evidence import Pass, Tally
from choco_pipeline.claims.kinds import Containment
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.interval import Interval
from choco_pipeline.formula.machine_code import WIDTHS, MachineFormulas
from choco_pipeline.tables.cells import Cells, Slab
from choco_pipeline.tables.spec import NONE

_BIT, _I32, _I64, _POINTER = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.PointerType()
_YES, _NO = ir.Constant(_BIT, 1), ir.Constant(_BIT, 0)
#: The indices of the results of a loop; LEAST and BEYOND are sizes, `nowhere` without a failure.
SETTLED, MET, FAILURES, LEAST, BEYOND, FAULT = range(6)


def nowhere(bits: int) -> int:
    """Return a size that is larger than that of each position.

    It is not the largest integer: LLVM would remove the minimum with it, and then not recognise a reduction.
    """
    return (1 << bits - 1) - 2


@dataclass(frozen=True)
class CellTask:
    """The comparison of a formula with each cell; frozen, so that its code is cached."""

    #: The formula that the claim gives for each position.
    formula: Formula
    #: A condition on the positions; None for all positions.
    where: Formula | None
    #: How P-positions and solutions of the formula are compared; None for a formula for Grundy numbers.
    relation: Containment | None = None
    #: The content of the cells of P-positions, unless it is a coordinate.
    p_value: int = 0
    #: If cells hold a coordinate of P-positions: candidates for it, which include it wherever the formula holds.
    candidates: tuple[Formula, ...] = ()


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


class _LoopCode:
    """Nested loops around the instructions for a cell.

    The arguments of the function are pointers to the first cell, the first top and the geometry, then the reach, and a pointer to
    the results. The geometry has the lengths and starts of the dimensions, and the strides in bytes of cells and of tops.
    """

    def __init__(self, shape: LoopShape, task: CellTask) -> None:
        self._shape, self._task = shape, task
        self._type = ir.IntType(shape.bits)
        self.module = ir.Module(name="cells")
        kinds = [_POINTER, _POINTER, _POINTER, _I64, _POINTER]
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), kinds), name="scan")
        cell, top, geometry, reach, results = function.args
        build = self._build = ir.IRBuilder(function.append_basic_block())
        self._reach = self._as_integer(reach)
        #: Stack slots: the counters of the current line, the totals, and the least sizes.
        self._counters = {w: self._slot(_I32, 0) for w in (SETTLED, MET, FAILURES, FAULT)}
        self._totals = {which: self._slot(_I64, 0) for which in self._counters}
        least = nowhere(shape.bits)
        self._least = {which: self._slot(self._type, least) for which in (LEAST, BEYOND)}
        self._names: dict[str, ir.Value] = {}
        #: A bit that is set if arrays must compare the slab.
        self._fault: ir.Value = _NO
        places = (ir.Constant(_I64, i) for i in range(4 * len(shape.dims)))
        pointers = [build.gep(geometry, [i], source_etype=_I64) for i in places]
        self._geometry = [build.load(pointer, typ=_I64) for pointer in pointers]
        self._loop(0, cell, None if shape.stored is None else top)
        for which, slot in (self._totals | self._least).items():
            value = build.load(slot, typ=_I64 if which in self._totals else self._type)
            at = build.gep(results, [ir.Constant(_I64, which)], source_etype=_I64)
            build.store(self._as_integer(value, _I64), at)
        build.ret_void()

    def _slot(self, kind: ir.IntType, start: int) -> ir.Value:
        slot = self._build.alloca(kind)
        self._build.store(ir.Constant(kind, start), slot)
        return slot

    def _loop(self, axis: int, cell: ir.Value, top: ir.Value | None) -> None:
        """Emit the loop over one dimension and its inner loops; no dimension is empty."""
        build, shape = self._build, self._shape
        n = len(shape.dims)
        is_last = axis == n - 1
        length, start, by_cell, by_top = self._geometry[axis::n]
        before, first, body = build.block, self._as_integer(start), build.append_basic_block()
        build.branch(body)
        build.position_at_end(body)
        index = build.phi(_I64)
        index.add_incoming(ir.Constant(_I64, 0), before)
        # A second counter with the bit width of formulas: one of 64 bits would halve the vectors.
        coordinate = self._names[shape.dims[axis]] = build.phi(self._type)
        coordinate.add_incoming(first, before)
        # Cells are adjacent along the last dimension: an index shows LLVM that it can load vectors.
        if is_last:
            cell = build.gep(cell, [index], source_etype=ir.IntType(shape.cell_bits))
            if top is not None and shape.top_varies:
                top = build.gep(top, [index], source_etype=_I32)
            self._cell(cell, top)
        else:
            byte = ir.IntType(8)
            cell = build.gep(cell, [build.mul(index, by_cell)], source_etype=byte)
            if top is not None:
                top = build.gep(top, [build.mul(index, by_top)], source_etype=byte)
            self._loop(axis + 1, cell, top)
        following = build.add(index, ir.Constant(_I64, 1))
        index.add_incoming(following, build.block)
        coordinate.add_incoming(build.add(coordinate, self._constant(1)), build.block)
        after = build.append_basic_block()
        build.cbranch(build.icmp_signed("<", following, length), body, after)
        build.position_at_end(after)
        for which, slot in self._counters.items() if is_last else ():
            self._add(self._totals[which], build.load(slot, typ=_I32), _I64)
            build.store(ir.Constant(_I32, 0), slot)

    # ---- One cell.

    def _cell(self, cell: ir.Value, top: ir.Value | None) -> None:
        build, shape, task = self._build, self._shape, self._task
        value = self._as_integer(build.load(cell, typ=ir.IntType(shape.cell_bits)))
        # Whether the cell is not empty: a position, or a column with a P-position.
        held = build.icmp_signed("!=", value, self._constant(NONE))
        in_domain = _YES if shape.everywhere else held
        if task.where is not None:
            in_domain = build.and_(in_domain, self._evaluate(task.where, in_domain))
        if top is not None:
            self._column(in_domain, held, value, self._as_integer(build.load(top, typ=_I32)))
        else:
            size = self._size()
            self._count(SETTLED, build.and_(in_domain, self._reached(size)))
            result = self._evaluate(task.formula, in_domain)
            if task.relation is None:
                wrong = build.icmp_signed("!=", result, value)
                self._fail(build.and_(in_domain, wrong), size)
            else:
                is_p = build.icmp_signed("==", value, self._constant(task.p_value))
                self._relate(in_domain, result, is_p, size)
        self._count(FAULT, self._fault)

    def _column(self, in_domain: ir.Value, held: ir.Value, value: ir.Value, top: ir.Value) -> None:
        """Compare a column's P-position and candidates; `top` is the largest value."""
        build, shape, task = self._build, self._shape, self._task
        settled, last = in_domain, top
        if shape.has_reach:
            heaps = [size for name, size in self._names.items() if name != "p"]
            settled = build.and_(in_domain, self._reached(*heaps))
            last = build.select(build.icmp_signed("<", top, self._reach), top, self._reach)
        kind = _I32 if shape.narrow_sums else _I64
        number = build.add(self._as_integer(last, kind), ir.Constant(kind, 1))
        number = build.select(settled, number, ir.Constant(kind, 0))
        self._add((self._counters if shape.narrow_sums else self._totals)[SETTLED], number, kind)
        held = build.and_(in_domain, held)
        holds = self._evaluate(task.formula, held, value)
        self._relate(held, holds, _YES, self._size(value), self._is_within(value, top))
        tried = [value]
        for candidate in task.candidates:
            value = self._evaluate(candidate, in_domain)
            new = build.and_(in_domain, build.icmp_signed(">=", value, self._constant(0)))
            if shape.limited:
                new = build.and_(new, build.icmp_signed("<=", value, top))
            for other in tried:
                new = build.and_(new, build.icmp_signed("!=", value, other))
            tried.append(value)
            holds = self._evaluate(task.formula, new, value)
            self._relate(new, holds, _NO, self._size(value), self._is_within(value, top))

    def _is_within(self, value: ir.Value, top: ir.Value) -> ir.Value:
        """Return a bit: whether a value of the stored coordinate is within the bound."""
        return _YES if self._shape.limited else self._build.icmp_signed("<=", value, top)

    def _relate(
        self,
        where: ir.Value,
        holds: ir.Value,
        is_p: ir.Value,
        size: ir.Value,
        counts: ir.Value = _YES,
    ) -> None:
        """Count false statements, and true premises where the bit `counts` is set."""
        build, relation = self._build, self._task.relation
        if relation == "exactly":
            met, wrong = _YES, build.xor(holds, is_p)
        elif relation == "contain":
            met, wrong = holds, build.and_(holds, build.not_(is_p))
        else:
            met, wrong = is_p, build.and_(is_p, build.not_(holds))
        counts = build.and_(counts, self._reached(size))
        self._count(MET, build.and_(where, build.and_(met, counts)))
        self._fail(build.and_(where, wrong), size)

    def _fail(self, where: ir.Value, size: ir.Value) -> None:
        """Count a position of this size as a failure."""
        inside = self._build.and_(where, self._reached(size))
        self._count(FAILURES, inside)
        self._note_least(LEAST, inside, size)
        if self._shape.has_reach:
            self._note_least(BEYOND, self._build.and_(where, self._build.not_(inside)), size)

    def _note_least(self, which: int, where: ir.Value, size: ir.Value) -> None:
        build, slot = self._build, self._least[which]
        kept = build.load(slot, typ=self._type)
        # An unconditional minimum: LLVM recognises it as a reduction, which it can vectorise.
        here = build.select(where, size, self._constant(nowhere(self._shape.bits)))
        build.store(build.select(build.icmp_signed("<", here, kept), here, kept), slot)

    def _count(self, which: int, where: ir.Value) -> None:
        """Add 1 to a counter where a bit is set."""
        self._add(self._counters[which], self._build.zext(where, _I32), _I32)

    def _add(self, slot: ir.Value, number: ir.Value, kind: ir.IntType) -> None:
        kept = self._build.load(slot, typ=kind)
        self._build.store(self._build.add(kept, self._build.zext(number, kind)), slot)

    def _evaluate(
        self, formula: Formula, matters: ir.Value, stored: ir.Value | None = None
    ) -> ir.Value:
        """Return a formula's value where it matters, given the stored coordinate."""
        names, shape = dict(self._names), self._shape
        if stored is not None:
            assert shape.stored is not None
            names[shape.stored] = self._build.select(matters, stored, self._constant(0))
        ranges = dict(shape.ranges)
        machine = MachineFormulas(self._build, self._constant, shape.bits, names, ranges)
        result = formula.emit(machine, matters)
        if machine.fault is not None:
            self._fault = self._build.or_(self._fault, machine.fault)
        return result

    def _size(self, stored: ir.Value | None = None) -> ir.Value:
        """Return the largest coordinate of the position, passes not counted."""
        names, shape = dict(self._names), self._shape
        if stored is not None and shape.stored is not None:
            names[shape.stored] = stored
        machine = MachineFormulas(self._build, self._constant, shape.bits, {}, {})
        return reduce(machine.larger, [names[name] for name in shape.sized])

    def _reached(self, *values: ir.Value) -> ir.Value:
        """Return a bit: whether all values are within the reach of the statement."""
        if not self._shape.has_reach:
            return _YES
        bits = [self._build.icmp_signed("<=", value, self._reach) for value in values]
        return reduce(self._build.and_, bits, _YES)

    def _constant(self, value: int) -> ir.Value:
        return ir.Constant(self._type, value)

    def _as_integer(self, value: ir.Value, kind: ir.IntType | None = None) -> ir.Value:
        kind = kind or self._type
        change = self._build.sext if value.type.width < kind.width else self._build.trunc
        return value if value.type.width == kind.width else change(value, kind)


class CellLoop:
    """The compiled loop of a task for slabs of one shape."""

    def __init__(self, task: CellTask, shape: LoopShape) -> None:
        self.shape = shape
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        # By default LLVM uses half the vector width, to avoid a lower clock rate; this is a third slower.
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
        kinds = [*[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_void_p]
        self._call = ctypes.CFUNCTYPE(None, *kinds)(self._engine.get_function_address("scan"))

    def run(self, slab: Slab, order: Sequence[int], reach: int | None) -> list[int]:
        """Return the counts of a slab; `order` are the dimensions of the loop."""
        cells = slab.cells.transpose(order)
        tops = None if slab.tops is None else slab.tops.transpose(order)
        starts = [slab.starts[axis] for axis in order]
        strides = [0] * len(order) if tops is None else tops.strides
        geometry = np.array([*cells.shape, *starts, *cells.strides, *strides], np.int64)
        counts = np.empty(6, np.int64)
        first_top = None if tops is None else tops.ctypes.data
        places = cells.ctypes.data, first_top, geometry.ctypes.data
        self._call(*places, reach or 0, counts.ctypes.data)
        return counts.tolist()


@lru_cache(256)
def loop_for(task: CellTask, shape: LoopShape) -> CellLoop:
    """Return the compiled loop of a task, from a cache of the process."""
    return CellLoop(task, shape)


#: Smaller tables are compared by array code, which takes 50 ms for this number of cells, as long as a compilation.
FEWEST_CELLS = 1 << 21


def compare_by_scan(
    task: CellTask, tally: Tally, size: int, by_arrays: Callable[[Slab, Tally], None]
) -> Pass[None]:
    """Compare a table with a formula, and record the results in a tally.

    The machine code counts the failures of a slab and finds the size of the least one. `by_arrays` then compares the positions up
    to this size by array code, and finds the least failure itself. It compares the whole slab, and raises errors, if the machine
    code cannot. The pass yields after each slab.
    """
    cells = tally.cells
    scan = Scan(task, cells, tally.reach)
    is_large = math.prod(cells.shape) >= FEWEST_CELLS and cells.variable.face is None
    for slab in cells.slabs(size):
        counts = scan.run(slab) if is_large else None
        if counts is None:
            by_arrays(slab, tally)
            yield
            continue
        tally.settled += counts[SETTLED]
        tally.met += counts[MET]
        tally.failures += counts[FAILURES]
        start = cells.first_of(slab)
        places = ((counts[LEAST], tally.least), (counts[BEYOND], tally.beyond))
        sizes = [n for n, known in places if n >= 0 and tally.may_be_less(n, start, known)]
        if sizes:
            part = Tally(cells, tally.reach)
            by_arrays(cells.part_within(slab, max(sizes)), part)
            tally.take_least(part)
        yield


@dataclass
class Scan:
    """A task on one table."""

    task: CellTask
    cells: Cells
    #: The largest coordinate that the statement is about; None for any.
    reach: int | None
    #: Cache of `_width`, by the range of cells.
    _widths: dict[Interval, tuple[int, dict[str, Interval]] | None] = field(default_factory=dict)

    def run(self, slab: Slab) -> list[int] | None:
        """Return the counts of a slab; None if arrays must compare it.

        A least size is -1 if nothing failed.
        """
        variable, stored = self.cells.variable, self.cells.variable.stored
        if not slab.cells.size or slab.cells.dtype not in (np.int16, np.int32):
            return None
        slab, order = _in_order(slab)
        last = order[-1]
        held = (0, 0)
        if stored is not None:  # the range of cells; for a narrow type, that of the type
            limits = np.iinfo(slab.cells.dtype)
            is_wide = slab.cells.itemsize > 2
            held = range_of(slab.cells) if is_wide else (int(limits.min), int(limits.max))
        if held not in self._widths:
            self._widths[held] = self._width(held)
        if (width := self._widths[held]) is None:
            return None
        bits, ranges = width
        is_narrow = True
        if slab.tops is not None:  # heights are monotone
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
            ranges=tuple(ranges.items()),
        )
        counts = loop_for(self.task, shape).run(slab, order, self.reach)
        for which in (LEAST, BEYOND):
            counts[which] = -1 if counts[which] == nowhere(bits) else counts[which]
        return None if counts[FAULT] else counts

    def _width(self, held: Interval) -> tuple[int, dict[str, Interval]] | None:
        """Return the least bit width without overflows, and the ranges of names.

        All cells must be in the interval `held`. None if no width suffices.
        """
        variable, candidates = self.cells.variable, self.task.candidates
        ranges: dict[str, Interval] = {}
        for name, length in zip(variable.dims, self.cells.shape, strict=True):
            least = variable.first(name)
            ranges[name] = (least, _power_above(least + length - 1))
        try:
            tried = [solution.interval(ranges) for solution in candidates]
        except FormulaError:  # a solution may be too large
            return None
        if variable.stored is not None:
            low, high = held
            ranges[variable.stored] = (min(low, 0), max([0, high, *(last for _, last in tried)]))
        largest = max(high for _, high in ranges.values())
        where = () if self.task.where is None else (self.task.where,)
        formulas = (self.task.formula, *where, *candidates)
        for bits in WIDTHS:
            if largest < nowhere(bits) and all(formula.fits(ranges, bits) for formula in formulas):
                return bits, ranges
        return None


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
    """Return a range of all cells except `NONE`, wide enough for similar slabs."""
    low, high = int(cells.min()), int(cells.max())
    return (0 if low >= NONE else -1 - _power_above(-low)), max(_power_above(high), (1 << 15) - 1)


def _power_above(value: int) -> int:
    """Return the largest integer of the same bit length; 0 for negative values."""
    return (1 << max(value, 0).bit_length()) - 1
