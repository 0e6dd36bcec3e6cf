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
from choco_pipeline.tables.computing import table as compute_table
from choco_pipeline.tables.location import FAILURES, Location, reason
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.shard import Finished, Journal
from choco_pipeline.tables.spec import Quantity, TableSpec
from choco_pipeline.tables.store import (
    BuiltTable,
    StoredCells,
    StoredTable,
    create_table,
    finish_store,
    store_of,
    write_table,
)
from choco_pipeline.tables.wavefront import BlockedTable, Site, fill, share_of

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
    try:
        return _verified(manifest, document, seed, report)
    except (KeyError, TypeError, AttributeError):
        raise StoreError(f"{manifest}: not the manifest of a shard") from None


def _verified(
    manifest: Path, document: Mapping[str, Any], seed: int, report: Callable[..., None]
) -> list[VerifiedTable]:
    verified: list[VerifiedTable] = []
    for table_id, entry in document["tables"].items():
        table = VerifiedTable(table_id, entry["ruleset"], entry["bound"], entry["quantity"])
        try:
            stored = StoredTable(store_of(manifest, document), table_id, entry)
            stored.require_sound()
            fault = stored.fault_of_metadata(document["kernels"])
            if fault is not None:
                raise StoreError(fault)
            verified.append(replace(table, checked=_check_numbers(stored, seed)))
        except StoreError as error:
            verified.append(replace(table, wrong=str(error)))
        report("verify", tables=1, positions=entry["positions"])
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
    game, bound = table.game, table.bound
    limits = np.array(game.limits(bound))
    drawn = 0
    for _ in range(50 * SAMPLES):
        position = tuple(int(c) for c in random.integers(0, limits + 1))
        if game.is_position(position) and table.covers(position):
            drawn += 1
            yield position
            yield from _stored_beside(position, table)
            if drawn == SAMPLES:
                return


def _stored_beside(position: Position, table: Cells) -> Iterator[Position]:
    """Yield a column's stored P-position, if any, and the position below it."""
    stored = table.variable.stored
    value = None if stored is None else table.stored(position)
    if stored is None or value is None:
        return
    axis = table.game.coordinates.index(stored)
    for c in (value, value - 1):
        if c >= 0:
            yield (*position[:axis], c, *position[axis + 1 :])


METADATA = "zarr.json"


@dataclass
class _Patient:
    """A stored table, its faults, and the reason why they cannot be repaired."""

    manifest: Path
    document: Mapping[str, Any]
    store: Location
    spec: TableSpec
    chunks: dict[str, str] = field(default_factory=dict)
    metadata: str | None = None
    why: str | None = None

    @classmethod
    def of(cls, manifest: Path, document: Mapping[str, Any], table_id: str) -> _Patient:
        entry = document["tables"][table_id]
        spec = TableSpec(entry["ruleset"], entry["bound"], entry["quantity"], entry["identity"])
        patient = cls(manifest, document, store_of(manifest, document), spec)
        with patient.failures():
            if spec.table_id != table_id:
                raise StoreError(f"{manifest}: its table {table_id} is another one")
            patient.examine()
        return patient

    @property
    def entry(self) -> BuiltTable:
        entry: BuiltTable = self.document["tables"][self.spec.table_id]
        return entry

    @property
    def table(self) -> StoredTable:
        return StoredTable(self.store, self.spec.table_id, self.entry)

    @property
    def is_of_this_code(self) -> bool:
        return bool(self.document["kernels"] == code_digest(TABLE_CODE))

    @property
    def faults(self) -> list[str]:
        """A line for each fault."""
        return [*self.chunks.values(), *([] if self.metadata is None else [self.metadata])]

    def examine(self) -> None:
        self.chunks = dict(self.table.faults())
        self.metadata = self.table.fault_of_metadata(self.document["kernels"])

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
        store_of(manifest, document)
        patients = [_Patient.of(manifest, document, table_id) for table_id in document["tables"]]
    except (KeyError, TypeError):
        raise StoreError(
            f"{manifest}: not the manifest of a shard; remove it, and `choco run` builds its tables again"
        ) from None
    faults = [patient.faults for patient in patients]
    ill = [patient for patient in patients if patient.faults]
    for patient in ill:
        with patient.failures():
            _rebuild(patient)
    # Only now, because it reads the metadata of all tables.
    for patient in [patient for patient in ill if patient.metadata is not None]:
        with patient.failures():
            finish_store(patient.store, [patient.spec.table_id])
    for patient in ill:
        with patient.failures():
            patient.examine()
            if patient.faults and patient.why is None:
                raise StoreError(patient.faults[0])
    return [
        RepairedTable(spec.table_id, spec.ruleset, spec.bound, spec.quantity, found, patient.why)
        for patient, found in zip(patients, faults, strict=True)
        for spec in [patient.spec]
    ]


def _rebuild(patient: _Patient) -> None:
    """Replace the damaged files of a table, except the consolidated metadata."""
    if patient.spec.game().identity != patient.spec.identity:
        raise StoreError(f"{patient.spec.ruleset}: the height table has changed since it was built")
    prefix = f".repair-{patient.spec.table_id}-"
    with tempfile.TemporaryDirectory(dir=patient.manifest.parent, prefix=prefix) as folder:
        if "blocks" in patient.entry:
            _rebuild_large(patient, Path(folder))
        else:
            _rebuild_small(patient, Location.local(Path(folder)))


def _rebuild_small(patient: _Patient, aside: Location) -> None:
    spec, entry = patient.spec, patient.entry
    made = write_table(aside, spec, compute_table(spec.game(), spec.bound, spec.quantity))
    if made["digest"] != entry["digest"]:
        raise _other_values(patient)
    _replace_cells(patient, aside)
    if patient.metadata is not None:
        _replace_metadata(patient, aside)


def _rebuild_large(patient: _Patient, folder: Path) -> None:
    """Fill the blocks with damaged chunks again."""
    if not patient.is_of_this_code:
        raise _other_values(patient)
    with runner() as run:
        memory = share_of(run.memory or worker_memory(cores()))
        site = Site(
            patient.spec, patient.store, Journal(folder / "blocks"), memory, code_digest(TABLE_CODE)
        )
        spec = patient.spec
        table = BlockedTable.of_spec(spec, memory)
        if patient.metadata is not None:
            aside = Location.local(folder / "aside.zarr")
            create_table(aside, spec, table.outline)
            _replace_cells(patient, aside)
            _replace_metadata(patient, aside)
        for block in table.blocks.values():
            names = [
                chunk_name(at) for at, _ in chunks_in(table.window(block), table.outline.chunk)
            ]
            if patient.chunks.keys().isdisjoint(names):
                chunks = {name: patient.entry["chunks"][name] for name in names}
                site.journal.write(block, Finished(chunks, positions=0))
        fill(run, site, table)


def _replace_cells(patient: _Patient, aside: Location) -> None:
    """Copy the differing chunks from a new copy of the table, or its coordinates."""
    for name, _ in aside.files(patient.spec.table_id):
        if not name.endswith(METADATA):
            content = aside.read(name)
            if not patient.store.exists(name) or patient.store.read(name) != content:
                patient.store.write(name, content)


def _replace_metadata(patient: _Patient, aside: Location) -> None:
    """Copy metadata from a new copy of the table, but keep the digest of the code."""
    table_id = patient.spec.table_id
    patient.store.write(METADATA, aside.read(METADATA))
    for name, _ in aside.files(table_id):
        if name.endswith(METADATA):
            document = json.loads(aside.read(name))
            if name == f"{table_id}/{METADATA}":
                document["attributes"]["kernels"] = patient.document["kernels"]
            patient.store.write(name, json.dumps(document, indent=2).encode())


def _other_values(patient: _Patient) -> StoreError:
    if patient.is_of_this_code:
        return StoreError(f"{patient.table}: the manifest's digest is not that of this table")
    return StoreError(
        f"{patient.table}: built by other code ({patient.document['kernels']}, this is {code_digest(TABLE_CODE)})"
    )
