"""Where the documents of runs lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.stages import WORK, Work
from choco_pipeline.sweep.plan_document import Plan

RESULTS = Path("results")
#: The folder that paths in a configuration start from and may not leave.
PROJECT = Path()
#: What lies in the results folder beside the folders of runs, so that no run may be called so.
SHARED = ("tables", "shards", "verdicts", "certificates", "proofs", "families", "benchmarks")


@dataclass(frozen=True)
class Paths:
    """Where the documents of a run lie, all below ``results/``."""

    results: Path
    run: str

    @property
    def plan(self) -> Path:
        """The plan itself."""
        return self.results / self.run / "plan.json"

    @property
    def found(self) -> Path:
        """The statements that the run found."""
        return self.results / self.run / "found.json"

    def spec(self, shard: str) -> Path:
        """Return the spec of a shard."""
        return self.results / "shards" / f"{shard}.json"

    def manifest(self, shard: str) -> Path:
        """Return the manifest of a shard."""
        return self.results / "tables" / f"{shard}.done.json"

    def records(self) -> Iterator[Path]:
        """Yield the records that there are of the run alone."""
        folder = self.results / self.run
        named = [folder / f"{name}.json" for name in ("plan", "first-ledger", "found", "ledger")]
        yield from filter(Path.is_file, (*named, *self.file_lists()))
        for parent in (folder / "orders", folder):
            for work in WORK:
                yield from sorted((parent / work).glob("*.json"))

    def file_lists(self) -> tuple[Path, Path]:
        """Return the records that name the files of the first and of the last report, each with its SHA-256."""
        folder = self.results / self.run
        return folder / "first-report-files.json", folder / "report-files.json"

    @property
    def certificates(self) -> Path:
        """Where the certificates of all runs lie."""
        return self.results / "certificates"

    @property
    def verdicts(self) -> Path:
        """Where the verdicts of all runs on tables, and on statements that need none, lie."""
        return self.results / "verdicts"

    def order(self, work: Work, name: str) -> Path:
        """Return a work order: of a shard if the work reads tables, else of a part."""
        return self.results / self.run / "orders" / work.name / f"{name}.json"

    def outcome(self, work: Work, name: str) -> Path:
        """Return what comes of a work order."""
        return self.results / self.run / work.name / f"{name}.json"


def orders_of(plan: Plan, work: Work) -> Counter[str]:
    """Return the names of a plan's work orders of a kind, of shards or of parts, and how much there is to do in each."""
    shard_of = {table["id"]: table["shard"] for table in plan["tables"]}
    return Counter(
        shard_of[asked["table"]] if work.reads_tables else asked["part"]
        for asked in plan[work.name]
    )


def all_records(results: Path) -> Iterator[Path]:
    """Yield the records of all runs, and those that they share; of tables, journals and specs, but no manifests."""
    yield from sorted((results / "shards").glob("*.json"))
    yield from sorted((results / "tables").glob("*.blocks/*.json"))
    yield from sorted((results / "certificates" / "outcomes").rglob("*.json"))
    yield from sorted((results / "verdicts").rglob("*.json"))
    for folder in sorted(results.glob("*/")):
        if folder.name not in SHARED:
            yield from Paths(results, folder.name).records()
