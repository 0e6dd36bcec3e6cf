"""Running a task where the computing is: on the Dask cluster of the run, or in this process; and how far tasks are, as they report."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
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
    """Run a task on the cluster that the environment names, or in this process where it names none.

    Raises `ClusterError` if the cluster cannot be reached within seconds, goes away, or loses the task; `ChocoError` as the
    target raised it, with the same message, wherever it ran. The target is ``package.module:function``, called as
    ``function(*arguments, report)``, where ``report(stage, **numbers)`` tells the run how far the task is. Arguments are plain
    data, as JSON can hold; so is what is returned. With a cluster this process imports neither the target nor what the target
    imports: the worker does.
    """
    scheduler = os.environ.get(SCHEDULER)
    if not scheduler:
        return resolve(target)(*arguments, ignore)
    if "://" not in scheduler and os.path.lexists(Path(scheduler).with_name(SOCKET)):
        relayed = resolve("choco_pipeline.cluster.relay:relayed")
        with suppress(OSError):  # a run that was killed has left the socket
            return relayed(Path(scheduler).parent, target, arguments)
    # Resolved only here, since it imports distributed, which takes half a second.
    submit = resolve("choco_pipeline.cluster.task:submit")
    return submit(scheduler, target, arguments)


def resolve(target: str) -> Callable[..., Any]:
    """Return the function that ``package.module:function`` names, importing its module."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
