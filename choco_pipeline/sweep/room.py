"""Whether there is room for the tables of a plan, in this machine's memory, on its disk, or in an object store."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import LimitError, StoreError
from choco_pipeline.sweep.expand import Planned
from choco_pipeline.tables.cost import Cost, in_bytes, memory_needed, require_memory, worker_memory
from choco_pipeline.tables.location import Location

#: Written to an object store and removed again, to see that it can be.
PROBE = "choco-probe"


def object_store(file: YamlFile, url: str | None) -> str | None:
    """Return the URL that a configuration gives for its tables, or raise `ConfigError` if it cannot be used."""
    try:
        return None if url is None else str(Location.of_url(url))
    except StoreError as error:
        raise file.error(("tables",), str(error)) from None


def require_object_store(plan: Mapping[str, Any], manifest: Callable[[str], Path]) -> None:
    """Write to the object store in which tables of this plan are still to be put, and remove it again.

    Parameters
    ----------
    plan
        The plan of a run.
    manifest
        Names the manifest of a shard.

    Raises
    ------
    StoreError
        If that fails: it is said once, before every job finds it.
    """
    if plan["url"] is not None and not all(manifest(shard).exists() for shard in plan["shards"]):
        location = Location.of_url(plan["url"])
        location.write(PROBE, b"")
        location.remove(PROBE)


def require_memory_for(tables: Sequence[Planned], workers: int) -> None:
    """Raise `LimitError` if a table does not fit into the memory of one of so many workers on this machine."""
    memory = worker_memory(workers)
    for planned in tables:
        game, bound = planned.game, planned.spec.bound
        require_memory(game, bound, memory_needed(game, bound, planned.spec.quantity), memory)


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
