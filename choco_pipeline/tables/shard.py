"""Shards: the journal of finished parts, and the build of small tables.

A journal is kept until the run's ledger exists. If Snakemake is killed before it notices the end of a job, it removes the manifest
and repeats the job. The repeated job takes all results from the journal.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, versions
from choco_pipeline.stages import Stage
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.spec import FORMAT, Shard
from choco_pipeline.tables.store import StoredTable, TableEntry, finish_store, write_table

#: Name of the journal record that identifies the tables and the code.
HEADER = "header"


@dataclass(frozen=True)
class Journal:
    """Records of the finished tables of a shard, or blocks of a large table.

    A journal is discarded if its header differs from that of the current build.
    """

    folder: Path

    @classmethod
    def of(cls, manifest: Path) -> Journal:
        """Return the journal beside the manifest of a shard."""
        return cls(manifest.with_name(manifest.name.removesuffix(".done.json") + ".journal"))

    def clear(self) -> None:
        """Remove the journal."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name: str, record: Mapping[str, object]) -> None:
        """Record a finished part."""
        write_record(self.folder / f"{name}.json", record)

    def read(self, name: str) -> dict[str, Any] | None:
        """Return the record of a part, or None if there is none or it is damaged."""
        try:
            return read_record(self.folder / f"{name}.json")
        except StoreError:
            return None

    def remove(self, name: str) -> None:
        """Remove the record of a part."""
        (self.folder / f"{name}.json").unlink(missing_ok=True)


def build_shard(spec_file: str, manifest_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Compute and store the tables of a shard; continue an interrupted build.

    The manifest is written last. `report` is called as ``report(Stage.BUILD, tables=1, positions=n)`` after each table. Return
    the numbers of tables computed, and of tables kept from an interrupted build.
    """
    shard = Shard.from_json(read_record(Path(spec_file)))
    manifest = Path(manifest_file)
    store, journal = store_for(shard, manifest), Journal.of(manifest)
    header = {"format": FORMAT, "shard": shard.name, "kernels": code_digest(TABLE_CODE)}
    if journal.read(HEADER) != header:
        journal.clear()
        journal.write(HEADER, header)
    entries: dict[str, TableEntry] = {}
    kept = 0
    for spec in shard.tables:
        record = journal.read(spec.table_id)
        if record and not StoredTable(store, spec.table_id, record["entry"]).faults():
            entry: TableEntry = record["entry"]
            kept += 1
        else:
            start = time.perf_counter()
            game = spec.planned_game()
            cells = cells_of(game, spec.bound, spec.quantity)
            computed = time.perf_counter() - start
            entry = {
                **write_table(store, spec, cells),
                "positions": count_positions(game, spec.bound),
                "seconds": round(computed, 4),
                "seconds_to_store": round(time.perf_counter() - start - computed, 4),
            }
            journal.write(spec.table_id, {"entry": entry})
        entries[spec.table_id] = entry
        report(Stage.BUILD, tables=1, positions=entry["positions"])
    finish_store(store, list(entries))
    write_manifest(shard, manifest, entries)
    return {"computed": len(entries) - kept, "kept": kept}


def store_for(shard: Shard, manifest: Path) -> Location:
    """Return the store of a shard: beside its manifest, or below its URL."""
    folder = Location.local(manifest.parent) if shard.url is None else Location.of_url(shard.url)
    return folder.child(f"{shard.name}.zarr")


def write_manifest(shard: Shard, manifest: Path, entries: Mapping[str, TableEntry]) -> None:
    """Write the manifest of a shard, which marks it as finished."""
    document = {
        "format": FORMAT,
        "shard": shard.name,
        "store": f"{shard.name}.zarr" if shard.url is None else str(store_for(shard, manifest)),
        "kernels": code_digest(TABLE_CODE),
        "versions": versions(),
        "tables": entries,
    }
    write_record(manifest, document)
