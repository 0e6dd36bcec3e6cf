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
    """What a run has found."""

    #: Of tables, and of what is found on them.
    format: int
    #: The run's name, its heading, and the file of its configuration.
    run: str
    title: str
    config: str
    #: That repeats it.
    command: str
    #: Of the program and what it uses, and the commit that built the tables.
    versions: Mapping[str, str]
    #: Of each stage, added up over the workers.
    seconds: Mapping[str, float]
    #: Every claim of its files, checked or not, and what all verdicts on it come to.
    claims: tuple[LedgerClaim, ...]
    rows: tuple[ClaimRow, ...]
    #: Claims that disagree.
    pairs: tuple[ClaimPair, ...]
    #: Of tables, of proofs, and of claims over several tables.
    verdicts: tuple[ClaimVerdict, ...]
    #: What was planned of each, and what its manifest says.
    tables: tuple[Mapping[str, Any], ...]
    #: Of the games that were to be proved.
    proofs: tuple[GameProof, ...] = ()
    #: Of single tables, by the searches that found them.
    findings: tuple[Finding, ...]

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Return the ledger in a file, or raise `StoreError`."""
        return read_record_as(cls, path)

    def document(self) -> dict[str, object]:
        """Return it as plain data."""
        return {**self.model_dump(), "verdicts": [verdict.document() for verdict in self.verdicts]}
