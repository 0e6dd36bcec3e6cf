"""Linear combinations of names, plus a constant.

Names are parameters, coordinates (`variable`) and counters. A name may also be a product of names, such as ``k*position(x)``. In this
package, a sum is called natural if its value is at least 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import mul
from typing import Any

from choco_pipeline.proof.proof_errors import FamilyError

#: Separator of the sorted factors in the name of a product.
TIMES = "*"
#: The name of 2**t, where t is the unique parameter that is an exponent.
EXPONENTIAL = "2^t"
#: A sum for each coordinate.
Place = Mapping[str, "Affine"]


@dataclass(frozen=True)
class Affine:
    """Σ c·name + constant, with integers c, in normal form.

    Examples
    --------
    >>> k, m = Affine.of("k"), Affine.of("m")
    >>> str((k - m * 2 + 3).substitute({"k": m * 4 + 1})), str((k * 2 + 1) * m)
    ('2*m+4', '2*k*m+m')
    """

    #: Names with nonzero coefficients, sorted by name.
    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, *factors: str) -> Affine:
        """Return a name as a sum, or the product of several names."""
        return cls(((TIMES.join(sorted(factors)), 1),)) if factors else cls((), 1)

    @classmethod
    def total(cls, terms: Mapping[str, int], constant: int = 0) -> Affine:
        """Return the sum with these coefficients and this constant."""
        return cls(tuple(sorted((n, c) for n, c in terms.items() if c)), constant)

    @property
    def is_constant(self) -> bool:
        """Whether no name occurs."""
        return not self.terms

    @property
    def names(self) -> frozenset[str]:
        """The names that occur, by themselves or as factors."""
        return frozenset(factor for name, _ in self.terms for factor in factors_of(name))

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        total = dict(self.terms)
        for name, coefficient in other.terms:
            total[name] = total.get(name, 0) + coefficient
        return Affine.total(total, self.constant + other.constant)

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __mul__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            terms = tuple([(n, c * other) for n, c in self.terms]) if other else ()
            return Affine(terms, self.constant * other)
        total = ZERO
        for a_name, a in (*self.terms, ("", self.constant)):
            for b_name, b in (*other.terms, ("", other.constant)):
                total += Affine.of(*factors_of(a_name), *factors_of(b_name)) * (a * b)
        return total

    def __floordiv__(self, divisor: int) -> Affine:
        """Divide all coefficients and the constant, rounding down."""
        return Affine.total({n: c // divisor for n, c in self.terms}, self.constant // divisor)

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """Substitute sums for some names."""
        if self.names.isdisjoint(values):
            return self
        total, constant = dict[str, int](), self.constant
        for name, coefficient in self.terms:
            factors = (values.get(factor, Affine.of(factor)) for factor in factors_of(name))
            part = reduce(mul, factors)
            constant += part.constant * coefficient
            for other, c in part.terms:
                total[other] = total.get(other, 0) + c * coefficient
        return Affine.total(total, constant)

    def at(self, place: Place) -> Affine:
        """Substitute sums for coordinates."""
        return self.substitute({variable(x): value for x, value in place.items()})

    def multiple_of(self, name: str) -> Affine:
        """Return the coefficient of a name, which may contain other names."""
        rests = ((divided_by(term, name), c) for term, c in self.terms)
        return sum((rest * c for rest, c in rests if rest is not None), ZERO)

    def split_power(self) -> tuple[Affine, Affine]:
        """Return A and B of A·2**t + B; raise `FamilyError` if one has products."""
        low = self.substitute({EXPONENTIAL: ZERO})
        high = self.substitute({EXPONENTIAL: number(1)}) - low
        if self.names & {EXPONENTIAL} and any(TIMES in n for n, _ in (*high.terms, *low.terms)):
            raise FamilyError(f"{self} is no sum of parameters times a power of 2, and parameters")
        return high, low

    def split(self) -> tuple[dict[str, Affine], Affine]:
        """Return the coefficients of coordinates, and the part without coordinates."""
        names = [name for name in sorted(self.names) if name.startswith("position(")]
        rest = {name: c for name, c in self.terms if {*factors_of(name)}.isdisjoint(names)}
        multiples = {name[9:-1]: self.multiple_of(name) for name in names}
        return multiples, Affine.total(rest, self.constant)

    def value(self, values: Mapping[str, Any]) -> Any:
        """Evaluate the sum for integers, or for arrays of integers."""
        products = (prod(values[n] for n in factors_of(name)) * c for name, c in self.terms)
        return sum(products) + self.constant

    def __str__(self) -> str:
        text = ""
        for name, c in self.terms:
            size = name if abs(c) == 1 else f"{abs(c)}*{name}"
            text += f"-{size}" if c < 0 else f"+{size}" if text else size
        if not text:
            return str(self.constant)
        return text + (f"{self.constant:+}" if self.constant else "")


def factors_of(name: str) -> tuple[str, ...]:
    """Return the factors of a name; () for the empty name."""
    return tuple(name.split(TIMES)) if name else ()


def divided_by(name: str, factor: str) -> Affine | None:
    """Divide a name by one of its factors; return None for another name.

    Examples
    --------
    >>> str(divided_by("m*n*p_2", "n")), str(divided_by("n", "n")), divided_by("m", "n")
    ('m*p_2', '1', None)
    """
    factors = [*factors_of(name)]
    if factor not in factors:
        return None
    factors.remove(factor)
    return Affine.of(*factors)


def variable(coordinate: str) -> str:
    """Return the name of a coordinate in sums; it differs from all parameters."""
    return f"position({coordinate})"


def number(value: int) -> Affine:
    """Return an integer as an `Affine`."""
    return Affine((), value)


ZERO = number(0)
