"""The results of a run, for programs and notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import xarray as xr

from choco_pipeline.api.run import perform
from choco_pipeline.cluster.cluster_file import load_cluster
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.finding.statement import FoundDocument, FoundStatement
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.report.exports import row_frame, verdict_frame
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.ledger import Ledger, ledger_of
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.tables.spec import Quantity
from choco_pipeline.tables.store import read_table, store_of


@dataclass(frozen=True)
class Run:
    """The results of a run in ``results/NAME``.

    Attributes
    ----------
    name
        The run's name in the configuration.
    """

    name: str

    @property
    def ledger(self) -> Ledger:
        """All results on claims and tables.

        Raises `ConfigError` if there is no such run.
        """
        return ledger_of(self.name)

    @property
    def claims(self) -> pd.DataFrame:
        """A row for each claim, with its source and its outcome."""
        return row_frame(self.ledger)

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row for each check of a claim."""
        return verdict_frame(self.ledger)

    @property
    def statements(self) -> list[FoundStatement]:
        """The found statements, the strongest first."""
        return list(FoundDocument.read(Paths(RESULTS, self.name).found).statements)

    @property
    def report(self) -> Path:
        """The first page of its report."""
        return RESULTS / self.name / "report" / "index.html"


def open_run(name: str) -> Run:
    """Return the results of a run; raise `ConfigError` if there is no such run."""
    ledger_of(name)
    return Run(name)


def run(config: str | Path = DEFAULT_CONFIG, *, workers: int | None = None) -> Run:
    """Run a configuration as ``choco run`` does, and return its results.

    Parameters
    ----------
    config
        The file.
    workers
        Number of worker processes; one for each core by default.

    Raises
    ------
    ChocoError
        If a job fails, or the configuration cannot be used.
    """
    name = load_config(Path(config))[0].run
    done = perform(Path(config), load_cluster(None, workers, None))
    if done.code:
        raise ChocoError(f"the run {name!r} failed with exit code {done.code}; see {done.log}")
    return Run(name)


def open_table(run: str, ruleset: str | Ruleset, quantity: Quantity | None = None) -> xr.Dataset:
    """Return the largest stored table of a game in a run, after verification.

    Parameters
    ----------
    run
        The run's name.
    ruleset
        The game, or its notation.
    quantity
        ``grundy`` or ``p-positions``; by default either.

    Raises
    ------
    ConfigError
        If the run has no such table.
    StoreError
        If the table is damaged.
    """
    game = as_game(ruleset)
    entries = [
        entry
        for entry in ledger_of(run).tables
        if entry["identity"] == game.identity and quantity in (None, entry["quantity"])
    ]
    if not entries:
        raise ConfigError(f"run {run!r} has no table of {game.notation}")
    entry = max(entries, key=lambda stored: int(stored["bound"]))
    path = Paths(RESULTS, run).manifest(entry["shard"])
    return read_table(store_of(path, read_record(path)), entry["id"], entry)
