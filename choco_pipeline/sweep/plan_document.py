"""The plan of a run as its file holds it, and the jobs in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.paths import Paths

if TYPE_CHECKING:  # jobs read plans, and start faster without NumPy
    from choco_pipeline.tables.specs.schema import Quantity


class PlannedSweep(TypedDict):
    """A sweep, by the ruleset that it varies."""

    ruleset: str


class PlannedTable(TypedDict):
    """A table of a run: what it is, in which shard it lies, which sweeps ask for it, and what it costs.

    Bytes are those of memory to build it, of the job that builds it, and of jobs that read it, and then those on disk.
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
    memory_to_read: int
    bytes: int
    seconds: float
    large: bool


class PlannedJob(TypedDict):
    """A stage of a sweep.

    `order` is the digest of all that the job is to do: a result with another digest is out of date. `amount` is the number of
    things that its progress counts, and `needs` are the sweeps whose build jobs come first.
    """

    order: str
    amount: int
    needs: list[str]
    memory_mb: int


class Plan(TypedDict):
    """The tables of a run, the shards that hold them, its jobs, and the work in each stage.

    `made_from` is the digest of the inputs and the code, from which the plan follows. `shards` has the sweep that builds each shard.
    `jobs` are by stage and sweep. The lists of work have the names of `choco_pipeline.stages.WORK`.
    """

    format: int
    run: str
    title: str
    config: str
    inputs: list[str]
    claims_files: list[str]
    made_from: str
    sweeps: dict[str, PlannedSweep]
    url: str | None
    tables: list[PlannedTable]
    shards: Mapping[str, str]
    jobs: Mapping[str, Mapping[str, PlannedJob]]
    check: list[Mapping[str, Any]]
    check_statements: list[Mapping[str, Any]]
    mine: list[Mapping[str, Any]]
    prove: list[Mapping[str, Any]]
    prove_statements: list[Mapping[str, Any]]
    mine_heights: list[Mapping[str, Any]]


def read_plan(path: Path) -> Plan:
    """Return a plan, or raise as `read_record`."""
    return cast("Plan", read_record(path))


def is_done(plan: Plan, paths: Paths, stage: Stage, sweep: str) -> bool:
    """Return whether the result of a job is there and is not out of date."""
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
    """Yield the results of a stage, one for each job.

    Raises `StoreError` if one is missing or out of date.
    """
    for sweep, job in plan["jobs"][stage].items():
        path = paths.outcome(stage, sweep)
        outcome = read_record(path)
        if outcome.get("order") != job["order"]:
            raise StoreError(
                f"{path}: out of date, made from another plan; `choco run` makes it again"
            )
        yield outcome
