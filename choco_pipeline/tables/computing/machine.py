"""Cores and memory that a process may use: the machine's, or the share of a container or Slurm job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

import psutil

#: Of the memory that there is; the rest is for what else runs, and for what a process holds that nobody counts.
USABLE = 0.9


def cores() -> int:
    """Return how many cores this process may use, as its affinity and its control group allow."""
    from dask.system import cpu_count  # noqa: PLC0415 -- most commands need nothing else of dask

    return cpu_count()


def memory(environment: Mapping[str, str] = os.environ, system: Path = Path("/")) -> int:
    """Return the bytes of memory that this process may use: the least of all limits.

    That is the machine's memory, the limits of the control group that it is in and of those around it, and what Slurm
    gives its job on this node, whether or not Slurm enforces it. `distributed` looks at the group at the root alone, which
    has no limit but in a container.

    The environment is where Slurm says what it gives; ``proc`` and ``sys`` lie below `system`.
    """
    given = psutil.virtual_memory().total
    return min([given, *_of_groups(system), *_of_slurm(environment)])


def worker_memory(workers: int) -> int:
    """Return the bytes of memory that each of `workers` processes may use on this machine."""
    return int(memory() * USABLE / workers)


def _of_groups(system: Path) -> Iterator[int]:
    """Yield the limits of the control group that this process is in, and of those around it."""
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


def _of_slurm(environment: Mapping[str, str]) -> Iterator[int]:
    """Yield the bytes of a Slurm job on this node; the variables are in mebibytes, and 0 is no limit."""
    node = environment.get("SLURM_MEM_PER_NODE", "0")
    core = environment.get("SLURM_MEM_PER_CPU", "0")
    number = environment.get("SLURM_CPUS_ON_NODE", "1")
    for given, times in ((node, "1"), (core, number)):
        if given.isdecimal() and times.isdecimal() and int(given) * int(times):
            yield int(given) * int(times) << 20
