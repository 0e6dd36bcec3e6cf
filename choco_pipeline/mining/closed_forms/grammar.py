"""Expressions grown bottom-up, the smallest first; of those with the same values at the given points only the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, product

import numpy as np

from choco_pipeline.formula.nodes import Binary, Call, Integer, Name, Node, render
from choco_pipeline.mining.closed_forms.atoms import Atom, Ints

#: Number of different expressions.
DIFFERENT = 3000
#: Names, numbers and operators in an expression, at most.
LARGEST = 7
#: Numbers that are added, divided by, and so on, besides the game's own.
SMALL = (1, 2)
#: Values beyond this are of no use, and could leave 64 bits.
FARTHEST = 1 << 40
#: Operands whose results are computed together.
TOGETHER = 64


@dataclass(frozen=True)
class Grown:
    """An expression of the grammar."""

    node: Node
    #: Most names, numbers and operators in it.
    size: int

    def text(self, names: Sequence[str], more: int) -> str:
        """Return the formula with `more` added."""
        node = self.node
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


def grow(
    names: Sequence[str], columns: Sequence[Ints], own: Sequence[int] = ()
) -> Iterator[tuple[Atom, Ints]]:
    """Yield expressions in the coordinates with their values at the points, each value once.

    Operations are x+c, x-c, c-x, 2*x, x//c, x%c, v2(x) where x is positive by its form, and x^y, x+y, x-y, min, max.

    Constants are 1, 2 and the game's own numbers.
    """
    constants = sorted({*SMALL, *own})
    by_size: dict[int, list[tuple[Node, Ints]]] = {}
    seen: set[bytes] = set()
    for size in range(1, LARGEST + 1, 2):
        level = by_size.setdefault(size, [])
        for make, rows in _candidates(size, by_size, names, columns, constants):
            low, high = rows.min(axis=1), rows.max(axis=1)
            useful = (low != high) & (high <= FARTHEST) & (low >= -FARTHEST)
            for i in np.flatnonzero(useful).tolist():
                values = rows[i]
                key = values.tobytes()
                node = None if key in seen else make(i)
                if node is None:
                    continue
                seen.add(key)
                level.append((node, values))
                yield Grown(node, size), values
                if len(seen) == DIFFERENT:
                    return


def remainders(
    names: Sequence[str], columns: Sequence[Ints], own: Sequence[int]
) -> Iterator[tuple[Atom, Ints]]:
    """Yield remainders of nim-sums, and nim-sums of remainders, of two or more coordinates by one of the game's own numbers.

    Such are the Grundy numbers of several heaps of which amounts up to some number may be taken.
    """
    for count, number in product(range(2, len(names) + 1), own):
        for chosen in combinations(range(len(names)), count):
            heaps: list[Node] = [Name(names[i]) for i in chosen]
            whole = reduce(_nim_sum, heaps)
            sums = reduce(np.bitwise_xor, (columns[i] for i in chosen))
            yield Grown(Binary("%", whole, Integer(number)), 2 * count + 1), sums % number
            if number & (number - 1):  # by a power of 2 they are the same
                parts: list[Node] = [Binary("%", heap, Integer(number)) for heap in heaps]
                sums = reduce(np.bitwise_xor, (columns[i] % number for i in chosen))
                yield Grown(reduce(_nim_sum, parts), 4 * count - 1), sums


def _nim_sum(left: Node, right: Node) -> Node:
    return Binary("^", left, right)


#: Expressions, made when they are asked for by their numbers, if there is one with that number; and their values, [number, point].
_Several = tuple[Callable[[int], Node | None], Ints]


def _candidates(
    size: int,
    by_size: dict[int, list[tuple[Node, Ints]]],
    names: Sequence[str],
    columns: Sequence[Ints],
    constants: Sequence[int],
) -> Iterator[_Several]:
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


def _with_constants(operands: Sequence[tuple[Node, Ints]], constants: Sequence[int]) -> _Several:
    """Return the results of one operation on some expressions, each with all operations in turn."""
    values = np.array([row for _, row in operands])
    # its sign, the number on its left or its right, and the values
    operations: list[tuple[str, int | None, int | None, Ints]] = []
    for c in constants:
        operations.append(("+", None, c, values + c))
        operations.append(("-", None, c, values - c))
        operations.append(("-", c, None, c - values))
        if c > 1:
            operations.append(("//", None, c, values // c))
            operations.append(("%", None, c, values % c))
    operations.append(("*", 2, None, 2 * values))
    operations.append(("%", None, 4, values % 4))
    two_parts = np.bitwise_count(~values & (values - 1)).astype(np.int64)
    operations.append(("v2", None, None, two_parts))

    def make(i: int) -> Node | None:
        operand, which = divmod(i, len(operations))
        node, (sign, left, right, _) = operands[operand][0], operations[which]
        if sign == "v2":
            return Call(sign, (node,)) if _is_positive(node) else None
        first, second = (node if number is None else Integer(number) for number in (left, right))
        return Binary(sign, first, second)

    rows = np.stack([made for *_, made in operations], axis=1)
    return make, rows.reshape(-1, values.shape[1])


def _of_two(
    left: Node, a: Ints, rights: Sequence[tuple[Node, Ints]], *, only_minus: bool
) -> _Several:
    """Return the results of operations on an expression and each of some others."""
    b = np.array([row for _, row in rights])
    signs, made = ["-"], [a - b]
    if not only_minus:  # which alone changes when operands are exchanged
        signs += ["^", "+", "min", "max"]
        made += [a ^ b, a + b, np.minimum(a, b), np.maximum(a, b)]

    def make(i: int) -> Node:
        right, sign = rights[i // len(signs)][0], signs[i % len(signs)]
        return Call(sign, (left, right)) if sign in ("min", "max") else Binary(sign, left, right)

    return make, np.stack(made, axis=1).reshape(-1, b.shape[1])


def _is_positive(node: Node) -> bool:
    """Whether an expression in coordinates, which are never negative, is positive by its form alone."""
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
