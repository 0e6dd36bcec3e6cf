"""How much time, and memory, is left for something that may be asked of far numbers.

Time is time of computing: what is found within a limit must not depend on what else the machine does.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import ParamSpec, TypeVar

import psutil

from choco_pipeline.proof.proof_errors import UndecidedError

P = ParamSpec("P")
T = TypeVar("T")
#: Steps of a loop between two looks at the clock: some milliseconds.
STEPS = 1000
GIB = 1 << 30
#: The longest time that solvers are told, in seconds: they read milliseconds as 32 bits.
MOST_SECONDS = 2e5
#: Beside other processes a second of computing takes at most so many on the clock, or else what is waited for does not compute.
MOST_CROWDED = 10.0


def computed() -> float:
    """Return the seconds of CPU that this thread has taken, and every child of its process that has ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


class OverError(UndecidedError):
    """The time or the memory is over."""


def computed_by(pid: int) -> float:
    """Return the seconds of CPU that a process, its children and theirs have taken; 0 if it has gone."""
    # A process's own, and those of its children that have ended.
    return total_of(pid, lambda process: sum(process.cpu_times()[:4]))


def total_of(pid: int, measured: Callable[[psutil.Process], float]) -> float:
    """Return the sum of what is measured of a process, its children and theirs, as far as they have not gone."""
    total = 0.0
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        for process in [parent, *parent.children(recursive=True)]:
            total += measured(process)
    return total


@dataclass(frozen=True)
class Clock:
    """So many seconds of computing in this thread and in children that it waits for, from now on.

    Automata speak of all numbers: what refutes one, or a guess, may lie at a position with more options than can be looked at.
    """

    seconds: float = inf
    started: float = field(default_factory=computed)

    @property
    def spent(self) -> float:
        """Seconds of computing since it began."""
        return computed() - self.started

    @property
    def left(self) -> float:
        """Seconds until the time is over; negative after that."""
        return self.seconds - self.spent

    @property
    def over(self) -> str:
        """That the time is over, in words."""
        return f"the {self.seconds:g} seconds are over"

    def require(self) -> None:
        """Raise `OverError` if the time is over."""
        if self.left <= 0:
            raise OverError(self.over)

    def limiting(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return the same function, which raises `UndecidedError` instead of beginning when the time is over."""

        def limited(*arguments: P.args, **named: P.kwargs) -> T:
            self.require()
            return function(*arguments, **named)

        return limited

    def limited(self, values: Iterable[T]) -> Iterator[T]:
        """Yield values as long as there is time, then raise `UndecidedError`."""
        for i, value in enumerate(values):
            if i % STEPS == 0:
                self.require()
            yield value


@dataclass(frozen=True)
class Budget(Clock):
    """So many seconds of computing, from now on, and so many GiB that this process may have in memory.

    Whoever asks often enough can say where it stood when one of them was over, which one that is ended from outside cannot.
    """

    memory: float = inf

    def require(self) -> None:
        """Raise `OverError` if the time or the memory is over."""
        super().require()
        if self.memory < inf and psutil.Process().memory_info().rss > self.memory * GIB:
            raise OverError(f"the {self.memory:g} GiB of memory are over")


def answer_within(clock: Clock, ask: Callable[[int], T], unknown: T, least: float = 0.001) -> T:
    """Return what a solver answers in the time that is left, or in the `least` that it is given.

    A solver looks at the clock on the wall. Where it gave up since others had most of that time, it is asked once more, for longer.

    `ask` is given milliseconds, and returns `unknown` when they are over.
    """
    before, seconds = clock.spent, min(max(least, clock.left), MOST_SECONDS)
    answer = ask(int(1000 * seconds))
    if answer == unknown and clock.spent - before < seconds / 2 and clock.left > 0:
        answer = ask(int(1000 * MOST_CROWDED * seconds))
    return answer


#: For what nobody waits for.
FOREVER = Clock()
