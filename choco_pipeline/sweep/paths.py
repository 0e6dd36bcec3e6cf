"""Paths of the documents of a run, all below ``results/``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.stages import BY_SWEEP, Stage

RESULTS = Path("results")
#: The folder that paths in a configuration start from and may not leave.
PROJECT = Path()
#: Folders in the results folder that all runs share. No run may have such a name.
SHARED = ("tables", "shards", "verdicts", "certificates", "proofs", "families", "benchmarks")


@dataclass(frozen=True)
class Paths:
    """Paths of the documents of a run."""

    results: Path
    run: str

    @classmethod
    def of_plan(cls, plan_file: Path) -> Paths:
        """Return the paths of the run with this plan."""
        return cls(plan_file.parent.parent, plan_file.parent.name)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.results / self.run

    @property
    def plan(self) -> Path:
        """The plan."""
        return self.folder / "plan.json"

    @property
    def found(self) -> Path:
        """The found statements."""
        return self.folder / "found.json"

    def spec(self, shard: str) -> Path:
        """Return the path of a shard's specification."""
        return self.results / "shards" / f"{shard}.json"

    def manifest(self, shard: str) -> Path:
        """Return the path of a shard's manifest."""
        return self.results / "tables" / f"{shard}.done.json"

    def order(self, stage: Stage, sweep: str) -> Path:
        """Return the path of the order of a job: its parts."""
        return self.folder / "orders" / stage / f"{sweep}.json"

    def part(self, digest: str) -> Path:
        """Return the path of the result of one part of a job, by the digest of the part."""
        return self.folder / "parts" / f"{digest}.json"

    def outcome(self, stage: Stage, sweep: str) -> Path:
        """Return the path of the result of a job."""
        return self.folder / stage / f"{sweep}.json"

    def outcomes(self) -> Iterator[Path]:
        """Yield the results of jobs and of their parts that exist."""
        for folder in (*BY_SWEEP, "parts"):
            yield from sorted((self.folder / folder).glob("*.json"))

    def records(self) -> Iterator[Path]:
        """Yield the records of this run that exist."""
        names = ("plan", "first-ledger", "found", "ledger")
        named = [self.folder / f"{name}.json" for name in names]
        yield from filter(Path.is_file, (*named, *self.file_lists()))
        yield from sorted((self.folder / "orders").glob("*/*.json"))
        yield from self.outcomes()

    def file_lists(self) -> tuple[Path, Path]:
        """Return the records that list the files of the first and of the last report, each with its SHA-256."""
        return self.folder / "first-report-files.json", self.folder / "report-files.json"

    @property
    def certificates(self) -> Path:
        """The folder of certificates of all runs."""
        return self.results / "certificates"

    @property
    def verdicts(self) -> Path:
        """The folder of verdicts of all runs on tables and on statements without tables."""
        return self.results / "verdicts"


def all_records(results: Path) -> Iterator[Path]:
    """Yield the records of all runs, and those that they share, except manifests."""
    yield from sorted((results / "shards").glob("*.json"))
    yield from sorted((results / "tables").glob("*.blocks/*.json"))
    yield from sorted((results / "certificates" / "outcomes").rglob("*.json"))
    yield from sorted((results / "verdicts").rglob("*.json"))
    for folder in sorted(results.glob("*/")):
        if folder.name not in SHARED:
            yield from Paths(results, folder.name).records()
