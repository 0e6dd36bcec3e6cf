"""Work orders of checks: claims with their tables, and statements without one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.documents.model import RecordModel


class TableCheck(RecordModel):
    """One claim, by its id, on one table, by its id, with these parameters."""

    claim: str
    table: str
    parameters: Mapping[str, int]


class StatementOrder(RecordModel):
    """A part of the statements that need no table."""

    #: Digest of the checking code, so that an order for other code is another order.
    code: str
    #: By their ids, as `Claim.as_json` wrote them.
    claims: Mapping[str, Mapping[str, Any]]
    #: Folder of the verdicts of all runs, for `EarlierVerdicts`; None to keep none.
    earlier: str | None = None

    @cached_property
    def statements(self) -> Mapping[str, Claim]:
        """The claims themselves, by their ids."""
        return {name: Claim.from_json(document) for name, document in self.claims.items()}


class CheckOrder(StatementOrder):
    """The checks on the tables of a shard."""

    #: The shard's.
    manifest: Path
    #: In the order of their verdicts.
    checks: tuple[TableCheck, ...]
