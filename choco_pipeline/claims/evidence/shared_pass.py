"""Several passes over the cells of one table, side by side, so that each part of it is read once for all of them.

Idea: a pass stops when it has looked at a part of the table, and goes on when the others have looked at theirs. Since all of
them go along the table in the same order, what one of them reads is still there when the next one asks for it. A pass over a corner
of the table goes another way, but not for long. No pass knows of the others, so that what one finds cannot depend on them.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import TypeAlias, TypeVar

_Result = TypeVar("_Result")

#: What looks at a table part by part, stops after each, and at last returns something.
Pass: TypeAlias = Generator[None, None, _Result]


def alone(reader: Pass[_Result]) -> _Result:
    """Go through a table with one pass, and return its result."""
    while True:
        try:
            next(reader)
        except StopIteration as end:
            result: _Result = end.value
            return result


def side_by_side(
    passes: Sequence[Pass[_Result]],
) -> Iterator[tuple[int, _Result, float]]:
    """Yield what passes over one table return, each when it ends: its place among them, its result, and its seconds on the clock.

    The seconds that reading a part takes are those of the first pass that asks for it.
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
