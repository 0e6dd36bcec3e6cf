"""Values of formulas, computed from their syntax trees: exact, on integers and on flat arrays of integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np

from choco_pipeline.formula import nodes, parse

#: Integers with more bits have no value, as in the language.
MOST_BITS = 4096


class UnreadError(Exception):
    """A statement that the benchmark cannot judge."""


class UndefinedError(Exception):
    """A needed term without value: division by zero, or a place off the board."""


def v2(n: Any) -> Any:
    """Return the exponent of 2 in n."""
    if not np.all(n):
        raise UndefinedError("v2(0)")
    exponents = np.frompyfunc(lambda one: (int(one) & -int(one)).bit_length() - 1, 1, 1)(n)
    return exponents.astype(np.int64) if isinstance(n, np.ndarray) else exponents


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda *of: reduce(np.minimum, of) if _arrays(of) else min(of),
    "max": lambda *of: reduce(np.maximum, of) if _arrays(of) else max(of),
    "abs": abs,
    "v2": v2,
    "popcount": lambda n: n.bit_count(),
    "bits": lambda n: n.bit_length(),
}
SIGNS = nodes.OPERATORS | nodes.COMPARISONS


def value(text: str, /, **names: Any) -> Any:
    """Return the value of a formula; functions are given by name, too.

    Examples
    --------
    >>> value("x ^ y == 2 and not z == 1", x=1, y=3, z=0)
    True
    >>> value("max(x, 2)//2", x=np.array([1, 5])).tolist()
    [1, 2]
    """
    arrays = {name: one for name, one in names.items() if isinstance(one, np.ndarray)}
    shape = np.broadcast_shapes(*(one.shape for one in arrays.values()))
    flat = {name: np.broadcast_to(one, shape).ravel() for name, one in arrays.items()}
    found = Scope(int(np.prod(shape)), names | flat).value(tree(text, names))
    if arrays:
        return np.broadcast_to(found, np.prod(shape, dtype=int)).reshape(shape)
    return np.asarray(found).item() if isinstance(found, np.ndarray | np.generic) else found


def tree(text: str, names: Mapping[str, Any] = FUNCTIONS) -> nodes.Node:
    """Return a formula as a tree."""
    called = {name for name, one in names.items() if callable(one)} | {"popcount", "bits"}
    return parse(text, functions=sorted(called)).root


def size(node: nodes.Node) -> int:
    """Return the number of names, numbers, operators and functions in a formula."""
    signs = len(node.operators) if isinstance(node, nodes.Compare) else 1
    return signs + sum(map(size, nodes.children(node)))


@dataclass(frozen=True)
class Scope:
    """Names and their values: integers, or arrays of one length."""

    length: int
    known: Mapping[str, Any]

    def only(self, at: Any) -> Self:
        """Return the same at some places of the arrays."""
        known = {
            name: one[at] if isinstance(one, np.ndarray) else one
            for name, one in self.known.items()
        }
        return replace(self, length=len(at), known=known)

    def junction(self, word: str, parts: Sequence[Any], holds: Callable[[Any, Any], Any]) -> Any:
        """Return ``and`` or ``or``; a part is evaluated only where the parts before it leave it open."""
        found = np.full(self.length, word == "and")
        left = np.arange(self.length)
        for part in parts:
            if len(left):
                truth = np.broadcast_to(holds(self.only(left), part), len(left))
                decides = truth.astype(bool) == (word == "or")
                found[left[decides]] = word == "or"
                left = left[~decides]
        return found

    def name(self, name: str) -> Any:
        """Return the value of a name."""
        if name not in self.known:
            raise UndefinedError(name)
        return self.known[name]

    def value(self, node: nodes.Node) -> Any:
        """Return the value of a formula."""
        match node:
            case nodes.Integer(number):
                return number
            case nodes.Name(name):
                return self.name(name)
            case nodes.Negate(operand):
                return _applied("-", 0, self.value(operand))
            case nodes.LogicalNot(operand):
                return np.logical_not(self.value(operand))
            case nodes.Binary(sign, left, right):
                return _applied(sign, self.value(left), self.value(right))
            case nodes.Junction(word, parts):
                return self.junction(word, parts, type(self).value)
            case nodes.Call(name, arguments):
                return (self.known.get(name) or FUNCTIONS[name])(*map(self.value, arguments))
            case nodes.Compare(signs, operands):
                sides = [*map(self.value, operands)]
                steps = [SIGNS[sign](*sides[i : i + 2]) for i, sign in enumerate(signs)]
                return reduce(np.logical_and, steps)


def _arrays(values: Sequence[Any]) -> bool:
    return any(isinstance(one, np.ndarray) for one in values)


def _applied(sign: str, left: Any, right: Any) -> Any:
    """Return a value; arrays hold Python's integers where 64 bits may not be enough."""
    if sign in ("//", "%") and not np.all(right):
        raise UndefinedError("division by zero")
    if sign in ("**", "<<", ">>") and np.any(np.less(right, 0)):
        raise UndefinedError(f"{sign} of a negative integer")
    grows = sign in ("+", "-", "*", "**", "<<")
    a, b = (_largest(one) if grows or isinstance(one, int) else 0 for one in (left, right))
    both = a.bit_length(), b.bit_length()
    bits = {"*": sum(both), "**": both[0] * max(b, 1), "<<": both[0] + b}.get(sign, max(both) + 1)
    if bits > MOST_BITS:
        raise UndefinedError(f"{bits} bits")
    if bits > 62:
        left, right = (
            one.astype(object) if isinstance(one, np.ndarray) else int(one) for one in (left, right)
        )
    return SIGNS[sign](left, right)


def _largest(values: Any) -> int:
    if isinstance(values, np.ndarray):
        return max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0
    return abs(int(values))
