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

#: Environment variable that holds the cluster's address, or the path of its scheduler file.
SCHEDULER = "CHOCO_SCHEDULER"
#: Beside the scheduler file of a run that hands tasks of its jobs on: the socket at which it is asked to.
SOCKET = "jobs.socket"
#: The scheduler's log topic that reports travel under.
TOPIC = "choco-progress"


@dataclass
class _Process:
    #: Whether this process is a worker of a cluster.
    is_worker: bool = False


PROCESS = _Process()


class ClusterError(ChocoError):
    """The cluster cannot be reached, has gone away, or has lost a task."""


class Report(Protocol):
    """The function by which a task reports its progress."""

    def __call__(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to the progress of `stage`."""


def ignore(stage: str, **numbers: int) -> None:
    """Report nothing, as tasks do outside of a cluster."""


class TaskProgress:
    """Sums of the reports of tasks.

    A task whose worker died runs again from its start, so the reports of its earlier attempt are dropped.
    """

    def __init__(self) -> None:
        """Begin at zero."""
        #: For each task its worker, and the sums of its reports by stage and name.
        self._attempts: dict[str, tuple[str, Counter[tuple[str, str]]]] = {}
        #: The sums of all tasks: a run asks for them many times a second.
        self._sums: Counter[tuple[str, str]] = Counter()

    def add(self, event: Mapping[str, Any]) -> None:
        """Count a report, as `choco_pipeline.cluster.task.run_target` sends it."""
        worker, numbers = self._attempts.get(event["task"], ("", Counter()))
        if worker != event["worker"]:
            self._sums.subtract(numbers)
            numbers = Counter()
        more = {(event["stage"], name): n for name, n in event["numbers"].items()}
        numbers.update(more)
        self._sums.update(more)
        self._attempts[event["task"]] = event["worker"], numbers

    def totals(self, stage: str) -> dict[str, int]:
        """Return the sums of a stage, by name."""
        return {name: n for (of, name), n in self._sums.items() if of == stage}


def call(target: str, *arguments: Any) -> Any:
    """Run one task, as `call_each`."""
    return call_each(target, [arguments])[0]


def call_each(target: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a task for each list of arguments, on the cluster or in this process.

    The target, ``package.module:function``, is called as ``function(*arguments, report)``, where ``report(stage, **numbers)``
    counts progress. Arguments and results are plain data, as JSON can hold. With a cluster this process does not import the
    target. Raises `ClusterError` if the cluster cannot be reached within seconds, goes away, or loses a task; `ChocoError` as
    the target raised it, with the same message. Tasks that have not begun are then given up.
    """
    if not arguments:
        return []
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        function = resolve(target)
        return [function(*each, ignore) for each in arguments]
    if "://" not in scheduler and os.path.lexists(Path(scheduler).with_name(SOCKET)):
        relay_tasks = resolve("choco_pipeline.cluster.relay:relay_tasks")
        with suppress(OSError):  # a run that was killed has left the socket
            return list(relay_tasks(Path(scheduler).parent, target, arguments))
    # Resolved only here, because it imports distributed, which takes half a second.
    with resolve("choco_pipeline.cluster.task:connection")(scheduler) as cluster:
        return list(cluster.run_each(target, arguments))


def resolve(target: str) -> Callable[..., Any]:
    """Return the function that ``package.module:function`` names."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


@dataclass(frozen=True)
class Step:
    """One task among others."""

    #: Its name; no other step of the same list has it.
    key: str
    #: ``package.module:function``. Called as ``function(*arguments, *results, report)``.
    target: str
    #: Plain data.
    arguments: tuple[Any, ...]
    #: Keys of the steps whose results it takes; they stand before it in the list. Results may be anything. They must not be
    #: changed, because a step may run again when a worker dies.
    needs: tuple[str, ...] = ()
    #: Steps of a lane run on one worker while it lives, consecutive lanes on different ones. A step without a lane runs where a
    #: result that it needs is, so all may end up on one worker.
    lane: int | None = None


class Runner:
    """Runs steps one after the other, in this process."""

    @property
    def memory(self) -> int | None:
        """Bytes that a step may use, or None if unknown."""
        return None

    @property
    def workers(self) -> int:
        """Number of steps that run at the same time."""
        return 1

    def run(self, steps: Sequence[Step], watch: Callable[[], None] | None = None) -> None:
        """Run steps to their end; results are kept only while other steps need them.

        Where the choice is free they run in the given order. A cluster calls `watch` now and then. Raises `ChocoError` as a
        target raised it, with the same message; `ClusterError` if the cluster goes away, or a step has killed several workers.
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
        """Add `numbers` to the progress of `stage`, if there is a listener."""


@contextmanager
def runner() -> Iterator[Runner]:
    """Yield a runner of steps, on the cluster or in this process."""
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        yield Runner()
        return
    # distributed takes half a second to import
    with resolve("choco_pipeline.cluster.task:on_cluster")(scheduler) as on_cluster:
        yield on_cluster
