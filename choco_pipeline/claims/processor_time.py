"""A limit on the processor time of trials."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from choco_pipeline.errors import LimitError

#: Seconds until the clock rings again after ringing during an import.
AGAIN = 0.01


class OverTimeError(LimitError):
    """A time limit was exceeded."""


class _Rung(BaseException):
    """The end of the time; not an `Exception`, so that no handler catches it."""


class ProcessorTime:
    """Processor time that is left for work in the main thread.

    Processor time makes verdicts independent of the load of the machine. `more` is a hint at the end of the error message.
    """

    def __init__(self, seconds: float, more: str) -> None:
        self._seconds = self._left = seconds
        self._more = more
        self._is_counting = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time of a piece of work.

        Raises `OverTimeError` when no seconds are left.
        """
        before = signal.signal(signal.SIGPROF, self._ring)
        try:
            self._is_counting = True
            try:
                if self._left <= 0:
                    raise _Rung
                signal.setitimer(signal.ITIMER_PROF, self._left)
                yield
            finally:
                self._is_counting = False
        except _Rung:
            why = f"it takes more than {self._seconds:g} s of a processor; {self._more}"
            raise OverTimeError(why) from None
        finally:
            self._left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                # A module with an interrupted import cannot be used any more.
                signal.setitimer(signal.ITIMER_PROF, AGAIN)
                return
            frame = frame.f_back
        if self._is_counting:
            raise _Rung
