"""Finished tables of all runs, by game, and corners of them for pictures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.kernels.heights import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.reading.cells import Cells
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import store_of
from choco_pipeline.tables.storage.stored import StoredCells


def find_table(
    folder: Path, game: Ruleset, quantity: Quantity, positions: Collection[Position]
) -> Cells | None:
    """Return a stored table of `game` that covers legal positions, if any.

    Tables that other code has computed are ignored. Raises `StoreError` if the store cannot be opened, and later, on access, if
    a chunk is damaged.
    """
    kernels = code_digest(TABLE_CODE)
    for path in sorted(folder.glob("*.done.json")):
        try:
            manifest = read_record(path)
            entries = manifest["tables"] if manifest["kernels"] == kernels else {}
            matching = [
                (table_id, entry)
                for table_id, entry in entries.items()
                if (entry["identity"], entry["quantity"]) == (game.identity, quantity)
            ]
        except (StoreError, KeyError, TypeError, AttributeError):
            continue  # not ours, or damaged
        for table_id, entry in matching:
            cells = StoredCells.open(store_of(path, manifest), table_id, entry)
            table = Cells.of(game, entry["bound"], cells)
            if all(map(table.covers, positions)):
                return table
    return None


def stored_corner(results: Path, entry: Mapping[str, Any], sides: Sequence[int]) -> Table:
    """Return the cells of a stored table at the origin.

    `sides` limits their number along each dimension. The folder `results` holds ``tables/``; `entry` is that of a ledger: the
    manifest's entry with id and shard. Raises `StoreError` as `read_table` does.
    """
    manifest = results / "tables" / f"{entry['shard']}.done.json"
    written = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    cells = StoredCells.open(_store(manifest, written), entry["id"], entry).corner(sides)
    return cells[(slice(None),) * len(cells.shape)]


@lru_cache(maxsize=64)
def _store(manifest: Path, written: int) -> Location:
    """Return the store that a manifest, written at this time, names."""
    return store_of(manifest, read_record(manifest))
