"""Function calls in a child process, under limits of time and memory.

`Limited` sends requests and `main` answers, one line of JSON each. The child is reused until it exceeds a limit; the next call then
starts a new child. This also works in a Dask worker, whose process must not have children of `multiprocessing`.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pydantic import BaseModel

from choco_pipeline.cluster.connect import PROCESS, resolve
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.clock import GIB, MOST_CROWDED, computed_by, total_of
from choco_pipeline.proof.proof_errors import UndecidedError

#: Seconds beyond the limit for a proof to report its state.
GRACE = 1.0
#: Seconds between two measurements of memory.
LOOK = 0.2
#: Largest memory in bytes of a child that a worker keeps for its next task.
MOST_KEPT = GIB // 2
#: An answer: ``result``, ``too large`` or a kind of `ERRORS`, and the value or message.
Answer = tuple[str, Any]


class OverLimitError(UndecidedError):
    """A function exceeded its limit of time or memory."""


class KilledError(UndecidedError):
    """A child was killed from outside."""


class FailedError(RuntimeError):
    """A function raised an unexpected error in the child."""


#: Errors of the child that are raised again with their message, by kind of answer.
ERRORS: Mapping[str, type[Exception]] = {
    "mistake": ChocoError,
    "disagreement": DisagreementError,
    "failure": FailedError,
}


class Limited:
    """A child process that runs functions under limits; the first call starts it.

    Parameters
    ----------
    prepare
        ``package.module:function`` that the child calls at its start, before any time limit applies.
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
        """Return the result of a module's function, as JSON data.

        Raises `OverLimitError` if a limit is exceeded; `KilledError` if the child was killed from outside twice, for example by the
        operating system for lack of memory; `ChocoError` and `DisagreementError` like the function; `FailedError` for any other error.

        Parameters
        ----------
        *arguments
            JSON data.
        what
            The subject of messages: ``the proof`` took more than ….
        seconds
            Limit of CPU time of the child and its descendants, plus `GRACE`. The child is also killed if the wall-clock time exceeds
            `MOST_CROWDED` times this limit, because it is then waiting for something.
        memory
            Limit of resident memory of the child and its descendants, in GiB.
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
            # CPU time is measured only after the limit in wall-clock time, because it is shorter.
            if waited >= limit and (
                waited >= MOST_CROWDED * limit or computed_by(child.pid) - before >= limit
            ):
                self._kill()
                raise OverLimitError(f"{what} took more than {seconds:g} seconds")
            if _resident(child.pid) > memory * GIB:
                self._kill()
                raise OverLimitError(f"{what} took more than {memory:g} GiB of memory")
        kind, value = self._answer(child, what)
        if kind == "too large":
            raise OverLimitError(f"{what} took more memory than there is")
        if kind in ERRORS:
            raise ERRORS[kind](value)
        return value

    def handed_on(self) -> Limited | None:
        """Move the child to a new `Limited`; return None for no child or a large one."""
        if self._child is None or _resident(self._child.pid) > MOST_KEPT:
            return None
        other = Limited(self._prepare)
        other._child, self._child = self._child, None
        return other

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self._kill()  # it was killed from outside after its last answer
        if self._child is None:
            # In a new session, so that its descendants are killed with it.
            self._child = subprocess.Popen(
                [sys.executable, "-m", __name__, self._prepare],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            self._answer(self._child, "the proof")
        return self._child

    def _answer(self, child: subprocess.Popen[bytes], what: str) -> Answer:
        assert child.stdout is not None
        line = child.stdout.readline()
        if line.endswith(b"\n"):
            answer: Answer = tuple(json.loads(line))
            return answer
        code = self._kill()
        if code < 0:
            name = signal.Signals(-code).name
            raise KilledError(f"{what} was killed ({name}); is there too little memory?")
        raise FailedError(f"{what}: the process that runs it ended with exit code {code}")

    def _kill(self) -> int:
        """Kill the child and its descendants; return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        with child, suppress(ProcessLookupError):  # closes its pipes and waits for its end
            os.killpg(child.pid, signal.SIGKILL)
        return child.returncode


#: Idle children of a worker, by the function that prepared them.
_kept: dict[str, list[Limited]] = defaultdict(list)


@contextmanager
def limited(prepare: str) -> Iterator[Limited]:
    """Yield a `Limited`. Workers reuse children, because a start takes two seconds.

    A child ends with the worker. It is not reused after a failed task, or if it uses much memory.
    """
    kept = _kept[prepare]
    child = Limited(prepare)
    with suppress(IndexError):
        child = kept.pop()  # atomic, so no other thread takes it
    with child:
        yield child
        if PROCESS.is_worker and (left := child.handed_on()) is not None:
            kept.append(left)


def _resident(pid: int) -> float:
    return total_of(pid, lambda process: float(process.memory_info().rss))


def main(arguments: Sequence[str]) -> None:
    """Run the child process: answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output goes to standard error
    inner, requests = os.pipe()
    threading.Thread(target=_pass_on, args=(requests,), daemon=True).start()
    resolve(arguments[0])()
    _say(answers, ("result", None))
    with os.fdopen(inner, encoding="utf-8") as lines:
        for line in lines:
            _say(answers, _result(*json.loads(line)))


def _pass_on(requests: int) -> None:
    """Forward requests; at the end of input, kill this process and its descendants."""
    while read := os.read(0, 1 << 16):
        os.write(requests, read)
    os.killpg(0, signal.SIGKILL)


def _result(target: str, arguments: Sequence[Any]) -> Answer:
    try:
        return "result", resolve(target)(*arguments)
    except ChocoError as error:
        return "mistake", str(error)
    except DisagreementError as error:
        return "disagreement", error.args[0]
    except MemoryError:
        return "too large", None
    except Exception as error:  # the parent raises `FailedError`
        return "failure", f"{type(error).__name__}: {error}"


def _say(answers: Any, answer: Answer) -> None:
    answers.write(json.dumps(answer, default=_plain) + "\n")
    answers.flush()


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    raise TypeError(f"{type(value).__name__} cannot be sent")


if __name__ == "__main__":
    main(sys.argv[1:])
