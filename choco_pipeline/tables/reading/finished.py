"""The finished tables of all runs: which of them says what is asked, and corners of them for pictures."""

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
from choco_pipeline.tables.reading.lookup import Lookup
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import store_of


def find_table(
    folder: Path, game: Ruleset, quantity: Quantity, positions: Collection[Position]
) -> Lookup | None:
    """Return a stored table of `game` that covers all these positions, or None if there is none.

    Of the manifests in the folder, those of tables that other code has computed are left out. Positions are legal. Raises
    `StoreError` if its store cannot be opened; when it is asked, if a chunk is damaged.
    """
    kernels = code_digest(TABLE_CODE)
    for path in sorted(folder.glob("*.done.json")):
        try:
            manifest = read_record(path)
            entries = manifest["tables"] if manifest["kernels"] == kernels else {}
            asked = [
                (table_id, entry)
                for table_id, entry in entries.items()
                if (entry["identity"], entry["quantity"]) == (game.identity, quantity)
            ]
        except (StoreError, KeyError, TypeError, AttributeError):
            continue  # not ours, or damaged
        for table_id, entry in asked:
            cells = StoredCells.open(store_of(path, manifest), table_id, entry)
            table = Lookup.of(game, cells)
            if all(map(table.covers, positions)):
                return table
    return None


def stored_corner(results: Path, entry: Mapping[str, Any], sides: Sequence[int]) -> Table:
    """Return the cells of a stored table at the origin, at most so many along each dimension.

    The folder `results` holds ``tables/``; the entry is what a ledger says of the table: its id, its shard, and what the
    manifest says. Raises `StoreError` as for `choco_pipeline.tables.reading.windows.read_table`.
    """
    manifest = results / "tables" / f"{entry['shard']}.done.json"
    written = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    cells = StoredCells.open(_store(manifest, written), entry["id"], entry).corner(sides)
    return cells[(slice(None),) * len(cells.shape)]


@lru_cache(maxsize=64)
def _store(manifest: Path, written: int) -> Location:
    """Return the store that a manifest names, which was written at this time."""
    return store_of(manifest, read_record(manifest))
