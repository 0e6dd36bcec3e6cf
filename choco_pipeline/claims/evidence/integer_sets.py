"""Sets of integers that satisfy a condition on `v`.

The question is which member, of any size and sign, is not among given integers. The integers of one sign are searched
outwards from 0, in intervals. An interval throughout which the condition is false is skipped, whatever its length. Thus the
last, infinite one can end the search. Other intervals are halved, down to single integers. Interval arithmetic guarantees
that skipped intervals hold no member, and evaluation that the result is one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import count
from math import inf

import numpy as np

from choco_pipeline.errors import LimitError
from choco_pipeline.formula import Formula
from choco_pipeline.tables.cells import Ints, holds_at

#: Intervals of one search: some seconds of work.
MOST_INTERVALS = 1 << 17


@dataclass(frozen=True)
class IntegerSet:
    """The integers that satisfy a condition."""

    #: A truth with no name but `v`.
    condition: Formula

    def up_to(self, size: int) -> Ints:
        """Return the members from -`size` to `size`, ascending."""
        candidates = np.arange(-size, size + 1)
        return candidates[holds_at(self.condition, {"v": candidates})]

    def first_outside(self, others: Collection[int]) -> int | None:
        """Return the member nearest to 0 that is not among given integers, if any.

        Of two, the negative one is returned. Raises `LimitError` if `MOST_INTERVALS` intervals are not enough, and `FormulaError`
        if the condition has no value at a candidate.
        """
        nearest = [self._nearest_outside(others, sign) for sign in (-1, 1)]
        return min((v for v in nearest if v is not None), key=lambda v: (abs(v), v), default=None)

    @property
    def is_empty(self) -> bool:
        """Whether no integer is a member; raises as `first_outside` does."""
        return self.first_outside(()) is None

    def _nearest_outside(self, others: Collection[int], sign: int) -> int | None:
        """Return the nearest member of a sign, 0 being positive, not among the others."""
        waiting: list[tuple[int, int | float]] = [(0 if sign > 0 else 1, inf)]
        visited = 0
        while waiting:
            near, far = waiting.pop()
            visited += 1
            if visited > MOST_INTERVALS:
                raise LimitError(
                    f"{self.condition}: whether an integer {'above' if sign > 0 else 'below'} {sign * near:,} satisfies"
                    f" it is not known, after {MOST_INTERVALS:,} intervals"
                )
            low, high = sorted((sign * near, sign * far))
            match self.condition.throughout("v", low, high):
                case True:
                    size = next(size for size in count(near) if sign * size not in others)
                    if size <= far:
                        return sign * size
                case None:
                    middle = 2 * near + 1 if far == inf else (near + int(far)) // 2
                    waiting += [(middle + 1, far), (near, middle)]
                case False:
                    pass
        return None
