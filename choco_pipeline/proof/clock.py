"""Clocks of computing time, and budgets of time and memory.

Time is CPU time, so that results within a limit do not depend on other work of the machine.
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
#: Steps of a loop between two checks of the clock: some milliseconds.
STEPS = 1000
GIB = 1 << 30
#: The longest time limit for solvers in seconds, because they read milliseconds as 32 bits.
MOST_SECONDS = 2e5
#: Seconds on the clock for a second of computing beside other processes; more means that a process does not compute.
MOST_CROWDED = 10.0


def computed() -> float:
    """Return the CPU seconds of this thread and of the ended children of its process."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


class OverError(UndecidedError):
    """The time or the memory is over."""


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
    """A limit of computing time of this thread and of children it waits for.

    Automata are about all numbers, so that a counterexample may be a position with more options than can be tried.
    """

    seconds: float = inf
    started: float = field(default_factory=computed)

    @property
    def spent(self) -> float:
        """Seconds of computing since the start."""
        return computed() - self.started

    @property
    def left(self) -> float:
        """Seconds until the time is over; negative after that."""
        return self.seconds - self.spent

    @property
    def over(self) -> str:
        """The message that the time is over."""
        return f"the {self.seconds:g} seconds are over"

    def require(self) -> None:
        """Raise `OverError` if the time is over."""
        if self.left <= 0:
            raise OverError(self.over)

    def limited(self, values: Iterable[T]) -> Iterator[T]:
        """Yield values; raise `UndecidedError` if the time is over."""
        for i, value in enumerate(values):
            if i % STEPS == 0:
                self.require()
            yield value


@dataclass(frozen=True)
class Budget(Clock):
    """Limits of computing time, from now on, and of memory of this process in GiB.

    A search that checks them can report its state, unlike one that is ended from outside.
    """

    memory: float = inf

    def require(self) -> None:
        """Raise `OverError` if the time or the memory is over."""
        super().require()
        if self.memory < inf and psutil.Process().memory_info().rss > self.memory * GIB:
            raise OverError(f"the {self.memory:g} GiB of memory are over")


def answer_within(clock: Clock, ask: Callable[[int], T], unknown: T, least: float = 0.001) -> T:
    """Return a solver's answer within the time left, or `least` seconds.

    `ask` is given milliseconds on the wall clock, and returns `unknown` when they are over. If other processes had most of that
    time, the solver is asked once more, for longer.
    """
    before, seconds = clock.spent, min(max(least, clock.left), MOST_SECONDS)
    answer = ask(int(1000 * seconds))
    if answer == unknown and clock.spent - before < seconds / 2 and clock.left > 0:
        answer = ask(int(1000 * MOST_CROWDED * seconds))
    return answer


#: No limit.
FOREVER = Clock()
