"""Verification and repair of stored tables.

Verification compares bytes with digests, and numbers with the definition. A repair computes only the damaged parts again, and
writes only bytes that match the manifest.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.cluster.connect import runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.games import Position, mex, parse_ruleset
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.bounded_game import estimated_positions
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.chunks import chunk_name, chunks_in
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.location import FAILURES, Location, reason
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.shard import Journal
from choco_pipeline.tables.spec import Quantity, TableSpec
from choco_pipeline.tables.store import (
    METADATA,
    StoredCells,
    StoredTable,
    create_table,
    finish_store,
    store_of,
    write_table,
)
from choco_pipeline.tables.wavefront import BlockedTable, Finished, Site, fill, share_of

#: About this number of the smallest positions is computed from the definition.
SMALL = 1500
#: Random positions that are compared with their options, up to `MOST_OPTIONS` options together.
SAMPLES = 200
#: Options of all sampled positions together: a position with large coordinates has thousands.
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
    game, bound = parse_ruleset(stored.entry["ruleset"]), int(stored.entry["bound"])
    cells = StoredCells.open(stored.store, stored.table_id, stored.entry)
    table = Cells.of(game, bound, cells)
    has_numbers = table.variable.name == "grundy"
    checked = 0
    for position in _small(table):
        if has_numbers:
            _require_number(table, position, game.grundy(position), "by definition")
        outcome, is_p = (
            "P" if found else "N"
            for found in (table.is_p_position(position), game.is_p_position(position))
        )
        if outcome != is_p:
            raise StoreError(f"{position} is {outcome} in the table, {is_p} by definition")
        checked += 1
    if game.rules.splits and len(game.parts) > 1:
        return checked  # the results of a split are no positions of a sum
    seen = 0
    for position in _random(table, np.random.default_rng(seed)):
        results = list(game.results(position))
        seen += len(results)
        if seen > MOST_OPTIONS and checked:
            break
        if not all(table.covers(part) for result in results for part in result):
            continue
        if has_numbers:
            numbers = (reduce(xor, map(table.grundy, result)) for result in results)
            _require_number(table, position, mex(numbers), "by its options in the table")
        elif game.rules.splits:
            continue  # outcomes of two parts do not decide that of their sum
        else:
            outcomes = [table.is_p_position(option) for (option,) in results]
            has_won = game.rules.misere and not outcomes
            if (has_won or any(outcomes)) == table.is_p_position(position):
                raise StoreError(
                    f"table {stored.table_id}: {position} contradicts its options: P exactly if none of them is P"
                )
        checked += 1
    return checked


def _require_number(table: Cells, position: Position, number: int, source: str) -> None:
    found = table.grundy(position)
    if found != number:
        raise StoreError(f"{position} has Grundy number {found} in the table, {number} {source}")


def _small(table: Cells) -> Iterator[Position]:
    game, bound = table.game, table.bound
    size = 1
    while size < bound and estimated_positions(game, size + 1) <= SMALL:
        size += 1
    for position in np.ndindex(*(min(most, size) + 1 for most in game.limits(bound))):
        if game.is_position(position) and table.covers(position):
            yield position


def _random(table: Cells, random: np.random.Generator) -> Iterator[Position]:
    """Yield random positions, and with each the P-position of its column, if stored, and the position below that."""
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
class _Patient:
    """A stored table, its faults, and the reason why they cannot be repaired."""

    manifest: Path
    document: Mapping[str, Any]
    spec: TableSpec
    table: StoredTable
    #: By the names of damaged files.
    faults: dict[str, str] = field(default_factory=dict)
    why: str | None = None

    @classmethod
    def of(cls, manifest: Path, document: Mapping[str, Any], table_id: str) -> _Patient:
        entry = document["tables"][table_id]
        spec = TableSpec.of_entry(entry)
        table = StoredTable(store_of(manifest, document), table_id, entry)
        patient = cls(manifest, document, spec, table)
        with patient.failures():
            if spec.table_id != table_id:
                raise StoreError(f"{manifest}: its table {table_id} is another one")
            patient.examine()
        return patient

    def examine(self) -> None:
        self.faults = self.table.faults(self.document["kernels"])

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Note the reason if the ``with`` fails."""
        try:
            yield
        except (ChocoError, *FAILURES, KeyError, RuntimeError, TypeError, ValueError) as error:
            why = str(error) if isinstance(error, ChocoError) else reason(error)
            self.why = f"{why}; once {self.manifest} is removed, `choco run` builds it again"


@dataclass(frozen=True)
class RepairedTable:
    """Result of repairing a table.

    `damaged` has a line for each fault; `why` is the reason if the repair failed.
    """

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    damaged: Sequence[str]
    why: str | None


def repair_manifest(manifest_file: str) -> list[RepairedTable]:
    """Repair the tables of a shard to match its manifest.

    A small table is computed again beside its store, and damaged files are replaced if the digest is the same. Of a large one,
    the blocks with damaged chunks are filled again. The manifest does not change. Raises `StoreError` if it cannot be used.
    """
    manifest = Path(manifest_file)
    document = read_record(manifest)
    try:
        store = store_of(manifest, document)
        patients = [_Patient.of(manifest, document, table_id) for table_id in document["tables"]]
    except (KeyError, TypeError):
        raise StoreError(
            f"{manifest}: not the manifest of a shard; remove it, and `choco run` builds its tables again"
        ) from None
    faults = [list(patient.faults.values()) for patient in patients]
    ill = [patient for patient in patients if patient.faults]
    for patient in ill:
        with patient.failures():
            _rebuild(patient)
    # Only now, because it reads the metadata of all tables.
    for patient in [patient for patient in ill if METADATA in patient.faults]:
        with patient.failures():
            finish_store(store, [patient.spec.table_id])
    for patient in ill:
        with patient.failures():
            patient.examine()
            if patient.faults and patient.why is None:
                raise StoreError(next(iter(patient.faults.values())))
    return [
        RepairedTable(spec.table_id, spec.ruleset, spec.bound, spec.quantity, found, patient.why)
        for patient, found in zip(patients, faults, strict=True)
        for spec in [patient.spec]
    ]


def _rebuild(patient: _Patient) -> None:
    """Replace the damaged files of a table, except the consolidated metadata."""
    spec, entry, kernels = patient.spec, patient.table.entry, code_digest(TABLE_CODE)
    is_of_this_code = patient.document["kernels"] == kernels
    if spec.game().identity != spec.identity:
        raise StoreError(f"{spec.ruleset}: the height table has changed since it was built")
    prefix = f".repair-{spec.table_id}-"
    with tempfile.TemporaryDirectory(dir=patient.manifest.parent, prefix=prefix) as folder:
        aside = Location.local(Path(folder) / "aside.zarr")
        if "blocks" in entry and is_of_this_code:
            _fill_damaged_blocks(patient, Path(folder), aside)
            return
        made = None
        if "blocks" not in entry:
            data = table(spec.game(), spec.bound, spec.quantity)
            made = write_table(aside, spec, data)["digest"]
        if made != entry["digest"]:
            why = "the manifest's digest is not that of this table"
            if not is_of_this_code:
                why = f"built by other code ({patient.document['kernels']}, this is {kernels})"
            raise StoreError(f"{patient.table}: {why}")
        _replace(patient, aside)


def _fill_damaged_blocks(patient: _Patient, folder: Path, aside: Location) -> None:
    """Fill the blocks of a large table with damaged chunks again."""
    spec, stored = patient.spec, patient.table
    with runner() as run:
        memory = share_of(run.memory or worker_memory(cores()))
        journal = Journal(folder / "blocks")
        site = Site(spec, stored.store, journal, memory, code_digest(TABLE_CODE))
        blocked = BlockedTable.of(spec.game(), spec.bound, spec.quantity, memory)
        if METADATA in patient.faults:
            create_table(aside, spec, blocked.outline)
            _replace(patient, aside)
        for block in blocked.blocks.values():
            places = chunks_in(blocked.window(block), blocked.outline.chunk)
            names = [chunk_name(at) for at, _ in places]
            if patient.faults.keys().isdisjoint(names):
                chunks = {name: stored.entry["chunks"][name] for name in names}
                site.record(block, Finished(chunks, positions=0))
        fill(run, site, blocked)


def _replace(patient: _Patient, aside: Location) -> None:
    """Copy the files that differ from a new copy of the table, but keep the digest of the code.

    Metadata is copied only if it is damaged.
    """
    table_id, store = patient.spec.table_id, patient.table.store
    if METADATA in patient.faults:
        store.write(METADATA, aside.read(METADATA))
    for name, _ in aside.files(table_id):
        content = aside.read(name)
        if name.endswith(METADATA):
            if METADATA not in patient.faults:
                continue
            document = json.loads(content)
            if name == f"{table_id}/{METADATA}":
                document["attributes"]["kernels"] = patient.document["kernels"]
            content = json.dumps(document, indent=2).encode()
        if store.read_if_there(name) != content:
            store.write(name, content)
