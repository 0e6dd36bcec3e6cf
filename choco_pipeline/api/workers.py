"""The workers of a run: a new or running Dask cluster, or Slurm jobs."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, assert_never

import dask

from choco_pipeline.api.terminal import note
from choco_pipeline.cluster import cluster_file
from choco_pipeline.cluster.connect import SCHEDULER, GivenUpError, Relay
from choco_pipeline.shipped import SHIPPED
from choco_pipeline.stages import WORK
from choco_pipeline.sweep.run_plan import Capacity
from choco_pipeline.tables.machine import cores

if TYPE_CHECKING:
    from choco_pipeline.cluster.task import Cluster

PROFILES = SHIPPED / "workflow" / "profiles"
#: Dask's folder in the results folder during a run.
DASK = ".dask"
WARM_UP = "choco_pipeline.kernels:warm_up_usual"
#: Seconds between two checks of a job that waits for kernels.
LOOK = 0.5
#: Snakemake jobs for each worker, so that some start while others compute.
JOBS_PER_WORKER = 4
#: Rules with a single thread if workers compute for their jobs.
ONE_THREAD = ("prove=1",)
#: Tasks that need compiled kernels, and wait for `WARM_UP`.
WITH_KERNELS = "choco_pipeline.tables.shard"
#: Tasks of the highest priority; next come tables, then the kinds of work in the order of `WORK`.
REPORTS = ("choco_pipeline.sweep.ledger", "choco_pipeline.report.task")


def capacity_of(cluster: cluster_file.Description, name: str | None, wait_s: int = 0) -> Capacity:
    """Return the number of workers of a cluster, and their memory.

    Waits at most `wait_s` seconds for the scheduler file of a running cluster.
    """
    file = str(cluster_file.CLUSTERS / f"{name or 'local'}.yaml")
    match cluster:
        case cluster_file.Local():
            if cluster.memory is None:
                return Capacity.of_this_machine(cluster.workers)
            return Capacity(cluster.workers or cores(), cluster_file.in_bytes(cluster.memory), file)
        case cluster_file.SlurmWorkers():
            return Capacity(
                cluster.workers, cluster_file.in_bytes(cluster.memory) // cluster.cores, file
            )
        case cluster_file.SlurmJobs():
            return Capacity(cluster.maximum, None, "each job requests its own memory from Slurm")
        case cluster_file.Running():
            file_or_address = cluster.scheduler
            if wait_s and "://" not in file_or_address and not Path(file_or_address).exists():
                note(f"waiting up to {wait_s} s for the scheduler file {file_or_address}")
            with (
                dask.config.set(cluster_file.tls_settings(cluster.tls)),
                _clusters().existing_cluster(file_or_address, wait_s) as client,
            ):
                whose = f"the cluster at {client.address}"
                if client.memory is None:
                    whose = f"no worker of {whose} reports its limit"
                return Capacity(client.workers or 1, client.memory, whose)
        case _:
            assert_never(cluster)


def _clusters() -> ModuleType:
    from choco_pipeline.cluster import clusters  # noqa: PLC0415 -- Dask is slow to import

    return clusters


class Workers(ExitStack):
    """The workers of a run; those that it started are stopped at its end."""

    #: Environment of the jobs: the scheduler's address or its file, which exists when the cluster is ready, and certificates.
    environment: dict[str, str]
    #: Snakemake's options: its profile, and the number of parallel jobs.
    options: list[str]

    def __init__(
        self, results: Path, logs: Path, description: cluster_file.Description, capacity: Capacity
    ) -> None:
        """Prepare a cluster, or connect to one; Slurm's output goes to `logs`."""
        super().__init__()
        self._cluster: Cluster | None = None
        self._dashboard: str | None = None
        self._reports: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._is_ready: Callable[[], bool] | None = None
        self._is_warm = threading.Event()
        self._relay: Relay | None = None
        self._folder = results / DASK
        self._file = self._folder / "scheduler.json"
        self._open: Callable[[], AbstractContextManager[Cluster]] | None = None
        self._own_tls: cluster_file.Tls | None = None
        self._is_own_machine = isinstance(description, cluster_file.Local)
        # A killed run may have left it.
        shutil.rmtree(self._folder, ignore_errors=True)
        self.callback(shutil.rmtree, self._folder, ignore_errors=True)
        if isinstance(description, cluster_file.SlurmJobs):
            options = _clusters().snakemake_options(description)
            self.options = ["--workflow-profile", str(PROFILES / "slurm"), *options]
            self.environment = {SCHEDULER: ""}
            return
        tls = description.tls
        if tls is None and not isinstance(description, cluster_file.Running):
            self._own_tls = tls = cluster_file.own_tls(self._folder / "tls")
        settings = cluster_file.tls_settings(tls)
        self.enter_context(dask.config.set(settings))
        scheduler, workers = str(self._file), capacity.workers
        folder = self._folder / "workers"
        if isinstance(description, cluster_file.Running):
            scheduler = description.scheduler
            self._use(self.enter_context(_clusters().existing_cluster(scheduler)))
            # Such clusters often grow with the number of tasks.
            workers = max(workers, cores())
        elif isinstance(description, cluster_file.SlurmWorkers):
            self._open = partial(_clusters().slurm_cluster, description, folder, logs)
        else:
            opened = partial(_clusters().local_cluster, workers, capacity.memory, folder)
            self._open = partial(opened, tls=True, dashboard=description.dashboard)
        if self._open is not None:
            self._folder.mkdir(mode=0o700, parents=True)
        jobs = JOBS_PER_WORKER * workers
        self.options = ["--workflow-profile", str(PROFILES / "default"), "--cores", str(jobs)]
        if self._is_own_machine:
            with suppress(OSError):  # without sockets, jobs connect to the cluster themselves
                self._relay = Relay(self._folder)
                self.callback(self._relay.close)
                self.options += ["--set-threads", *ONE_THREAD]
        self.environment = {SCHEDULER: scheduler, **cluster_file.as_environment(settings)}

    def start(self, *, warm_up: bool) -> str | None:
        """Start the cluster if needed; return its dashboard's address once.

        With `warm_up`, jobs that build tables wait until a worker on this machine has compiled the kernels. They do not wait for
        workers on other machines, which may be in a queue.
        """
        if self._open is not None:
            cluster = self.open()
            is_warm_up_needed = warm_up and self._is_own_machine
            self._is_ready = cluster.warm_up(WARM_UP) if is_warm_up_needed else lambda: True
        dashboard, self._dashboard = self._dashboard, None
        return dashboard

    def open(self) -> Cluster:
        """Return the cluster, after its start if needed; not for Slurm jobs without Dask."""
        if self._open is not None:
            opened, self._open = self._open, None
            if self._own_tls is not None:
                cluster_file.make_certificate(self._own_tls)
            self._use(self.enter_context(opened()))
            if self._relay is not None:
                self._relay.serve(self._run_tasks)
        assert self._cluster is not None
        return self._cluster

    def reports(self) -> Iterator[Mapping[str, Any]]:
        """Yield the reports of tasks since the last call."""
        if self._is_ready is not None and self._is_ready():
            assert self._cluster is not None
            _clusters().write_scheduler_file(self._cluster, self._file)
            self._is_ready = None
            self._is_warm.set()
        while not self._reports.empty():
            yield self._reports.get()

    def _run_tasks(
        self, target: str, arguments: Sequence[Sequence[Any]], is_gone: Callable[[], bool]
    ) -> list[Any]:
        """Run the tasks of a job, as `choco_pipeline.cluster.connect.RunTasks`."""
        while target.startswith(WITH_KERNELS) and not self._is_warm.wait(LOOK):
            if is_gone():
                raise GivenUpError
        assert self._cluster is not None
        priority = priority_of(target, arguments[0])
        return self._cluster.run_each(target, arguments, is_gone, priority)

    def _use(self, cluster: Cluster) -> None:
        self._cluster, self._dashboard = cluster, cluster.dashboard
        cluster.listen(self._reports.put)


def priority_of(target: str, arguments: Sequence[Any]) -> int:
    """Return the Dask priority of a task; tasks of higher priority begin earlier."""
    if target.startswith(REPORTS):
        return 2
    if target.startswith(WITH_KERNELS):
        return 1
    return -[*WORK].index(arguments[0]["work"])
