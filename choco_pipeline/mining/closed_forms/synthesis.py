"""The shortest formula that is right at given points: one atom, or the least, largest, nim-sum or sum of two.

Idea: thousands of small formulas, the atoms, are written down once with their values at all points, and each stands for itself
with any constant added. One atom is right if its difference to the target is the same at every point. Of two under ``min`` or ``max`` the
constants are known before the partner is: each must touch the numbers from its side, and together they must touch all of them. For
nim-sums and sums the partner is looked up (meet in the middle): a checksum of the first one's rest is searched for among the
checksums of all, since that of a nim-sum is the nim-sum of checksums, and that of a sum their sum.

What is kept true: every formula that is returned was compared with the target at every point; checksums, like the limits below, can only
lose formulas. Of those that are right the shortest as written is taken.

Cost: atoms × points for one atom; `MOST_FIRST` × atoms × points for minima; for nim-sums and sums, a sorting of the atoms for each
constant.
Source: enumeration of expressions that are distinguished by their values, as in A. Udupa and others, TRANSIT: specifying protocols
with concolic snippets (2013); here constants are solved for instead of enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from itertools import chain, combinations, islice, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.expressions import (
    Atom,
    Ints,
    Length,
    LinearAtom,
    NimSumAtom,
    Truths,
    grow,
    length,
    linear_forms,
    nim_sums,
    remainders,
)

#: Of two formulas that make a minimum, the one that is right more often is among this many first ones.
MOST_FIRST = 60
#: Fewest numbers of a target for which pairs are looked for.
FEWEST_FOR_PAIRS = 8
#: Pairs that cover all points, and pairs with the right checksum, that are looked at.
MOST_COVERING, MOST_PAIRS = 2000, 1000
#: Formulas that are 0 where it is asked for, of which pairs are looked at.
MOST_BOTH = 100
#: Nim-sums and linear forms to which constants are added in nim-sums of two.
MOST_INNER = 300
#: Most of the formulas that are right that are written out, small ones first.
MOST_WRITTEN = 24
#: A nim-sum's checksum: number of values, and of the lowest digits of each.
PROBES, DIGITS = 7, 9
#: In fewer positions than this a formula may be right by chance.
FEWEST = 8
#: As many of them have a number, where others have none.
FEWEST_NUMBERS = 2
MULTIPLES = range(1, 4)
#: Pairs are compared with the target at every so-manieth point first.
SPARSE = 8
OPERATIONS = {"min": np.minimum, "max": np.maximum, "^": np.bitwise_xor, "+": np.add}
Part = tuple[str | None, Truths]
#: A formula, and the constant that is added.
Sum = tuple[Atom, int]

#: A formula is guessed where a coordinate is more than a multiple of the other one by its largest value divided by `FAR`, and then
#: must be right from where it is more by that divided by `NEAR`: with a smaller `FAR` too few positions are left to guess from.
FAR, NEAR = 4, 8
#: Beyond a slope, in fewer positions than this.
FEWEST_BEYOND = 16


@dataclass(frozen=True)
class Pair:
    """Two formulas under an operator or a function, each with a constant added."""

    word: str
    left: Atom
    right: Atom
    added: tuple[int, int] = (0, 0)

    @property
    def size(self) -> int:
        """About how many names, numbers and operators it has."""
        return 1 + self.left.size + self.right.size + 2 * sum(map(bool, self.added))

    def text(self, names: Sequence[str], more: int) -> str:
        """Return the formula with `more` added."""
        inner = zip((self.left, self.right), self.added, strict=True)
        first, second = sorted((form.text(names, by) for form, by in inner), key=length)
        if self.word in ("min", "max"):
            text = f"{self.word}({first}, {second})"
        else:
            text = f"(({first}) {self.word} ({second}))"
        return parse(f"{text}{more:+d}" if more else text).text


@dataclass(frozen=True)
class Target:
    """The numbers that a formula must give."""

    #: The number at each point.
    numbers: Ints
    #: Where `numbers` is negative, a formula must say something below 0 or above this; None if it is nowhere so.
    tops: Ints | None = None
    #: Most points at which the formula may be wrong.
    forgiven: int = 0

    def at(self, chosen: Truths | slice) -> Target:
        """Return the target at some of the points."""
        tops = None if self.tops is None else self.tops[chosen]
        return Target(self.numbers[chosen], tops, self.forgiven)

    def right(self, stated: NDArray[np.int64]) -> Truths:
        """Return where numbers that a formula says, of shape (…, points), are right."""
        agree: Truths = stated == self.numbers
        if self.tops is None:
            return agree
        return np.where(self.numbers >= 0, agree, (stated < 0) | (stated > self.tops))

    @property
    def asked(self) -> Truths:
        """Where there is a number."""
        if self.tops is None:
            return np.ones(self.numbers.shape, np.bool_)
        return self.numbers >= 0


@dataclass(frozen=True)
class Atoms:
    """Many formulas, and their values at some points."""

    #: The coordinates.
    names: tuple[str, ...]
    #: Each stands for itself with any constant added.
    formulas: tuple[Atom, ...]
    #: Shape (formulas, points).
    values: Ints
    #: The game's own numbers.
    own: tuple[int, ...] = ()
    #: The coordinates that count passes, and how many there are at most.
    passes: Mapping[str, int] = field(default_factory=dict)
    #: The shortest formulas by targets.
    _known: dict[tuple[Any, ...], str | None] = field(default_factory=dict)

    @classmethod
    def at(cls, names: tuple[str, ...], points: Mapping[str, Ints]) -> Atoms:
        """Return linear forms and nim-sums at points of a game without passes, given by their coordinates."""
        columns, flags = [points[name] for name in names], [False] * len(names)
        atoms = [*linear_forms(columns, flags), *nim_sums(columns, flags)]
        return cls(names, *_smallest_first(atoms))

    @classmethod
    def grown(
        cls,
        names: tuple[str, ...],
        points: Mapping[str, Ints],
        own: Sequence[int],
        passes: Mapping[str, int],
    ) -> Atoms:
        """Return these, and the smallest expressions of the grammar with the game's own numbers."""
        columns, flags = [points[name] for name in names], [name in passes for name in names]
        atoms = [
            *linear_forms(columns, flags, own),
            *nim_sums(columns, flags, own),
            *grow(names, columns, own),
            *remainders(names, columns, own),
        ]
        return cls(names, *_smallest_first(atoms), tuple(own), passes)

    @cached_property
    def _inner(self) -> Ints:
        """The smallest nim-sums and linear forms."""
        families = (
            i for i, form in enumerate(self.formulas) if isinstance(form, NimSumAtom | LinearAtom)
        )
        return np.array([*islice(families, MOST_INNER)])

    @property
    def sizes(self) -> list[str]:
        """The coordinates that count no passes."""
        return [name for name in self.names if name not in self.passes]

    def shortest(self, target: Target, chosen: Truths) -> str | None:
        """Return the shortest formula that is right at the chosen points."""
        here = target.at(chosen)
        if not here.asked.any():
            return None
        tops = b"" if here.tops is None else here.tops.tobytes()
        key = target.forgiven, chosen.tobytes(), here.numbers.tobytes(), tops
        if key not in self._known:
            values = self.values if chosen.all() else self.values[:, chosen]
            there = values if here.asked.all() else values[:, here.asked]
            missing = here.numbers[here.asked] - there
            formulas = self._one(here, values, missing) or self._two(here, values, there, missing)
            few = nsmallest(MOST_WRITTEN, formulas, key=_weight)
            texts = (form.text(self.names, more) for form, more in few)
            self._known[key] = min(texts, key=length, default=None)
        return self._known[key]

    def zeros(self, truths: Truths) -> str | None:
        """Return that a nim-sum is 0, if this is so exactly at the points for which it is asked."""
        right = ((self.values == 0) == truths).all(axis=1)
        conditions = [
            f"{formula.text(self.names, 0)} == 0"
            for formula, is_right in zip(self.formulas, right.tolist(), strict=True)
            if is_right and isinstance(formula, NimSumAtom)
        ]
        return min(conditions, key=length, default=None)

    def _one(self, target: Target, values: Ints, missing: Ints) -> list[Sum]:
        """Return formulas that are right when a constant is added; those that are wrong most seldom."""
        if target.forgiven:
            middle = missing.shape[1] // 2
            constants = np.partition(missing, middle, axis=1)[:, middle]
        else:
            constants = missing[:, 0]
        often = np.count_nonzero(missing != constants[:, None], axis=1)
        able = np.flatnonzero(often <= target.forgiven)
        wrong = np.count_nonzero(~target.right(values[able] + constants[able, None]), axis=1)
        least = min(wrong.tolist(), default=0)
        if least > target.forgiven:
            return []
        return [(self.formulas[i], int(constants[i])) for i in able[wrong == least].tolist()]

    def _two(self, target: Target, values: Ints, there: Ints, missing: Ints) -> list[Sum]:
        """Return minima, maxima, nim-sums and sums of two formulas that are right."""
        numbers = target.numbers[target.asked]
        if numbers.size < FEWEST_FOR_PAIRS:
            return []
        formulas = self._right("^", self._nim_sums(target, numbers, there), target, values)
        if target.forgiven:
            return formulas
        formulas += self._both_zero(target, values, there)
        for word, edge in ("min", missing.max(axis=1)), ("max", missing.min(axis=1)):
            pairs = _covering(missing == edge[:, None])
            rows = np.array([(i, j, edge[i], edge[j], 0) for i, j in pairs], np.int64)
            formulas += self._right(word, rows, target, values)
        return formulas + self._right("+", _sums(numbers, there), target, values)

    def _right(self, word: str, pairs: Ints, target: Target, values: Ints) -> list[Sum]:
        """Return the pairs that are right; they are given as rows of two formulas and three constants."""
        for part in (slice(None, None, SPARSE), slice(None)):  # few points exclude most
            here, left = values[:, part], pairs.reshape(-1, 5)
            i, j, c, d, more = left.T[..., None]
            stated = OPERATIONS[word](here[i[:, 0]] + c, here[j[:, 0]] + d) + more
            wrong = np.count_nonzero(~target.at(part).right(stated), axis=1)
            pairs = left[wrong <= target.forgiven]
        return [
            (Pair(word, self.formulas[i], self.formulas[j], (c, d)), more)
            for i, j, c, d, more in pairs.tolist()
        ]

    def _both_zero(self, target: Target, values: Ints, there: Ints) -> list[Sum]:
        """Return pairs of small formulas that are 0 together where 0 is asked for, and nowhere else."""
        if target.tops is None or target.numbers.any(where=target.asked) or target.tops.any():
            return []
        able = np.flatnonzero((there == there[:, :1]).all(axis=1)).tolist()
        small = nsmallest(MOST_BOTH, able, key=lambda i: _weight((self.formulas[i], -there[i, 0])))
        constants = -there[small, 0]
        also = (values[small][:, ~target.asked] == -constants[:, None]).astype(np.int32)
        return [
            (Pair("|", self.formulas[small[i]], self.formulas[small[j]], (int(c), int(d))), 0)
            for i, j in np.argwhere(also @ also.T == 0).tolist()
            if i < j
            for c, d in [constants[[i, j]]]
        ]

    def _nim_sums(self, target: Target, numbers: Ints, there: Ints) -> Ints:
        """Return pairs whose nim-sum has the right checksum, a constant added to it, and to some first ones."""
        near = {near for number in (0, *self.own) for near in (number - 1, number, number + 1)}
        added = sorted({sign * number for number in near for sign in (1, -1)}, key=abs)
        inner = self._inner
        firsts = np.concatenate([np.arange(len(there)), *(inner for c in added if c)])
        by = np.repeat([0, *filter(None, added)], [len(there), *(inner.size for c in added if c)])
        turns = []
        for turn in range(2 if target.forgiven else 1):  # the first may look at a forgiven point
            at = np.random.default_rng(turn).integers(0, numbers.size, PROBES)
            probes = there[:, at]
            own = _checksums(probes)
            turns.append((numbers[at], _sorted(own), _checksums(probes[firsts] + by[:, None])))
        found = []
        for more, (asked, own_sorted, sums) in product(added, turns):
            first, j = _matches(own_sorted, _checksums(asked - more) ^ sums)
            i, c = firsts[first], by[first]
            pairs = np.stack([i, j, c, np.zeros_like(c), np.full_like(c, more)], axis=1)
            found.append(pairs[((c != 0) | (j >= i)) & (i != j)])
        return np.concatenate(found)


def _smallest_first(pairs: Sequence[tuple[Atom, Ints]]) -> tuple[tuple[Atom, ...], Ints]:
    """Return formulas, small ones first, and their values at the points, [formula, point]."""
    pairs = sorted(pairs, key=lambda pair: pair[0].size)
    return tuple(form for form, _ in pairs), np.array([row for _, row in pairs], np.int64)


def _weight(formula: tuple[Atom, int]) -> tuple[int, int]:
    """Return about how large a formula with its constant is, and then how large the constant."""
    form, more = formula
    return form.size + 2 * bool(more), abs(more)


def _covering(right: Truths) -> Iterator[tuple[int, int]]:
    """Yield pairs of formulas of which one is right at every point, given where each is."""
    often = np.count_nonzero(right, axis=1)
    pairs = (
        (i, j)
        for i in np.argsort(-often, kind="stable")[:MOST_FIRST].tolist()
        if 2 * often[i] >= right.shape[1]
        for j in np.flatnonzero(right[:, ~right[i]].all(axis=1)).tolist()
        if j != i
    )
    return islice(pairs, MOST_COVERING)


def _checksums(rows: Ints) -> Ints:
    """Return the lowest digits of each row's numbers as one number: that of a nim-sum is the nim-sum of them."""
    digits = (rows & ((1 << DIGITS) - 1)) << (DIGITS * np.arange(PROBES))
    checksums: Ints = np.bitwise_or.reduce(digits, axis=-1)
    return checksums


def _sums(numbers: Ints, values: Ints) -> Ints:
    """Return pairs of formulas whose sum has the checksum of the numbers, and the constant that is added to it."""
    weights = np.random.default_rng(0).integers(1, 1 << 40, numbers.size)
    own = (values - values[:, :1]) @ weights  # modulo 2⁶⁴; a constant more in a row changes nothing
    whole = (numbers - numbers[0]) @ weights
    i, j = _matches(_sorted(own), whole - own)
    more = numbers[0] - values[i, 0] - values[j, 0]
    return np.stack([i, j, np.zeros_like(i), np.zeros_like(i), more], axis=1)


def _sorted(checksums: Ints) -> tuple[Ints, Ints]:
    """Return checksums in ascending order, and their places before."""
    order = np.argsort(checksums, kind="stable")
    return checksums[order], order


def _matches(own: tuple[Ints, Ints], needed: Ints) -> tuple[Ints, Ints]:
    """Return pairs i, j of which j has the checksum that i needs, the first ones."""
    checksums, order = own
    first = np.searchsorted(checksums, needed, "left")
    i = np.flatnonzero(checksums[np.minimum(first, checksums.size - 1)] == needed)
    first, last = first[i], np.searchsorted(checksums, needed[i], "right")
    several = last - first
    i = i[: np.searchsorted(several.cumsum(), MOST_PAIRS) + 1]
    several = several[: i.size]
    start = np.repeat(first[: i.size] - (several.cumsum() - several), several)
    return np.repeat(i, several), order[start + np.arange(start.size)]


@dataclass(frozen=True)
class FormulaCase:
    """A formula, and at which positions it is meant; everywhere without a condition."""

    where: str | None
    formula: str

    def __str__(self) -> str:
        return self.formula + (f" where {self.where}" if self.where else "")


def shortest_cases(
    atoms: Atoms, points: Mapping[str, Ints], target: Target
) -> tuple[FormulaCase, ...] | None:
    """Return the shortest formulas that are right at all points, together or by cases; None if there are none.

    Every position of the game is in exactly one of the cases. If some points are forgiven, only passes distinguish them.
    """
    best: tuple[Length, tuple[FormulaCase, ...]] | None = None
    for parts in _ways(atoms, points, target):
        cases = _by_cases(atoms, target, parts)
        if cases is not None:
            size = length(" ".join(f"{case.formula} {case.where or ''}" for case in cases))
            if best is None or size < best[0]:
                best = size, cases
            if len(cases) == 1:
                break
    return None if best is None else best[1]


def widest_case(
    atoms: Atoms, points: Mapping[str, Ints], target: Target
) -> tuple[FormulaCase, ...] | None:
    """Return the shortest formula that is right in the largest part of the points, of those with one residue modulo 2."""
    best: tuple[tuple[int, Length], FormulaCase] | None = None
    for parts in by_residue(atoms.sizes, points, 2):
        for text, chosen in parts:
            formula = _formula(atoms, target, chosen)
            if formula is not None:
                key = -int(chosen.sum()), length(f"{formula} {text}")
                if best is None or key < best[0]:
                    best = key, FormulaCase(text, formula)
    return None if best is None else (best[1],)


def _by_cases(atoms: Atoms, target: Target, parts: list[Part]) -> tuple[FormulaCase, ...] | None:
    """Return a formula for each part, parts with the same formula together; None if one has none."""
    where: dict[str, list[str]] = {}
    for text, chosen in parts:
        formula = _formula(atoms, target, chosen)
        if formula is None:
            return None
        where.setdefault(formula, []).extend([text] if text else [])
    if len(where) == 1:
        return tuple(FormulaCase(None, formula) for formula in where)
    return tuple(FormulaCase(" or ".join(texts), formula) for formula, texts in where.items())


def _formula(atoms: Atoms, target: Target, chosen: Truths) -> str | None:
    """Return the shortest formula for a part of the points that is not too small."""
    least = FEWEST * (1 + target.forgiven)
    with_number = (chosen & target.asked).sum()
    if chosen.sum() < least or with_number < (least if target.forgiven else FEWEST_NUMBERS):
        return None
    return atoms.shortest(target, chosen)


def _ways(atoms: Atoms, points: Mapping[str, Ints], target: Target) -> Iterator[list[Part]]:
    """Yield ways to distinguish cases, in each of which every position is in exactly one case."""
    yield [(None, np.ones(len(points[atoms.names[0]]), np.bool_))]
    for name, most in atoms.passes.items():
        yield [(f"{name} == {left}", points[name] == left) for left in range(most + 1)]
    if target.forgiven:
        return
    yield from by_residue(atoms.sizes, points, 2)
    yield from by_residue(atoms.sizes, points, 4)
    for first, second in combinations(atoms.sizes, 2):
        for a, b in product(MULTIPLES, repeat=2):
            if a != b or a == 1:
                left, right = (f"{n}*{x}" if n > 1 else x for n, x in ((a, first), (b, second)))
                least = a * points[first] <= b * points[second]
                yield [(f"{left} <= {right}", least), (f"{left} > {right}", ~least)]


def by_residue(
    sizes: Sequence[str], points: Mapping[str, Ints], modulus: int
) -> Iterator[list[Part]]:
    """Yield the parts in which a sum of coordinates has one residue, for each such sum."""
    for number in range(1, len(sizes) + 1):
        for chosen in combinations(sizes, number):
            text = "+".join(chosen) if number == 1 else f"({'+'.join(chosen)})"
            value = np.sum([points[name] for name in chosen], axis=0) % modulus
            yield [(f"{text}%{modulus} == {rest}", value == rest) for rest in range(modulus)]


def beyond_slopes(
    names: Sequence[str], points: Mapping[str, Ints], target: Target, own: Sequence[int]
) -> Iterator[Iterator[FormulaCase]]:
    """Yield, class by class, formulas for the points beyond a line v + c = a·u, the least steep first.

    A formula that is right in all of a class is left out.

    Multiples a are looked for next to the game's own numbers.
    """
    every = np.ones(target.numbers.shape, np.bool_)
    multiples = sorted({near for n in (1, *own) for near in (n - 1, n, n + 1) if near > 0})
    for text, chosen in chain([(None, every)], *by_residue(names, points, 2)):
        for low, high in permutations(names, 2):
            part, pair = (text, chosen), (low, high)
            cases = (_case(part, pair, a, names, points, target) for a in multiples)
            yield filter(None, cases)


def _case(
    part: Part,
    pair: tuple[str, str],
    a: int,
    names: Sequence[str],
    points: Mapping[str, Ints],
    target: Target,
) -> FormulaCase | None:
    (text, chosen), (low, high) = part, pair
    more = points[high] - a * points[low]
    most = int(points[high].max())
    far: Truths = chosen & (more >= most // FAR) & (points[low] > 0)
    if far.sum() < FEWEST_BEYOND:
        return None
    some = np.flatnonzero(far)
    some = some[:: max(1, some.size // (4 * FEWEST_BEYOND))]
    here = {name: points[name][some] for name in names}
    few = Target(target.numbers[some])
    atoms = Atoms.at(tuple(names), here)
    formula = atoms.shortest(few, np.ones(some.size, np.bool_))
    if formula is None:
        return None
    wrong = chosen & ~target.right(np.asarray(parse(formula).evaluate(points)))
    if not wrong.any():
        return None
    least = int(more[wrong].max()) + 1
    if least > most // NEAR:
        return None
    left = f"{high}{-least:+d}" if least else high
    where = f"{left} >= {f'{a}*' if a > 1 else ''}{low}"
    return FormulaCase(where if text is None else f"{text} and {where}", formula)
