"""A family of tables that differ in parameters, and what a statement with parameters is worth on each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from choco_pipeline.claims.checks.grundy import compare_grundy_numbers
from choco_pipeline.claims.checks.p_position_formulas import compare_p_positions
from choco_pipeline.claims.evidence.shared_pass import alone
from choco_pipeline.claims.kinds import GrundyNumbers, PPositions
from choco_pipeline.errors import LimitError
from choco_pipeline.finding.families.combinations import Point
from choco_pipeline.finding.families.lift import LabelledFormula
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games import Position
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.tables.reading.cells import BLOCK, Cells

#: Statements are tried up to this first: most are wrong there already.
CORNER = 100
#: And before that up to this, where there are few cells of a table of three coordinates.
FIRST_CELLS = 12
#: Every so many-th of the parameters is held out: no residue that conditions speak of is.
THIRD = 3
#: Of these, the first two in so many are looked at first; it is odd, so that no residue is left out.
FIFTH = 5


@dataclass(frozen=True)
class MemberTable:
    """One table of a family."""

    #: The integers that the family's notation leaves open.
    parameters: Point
    #: Returns the table's cells; asked again for every statement that is right in the corner.
    table: Callable[[], Cells]
    #: What was mined on it; none if nothing was looked for.
    findings: Sequence[Finding] = ()
    #: That of the run's table, of which `table` may return a corner; None where there is no run.
    stored_bound: int | None = None

    @cached_property
    def bound(self) -> int:
        """How far the table is looked at."""
        return self.table().bound

    @cached_property
    def corner(self) -> Cells:
        """The table up to a small bound, kept in memory."""
        cells = self.table().corner(CORNER)
        return replace(cells, cells=cells.cells[tuple(slice(0, n) for n in cells.shape)].copy())

    @cached_property
    def first_cells(self) -> Cells:
        """The first cells of the corner."""
        return self.corner.corner(FIRST_CELLS)


def extent(members: Iterable[MemberTable]) -> str:
    """Return how far tables were looked at, as words that follow a list of them; none if as a whole."""
    cut = {m.bound for m in members if m.stored_bound is not None and m.bound < m.stored_bound}
    bounds = " or ".join(f"{bound:,}" for bound in sorted(cut))
    return f", of larger ones the part to bound {bounds}" if cut else ""


@dataclass(frozen=True)
class Outcome:
    """What a statement is worth on one table."""

    #: On how many positions it was compared.
    positions: int
    #: The least position at which it is wrong, and that position's largest coordinate; None if it is right.
    failure: tuple[Position, int] | None
    #: Of the part of the table that was looked at.
    bound: int

    @property
    def holds(self) -> bool:
        """Whether it is right at every position, of which there are some."""
        return self.failure is None and self.positions > 0


@dataclass(frozen=True)
class TableFamily:
    """Tables of one quantity and of rulesets that are written alike."""

    #: Their notation, with names for integers.
    ruleset: str
    #: The tables, each with other parameters, in the order of these.
    members: tuple[MemberTable, ...]

    @classmethod
    def of(cls, ruleset: str, members: Sequence[MemberTable]) -> TableFamily:
        """Return the family of some tables in the order of their parameters; of tables with the same ones, the first."""
        by_parameters: dict[tuple[int, ...], MemberTable] = {}
        for member in members:
            by_parameters.setdefault(
                tuple(member.parameters[name] for name in sorted(member.parameters)), member
            )
        return cls(ruleset, tuple(by_parameters[key] for key in sorted(by_parameters)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(sorted(self.members[0].parameters)) if self.members else ()

    @cached_property
    def held_out(self) -> tuple[int, ...]:
        """Places of a third of the tables, chosen by their parameters alone: what was mined on them is not looked at."""
        return tuple(i for i, member in enumerate(self.members) if self._is_held_out(member))

    @property
    def held_out_first(self) -> tuple[int, ...]:
        """Two in five of them: a condition that these refute is looked for once more, with them."""
        return tuple(place for i, place in enumerate(self.held_out) if i % FIFTH < 2)

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """Places of the tables on which statements are looked for."""
        return tuple(i for i, member in enumerate(self.members) if not self._is_held_out(member))

    @property
    def points(self) -> tuple[Point, ...]:
        """The parameters of each table."""
        return tuple(member.parameters for member in self.members)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates of its games' positions."""
        return self.members[0].corner.game.coordinates

    def _is_held_out(self, member: MemberTable) -> bool:
        places = (self._values[name].index(member.parameters[name]) for name in self.names)
        return sum(places) % THIRD == THIRD - 1

    @cached_property
    def _values(self) -> dict[str, list[int]]:
        return {
            name: sorted({member.parameters[name] for member in self.members})
            for name in self.names
        }


def check_of(labelled: LabelledFormula, names: Sequence[str], seen: Point) -> dict[str, str]:
    """Return a statement as the ``check`` of a claim, its exceptions in the formulas.

    The names are the coordinates; the parameters `seen`, for which it is right, tell which exceptional positions are P.
    """
    excepted = [
        " and ".join(f"{name} == {value}" for name, value in zip(names, place, strict=True))
        for place in labelled.exceptions
    ]
    if labelled.label == "G =":
        parts = [
            *([f"({labelled.where})"] if labelled.where else []),
            *(f"not ({e})" for e in excepted),
        ]
        where = " and ".join(parts)
        return {"kind": "grundy", "equals": labelled.formula} | ({"where": where} if where else {})
    formula = labelled.formula
    for place, here in zip(labelled.exceptions, excepted, strict=True):
        point = dict(seen)
        point |= {n: int(parse(v).value(point)) for n, v in zip(names, place, strict=True)}
        is_p = not parse(labelled.formula).value(point)
        formula = f"({here}) or ({formula})" if is_p else f"not ({here}) and ({formula})"
    where_part = {"where": labelled.where} if labelled.where else {}
    return {"kind": "p-positions", "formula": formula} | where_part


def outcome_in_corner(check: Mapping[str, Any], member: MemberTable) -> Outcome:
    """Return what the ``check`` of a claim, as `check_of` returns it, is worth on the first part of a table.

    The least place at which it is wrong is the same in a smaller part, if there is one in it.
    """
    corner, few = member.corner, member.first_cells
    if few is not corner:
        first = _compared(check, member, few, None)
        if first.failure is not None:
            return replace(first, bound=corner.bound)
    return _compared(check, member, corner, None)


def outcome(check: Mapping[str, Any], member: MemberTable, reach: int | None = None) -> Outcome:
    """Return what the ``check`` of a claim is worth on a table.

    The check is as `check_of` returns it; coordinates are looked at up to `reach`, None for the whole table.
    """
    if reach is not None:
        return _compared(check, member, member.table().corner(reach), reach)
    first = outcome_in_corner(check, member)
    if first.failure is not None or first.bound == member.bound:
        return first
    return _compared(check, member, member.table(), None)


def _compared(
    check: Mapping[str, Any], member: MemberTable, cells: Cells, reach: int | None
) -> Outcome:
    environment = dict(member.parameters)
    try:
        where = parse(check["where"]) if "where" in check else None
        if check["kind"] == "grundy":
            numbers = GrundyNumbers(parse(check["equals"]), where)
            tally = alone(compare_grundy_numbers(numbers, environment, cells, BLOCK, reach))
        else:
            positions = PPositions(parse(check["formula"]), where=where)
            tally = alone(compare_p_positions(positions, environment, cells, BLOCK, reach))
    except (FormulaError, LimitError):  # without a value, or too long to look at: of no use here
        return Outcome(0, None, cells.bound)
    failure = None if tally.least is None else (tally.least, tally.cells.size(tally.least))
    return Outcome(tally.settled, failure, cells.bound)
