"""A work order of mining: what is looked for in which table of a shard."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.documents.model import RecordModel


class TableSearch(RecordModel):
    """One table, by its id, and the names of the searches in it."""

    table: str
    what: tuple[str, ...]


class MineOrder(RecordModel):
    """The searches in the tables of a shard.

    Attributes
    ----------
    format
        Of tables, and of what comes of the order.
    code
        Digest of the code that searches: an order for other code is another one.
    manifest
        The shard's.
    searches
        In the order of their findings.
    """

    work: str = ""
    format: int
    code: str
    manifest: Path
    searches: tuple[TableSearch, ...]
