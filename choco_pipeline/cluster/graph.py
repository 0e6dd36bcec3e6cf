"""Steps on a Dask cluster: what they hand on to each other goes from worker to worker."""
# mypy: untyped-calls-exclude="distributed,dask"

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from distributed import Client, Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

from choco_pipeline.cluster.connect import TOPIC
from choco_pipeline.cluster.steps import Step, nothing
from choco_pipeline.cluster.task import (
    address_of,
    client_of,
    is_done,
    losses,
    memory_of_tasks,
    patience_with,
    run_target,
)


class Lanes(SchedulerPlugin):
    """Shares the lanes out again among the workers that are there, whenever one comes or goes.

    Else steps whose workers have all died would wait for them for ever, also for those that are started in their place,
    and workers that come later would have nothing to do.
    """

    name = "choco-lanes"
    idempotent = True

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Give some lanes to a new worker."""
        self._share_out(scheduler)

    def remove_worker(
        self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any
    ) -> None:
        """Give the lanes of a worker that is gone to others, or to whoever comes next."""
        self._share_out(scheduler)

    def _share_out(self, scheduler: Scheduler) -> None:
        workers = sorted(scheduler.workers)
        for task in scheduler.tasks.values():
            if task.loose_restrictions:
                lane = (task.annotations or {}).get("lane")  # Dask keeps none that is None
                # A step of no lane may not name workers that are gone: it would wait for them.
                task.worker_restrictions = set() if lane is None else _workers_of(lane, workers)


class OnCluster:
    """Steps on the workers of a Dask cluster."""

    memory: int | None
    workers: int

    def __init__(self, client: Client, address: str) -> None:
        """Ask the cluster for its workers."""
        self._client = client
        self._address = address
        self._name = uuid.uuid4().hex
        client.register_plugin(Lanes())
        if not client.nthreads():
            # Something to do, or a cluster that grows with its work would have no worker for ever.
            client.submit(os.getpid, pure=False).result()
        self.memory = memory_of_tasks(client)
        self.workers = sum(client.nthreads().values())

    def run(self, steps: Sequence[Step], watch: Callable[[], None] = nothing) -> None:
        """Run the steps; where a worker is free, the first of the list that can run."""
        if not steps:
            return
        names = {step.key: f"{step.key}-{uuid.uuid4().hex}" for step in steps}
        rank = {names[step.key]: -i for i, step in enumerate(steps)}
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        lanes = {names[step.key]: step.lane for step in steps}
        annotations = {
            "priority": rank.__getitem__,
            "lane": lanes.__getitem__,
            "workers": lambda name: sorted(_workers_of(lanes[name], workers)),
            "allow_other_workers": True,  # one may die, and others may have nothing to do
        }
        folder = os.getcwd()
        tasks = {
            names[step.key]: (
                partial(_execute, step.target, step.arguments, folder),
                *(names[need] for need in step.needs),
            )
            for step in steps
        }
        needed = {need for step in steps for need in step.needs}
        ends = [names[step.key] for step in steps if step.key not in needed]
        layer = MaterializedLayer(tasks, annotations=annotations)
        graph = HighLevelGraph({self._name: layer}, {self._name: set()})
        futures = self._client.get(graph, ends, sync=False)
        for step, future in zip((s for s in steps if s.key not in needed), futures, strict=True):
            with losses(step.target, self._address):
                while not is_done(future):
                    watch()
                if future.status != "finished":
                    future.result()  # raises

    def report(self, stage: str, **numbers: int) -> None:
        """Send a report as a task does."""
        event = {
            "folder": os.getcwd(),
            "task": self._name,
            "worker": "client",
            "stage": str(stage),  # a member of an enumeration is no plain text to the scheduler
            "numbers": numbers,
        }
        self._client.log_event(TOPIC, event)


@contextmanager
def on_cluster(scheduler: str) -> Iterator[OnCluster]:
    """Connect to a cluster by its address or scheduler file; steps that are under way at the end are given up."""
    address = address_of(scheduler)
    with client_of(address, patience_with(scheduler)) as client:
        yield OnCluster(client, address)


def _workers_of(lane: int | None, workers: Sequence[str]) -> set[str]:
    """Return the workers that steps of a lane are meant for: one, or all for no lane."""
    return set(workers) if lane is None or not workers else {workers[lane % len(workers)]}


def _execute(target: str, arguments: Sequence[Any], folder: str, *results: Any) -> Any:
    return run_target(target, (*arguments, *results), folder)
