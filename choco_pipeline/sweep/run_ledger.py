"""The ledger of a run as a value: what its document holds, and what reports, commands and pages read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.claim_row import ClaimPair, ClaimRow
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.ledger_claim import LedgerClaim
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import read_record_as
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.proof.games.proof_outcome import GameProof


class Ledger(RecordModel):
    """What a run has found.

    Attributes
    ----------
    format
        Of tables, and of what is found on them.
    run, title, config
        The run's name, its heading, and the file of its configuration.
    command
        That repeats it.
    versions
        Of the program and what it uses, and the commit that built the tables.
    seconds
        Of each stage, added up over the workers.
    claims, rows
        Every claim of its files, checked or not, and what all verdicts on it come to.
    pairs
        Claims that disagree.
    verdicts
        Of tables, of proofs, and of claims over several tables.
    tables
        What was planned of each, and what its manifest says.
    proofs
        Of the games that were to be proved.
    findings
        Of single tables, by the searches that found them.
    """

    format: int
    run: str
    title: str
    config: str
    command: str
    versions: Mapping[str, str]
    seconds: Mapping[str, float]
    claims: tuple[LedgerClaim, ...]
    rows: tuple[ClaimRow, ...]
    pairs: tuple[ClaimPair, ...]
    verdicts: tuple[ClaimVerdict, ...]
    tables: tuple[Mapping[str, Any], ...]
    proofs: tuple[GameProof, ...] = ()
    findings: tuple[Finding, ...]

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Return the ledger in a file, or raise `StoreError`."""
        return read_record_as(cls, path)

    def document(self) -> dict[str, object]:
        """Return it as plain data."""
        return {**self.model_dump(), "verdicts": [one.document() for one in self.verdicts]}
