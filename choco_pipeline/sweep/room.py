"""Whether there is room for the tables of a plan, in the memory of workers, on a disk, or in an object store."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import LimitError, StoreError
from choco_pipeline.sweep.plan_document import Plan
from choco_pipeline.tables.computing.cost import Cost, in_bytes
from choco_pipeline.tables.computing.machine import cores, worker_memory
from choco_pipeline.tables.storage.location import Location

#: Written to an object store and removed again, to see that it can be.
PROBE = "choco-probe"


def object_store(file: YamlFile, url: str | None) -> str | None:
    """Return the URL that a configuration gives for its tables, or raise `ConfigError` if it cannot be used."""
    try:
        return None if url is None else str(Location.of_url(url))
    except StoreError as error:
        raise file.error(("tables",), str(error)) from None


def require_object_store(plan: Plan, manifest: Callable[[str], Path]) -> None:
    """Write to the object store in which tables of this plan are still to be put, and remove it again.

    Raises `StoreError` if that fails: it is said once, before every job finds it.
    """
    if plan["url"] is not None and not all(manifest(shard).exists() for shard in plan["shards"]):
        location = Location.of_url(plan["url"])
        location.write(PROBE, b"")
        location.remove(PROBE)


@dataclass(frozen=True)
class Capacity:
    """What computes the tables of a plan."""

    #: How many tasks run at the same time, at most.
    workers: int
    #: Bytes that each of them may use; None if nobody knows yet, or if each is given what it needs.
    memory: int | None
    #: Who gives that memory, as messages say it.
    whose: str

    @classmethod
    def of_this_machine(cls, workers: int | None = None) -> Capacity:
        """Return workers that share this machine's memory, one for each core by default."""
        workers = workers or cores()
        return cls(workers, worker_memory(workers), "this machine")


def require_memory_for(tables: Iterable[tuple[str, int, int]], capacity: Capacity) -> None:
    """Raise `LimitError` if a table, of which ruleset, bound and bytes are given, does not fit into a worker's memory, naming what is too large."""
    for ruleset, bound, memory in tables:
        if capacity.memory is not None and memory > capacity.memory:
            raise LimitError(
                f"{ruleset}: bound {bound} is too large: its table needs {in_bytes(memory)} of memory,"
                f" a worker has {in_bytes(capacity.memory)} ({capacity.whose})"
            )


def require_disk_for(costs: Sequence[Cost], results: Path) -> None:
    """Raise `LimitError` if tables of these costs do not fit on the disk of the folder `results`."""
    home = next(
        folder for folder in [results.absolute(), *results.absolute().parents] if folder.exists()
    )
    disk = shutil.disk_usage(home).free
    total = sum(cost.disk for cost in costs)
    if total > disk:
        raise LimitError(
            f"{len(costs):,} tables need about {in_bytes(total)} on disk, {in_bytes(disk)} are free in {home}"
        )
