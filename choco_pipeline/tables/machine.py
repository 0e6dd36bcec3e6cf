"""Cores and memory of a process, on a machine, in a container or a Slurm job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

import psutil

#: Usable share of the memory; the rest is for other programs, and for uncounted memory of this one.
USABLE = 0.9


def cores() -> int:
    """Return the number of cores that affinity and control group allow."""
    from dask.system import cpu_count  # noqa: PLC0415 -- slow, and most commands do not need dask

    return cpu_count()


def memory(environment: Mapping[str, str] = os.environ, system: Path = Path("/")) -> int:
    """Return the bytes of memory that this process may use: the least of all limits.

    The limits are the machine's memory, those of the process's control group and of its parent groups, and the memory of its
    Slurm job on this node, even if Slurm does not enforce it. `distributed` reads only the root group, which has no limit except
    in a container.

    `environment` has the variables of Slurm. `system` is the folder with ``proc`` and ``sys``.
    """
    limits = [psutil.virtual_memory().total, *_group_limits(system)]
    node = environment.get("SLURM_MEM_PER_NODE", "0")
    core = environment.get("SLURM_MEM_PER_CPU", "0")
    number = environment.get("SLURM_CPUS_ON_NODE", "1")
    for mebibytes, times in ((node, "1"), (core, number)):
        if mebibytes.isdecimal() and times.isdecimal() and int(mebibytes) * int(times):
            limits.append(int(mebibytes) * int(times) << 20)
    return min(limits)


def worker_memory(workers: int) -> int:
    """Return the bytes of memory for each of `workers` processes on this machine."""
    return int(memory() * USABLE / workers)


def _group_limits(system: Path) -> Iterator[int]:
    """Yield the limits of this process's control group and of its parent groups."""
    try:
        lines = (system / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    mounted = system / "sys/fs/cgroup"
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            groups, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):
            groups, name = mounted / "memory", "memory.limit_in_bytes"
        else:
            continue
        inner = PurePosixPath(path.lstrip("/"))
        for group in (inner, *inner.parents):
            with suppress(OSError, ValueError):  # no such group here, or "max"
                yield int((groups / group / name).read_text(encoding="ascii"))
