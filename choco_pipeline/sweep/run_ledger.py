"""The ledger of a run as a value: what its document holds, and what reports, commands and pages read; and the tables of a finished run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import ClaimPair, ClaimRow
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import read_record, read_record_as
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.table_findings import Finding
from choco_pipeline.proof.records import GameProof
from choco_pipeline.sweep.paths import RESULTS, Paths
from choco_pipeline.tables.reading.cells import Cells
from choco_pipeline.tables.storage.store import store_of
from choco_pipeline.tables.storage.stored import StoredCells


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


def ledger_of(run: str) -> Ledger:
    """Return the ledger of a run, or raise `ConfigError` if there is no such run."""
    file = RESULTS / run / "ledger.json"
    if Path(run).name != run or not file.is_file():
        raise ConfigError(f"no run {run!r}: {file} is written by `choco run`")
    return Ledger.read(file)


def tables_of(run: str) -> Iterator[Cells]:
    """Yield the run's tables; their cells are read, and checked, when they are asked for."""
    for entry in ledger_of(run).tables:
        path = Paths(RESULTS, run).manifest(entry["shard"])
        store = store_of(path, read_record(path))
        cells = StoredCells.open(store, entry["id"], entry)
        yield Cells.of(parse_ruleset(entry["ruleset"]), entry["bound"], cells)
