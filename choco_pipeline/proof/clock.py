"""Limits of CPU time and of memory.

CPU time makes results independent of other processes on the machine.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import TypeVar

import psutil

from choco_pipeline.proof.proof_errors import UndecidedError

T = TypeVar("T")
#: Loop iterations between two checks of the clock, some milliseconds.
STEPS = 1000
GIB = 1 << 30
#: Longest time limit for solvers in seconds: they store milliseconds in 32 bits.
MOST_SECONDS = 2e5
#: Largest ratio of wall-clock time to CPU time on a busy machine. A larger ratio means that a process is waiting.
MOST_CROWDED = 10.0


def computed() -> float:
    """Return the CPU seconds of this thread and of terminated child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


class OverError(UndecidedError):
    """The limit of time or memory is reached."""


def computed_by(pid: int) -> float:
    """Return the CPU seconds of a process and its descendants; 0 if it has ended."""
    return total_of(pid, lambda process: sum(process.cpu_times()[:4]))


def total_of(pid: int, measured: Callable[[psutil.Process], float]) -> float:
    """Return the sum of a measurement over a process and its descendants."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        for process in [parent, *parent.children(recursive=True)]:
            total += measured(process)
    return total


@dataclass(frozen=True)
class Clock:
    """A limit of CPU time for this thread and its terminated child processes."""

    seconds: float = inf
    started: float = field(default_factory=computed)

    @property
    def spent(self) -> float:
        """CPU seconds since the start."""
        return computed() - self.started

    @property
    def left(self) -> float:
        """CPU seconds left; negative after the limit."""
        return self.seconds - self.spent

    @property
    def over(self) -> str:
        """The message for a reached time limit."""
        return f"the {self.seconds:g} seconds are over"

    def require(self) -> None:
        """Raise `OverError` if the time is over."""
        if self.left <= 0:
            raise OverError(self.over)

    def limited(self, values: Iterable[T]) -> Iterator[T]:
        """Yield the values; raise `OverError` if the time is over."""
        for i, value in enumerate(values):
            if i % STEPS == 0:
                self.require()
            yield value


@dataclass(frozen=True)
class Budget(Clock):
    """Limits of CPU time, from now on, and of memory of this process in GiB.

    A search that checks its budget can report its state. A killed process cannot.
    """

    memory: float = inf

    def require(self) -> None:
        """Raise `OverError` if the time or the memory is over."""
        super().require()
        if self.memory < inf and psutil.Process().memory_info().rss > self.memory * GIB:
            raise OverError(f"the {self.memory:g} GiB of memory are over")


def answer_within(clock: Clock, ask: Callable[[int], T], unknown: T, least: float = 0.001) -> T:
    """Return a solver's answer within the remaining time, at least `least` seconds.

    `ask` takes a limit in wall-clock milliseconds and returns `unknown` when it is reached. If other processes used most of that time,
    `ask` is called once more with a longer limit.
    """
    before, seconds = clock.spent, min(max(least, clock.left), MOST_SECONDS)
    answer = ask(int(1000 * seconds))
    if answer == unknown and clock.spent - before < seconds / 2 and clock.left > 0:
        answer = ask(int(1000 * MOST_CROWDED * seconds))
    return answer


#: No limit.
FOREVER = Clock()
