"""Families of short formulas with their values at points.

Expressions of the grammar are built bottom-up, the smallest first. Of several expressions with the same values at the given points only
the first is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from itertools import combinations, product
from math import gcd
from typing import Literal, NamedTuple

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
