"""Building a shard of small tables, resumable, with a final manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import xarray as xr

from choco_pipeline.documents.files import append_text, write_text
from choco_pipeline.documents.record import (
    parse_record_line,
    read_record,
    record_line,
    write_record,
)
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, versions
from choco_pipeline.stages import Stage
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.position_count import count_positions
from choco_pipeline.tables.specs.spec import FORMAT, Shard, TableSpec
from choco_pipeline.tables.storage.journal import journal_of_tables
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import BuiltTable, finish_store, write_table
from choco_pipeline.tables.storage.stored import StoredTable

Report = Callable[..., None]


def build_shard(spec_file: str, manifest_file: str, report: Report) -> dict[str, int]:
    """Compute and store the tables of a shard; continue an interrupted build.

    The manifest is written last. `report` is called as ``report(Stage.BUILD, tables=1, positions=n)`` after each table. Return
    the numbers of tables computed, and of tables kept from an interrupted build.
    """
    shard = Shard.from_json(read_record(Path(spec_file)))
    manifest = Path(manifest_file)
    store = store_for(shard, manifest)
    journal = journal_of_tables(manifest)
    kernels = code_digest(TABLE_CODE)

    def line(table_id: str, entry: BuiltTable) -> str:
        return record_line({"kernels": kernels, "id": table_id, "entry": entry})

    kept = _kept(journal, store, kernels)
    # Without the line that a kill may have torn, which would spoil the next one.
    write_text(journal, "".join(line(*entry) for entry in kept.items()))
    entries: dict[str, BuiltTable] = {}
    for spec in shard.tables:
        entry = kept.get(spec.table_id)
        if entry is None:
            entry = _build_table(store, spec)
            append_text(journal, line(spec.table_id, entry))
        entries[spec.table_id] = entry
        report(Stage.BUILD, tables=1, positions=entry["positions"])
    finish_store(store, list(entries))
    write_manifest(shard, manifest, entries)
    return {"computed": len(entries) - len(kept), "kept": len(kept)}


def store_for(shard: Shard, manifest: Path) -> Location:
    """Return the store of a shard: beside its manifest, or below its URL."""
    folder = Location.local(manifest.parent) if shard.url is None else Location.of_url(shard.url)
    return folder.child(f"{shard.name}.zarr")


def write_manifest(shard: Shard, manifest: Path, entries: Mapping[str, BuiltTable]) -> None:
    """Write the manifest of a shard, which makes it finished."""
    store = store_for(shard, manifest)
    document = {
        "format": FORMAT,
        "shard": shard.name,
        "store": f"{shard.name}.zarr" if shard.url is None else str(store),
        "kernels": code_digest(TABLE_CODE),
        "versions": versions(),
        "tables": entries,
    }
    write_record(manifest, document)


def _build_table(store: Location, spec: TableSpec) -> BuiltTable:
    start = time.perf_counter()
    game = spec.planned_game()
    data: xr.Dataset = table(game, spec.bound, spec.quantity)
    computed = time.perf_counter() - start
    entry = write_table(store, spec, data)
    return {
        **entry,
        "positions": count_positions(game, spec.bound),
        "seconds": round(computed, 4),
        "seconds_to_store": round(time.perf_counter() - start - computed, 4),
    }


def _kept(journal: Path, store: Location, kernels: str) -> dict[str, BuiltTable]:
    """Return the entries of finished, sound tables of an interrupted build."""
    kept: dict[str, BuiltTable] = {}
    if not journal.exists():
        return kept
    for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            done = parse_record_line(line)
            entry = done["entry"]
            StoredTable(store, done["id"], entry).require_sound()
        except (KeyError, StoreError):
            continue  # a torn or damaged line, or a table that was not written whole: compute it again
        if done["kernels"] == kernels:
            kept[done["id"]] = entry
    return kept
