"""A claim as a ledger and a report tell of it: its source, its words, and its formal statement as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from choco_pipeline.claims.language.claims_file import Paper
from choco_pipeline.documents.model import RecordModel

#: What a claim of a ledger says as its file does.
AS_IN_FILES = ("number", "where", "status", "statement", "note", "corrects", "ruleset")


class LedgerClaim(RecordModel):
    """A claim of a ledger."""

    id: str
    paper: Paper
    number: str
    where: str | None
    status: str
    statement: str
    note: str | None
    corrects: str | None
    contradicts: tuple[str, ...]
    ruleset: str | None
    #: Of its check: the name, and what is checked in one line.
    kind: str
    formula: str
    #: As `Claim.as_json`.
    formal: Mapping[str, Any]
