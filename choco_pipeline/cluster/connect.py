"""Running a task where the computing is: on the Dask cluster of the run, or in this process."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from choco_pipeline.cluster.progress import ignore
from choco_pipeline.errors import ChocoError

#: Environment variable that holds the cluster's address, or the path of its scheduler file.
SCHEDULER = "CHOCO_SCHEDULER"
#: Beside the scheduler file of a run that hands tasks of its jobs on: the socket at which it is asked to.
SOCKET = "jobs.socket"


@dataclass
class _Process:
    """What is known of this process: whether it is a worker, which carries out one task after another."""

    is_worker: bool = False


#: What this process is; `choco_pipeline.cluster.task` says so of workers.
PROCESS = _Process()


class ClusterError(ChocoError):
    """The cluster cannot be reached, has gone away, or has lost a task."""


def call(target: str, *arguments: Any) -> Any:
    """Run a task on the cluster that the environment names, or in this process where it names none.

    Parameters
    ----------
    target
        ``package.module:function``. Called as ``function(*arguments, report)``, where ``report(stage, **numbers)``
        tells the run how far the task is.
    *arguments
        Plain data, as JSON can hold.

    Returns
    -------
    object
        What the target returns; plain data, too.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached within seconds, goes away, or loses the task.
    ChocoError
        As the target raised it, with the same message, wherever it ran.

    Notes
    -----
    With a cluster this process imports neither the target nor what the target imports: the worker does.
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
