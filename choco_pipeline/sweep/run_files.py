"""The files of a run in ``results/``: paths, plan, results of jobs, report files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import file_digest
from choco_pipeline.stages import BY_SWEEP, Stage

if TYPE_CHECKING:
    from choco_pipeline.tables.spec import Quantity


RESULTS = Path("results")
#: Root of the paths in a configuration, which must stay inside it.
PROJECT = Path()
#: Folders in the results folder that all runs share; no run may have one of these names.
SHARED = ("tables", "shards", "verdicts", "certificates", "proofs", "families", "benchmarks")

#: Suffix of the document that a job writes in place of its result if two judges contradict each other.
DISAGREEMENT_SUFFIX = ".disagreement.json"


@dataclass(frozen=True)
class Paths:
    """The paths of a run's documents."""

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
        """Return the path of the result of a part of a job, by the part's digest."""
        return self.folder / "parts" / f"{digest}.json"

    def outcome(self, stage: Stage, sweep: str) -> Path:
        """Return the path of the result of a job."""
        return self.folder / stage / f"{sweep}.json"

    def outcomes(self) -> Iterator[Path]:
        """Yield the existing results of jobs and of their parts."""
        for folder in (*BY_SWEEP, "parts"):
            yield from sorted((self.folder / folder).glob("*.json"))

    def records(self) -> Iterator[Path]:
        """Yield the existing records of this run."""
        names = ("plan", "first-ledger", "found", "ledger")
        named = [self.folder / f"{name}.json" for name in names]
        yield from filter(Path.is_file, (*named, *self.file_lists()))
        yield from sorted((self.folder / "orders").glob("*/*.json"))
        yield from self.outcomes()

    def file_lists(self) -> tuple[Path, Path]:
        """Return the paths of the file lists of the first and the last report."""
        return self.folder / "first-report-files.json", self.folder / "report-files.json"

    @property
    def certificates(self) -> Path:
        """The folder of all runs' certificates."""
        return self.results / "certificates"

    @property
    def verdicts(self) -> Path:
        """The folder of all runs' verdicts on tables, and on statements without tables."""
        return self.results / "verdicts"


def all_records(results: Path) -> Iterator[Path]:
    """Yield the records of all runs, and their shared records except manifests."""
    yield from sorted((results / "shards").glob("*.json"))
    yield from sorted((results / "tables").glob("*.journal/*.json"))
    yield from sorted((results / "certificates" / "outcomes").rglob("*.json"))
    yield from sorted((results / "verdicts").rglob("*.json"))
    for folder in sorted(results.glob("*/")):
        if folder.name not in SHARED:
            yield from Paths(results, folder.name).records()


class PlannedTable(TypedDict):
    """A table of a run, with its shard, its sweeps and its cost.

    `memory` is the memory of a task that builds it, `bytes` the size on disk, and `checks` the number of claims to check on it.
    """

    id: str
    ruleset: str
    bound: int
    quantity: Quantity
    identity: str
    shard: str
    sweeps: list[str]
    parameters: Mapping[str, int | str]
    positions: int
    memory: int
    memory_of_job: int
    bytes: int
    seconds: float
    large: bool
    checks: int
    is_searched: bool


class PlannedJob(TypedDict):
    """A job of a plan: a stage of a sweep.

    `order` is the digest of its parts; a result with another digest is out of date. `amount` is its total for progress. `needs` are
    the sweeps that must be built before it. `seconds` is the estimated time on one core.
    """

    order: str
    amount: int
    needs: list[str]
    memory_mb: int
    seconds: float


class Plan(TypedDict):
    """The plan of a run: tables, shards, jobs, and games to prove.

    `made_from` is the digest of the inputs and the code that determine the plan. `shards` maps each shard to the sweep that builds
    it. `jobs` is indexed by stage and sweep. `prove` has games as in `choco_pipeline.proof.records.GameToProve`.
    """

    format: int
    run: str
    title: str
    config: str
    inputs: list[str]
    claims_files: list[str]
    made_from: str
    #: The `ruleset` of each sweep, with parameters.
    sweeps: dict[str, dict[str, str]]
    url: str | None
    tables: list[PlannedTable]
    shards: Mapping[str, str]
    jobs: Mapping[str, Mapping[str, PlannedJob]]
    prove: list[Mapping[str, Any]]


def read_plan(path: Path) -> Plan:
    """Read a plan; errors are as for `read_record`."""
    return cast("Plan", read_record(path))


def is_done(plan: Plan, paths: Paths, stage: Stage, sweep: str) -> bool:
    """Whether a job has an up-to-date result."""
    if stage is Stage.BUILD:
        built = (shard for shard, builder in plan["shards"].items() if builder == sweep)
        if not all(paths.manifest(shard).is_file() for shard in built):
            return False
    try:
        order = read_record(paths.outcome(stage, sweep)).get("order")
    except StoreError:
        return False
    return bool(order == plan["jobs"][stage][sweep]["order"])


def outcomes(plan: Plan, paths: Paths, stage: Stage) -> Iterator[dict[str, Any]]:
    """Yield the result of each job of a stage.

    Raises `StoreError` if a result is missing or out of date.
    """
    for sweep, job in plan["jobs"][stage].items():
        path = paths.outcome(stage, sweep)
        outcome = read_record(path)
        if outcome.get("order") != job["order"]:
            raise StoreError(
                f"{path}: out of date, belongs to another plan; `choco run` writes it again"
            )
        yield outcome


def write_file_list(report: Path, *folders: Path, certificates: Iterable[Path] = ()) -> None:
    """Write ``REPORT-files.json``, the digests of a report's files.

    Unfinished files of killed processes are removed.
    """
    for left in (path for folder in (report, *folders) for path in folder.rglob(".*.partial")):
        left.unlink(missing_ok=True)
    files = {path for folder in (report, *folders) for path in folder.rglob("*") if path.is_file()}
    files |= {*certificates}
    entries = [
        {
            "path": Path(os.path.relpath(path, report.parent)).as_posix(),
            "sha256": file_digest(path) if path.is_file() else None,
        }
        for path in sorted(files)
    ]
    write_record(report.with_name(f"{report.name}-files.json"), {"files": entries})


def certificates_in(document: Path, folder: Path) -> set[Path]:
    """Return the certificates in `folder` to which a document refers."""
    named = re.compile(rf'"({re.escape(folder.as_posix())}/[^"]+\.json)"')
    return set(map(Path, named.findall(document.read_text(encoding="utf-8"))))


def changed_files(record: Path) -> Iterator[Path]:
    """Yield the files of a list by `write_file_list` that are missing or changed."""
    for entry in read_record(record)["files"]:
        path = Path(os.path.normpath(record.parent / entry["path"]))
        if not path.is_file() or file_digest(path) != entry["sha256"]:
            yield path
