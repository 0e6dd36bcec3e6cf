"""Running tasks on the Dask cluster of the run or in this process, and their progress reports."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
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
    """What is known of this process: whether it is a worker, which carries out one task after another."""

    is_worker: bool = False


#: What this process is; `choco_pipeline.cluster.task` says so of workers.
PROCESS = _Process()


class ClusterError(ChocoError):
    """The cluster cannot be reached, has gone away, or has lost a task."""


class Report(Protocol):
    """What a task is given to say how far it is."""

    def __call__(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to what is done of `stage`."""


def ignore(stage: str, **numbers: int) -> None:
    """Report to nobody: what a task is given outside of a cluster."""


@dataclass
class TaskProgress:
    """What tasks have reported so far.

    A task whose worker died runs again from its start, so what its earlier attempt reported is forgotten.
    """

    #: For each task the worker that runs it, and what that worker has reported, by stage and by what it counts.
    _attempts: dict[str, tuple[str, dict[tuple[str, str], int]]] = field(default_factory=dict)

    def add(self, event: Mapping[str, Any]) -> None:
        """Count a report, as `choco_pipeline.cluster.task.run_target` sends it."""
        worker, numbers = self._attempts.get(event["task"], (event["worker"], {}))
        if worker != event["worker"]:
            worker, numbers = event["worker"], {}
        for what, number in event["numbers"].items():
            key = (event["stage"], what)
            numbers[key] = numbers.get(key, 0) + number
        self._attempts[event["task"]] = worker, numbers

    def totals(self, stage: str) -> dict[str, int]:
        """Return the sums of what was reported for `stage`, by name."""
        sums: dict[str, int] = {}
        for _, numbers in self._attempts.values():
            for (of, what), number in numbers.items():
                if of == stage:
                    sums[what] = sums.get(what, 0) + number
        return sums


def call(target: str, *arguments: Any) -> Any:
    """Run one task, as `call_each`."""
    return call_each(target, [arguments])[0]


def call_each(target: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    """Run a task for each list of arguments, on the cluster that the environment names or else in this process.

    With a cluster this process imports neither the target nor what the target imports.

    Parameters
    ----------
    target
        ``package.module:function``. Called as ``function(*arguments, report)``, where ``report(stage, **numbers)`` counts progress.
    arguments
        Plain data, as JSON can hold; so are the results.

    Returns
    -------
    list
        The results, in the order of the arguments.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached within seconds, goes away, or loses a task.
    ChocoError
        As the target raised it, with the same message. Tasks that have not begun are given up.
    """
    if not arguments:
        return []
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        function = resolve(target)
        return [function(*each, ignore) for each in arguments]
    if "://" not in scheduler and os.path.lexists(Path(scheduler).with_name(SOCKET)):
        relayed = resolve("choco_pipeline.cluster.relay:relayed")
        with suppress(OSError):  # a run that was killed has left the socket
            return list(relayed(Path(scheduler).parent, target, arguments))
    # Resolved only here, because it imports distributed, which takes half a second.
    submit = resolve("choco_pipeline.cluster.task:submit")
    return list(submit(scheduler, target, arguments))


def resolve(target: str) -> Callable[..., Any]:
    """Return the function that ``package.module:function`` names, importing its module."""
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
    #: The keys of steps whose results it is given; they stand before it in the list. Results are whatever the targets
    #: return, and must not be changed, since a step may run again when a worker dies.
    needs: tuple[str, ...] = ()
    #: Steps of the same lane run on the same worker while it lives, lanes one after the other on different ones. Without
    #: a lane a step that needs others runs where one of their results is, so that all may end up on one worker.
    lane: int | None = None


def nothing() -> None:
    """Watch nothing."""


class Runner(Protocol):
    """What runs steps."""

    #: Bytes that each of them may use, or None if nothing is said.
    memory: int | None
    #: How many of them run at the same time.
    workers: int

    def run(self, steps: Sequence[Step], watch: Callable[[], None] = nothing) -> None:
        """Run steps to their end; a result is kept only as long as steps that have not run need it.

        Where the choice is free they run in the order in which they are given; `watch` is called now and then meanwhile. Raises
        `ChocoError` as a target raised it, with the same message; `ClusterError` if the cluster goes away, or a step has killed
        several workers.
        """

    def report(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to what is done of `stage`."""


class Here:
    """Steps one after the other, in this process."""

    memory: int | None = None
    workers: int = 1

    def run(self, steps: Sequence[Step], watch: Callable[[], None] = nothing) -> None:
        """Run the steps in the order of the list; nobody is told how far they are."""
        left = Counter(need for step in steps for need in step.needs)
        results: dict[str, Any] = {}
        for step in steps:
            needed = [results[need] for need in step.needs]
            result = resolve(step.target)(*step.arguments, *needed, self.report)
            if left[step.key]:
                results[step.key] = result
            del needed, result
            for need in step.needs:
                left[need] -= 1
                if not left[need]:
                    del results[need]

    def report(self, stage: str, **numbers: int) -> None:
        """Report to nobody."""
        ignore(stage, **numbers)


@contextmanager
def runner() -> Iterator[Runner]:
    """Run steps on the cluster that the environment names, or in this process where it names none."""
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        yield Here()
        return
    # distributed takes half a second to import
    with resolve("choco_pipeline.cluster.task:on_cluster")(scheduler) as on_cluster:
        yield on_cluster
