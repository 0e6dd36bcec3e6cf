"""Damaged tables made whole: only what is damaged is computed again, and only what the manifest says is written."""

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
from choco_pipeline.tables.building.block_task import Site
from choco_pipeline.tables.building.blocks import BlockedTable, share_of
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
    """A stored table, what is wrong with it, and why that cannot be mended."""

    manifest: Path
    document: Mapping[str, Any]
    store: Location
    spec: TableSpec
    chunks: dict[str, str] = field(default_factory=dict)
    metadata: str | None = None
    why: str | None = None

    @classmethod
    def of(cls, manifest: Path, document: Mapping[str, Any], table_id: str) -> _Patient:
        """Examine a table of a manifest."""
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
        """What the manifest says of it."""
        entry: BuiltTable = self.document["tables"][self.spec.table_id]
        return entry

    @property
    def table(self) -> StoredTable:
        """The table in its store."""
        return StoredTable(self.store, self.spec.table_id, self.entry)

    @property
    def is_of_this_code(self) -> bool:
        """Whether this code has built it."""
        return bool(self.document["kernels"] == code_digest(TABLE_CODE))

    @property
    def faults(self) -> list[str]:
        """What is wrong, a line for each fault."""
        return [*self.chunks.values(), *([] if self.metadata is None else [self.metadata])]

    def examine(self) -> None:
        """Find out what is wrong."""
        self.chunks = dict(self.table.faults())
        self.metadata = self.table.fault_of_metadata(self.document["kernels"])

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Note why what is done in here has failed."""
        try:
            yield
        except (ChocoError, *FAILURES, KeyError, RuntimeError, TypeError, ValueError) as error:
            why = str(error) if isinstance(error, ChocoError) else reason(error)
            self.why = f"{why}; once {self.manifest} is removed, `choco run` builds it again"


@dataclass(frozen=True)
class RepairedTable:
    """What repair says of a table: a line for each fault that it had, and why it could not be repaired, else None."""

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    damaged: Sequence[str]
    why: str | None


def repair_manifest(manifest_file: str) -> list[RepairedTable]:
    """Look for damage in the tables of a shard and rebuild what is damaged, as the manifest has it; return what is said of each table.

    A small table is computed anew beside its store, and damaged files are replaced if it is the same table; of a large
    one, the blocks that hold damaged chunks are filled anew. The manifest stays as it is. Raises `StoreError` if the manifest
    cannot be used.
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
    ill = [(patient, patient.faults) for patient in patients if patient.faults]
    for patient, _ in ill:
        with patient.failures():
            _rebuild(patient)
    # Only now, for it reads the metadata of them all.
    gathered = [patient for patient, _ in ill if patient.metadata is not None]
    for patient in gathered:
        with patient.failures():
            finish_store(patient.store, [patient.spec.table_id])
    for patient, _ in ill:
        with patient.failures():
            patient.examine()
            if patient.faults and patient.why is None:
                raise StoreError(patient.faults[0])
    sick = {patient.spec.table_id: faults for patient, faults in ill}
    return [
        RepairedTable(
            patient.spec.table_id,
            patient.spec.ruleset,
            patient.spec.bound,
            patient.spec.quantity,
            sick.get(patient.spec.table_id, []),
            patient.why,
        )
        for patient in patients
    ]


def _rebuild(patient: _Patient) -> None:
    """Replace what is damaged of a table, but for what is gathered of the metadata."""
    if patient.spec.game().identity != patient.spec.identity:
        raise StoreError(f"{patient.spec.ruleset}: the height table has changed since it was built")
    prefix = f".repair-{patient.spec.table_id}-"
    with tempfile.TemporaryDirectory(dir=patient.manifest.parent, prefix=prefix) as folder:
        if "blocks" in patient.entry:
            _rebuild_large(patient, Path(folder))
        else:
            _rebuild_small(patient, Location.local(Path(folder)))


def _rebuild_small(patient: _Patient, aside: Location) -> None:
    """Compute a table whole, and replace the files that differ from what it is."""
    spec, entry = patient.spec, patient.entry
    made = write_table(aside, spec, compute_table(spec.game(), spec.bound, spec.quantity))
    if made["digest"] != entry["digest"]:
        raise _other_values(patient)
    _replace_cells(patient, aside)
    if patient.metadata is not None:
        _replace_metadata(patient, aside)


def _rebuild_large(patient: _Patient, folder: Path) -> None:
    """Fill the blocks of a table that hold damaged chunks; those that are whole are read where they are needed."""
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
    """Take the chunks that differ from a store in which the table, or its coordinates alone, have just been made."""
    for name, _ in aside.files(patient.spec.table_id):
        if not name.endswith(METADATA):
            content = aside.read(name)
            if not patient.store.exists(name) or patient.store.read(name) != content:
                patient.store.write(name, content)


def _replace_metadata(patient: _Patient, aside: Location) -> None:
    """Take a table's metadata from a store in which it has just been made, but for the code that has computed it."""
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
