"""Laws of numbers that depend on a parameter, by residue class: fitted on small parameters, tested on larger ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd, lcm

MODULI = (1, 2, 4, 8)
#: A law must hold for at least this many parameters that it was not fitted on.
FEWEST_HELD_OUT = 3
#: With fewer parameters no law is looked for.
FEWEST = 3 + FEWEST_HELD_OUT
#: So many of the least parameters may be exceptions.
MOST_EXCEPTIONS = 2

Term = tuple[str, Callable[[int], int]]
_CONSTANT: Term = ("", lambda k: 1)
_LINEAR: Term = ("{k}", lambda k: k)
_LOG_DOWN: Term = ("⌊log₂ {k}⌋", lambda k: k.bit_length() - 1)
_LOG_UP: Term = ("⌈log₂ {k}⌉", lambda k: (k - 1).bit_length())
_TWO_PART: Term = ("2^v₂({k})", lambda k: k & -k)
#: What a law is a combination of, in the order of trying.
SHAPES: tuple[tuple[Term, ...], ...] = (
    (_LINEAR, _CONSTANT),
    (_LINEAR, _LOG_DOWN, _CONSTANT),
    (_LINEAR, _LOG_UP, _CONSTANT),
    (_LINEAR, _TWO_PART, _CONSTANT),
)


@dataclass(frozen=True)
class Law:
    """One formula for the parameters of one residue class; no proof, but it was right where it had not been fitted.

    Attributes
    ----------
    modulus, residue
        The class: parameters k with k ≡ `residue` (mod `modulus`).
    shape, coefficients
        The terms, and the rational number that each is multiplied by.
    fitted
        The parameters that the coefficients follow from, more of them than coefficients.
    held_out
        Larger ones at which the law was then right: all that are known in this class.
    exceptions
        Smaller ones in the class, which the law does not speak of.
    """

    modulus: int
    residue: int
    shape: tuple[Term, ...]
    coefficients: tuple[Fraction, ...]
    fitted: tuple[int, ...]
    held_out: tuple[int, ...]
    exceptions: tuple[int, ...] = ()

    def value(self, k: int) -> Fraction:
        """Return what the law says at `k`, at least 1."""
        return _value(self.shape, self.coefficients, k)

    def formula(self, name: str) -> str:
        """Return the right-hand side, with `name` for the parameter.

        Examples
        --------
        >>> (law,) = laws({k: (3 * k + 7) // 2 for k in range(5, 40, 4)})
        >>> law.formula("k"), law.where("k")
        ('(3k+7)/2', 'k ≡ 1 mod 4')
        """
        below = lcm(*(c.denominator for c in self.coefficients))
        text = ""
        for (term, _), coefficient in zip(self.shape, self.coefficients, strict=True):
            factor = int(coefficient * below)
            if factor:
                size = "" if abs(factor) == 1 and term else str(abs(factor))
                dot = "·" if size and not term.startswith("{") and term else ""
                text += (
                    f"{'−' if factor < 0 else '+' if text else ''}{size}{dot}{term.format(k=name)}"
                )
        if below == 1:
            return text or "0"
        several = sum(coefficient != 0 for coefficient in self.coefficients) > 1
        return f"({text})/{below}" if several else f"{text}/{below}"

    def where(self, name: str) -> str:
        """Return which parameters the law speaks of."""
        parts = [f"{name} ≡ {self.residue} mod {self.modulus}"] * (self.modulus > 1)
        parts += [f"{name} ≥ {self.fitted[0]}"] * bool(self.exceptions)
        return ", ".join(parts) or f"every {name}"


def laws(values: Mapping[int, int]) -> list[Law]:
    """Return the laws that `values` follow, at most one for each residue class, coarsest classes first.

    The least parameters of a class, half of them or as many as the coefficients need and one more, determine a law; all
    others must follow it, and at least `FEWEST_HELD_OUT` of them. Classes in which none does are split, up to the last
    of `MODULI`.

    Parameters
    ----------
    values
        A whole number for each parameter, which is at least 1.

    Examples
    --------
    >>> [law.formula("k") for law in laws({k: k * k for k in range(1, 50)})]
    []
    """
    found: list[Law] = []
    for modulus in MODULI:
        for residue in range(modulus):
            members = sorted(k for k in values if k % modulus == residue)
            if not members or any(members[-1] % law.modulus == law.residue for law in found):
                continue
            law = _law(members, values)
            if law is not None:
                found.append(law)
    return found


def _law(members: Sequence[int], values: Mapping[int, int]) -> Law | None:
    """Return the first law that all members follow, but for few of the least; its class is the least that was seen."""
    for left_out, shape in product(range(MOST_EXCEPTIONS + 1), SHAPES):
        chosen = members[left_out:]
        fitting = max(len(chosen) // 2, len(shape) + 1)
        fitted, held_out = chosen[:fitting], chosen[fitting:]
        if len(held_out) < FEWEST_HELD_OUT:
            continue
        coefficients = _solution(
            [[Fraction(term(k)) for _, term in shape] + [Fraction(values[k])] for k in fitted]
        )
        if coefficients is None:
            continue
        if all(_value(shape, coefficients, k) == values[k] for k in held_out):
            apart = reduce(gcd, (k - chosen[0] for k in chosen))
            modulus = max(m for m in MODULI if apart % m == 0)
            exceptions = tuple(k for k in members[:left_out] if (k - chosen[0]) % modulus == 0)
            return Law(
                modulus,
                chosen[0] % modulus,
                shape,
                coefficients,
                tuple(fitted),
                tuple(held_out),
                exceptions,
            )
    return None


def _value(shape: Sequence[Term], coefficients: Sequence[Fraction], k: int) -> Fraction:
    return sum((c * term(k) for (_, term), c in zip(shape, coefficients, strict=True)), Fraction(0))


def _solution(rows: list[list[Fraction]]) -> tuple[Fraction, ...] | None:
    """Return the one solution of linear equations, right-hand sides last; None if there is none, or several."""
    unknowns = len(rows[0]) - 1
    for column in range(unknowns):
        pivot = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        top = [entry / rows[column][column] for entry in rows[column]]
        rows = [
            top
            if i == column
            else [entry - row[column] * above for entry, above in zip(row, top, strict=True)]
            for i, row in enumerate(rows)
        ]
    if any(row[-1] for row in rows[unknowns:]):
        return None
    return tuple(row[-1] for row in rows[:unknowns])
