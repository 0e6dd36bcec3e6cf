"""Rational combinations of a few terms in the parameters, determined exactly by some numbers, and written as formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm

from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.mining.recurrences import combination

Point = Mapping[str, int]


@dataclass(frozen=True)
class Term:
    """An integer that depends on the parameters."""

    #: In mathematical notation; empty for 1.
    shown: str
    #: In the formula language; empty for 1, None if that language cannot express it.
    text: str | None

    def value(self, point: Point) -> int | None:
        """Return the value for some parameters; None where there is none, as for v2(0)."""
        if self.text == "":
            return 1
        assert self.text is not None
        try:
            return int(parse(self.text).value(point))
        except FormulaError:
            return None


@dataclass(frozen=True)
class Logarithm(Term):
    """The logarithm to base 2 of a parameter, rounded; the formula language has none."""

    name: str
    is_rounded_up: bool

    def value(self, point: Point) -> int | None:
        """Return the value for some parameters; None below 1."""
        if point[self.name] < 1:
            return None
        return (point[self.name] - self.is_rounded_up).bit_length() - (not self.is_rounded_up)


CONSTANT = Term("", "")


def linear(name: str) -> Term:
    """Return a parameter itself."""
    return Term(name, name)


def two_part(name: str) -> Term:
    """Return the largest power of 2 that divides a parameter."""
    return Term(f"2^v₂({name})", f"2**v2({name})")


def product_of(left: Term, right: Term) -> Term:
    """Return the product of two terms."""
    return Term(f"{left.shown}·{right.shown}", f"{left.text}*{right.text}")


def log_down(name: str) -> Term:
    """Return the logarithm to base 2, rounded down."""
    return Logarithm(f"⌊log₂ {name}⌋", None, name, is_rounded_up=False)


def log_up(name: str) -> Term:
    """Return the logarithm to base 2, rounded up."""
    return Logarithm(f"⌈log₂ {name}⌉", None, name, is_rounded_up=True)


@dataclass(frozen=True)
class Combination:
    """A sum of terms, each multiplied by a rational number."""

    #: Terms and coefficients, equal in number.
    terms: tuple[Term, ...]
    coefficients: tuple[Fraction, ...]

    def value(self, point: Point) -> Fraction | None:
        """Return the value for some parameters; None where a term that counts has none."""
        total = Fraction(0)
        for term, coefficient in zip(self.terms, self.coefficients, strict=True):
            if coefficient:
                value = term.value(point)
                if value is None:
                    return None
                total += coefficient * value
        return total

    @property
    def negated(self) -> Combination:
        """Minus this."""
        return Combination(self.terms, tuple(-c for c in self.coefficients))

    @property
    def leading(self) -> Fraction:
        """The first coefficient that is not 0, or 0."""
        return next((c for c in self.coefficients if c), Fraction(0))

    @property
    def is_constant(self) -> bool:
        """Whether it is the same number for all parameters."""
        return all(
            term == CONSTANT or not c for term, c in zip(self.terms, self.coefficients, strict=True)
        )

    @property
    def shown(self) -> str:
        """The sum in mathematical notation, such as ``(3k+7)/2``."""
        text = ""
        for term, factor in self._factors():
            size = "" if abs(factor) == 1 and term.shown else str(abs(factor))
            dot = "·" if size and term.shown and not term.shown.isalpha() else ""
            text += f"{'−' if factor < 0 else '+' if text else ''}{size}{dot}{term.shown}"
        return self._divided(text, "/")

    @property
    def text(self) -> str | None:
        """The sum in the formula language; None if that cannot express it. Quotients have no remainder."""
        text = ""
        for term, factor in self._factors():
            if term.text is None:
                return None
            parts = [str(abs(factor))] if abs(factor) != 1 or not term.text else []
            is_bare = factor == 1 or not ("/" in term.text or "%" in term.text)
            inner = term.text if is_bare else f"({term.text})"  # -s%2 would be the rest of -s
            body = "*".join([*parts, *([inner] if inner else [])])
            text += f"{'-' if factor < 0 else '+' if text else ''}{body}"
        return parse(self._divided(text, "//")).text

    def _factors(self) -> list[tuple[Term, int]]:
        pairs = zip(self.terms, self.coefficients, strict=True)
        return [(term, int(c * self._below)) for term, c in pairs if c]

    @property
    def _below(self) -> int:
        return lcm(*(c.denominator for c in self.coefficients))

    @property
    def is_in_brackets(self) -> bool:
        """Whether it is a quotient of a sum, so that its text begins with a bracket."""
        return self._below != 1 and len(self._factors()) > 1

    def _divided(self, text: str, sign: str) -> str:
        if self._below == 1:
            return text or "0"
        inner = f"({text})" if self.is_in_brackets else text
        return f"{inner}{sign}{self._below}"


def shapes_of(names: Sequence[str], points: Sequence[Point]) -> list[tuple[Term, ...]]:
    """Return possible terms of numbers that depend on several parameters, the fewest terms first.

    Terms without a value at one of the points are left out, and those that do not differ there.
    """
    terms = [linear(name) for name in names]
    terms += [Term(f"⌊{name}/2⌋", f"{name}//2") for name in names]
    terms += [Term(f"({name} mod 2)", f"{name}%2") for name in names]
    terms += [two_part(name) for name in names]
    # Before the products with a power of 2, which are the same where all parameters shown are powers of 2.
    terms += [product_of(linear(a), linear(b)) for a, b in combinations(names, 2)]
    terms += [product_of(linear(a), two_part(b)) for a in names for b in names]
    kept: list[Term] = []
    seen: set[tuple[int | None, ...]] = set()
    for term in terms:
        values = tuple(term.value(point) for point in points)
        if None not in values and len(set(values)) > 1 and values not in seen:
            seen.add(values)
            kept.append(term)
    shapes: list[tuple[Term, ...]] = [(CONSTANT,)]
    for number in (1, 2):
        chosen = list(combinations(kept, number))
        shapes += [*chosen, *((*terms, CONSTANT) for terms in chosen)]
    return shapes


def determined(
    points: Sequence[Point], numbers: Sequence[int], shapes: Sequence[tuple[Term, ...]]
) -> Iterator[Combination]:
    """Yield, shape by shape, the combination that is right at all points, if the points leave only one.

    Points are parameters, and for each a number was seen. A shape needs more points than it has terms, unless it is the
    constant alone.
    """
    known: dict[Term, list[int | None]] = {}
    for shape in shapes:
        if len(points) <= len(shape) and shape != (CONSTANT,):
            continue
        for term in shape:
            if term not in known:
                known[term] = [term.value(point) for point in points]
        if any(None in known[term] for term in shape):
            continue
        columns = [[number or 0 for number in known[term]] for term in shape]
        few = len(shape) + 1  # points, which refute most shapes
        if combination([column[:few] for column in columns], numbers[:few]) is None:
            continue
        coefficients = combination(columns, numbers, alone=True)
        if coefficients is not None:
            yield Combination(shape, tuple(coefficients))
