"""Relay of a run: its jobs send their tasks through the run to the cluster.

A client takes half a second to import `distributed`, and more to connect. A run is connected already, and has dozens of jobs.
Therefore the run listens at a socket in a private folder. A job sends a line of JSON with a target and the arguments of each task,
and receives a line when all tasks have ended. If the job ends early, its tasks are cancelled. If the run ends, the socket is
closed, and jobs fail.

Without such a socket, jobs connect to the cluster themselves.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from choco_pipeline.cluster.connect import SOCKET, ClusterError
from choco_pipeline.errors import ChocoError, DisagreementError

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

    Raises `OSError` if no run listens there, and `RelayedError` for an unexpected error of a task. Other errors are as for
    `choco_pipeline.cluster.connect.call_each`.
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
