"""Search for the shortest formula that is right at points, of one or two atoms.

Idea: atoms are thousands of small formulas, each up to an added constant. Expressions of the grammar are built bottom-up, the smallest
first. Of several with the same values only the first is kept. The values of all atoms at all points are computed once. One atom is
right if its difference to the target is constant. In a minimum or maximum of two, each constant is known without the partner: the atom
must touch the target from its side, and together they must touch it at every point. In nim-sums and sums, the partner is looked up by
a checksum (meet in the middle): the checksum of a nim-sum is the nim-sum of checksums, and that of a sum is their sum.

Invariant: every returned formula was compared with the target at every point. Checksums, like the limits below, can only lose
formulas. Of several right formulas the one with the shortest text is taken.

Cost: atoms × points for one atom; `MOST_FIRST` × atoms × points for minima; for nim-sums and sums, a sorting of the atoms for each
constant.
Source: enumeration of expressions up to equality of their values, as in A. Udupa and others, TRANSIT: specifying protocols
with concolic snippets (2013); here constants are solved for instead of enumerated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from heapq import nsmallest
from itertools import chain, combinations, islice, permutations, product
from math import gcd
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import OPERATORS, Binary, Call, Integer, Name, Node, render
from choco_pipeline.mining.recurrences import sum_text

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Length = tuple[int, int, int, str]

#: Largest multiple of a coordinate in linear forms, and shifts in nim-sums, by the number of coordinates.
MULTIPLES = {1: 4, 2: 3, 3: 2, 4: 1}
SHIFTS = {1: range(-2, 9), 2: range(-2, 9), 3: range(-2, 9), 4: range(2)}
#: Most coordinates in linear forms whose multiples include the game's own numbers; with more there are too many forms.
MOST_WITH_OWN = 2

#: Expressions of the grammar: largest number of different ones; most names, numbers and operators in one.
DIFFERENT, LARGEST = 3000, 7
#: Constants in expressions, besides the game's own numbers.
SMALL = (1, 2)
#: Largest absolute value; larger ones are useless, and results could exceed 64 bits.
FARTHEST = 1 << 40
#: Number of operands whose results are computed together.
TOGETHER = 64

#: In pairs for minima and maxima, the formula that is right more often is one of this number of formulas that are right most often.
MOST_FIRST = 60
#: Fewest numbers of a target for a search for pairs.
FEWEST_FOR_PAIRS = 8
#: Most pairs that are examined: of those that cover all points, and of those with the right checksum.
MOST_COVERING, MOST_PAIRS = 2000, 1000
#: Most formulas that are 0 at P-positions, of which pairs are examined.
MOST_BOTH = 100
#: Most nim-sums and linear forms to which constants are added in nim-sums of two.
MOST_INNER = 300
#: Most right formulas whose texts are compared, small ones first.
MOST_WRITTEN = 24
#: Checksums for nim-sums: number of values, and number of low binary digits of each.
PROBES, DIGITS = 7, 9
#: Fewest points for a formula; with fewer it may be right by chance.
FEWEST = 8
#: Fewest of these points that have a number.
FEWEST_NUMBERS = 2
#: Multiples of two coordinates by which cases distinguish them.
SLOPES = range(1, 4)
#: Pairs are first compared with the target at every `SPARSE`-th point.
SPARSE = 8
OPERATIONS = {"min": np.minimum, "max": np.maximum, "^": np.bitwise_xor, "+": np.add}
Part = tuple[str | None, Truths]

#: Let V be the largest value of a coordinate v, and a·u a multiple of the other one. A formula is guessed where v - a·u ≥ V / `FAR`, and
#: must then be right where v - a·u ≥ V / `NEAR`. With a smaller `FAR` there are too few positions for the guess.
FAR, NEAR = 4, 8
#: Fewest positions beyond a slope for a guess.
FEWEST_BEYOND = 16

_PARTS = re.compile(r"\w+|//|<<|>>|[<>=!]=|[-+*%^&|<>]")


class Atom(NamedTuple):
    """A formula up to an added constant."""

    #: Approximate number of its names, numbers and operators.
    size: int
    #: Returns its shortest text, given the names of coordinates and a constant to add.
    text: Callable[[Sequence[str], int], str]
    family: Literal["linear", "nim-sum", "grown", "pair"]


def linear_forms(
    columns: Sequence[Ints], flags: Sequence[bool], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield linear forms of coordinates, and their halves, with their values.

    A coordinate with a flag counts passes, and its multiple is -1, 0 or 1. The multiples of up to two others may also be the game's own
    numbers.
    """
    most = MULTIPLES[max(1, flags.count(False))]
    several = set(range(-most, most + 1))
    if flags.count(False) <= MOST_WITH_OWN:
        several |= {*own, *(-number for number in own)}
    for multiples in product(*(range(-1, 2) if f else sorted(several) for f in flags)):
        total = np.zeros(columns[0].shape, np.int64)
        for a, x in zip(multiples, columns, strict=True):
            total += a * x
        size = sum(min(abs(a), 2) * 2 for a in multiples)
        yield Atom(size, partial(_linear_text, multiples, 1, 0), "linear"), total
        if any(a % 2 for a in multiples):
            for constant in (0, 1):
                text = partial(_linear_text, multiples, 2, constant)
                yield Atom(size + 2, text, "linear"), (total + constant) // 2


def _linear_text(
    multiples: Sequence[int], divisor: int, constant: int, names: Sequence[str], more: int
) -> str:
    """Return ⌊(Σ a·x + constant) / divisor⌋ with `more` added; the divisor is 1 or 2."""
    constant += more * divisor
    if divisor == 1:
        return linear_sum(multiples, names, constant)
    ways = [_half(multiples, names, constant)]
    rest = [a % 2 for a in multiples]  # not all 0
    whole = linear_sum([a // 2 for a in multiples], names, constant // 2)
    half = _half(rest, names, constant % 2)
    ways.append(f"{whole}+{half}" if whole != "0" else half)
    # ⌊(c-m)/2⌋ is -⌊(m+1-c)/2⌋
    above = [-(-a // 2) for a in multiples]
    for kept in (0, 1):
        outside = (constant - kept + 1) // 2
        whole, half = (
            linear_sum(above, names, outside),
            _half(rest, names, 2 * outside - constant + 1),
        )
        ways.append(f"{whole}-{half}" if whole != "0" else f"-({half})")
    texts = (parse(way).text for way in ways)
    return min(texts, key=lambda text: (length(text)[:3], text.count("*"), text))


def nim_sums(
    columns: Sequence[Ints], flags: Sequence[bool], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield nim-sums of shifted coordinates with their values.

    A coordinate with a flag counts passes: it is not shifted, and may be left out. Up to three others may also be shifted by the
    game's own numbers.
    """
    shifts = sorted(SHIFTS[max(1, flags.count(False))], key=abs)
    if flags.count(False) < len(SHIFTS):
        shifts = sorted({*shifts, *own, *(-number for number in own)}, key=abs)
    for chosen in product(*((0, None) if flag else shifts for flag in flags)):
        shifted = [x + s for x, s in zip(columns, chosen, strict=True) if s is not None]
        if shifted:
            size = sum(4 if s else 2 for s in chosen if s is not None)
            atom = Atom(size, partial(_nim_sum_text, chosen), "nim-sum")
            yield atom, reduce(np.bitwise_xor, shifted)


def _nim_sum_text(shifts: Sequence[int | None], names: Sequence[str], more: int) -> str:
    pairs = zip(names, shifts, strict=True)
    terms = [f"({x}{s:+d})" if s else x for x, s in pairs if s is not None]
    text = " ^ ".join(terms)
    if more:
        text = f"({text}){more:+d}" if len(terms) > 1 else f"{text}{more:+d}"
    return parse(text).text


def length(text: str) -> Length:
    """Return a sort key: numbers of parts, of names and of characters.

    Examples
    --------
    >>> length("min(x, y+1) == 0")[:3]
    (7, 3, 16)
    """
    parts = _PARTS.findall(text)
    return len(parts), sum(part[0].isalpha() for part in parts), len(text), text


def _half(multiples: Sequence[int], names: Sequence[str], constant: int) -> str:
    """Return ⌊(Σ a·x + constant)/2⌋ as text; the multiples are not all 0."""
    common = gcd(*multiples, constant)
    inner = [a // common for a in multiples]
    text = linear_sum(inner, names, constant // common)
    alone = sum(map(abs, inner)) == 1 and constant == 0 and max(inner) == 1
    text = text if alone else f"({text})"
    return f"{common}*{text}//2" if common > 1 else f"{text}//2"


def linear_sum(multiples: Sequence[int], names: Sequence[str], constant: int) -> str:
    """Return Σ a·x + constant as text, positive terms before negative ones."""
    pairs = [*zip(multiples, names, strict=True), (constant, "")]
    terms = sorted((pair for pair in pairs if pair[0]), key=lambda pair: pair[0] < 0)
    return sum_text(terms).replace(" ", "")


def _lazy_atom(size: int, make: Callable[[], Node]) -> Atom:
    """Return an atom whose node is made only when its text is needed."""

    def text(names: Sequence[str], more: int) -> str:
        node = make()
        if more:
            match node:
                case Binary("+" | "-" as sign, left, Integer(value)):
                    more += value if sign == "+" else -value
                    node = left
                case _:
                    pass
        if not more:
            return render(node)
        return render(Binary("+" if more > 0 else "-", node, Integer(abs(more))))

    return Atom(size, text, "grown")


#: Expressions with their values at the points. A node is made by calling a function.
Level = list[tuple[Callable[[], Node], Ints]]
#: Several expressions: a function that makes the node with an index, and the values of all of them, [index, point].
Several = tuple[Callable[[int], Node], Ints]


def grow(
    names: Sequence[str], columns: Sequence[Ints], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield expressions with their values at the points; no two have the same values.

    Operations are x+c, x-c, c-x, 2*x, x//c, x%c, v2(x) if the form of x shows that it is positive, and x^y, x+y, x-y, min, max.
    Constants c are 1, 2 and the game's own numbers.
    """
    constants = sorted({*SMALL, *own})
    by_size: dict[int, Level] = {}
    seen: set[bytes] = set()
    for size in range(1, LARGEST + 1, 2):
        level = by_size.setdefault(size, [])
        for make, rows in _candidates(size, by_size, names, columns, constants):
            low, high = rows.min(axis=1), rows.max(axis=1)
            useful = (low != high) & (high <= FARTHEST) & (low >= -FARTHEST)
            for i in np.flatnonzero(useful).tolist():
                key = rows[i].tobytes()
                if key in seen:
                    continue
                seen.add(key)
                node = partial(make, i)
                level.append((node, rows[i]))
                yield _lazy_atom(size, node), rows[i]
                if len(seen) == DIFFERENT:
                    return


def remainders(
    names: Sequence[str], columns: Sequence[Ints], own: Sequence[int]
) -> Iterator[tuple[Atom, Ints]]:
    """Yield remainders of nim-sums, and nim-sums of remainders or quotients.

    They have two or more coordinates. Remainders occur in the Grundy numbers of subtraction games on several heaps, and multiples of
    nim-sums of quotients occur in those of cyclic Nimhoff.
    """
    nim_sum = partial(Binary, "^")
    for count, number in product(range(2, len(names) + 1), own):
        for chosen in combinations(range(len(names)), count):
            heaps: list[Node] = [Name(names[i]) for i in chosen]
            make = partial(Binary, "%", reduce(nim_sum, heaps), Integer(number))
            sums = reduce(np.bitwise_xor, (columns[i] for i in chosen))
            yield _lazy_atom(2 * count + 1, make), sums % number
            if number & (number - 1):  # for a power of 2 these are the same
                parts: list[Node] = [Binary("%", heap, Integer(number)) for heap in heaps]
                sums = reduce(np.bitwise_xor, (columns[i] % number for i in chosen))
                yield _lazy_atom(4 * count - 1, partial(reduce, nim_sum, parts)), sums
                parts = [Binary("//", heap, Integer(number)) for heap in heaps]
                sums = reduce(np.bitwise_xor, (columns[i] // number for i in chosen))
                node = partial(reduce, nim_sum, parts)
                yield _lazy_atom(4 * count - 1, node), sums
                multiple = partial(_times, number, node)
                yield _lazy_atom(4 * count + 1, multiple), number * sums


def _times(number: int, node: Callable[[], Node]) -> Node:
    return Binary("*", Integer(number), node())


def _candidates(
    size: int,
    by_size: dict[int, Level],
    names: Sequence[str],
    columns: Sequence[Ints],
    constants: Sequence[int],
) -> Iterator[Several]:
    if size == 1:
        yield lambda i: Name(names[i]), np.array(columns)
        return
    before = by_size[size - 2]
    for start in range(0, len(before), TOGETHER):
        yield _with_constants(before[start : start + TOGETHER], constants)
    for first in range(1, size - 1, 2):
        second = by_size[size - 1 - first]
        for left, a in by_size[first]:
            again = first > size - 1 - first
            for start in range(0, len(second), TOGETHER):
                yield _of_two(left, a, second[start : start + TOGETHER], only_minus=again)


def _with_constants(level: Level, constants: Sequence[int]) -> Several:
    """Return each operation with a constant applied to each expression."""
    operands, values = [operand for operand, _ in level], np.array([row for _, row in level])
    # a sign, and the number on its left or its right
    operations: list[tuple[str, int | None, int | None]] = []
    for c in constants:
        operations += [("+", None, c), ("-", None, c), ("-", c, None)]
        operations += [("//", None, c), ("%", None, c)] if c > 1 else []
    operations += [("*", 2, None), ("%", None, 4), ("v2", None, None)]

    def make(i: int) -> Node:
        operand, which = divmod(i, len(operations))
        node, (sign, left, right) = operands[operand](), operations[which]
        if sign == "v2":
            return Call(sign, (node,))
        first, second = (node if n is None else Integer(n) for n in (left, right))
        return Binary(sign, first, second)

    rows = []
    for sign, left, right in operations[:-1]:
        first, second = (values if n is None else n for n in (left, right))
        rows.append(OPERATORS[sign](first, second))
    positive = np.array([_is_positive(operand()) for operand in operands])
    two_parts = np.bitwise_count(~values & (values - 1)).astype(np.int64)
    rows.append(two_parts * positive[:, None])
    return make, np.stack(rows, axis=1).reshape(-1, values.shape[1])


def _of_two(left: Callable[[], Node], a: Ints, level: Level, *, only_minus: bool) -> Several:
    """Return operations applied to an expression and each of a level."""
    rights, b = [right for right, _ in level], np.array([row for _, row in level])
    signs, rows = ["-"], [a - b]
    if not only_minus:  # these operations are symmetric
        signs += ["^", "+", "min", "max"]
        rows += [a ^ b, a + b, np.minimum(a, b), np.maximum(a, b)]

    def make(i: int) -> Node:
        sign, pair = signs[i % len(signs)], (left(), rights[i // len(signs)]())
        return Call(sign, pair) if sign in ("min", "max") else Binary(sign, *pair)

    return make, np.stack(rows, axis=1).reshape(-1, b.shape[1])


def _is_positive(node: Node) -> bool:
    """Whether an expression is positive by its form; coordinates are ≥ 0."""
    match node:
        case Integer(value):
            return value > 0
        case Binary("+", left, right):
            return (_is_positive(left) and _is_natural(right)) or (
                _is_natural(left) and _is_positive(right)
            )
        case _:
            return False


def _is_natural(node: Node) -> bool:
    match node:
        case Name():
            return True
        case Integer(value):
            return value >= 0
        case Binary("+" | "^" | "*" | "//" | "%", left, right):
            return _is_natural(left) and _is_natural(right)
        case Call("min" | "max" | "v2", arguments):
            return all(map(_is_natural, arguments))
        case _:
            return False


#: A formula, and the constant that is added.
Sum = tuple[Atom, int]


def pair(word: str, left: Atom, right: Atom, added: tuple[int, int] = (0, 0)) -> Atom:
    """Return two formulas joined by an operator, each with a constant added."""

    def text(names: Sequence[str], more: int) -> str:
        inner = zip((left, right), added, strict=True)
        first, second = sorted((form.text(names, by) for form, by in inner), key=length)
        joined = f"(({first}) {word} ({second}))"
        text = f"{word}({first}, {second})" if word in ("min", "max") else joined
        return parse(f"{text}{more:+d}" if more else text).text

    size = 1 + left.size + right.size + 2 * sum(map(bool, added))
    return Atom(size, text, "pair")


@dataclass(frozen=True)
class Target:
    """The numbers that a formula must give."""

    #: The number at each point.
    numbers: Ints
    #: Where `numbers` is negative, a formula must be below 0 or above this; None if no number is negative.
    tops: Ints | None = None
    #: Most points at which the formula may be wrong.
    forgiven: int = 0

    def at(self, chosen: Truths | slice) -> Target:
        """Return the target at some of the points."""
        tops = None if self.tops is None else self.tops[chosen]
        return Target(self.numbers[chosen], tops, self.forgiven)

    def right(self, stated: NDArray[np.int64]) -> Truths:
        """Return a mask of the values of formulas that agree with the target."""
        agree: Truths = stated == self.numbers
        if self.tops is None:
            return agree
        return np.where(self.numbers >= 0, agree, (stated < 0) | (stated > self.tops))

    @property
    def has_number(self) -> Truths:
        """Which points have a number."""
        if self.tops is None:
            return np.ones(self.numbers.shape, np.bool_)
        return self.numbers >= 0


@dataclass(frozen=True)
class Atoms:
    """Many formulas, and their values at some points."""

    #: The points, by coordinates.
    points: Mapping[str, Ints]
    #: The formulas, each up to an added constant; small ones come first.
    formulas: tuple[Atom, ...]
    #: Shape (formulas, points).
    values: Ints
    #: The game's own numbers.
    own: tuple[int, ...] = ()
    #: The coordinates that count passes, and the number of passes.
    passes: Mapping[str, int] = field(default_factory=dict)
    #: Cache of the shortest formulas, by target.
    _cache: dict[tuple[Any, ...], str | None] = field(default_factory=dict)

    @classmethod
    def at(
        cls,
        points: Mapping[str, Ints],
        own: Sequence[int] = (),
        passes: Mapping[str, int] | None = None,
        *,
        with_grammar: bool = False,
    ) -> Atoms:
        """Return linear forms and nim-sums; with `with_grammar`, also expressions."""
        names, columns = tuple(points), tuple(points.values())
        flags = [name in (passes or {}) for name in names]
        atoms = [*linear_forms(columns, flags, own), *nim_sums(columns, flags, own)]
        if with_grammar:
            atoms += [*grow(names, columns, own), *remainders(names, columns, own)]
        atoms.sort(key=lambda atom: atom[0].size)
        values = np.array([row for _, row in atoms], np.int64)
        return cls(points, tuple(atom for atom, _ in atoms), values, tuple(own), passes or {})

    @cached_property
    def _inner(self) -> Ints:
        """The smallest nim-sums and linear forms."""
        families = [form.family for form in self.formulas]
        return np.flatnonzero(np.isin(families, ["linear", "nim-sum"]))[:MOST_INNER]

    @property
    def sizes(self) -> list[str]:
        """The coordinates that count no passes."""
        return [name for name in self.points if name not in self.passes]

    def shortest(self, target: Target, chosen: Truths) -> str | None:
        """Return the shortest formula that is right at the chosen points."""
        here = target.at(chosen)
        if not here.has_number.any():
            return None
        tops = b"" if here.tops is None else here.tops.tobytes()
        key = target.forgiven, chosen.tobytes(), here.numbers.tobytes(), tops
        if key not in self._cache:
            values = self.values if chosen.all() else _columns(self.values, chosen)
            there = values if here.has_number.all() else _columns(values, here.has_number)
            missing = here.numbers[here.has_number] - there
            formulas = self._one(here, values, missing) or self._two(here, values, there, missing)
            few = nsmallest(MOST_WRITTEN, formulas, key=_weight)
            texts = (form.text(tuple(self.points), more) for form, more in few)
            self._cache[key] = min(texts, key=length, default=None)
        return self._cache[key]

    def zeros(self, truths: Truths) -> str | None:
        """Return a condition that a nim-sum is 0, with exactly these `truths`."""
        right = ((self.values == 0) == truths).all(axis=1)
        chosen = (self.formulas[i] for i in np.flatnonzero(right).tolist())
        texts = (f.text(tuple(self.points), 0) for f in chosen if f.family == "nim-sum")
        return min((f"{text} == 0" for text in texts), key=length, default=None)

    def _one(self, target: Target, values: Ints, missing: Ints) -> list[Sum]:
        """Return formulas that are, plus a constant, wrong at the fewest points."""
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
        numbers = target.numbers[target.has_number]
        if numbers.size < FEWEST_FOR_PAIRS:
            return []
        formulas = self._right_pairs("^", self._nim_sums(target, numbers, there), target, values)
        if target.forgiven:
            return formulas
        formulas += self._both_zero(target, values, there)
        for word, edge in ("min", missing.max(axis=1)), ("max", missing.min(axis=1)):
            pairs = _covering_pairs(missing == edge[:, None])
            rows = np.array([(i, j, edge[i], edge[j], 0) for i, j in pairs], np.int64)
            formulas += self._right_pairs(word, rows, target, values)
        return formulas + self._right_pairs("+", _sums(numbers, there), target, values)

    def _right_pairs(self, word: str, pairs: Ints, target: Target, values: Ints) -> list[Sum]:
        """Return the right formulas of `pairs`: rows of two indices, three constants."""
        for part in (slice(None, None, SPARSE), slice(None)):  # few points exclude most
            here, left = values[:, part], pairs.reshape(-1, 5)
            i, j, c, d, more = left.T[..., None]
            stated = OPERATIONS[word](here[i[:, 0]] + c, here[j[:, 0]] + d) + more
            wrong = np.count_nonzero(~target.at(part).right(stated), axis=1)
            pairs = left[wrong <= target.forgiven]
        rows, forms = pairs.tolist(), self.formulas
        return [(pair(word, forms[i], forms[j], (c, d)), more) for i, j, c, d, more in rows]

    def _both_zero(self, target: Target, values: Ints, there: Ints) -> list[Sum]:
        """Return pairs of small formulas that are both 0 exactly where the target is."""
        if target.tops is None or target.numbers.any(where=target.has_number) or target.tops.any():
            return []
        able = np.flatnonzero((there == there[:, :1]).all(axis=1)).tolist()
        small = nsmallest(MOST_BOTH, able, key=lambda i: _weight((self.formulas[i], -there[i, 0])))
        constants = -there[small, 0]
        also = (values[small][:, ~target.has_number] == -constants[:, None]).astype(np.int32)
        return [
            (pair("|", self.formulas[small[i]], self.formulas[small[j]], (int(c), int(d))), 0)
            for i, j in np.argwhere(also @ also.T == 0).tolist()
            if i < j
            for c, d in [constants[[i, j]]]
        ]

    def _nim_sums(self, target: Target, numbers: Ints, there: Ints) -> Ints:
        """Return pairs whose nim-sum has the right checksum, with constants added."""
        near = {near for number in (0, *self.own) for near in (number - 1, number, number + 1)}
        added = sorted({sign * number for number in near for sign in (1, -1)}, key=abs)
        inner = self._inner
        firsts = np.concatenate([np.arange(len(there)), *(inner for c in added if c)])
        by = np.repeat([0, *filter(None, added)], [len(there), *(inner.size for c in added if c)])
        turns = []
        for turn in range(2 if target.forgiven else 1):  # the first may probe a forgiven point
            at = np.random.default_rng(turn).integers(0, numbers.size, PROBES)
            probes = there[:, at]
            own = _checksums(probes)
            turns.append((numbers[at], _sorted(own), _checksums(probes[firsts] + by[:, None])))
        rows = []
        for more, (probed, own_sorted, sums) in product(added, turns):
            first, j = _matches(own_sorted, _checksums(probed - more) ^ sums)
            i, c = firsts[first], by[first]
            pairs = np.stack([i, j, c, np.zeros_like(c), np.full_like(c, more)], axis=1)
            rows.append(pairs[((c != 0) | (j >= i)) & (i != j)])
        return np.concatenate(rows)


def _columns(values: Ints, chosen: Truths) -> Ints:
    """Return some columns, in less time than ``values[:, chosen]`` takes."""
    return values.take(np.flatnonzero(chosen), axis=1)


def _weight(formula: tuple[Atom, int]) -> tuple[int, int]:
    """Return the approximate size of a formula with its constant, as a sort key."""
    form, more = formula
    return form.size + 2 * bool(more), abs(more)


def _covering_pairs(right: Truths) -> Iterator[tuple[int, int]]:
    """Yield pairs of formulas: at every point at least one of the two is right."""
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
    """Return for each row one number made of the low binary digits of its numbers."""
    digits = (rows & ((1 << DIGITS) - 1)) << (DIGITS * np.arange(PROBES))
    checksums: Ints = np.bitwise_or.reduce(digits, axis=-1)
    return checksums


def _sums(numbers: Ints, values: Ints) -> Ints:
    """Return pairs of formulas whose sum has the checksum of the numbers."""
    weights = np.random.default_rng(0).integers(1, 1 << 40, numbers.size)
    # Modulo 2⁶⁴, of each row minus its first value, so that an added constant changes nothing.
    own = values @ weights - values[:, 0] * weights.sum()
    whole = (numbers - numbers[0]) @ weights
    i, j = _matches(_sorted(own), whole - own)
    more = numbers[0] - values[i, 0] - values[j, 0]
    return np.stack([i, j, np.zeros_like(i), np.zeros_like(i), more], axis=1)


#: Checksums in ascending order, the row of each, and whether a bucket has any. A look-up begins with the bucket, because those of most
#: values are empty.
Sorted = tuple[Ints, Ints, Truths]


def _bucket(checksums: Ints) -> NDArray[np.uint64]:
    """Return a hash of 16 bits for each checksum."""
    mixed: NDArray[np.uint64] = checksums.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return mixed >> np.uint64(48)


def _sorted(checksums: Ints) -> Sorted:
    """Sort checksums for look-ups."""
    order = np.argsort(checksums, kind="stable")
    buckets = np.zeros(1 << 16, np.bool_)
    buckets[_bucket(checksums)] = True
    return checksums[order], order, buckets


def _matches(own: Sorted, needed: Ints) -> tuple[Ints, Ints]:
    """Return the first pairs i, j such that j has the checksum that i needs."""
    checksums, order, buckets = own
    i = np.flatnonzero(buckets[_bucket(needed)])
    first = np.searchsorted(checksums, needed[i], "left")
    last = np.searchsorted(checksums, needed[i], "right")
    i, first, several = i[last > first], first[last > first], (last - first)[last > first]
    i = i[: np.searchsorted(several.cumsum(), MOST_PAIRS) + 1]
    several = several[: i.size]
    start = np.repeat(first[: i.size] - (several.cumsum() - several), several)
    return np.repeat(i, several), order[start + np.arange(start.size)]


@dataclass(frozen=True)
class FormulaCase:
    """A formula, and the condition under which it holds, if any."""

    where: str | None
    formula: str

    def __str__(self) -> str:
        return self.formula + (f" where {self.where}" if self.where else "")


def shortest_cases(atoms: Atoms, target: Target) -> tuple[FormulaCase, ...] | None:
    """Return the shortest right formula, or the shortest right formulas by cases.

    Every position of the game is in exactly one case. If some points are forgiven, cases differ only in passes.
    """
    right: list[tuple[FormulaCase, ...]] = []
    for parts in _partitions(atoms, target):
        cases = _by_cases(atoms, target, parts)
        right += [cases] if cases is not None else []
        if cases is not None and len(cases) == 1:
            break
    texts = (" ".join(f"{case.formula} {case.where or ''}" for case in cases) for cases in right)
    sizes = dict(zip(right, map(length, texts), strict=True))
    return min(right, key=sizes.__getitem__, default=None)


def widest_case(atoms: Atoms, target: Target) -> tuple[FormulaCase, ...] | None:
    """Return a formula for one residue class, the class with the most points."""
    right = [
        (-int(chosen.sum()), length(f"{formula} {text}"), FormulaCase(text, formula))
        for parts in by_residue(atoms.sizes, atoms.points, 2)
        for text, chosen in parts
        if (formula := _formula(atoms, target, chosen)) is not None
    ]
    return (min(right, key=lambda one: one[:2])[2],) if right else None


def _by_cases(atoms: Atoms, target: Target, parts: list[Part]) -> tuple[FormulaCase, ...] | None:
    """Return a formula for each part; parts with the same formula are one case."""
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
    """Return the shortest formula for some points; None for too few."""
    least = FEWEST * (1 + target.forgiven)
    with_number = (chosen & target.has_number).sum()
    if chosen.sum() < least or with_number < (least if target.forgiven else FEWEST_NUMBERS):
        return None
    return atoms.shortest(target, chosen)


def _partitions(atoms: Atoms, target: Target) -> Iterator[list[Part]]:
    """Yield partitions of the points into cases."""
    points = atoms.points
    yield [(None, np.ones(target.numbers.shape, np.bool_))]
    for name, most in atoms.passes.items():
        yield [(f"{name} == {left}", points[name] == left) for left in range(most + 1)]
    if target.forgiven:
        return
    yield from by_residue(atoms.sizes, atoms.points, 2)
    yield from by_residue(atoms.sizes, atoms.points, 4)
    for first, second in combinations(atoms.sizes, 2):
        for a, b in product(SLOPES, repeat=2):
            if a != b or a == 1:
                left, right = (f"{n}*{x}" if n > 1 else x for n, x in ((a, first), (b, second)))
                least = a * points[first] <= b * points[second]
                yield [(f"{left} <= {right}", least), (f"{left} > {right}", ~least)]


def by_residue(
    sizes: Sequence[str], points: Mapping[str, Ints], modulus: int
) -> Iterator[list[Part]]:
    """Yield for each sum of coordinates the partition by its residues."""
    for number in range(1, len(sizes) + 1):
        for chosen in combinations(sizes, number):
            text = "+".join(chosen) if number == 1 else f"({'+'.join(chosen)})"
            value = np.sum([points[name] for name in chosen], axis=0) % modulus
            yield [(f"{text}%{modulus} == {rest}", value == rest) for rest in range(modulus)]


def beyond_slopes(
    points: Mapping[str, Ints], target: Target, own: Sequence[int]
) -> Iterator[Iterator[FormulaCase]]:
    """Yield for each residue class the formulas beyond lines v + c = a·u.

    A formula that is right in the whole class is left out. The slopes a are 1, the game's own numbers, and their neighbours.
    """

    def case(text: str | None, chosen: Truths, low: str, high: str, a: int) -> FormulaCase | None:
        more, most = points[high] - a * points[low], int(points[high].max())
        far = np.flatnonzero(chosen & (more >= most // FAR) & (points[low] > 0))
        if far.size < FEWEST_BEYOND:
            return None
        some = far[:: max(1, far.size // (4 * FEWEST_BEYOND))]
        atoms = Atoms.at({name: values[some] for name, values in points.items()})
        formula = atoms.shortest(Target(target.numbers[some]), np.ones(some.size, np.bool_))
        if formula is None:
            return None
        wrong = chosen & ~target.right(np.asarray(parse(formula).evaluate(points)))
        least = int(more[wrong].max()) + 1 if wrong.any() else most
        if least > most // NEAR:
            return None
        left = f"{high}{-least:+d}" if least else high
        where = f"{left} >= {f'{a}*' if a > 1 else ''}{low}"
        return FormulaCase(where if text is None else f"{text} and {where}", formula)

    every = np.ones(target.numbers.shape, np.bool_)
    multiples = sorted({near for n in (1, *own) for near in (n - 1, n, n + 1) if near > 0})
    for part in chain([(None, every)], *by_residue(tuple(points), points, 2)):
        for pair in permutations(points, 2):
            yield filter(None, (case(*part, *pair, a) for a in multiples))
