"""Work orders of checks: claims with their tables, and statements without one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.documents.model import RecordModel


class TableCheck(RecordModel):
    """A check of one claim on one table; both are given by their ids."""

    claim: str
    table: str
    parameters: Mapping[str, int]


class StatementOrder(RecordModel):
    """A batch of statements that are checked without a table."""

    #: Digest of the checking code; after a change of the code the order is a new one.
    code: str
    #: The claims by id, as returned by `Claim.as_json`.
    claims: Mapping[str, Mapping[str, Any]]
    #: Folder of the verdict cache (`EarlierVerdicts`); None for no cache.
    earlier: str | None = None

    @cached_property
    def statements(self) -> Mapping[str, Claim]:
        """The parsed claims by id."""
        return {name: Claim.from_json(document) for name, document in self.claims.items()}


class CheckOrder(StatementOrder):
    """The checks on the tables of a shard."""

    #: The manifest of the shard.
    manifest: Path
    #: The checks, in the order of the verdicts.
    checks: tuple[TableCheck, ...]
