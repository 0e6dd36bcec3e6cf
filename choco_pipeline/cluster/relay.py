"""Relay of a run: jobs hand their tasks to the run that started them.

A client takes half a second to import `distributed`, and more to connect. A run has dozens of jobs, and is connected already.
Therefore it listens at a socket in a folder that no other user may enter. A job sends one line of JSON, with a target and the
arguments of each task, and receives another when all tasks have ended. If the job goes away, its tasks are given up. If the run
goes away, the socket is closed, and jobs end with an error.

Without a socket, or without a run that listens there, jobs are ordinary clients.
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

#: Jobs that may wait until the run listens: more than one machine starts at the same time.
BACKLOG = 1024


class RelayedError(RuntimeError):
    """Any other error of a task, with the traceback from its worker."""


#: The errors that a job raises, by the word in the answer.
ERRORS = {"mistake": ChocoError, "disagreement": DisagreementError, "failure": RelayedError}


class GivenUpError(Exception):
    """Tasks were given up, because the job that waited for them is gone."""


#: Runs a target for each list of arguments and returns the results; the tasks are given up when the function returns true.
RunTasks = Callable[[str, Sequence[Sequence[Any]], Callable[[], bool]], list[Any]]


class Relay:
    """The run's end: a socket at which jobs ask."""

    def __init__(self, folder: Path) -> None:
        """Open the socket; jobs are answered after `serve`.

        Raises `OSError` if there can be no socket in the folder.
        """
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listening.bind(str(folder / SOCKET))
            self._listening.listen(BACKLOG)
        except OSError:
            self._listening.close()
            raise

    def serve(self, run_tasks: RunTasks) -> None:
        """Answer jobs, each in its own thread."""
        threading.Thread(target=self._serve, args=(run_tasks,), daemon=True).start()

    def close(self) -> None:
        """Close the socket."""
        with suppress(OSError):  # a thread that waits for the next job ends only so
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self, run_tasks: RunTasks) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:  # closed
                return
            threading.Thread(target=_answer, args=(connection, run_tasks), daemon=True).start()


def relay_tasks(folder: Path, target: str, arguments: Sequence[Sequence[Any]]) -> Any:
    """Ask the run with a socket in a folder to run a task for each argument list.

    Raises `OSError` if no run listens there; `ClusterError`, `ChocoError` or `DisagreementError` as for
    `choco_pipeline.cluster.connect.call`; `RelayedError` if the task raised anything else.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(folder / SOCKET))
        try:
            connection.sendall(json.dumps([target, list(arguments)]).encode() + b"\n")
            line = _line(connection)
        except OSError:
            line = b""
    if not line.endswith(b"\n"):
        raise ClusterError(f"{target}: the run went away before its tasks were done")
    kind, value = json.loads(line)
    if kind in ERRORS:
        raise ERRORS[kind](value)
    return value


def _answer(connection: socket.socket, run_tasks: RunTasks) -> None:
    def is_gone() -> bool:
        """Check whether the job has gone; a living one is silent after its question."""
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
        except Exception as error:  # which the job raises
            answer = "failure", "".join(traceback.format_exception(error)).rstrip()
        connection.sendall(json.dumps(answer).encode() + b"\n")


def _line(connection: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (read := connection.recv(1 << 16)):
        line += read
    return line
