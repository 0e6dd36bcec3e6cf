"""Formulas read as equations: constants recognised in a pattern, and a name expressed by the others."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from itertools import chain

from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    Name,
    Negate,
    Node,
    children,
    walk,
)


def match_nodes(node: Node, pattern: Node, fixed: Collection[str], values: dict[str, int]) -> bool:
    """Extend `values` so that `pattern` with these integers is `node`; return whether this is possible."""
    match pattern:
        case Name() if pattern.name not in fixed:
            return (
                isinstance(node, Integer)
                and values.setdefault(pattern.name, node.value) == node.value
            )
        case Negate() if isinstance(node, Integer) and node.value <= 0:
            # The pattern -k is the literal -3 if k is 3.
            return match_nodes(Integer(-node.value), pattern.operand, fixed, values)
        case Name() | Integer():
            return pattern == node
        case _:
            pairs = zip(children(node), children(pattern), strict=False)
            return _head(pattern) == _head(node) and all(
                match_nodes(*pair, fixed, values) for pair in pairs
            )


def _head(node: Node) -> tuple[object, ...]:
    """Return the kind of `node`, without its operands."""
    match node:
        case Binary() | Junction():
            kind: object = node.operator
        case Compare():
            kind = node.operators
        case Call():
            kind = node.function
        case _:
            kind = None
    return type(node), kind, len(children(node))


def solve_nodes(node: Node, name: str) -> list[Node] | None:
    """Return integers, one of which equals `name` wherever `node` is true; None if none is found."""
    match node:
        case Junction(operator="or"):
            parts = [solve_nodes(operand, name) for operand in node.operands]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            return list(dict.fromkeys(chain.from_iterable(known)))
        case Junction():
            parts = [solve_nodes(operand, name) for operand in node.operands]
            return min((part for part in parts if part is not None), key=len, default=None)
        case Compare():
            sides = zip(node.operands, node.operators, node.operands[1:], strict=False)
            solutions = (
                _solve_equation(left, right, name) for left, sign, right in sides if sign == "=="
            )
            return next(([solution] for solution in solutions if solution is not None), None)
        case _:
            return None


def _solve_equation(left: Node, right: Node, name: str) -> Node | None:
    """Return `name` from ``left == right`` if it occurs once and every step to it can be undone.

    A solution that might have no value (a division by a name, say) is not returned: the equation may stand in an `or`
    that is true without it.
    """
    match _count(left, name), _count(right, name):
        case 1, 0:
            solution = _isolate(left, right, name)
        case 0, 1:
            solution = _isolate(right, left, name)
        case _:
            return None
    return None if solution is None or any(map(_may_fail, walk(solution))) else solution


def _isolate(side: Node, target: Node, name: str) -> Node | None:
    """Return the value of `name` where `side`, which contains it once, equals `target`."""
    match side:
        case Name():
            return target
        case Negate():
            return _isolate(side.operand, _difference(Integer(0), target), name)
        case Binary(operator="^"):
            terms = [*_terms(side), *_terms(target)]
            inner = next(term for term in terms if _count(term, name))
            others = [term for term in terms if term is not inner and term != Integer(0)]
            return _isolate(inner, _nim_sum(others), name)
        case Binary(operator="+"):
            inner, other = (
                (side.left, side.right) if _count(side.left, name) else (side.right, side.left)
            )
            return _isolate(inner, _difference(target, other), name)
        case Binary(operator="-") if _count(side.left, name):
            return _isolate(side.left, _sum(target, side.right), name)
        case Binary(operator="-"):
            return _isolate(side.right, _difference(side.left, target), name)
        case _:
            return None


def _count(node: Node, name: str) -> int:
    return sum(isinstance(part, Name) and part.name == name for part in walk(node))


def _terms(node: Node) -> list[Node]:
    """Return the terms of a nim-sum, left to right."""
    if isinstance(node, Binary) and node.operator == "^":
        return [*_terms(node.left), *_terms(node.right)]
    return [node]


def _nim_sum(terms: list[Node]) -> Node:
    return reduce(lambda left, right: Binary("^", left, right), terms) if terms else Integer(0)


def _sum(left: Node, right: Node) -> Node:
    if Integer(0) in (left, right):
        return left if right == Integer(0) else right
    return Binary("+", left, right)


def _difference(left: Node, right: Node) -> Node:
    if right == Integer(0):
        return left
    return Negate(right) if left == Integer(0) else Binary("-", left, right)


def _may_fail(node: Node) -> bool:
    match node:
        case Binary(operator="//" | "%"):
            return not (isinstance(node.right, Integer) and node.right.value != 0)
        case Binary(operator="<<" | ">>" | "**"):
            return not (isinstance(node.right, Integer) and node.right.value >= 0)
        case Call():
            return node.function not in ("min", "max", "abs")
        case _:
            return False
