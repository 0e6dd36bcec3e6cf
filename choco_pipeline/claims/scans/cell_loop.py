"""A loop over the cells of a slab, as machine code.

A task writes what is to be done in one cell, without a branch, and what it has counted stands in registers until a line of cells
is done. LLVM makes a loop over vectors of it, which takes 0.2 to 1 ns a cell; it is compiled in 20 to 60 ms. No text ever
becomes code: instructions are built one by one from formulas' parts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from llvmlite import binding, ir
from numpy.typing import NDArray

from choco_pipeline.claims.scans.cell_code import (
    BEYOND,
    FAILURES,
    FAULT,
    LEAST,
    MET,
    SETTLED,
    CellCode,
    CellTask,
    LoopShape,
    Registers,
    nowhere,
)
from choco_pipeline.tables.reading.cells import Slab

_I64, _POINTER = ir.IntType(64), ir.PointerType()


class _LoopCode:
    """Loops, one in another, around the instructions for a cell.

    The function takes the first cell, the first top, a row of integers for each of the dimensions' lengths, starts, and strides of
    cells and of tops in bytes, the reach, what it returns, and two arrays of a task's own.
    """

    def __init__(self, shape: LoopShape, task: CellTask) -> None:
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
        self._geometry = [self._load(function.args[2], i) for i in range(4 * len(shape.dims))]
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

    def _load(self, array: ir.Value, index: int) -> ir.Value:
        at = self._build.gep(array, [ir.Constant(_I64, index)], source_etype=_I64)
        return self._build.load(at, typ=_I64)

    def _keep(self, which: int, value: ir.Value) -> None:
        at = self._build.gep(self._arguments[4], [ir.Constant(_I64, which)], source_etype=_I64)
        self._build.store(value, at)

    def _moved(self, pointer: ir.Value, index: ir.Value, stride: ir.Value) -> ir.Value:
        """Return a pointer some strides, in bytes, further."""
        by = self._build.mul(index, stride)
        return self._build.gep(pointer, [by], source_etype=ir.IntType(8))

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
            here.cell = self._moved(here.cell, index, by_cell)
            if here.top is not None:
                here.top = self._moved(here.top, index, by_top)
        here.coordinates[shape.dims[axis]] = coordinate
        if is_last:
            cell = CellCode(shape, here)
            self._task.emit(cell)
            cell.finish()
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


def _target() -> tuple[binding.TargetMachine, binding.PassBuilder]:
    """Return a new target and its passes, in about 1 ms: an engine frees the target that it is made with, so that none can be shared."""
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
    tuning.loop_vectorization = tuning.slp_vectorization = True
    tuning.loop_unrolling = True
    return machine, binding.create_pass_builder(machine, tuning)


class CellLoop:
    """A task on slabs of one shape, compiled."""

    def __init__(self, task: CellTask, shape: LoopShape) -> None:
        self.shape = shape
        machine, passes = _target()
        module = binding.parse_assembly(str(_LoopCode(shape, task).module))
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        module.verify()
        passes.getModulePassManager().run(module, passes)
        self._engine = binding.create_mcjit_compiler(module, machine)  # the code lives as long
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
        """Return what was counted in a slab whose dimensions, taken in this order, are the loop's; `arrays` are for its task."""
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
def loop_for(task: CellTask, shape: LoopShape) -> CellLoop:
    """Return the loop, which a process compiles once."""
    return CellLoop(task, shape)
