"""What claims ask of each cell of a table, as instructions for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from choco_pipeline.claims.kinds.position_kinds import Containment
from choco_pipeline.claims.scans.cell_code import MET, SETTLED, CellCode
from choco_pipeline.formula import Formula

if TYPE_CHECKING:
    from llvmlite import ir


@dataclass(frozen=True)
class FormulaTask:
    """A task with formulas of a claim."""

    #: What is claimed of each position that the claim speaks of.
    formula: Formula
    #: Of which it speaks; None for all.
    where: Formula | None

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas that have to be computed."""
        return (self.formula,) if self.where is None else (self.formula, self.where)

    @property
    def solutions(self) -> tuple[Formula, ...]:
        """Formulas of dimensions' coordinates whose values the stored coordinate takes in `formula`."""
        return ()

    def _spoken_of(self, cell: CellCode) -> ir.Value:
        if self.where is None:
            return cell.exists
        return cell.build.and_(cell.exists, cell.evaluate(self.where, cell.exists))


@dataclass(frozen=True)
class NumbersTask(FormulaTask):
    """Compare Grundy numbers with a formula."""

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        spoken, size = self._spoken_of(cell), cell.size()
        cell.count(SETTLED, cell.build.and_(spoken, cell.reached(size)))
        claimed = cell.evaluate(self.formula, spoken)
        wrong = cell.build.icmp_signed("!=", claimed, cell.value)
        cell.fail(cell.build.and_(spoken, wrong), size)


@dataclass(frozen=True)
class OutcomesTask(FormulaTask):
    """Compare which positions are P with those that satisfy a formula."""

    #: As in the claim.
    relation: Containment
    #: What cells of P-positions hold.
    p_value: int

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell."""
        spoken, size = self._spoken_of(cell), cell.size()
        cell.count(SETTLED, cell.build.and_(spoken, cell.reached(size)))
        holds = cell.evaluate(self.formula, spoken)
        is_p = cell.build.icmp_signed("==", cell.value, cell.constant(self.p_value))
        relate(cell, self.relation, spoken, holds, is_p, size)


@dataclass(frozen=True)
class ColumnsTask(FormulaTask):
    """Compare the P-position of each column, and those that a formula has there, with each other."""

    #: As in the claim.
    relation: Containment
    #: The stored coordinate is one of these wherever the formula holds.
    candidates: tuple[Formula, ...]

    @property
    def solutions(self) -> tuple[Formula, ...]:
        """The candidates."""
        return self.candidates

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one column."""
        build = cell.build
        spoken = self._spoken_of(cell)
        assert cell.top is not None
        settled, last = spoken, cell.top
        if cell.shape.has_reach:
            heaps = [value for name, value in cell.names.items() if name != "p"]
            settled = build.and_(spoken, cell.reached(*heaps))
            last = build.select(build.icmp_signed("<", cell.top, cell.reach), cell.top, cell.reach)
        cell.settle_up_to(last, settled)
        held = build.and_(spoken, cell.held)
        holds = cell.evaluate(self.formula, held, cell.value)
        relate(cell, self.relation, held, holds, cell.yes, cell.size(cell.value))
        tried = [cell.value]
        for candidate in self.candidates:
            value = cell.evaluate(candidate, spoken)
            new = build.and_(spoken, build.icmp_signed(">=", value, cell.constant(0)))
            if cell.shape.limited:
                new = build.and_(new, build.icmp_signed("<=", value, cell.top))
            for other in tried:
                new = build.and_(new, build.icmp_signed("!=", value, other))
            tried.append(value)
            holds = cell.evaluate(self.formula, new, value)
            relate(cell, self.relation, new, holds, cell.no, cell.size(value))


@dataclass(frozen=True)
class ValuesTask(FormulaTask):
    """Count how often a formula has each value at P-positions, and at which least size."""

    #: What cells of P-positions hold; None where they hold a coordinate.
    p_value: int | None
    #: Values that may occur: the first elements of both arrays are for the least, the last ones for the largest.
    least: int
    largest: int

    def emit(self, cell: CellCode) -> None:
        """Write the instructions for one cell; only here does a cell branch, since it writes to memory."""
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
        # Interval arithmetic says that all values are among those; that nothing is written elsewhere does not rest on it.
        index = build.sub(value, cell.constant(self.least))
        span = cell.constant(self.largest - self.least)
        known = build.icmp_unsigned("<=", index, span)
        cell.doubt(build.and_(is_p, build.not_(known)))
        cell.tell(build.and_(is_p, known), index, size)


def relate(
    cell: CellCode,
    relation: Containment,
    where: ir.Value,
    holds: ir.Value,
    is_p: ir.Value,
    size: ir.Value,
) -> None:
    """Count where the premise of a statement is true, and where the statement is false."""
    build = cell.build
    match relation:
        case "exactly":
            met, wrong = cell.yes, build.xor(holds, is_p)
        case "contain":
            met, wrong = holds, build.and_(holds, build.not_(is_p))
        case "within":
            met, wrong = is_p, build.and_(is_p, build.not_(holds))
        case _:
            assert_never(relation)
    reached = cell.reached(size)
    cell.count(MET, build.and_(where, build.and_(met, reached)))
    cell.fail(build.and_(where, wrong), size)
