"""Families of tables that differ in parameters, and outcomes of claims on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import all_positions, compare, outcomes_of, premise
from choco_pipeline.claims.kinds import GrundyNumbers, PPositions
from choco_pipeline.claims.language.claim import FOUND, Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import ClaimVerdict, Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.language.verdict import Finding as Checked
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import LimitError
from choco_pipeline.finding.scope import ContentKey, Parameters, WholeTable, content_key
from choco_pipeline.finding.statement import Mined
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.written import parameter_text
from choco_pipeline.games import Position, parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.table_findings import (
    Evidence,
    Finding,
    FormulasFinding,
    StatementFinding,
    ValueSetFinding,
)
from choco_pipeline.mining.task import MOST_CELLS, part_of
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import findings_of
from choco_pipeline.sweep.run_files import Paths, Plan, PlannedTable
from choco_pipeline.tables.cells import (
    BLOCK,
    Cells,
    Ints,
    Points,
    Truths,
    evaluate_at,
    holds_at,
    select,
)
from choco_pipeline.tables.spec import Quantity, variable_of
from choco_pipeline.tables.store import store_of

#: Bound of the corner of a table that is compared first.
CORNER = 100
#: Bound of the positions of all tables that are compared together.
FIRST = 12
#: Corners grow by this factor up to the whole table.
GROWTH = 4
#: One table in `THIRD` is held out; no residue class of conditions is held out as a whole.
THIRD = 3
#: Two in `FIFTH` of the held-out tables are used first. The number is odd, so that they contain all residues.
FIFTH = 5


@dataclass(frozen=True)
class MemberTable:
    """One table of a family."""

    #: The values of the family's parameters.
    parameters: Parameters
    #: Returns the table's cells; called again for every statement that holds in the corner.
    table: Callable[[], Cells]
    #: The search results; none if it was not searched.
    findings: Sequence[Finding] = ()
    #: Bound of the run's table, of which `table` may return a corner; None without a run.
    stored_bound: int | None = None

    @classmethod
    def in_memory(
        cls, parameters: Parameters, cells: Cells, findings: Sequence[Finding] = ()
    ) -> MemberTable:
        """Return a table that no run stores."""
        return cls(parameters, lambda: cells, findings)

    @cached_property
    def bound(self) -> int:
        """The bound of the table."""
        return self.table().bound

    @cached_property
    def corner(self) -> Cells:
        """The table up to a small bound, kept in memory."""
        cells = self.table().corner(CORNER)
        return replace(cells, cells=cells.array.copy())


def extent(members: Iterable[MemberTable]) -> str:
    """Return the text for the bounds of tables that were read in part, if any."""
    cut = {m.bound for m in members if m.stored_bound is not None and m.bound < m.stored_bound}
    bounds = " or ".join(f"{bound:,}" for bound in sorted(cut))
    return f", of larger ones the part to bound {bounds}" if cut else ""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim on one table."""

    #: Number of positions compared.
    positions: int
    #: The least counterexample and its largest coordinate; None if it is right.
    failure: tuple[Position, int] | None
    #: Bound of the part of the table that was read.
    bound: int

    @property
    def holds(self) -> bool:
        """Whether it is right at every position, and there are positions."""
        return self.failure is None and self.positions > 0


@dataclass(frozen=True)
class TableFamily:
    """Tables of one quantity, for rulesets that differ only in integers."""

    #: The notation of the family, with names for integers.
    ruleset: str
    #: The tables, with different parameters, sorted by these.
    members: tuple[MemberTable, ...]

    @classmethod
    def of(cls, ruleset: str, members: Sequence[MemberTable]) -> TableFamily:
        """Return the family of tables, sorted by parameters; of equal ones, the first."""
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
        """Indices of the third of the tables whose search results are not used."""
        values = {name: sorted({point[name] for point in self.points}) for name in self.names}
        places = (
            sum(values[name].index(point[name]) for name in self.names) for point in self.points
        )
        return tuple(i for i, place in enumerate(places) if place % THIRD == THIRD - 1)

    @property
    def held_out_first(self) -> tuple[int, ...]:
        """Two in five; if they refute a condition, it is learned again with them."""
        return tuple(place for i, place in enumerate(self.held_out) if i % FIFTH < 2)

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """Indices of the tables that are searched."""
        return tuple(i for i in range(len(self.members)) if i not in self.held_out)

    @property
    def points(self) -> tuple[Parameters, ...]:
        """The parameters of each table."""
        return tuple(member.parameters for member in self.members)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates of its games' positions."""
        return self.members[0].corner.game.coordinates

    def claim(self, line: str) -> Claim:
        """Return a line with parameters as a claim on the family."""
        return Claim(Statement(id=f"{FOUND}line", ruleset=self.ruleset, statement=line))

    def evidence(self, positions: Mapping[int, int], kind: str) -> Evidence:
        """Return the evidence of tables, given the number of positions by table index."""
        which = f", {listed([self.points[i] for i in positions])}" if positions else ""
        what = f"{len(positions) or 'no'} {kind} tables{which}"
        return Evidence(sum(positions.values()), what, len(positions))


@dataclass(frozen=True)
class FirstPositions:
    """The first positions of several tables of a family.

    A line is compared with all of them at once, its parameters as coordinates: most lines fail here.
    """

    #: Coordinates and parameters of each position.
    points: Points
    #: Grundy numbers, in tables of them.
    values: Ints
    is_p: Truths
    #: The index of each position's table.
    tables: Ints

    @classmethod
    def of(cls, members: Mapping[int, MemberTable]) -> FirstPositions:
        """Return the first positions of some tables, by their indices in the family."""
        parts: list[tuple[Points, Ints, Truths, Ints]] = []
        for i, member in members.items():
            cells = member.corner.corner(FIRST)
            stored = cells.variable.stored
            for block in cells.blocks():
                for part in [block] if stored is None else all_positions(block, stored):
                    ones = np.ones_like(part.values)
                    parameters = {name: ones * value for name, value in member.parameters.items()}
                    is_p = outcomes_of(cells, part.points, part.values)
                    parts.append((part.points | parameters, part.values, is_p, ones * i))
        points, values, outcomes, tables = zip(*parts, strict=True)
        return cls(
            {name: np.concatenate([part[name] for part in points]) for name in points[0]},
            np.concatenate(values),
            np.concatenate(outcomes),
            np.concatenate(tables),
        )

    def refuted(self, claim: Claim) -> set[int]:
        """Return the indices of tables with a position that contradicts a claim.

        If the claim has no value at some position, no table is returned.
        """
        try:
            match claim.check:
                case GrundyNumbers(equals, where):
                    inside = self._inside(where)
                    points = select(self.points, inside)
                    wrong = evaluate_at(equals, points) != self.values[inside]
                case PPositions(formula, relation, where):
                    inside = self._inside(where)
                    holds, is_p = holds_at(formula, select(self.points, inside)), self.is_p[inside]
                    wrong = premise(relation, holds, is_p) & (holds != is_p)
                case _:
                    return set()
        except (FormulaError, LimitError):
            return set()
        return set(np.unique(self.tables[inside][wrong]).tolist())

    def _inside(self, where: Formula | None) -> Truths:
        return np.ones_like(self.is_p) if where is None else holds_at(where, self.points)


def outcome_in_corner(claim: Claim, member: MemberTable) -> Outcome:
    """Return the outcome of a claim on the corner of a table."""
    return _comparison(claim, member, member.corner, None)


def outcome_up_to(reach: int | None, claim: Claim, member: MemberTable) -> Outcome:
    """Return the outcome of a claim on the positions of a table up to `reach`."""
    if reach is None:
        return outcome(claim, member)
    return _comparison(claim, member, member.table().corner(reach), reach)


def outcome(claim: Claim, member: MemberTable, in_corner: Outcome | None = None) -> Outcome:
    """Return the outcome of a claim on a table, given that in its corner if known.

    The least counterexample in a corner is also the least one in the table.
    """
    found = in_corner or outcome_in_corner(claim, member)
    while found.failure is None and found.bound < member.bound:
        part = member.table().corner(min(GROWTH * found.bound, member.bound))
        found = _comparison(claim, member, part, None)
    return found


def _comparison(claim: Claim, member: MemberTable, cells: Cells, reach: int | None) -> Outcome:
    environment = dict(member.parameters)
    try:
        match claim.check:
            case GrundyNumbers() | PPositions() as check:
                tally = alone(compare(check, environment, cells, BLOCK, reach))
            case _:
                verdict = alone(pass_of_claim(claim, environment, cells, explains=False)).verdict
                right = verdict.positions if isinstance(verdict, Exhausted | HoldsToBound) else 0
                wrong = ((), 0) if isinstance(verdict, Refuted) else None
                return Outcome(right, wrong, cells.bound)
    except (FormulaError, LimitError):  # no value, or too large to evaluate
        return Outcome(0, None, cells.bound)
    failure = None if tally.least is None else (tally.least, tally.cells.size(tally.least))
    return Outcome(tally.settled, failure, cells.bound)


#: Most parameters in a list.
MOST_LISTED = 8


def listed(points: Sequence[Parameters]) -> str:
    """Return a list of parameters in words, shortened if it is long."""
    return parameter_text.listed(points, MOST_LISTED) or "none"


def values_of(points: Iterable[Parameters], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the values of each parameter at some points."""
    chosen = list(points)
    return {name: tuple(sorted({point[name] for point in chosen})) for name in names}


#: Bytes of tables that are kept in memory; further ones are read again.
KEPT = 400_000_000
#: Most cells of a table that are read, four times as many as are searched. Only a corner of larger tables is read, because a family
#: may have a hundred tables.
MOST_LOOKED_AT = 4 * MOST_CELLS
#: The searches whose results are lifted to parameters.
LIFTED = (FormulasFinding, StatementFinding, ValueSetFinding)


def mined_in(plan: Plan, paths: Paths) -> Iterator[Mined]:
    """Yield the search results of a run with their tables, the largest of each game."""
    largest = _largest(plan)
    tables = {table["id"]: table for table in largest.values()}
    for finding in findings_of(plan, paths):
        if finding.table in tables:
            table = tables[finding.table]
            yield mined_from(finding, table, family_of(plan, table))


def mined_from(finding: Finding, table: PlannedTable, family: str) -> Mined:
    """Return a search result with its table and the family of its game."""
    matched = match(read(family), read(table["ruleset"])) or {}
    parameters = dict(sorted(matched.items()))
    return Mined(table["ruleset"], table["quantity"], table["bound"], family, parameters, finding)


def families_of(plan: Plan, cache: TableCache, mined: Sequence[Mined]) -> list[TableFamily]:
    """Return families with search results that may be lifted, with all their tables."""
    findings: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    wanted: set[tuple[str, str]] = set()
    for result in mined:
        if isinstance(result.finding, LIFTED):
            findings[result.ruleset, result.quantity].append(result.finding)
            wanted.add((result.family, result.quantity))
    members: dict[tuple[str, str], list[MemberTable]] = defaultdict(list)
    for (ruleset, quantity), table in _largest(plan).items():
        family = family_of(plan, table), quantity
        parameters = match(read(family[0]), read(ruleset))
        if family in wanted and parameters:
            mined_there = findings[ruleset, quantity]
            reader = cache.reader(table)
            members[family].append(MemberTable(parameters, reader, mined_there, table["bound"]))
    return [TableFamily.of(ruleset, tables) for (ruleset, _), tables in members.items()]


@dataclass
class TableCache:
    """A cache of tables of a run."""

    paths: Paths
    cells: dict[str, Cells] = field(default_factory=dict)
    bytes: int = 0
    #: The manifests of shards that were read.
    manifests: dict[Path, Mapping[str, Any]] = field(default_factory=dict)

    def clear(self) -> None:
        """Release the memory."""
        self.cells.clear()
        self.bytes = 0

    def stored(self, table: PlannedTable) -> Cells:
        """Open a table."""
        manifest, table_id = self.paths.manifest(table["shard"]), table["id"]
        if manifest not in self.manifests:
            self.manifests[manifest] = read_record(manifest)
        built = self.manifests[manifest]
        return Cells.open(store_of(manifest, built), table_id, built["tables"][table_id])

    def reader(self, table: PlannedTable) -> Callable[[], Cells]:
        """Return a function that reads a table or its corner, or takes it from the cache."""

        def cells() -> Cells:
            part = self.cells.get(table["id"])
            if part is None:
                part = part_of(self.stored(table), MOST_LOOKED_AT)
                size = prod(part.shape) * part.cells.dtype.itemsize
                if self.bytes + size <= KEPT:
                    part = replace(part, cells=part.array)
                    self.bytes += size
                    self.cells[table["id"]] = part
            return part

        return cells


def whole_tables(
    plan: Plan, paths: Paths, claims: Mapping[str, Claim]
) -> Callable[[str, Quantity], WholeTable | None]:
    """Return a function that opens a game's largest table if only a corner was read.

    The checks of the run give the claims that hold on the table.
    """
    by_bound = sorted(plan["tables"], key=lambda table: table["bound"])
    largest = {(table["ruleset"], table["quantity"]): table for table in by_bound}

    @cache  # verdicts are small; an open table would keep its chunks in memory
    def holding(game: str, quantity: Quantity) -> dict[ContentKey, Checked]:
        table, findings = largest[game, quantity], {}
        sweep = table["sweeps"][0]
        if sweep in plan["jobs"][Stage.CHECK]:
            for document in read_record(paths.outcome(Stage.CHECK, sweep))["verdicts"]:
                if document["table"] == table["id"] and document["verdict"] == "holds-to-bound":
                    verdict = ClaimVerdict.model_validate(document)
                    key = content_key(claims[verdict.claim], verdict.parameters)
                    if key is not None:
                        findings[key] = verdict.finding
        return findings

    def whole(game: str, quantity: Quantity) -> WholeTable | None:
        table = largest.get((game, quantity))
        if table is None or not _is_cut(game, table["bound"], quantity):
            return None
        return WholeTable(TableCache(paths).stored(table), holding(game, quantity))

    return whole


@cache
def _is_cut(game: str, bound: int, quantity: Quantity) -> bool:
    ruleset = parse_ruleset(game)
    largest = dict(zip(ruleset.coordinates, ruleset.limits(bound), strict=True))
    dims = variable_of(ruleset, quantity).dims  # those of uncut bars are rows and columns
    return prod(largest.get(name, bound) + 1 for name in dims) > MOST_LOOKED_AT


def _largest(plan: Plan) -> dict[tuple[str, str], PlannedTable]:
    """Return the largest table by game and quantity, preferably a searched one."""
    largest: dict[tuple[str, str], PlannedTable] = {}
    for table in sorted(plan["tables"], key=lambda t: (t["is_searched"], t["bound"])):
        largest[table["ruleset"], table["quantity"]] = table
    return largest


def family_of(plan: Plan, table: PlannedTable) -> str:
    """Return the family of a table's game in a sweep, with names for parameters.

    A game that is in no such family, as with height functions from a list, is a family by itself.
    """
    concrete = read(table["ruleset"])
    for sweep in table["sweeps"]:
        pattern = plan["sweeps"][sweep]["ruleset"]
        if concrete.name == "with-pass":
            pattern = f"with-pass({pattern}, passes={dict(concrete.arguments)['passes']})"
        if read(pattern).names and match(read(pattern), concrete) is not None:
            return str(pattern)
    return str(table["ruleset"])
