"""The instructions for one cell of a table: what a task may ask of it, and where it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Protocol

from llvmlite import ir

from choco_pipeline.formula import Formula
from choco_pipeline.formula.interval import Interval
from choco_pipeline.formula.machine_code import MachineFormulas
from choco_pipeline.tables.specs.schema import NONE

_BIT, _I64 = ir.IntType(1), ir.IntType(64)
#: What a loop returns, in this order; least sizes are `nowhere` where nothing failed.
SETTLED, MET, FAILURES, LEAST, BEYOND, FAULT = range(6)


def nowhere(bits: int) -> int:
    """Return the least size of no position at all: larger than that of each.

    It is not the largest integer: LLVM would leave out the minimum with that, and not know the rest for a reduction.
    """
    return (1 << bits - 1) - 2


@dataclass(frozen=True)
class LoopShape:
    """What a loop's code depends on beside its task."""

    #: The dimensions, the one whose cells lie beside each other last.
    dims: tuple[str, ...]
    #: The coordinates of which the largest is a position's size.
    sized: tuple[str, ...]
    #: The coordinate that cells hold of P-positions; None if they hold something else.
    stored: str | None
    #: Whether a cell stands for a column even if it is `NONE`.
    everywhere: bool
    #: Whether the stored coordinate has a largest legal value, rather than being of any size.
    limited: bool
    #: Of the integers in cells.
    cell_bits: int
    #: Whether the stored coordinate's largest value does, along the last dimension.
    top_varies: bool
    #: Whether the positions of a line of columns are fewer than 2³¹.
    narrow_sums: bool
    #: Whether failures beyond some size are kept apart.
    has_reach: bool
    #: Of the integers that formulas are computed in.
    bits: int
    #: In which values each name lies.
    ranges: tuple[tuple[str, Interval], ...]


@dataclass
class Registers:
    """Values that the instructions around those for a cell have."""

    #: Where instructions are written.
    build: ir.IRBuilder
    #: Of the function.
    arguments: Sequence[ir.Value]
    #: Where the cell and the largest value of the stored coordinate are; no top where none is stored.
    cell: ir.Value
    top: ir.Value | None
    #: For each of what is counted, where its number in the present line is.
    counters: Mapping[int, ir.Value]
    #: Where the number of settled positions is that may not fit into a counter.
    wide_sum: ir.Value
    #: For each of the least sizes, where it is.
    least: Mapping[int, ir.Value]
    #: The cell's, by their names.
    coordinates: dict[str, ir.Value] = field(default_factory=dict)


class CellTask(Protocol):
    """What is done in each cell; frozen, so that its code can be kept."""

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""


class CellCode:
    """The instructions for one cell, as a task writes them.

    Instructions are written with `build`. `value` is what the cell holds, `top` the largest legal value of the stored coordinate;
    `exists` is whether the cell stands for a position or a column, `held` whether it holds something: of a column, a P-position.
    """

    def __init__(self, shape: LoopShape, registers: Registers) -> None:
        self.shape = shape
        self.build = build = registers.build
        self.yes, self.no = ir.Constant(_BIT, 1), ir.Constant(_BIT, 0)
        self._registers = registers
        self._type = ir.IntType(shape.bits)
        self._ranges = dict(shape.ranges)
        self._fault: ir.Value = self.no
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
        """Return a formula's value, with a value of the stored coordinate; 0 where that does not matter."""
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
        """Note that the slab cannot be compared in this way if a bit is set."""
        self._fault = self.build.or_(self._fault, where)

    def size(self, stored: ir.Value | None = None) -> ir.Value:
        """Return the largest coordinate of the position, passes not counted."""
        names = dict(self.names)
        if stored is not None and self.shape.stored is not None:
            names[self.shape.stored] = stored
        machine = MachineFormulas(self.build, self.constant, self.shape.bits, {}, {})
        return reduce(machine.larger, [names[name] for name in self.shape.sized])

    def reached(self, *values: ir.Value) -> ir.Value:
        """Return whether the statement reaches so far: values that are at most its reach."""
        if not self.shape.has_reach:
            return self.yes
        bits = [self.build.icmp_signed("<=", value, self.reach) for value in values]
        return reduce(self.build.and_, bits, self.yes)

    @property
    def reach(self) -> ir.Value:
        """The largest coordinate that the statement speaks of."""
        return self._as_integer(self._registers.arguments[3])

    def count(self, which: int, where: ir.Value) -> None:
        """Add 1 to a counter where a bit is set."""
        slot = self._registers.counters[which]
        kept = self.build.load(slot, typ=ir.IntType(32))
        self.build.store(self.build.add(kept, self.build.zext(where, ir.IntType(32))), slot)

    def settle_up_to(self, last: ir.Value, where: ir.Value) -> None:
        """Count the positions of a column whose stored coordinate is at most `last`."""
        kind = ir.IntType(32 if self.shape.narrow_sums else 64)
        number = self.build.add(self._as_integer(last, kind), ir.Constant(kind, 1))
        number = self.build.select(where, number, ir.Constant(kind, 0))
        slot = (
            self._registers.counters[SETTLED]
            if self.shape.narrow_sums
            else self._registers.wide_sum
        )
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
        """Count one more at an index of the task's first array, and keep the least size there in its second."""
        counts, nearest = self._registers.arguments[-2:]
        with self.build.if_then(where):
            at = [self._as_integer(index, _I64)]
            number = self.build.gep(counts, at, source_etype=_I64)
            kept = self.build.load(number, typ=_I64)
            self.build.store(self.build.add(kept, ir.Constant(_I64, 1)), number)
            least, wide = (
                self.build.gep(nearest, at, source_etype=_I64),
                self._as_integer(size, _I64),
            )
            is_less = self.build.icmp_signed("<", wide, self.build.load(least, typ=_I64))
            with self.build.if_then(is_less, likely=False):  # seldom, so that nothing waits for it
                self.build.store(wide, least)

    def finish(self) -> None:
        """Note whether a value did not exist that mattered."""
        self.count(FAULT, self._fault)

    def _as_integer(self, value: ir.Value, kind: ir.IntType | None = None) -> ir.Value:
        kind = kind or self._type
        if value.type.width == kind.width:
            return value
        return (
            self.build.sext(value, kind)
            if value.type.width < kind.width
            else self.build.trunc(value, kind)
        )
