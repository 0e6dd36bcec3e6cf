"""Expressions grown bottom-up, the smallest first; of those with the same values at the given points only the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from choco_pipeline.formula.nodes import Binary, Call, Integer, Name, Node, render
from choco_pipeline.mining.closed_forms.atoms import Atom, Ints

#: So many different expressions are grown.
DIFFERENT = 3000
#: Names, numbers and operators in an expression, at most.
LARGEST = 7
#: Numbers that are added, divided by, and so on, besides the game's own.
SMALL = (1, 2)
#: Values beyond this are of no use, and could leave 64 bits.
FARTHEST = 1 << 40


@dataclass(frozen=True)
class Grown:
    """An expression of the grammar.

    Attributes
    ----------
    size
        At most so many names, numbers and operators are in it.
    """

    node: Node
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

    Parameters
    ----------
    names, columns
        The coordinates, and their values.
    own
        The game's own numbers, which are constants beside 1 and 2.
    """
    constants = sorted({*SMALL, *own})
    by_size: dict[int, list[tuple[Node, Ints]]] = {}
    seen: set[bytes] = set()
    for size in range(1, LARGEST + 1, 2):
        level = by_size.setdefault(size, [])
        for node, values in _candidates(size, by_size, names, columns, constants):
            key = values.tobytes()
            if key in seen or values.min() == values.max() or abs(values).max() > FARTHEST:
                continue
            seen.add(key)
            level.append((node, values))
            yield Grown(node, size), values
            if len(seen) == DIFFERENT:
                return


def _candidates(
    size: int,
    by_size: dict[int, list[tuple[Node, Ints]]],
    names: Sequence[str],
    columns: Sequence[Ints],
    constants: Sequence[int],
) -> Iterator[tuple[Node, Ints]]:
    if size == 1:
        yield from ((Name(name), column) for name, column in zip(names, columns, strict=True))
        return
    for node, values in by_size[size - 2]:
        yield from _with_constant(node, values, constants)
    for first in range(1, size - 1, 2):
        for (left, a), (right, b) in product(by_size[first], by_size[size - 1 - first]):
            yield Binary("-", left, right), a - b
            if first <= size - 1 - first:
                yield Binary("^", left, right), a ^ b
                yield Binary("+", left, right), a + b
                yield Call("min", (left, right)), np.minimum(a, b)
                yield Call("max", (left, right)), np.maximum(a, b)


def _with_constant(
    node: Node, values: Ints, constants: Sequence[int]
) -> Iterator[tuple[Node, Ints]]:
    for c in constants:
        yield Binary("+", node, Integer(c)), values + c
        yield Binary("-", node, Integer(c)), values - c
        yield Binary("-", Integer(c), node), c - values
        if c > 1:
            yield Binary("//", node, Integer(c)), values // c
            yield Binary("%", node, Integer(c)), values % c
    yield Binary("*", Integer(2), node), 2 * values
    yield Binary("%", node, Integer(4)), values % 4
    if _is_positive(node):
        yield (
            Call("v2", (node,)),
            np.bitwise_count(~values & (values - 1)).astype(np.int64),
        )


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
