"""Tasks on the run's Dask cluster or in this process, and their progress."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from choco_pipeline.errors import ChocoError

#: Environment variable with the cluster's address, or the path of its scheduler file.
SCHEDULER = "CHOCO_SCHEDULER"
#: Socket of the relay of a run, beside its scheduler file.
SOCKET = "jobs.socket"
#: The scheduler's log topic for reports.
TOPIC = "choco-progress"


@dataclass
class _Process:
    #: Whether this process is a worker of a cluster.
    is_worker: bool = False


PROCESS = _Process()


class ClusterError(ChocoError):
    """The cluster cannot be reached, was lost, or has lost a task."""


class Report(Protocol):
    """A function to report the progress of a task."""

    def __call__(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to the progress of `stage`."""


def ignore(stage: str, **numbers: int) -> None:
    """Ignore a report, outside of a cluster."""


class TaskProgress:
    """Sums of the reports of tasks.

    A task whose worker has died runs again. Then the reports of its earlier attempt are dropped.
    """

    def __init__(self) -> None:
        #: The worker of each task, and the sums of its reports by stage and name.
        self._attempts: dict[str, tuple[str, Counter[tuple[str, str]]]] = {}
        #: The sums over all tasks, cached because a run reads them many times per second.
        self._sums: Counter[tuple[str, str]] = Counter()

    def add(self, event: Mapping[str, Any]) -> None:
        """Count a report from `choco_pipeline.cluster.task.run_target`."""
        worker, numbers = self._attempts.get(event["task"], ("", Counter()))
        if worker != event["worker"]:
            self._sums.subtract(numbers)
            numbers = Counter()
        more = {(event["stage"], name): n for name, n in event["numbers"].items()}
        numbers.update(more)
        self._sums.update(more)
        self._attempts[event["task"]] = event["worker"], numbers

    def totals(self, stage: str) -> dict[str, int]:
        """Return the sums of a stage by name."""
        return {name: n for (of, name), n in self._sums.items() if of == stage}


def call(target: str, *arguments: Any) -> Any:
    """Run one task, as in `call_each`."""
    return call_each(target, [arguments])[0]


def call_each(target: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a task for each list of arguments, on the cluster or in this process.

    The target ``package.module:function`` is called as ``function(*arguments, report)``, where ``report(stage, **numbers)``
    counts progress. Arguments and results are plain data, as in JSON. With a cluster, this process does not import the target.

    Raises `ClusterError` if the cluster cannot be reached within seconds, is lost, or loses a task. A `ChocoError` of the target
    is raised with its message. After an error, tasks that have not begun are cancelled.
    """
    if not arguments:
        return []
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        function = resolve(target)
        return [function(*each, ignore) for each in arguments]
    if "://" not in scheduler and os.path.lexists(Path(scheduler).with_name(SOCKET)):
        relay_tasks = resolve("choco_pipeline.cluster.relay:relay_tasks")
        with suppress(OSError):  # the socket of a killed run
            return list(relay_tasks(Path(scheduler).parent, target, arguments))
    # The import of distributed takes half a second.
    with resolve("choco_pipeline.cluster.task:connection")(scheduler) as cluster:
        return list(cluster.run_each(target, arguments))


def resolve(target: str) -> Callable[..., Any]:
    """Return the function with the name ``package.module:function``."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


@dataclass(frozen=True)
class Step:
    """A task that may depend on others of the same list."""

    #: A unique name in the list.
    key: str
    #: ``package.module:function``, called as ``function(*arguments, *results, report)``.
    target: str
    #: Arguments that are plain data.
    arguments: tuple[Any, ...]
    #: Keys of earlier steps whose results it takes. Results may be any objects. The step must not change them, because it may run
    #: again when a worker dies.
    needs: tuple[str, ...] = ()
    #: The steps of a lane run on one worker while it lives. Consecutive lanes run on different workers. A step without a lane runs
    #: on a worker that has one of its needed results, so that all may run on the same worker.
    lane: int | None = None


class Runner:
    """Runner of steps in this process, one after the other."""

    @property
    def memory(self) -> int | None:
        """Memory limit of a step in bytes; None if it is unknown."""
        return None

    @property
    def workers(self) -> int:
        """Number of steps that run at the same time."""
        return 1

    def run(self, steps: Sequence[Step], watch: Callable[[], None] | None = None) -> None:
        """Run all steps; keep each result only while other steps need it.

        Steps that can run at the same time are started in the given order. A cluster calls `watch` at intervals. A `ChocoError` of
        a target is raised with its message. Raises `ClusterError` if the cluster is lost, or a step has killed several workers.
        """
        left = Counter(need for step in steps for need in step.needs)
        results: dict[str, Any] = {}
        for step in steps:
            needed = [results[need] for need in step.needs]
            result = resolve(step.target)(*step.arguments, *needed, ignore)
            if left[step.key]:
                results[step.key] = result
            del needed, result
            for need in step.needs:
                left[need] -= 1
                if not left[need]:
                    del results[need]

    def report(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to the progress of `stage`; without a cluster, do nothing."""


@contextmanager
def runner() -> Iterator[Runner]:
    """Yield a runner of steps, on the cluster or in this process."""
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        yield Runner()
        return
    # The import of distributed takes half a second.
    with resolve("choco_pipeline.cluster.task:on_cluster")(scheduler) as on_cluster:
        yield on_cluster
