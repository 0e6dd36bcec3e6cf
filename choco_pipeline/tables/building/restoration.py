"""Repair of damaged tables.

Only damaged parts are computed again, and only bytes that match the manifest are written.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from choco_pipeline.cluster.steps import runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.building.blocks import BlockedTable, Site, share_of
from choco_pipeline.tables.building.wavefront import fill
from choco_pipeline.tables.computing.in_memory import table as compute_table
from choco_pipeline.tables.computing.machine import cores, worker_memory
from choco_pipeline.tables.specs.chunks import chunk_name, chunks_in
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.specs.spec import TableSpec
from choco_pipeline.tables.storage.journal import Finished, Journal
from choco_pipeline.tables.storage.location import FAILURES, Location, reason
from choco_pipeline.tables.storage.store import (
    BuiltTable,
    create_table,
    finish_store,
    store_of,
    write_table,
)
from choco_pipeline.tables.storage.stored import StoredTable

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
