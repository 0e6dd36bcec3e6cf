"""An order of searches in some tables of a shard."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.documents.model import RecordModel


class TableSearch(RecordModel):
    """One table, by its id, and the names of the searches in it."""

    table: str
    what: tuple[str, ...]


class MineOrder(RecordModel):
    """Searches in tables of a shard."""

    #: Digest of the searching code, so that an order for other code is another order.
    code: str
    #: The shard's.
    manifest: Path
    #: In the order of their findings.
    searches: tuple[TableSearch, ...]
