"""What a finished run has left: its ledger, and its tables by their manifests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.sweep.paths import RESULTS, Paths
from choco_pipeline.sweep.run_ledger import Ledger
from choco_pipeline.tables.reading.cells import Cells
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.storage.store import store_of


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
