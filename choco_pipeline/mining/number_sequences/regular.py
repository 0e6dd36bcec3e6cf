"""Relations such as a(2n+r) = Σ c·a(n+d): sequences that follow from their own terms at half the place.

A sequence is 2-regular if such relations give all of its terms except finitely many: J.-P. Allouche and J. Shallit, The ring
of k-regular sequences, Theoretical Computer Science 98 (1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from choco_pipeline.mining.number_sequences.recurrences import PRINTED, Signs, combination, sum_text

#: Places are taken modulo 2, 4, …, 2^DEEPEST.
DEEPEST = 3
#: Most equations that determine a relation; all others test it.
MOST_LEARNT = 48
#: Fewest equations that test a relation, beyond the number of its unknowns.
FEWEST_MORE = 5
#: Fewest different equations, beyond the number of terms.
FEWEST_DIFFERENT = 2
#: Fewest other terms in a sequence whose terms a relation says to be constant, times the modulus: by chance, some of them would
#: be at the places of the relation.
FEWEST_OTHERS = 12
#: Relations are first looked for modulo this; products of remainders fit into 64 bits.
PRIME = (1 << 31) - 1


@dataclass(frozen=True)
class SequenceTerm:
    """A term a(2^level·n + step); for level -1 the number n^step."""

    level: int
    step: int

    def index(self, n: int) -> int:
        """Return the place of the term."""
        return (n << self.level) + self.step

    def moved(self, steps: int) -> SequenceTerm:
        """Return the same term of a sequence whose places are larger by `steps`."""
        return replace(self, step=self.step + steps) if self.level >= 0 else self

    def text(self, letter: str, n: str, signs: Signs) -> str:
        """Return the term as text, for a sequence of that name with that index."""
        if self.level < 0:
            return n if self.step else ""
        multiple = f"{1 << self.level}{signs.times}{n}" if self.level else n
        return f"{letter}({multiple}{f'{self.step:+d}' if self.step else ''})"


#: The constant term.
ONE = SequenceTerm(-1, 0)
Sum = tuple[tuple[Fraction, SequenceTerm], ...]


@dataclass(frozen=True)
class Relation:
    """A formula for a(2^level·n + residue), for all known n ≥ start."""

    #: The term that is given, and the sum of terms at lower levels that gives it.
    left: SequenceTerm
    right: Sum
    #: The least n for which it holds.
    start: int
    #: Number of equations that determined it, and of others in which it was right.
    found_on: int
    held_on: int

    def moved(self, steps: int) -> Relation:
        """Return the same relation for a sequence whose places are larger by `steps`."""
        right = tuple((factor, place.moved(steps)) for factor, place in self.right)
        return replace(self, left=self.left.moved(steps), right=right)

    def text(self, letter: str = "a", n: str = "n", signs: Signs = PRINTED) -> str:
        """Return the equation without fractions, as text.

        Examples
        --------
        >>> found = relations(1, [n.bit_count() for n in range(1, 200)])
        >>> [relation.text() for relation in found]
        ['a(2·n) = a(n)', 'a(2·n+1) = a(n) + 1']
        """
        whole = lcm(*(factor.denominator for factor, _ in self.right))
        terms = [(int(f * whole), place.text(letter, n, signs)) for f, place in self.right]
        left = sum_text([(whole, self.left.text(letter, n, signs))], signs)
        return f"{left} {signs.equals} {sum_text(terms, signs)}"


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
        """Return the n for which all places are in the sequence."""
        inside = [place for place in places if place.level >= 0]
        last = self.first + len(self.terms) - 1
        least = max(-((place.step - self.first) >> place.level) for place in inside)
        return range(max(0, least), min((last - place.step) >> place.level for place in inside) + 1)

    def relation(self, left: SequenceTerm) -> Relation | None:
        """Return a relation that gives a term from terms near half its place."""
        near = [*_near(left.level)]
        inside = self.inside((left, *near))
        start = inside.start + max(0, inside.stop - inside.start) // 8  # it may begin late
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
        """Whether there are enough different equations, in a sequence that is not nearly constant."""
        if all(place == ONE for _, place in right):
            same = sum((factor for factor, _ in right), Fraction(0))
            ends = left.index(tested.start) - self.first, left.index(tested.stop) - self.first
            return sum(term != same for term in self.terms[slice(*ends)]) >= (
                FEWEST_OTHERS << left.level
            )
        places = (left, *(place for _, place in right))
        rows = {tuple(self.value(place, n) for place in places) for n in tested}
        return len(rows) >= len(places) + FEWEST_DIFFERENT


def relations(first: int, terms: Sequence[int], centres: Sequence[int] = (0,)) -> list[Relation]:
    """Return relations between the terms a(first), a(first+1), … of a sequence, by their places.

    For the places 2n and 2n+1 a relation is looked for, exactly, in the terms near place n; where there is none, for the
    places 4n+r in the terms near 2n and n, and so on. The relation with the first few terms that suffice is taken. It is
    determined by the first equations and must be right in all others. Places are counted from the centres, one after the
    other, until all terms are given: from the centre c those near 2n+c and n+c are compared. If no centre gives all terms
    (see `is_whole`), the relations for the first centre that has any are returned.
    """
    kept: list[Relation] = []
    for centre in centres:
        known = _Terms(first - centre, terms)
        found: list[Relation] = []
        open_places = [SequenceTerm(1, 0), SequenceTerm(1, 1)]
        for place in open_places:
            relation = known.relation(place)
            if relation is not None:
                found.append(relation)
            elif place.level < DEEPEST:
                deeper = place.step, place.step + (1 << place.level)
                open_places += [SequenceTerm(place.level + 1, step) for step in deeper]
        found.sort(key=lambda relation: (relation.left.level, relation.left.step))
        related = [relation.moved(centre) for relation in found]
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
    """Return the terms up to place `last` by relations that give all terms; None if one is not an integer."""
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


def _near(level: int) -> Iterator[SequenceTerm]:
    """Yield the terms that may give a term of that level, in the order of preference."""
    yield from (SequenceTerm(0, 0), SequenceTerm(0, 1))
    for lower in range(1, level):
        yield from (SequenceTerm(lower, step) for step in range((1 << lower) + 1))
    yield from (ONE, SequenceTerm(0, -1), SequenceTerm(0, 2), SequenceTerm(-1, 1))


def _may_be_combination(columns: Sequence[Sequence[int]], target: Sequence[int]) -> bool:
    """Whether a target is a combination of columns modulo `PRIME`, which is faster to decide than exactly."""
    rows = np.array([[number % PRIME for number in column] for column in (*columns, target)]).T
    last = len(columns)
    for column in range(last):
        (places,) = rows[:, column].nonzero()
        if places.size:
            pivot = rows[places[0]] * pow(int(rows[places[0], column]), -1, PRIME) % PRIME
            rows = (rows - rows[:, column : column + 1] * pivot) % PRIME
    return not rows[:, last].any()
