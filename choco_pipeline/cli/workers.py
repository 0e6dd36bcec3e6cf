"""The Dask cluster of a run: its own, started when there is work to do, or one that is running already."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dask.system import cpu_count

from choco_pipeline.cluster.connect import resolve
from choco_pipeline.tables.cost import worker_memory

if TYPE_CHECKING:
    from choco_pipeline.cluster.local import Cluster

WARM_UP = "choco_pipeline.kernels:warm_up"
#: Jobs for each worker: while one is computed, the process of the next one starts.
JOBS_PER_WORKER = 2


class Workers:
    """What computes for a run.

    Attributes
    ----------
    scheduler
        What the jobs are told: the scheduler's address, or a file that will hold it when the cluster is ready.
    jobs
        Number of jobs to run at the same time.
    """

    scheduler: str
    jobs: int

    def __init__(self, results: Path, workers: int | None, scheduler: str | None) -> None:
        """Plan for `workers` processes here, or connect to the cluster at `scheduler` (an address or a file)."""
        self._stack = ExitStack()
        self._cluster: Cluster | None = None
        self._is_announced = False
        self._reports: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._is_warm: Callable[[], bool] | None = None
        self._folder = results / ".dask"
        self._workers = workers or cpu_count()
        if scheduler is None:
            shutil.rmtree(
                self._folder, ignore_errors=True
            )  # a run that was killed may have left it
            self._folder.mkdir(parents=True)
            self.scheduler = str(self._folder / "scheduler.json")
            self.jobs = JOBS_PER_WORKER * self._workers
        else:
            connect = resolve("choco_pipeline.cluster.local:existing_cluster")
            self._use(self._stack.enter_context(connect(scheduler)))
            self.scheduler = scheduler

    def __enter__(self) -> Workers:
        """Return the workers, to be closed at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop what was started here."""
        self._stack.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self, *, warm_up: bool) -> str | None:
        """Start the cluster unless it runs; with `warm_up`, jobs wait until one worker has compiled the kernels.

        Returns
        -------
        str or None
            The address of Dask's dashboard, the first time.
        """
        cluster = self._cluster
        if cluster is None:
            run = resolve("choco_pipeline.cluster.local:local_cluster")
            memory = worker_memory(self._workers)
            folder = self._folder / "workers"
            cluster = self._use(self._stack.enter_context(run(self._workers, memory, folder)))
            self._is_warm = cluster.warm_up(WARM_UP) if warm_up else lambda: True
        elif self._is_announced:
            return None
        self._is_announced = True
        return cluster.dashboard

    def reports(self) -> Iterator[Mapping[str, Any]]:
        """Yield what tasks have reported since the last call."""
        if self._is_warm is not None and self._is_warm():
            resolve("choco_pipeline.cluster.local:write_scheduler_file")(
                self._cluster, Path(self.scheduler)
            )
            self._is_warm = None
        while not self._reports.empty():
            yield self._reports.get()

    def _use(self, cluster: Cluster) -> Cluster:
        self._cluster = cluster
        self.jobs = JOBS_PER_WORKER * cluster.threads
        cluster.listen(self._reports.put)
        return cluster
