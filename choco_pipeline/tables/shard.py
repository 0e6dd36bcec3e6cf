"""Building a shard: its tables one after the other, resumable, with a manifest when all are there."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xarray as xr

from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, versions
from choco_pipeline.tables.compute import table
from choco_pipeline.tables.cost import count_positions
from choco_pipeline.tables.spec import FORMAT, Shard, TableSpec
from choco_pipeline.tables.store import (
    finish_store,
    read_table,
    store_path,
    values_digest,
    write_table,
)

Report = Callable[..., None]


def build_shard(spec_file: str, manifest_file: str, report: Report) -> dict[str, Any]:
    """Compute and store the tables of a shard; go on where an interrupted build stopped.

    Parameters
    ----------
    spec_file
        The shard's spec, as `Shard.as_json` writes it.
    manifest_file
        Written last, when every table is stored.
    report
        Called as ``report("tables", tables=1, positions=n)`` for each table that is done.

    Returns
    -------
    dict
        Number of tables computed and of tables kept from an interrupted build.
    """
    shard = Shard.from_json(read_json(Path(spec_file)))
    manifest = Path(manifest_file)
    store, journal = store_path(manifest), manifest.with_name(f"{shard.name}.partial.jsonl")
    store.parent.mkdir(parents=True, exist_ok=True)
    kernels = code_digest(TABLE_CODE)
    kept = _kept(journal, store, kernels)
    entries: dict[str, Any] = {}
    with journal.open("a", encoding="utf-8") as log:
        for spec in shard.tables:
            entry = kept.get(spec.table_id)
            if entry is None:
                entry = _build_table(store, spec)
                log.write(
                    json.dumps({"kernels": kernels, "id": spec.table_id, "entry": entry}) + "\n"
                )
                log.flush()
            entries[spec.table_id] = entry
            report("tables", tables=1, positions=entry["positions"])
    finish_store(store, list(entries))
    document = {
        "format": FORMAT,
        "shard": shard.name,
        "kernels": kernels,
        "versions": versions(),
        "tables": entries,
    }
    write_json(manifest, document)
    journal.unlink()
    return {"computed": len(entries) - len(kept), "kept": len(kept)}


def _build_table(store: Path, spec: TableSpec) -> dict[str, Any]:
    start = time.perf_counter()
    game = spec.game()
    if game.identity != spec.identity:
        raise StoreError(
            f"{spec.ruleset}: the height table has changed since the plan was made; plan again"
        )
    data: xr.Dataset = table(game, spec.bound, spec.quantity)
    computed = time.perf_counter() - start
    entry = write_table(store, spec, data)
    entry["positions"] = count_positions(game, spec.bound)
    entry["seconds"] = round(computed, 4)
    entry["seconds_to_store"] = round(time.perf_counter() - start - computed, 4)
    return entry


def _kept(journal: Path, store: Path, kernels: str) -> dict[str, Any]:
    """Return the entries of tables that an interrupted build finished and that are still what it wrote."""
    kept: dict[str, Any] = {}
    if not journal.exists():
        return kept
    for line in journal.read_text(encoding="utf-8").splitlines():
        try:
            done = json.loads(line)
            entry = done["entry"]
            data = read_table(store, done["id"], entry)
        except (ValueError, KeyError, StoreError):
            continue  # a torn last line, or a table that was not written whole: compute it again
        if (
            done["kernels"] == kernels
            and values_digest(data[entry["variable"]].values) == entry["digest"]
        ):
            kept[done["id"]] = entry
    return kept
