"""Steps on a Dask cluster: what they hand on to each other goes from worker to worker."""
# mypy: untyped-calls-exclude="distributed,dask"

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from distributed import Client, Scheduler
from distributed.diagnostics.plugin import SchedulerPlugin

from choco_pipeline.cluster.progress import TOPIC
from choco_pipeline.cluster.steps import Step
from choco_pipeline.cluster.task import address_of, client_of, losses, run_target


class FreeLanes(SchedulerPlugin):
    """Lets every step run anywhere once a worker is gone.

    Else steps whose workers have all died would wait for them for ever, also for those that are started in their place.
    """

    name = "choco-free-lanes"
    idempotent = True

    def remove_worker(
        self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any
    ) -> None:
        """Forget which workers steps were meant for."""
        for task in scheduler.tasks.values():
            if task.loose_restrictions:
                task.worker_restrictions = set()


class OnCluster:
    """Steps on the workers of a Dask cluster."""

    workers: int
    memory: int | None

    def __init__(self, client: Client, address: str) -> None:
        """Ask the cluster for its workers."""
        self._client = client
        self._address = address
        self._name = uuid.uuid4().hex
        client.register_plugin(FreeLanes())
        client.wait_for_workers(1)
        found = client.scheduler_info(n_workers=-1)["workers"].values()
        self.workers = sum(worker["nthreads"] for worker in found)
        limits = [worker["memory_limit"] // worker["nthreads"] for worker in found]
        self.memory = min(limits) or None

    def run(self, steps: Sequence[Step]) -> None:
        """Run the steps; where a worker is free, the first of the list that can run."""
        names = {step.key: f"{step.key}-{uuid.uuid4().hex}" for step in steps}
        rank = {names[step.key]: -i for i, step in enumerate(steps)}
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        allowed = {
            names[step.key]: workers if step.lane is None else [workers[step.lane % len(workers)]]
            for step in steps
        }
        annotations = {
            "priority": rank.__getitem__,
            "workers": allowed.__getitem__,
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
                future.result()

    def report(self, stage: str, **numbers: int) -> None:
        """Send a report as a task does."""
        event = {
            "folder": os.getcwd(),
            "task": self._name,
            "worker": "client",
            "stage": stage,
            "numbers": numbers,
        }
        self._client.log_event(TOPIC, event)


@contextmanager
def on_cluster(scheduler: str) -> Iterator[OnCluster]:
    """Connect to a cluster by its address or scheduler file; steps that are under way at the end are given up."""
    address = address_of(scheduler)
    with client_of(address) as client:
        yield OnCluster(client, address)


def _execute(target: str, arguments: Sequence[Any], folder: str, *results: Any) -> Any:
    return run_target(target, (*arguments, *results), folder)
