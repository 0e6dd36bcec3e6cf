"""Verification and repair of stored tables.

Verification compares bytes with digests, and numbers with the definition. A repair recomputes only the damaged parts, and writes
only bytes that match the manifest.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import xor
from pathlib import Path

import numpy as np

from choco_pipeline.cluster.connect import runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.games import Position, mex
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.bounded_game import estimated_positions
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.location import Location, reason
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.shard import Journal
from choco_pipeline.tables.spec import Quantity, TableSpec
from choco_pipeline.tables.store import (
    METADATA,
    StoredTable,
    chunk_name,
    chunks_in,
    finish_store,
    reading_errors,
    store_of,
    write_table,
)
from choco_pipeline.tables.wavefront import Site, block_name, fill, share_of

#: Approximate number of the smallest positions that are compared with the definition.
SMALL = 1500
#: Number of random positions that are compared with their options.
SAMPLES = 200
#: The sample ends after this total number of options; a position with large coordinates has thousands.
MOST_OPTIONS = 50_000


@dataclass(frozen=True)
class VerifiedTable:
    """Result of verifying a table: number of checked positions, and the fault."""

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    checked: int = 0
    wrong: str | None = None


def verify_manifest(
    manifest_file: str, seed: int, report: Callable[..., None]
) -> list[VerifiedTable]:
    """Check every table of a shard; the seed chooses the random positions.

    `report` is called as ``report("verify", tables=1, positions=n)`` for each table. Raises `StoreError` if the manifest is
    damaged or missing.
    """
    manifest = Path(manifest_file)
    document = read_record(manifest)
    verified: list[VerifiedTable] = []
    try:
        for table_id, entry in document["tables"].items():
            result = VerifiedTable(table_id, entry["ruleset"], entry["bound"], entry["quantity"])
            try:
                stored = StoredTable(store_of(manifest, document), table_id, entry)
                for fault in stored.faults(document["kernels"]).values():
                    raise StoreError(fault)
                verified.append(replace(result, checked=_check_numbers(stored, seed)))
            except StoreError as error:
                verified.append(replace(result, wrong=str(error)))
            report("verify", tables=1, positions=entry["positions"])
    except (KeyError, TypeError, AttributeError):
        raise StoreError(f"{manifest}: not the manifest of a shard") from None
    return verified


def _check_numbers(stored: StoredTable, seed: int) -> int:
    """Check a table against the definition and itself; return the number of checks."""
    table = Cells.open(stored.store, stored.table_id, stored.entry)
    game = table.game
    has_numbers = table.variable.name == "grundy"
    checked = 0

    def require(position: Position, value: int, source: str) -> None:
        """Compare the table with a Grundy number, or 0 for P and 1 for N."""
        nonlocal checked
        if has_numbers and (found := table.grundy(position)) != value:
            raise StoreError(f"{position} has Grundy number {found} in the table, {value} {source}")
        outcome, expected = ("P" if p else "N" for p in (table.is_p_position(position), not value))
        if outcome != expected:
            raise StoreError(f"{position} is {outcome} in the table, {expected} {source}")
        checked += 1

    for position in _small(table):
        value = game.grundy(position) if has_numbers else int(not game.is_p_position(position))
        require(position, value, "by definition")
    if game.rules.splits and not (has_numbers and len(game.parts) == 1):
        return checked  # outcomes of two parts do not determine their sum's; a part of a sum is no position
    seen = 0
    for position in _random(table, np.random.default_rng(seed)):
        results = list(game.results(position))
        seen += len(results)
        if seen > MOST_OPTIONS and checked:
            break
        if not all(table.covers(part) for result in results for part in result):
            continue
        if has_numbers:
            value = mex(reduce(xor, map(table.grundy, result)) for result in results)
        else:
            outcomes = [table.is_p_position(option) for (option,) in results]
            value = int(any(outcomes) or (game.rules.misere and not outcomes))
        require(position, value, "by its options in the table")
    return checked


def _small(table: Cells) -> Iterator[Position]:
    game, size = table.game, 1
    while size < table.bound and estimated_positions(game, size + 1) <= SMALL:
        size += 1
    for position in np.ndindex(*(min(most, size) + 1 for most in game.limits(table.bound))):
        if game.is_position(position) and table.covers(position):
            yield position


def _random(table: Cells, random: np.random.Generator) -> Iterator[Position]:
    """Yield random positions, with the P-position of the column and one below."""
    game, stored, drawn = table.game, table.variable.stored, 0
    limits = np.array(game.limits(table.bound))
    for _ in range(50 * SAMPLES):
        position = tuple(int(c) for c in random.integers(0, limits + 1))
        if game.is_position(position) and table.covers(position):
            drawn += 1
            yield position
            value = table.stored(position)
            if stored is not None and value is not None:
                axis = game.coordinates.index(stored)
                for c in (value, value - 1) if value else (value,):
                    yield (*position[:axis], c, *position[axis + 1 :])
            if drawn == SAMPLES:
                return


@dataclass
class RepairedTable:
    """A repaired table: a line for each fault, and why a repair failed."""

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    damaged: Sequence[str] = ()
    why: str | None = None


@dataclass
class _Repair:
    """The repair of one stored table of a manifest."""

    manifest: Path
    #: Digest of the code that built the table.
    kernels: str
    spec: TableSpec
    table: StoredTable
    result: RepairedTable
    #: A message for each damaged file, by its name.
    faults: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Record the reason if the ``with`` block fails."""
        try:
            yield
        except reading_errors(ChocoError, TypeError) as error:
            why = str(error) if isinstance(error, ChocoError) else reason(error)
            self.result.why = f"{why}; once {self.manifest} is removed, `choco run` builds it again"


def repair_manifest(manifest_file: str) -> list[RepairedTable]:
    """Repair the tables of a shard to match its manifest.

    A small table is computed into a temporary store. If its digest is that of the manifest, damaged files are replaced. In a
    large table, only blocks with damaged chunks are filled again. The manifest does not change. Raises `StoreError` if the
    manifest cannot be read.
    """
    manifest = Path(manifest_file)
    document = read_record(manifest)
    repairs = []
    try:
        store, kernels = store_of(manifest, document), document["kernels"]
        for table_id, entry in document["tables"].items():
            spec, table = TableSpec.of_entry(entry), StoredTable(store, table_id, entry)
            result = RepairedTable(table_id, spec.ruleset, spec.bound, spec.quantity)
            repairs.append(_Repair(manifest, kernels, spec, table, result))
    except (KeyError, TypeError, AttributeError):
        raise StoreError(
            f"{manifest}: not the manifest of a shard; remove it, and `choco run` builds its tables again"
        ) from None
    for repair in repairs:
        with repair.step():
            if repair.spec.table_id != repair.table.table_id:
                raise StoreError(
                    f"{manifest}: the id {repair.table.table_id} does not match its table"
                )
            repair.faults = repair.table.faults(kernels)
            repair.result.damaged = list(repair.faults.values())
    damaged = [repair for repair in repairs if repair.faults]
    for repair in damaged:
        with repair.step():
            _rebuild(repair)
    # After all tables are rebuilt, because this reads the metadata of each.
    for repair in damaged:
        with repair.step():
            if METADATA in repair.faults:
                finish_store(store, [repair.spec.table_id])
    for repair in damaged:
        with repair.step():
            for fault in repair.table.faults(kernels).values() if not repair.result.why else ():
                raise StoreError(fault)
    return [repair.result for repair in repairs]


def _rebuild(repair: _Repair) -> None:
    """Replace the damaged files of a table, except the consolidated metadata."""
    spec, entry, kernels = repair.spec, repair.table.entry, code_digest(TABLE_CODE)
    if spec.game().identity != spec.identity:
        raise StoreError(f"{spec.ruleset}: the height table has changed since it was built")
    prefix = f".repair-{spec.table_id}-"
    with tempfile.TemporaryDirectory(dir=repair.manifest.parent, prefix=prefix) as folder:
        aside = Location.local(Path(folder) / "aside.zarr")
        if "blocks" in entry and repair.kernels == kernels:
            _fill_damaged_blocks(repair, Path(folder), aside)
            return
        digest = None
        if "blocks" not in entry:
            cells = cells_of(spec.game(), spec.bound, spec.quantity)
            digest = write_table(aside, spec, cells)["digest"]
        if digest != entry["digest"]:
            why = "the manifest's digest is not that of this table"
            if repair.kernels != kernels:
                why = f"built by other code ({repair.kernels}, this is {kernels})"
            raise StoreError(f"{repair.table}: {why}")
        _replace(repair, aside)


def _fill_damaged_blocks(repair: _Repair, folder: Path, aside: Location) -> None:
    """Recompute those blocks of a large table that have damaged chunks."""
    spec, stored = repair.spec, repair.table
    with runner() as run:
        memory = share_of(run.memory or worker_memory(cores()))
        site = Site(spec, stored.store, Journal(folder / "blocks"), memory)
        blocked = site.table()
        if METADATA in repair.faults:
            blocked.outline.create(aside)
            _replace(repair, aside)
        for block in blocked.blocks.values():
            places = chunks_in(blocked.window(block), blocked.outline.chunk)
            names = [chunk_name(at) for at, _ in places]
            if repair.faults.keys().isdisjoint(names):
                chunks = {name: stored.entry["chunks"][name] for name in names}
                site.journal.write(block_name(block), {"chunks": chunks, "positions": 0})
        fill(run, site, blocked)


def _replace(repair: _Repair, aside: Location) -> None:
    """Replace stored files by those of a new copy; metadata only if it is damaged."""
    table_id, store = repair.spec.table_id, repair.table.store
    if METADATA in repair.faults:
        store.write(METADATA, aside.read(METADATA))
    for name, _ in aside.files(table_id):
        content = aside.read(name)
        if name.endswith(METADATA):
            if METADATA not in repair.faults:
                continue
            document = json.loads(content)
            if name == f"{table_id}/{METADATA}":
                document["attributes"]["kernels"] = repair.kernels
            content = json.dumps(document, indent=2).encode()
        if store.read_if_there(name) != content:
            store.write(name, content)
