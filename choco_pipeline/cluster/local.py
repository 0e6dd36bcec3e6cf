"""The cluster of a run: started for it and stopped with it, or one that is running already."""
# mypy: untyped-calls-exclude=distributed

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster, Security, Status

from choco_pipeline.cluster.connect import TOPIC, ClusterError, resolve
from choco_pipeline.cluster.task import (
    START,
    address_of,
    carried_out,
    client_of,
    memory_of_tasks,
    silence_tracker,
)
from choco_pipeline.errors import require_package

#: Where Dask's dashboard listens: for this machine only, on any free port, so that no two clusters want the same.
DASHBOARD = "127.0.0.1:0"
#: Workers keep the memory of arrays below 32 MiB for the next ones. Dask's own setting gives it back each time, and a
#: page fault for every 4 KiB of a temporary costs more than what is computed in it: checks took five times as long. All
#: threads share one heap: with one for each, a build of 64 blocks had 30,000 page faults instead of some hundred.
NANNY_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
MALLOC = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_TRIM_THRESHOLD_": 128 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
}
#: A cluster whose processes are killed while they start is started anew, so many times in all.
STARTS = 3
#: What holds for the scheduler of every cluster that a run starts: a task that has killed three workers is given up,
#: and a worker that has said nothing for a minute is taken for dead (kernels leave its other threads running). What Dask
#: samples for its own pages, up to a hundred times a second, would take a twentieth of every core.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 2,
    "distributed.scheduler.worker-ttl": "1 minute",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "200ms",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.logging.distributed": "critical",
}
#: What scheduler and workers answer to a browser, whoever it belongs to: nothing, where nobody has asked for a dashboard.
NO_PAGES: dict[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster that tasks can be sent to."""

    #: Of the scheduler.
    address: str
    #: Address of Dask's dashboard in a browser; None if there is none.
    dashboard: str | None
    #: The connection.
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

    def carried_out(
        self,
        target: str,
        arguments: Sequence[Sequence[Any]],
        is_gone: Callable[[], bool],
        priority: int = 0,
    ) -> list[Any]:
        """Run a target for each list of arguments, as `choco_pipeline.cluster.task.carried_out`; a higher priority comes first."""
        return carried_out(self.client, self.address, target, arguments, is_gone, priority)

    @property
    def threads(self) -> int:
        """Number of tasks that run at the same time."""
        return sum(self.client.nthreads().values())

    @property
    def memory(self) -> int | None:
        """Bytes that each of these tasks may use, or None if there is no worker, or one without a limit."""
        return memory_of_tasks(self.client)


@contextmanager
def local_cluster(
    workers: int, memory: int, folder: Path, *, tls: bool = False, dashboard: bool = False
) -> Iterator[Cluster]:
    """Run a cluster of so many processes of one thread, each with so many bytes of memory, on this machine, and leave nothing of it.

    The folder is for what Dask writes. With `tls` connections are encrypted, by the certificates in Dask's settings; with `dashboard`
    there is Dask's own, for every user of this machine.
    """
    if dashboard:
        require_package("bokeh", "dashboard", "Dask's dashboard")
    # That a worker has died is Dask's to mend and, if that does not help, ours to report.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    settings = {
        **SETTINGS,
        **({} if dashboard else NO_PAGES),
        "distributed.worker.daemon": True,
        NANNY_ENVIRONMENT: dask.config.get(NANNY_ENVIRONMENT) | MALLOC,
    }
    try:
        with dask.config.set(settings), ExitStack() as stack:
            cluster = _started(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address=DASHBOARD,
                scheduler_kwargs={"dashboard": dashboard},
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
                protocol="tls://" if tls else "tcp://",
                security=Security() if tls else None,
                preload=["choco_pipeline.cluster.task"],
            )
            stack.callback(_close, cluster)
            client = stack.enter_context(client_of(cluster.scheduler_address, START))
            shown = cluster.dashboard_link if dashboard else None
            yield Cluster(cluster.scheduler_address, shown, client)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def existing_cluster(scheduler: str, seconds: float = 0) -> Iterator[Cluster]:
    """Connect to a cluster that is running already, by its address or its scheduler file, which is waited for so long."""
    address = address_of(scheduler, seconds)
    with client_of(address) as client:
        yield Cluster(address, client.dashboard_link, client)


def write_scheduler_file(cluster: Cluster, path: Path) -> None:
    """Write where the cluster is, as `choco_pipeline.cluster.task.address_of` reads it."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"address": cluster.address}), encoding="utf-8")
    partial.replace(path)


def _started(**how: Any) -> LocalCluster:
    """Start a cluster, and again if one of its processes is killed before all are there."""
    silence_tracker()
    # Python starts its tracker with the first process, and then takes Ctrl-C again.
    resource_tracker.ensure_running()
    for left in reversed(range(STARTS)):
        # A terminal sends Ctrl-C to workers, too, which answer with a traceback while they start. They inherit that a thread
        # does not take it.
        deaf = ThreadPoolExecutor(1, initializer=_block_ctrl_c)
        try:
            with deaf:
                return deaf.submit(LocalCluster, **how).result()
        except RuntimeError as error:
            if not left:
                raise ClusterError(
                    f"{how['n_workers']} Dask workers did not start in {STARTS} attempts ({error})"
                ) from None
    raise AssertionError


def _block_ctrl_c() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _close(cluster: LocalCluster) -> None:
    """Stop a cluster, also where Dask stumbles over a worker that has died and is about to be started again."""
    try:
        cluster.close()
    except AssertionError:
        # Else the second attempt would wait for the end of the first.
        cluster.status = Status.failed
        cluster.close()


def _run(target: str) -> None:
    resolve(target)()
