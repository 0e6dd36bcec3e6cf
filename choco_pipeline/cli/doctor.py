"""``choco doctor``: the equipment of this machine, or of a cluster."""

from __future__ import annotations

import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from choco_pipeline.cli.output import emit
from choco_pipeline.cli.workers import Workers
from choco_pipeline.cluster import clusters
from choco_pipeline.cluster.cluster_file import SlurmJobs, SlurmWorkers, load_cluster
from choco_pipeline.kernels import warm_up
from choco_pipeline.provenance import versions
from choco_pipeline.tables.computing import in_bytes
from choco_pipeline.tables.machine import cores, memory, worker_memory

#: Optional programs, with their use.
OPTIONAL = {
    "chromium": "tests of the report in a browser",
    "pdflatex": "tests of found statements in LaTeX",
    "git": "the commit in stored results",
    "sbatch": "clusters of kind slurm and slurm-jobs",
}


def show_machine(json: bool) -> None:
    """Print cores, memory, disk, versions, kernels and optional programs; sizes in JSON are in bytes."""
    usable = memory()
    start = time.perf_counter()
    warm_up()
    seconds = round(time.perf_counter() - start, 2)
    machine: dict[str, Any] = {
        "cores": cores(),
        "machine": f"{platform.machine()}, {platform.system()}",
        "memory": usable,
        "memory_available": min(psutil.virtual_memory().available, usable),
        "memory_per_worker": worker_memory(cores()),
        "disk_free": shutil.disk_usage(Path.cwd()).free,
        "folder": str(Path.cwd()),
        "kernels": "compiled now" if seconds > 3 else "read from numba's cache",
        "kernels_seconds": seconds,
    }
    optional = {name: shutil.which(name) for name in OPTIONAL}
    if json:
        emit({**machine, "versions": versions(), "optional": optional})
        return
    print(f"processor     {machine['cores']} cores, {machine['machine']}")
    print(
        f"memory        {in_bytes(machine['memory'])}, {in_bytes(machine['memory_available'])} available"
    )
    print(
        f"workers       {machine['cores']} by default, {in_bytes(machine['memory_per_worker'])} each"
    )
    print(f"disk          {in_bytes(machine['disk_free'])} free in {machine['folder']}")
    print(f"kernels       ready in {machine['kernels_seconds']} s ({machine['kernels']})")
    for name, number in versions().items():
        print(f"{name:<13} {number}")
    for name, path in optional.items():
        print(f"{name:<13} {path or 'not found'}: {OPTIONAL[name]}")


def show_cluster(name: str, json: bool) -> None:
    """Print the cluster of ``config/clusters/NAME.yaml``, started or reached.

    Raises `ChocoError` if a run could not use it: the file has a mistake, a package or certificate is missing, no scheduler
    answers, or Slurm refuses such jobs.
    """
    description = load_cluster(name, None, None)
    answer: dict[str, Any] = {"cluster": name, "kind": description.kind}
    if isinstance(description, SlurmJobs | SlurmWorkers):
        clusters.require_acceptance(description)
        answer |= {"at most": f"{description.maximum} jobs", "slurm": "takes such jobs"}
    else:
        with (
            tempfile.TemporaryDirectory() as folder,
            Workers(Path(folder), Path(folder), description) as workers,
        ):
            cluster = workers.open()
            answer |= {"scheduler": cluster.address, "dashboard": cluster.dashboard}
            answer |= {"threads": cluster.threads}
    if json:
        emit(answer)
        return
    for key, value in answer.items():
        print(f"{key:<13} {'none' if value is None else value}")
