"""A work order of mining, the searches in the tables of a shard, and its outcome."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.documents.model import RecordModel
from choco_pipeline.mining.table_findings import Finding


class TableSearch(RecordModel):
    """One table, by its id, and the names of the searches in it."""

    table: str
    what: tuple[str, ...]


class MineOrder(RecordModel):
    """The searches in the tables of a shard."""

    work: str = ""
    #: Of tables, and of the outcome.
    format: int
    #: Digest of the code that searches: an order for other code is another one.
    code: str
    #: The shard's.
    manifest: Path
    #: In the order of their findings.
    searches: tuple[TableSearch, ...]


class MinedTables(RecordModel):
    """The outcome of a work order for mining."""

    #: Of tables, and of findings.
    format: int
    #: Each with its table, and the seconds that it took.
    findings: tuple[Finding, ...]
