"""Sequences given by the binary digits of places: powers with the number of ones, sums with it and the length.

Where each binary digit is chosen by itself, numbers of choices are powers: of three heaps with nim-sum 0 and 2n stones, each
binary one of n is in two of the heaps, so that there are 3^popcount(n) of them. Where there is one position for each power of
2, the numbers up to n grow as bits(n) does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm

from choco_pipeline.mining.number_sequences.recurrences import (
    PRINTED,
    Signs,
    combination,
    sum_text,
)

#: Functions of a place, by their names in formulas.
DIGIT_FUNCTIONS: Mapping[str, Callable[[int], int]] = {
    "bits": int.bit_length,
    "popcount": int.bit_count,
}
#: The same in words.
MEANINGS: Mapping[str, str] = {
    "bits": "the number of binary digits",
    "popcount": "the number of binary ones",
}
#: Places m·n + r are tried with m up to the one and r below the other.
LARGEST_STEP, LARGEST_OFFSET = 4, 8
#: Fewest terms at the places m·n + r: the first two determine c and b, all others test them.
FEWEST_POWERS = 8
#: Number of terms that determine a sum; at least as many others test it.
LEARNT = 16
#: How many m and r are tried, and sums.
CANDIDATES = LARGEST_STEP * LARGEST_OFFSET + 1


@dataclass(frozen=True)
class PowersOfOnes:
    """Terms are c·b^popcount(n) at the places m·n + r, and 0 at all others but those before the first."""

    #: m and r.
    step: int
    offset: int
    #: c and b.
    factor: int
    base: int

    #: Of how many terms it was made.
    learnt = 2
    functions = ("popcount",)

    def value(self, place: int) -> int | None:
        """Return the term at a place; None where nothing is said."""
        n, rest = divmod(place - self.offset, self.step)
        if rest:
            return 0
        return None if n < 0 else self.factor * int(self.base ** n.bit_count())

    def equations(self, first: int, letter: str, n: str, signs: Signs = PRINTED) -> Iterator[str]:
        """Yield the equations of a sequence, given the place of its first term.

        Examples
        --------
        >>> print(*PowersOfOnes(2, 0, 1, 3).equations(0, "g", "n"), sep=", ")
        g(2·n) = 3^popcount(n), g(2·n+1) = 0
        """
        power = sum_text([(self.factor, f"{self.base}{signs.to_the}popcount({n})")], signs)
        multiple = sum_text([(self.step, n)], signs)
        others = [place for place in range(first, first + self.step) if self.value(place) == 0]
        for place, right in ((self.offset, power), *((place, "0") for place in others)):
            yield f"{letter}({multiple}{f'+{place}' if place else ''}) {signs.equals} {right}"


@dataclass(frozen=True)
class SumOfDigits:
    """Terms are sums of multiples of 1, n, bits(n) and popcount(n), one of the last two among them."""

    #: Of these four, in this order; those at the end that are 0 may be missing.
    factors: tuple[Fraction, ...]

    learnt = LEARNT

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions in it."""
        return tuple(
            name for name, factor in zip(DIGIT_FUNCTIONS, self.factors[2:], strict=False) if factor
        )

    def value(self, place: int) -> Fraction:
        """Return the term at a place."""
        return sum((f * v for f, v in zip(self.factors, _values(place), strict=False)), Fraction(0))

    def equations(self, first: int, letter: str, n: str, signs: Signs = PRINTED) -> Iterator[str]:
        """Yield the equation of a sequence.

        Examples
        --------
        >>> print(*SumOfDigits((Fraction(1, 2), Fraction(0), Fraction(1))).equations(0, "g", "n"))
        2·g(n) = 2·bits(n) + 1
        """
        whole = lcm(*(factor.denominator for factor in self.factors))
        names = ["", n, *(f"{name}({n})" for name in DIGIT_FUNCTIONS)]
        pairs = zip(self.factors, names, strict=False)
        terms = [(int(f * whole), name) for f, name in pairs if f]
        left = sum_text([(whole, f"{letter}({n})")], signs)
        yield f"{left} {signs.equals} {sum_text(terms[::-1], signs)}"


def digit_form(first: int, terms: Sequence[int]) -> PowersOfOnes | SumOfDigits | None:
    """Return a form of the terms a(first), a(first+1), …, if they are such powers or sums.

    Examples
    --------
    >>> digit_form(0, [0 if m % 3 else 4 ** (m // 3).bit_count() for m in range(30)])
    PowersOfOnes(step=3, offset=0, factor=1, base=4)
    >>> print(*digit_form(1, [n + n.bit_length() for n in range(1, 40)]).equations(1, "g", "n"))
    g(n) = bits(n) + n
    """
    return _powers(first, terms) or _sums(first, terms)


def _powers(first: int, terms: Sequence[int]) -> PowersOfOnes | None:
    for step, offset in product(range(1, LARGEST_STEP + 1), range(LARGEST_OFFSET)):
        own = terms[offset - first :: step] if offset >= first else ()
        if len(own) < FEWEST_POWERS or own[0] < 1 or own[1] % own[0] or own[1] // own[0] < 2:
            continue
        powers = PowersOfOnes(step, offset, own[0], own[1] // own[0])
        if all(powers.value(first + i) in (None, term) for i, term in enumerate(terms)):
            return powers
    return None


def _sums(first: int, terms: Sequence[int]) -> SumOfDigits | None:
    if len(terms) < 2 * LEARNT:
        return None
    places = range(first, first + LEARNT)
    columns = list(zip(*map(_values, places), strict=True))
    factors = combination(columns, terms[:LEARNT])
    if factors is None or not any(factors[2:]):
        return None
    digits = SumOfDigits(tuple(factors))
    is_right = all(digits.value(first + i) == term for i, term in enumerate(terms))
    return digits if is_right else None


def _values(place: int) -> tuple[int, ...]:
    return (1, place, *(function(place) for function in DIGIT_FUNCTIONS.values()))
