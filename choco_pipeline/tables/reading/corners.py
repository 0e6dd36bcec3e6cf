"""Corners of stored tables for pictures: of hundreds of tables, in a few shards whose manifests are read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from choco_pipeline.documents.record import read_record
from choco_pipeline.kernels.tables import Table
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import store_of


def stored_corner(results: Path, entry: Mapping[str, Any], sides: Sequence[int]) -> Table:
    """Return the cells of a stored table at the origin, at most so many along each dimension.

    Parameters
    ----------
    results
        The folder that holds ``tables/``.
    entry
        What a ledger says of the table: its id, its shard, and what the shard's manifest says of it.
    sides
        Of the corner.

    Raises
    ------
    StoreError
        As for `choco_pipeline.tables.storage.store.read_table`.
    """
    manifest = results / "tables" / f"{entry['shard']}.done.json"
    written = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    cells = StoredCells.open(_store(manifest, written), entry["id"], entry).corner(sides)
    return cells[(slice(None),) * len(cells.shape)]


@lru_cache(maxsize=64)
def _store(manifest: Path, written: int) -> Location:
    """Return the store that a manifest names, which was written at this time."""
    return store_of(manifest, read_record(manifest))
