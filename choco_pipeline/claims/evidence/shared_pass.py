"""Passes over one table, side by side, so that each part is read once.

A pass stops after each part of the table, and continues when the others have read theirs. All go along the table in the same
order, so a part that one of them reads is still cached when the next one asks for it. A pass over a corner of the table
diverges, but not for long. Passes do not know each other, so a result cannot depend on the others.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import TypeAlias, TypeVar

_Result = TypeVar("_Result")

#: A generator that reads a table part by part, yields after each, and returns a result.
Pass: TypeAlias = Generator[None, None, _Result]


def alone(reader: Pass[_Result]) -> _Result:
    """Run one pass over a table, and return its result."""
    while True:
        try:
            next(reader)
        except StopIteration as end:
            result: _Result = end.value
            return result


def side_by_side(
    passes: Sequence[Pass[_Result]],
) -> Iterator[tuple[int, _Result, float]]:
    """Run passes over one table together, and yield each result when it is there.

    A result comes with the index of its pass and its seconds on the clock. The first pass that asks for a part pays for reading.
    """
    seconds = [0.0] * len(passes)
    left = list(range(len(passes)))
    while left:
        for i in left.copy():
            start = time.perf_counter()
            try:
                next(passes[i])
            except StopIteration as end:
                left.remove(i)
                yield i, end.value, seconds[i] + time.perf_counter() - start
            else:
                seconds[i] += time.perf_counter() - start
