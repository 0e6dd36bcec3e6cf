"""Limits of time and memory for functions, which run in a child process.

`Limited` asks and `main` answers, one line of JSON each. The child answers until a limit is broken; the next call then starts
another. It works inside of a Dask worker, whose process may have no children of `multiprocessing`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal

from pydantic import BaseModel

from choco_pipeline.cluster.connect import PROCESS, resolve
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.clock import GIB, MOST_CROWDED, computed_by, total_of
from choco_pipeline.proof.proof_errors import UndecidedError

#: Seconds beyond its limit in which a proof may still report its state.
GRACE = 1.0
#: Seconds between two measurements of memory.
LOOK = 0.2
#: Bytes in memory of a child that a worker keeps for its next task.
MOST_KEPT = GIB // 2
#: Kind of an answer, beside its value or message.
Kind = Literal["result", "mistake", "too large", "disagreement", "failure"]


class OverLimitError(UndecidedError):
    """A function took more time or memory than allowed."""


class KilledError(UndecidedError):
    """A child was killed from outside."""


class FailedError(RuntimeError):
    """A function raised an unexpected error in the child."""


class Limited:
    """A child process that runs functions under limits; the first call starts it.

    Parameters
    ----------
    prepare
        ``package.module:function`` that the child calls when it starts, before any clock runs.
    """

    def __init__(self, prepare: str) -> None:
        #: Whether a call has ended with `KilledError`.
        self.was_killed = False
        self._prepare = prepare
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Limited:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()

    def call(
        self,
        function: Callable[..., Any],
        /,
        *arguments: Any,
        what: str,
        seconds: float,
        memory: float,
    ) -> Any:
        """Return the result of a function of a module, as plain data.

        Raises `OverLimitError` if a limit is broken; `KilledError` if the child was killed from outside twice, as a machine without
        memory does; `ChocoError` and `DisagreementError` as the function raised them; `FailedError` if it raised anything
        else.

        Parameters
        ----------
        *arguments
            Plain data for JSON.
        what
            The subject of messages: ``the proof`` took more than ….
        seconds
            The child is killed when it and its own children have computed `GRACE` longer, or when `MOST_CROWDED` times as long has
            passed on the clock, because it waits for something then.
        memory
            The child is killed when it and its own children together have more GiB of memory resident.
        """
        request = [f"{function.__module__}:{function.__qualname__}", arguments]
        try:
            with suppress(KilledError):
                return self._call(request, what, seconds, memory)
            return self._call(request, what, seconds, memory)
        except KilledError:
            self.was_killed = True
            raise

    def _call(self, request: Sequence[Any], what: str, seconds: float, memory: float) -> Any:
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):  # killed: there is no answer
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
        limit = seconds + GRACE
        begun, before = time.monotonic(), computed_by(child.pid)
        while not select.select([child.stdout], [], [], LOOK)[0]:
            waited = time.monotonic() - begun
            # It cannot have computed longer than it was waited for.
            if waited >= limit and (
                waited >= MOST_CROWDED * limit or computed_by(child.pid) - before >= limit
            ):
                self._kill()
                raise OverLimitError(f"{what} took more than {seconds:g} seconds")
            if _resident(child.pid) > memory * GIB:
                self._kill()
                raise OverLimitError(f"{what} took more than {memory:g} GiB of memory")
        match self._answer(child, what):
            case "mistake", why:
                raise ChocoError(why)
            case "too large", _:
                raise OverLimitError(f"{what} took more memory than there is")
            case "disagreement", why:
                raise DisagreementError(why)
            case "failure", why:
                raise FailedError(why)
            case _, result:
                return result

    def handed_on(self) -> Limited | None:
        """Return another owner of the child; None without a child or with a large one."""
        if self._child is None or _resident(self._child.pid) > MOST_KEPT:
            return None
        other = Limited(self._prepare)
        other._child, self._child = self._child, None
        return other

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self._kill()  # killed from outside since it answered
        if self._child is None:
            # A session of its own, so that its own children are killed with it.
            self._child = subprocess.Popen(
                [sys.executable, "-m", __name__, self._prepare],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._answer(self._child, "the proof")
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], what: str) -> tuple[Kind, Any]:
        assert child.stdout is not None
        line = child.stdout.readline()
        if line.endswith(b"\n"):
            kind, value = json.loads(line)
            return kind, value
        code = self._kill()
        if code < 0:
            name = signal.Signals(-code).name
            raise KilledError(f"{what} was killed ({name}); is there too little memory?")
        raise FailedError(f"{what}: the process that runs it ended with exit code {code}")

    def _kill(self) -> int:
        """Kill the child and its own children, and return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            pipe.close()
        return child.wait()


#: Children of a worker that are kept for its next task, by the function that prepared them.
_kept: dict[str, list[Limited]] = defaultdict(list)


@contextmanager
def limited(prepare: str) -> Iterator[Limited]:
    """Yield a `Limited`; a worker reuses children, because a start takes two seconds.

    A child ends with the worker. It is not kept if a task fails, or if it has become large.
    """
    kept = _kept[prepare]
    try:
        child = kept.pop()  # atomic, so no other thread takes it
    except IndexError:
        child = Limited(prepare)
    with child:
        yield child
        if PROCESS.is_worker and (left := child.handed_on()) is not None:
            kept.append(left)


def _resident(pid: int) -> float:
    """Return the bytes in memory of a process and its descendants."""
    return total_of(pid, lambda process: float(process.memory_info().rss))


def main(arguments: Sequence[str]) -> None:
    """Answer requests until there are no more: the program that `Limited` starts."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output is no answer
    inner, requests = os.pipe()
    threading.Thread(target=_pass_on, args=(requests,), daemon=True).start()
    resolve(arguments[0])()
    _say(answers, ("result", None))
    with os.fdopen(inner, encoding="utf-8") as lines:
        for line in lines:
            _say(answers, _result(*json.loads(line)))


def _pass_on(requests: int) -> None:
    """Hand requests over; at their end, kill this process and its children."""
    while read := os.read(0, 1 << 16):
        os.write(requests, read)
    os.killpg(0, signal.SIGKILL)


def _result(target: str, arguments: Sequence[Any]) -> tuple[Kind, Any]:
    try:
        return "result", resolve(target)(*arguments)
    except ChocoError as error:
        return "mistake", str(error)
    except DisagreementError as error:
        return "disagreement", error.args[0]
    except MemoryError:
        return "too large", None
    except Exception as error:  # the parent raises it
        return "failure", f"{type(error).__name__}: {error}"


def _say(answers: Any, answer: tuple[Kind, Any]) -> None:
    answers.write(json.dumps(answer, default=_plain) + "\n")
    answers.flush()


def _plain(value: object) -> object:
    """Return a typed result as plain data."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    raise TypeError(f"{type(value).__name__} cannot be sent")


if __name__ == "__main__":
    main(sys.argv[1:])
