"""Linear recurrences, forms in binary digits, relations to half the index.

All of them are texts of the formula language; `printed` writes them in mathematical notation.

Linear recurrences with constant coefficients give closed forms: sums of powers of their roots. If each binary digit is chosen
independently, the number of choices is a power. Example: if three heaps with 2n stones have nim-sum 0, each binary one of n is in two
of the heaps, so there are 3^popcount(n) positions. If there is one position for each power of 2, their number up to n grows as bits(n)
does. A sequence is 2-regular if relations such as a(2n+r) = Σ c·a(n+d) give all of its terms except finitely many: J.-P. Allouche
and J. Shallit, The ring of k-regular sequences, Theoretical Computer Science 98 (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product, zip_longest
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Linear recurrences are computed modulo this prime number, which is much larger than their coefficients.
PRIME = (1 << 1279) - 1
#: Fewest terms that test a recurrence, beyond its order; fewest equations that test a relation, beyond its unknowns.
FEWEST_MORE = 5
#: Most terms from which linear recurrences are computed; their order is at most about a third of this.
MOST_FOR_LINEAR = 128

#: Fewest repetitions of a period in the first half of a table.
REPETITIONS = 2

#: Functions of an index by their names in formulas, and their meanings.
DIGIT_FUNCTIONS: Mapping[str, Callable[[int], int]] = {
    "bits": int.bit_length,
    "popcount": int.bit_count,
}
MEANINGS = {"bits": "the number of binary digits", "popcount": "the number of binary ones"}
#: Indices m·n + r are tried for m ≤ `LARGEST_STEP` and r < `LARGEST_OFFSET`.
LARGEST_STEP, LARGEST_OFFSET = 4, 8
#: Fewest terms at the indices m·n + r. The first two determine c·b^popcount(n); all others test it.
FEWEST_POWERS = 8
#: Number of terms that determine a sum; at least as many others test it.
LEARNT = 16

#: Relations are between terms at indices modulo 2, 4, …, 2^DEEPEST.
DEEPEST = 3
#: Most equations that determine a relation; all others test it.
MOST_LEARNT = 48
#: Fewest different equations, beyond the number of terms.
FEWEST_DIFFERENT = 2
#: If a relation says that terms are constant, at least this number of terms, times the modulus, must have other values: by chance,
#: some of these would be at the indices of the relation.
FEWEST_OTHERS = 12
#: Relations are first excluded modulo this prime; products of remainders fit into 64 bits.
SMALL_PRIME = (1 << 31) - 1

#: Number of forms in digits, and of left-hand sides of relations.
CANDIDATES = LARGEST_STEP * LARGEST_OFFSET + 1 + (1 << (DEEPEST + 1)) - 2


def printed(formula: str) -> str:
    """Return a formula in mathematical notation.

    Examples
    --------
    >>> printed("2*a(n) == 3**n//2")
    '2·a(n) = 3^n/2'
    """
    for sign, shown in (("**", "^"), ("*", "·"), ("//", "/"), ("==", "=")):
        formula = formula.replace(sign, shown)
    return formula


def shortest_recurrence(terms: Sequence[int]) -> tuple[int, ...]:
    """Return the shortest recurrence of terms modulo `PRIME`.

    It is returned as the tuple c with a(n+d) = c[0]·a(n) + … + c[d-1]·a(n+d-1), where d is its order. It is determined by 2d terms.
    Test with `follows` whether the terms themselves satisfy it. If an integer sequence satisfies a linear recurrence, its shortest one
    has integer coefficients (P. Fatou). Algorithm: J. L. Massey, Shift-register synthesis and BCH decoding, IEEE Transactions on
    Information Theory 15 (1969).

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
    """Whether all of the terms satisfy a recurrence exactly.

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


def linear_recurrence(terms: tuple[int, ...]) -> tuple[tuple[int, ...], int] | None:
    """Return a recurrence of all terms, and the number that determined it, or None."""
    length = min(len(terms), MOST_FOR_LINEAR)
    learnt = (2 * length - 2 * FEWEST_MORE) // 3
    if learnt < 2:
        return None
    recurrence = shortest_recurrence(terms[:learnt])
    if 2 * len(recurrence) > learnt or not follows(terms, recurrence):
        return None
    return recurrence, learnt


def rule_text(recurrence: Sequence[int], letter: str = "a", n: str = "n") -> str:
    """Return a recurrence as an equation.

    Examples
    --------
    >>> rule_text((-8, 6))
    'a(n+2) == 6*a(n+1) - 8*a(n)'
    """
    places = [n, *(f"{n}+{steps}" for steps in range(1, len(recurrence) + 1))]
    at = [f"{letter}({place})" for place in places]
    terms = [(factor, at[i]) for i, factor in reversed([*enumerate(recurrence)]) if factor]
    return f"{at[-1]} == {sum_text(terms)}"


class ClosedForm(NamedTuple):
    """The terms of a sequence as a sum of powers."""

    #: (f, r, p) for each summand f·n^p·r^n.
    powers: tuple[tuple[int, int, int], ...]
    #: The divisor of the whole sum.
    divisor: int
    #: The first n for which it is right.
    start: int

    def __str__(self) -> str:
        return printed(self.text()) + (f" for n ≥ {self.start}" if self.start else "")

    def text(self, n: str = "n") -> str:
        """Return the sum as a formula, such as ``(2**n + 4**n)//2``."""
        summands = []
        for factor, root, power in self.powers:
            parts = [f"{n}**{power}" if power > 1 else n] if power else []
            if root != 1:
                parts.append(f"{root if root > 0 else f'({root})'}**{n}")
            summands += [(factor, "*".join(parts))] if factor else []
        if summands and summands[0][0] < 0:
            summands.reverse()  # n - 2, rather than -2 + n
        text = sum_text(summands)
        if self.divisor == 1:
            return text
        return f"{f'({text})' if len(self.powers) > 1 else text}//{self.divisor}"


def closed_form(terms: Sequence[int], recurrence: Sequence[int], largest: int) -> ClosedForm | None:
    """Return terms as a sum of powers of roots, if all roots are integers.

    `terms` are a(0), a(1), …, at least as many as the order of the recurrence. Roots from -`largest` to `largest` are tried.

    Examples
    --------
    >>> str(closed_form([1, 3, 10], (-8, 6), 4)), str(closed_form([-2, -1, 0], (-1, 2), 4))
    ('(2^n + 4^n)/2', 'n - 2')
    """
    polynomial = [*(-c for c in recurrence), 1]
    roots: list[int] = []
    for root in sorted(range(-largest, largest + 1), key=lambda r: (abs(r), -r)):
        quotient, rest = _quotient(polynomial, root)
        while quotient and not rest:
            polynomial = quotient
            roots.append(root)
            quotient, rest = _quotient(polynomial, root)
    if len(polynomial) > 1:
        return None
    # A root 0 is a first term that does not follow the powers.
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


def _quotient(polynomial: Sequence[int], root: int) -> tuple[list[int], int]:
    """Return quotient and remainder of a polynomial by x - root."""
    *quotient, rest = accumulate(reversed(polynomial), lambda total, c: c + root * total)
    return quotient[::-1], rest


def combination(
    columns: Sequence[Sequence[int]], target: Sequence[int], *, alone: bool = False
) -> list[Fraction] | None:
    """Return a linear combination of the first columns that is the target.

    Columns are in the order of preference. A column that depends on those before it is not used. The result has a factor for each column
    up to the last one needed. It is None if no combination of the columns is the target, or, with `alone`, if there are several.
    Method: Gaussian elimination, column by column. The rest of the target is always the target minus a combination of the columns so
    far, and is stored with the factors of these. Cost: the square of the number of columns used, times their length, in exact fractions.

    Examples
    --------
    >>> combination([[1, 2, 3], [1, 1, 1], [7, 8, 1]], [3, 5, 7])
    [Fraction(2, 1), Fraction(1, 1)]
    """
    length = len(target)
    units = np.identity(len(columns), np.int64).tolist()
    rows = [np.array([*map(Fraction, [*c, *unit])]) for c, unit in zip(columns, units, strict=True)]
    # a pivot, and a reduced column followed by its factors
    basis: list[tuple[int, NDArray[np.object_]]] = []
    rest = np.array([*map(Fraction, target), *[Fraction(0)] * len(columns)])
    for i, row in enumerate(rows):
        if not any(rest[:length]) and not alone:
            return list(-rest[length : length + i])
        for pivot, other in basis:
            row = row - row[pivot] * other
        pivot = next((at for at in range(length) if row[at]), -1)
        if pivot >= 0:
            row = row / row[pivot]
            basis.append((pivot, row))
            rest = rest - rest[pivot] * row
        elif alone:
            return None
    return None if any(rest[:length]) else list(-rest[length:])


def sum_text(terms: Sequence[tuple[int, str]]) -> str:
    """Return a sum of multiples as text; a multiple of "" is a number.

    Examples
    --------
    >>> sum_text([(-2, "x"), (1, "y"), (-3, "")])
    '-2*x + y - 3'
    """
    text = ""
    for factor, name in terms:
        size = abs(factor)
        term = f"{size}*{name}" if name and size != 1 else name or str(size)
        sign = (" - " if factor < 0 else " + ") if text else ("-" if factor < 0 else "")
        text += sign + term
    return text or "0"


class DigitForm(NamedTuple):
    """Equations between terms and the binary digits of their indices."""

    equations: tuple[str, ...]
    #: Number of terms that determined them.
    learnt: int


def digit_form(first: int, terms: Sequence[int], n: str = "n") -> DigitForm | None:
    """Return the terms as functions of the binary digits of their indices, if any.

    Powers: the terms at m·n + r are c·b^popcount(n), and those with other remainders modulo m are 0. Sums: each term is the same
    combination of 1, n, bits(n) and popcount(n), with at least one of the last two.

    Examples
    --------
    >>> digit_form(0, [0 if m % 2 else 3 ** (m // 2).bit_count() for m in range(30)]).equations
    ('g(2*n) == 3**popcount(n)', 'g(2*n+1) == 0')
    >>> digit_form(1, [n + n.bit_length() for n in range(1, 40)]).equations
    ('g(n) == bits(n) + n',)
    """
    for step, offset in product(range(1, LARGEST_STEP + 1), range(LARGEST_OFFSET)):
        own = terms[offset - first :: step] if offset >= first else ()
        if len(own) < FEWEST_POWERS or own[0] < 1 or own[1] % own[0] or own[1] // own[0] < 2:
            continue
        base = own[1] // own[0]
        for place, term in enumerate(terms, first):
            i, rest = divmod(place - offset, step)
            if term != (0 if rest else own[0] * base ** i.bit_count()) and (rest or i >= 0):
                break
        else:
            multiple = sum_text([(step, n)])
            power = sum_text([(own[0], f"{base}**popcount({n})")])
            zeros = [i for i in range(first, first + step) if (i - offset) % step]
            sides = ((offset, power), *((place, "0") for place in zeros))
            texts = [f"g({multiple}{f'+{at}' if at else ''}) == {right}" for at, right in sides]
            return DigitForm(tuple(texts), 2)
    if len(terms) < 2 * LEARNT:
        return None
    functions = DIGIT_FUNCTIONS.values()
    rows = [(1, i, *(f(i) for f in functions)) for i in range(first, first + len(terms))]
    factors = combination(list(zip(*rows[:LEARNT], strict=True)), terms[:LEARNT])
    if factors is None or not any(factors[2:]):
        return None
    sums = (sum(f * v for f, v in zip(factors, row, strict=False)) for row in rows)
    if any(total != term for total, term in zip(sums, terms, strict=True)):
        return None
    names = ["", n, *(f"{name}({n})" for name in DIGIT_FUNCTIONS)]
    right = [*zip(factors, names, strict=False)][::-1]
    return DigitForm((_equation(f"g({n})", right),), LEARNT)


def _equation(left: str, right: Sequence[tuple[Fraction, str]]) -> str:
    """Return the equation of a term and a sum of multiples, cleared of fractions."""
    whole = lcm(*(factor.denominator for factor, _ in right))
    terms = [(int(factor * whole), name) for factor, name in right if factor]
    return f"{sum_text([(whole, left)])} == {sum_text(terms)}"


@dataclass(frozen=True)
class SequenceTerm:
    """A term a(2^level·n + step); for level -1 the number n^step."""

    level: int
    step: int

    def index(self, n: int) -> int:
        """Return the index of the term."""
        return (n << self.level) + self.step

    def moved(self, steps: int) -> SequenceTerm:
        """Return this term of a sequence whose indices are larger by `steps`."""
        return replace(self, step=self.step + steps) if self.level >= 0 else self

    def text(self, letter: str, n: str) -> str:
        """Return the term as text, such as ``a(2*n+1)`` for the letter a and the index n."""
        if self.level < 0:
            return n if self.step else ""
        multiple = f"{1 << self.level}*{n}" if self.level else n
        return f"{letter}({multiple}{f'{self.step:+d}' if self.step else ''})"


#: The constant term.
ONE = SequenceTerm(-1, 0)
Sum = tuple[tuple[Fraction, SequenceTerm], ...]


@dataclass(frozen=True)
class Relation:
    """A formula for a(2^level·n + residue), for all known n ≥ start."""

    #: The left-hand side, and the right-hand side: a sum of terms at lower levels.
    left: SequenceTerm
    right: Sum
    #: The least n for which it holds.
    start: int
    #: Number of equations that determined it, and of others in which it was right.
    found_on: int
    held_on: int

    def moved(self, steps: int) -> Relation:
        """Return the same relation for a sequence whose indices are larger by `steps`."""
        right = tuple((factor, place.moved(steps)) for factor, place in self.right)
        return replace(self, left=self.left.moved(steps), right=right)

    def text(self, letter: str = "a", n: str = "n") -> str:
        """Return the equation, cleared of fractions.

        Examples
        --------
        >>> found = relations(1, [n.bit_count() for n in range(1, 200)])
        >>> [relation.text() for relation in found]
        ['a(2*n) == a(n)', 'a(2*n+1) == a(n) + 1']
        """
        right = [(factor, place.text(letter, n)) for factor, place in self.right]
        return _equation(self.left.text(letter, n), right)


@dataclass(frozen=True)
class _Terms:
    """The terms a(first), a(first+1), … of a sequence."""

    first: int
    terms: Sequence[int]

    def value(self, place: SequenceTerm, n: int) -> int:
        return self.terms[place.index(n) - self.first] if place.level >= 0 else n**place.step

    def holds(self, left: SequenceTerm, right: Sum, n: int) -> bool:
        total = sum((c * self.value(place, n) for c, place in right), Fraction(0))
        return total == self.value(left, n)

    def inside(self, places: Sequence[SequenceTerm]) -> range:
        """Return the n for which all terms are known."""
        inside = [place for place in places if place.level >= 0]
        last = self.first + len(self.terms) - 1
        least = max(-((place.step - self.first) >> place.level) for place in inside)
        return range(max(0, least), min((last - place.step) >> place.level for place in inside) + 1)

    def relation(self, left: SequenceTerm) -> Relation | None:
        """Return a relation that expresses a term by terms near half its index."""
        near = [SequenceTerm(0, 0), SequenceTerm(0, 1)]  # in the order of preference
        for level in range(1, left.level):
            near += [SequenceTerm(level, step) for step in range((1 << level) + 1)]
        near += [ONE, SequenceTerm(0, -1), SequenceTerm(0, 2), SequenceTerm(-1, 1)]
        inside = self.inside((left, *near))
        start = inside.start + max(0, inside.stop - inside.start) // 8  # a relation may begin late
        learnt = range(start, min(start + MOST_LEARNT, (start + inside.stop) // 2))
        if len(learnt) < FEWEST_MORE:
            return None
        columns = [[self.value(place, n) for n in learnt] for place in near]
        target = [self.value(left, n) for n in learnt]
        factors = combination(columns, target) if _may_be_combination(columns, target) else None
        if factors is None:
            return None
        right = tuple((f, place) for f, place in zip(factors, near, strict=False) if f)
        unknowns = max(1, len(factors))
        inside = self.inside((left, *(place for _, place in right)))
        held_out = range(learnt.stop, inside.stop)
        if len(held_out) < unknowns + FEWEST_MORE or len(learnt) < unknowns:
            return None
        if not all(self.holds(left, right, n) for n in held_out):
            return None
        if not self._is_informative(left, right, range(start, inside.stop)):
            return None
        while start > inside.start and self.holds(left, right, start - 1):
            start -= 1
        return Relation(left, right, start, learnt.stop - start, len(held_out))

    def _is_informative(self, left: SequenceTerm, right: Sum, tested: range) -> bool:
        """Whether the tested equations differ enough, and a constant is no coincidence."""
        if all(place == ONE for _, place in right):
            same = sum((factor for factor, _ in right), Fraction(0))
            ends = left.index(tested.start) - self.first, left.index(tested.stop) - self.first
            others = sum(term != same for term in self.terms[slice(*ends)])
            return others >= FEWEST_OTHERS << left.level
        places = (left, *(place for _, place in right))
        rows = {tuple(self.value(place, n) for place in places) for n in tested}
        return len(rows) >= len(places) + FEWEST_DIFFERENT


def relations(first: int, terms: Sequence[int], centres: Sequence[int] = (0,)) -> list[Relation]:
    """Return relations between terms of a sequence and those at half the index.

    Idea: a(2n) and a(2n+1) are expressed by terms near a(n). If one has no relation, the terms a(4n+r) of its residue class are expressed
    by terms near a(2n) and a(n), and so on. Preferred terms are tried first, and only as many as needed. The first equations determine a
    relation, and all others must confirm it. The centres are tried one after the other: for the centre c, the indices are 2n+c and n+c.
    The result is for the first centre that gives all terms (see `is_whole`), or else for the first one that has any relations.
    """
    kept: list[Relation] = []
    for centre in centres:
        known = _Terms(first - centre, terms)
        by_term: list[Relation] = []
        open_places = [SequenceTerm(1, 0), SequenceTerm(1, 1)]
        for place in open_places:
            relation = known.relation(place)
            if relation is not None:
                by_term.append(relation)
            elif place.level < DEEPEST:
                deeper = place.step, place.step + (1 << place.level)
                open_places += [SequenceTerm(place.level + 1, step) for step in deeper]
        by_term.sort(key=lambda relation: (relation.left.level, relation.left.step))
        related = [relation.moved(centre) for relation in by_term]
        if is_whole(related):
            return related
        kept = kept or related
    return kept


def is_whole(related: Sequence[Relation]) -> bool:
    """Whether relations give all terms of a sequence except finitely many."""
    return sum(Fraction(1, 1 << relation.left.level) for relation in related) == 1


def continuation(
    first: int, terms: Sequence[int], related: Sequence[Relation], last: int
) -> list[int] | None:
    """Return the terms up to index `last`; None if one is not an integer."""
    every = list(terms)
    known = _Terms(first, every)
    rules = {}
    for relation in related:
        whole = lcm(*(factor.denominator for factor, _ in relation.right))
        sums = [(int(factor * whole), place) for factor, place in relation.right]
        step = 1 << relation.left.level
        for residue in range(relation.left.step % step, 1 << DEEPEST, step):
            rules[residue] = relation.left, whole, sums
    for place in range(first + len(terms), last + 1):
        left, whole, sums = rules[place % (1 << DEEPEST)]
        n = (place - left.step) >> left.level
        total, rest = divmod(sum(c * known.value(p, n) for c, p in sums), whole)
        if rest:
            return None
        every.append(total)
    return every


def _may_be_combination(columns: Sequence[Sequence[int]], target: Sequence[int]) -> bool:
    """Whether a target is a combination of columns modulo `SMALL_PRIME`."""
    numbers = [[number % SMALL_PRIME for number in column] for column in (*columns, target)]
    rows = np.array(numbers).T
    last = len(columns)
    for column in range(last):
        (places,) = rows[:, column].nonzero()
        if places.size:
            first = rows[places[0]]
            pivot = first * pow(int(first[column]), -1, SMALL_PRIME) % SMALL_PRIME
            rows = (rows - rows[:, column : column + 1] * pivot) % SMALL_PRIME
    return not rows[:, last].any()


def repetition(values: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return the start and the length of the period of a table, or None.

    It is the shortest period of the first half, if the whole table has it.
    """
    half = values[: values.size // 2]
    for length in range(1, half.size // (REPETITIONS + 1) + 1):
        wrong = np.flatnonzero(half[length:] != half[:-length])
        first = int(wrong[-1]) + 1 if wrong.size else 0
        if half.size - first < (REPETITIONS + 1) * length:
            continue
        if (values[first + length :] == values[first:-length]).all():
            return first, length
    return None
