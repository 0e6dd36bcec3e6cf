"""How much time, and memory, is left for something that may be asked of far numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
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


class OverError(UndecidedError):
    """The time or the memory is over."""


@dataclass(frozen=True)
class Clock:
    """So many seconds, from now on.

    Automata speak of all numbers: what refutes one, or a guess, may lie at a position with more options than can be looked at.
    """

    seconds: float = inf
    started: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

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
    """So many seconds, from now on, and so many GiB that this process may have in memory.

    Whoever asks often enough can say where it stood when one of them was over, which one that is ended from outside cannot.
    """

    memory: float = inf

    def require(self) -> None:
        """Raise `OverError` if the time or the memory is over."""
        super().require()
        if self.memory < inf and psutil.Process().memory_info().rss > self.memory * GIB:
            raise OverError(f"the {self.memory:g} GiB of memory are over")


#: For what nobody waits for.
FOREVER = Clock()
