"""Relations a(2n+r) = Σ c·a(n+d) and their like: sequences that follow from their own terms at half the place.

A sequence all of whose terms are given so, but for finitely many, is 2-regular: J.-P. Allouche and J. Shallit, The ring of
k-regular sequences, Theoretical Computer Science 98 (1992).
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
#: A relation is determined by at most so many equations; all others test it.
MOST_LEARNT = 48
#: There must be so many more equations to test it than unknown numbers in it.
FEWEST_MORE = 5
#: There must be so many more different ones than terms.
FEWEST_DIFFERENT = 2
#: Where it says that terms are always the same, so many others must differ, times what places are taken modulo: by chance
#: some of those would be here.
FEWEST_OTHERS = 12
#: Relations are first looked for modulo this; products of remainders fit into 64 bits.
PRIME = (1 << 31) - 1


@dataclass(frozen=True)
class SequenceTerm:
    """A term a(2^level·n + step); for level -1 the number n^step."""

    level: int
    step: int

    def index(self, n: int) -> int:
        """Return which term it is."""
        return (n << self.level) + self.step

    def text(self, letter: str, n: str, signs: Signs) -> str:
        """Return the term as text, for a sequence of that name with that index."""
        if self.level < 0:
            return n if self.step else ""
        multiple = f"{1 << self.level}{signs.times}{n}" if self.level else n
        return f"{letter}({multiple}{f'{self.step:+d}' if self.step else ''})"


@dataclass(frozen=True)
class Relation:
    """What a(2^level·n + residue) is for all n ≥ start that were looked at."""

    #: The term that is given.
    left: SequenceTerm
    #: What it is the sum of: terms at lower levels with their factors.
    right: tuple[tuple[Fraction, SequenceTerm], ...]
    #: The least n from which on it holds.
    start: int
    #: How many equations determined it, and how many others it was right in.
    found_on: int
    held_on: int

    def moved(self, steps: int) -> Relation:
        """Return the same relation for a sequence whose places are so many further."""
        left = replace(self.left, step=self.left.step + steps)
        right = tuple(
            (factor, replace(place, step=place.step + steps) if place.level >= 0 else place)
            for factor, place in self.right
        )
        return replace(self, left=left, right=right)

    def text(self, letter: str = "a", n: str = "n", signs: Signs = PRINTED) -> str:
        """Return the equation without fractions, as text.

        Examples
        --------
        >>> found, _ = relations(1, [n.bit_count() for n in range(1, 200)])
        >>> [relation.text() for relation in found]
        ['a(2·n) = a(n)', 'a(2·n+1) = a(n) + 1']
        """
        whole = lcm(*(factor.denominator for factor, _ in self.right))
        terms = [(int(f * whole), place.text(letter, n, signs)) for f, place in self.right]
        left = sum_text([(whole, self.left.text(letter, n, signs))], signs)
        return f"{left} {signs.equals} {sum_text(terms, signs)}"


def relations(
    first: int, terms: Sequence[int], centres: Sequence[int] = (0,)
) -> tuple[list[Relation], int]:
    """Return relations between the terms of a sequence, and for how many places one was looked for.

    For the places 2n and 2n+1 a relation is looked for, exactly, in the terms near place n; where there is none, for the
    places 4n+r in the terms near 2n and n, and so on. The one in the first few terms that suffice is taken. It is determined
    by the first equations and must be right in all others. Terms are a(first), a(first+1), …. Places are counted from the
    centres, one after the other, until all terms are given: from the centre c those near 2n+c and n+c are compared. Relations
    are returned by their places, at most one for each; if no centre gives all terms, those for the first one. `is_whole` says
    which it is.
    """
    kept: list[Relation] = []
    tried = 0
    for centre in centres:
        related, looked = _relations(first - centre, terms)
        tried += looked
        if is_whole(related):
            return [relation.moved(centre) for relation in related], tried
        kept = kept or [relation.moved(centre) for relation in related]
    return kept, tried


def _relations(first: int, terms: Sequence[int]) -> tuple[list[Relation], int]:
    related: list[Relation] = []
    open_places = [SequenceTerm(1, 0), SequenceTerm(1, 1)]
    tried = 0
    for place in open_places:
        relation = _relation(first, terms, place)
        tried += 1
        if relation is not None:
            related.append(relation)
        elif place.level < DEEPEST:
            high = 1 << place.level
            open_places += [SequenceTerm(place.level + 1, place.step + more) for more in (0, high)]
    return sorted(related, key=lambda r: (r.left.level, r.left.step)), tried


def is_whole(related: Sequence[Relation]) -> bool:
    """Whether relations give all terms of a sequence but for finitely many."""
    return sum(Fraction(1, 1 << relation.left.level) for relation in related) == 1


def continued(
    first: int, terms: Sequence[int], related: Sequence[Relation], last: int
) -> list[int] | None:
    """Return the terms up to place `last` that relations which give all terms say; None if one is not an integer."""
    every = list(terms)
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
        total, rest = divmod(sum(c * _value(first, every, p, n) for c, p in sums), whole)
        if rest:
            return None
        every.append(total)
    return every


def _near(level: int) -> Iterator[SequenceTerm]:
    """Yield what a term of that level may be a combination of, in the order of preference."""
    yield from (SequenceTerm(0, 0), SequenceTerm(0, 1))
    for lower in range(1, level):
        yield from (SequenceTerm(lower, step) for step in range((1 << lower) + 1))
    yield from (SequenceTerm(-1, 0), SequenceTerm(0, -1), SequenceTerm(0, 2), SequenceTerm(-1, 1))


def _relation(first: int, terms: Sequence[int], left: SequenceTerm) -> Relation | None:
    near = [*_near(left.level)]
    least, most = _range(first, len(terms), (left, *near))
    start = least + max(0, most - least) // 8  # what holds but for the first terms is found, too
    learnt = range(start, min(start + MOST_LEARNT, (start + most) // 2))
    if len(learnt) < FEWEST_MORE:
        return None
    columns = [[_value(first, terms, place, n) for n in learnt] for place in near]
    target = [_value(first, terms, left, n) for n in learnt]
    factors = combination(columns, target) if _may_be_combination(columns, target) else None
    if factors is None:
        return None
    right = tuple((factor, place) for factor, place in zip(factors, near, strict=False) if factor)
    unknowns = max(1, len(factors))
    lowest, highest = _range(first, len(terms), (left, *(place for _, place in right)))
    held_out = range(learnt.stop, highest)
    if len(held_out) < unknowns + FEWEST_MORE or len(learnt) < unknowns:
        return None
    if not all(_holds(first, terms, left, right, n) for n in held_out):
        return None
    if not _says_something(first, terms, left, right, range(start, highest)):
        return None
    while start > lowest and _holds(first, terms, left, right, start - 1):
        start -= 1
    return Relation(left, right, start, learnt.stop - start, len(held_out))


def _may_be_combination(columns: Sequence[Sequence[int]], target: Sequence[int]) -> bool:
    """Whether a target is a combination of columns modulo `PRIME`, which is quicker to see than exactly."""
    rows = np.array([[number % PRIME for number in column] for column in (*columns, target)]).T
    last = len(columns)
    for column in range(last):
        (places,) = rows[:, column].nonzero()
        if places.size:
            pivot = rows[places[0]] * pow(int(rows[places[0], column]), -1, PRIME) % PRIME
            rows = (rows - rows[:, column : column + 1] * pivot) % PRIME
    return not rows[:, last].any()


def _says_something(
    first: int,
    terms: Sequence[int],
    left: SequenceTerm,
    right: Sequence[tuple[Fraction, SequenceTerm]],
    tested: range,
) -> bool:
    """Whether equations are different enough to test a relation, in a sequence that is not nearly always the same."""
    if all(place == SequenceTerm(-1, 0) for _, place in right):
        same = sum((factor for factor, _ in right), Fraction(0))
        span = terms[left.index(tested.start) - first : left.index(tested.stop) - first]
        return sum(term != same for term in span) >= FEWEST_OTHERS << left.level
    places = (left, *(place for _, place in right))
    rows = {tuple(_value(first, terms, place, n) for place in places) for n in tested}
    return len(rows) >= len(places) + FEWEST_DIFFERENT


def _range(first: int, length: int, places: Sequence[SequenceTerm]) -> tuple[int, int]:
    """Return the least n for which all places are in a sequence, and the n after the largest one."""
    inside = [place for place in places if place.level >= 0]
    least = max(-((place.step - first) >> place.level) for place in inside)
    most = min((first + length - 1 - place.step) >> place.level for place in inside)
    return max(0, least), most + 1


def _value(first: int, terms: Sequence[int], place: SequenceTerm, n: int) -> int:
    return terms[place.index(n) - first] if place.level >= 0 else n**place.step


def _holds(
    first: int,
    terms: Sequence[int],
    left: SequenceTerm,
    right: Sequence[tuple[Fraction, SequenceTerm]],
    n: int,
) -> bool:
    total = sum((c * _value(first, terms, place, n) for c, place in right), Fraction(0))
    return total == _value(first, terms, left, n)
