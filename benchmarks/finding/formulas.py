"""Formulas in statements, as Python reads them: of integers, or of arrays of integers, without `eval`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

import numpy as np


class UnreadError(Exception):
    """A text that this reader does not know how to read."""


def v2(n: Any) -> Any:
    """Return the exponent of 2 in a positive integer."""
    lowest = np.asarray(n) & -np.asarray(n)
    return np.log2(np.maximum(lowest, 1)).astype(np.int64)


def power_of_two_above(n: Any) -> Any:
    """Return 2^⌈log₂(n+1)⌉, the least power of 2 that is larger than n."""
    return 1 << int(n).bit_length()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda *of: reduce(np.minimum, of),
    "max": lambda *of: reduce(np.maximum, of),
    "abs": abs,
    "v2": v2,
    "popcount": lambda n: n.bit_count() if isinstance(n, int) else np.bitwise_count(n),
    "bits": lambda n: n.bit_length(),
    "above": power_of_two_above,
}
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: np.logical_not,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
}


def value(text: str, /, **names: Any) -> Any:
    """Return what a formula comes to.

    Examples
    --------
    >>> value("x ^ y == 2 and not z", x=1, y=3, z=0)
    True
    >>> value("max(x, 2)//2", x=np.array([1, 5])).tolist()
    [1, 2]
    """
    found = _value(tree(text), names)
    return found.item() if isinstance(found, np.generic) else found


@cache
def tree(text: str) -> ast.expr:
    """Return a formula taken apart."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise UnreadError(f"not a formula: {text}") from None


def size(text: str) -> int:
    """Return how many names, numbers, operators and functions a formula has.

    Examples
    --------
    >>> size("x ^ y == 0")
    5
    """
    counted = (ast.Name, ast.Constant, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
    return sum(isinstance(node, counted) for node in ast.walk(tree(text)))


def names_in(text: str) -> set[str]:
    """Return the names in a formula, functions not among them.

    Examples
    --------
    >>> sorted(names_in("max(x, z)//k"))
    ['k', 'x', 'z']
    """
    called = {id(node.func) for node in ast.walk(tree(text)) if isinstance(node, ast.Call)}
    return {n.id for n in ast.walk(tree(text)) if isinstance(n, ast.Name) and id(n) not in called}


def _value(node: ast.AST, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(int() | float() as number):
            return number
        case ast.Name(name) if name in names:
            return names[name]
        case ast.BinOp(left, op, right):
            return OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op, operand):
            return OPERATORS[type(op)](_value(operand, names))
        case ast.BoolOp(op, parts):
            return reduce(OPERATORS[type(op)], [_value(part, names) for part in parts])
        case ast.Compare(left, ops, others):
            sides = [_value(side, names) for side in (left, *others)]
            steps = [OPERATORS[type(op)](*sides[i : i + 2]) for i, op in enumerate(ops)]
            return reduce(np.logical_and, steps)
        case ast.Call(ast.Name(name), arguments):
            known = names.get(name) or FUNCTIONS.get(name)
            if known is not None:
                return known(*(_value(argument, names) for argument in arguments))
        case ast.Tuple(parts) | ast.List(parts):
            return tuple(_value(part, names) for part in parts)
    raise UnreadError(f"unknown: {ast.unparse(node)}")
