"""Families of short formulas: linear forms with halves, nim-sums of shifts, and how each is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import gcd
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import parse

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Length = tuple[int, int, int, str]

#: Multiples of coordinates, by the number of coordinates, and shifts in nim-sums.
MULTIPLES = {1: 4, 2: 3, 3: 2, 4: 1}
#: In linear forms of more coordinates the game's own numbers are no multiples: they would be too many.
MOST_WITH_OWN = 2
SHIFTS = {1: range(-2, 9), 2: range(-2, 9), 3: range(-2, 9), 4: range(2)}

_PARTS = re.compile(r"\w+|//|<<|>>|[<>=!]=|[-+*%^&|<>]")


class Atom(Protocol):
    """A formula that stands for itself with any constant added."""

    @property
    def size(self) -> int:
        """About how many names, numbers and operators it has."""

    def text(self, names: Sequence[str], more: int) -> str:
        """Return the formula with `more` added, in the shortest way of writing it."""


@dataclass(frozen=True)
class LinearAtom:
    """⌊(Σ a·x + constant) / divisor⌋, the divisor 1 or 2."""

    #: The numbers a, in the order of the coordinates.
    multiples: tuple[int, ...]
    divisor: int
    constant: int

    @property
    def size(self) -> int:
        """About how many names, numbers and operators it has."""
        return sum(min(abs(a), 2) * 2 for a in self.multiples) + 2 * (self.divisor - 1)

    def text(self, names: Sequence[str], more: int) -> str:
        """Return the formula with `more` added, in the shortest way of writing it."""
        constant = self.constant + more * self.divisor
        if self.divisor == 1:
            return _sum(self.multiples, names, constant)
        ways = [_half(self.multiples, names, constant)]
        whole = [a // 2 for a in self.multiples], constant // 2
        rest = [a % 2 for a in self.multiples]
        ways.append(_added(_sum(whole[0], names, whole[1]), "+", _half(rest, names, constant % 2)))
        # ⌊(c-m)/2⌋ is -⌊(m+1-c)/2⌋
        above = [-(-a // 2) for a in self.multiples]
        for kept in (0, 1):
            outside = (constant - kept + 1) // 2
            inside = _half(rest, names, 2 * outside - constant + 1)
            ways.append(_added(_sum(above, names, outside), "-", inside))
        texts = (parse(way or "0").text for way in ways)
        return min(texts, key=lambda text: (length(text)[:3], text.count("*"), text))


@dataclass(frozen=True)
class NimSumAtom:
    """The nim-sum of coordinates, each with its shift; one without a shift is no part of it."""

    shifts: tuple[int | None, ...]

    @property
    def size(self) -> int:
        """About how many names, numbers and operators it has."""
        return sum(4 if s else 2 for s in self.shifts if s is not None)

    def text(self, names: Sequence[str], more: int) -> str:
        """Return the formula with `more` added."""
        pairs = zip(names, self.shifts, strict=True)
        terms = [f"({x}{s:+d})" if s else x for x, s in pairs if s is not None]
        text = " ^ ".join(terms)
        if more:
            text = f"({text}){more:+d}" if len(terms) > 1 else f"{text}{more:+d}"
        return parse(text).text


def linear_forms(
    columns: Sequence[Ints], flags: Sequence[bool], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield linear forms of coordinates, and their halves, with their values at the points.

    Coordinates with a flag count passes, and are taken once at most. Of up to two others the game's own numbers are multiples,
    too.
    """
    most = MULTIPLES[max(1, flags.count(False))]
    several = set(range(-most, most + 1))
    if flags.count(False) <= MOST_WITH_OWN:
        several |= {*own, *(-number for number in own)}
    for multiples in product(*(range(-1, 2) if f else sorted(several) for f in flags)):
        total = np.zeros(columns[0].shape, np.int64)
        for a, x in zip(multiples, columns, strict=True):
            total += a * x
        yield LinearAtom(multiples, 1, 0), total
        if any(a % 2 for a in multiples):
            for constant in (0, 1):
                yield LinearAtom(multiples, 2, constant), (total + constant) // 2


def nim_sums(
    columns: Sequence[Ints], flags: Sequence[bool], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield nim-sums of shifted coordinates with their values at the points.

    Coordinates with a flag count passes: they are not shifted, and may be left out. Up to three others are shifted by the
    game's own numbers, too.
    """
    shifts = sorted(SHIFTS[max(1, flags.count(False))], key=abs)
    if flags.count(False) < len(SHIFTS):
        shifts = sorted({*shifts, *own, *(-number for number in own)}, key=abs)
    for chosen in product(*((0, None) if flag else shifts for flag in flags)):
        shifted = [x + s for x, s in zip(columns, chosen, strict=True) if s is not None]
        if shifted:
            yield NimSumAtom(chosen), reduce(np.bitwise_xor, shifted)


def length(text: str) -> Length:
    """Return a sort key: the numbers of names, numbers and operators together, of names, and of characters.

    Examples
    --------
    >>> length("min(x, y+1) == 0")[:3]
    (7, 3, 16)
    """
    parts = _PARTS.findall(text)
    return len(parts), sum(part[0].isalpha() for part in parts), len(text), text


def _half(multiples: Sequence[int], names: Sequence[str], constant: int) -> str:
    """Return ⌊(Σ a·x + constant)/2⌋ as text, with a common factor in front; empty if it is 0."""
    common = gcd(*multiples, constant)
    if not common or (not any(multiples) and constant in (0, 1)):
        return ""
    inner = [a // common for a in multiples]
    text = _sum(inner, names, constant // common)
    alone = sum(map(abs, inner)) == 1 and constant == 0 and max(inner) == 1
    text = text if alone else f"({text})"
    return f"{common}*{text}//2" if common > 1 else f"{text}//2"


def _sum(multiples: Sequence[int], names: Sequence[str], constant: int) -> str:
    """Return Σ a·x + constant as text, positive terms before negative ones."""
    pairs = [*zip(multiples, names, strict=True), (constant, "")]
    text = ""
    for a, name in sorted((pair for pair in pairs if pair[0]), key=lambda pair: pair[0] < 0):
        term = name if name and abs(a) == 1 else f"{abs(a)}*{name}" if name else f"{abs(a)}"
        text += (("+" if text else "") if a > 0 else "-") + term
    return text or "0"


def _added(first: str, sign: str, second: str) -> str:
    """Return a sum or a difference of two texts, of which either may say 0."""
    if not second:
        return first
    return f"{first}{sign}{second}" if first != "0" else second if sign == "+" else f"-({second})"
