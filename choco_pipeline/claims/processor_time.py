"""Seconds of a processor that work may take: who tries what somebody has written waits for its end, and no longer."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from choco_pipeline.errors import LimitError

#: Seconds after which the clock rings again that has rung during an import.
AGAIN = 0.01


class OverTimeError(LimitError):
    """Something takes longer than it may."""


class _Rung(BaseException):
    """Raised wherever the work is: no mistake of anything that it passes through."""


class ProcessorTime:
    """Seconds of this process's own work that are left, for several pieces of work, in the main thread.

    They are of a processor, so that no verdict depends on what else the machine does.

    An error says what gives `more`.
    """

    def __init__(self, seconds: float, more: str) -> None:
        self._seconds = self._left = seconds
        self._more = more
        self._is_counting = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a piece of work, and end it with `OverTimeError` when no seconds are left."""
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
                # A module whose import is ended half-way cannot be used any more.
                signal.setitimer(signal.ITIMER_PROF, AGAIN)
                return
            frame = frame.f_back
        if self._is_counting:
            raise _Rung
