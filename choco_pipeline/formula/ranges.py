"""Ranges of integers: ``0..k-1``, ``2..16 step 2``, or a single formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula.formula import Formula, parse
from choco_pipeline.formula.nodes import FormulaError

_RANGE = re.compile(r"(?P<first>.+?)\.\.(?P<last>.+?)(?:\s+step\s+(?P<step>.+))?")


#: How far from 0 the ends of ranges may be on arrays: their difference then fits in 64 bits.
_FARTHEST = 2**61


@dataclass(frozen=True)
class Range:
    """The integers from `first` to `last`, both included, as formulas."""

    #: Both ends; they are the same formula where a single integer is meant.
    first: Formula
    last: Formula
    #: None for 1.
    step: Formula | None = None

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The canonical text: ``parse_range(r.text) == r``."""
        if self.step is None:
            is_single = self.first == self.last
            return self.first.text if is_single else f"{self.first}..{self.last}"
        return f"{self.first}..{self.last} step {self.step}"

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that need a value."""
        parts = (self.first, self.last, *([self.step] if self.step else []))
        return frozenset().union(*(part.names for part in parts))

    def values(self, env: Mapping[str, int]) -> range:
        """Return the integers, given one for every name.

        Raises `FormulaError` if a formula has no value, or the step is less than 1.

        Examples
        --------
        >>> list(parse_range("1..k step 2").values({"k": 6}))
        [1, 3, 5]
        """
        step = 1 if self.step is None else int(self.step.value(env))
        if self.step is not None and step < 1:
            problem = f"the step of a range is at least 1, found {step}"
            raise FormulaError(problem, self.step.source, 1)
        return range(int(self.first.value(env)), int(self.last.value(env)) + 1, step)

    def evaluate(self, env: Mapping[str, NDArray[np.int64]]) -> tuple[NDArray[np.int64], ...]:
        """Return first integer, step and number of integers at points.

        The arrays are flat and of one length.

        Raises `FormulaError` as `values` does, if a point of the arrays would; and if an end is more than 2**61 from 0.
        """
        shape = (next(iter(env.values())).size,) if env else (1,)
        ones = np.ones(shape, np.int64)
        first = self.first.evaluate(env) * ones
        last = self.last.evaluate(env) * ones
        step = ones if self.step is None else self.step.evaluate(env) * ones
        if self.step is not None and step.size and step.min() < 1:
            problem = f"the step of a range is at least 1, found {step.min()}"
            raise FormulaError(problem, self.step.source, 1)
        for formula, ends in ((self.first, first), (self.last, last)):
            far = ends[(ends < -_FARTHEST) | (ends > _FARTHEST)]
            if far.size:
                problem = f"the ends of a range are at most {_FARTHEST} from 0, found {far[0]}"
                raise FormulaError(problem, formula.source, 1)
        return first, step, np.maximum((last - first) // step + 1, 0)


def parse_range(text: str, names: Collection[str] | None = None) -> Range:
    """Read ``first..last``, ``first..last step n`` or a single integer.

    Columns in errors count in the text.

    By default any names may occur. Raises `FormulaError` if a part is no integer formula.

    Examples
    --------
    >>> parse_range("2 .. 16 step 2").text
    '2..16 step 2'
    >>> parse_range("k * t").text
    'k*t'
    """
    parts = _RANGE.fullmatch(text)
    if parts is None:
        single = _integer(text, 0, names)
        return Range(single, single)

    def part(key: str) -> Formula:
        return _integer(parts[key], parts.start(key), names)

    return Range(part("first"), part("last"), part("step") if parts["step"] else None)


def _integer(text: str, start: int, names: Collection[str] | None) -> Formula:
    # Spaces in front, so that columns count in the whole text.
    formula = parse(" " * start + text, names)
    if formula.is_truth:
        problem = f"{text.strip()!r} is true or false, an integer is needed"
        raise FormulaError(problem, formula.source, start + 1)
    return formula
