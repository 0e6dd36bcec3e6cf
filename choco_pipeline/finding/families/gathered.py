"""The search results of a run with their tables, by families of games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod
from pathlib import Path

import numpy as np

from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Finding as Checked
from choco_pipeline.documents.record import read_record
from choco_pipeline.finding.families.table_family import MemberTable, TableFamily
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.scope import Said, WholeTable, holding_among
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.table_findings import (
    Finding,
    FormulasFinding,
    StatementFinding,
    ValueSetFinding,
)
from choco_pipeline.mining.task import MOST_CELLS
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import findings_of
from choco_pipeline.sweep.run_files import Paths, Plan, PlannedTable
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.spec import Quantity, variable_of
from choco_pipeline.tables.store import StoredCells, store_of

#: Bytes of tables that are kept in memory; further ones are read again.
KEPT = 400_000_000
#: Most cells of a table that are read, four times as many as are searched. A corner is read of larger tables. A family may have a
#: hundred tables, and statements are tried on other tables, too. All cells of sixteen tables of 10⁹ took two minutes.
MOST_LOOKED_AT = 4 * MOST_CELLS
#: The searches whose results are lifted to parameters.
LIFTED = (FormulasFinding, StatementFinding, ValueSetFinding)


def mined_in(plan: Plan, paths: Paths) -> Iterator[Mined]:
    """Yield the search results of a run with their tables; of a game with several tables, those of the largest."""
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


def families_of(plan: Plan, paths: Paths, mined: Sequence[Mined]) -> list[TableFamily]:
    """Return the families with search results that may be lifted, with all their tables."""
    findings: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    wanted: set[tuple[str, str]] = set()
    for result in mined:
        if isinstance(result.finding, LIFTED):
            findings[result.ruleset, result.quantity].append(result.finding)
            wanted.add((result.family, result.quantity))
    kept = _Kept(paths)
    members: dict[tuple[str, str], list[MemberTable]] = defaultdict(list)
    for (ruleset, quantity), table in _largest(plan).items():
        family = family_of(plan, table), quantity
        parameters = match(read(family[0]), read(ruleset))
        if family in wanted and parameters:
            mined_there = findings[ruleset, quantity]
            reader = kept.reader(table)
            members[family].append(MemberTable(parameters, reader, mined_there, table["bound"]))
    return [TableFamily.of(ruleset, tables) for (ruleset, _), tables in members.items()]


@dataclass
class _Kept:
    """A cache of tables."""

    paths: Paths
    bytes: int = 0
    cells: dict[str, Cells] = field(default_factory=dict)

    def reader(self, table: PlannedTable) -> Callable[[], Cells]:
        """Return a function that returns a table, or the corner that is read, from memory if it is there."""

        def cells() -> Cells:
            kept = self.cells.get(table["id"])
            if kept is None:
                manifest = self.paths.manifest(table["shard"])
                built = read_record(manifest)
                store, entry = store_of(manifest, built), built["tables"][table["id"]]
                stored = StoredCells.open(store, table["id"], entry)
                kept = looked_at(Cells.of(parse_ruleset(table["ruleset"]), table["bound"], stored))
                size = prod(kept.shape) * np.dtype(entry["dtype"]).itemsize
                if self.bytes + size <= KEPT:
                    kept = replace(kept, cells=kept.cells[tuple(map(slice, kept.shape))])
                    self.bytes += size
                    self.cells[table["id"]] = kept
            return kept

        return cells


def whole_tables(plan: Plan, paths: Paths) -> Callable[[str, Quantity], WholeTable | None]:
    """Return a function that opens the largest table of a game if only a corner of it was read."""
    # Small, unlike the chunks that an open table keeps.
    holding: dict[str, dict[Said, Checked]] = {}
    by_bound = sorted(plan["tables"], key=lambda table: table["bound"])
    largest = {(table["ruleset"], table["quantity"]): table for table in by_bound}

    def whole(game: str, quantity: Quantity) -> WholeTable | None:
        table = largest.get((game, quantity))
        if table is None or not _is_cut(game, table["bound"], quantity):
            return None
        name = table["id"]
        if name not in holding:
            holding[name] = holding_among(_checked_on(plan, paths, table))
        manifest = paths.manifest(table["shard"])
        built = read_record(manifest)
        data = StoredCells.open(store_of(manifest, built), name, built["tables"][name])
        return WholeTable(table["bound"], data, holding[name])

    return whole


def _checked_on(
    plan: Plan, paths: Paths, table: PlannedTable
) -> Iterator[tuple[Claim, ClaimVerdict]]:
    """Yield the claims with verdicts on a table."""
    sweep = table["sweeps"][0]
    if sweep in plan["jobs"][Stage.CHECK]:
        claims = load_catalogue([Path(name) for name in plan["claims_files"]]).claims
        for document in read_record(paths.outcome(Stage.CHECK, sweep))["verdicts"]:
            if document["table"] == table["id"]:
                yield claims[document["claim"]], ClaimVerdict.model_validate(document)


@cache
def _is_cut(game: str, bound: int, quantity: Quantity) -> bool:
    ruleset = parse_ruleset(game)
    largest = dict(zip(ruleset.coordinates, ruleset.limits(bound), strict=True))
    dims = variable_of(ruleset, quantity).dims  # those of uncut bars are rows and columns
    return prod(largest.get(name, bound) + 1 for name in dims) > MOST_LOOKED_AT


def looked_at(cells: Cells) -> Cells:
    """Return a table, halved until it is small enough."""
    part, bound = cells, cells.bound
    while prod(part.shape) > MOST_LOOKED_AT and bound > 1:
        bound //= 2
        part = cells.corner(bound)
    return part


def _largest(plan: Plan) -> dict[tuple[str, str], PlannedTable]:
    """Return for each game and quantity the table with the largest bound, preferring tables that were searched."""
    mined = {order["table"] for order in plan["mine"]}
    largest: dict[tuple[str, str], PlannedTable] = {}
    for table in sorted(plan["tables"], key=lambda t: (t["id"] in mined, t["bound"])):
        largest[table["ruleset"], table["quantity"]] = table
    return largest


def family_of(plan: Plan, table: PlannedTable) -> str:
    """Return the family of games of a sweep of the table, with names for parameters.

    A game that no such family writes, as with height functions from a list, is a family by itself.
    """
    concrete = read(table["ruleset"])
    for sweep in table["sweeps"]:
        pattern = plan["sweeps"][sweep]["ruleset"]
        if concrete.name == "with-pass":
            pattern = f"with-pass({pattern}, passes={dict(concrete.arguments)['passes']})"
        if read(pattern).names and match(read(pattern), concrete) is not None:
            return str(pattern)
    return str(table["ruleset"])
