"""Sources of claims for commands and programs, with the results of the last run."""

from __future__ import annotations

from dataclasses import dataclass
from json import dumps
from pathlib import Path

from choco_pipeline.claims.conclusions.conclusion import ClaimRow
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.errors import ConfigError
from choco_pipeline.games.description import inside
from choco_pipeline.shipped import project_file
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.sweep.run_files import PROJECT, RESULTS

#: The claims files of a project.
CLAIMS = Path("config/claims")


@dataclass(frozen=True)
class ClaimSource:
    """The claims of a command, with the ledger of the last run if there is one."""

    catalogue: Catalogue
    #: The configuration of the run.
    config: Path
    #: The ledger of the configuration's last run, if any.
    ledger: Ledger | None
    #: The claims files from the command line; empty for the default files.
    files: tuple[Path, ...] = ()
    #: The claims files of the configuration.
    files_of_run: tuple[Path, ...] = ()

    def command(self, *words: object) -> str:
        """Return a ``choco claims`` command that reads the same claims."""
        files = [word for file in self.files for word in ("--file", file)]
        return command("claims", *words, *files, config=self.config.as_posix())

    def is_in_run(self, claim: Claim) -> bool:
        """Whether the configuration has the claim with the same statement."""
        known = load_catalogue(self.files_of_run).claims.get(claim.id)
        return known is not None and known.as_json() == claim.as_json()

    def row(self, claim_id: str) -> ClaimRow | None:
        """Return the last run's row on a claim, if any."""
        rows = () if self.ledger is None or self._has_changed(claim_id) else self.ledger.rows
        return next((row for row in rows if row.claim == claim_id), None)

    def verdicts(self, claim_id: str) -> list[ClaimVerdict]:
        """Return the last run's verdicts on a claim."""
        if self.ledger is None or self._has_changed(claim_id):
            return []
        return [verdict for verdict in self.ledger.verdicts if verdict.claim == claim_id]

    def _has_changed(self, claim_id: str) -> bool:
        """Whether the statement with this id was different in the last run."""
        formal = dumps(self.catalogue.claims[claim_id].as_json())
        known = () if self.ledger is None else self.ledger.claims
        return any(one.id == claim_id and dumps(one.formal) != formal for one in known)

    def ruleset(self, verdict: ClaimVerdict) -> str | None:
        """Return the game of a verdict's table, if it has one."""
        tables = () if self.ledger is None else self.ledger.tables
        return next((t["ruleset"] for t in tables if t["id"] == verdict.table), None)


def open_source(files: list[Path] | None = None, config: Path | None = None) -> ClaimSource:
    """Read claims files and the ledger of the last run.

    The default files are those of `config`, or all of config/claims without it.
    """
    ledger: Ledger | None = None
    of_run: list[Path] = []
    of = config or Path(DEFAULT_CONFIG)
    if config is not None or project_file(of).is_file():
        document, _ = load_config(of)
        written = RESULTS / document.run / "ledger.json"
        ledger = Ledger.read(written) if written.is_file() else None
        for name in document.claims:
            inside(PROJECT, name)
            of_run.append(project_file(PROJECT / name))
    named = of_run if config is not None else []
    chosen = files or named or sorted(project_file(CLAIMS).glob("*.yaml"))
    if not chosen:
        raise ConfigError(
            f"no claims files: {CLAIMS} has none; --file FILE names one, `choco claims new` writes one"
        )
    return ClaimSource(load_catalogue(chosen), of, ledger, tuple(files or ()), tuple(of_run))


def load_claims(*files: str | Path) -> Catalogue:
    """Return the claims in some files, or in all files of config/claims.

    Raises `ConfigError` if a file cannot be read.
    """
    return load_catalogue([*map(Path, files)] or sorted(project_file(CLAIMS).glob("*.yaml")))
