"""Linear recurrences with constant coefficients: the shortest one of a sequence, and sums of powers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, zip_longest
from math import lcm
from typing import NamedTuple


class Signs(NamedTuple):
    """How sums of powers are written."""

    times: str
    to_the: str
    over: str
    equals: str


#: In print, and in the formula language.
PRINTED, AS_FORMULA = Signs("·", "^", "/", "="), Signs("*", "**", "//", "==")
#: A recurrence is found modulo this prime number; its coefficients are a long way below.
PRIME = (1 << 1279) - 1


def shortest_recurrence(terms: Sequence[int]) -> tuple[int, ...]:
    """Return the shortest recurrence of terms modulo `PRIME`, its coefficients as the integers nearest to 0.

    A sequence of integers that satisfies any linear recurrence has a shortest one with integer coefficients (P. Fatou), so
    that nothing is missed; whether the terms satisfy the one found is to be tested with `follows`. A recurrence of order d is
    determined by 2d terms a(0), a(1), …; it is returned as the numbers c with a(n+d) = c[0]·a(n) + … + c[d-1]·a(n+d-1). J. L.
    Massey, Shift-register synthesis and BCH decoding, IEEE Transactions on Information Theory 15 (1969).

    Examples
    --------
    >>> shortest_recurrence([1, 3, 10, 36, 136])
    (-8, 6)
    """
    current, before = [1], [1]
    order, gap, last = 0, 1, 1
    for n in range(len(terms)):
        wrong = sum(c * terms[n - i] for i, c in enumerate(current[: order + 1])) % PRIME
        if not wrong:
            gap += 1
            continue
        factor = wrong * pow(last, -1, PRIME) % PRIME
        shifted = [0] * gap + [factor * c for c in before]
        changed = [(c - s) % PRIME for c, s in zip_longest(current, shifted, fillvalue=0)]
        if 2 * order <= n:
            before, last, order, gap = current, wrong, n + 1 - order, 1
        else:
            gap += 1
        current = changed
    backwards = [*current, *[0] * order][1 : order + 1]
    return tuple(-(c if c <= PRIME // 2 else c - PRIME) for c in reversed(backwards))


def follows(terms: Sequence[int], recurrence: Sequence[int]) -> bool:
    """Whether all of the terms satisfy a recurrence, exactly.

    Examples
    --------
    >>> follows([1, 3, 10, 36], (-8, 6)), follows([1, 3, 10, 35], (-8, 6))
    (True, False)
    """
    order = len(recurrence)
    return all(
        terms[n + order] == sum(c * terms[n + i] for i, c in enumerate(recurrence))
        for n in range(len(terms) - order)
    )


def rule_text(
    recurrence: Sequence[int], letter: str = "a", n: str = "n", signs: Signs = PRINTED
) -> str:
    """Return a recurrence as text.

    Examples
    --------
    >>> print(rule_text((-8, 6)))
    a(n+2) = 6·a(n+1) - 8·a(n)
    """

    def later(steps: int) -> str:
        return f"{letter}({n}+{steps})" if steps else f"{letter}({n})"

    terms = [(factor, later(i)) for i, factor in reversed([*enumerate(recurrence)]) if factor]
    return f"{later(len(recurrence))} {signs.equals} {sum_text(terms, signs)}"


class ClosedForm(NamedTuple):
    """A sum of powers that terms of a sequence are."""

    #: (f, r, p) for each summand f·n^p·r^n.
    powers: tuple[tuple[int, int, int], ...]
    #: Of the whole sum.
    divisor: int
    #: The first n for which it is right.
    start: int

    def __str__(self) -> str:
        return self.text() + (f" for n ≥ {self.start}" if self.start else "")

    def text(self, n: str = "n", signs: Signs = PRINTED) -> str:
        """Return the sum as text, such as ``(2^n + 4^n)/2``."""
        summands = [(f, _power(root, p, n, signs)) for f, root, p in self.powers if f]
        if summands and summands[0][0] < 0:
            summands.reverse()  # n - 2, rather than -2 + n
        text = sum_text(summands, signs)
        if self.divisor == 1:
            return text
        return f"{f'({text})' if len(self.powers) > 1 else text}{signs.over}{self.divisor}"


def closed_form(terms: Sequence[int], recurrence: Sequence[int], largest: int) -> ClosedForm | None:
    """Return terms as a sum of powers of the recurrence's roots, if all of these are integers.

    There are as many terms a(0), a(1), … as the order of the recurrence, or more; roots are looked for from -`largest` to
    `largest`.

    Examples
    --------
    >>> str(closed_form([1, 3, 10], (-8, 6), 4)), str(closed_form([-2, -1, 0], (-1, 2), 4))
    ('(2^n + 4^n)/2', 'n - 2')
    """
    polynomial = [*(-c for c in recurrence), 1]
    roots: list[int] = []
    for root in sorted(range(-largest, largest + 1), key=lambda r: (abs(r), -r)):
        quotient, rest = _divided(polynomial, root)
        while quotient and not rest:
            polynomial = quotient
            roots.append(root)
            quotient, rest = _divided(polynomial, root)
    if len(polynomial) > 1:
        return None
    # The root 0 stands for terms before the powers take over.
    start = roots.count(0)
    powers = [(root, roots[:i].count(root)) for i, root in enumerate(roots) if root]
    places = range(start, start + len(powers))
    columns = [[n**power * root**n for n in places] for root, power in powers]
    factors = combination(columns, [terms[n] for n in places])
    assert factors is not None  # powers of different roots are independent
    factors += [Fraction(0)] * (len(powers) - len(factors))
    whole = lcm(*(factor.denominator for factor in factors))
    summands = zip(factors, powers, strict=True)
    return ClosedForm(tuple((int(f * whole), *power) for f, power in summands), whole, start)


def combination(
    columns: Sequence[Sequence[int]], target: Sequence[int], *, alone: bool = False
) -> list[Fraction] | None:
    """Return factors with which the first columns add up to a target, exactly: as few columns as possible.

    Columns, each as long as the target, are in the order of preference; one that depends on those before it is not used. There
    is a factor for each of the first columns that are needed, which may be none; None, if all columns do not suffice, or, with
    `alone`, if there are other factors of all columns. Gaussian elimination, column by column: the rest of the target keeps
    the factors that made it, for it is always the target less a combination of the columns so far. Cost: the square of the
    columns that are used, times their length, in exact fractions.

    Examples
    --------
    >>> combination([[1, 2, 3], [1, 1, 1], [7, 8, 1]], [3, 5, 7])
    [Fraction(2, 1), Fraction(1, 1)]
    """
    basis: list[tuple[int, list[Fraction], list[Fraction]]] = []  # pivot, column, its factors
    rest = [Fraction(number) for number in target]
    made = [Fraction(0)] * len(columns)
    for i, numbers in enumerate(columns):
        if not any(rest) and not alone:
            return [-factor for factor in made[:i]]
        column = [Fraction(number) for number in numbers]
        factors = [Fraction(int(j == i)) for j in range(len(columns))]
        for pivot, other, others in basis:
            _subtract(column[pivot], column, other, factors, others)
        pivot = next((at for at, number in enumerate(column) if number), -1)
        if pivot < 0:
            if alone:
                return None
            continue
        leading = column[pivot]
        column, factors = [c / leading for c in column], [f / leading for f in factors]
        basis.append((pivot, column, factors))
        _subtract(rest[pivot], rest, column, made, factors)
    return None if any(rest) else [-factor for factor in made]


def sum_text(terms: Sequence[tuple[int, str]], signs: Signs = PRINTED) -> str:
    """Return a sum of multiples as text; a multiple of nothing is a number.

    Examples
    --------
    >>> sum_text([(-2, "x"), (1, "y"), (-3, "")])
    '-2·x + y - 3'
    """
    text = ""
    for factor, name in terms:
        size = abs(factor)
        term = f"{size}{signs.times}{name}" if name and size != 1 else name or str(size)
        sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
        text += sign + term
    return text or "0"


def _subtract(
    factor: Fraction,
    column: list[Fraction],
    other: Sequence[Fraction],
    factors: list[Fraction],
    others: Sequence[Fraction],
) -> None:
    """Subtract a multiple of another column, in place, and the same of their factors."""
    if factor:
        column[:] = [a - factor * b if b else a for a, b in zip(column, other, strict=True)]
        factors[:] = [a - factor * b if b else a for a, b in zip(factors, others, strict=True)]


def _divided(polynomial: Sequence[int], root: int) -> tuple[list[int], int]:
    """Return quotient and remainder of a polynomial, lowest coefficient first, by x - root."""
    *quotient, rest = accumulate(reversed(polynomial), lambda total, c: c + root * total)
    return quotient[::-1], rest


def _power(root: int, power: int, n: str, signs: Signs) -> str:
    """Return n^power · root^n as text; empty for 1."""
    factors = [f"{n}{signs.to_the}{power}" if power > 1 else n] if power else []
    if root != 1:
        factors.append(f"{root if root > 0 else f'({root})'}{signs.to_the}{n}")
    return signs.times.join(factors)
