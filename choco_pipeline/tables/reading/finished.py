"""The finished tables of all runs: which of them says what is asked."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.reading.lookup import Lookup
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.storage.store import store_of


def find_table(
    folder: Path, game: Ruleset, quantity: Quantity, positions: Collection[Position]
) -> Lookup | None:
    """Return a stored table of `game` that covers all these positions, or None if there is none.

    Parameters
    ----------
    folder
        Where manifests lie; those of tables that other code has computed are left out.
    game, quantity
        What the table is of.
    positions
        Legal positions of `game`.

    Raises
    ------
    StoreError
        If its store cannot be opened; when it is asked, if a chunk is damaged.
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
