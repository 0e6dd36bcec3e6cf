"""Tasks on a run's Dask cluster or in this process, their progress, the relay.

A client takes half a second to import `distributed`, and more to connect. A run is connected already, and has dozens of jobs.
Therefore the run listens at a socket in a private folder. A job sends a line of JSON with a target and the arguments of each task,
and receives a line when all tasks have ended. If the job ends early, its tasks are cancelled. If the run ends, the socket is
closed, and jobs fail. Without such a socket, jobs connect to the cluster themselves.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import socket
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from choco_pipeline.errors import ChocoError, DisagreementError

#: Environment variable with the cluster's address, or the path of its scheduler file.
SCHEDULER = "CHOCO_SCHEDULER"
#: Socket of the relay of a run, beside its scheduler file.
SOCKET = "jobs.socket"
#: The scheduler's log topic for reports.
TOPIC = "choco-progress"
#: Whether this process is a worker of a cluster.
PROCESS = SimpleNamespace(is_worker=False)


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


#: Most jobs that wait for a connection: more than a machine runs at the same time.
BACKLOG = 1024


class RelayedError(RuntimeError):
    """An unexpected error of a task, with the traceback from its worker."""


#: The errors that a job raises, by the kind of the answer.
ERRORS = {"mistake": ChocoError, "disagreement": DisagreementError, "failure": RelayedError}


class GivenUpError(Exception):
    """Tasks were cancelled, because the job that waited for them has ended."""


#: Runs a target for each list of arguments and returns the results. The tasks are cancelled when the function returns true.
RunTasks = Callable[[str, Sequence[Sequence[Any]], Callable[[], bool]], list[Any]]


class Relay:
    """The run's side of the relay: a socket that accepts requests of jobs."""

    def __init__(self, folder: Path) -> None:
        """Open the socket; requests wait until `serve`.

        Raises `OSError` if the folder cannot have a socket.
        """
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listening.bind(str(folder / SOCKET))
            self._listening.listen(BACKLOG)
        except OSError:
            self._listening.close()
            raise

    def serve(self, run_tasks: RunTasks) -> None:
        """Answer requests, each in its own thread."""

        def accept() -> None:
            while True:
                try:
                    connection, _ = self._listening.accept()
                except OSError:  # closed
                    return
                threading.Thread(target=_answer, args=(connection, run_tasks), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def close(self) -> None:
        """Close the socket."""
        with suppress(OSError):  # only this ends a thread in accept()
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def relay_tasks(folder: Path, target: str, arguments: Sequence[Sequence[Any]]) -> Any:
    """Send tasks to the run with a socket in `folder`; return their results.

    Raises `OSError` if no run listens there, and `RelayedError` for an unexpected error of a task. Other errors are as for `call_each`.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(folder / SOCKET))
        try:
            connection.sendall(json.dumps([target, list(arguments)]).encode() + b"\n")
            line = _line(connection)
        except OSError:
            line = b""
    if not line.endswith(b"\n"):
        raise ClusterError(f"{target}: the run ended before the tasks were done")
    kind, value = json.loads(line)
    if kind in ERRORS:
        raise ERRORS[kind](value)
    return value


def _answer(connection: socket.socket, run_tasks: RunTasks) -> None:
    def is_gone() -> bool:
        """Whether the job has ended: it sends nothing after its request."""
        return bool(select.select([connection], [], [], 0)[0])

    with connection, suppress(OSError, GivenUpError):
        line = _line(connection)
        if not line.endswith(b"\n"):
            return
        target, arguments = json.loads(line)
        answer: tuple[str, Any]
        try:
            answer = "result", run_tasks(target, arguments, is_gone)
        except GivenUpError:
            raise
        except ChocoError as error:
            answer = "mistake", str(error)
        except DisagreementError as error:
            answer = "disagreement", error.args[0]
        except Exception as error:  # the job raises it
            answer = "failure", "".join(traceback.format_exception(error)).rstrip()
        connection.sendall(json.dumps(answer).encode() + b"\n")


def _line(connection: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (read := connection.recv(1 << 16)):
        line += read
    return line
