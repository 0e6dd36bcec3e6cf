"""The plan of a run as its file holds it, for everything that reads it after it was made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

from choco_pipeline.documents.record import read_record
from choco_pipeline.tables.specs.schema import Quantity


class PlannedSweep(TypedDict):
    """A sweep, by the ruleset that it varies."""

    ruleset: str


class PlannedTable(TypedDict):
    """A table that a run needs: what it is, in which shard it lies, which sweeps ask for it, and what it costs.

    Bytes are those of memory to build it, of the job that does so, and of jobs that read it, and then those on disk.
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


class Plan(TypedDict):
    """The tables of a run, the shards that hold them, and what is asked of each, by the names of `choco_pipeline.stages.WORK`.

    `made_from` is the digest of the inputs; where they and the code are the same, so is the plan.
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
    shards: list[str]
    check: list[Mapping[str, Any]]
    check_statements: list[Mapping[str, Any]]
    mine: list[Mapping[str, Any]]
    prove: list[Mapping[str, Any]]
    prove_statements: list[Mapping[str, Any]]
    mine_heights: list[Mapping[str, Any]]


def read_plan(path: Path) -> Plan:
    """Return a plan, or raise as `read_record`."""
    return cast("Plan", read_record(path))
