"""The cluster of a run: started for it and stopped with it, or one that is running already."""
# mypy: untyped-calls-exclude=distributed

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster

from choco_pipeline.cluster.connect import resolve
from choco_pipeline.cluster.progress import TOPIC
from choco_pipeline.cluster.task import address_of, client_of

#: A task that has killed this many workers and one more is given up.
ALLOWED_FAILURES = 2
#: Where Dask's dashboard is by custom.
DASHBOARD_PORT = 8787
#: Workers keep the memory of arrays below 32 MiB for the next ones. Dask's own setting gives it back each time, and a
#: page fault for every 4 KiB of a temporary costs more than what is computed in it: checks took five times as long.
NANNY_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
MALLOC = {"MALLOC_TRIM_THRESHOLD_": 128 << 20, "MALLOC_MMAP_THRESHOLD_": 32 << 20}


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster that tasks can be sent to.

    Attributes
    ----------
    address
        Of the scheduler.
    dashboard
        Address of Dask's dashboard in a browser.
    client
        The connection.
    """

    address: str
    dashboard: str
    client: Client

    def listen(self, handler: Callable[[Mapping[str, Any]], None]) -> None:
        """Have `handler` called, in another thread, with each report of a task that runs for this folder."""
        folder = os.getcwd()

        def handle(event: tuple[float, Mapping[str, Any]]) -> None:
            _, message = event
            if message["folder"] == folder:
                handler(message)

        self.client.subscribe_topic(TOPIC, handle)

    def warm_up(self, target: str) -> Callable[[], bool]:
        """Start running ``package.module:function`` on one worker, and return a function that says whether it is done.

        What it compiles is compiled once, if other tasks come only then.
        """
        future = self.client.submit(_run, target, pure=False)
        return lambda: bool(future.done())

    @property
    def threads(self) -> int:
        """Number of tasks that run at the same time."""
        return sum(self.client.nthreads().values())


@contextmanager
def local_cluster(workers: int, memory: int, folder: Path) -> Iterator[Cluster]:
    """Run a cluster on this machine, and leave nothing of it.

    Parameters
    ----------
    workers
        Number of worker processes, of one thread each.
    memory
        Bytes that each of them may use.
    folder
        For what Dask writes; removed at the end.
    """
    # That a worker has died is Dask's to mend and, if that does not help, ours to report.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    settings = {
        "distributed.scheduler.allowed-failures": ALLOWED_FAILURES,
        "distributed.worker.daemon": True,
        "distributed.logging.distributed": "critical",
        NANNY_ENVIRONMENT: dask.config.get(NANNY_ENVIRONMENT) | MALLOC,
    }
    try:
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address=f"127.0.0.1:{_free_port(DASHBOARD_PORT)}",
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
                preload=["choco_pipeline.cluster.task"],
            ) as cluster,
            client_of(cluster.scheduler_address) as client,
        ):
            yield Cluster(cluster.scheduler_address, cluster.dashboard_link, client)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def existing_cluster(scheduler: str) -> Iterator[Cluster]:
    """Connect to a cluster that is running already, by its address or its scheduler file."""
    address = address_of(scheduler)
    with client_of(address) as client:
        yield Cluster(address, client.dashboard_link, client)


def write_scheduler_file(cluster: Cluster, path: Path) -> None:
    """Write where the cluster is, as `choco_pipeline.cluster.task.address_of` reads it."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"address": cluster.address}), encoding="utf-8")
    partial.replace(path)


def _run(target: str) -> None:
    resolve(target)()


def _free_port(wanted: int) -> int:
    """Return `wanted` if it is free on this machine, else 0, which means any."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            return 0
    return wanted
