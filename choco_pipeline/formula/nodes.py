"""Nodes of formulas, their canonical text, and equations solved for a name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain, pairwise
from typing import Any

from choco_pipeline.errors import ChocoError

#: Largest number of bits of an integer, given or computed; it bounds the cost of exact arithmetic.
MAX_BITS = 4096

#: Functions of the language with the least and the greatest number of arguments; None is no limit.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "min": (2, None),
    "max": (2, None),
    "abs": (1, 1),
    "v2": (1, 1),
    "log2": (1, 1),
}

#: Comparisons of integers, and of arrays element by element.
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
#: Operators on integers, and on arrays element by element.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "^": operator.xor,
    "&": operator.and_,
    "|": operator.or_,
    "<<": operator.lshift,
    ">>": operator.rshift,
}

#: Operators with their precedence, Python's: a higher number binds tighter.
PRECEDENCE = {"or": 1, "and": 2, "not": 3} | dict.fromkeys(COMPARISONS, 4)
PRECEDENCE |= {"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9}
PRECEDENCE |= {"*": 10, "//": 10, "%": 10, "**": 12}
#: The precedence of a minus sign, between products and powers.
UNARY = 11
_SUM, _ATOM = PRECEDENCE["+"], 13

# `column` is the place in the original text; comparisons of nodes ignore it.


class FormulaError(ChocoError):
    """A formula cannot be parsed, or has no value at a place.

    Attributes
    ----------
    text : str
        The formula as it was written.
    column : int
        The place of the mistake in `text`; the first character is column 1.
    """

    __module__ = "choco_pipeline.formula"  # the public import path, for tracebacks

    def __init__(self, problem: str, text: str, column: int) -> None:
        super().__init__(problem, text, column)  # all three, so that the error survives pickling
        self.text = text
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer literal, with its sign."""

    value: int
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A coordinate or a parameter."""

    name: str
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negate:
    """Unary minus of anything except a literal."""

    operand: Node
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """An integer operator between two integers."""

    operator: str
    left: Node
    right: Node
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language, or a look-up in a table."""

    function: str
    arguments: tuple[Node, ...]
    column: int = field(default=0, compare=False)


#: The comparison that is true where another is false.
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}


@dataclass(frozen=True, slots=True)
class Compare:
    """A chain of comparisons; ``operators[i]`` is before ``operands[i + 1]``."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LogicalNot:
    """The negation of a condition."""

    operand: Node
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Junction:
    """``and`` or ``or`` of several conditions, none a junction of the same kind."""

    operator: str
    operands: tuple[Node, ...]
    column: int = field(default=0, compare=False)


Node = Integer | Name | Negate | Binary | Call | Compare | LogicalNot | Junction


def is_truth(node: Node) -> bool:
    """Check whether `node` is a condition, not an integer."""
    return isinstance(node, Compare | LogicalNot | Junction)


def children(node: Node) -> tuple[Node, ...]:
    """Return the operands of `node`, left to right."""
    match node:
        case Integer() | Name():
            return ()
        case Negate() | LogicalNot():
            return (node.operand,)
        case Binary():
            return (node.left, node.right)
        case Call():
            return node.arguments
        case Compare() | Junction():
            return node.operands


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything in it, each before its operands."""
    yield node
    for child in children(node):
        yield from walk(child)


def names_of(node: Node) -> frozenset[str]:
    """Return the names in `node`."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))


def look_ups_of(node: Node) -> frozenset[str]:
    """Return the look-up functions in `node`, which need tables."""
    calls = (part.function for part in walk(node) if isinstance(part, Call))
    return frozenset(calls) - FUNCTIONS.keys()


def operators_of(node: Node) -> frozenset[str]:
    """Return the operators of all binary operations in a formula."""
    return frozenset(part.operator for part in walk(node) if isinstance(part, Binary))


def negate(node: Node, column: int = 0) -> Node:
    """Return minus `node`; minus a literal is a literal."""
    if isinstance(node, Integer) and node.value >= 0:
        return Integer(-node.value, column)
    return Negate(node, column)


def with_operands(node: Node, act: Callable[[Node], Node]) -> Node:
    """Return `node` with `act` applied to each operand, left to right."""
    match node:
        case Integer() | Name():
            return node
        case Negate():
            return negate(act(node.operand), node.column)
        case LogicalNot():
            return replace(node, operand=act(node.operand))
        case Binary():
            return replace(node, left=act(node.left), right=act(node.right))
        case Call():
            return replace(node, arguments=tuple(map(act, node.arguments)))
        case Compare() | Junction():
            return replace(node, operands=tuple(map(act, node.operands)))


def links(node: Compare) -> Junction:
    """Return a chain as comparisons of two, joined by ``and``."""
    pairs = zip(node.operators, pairwise(node.operands), strict=True)
    return Junction("and", tuple(Compare((sign,), pair, node.column) for sign, pair in pairs))


def joined(operator: str, *parts: Node) -> Node:
    """Return the conjunction (``and``) or the disjunction (``or``) of conditions."""
    flat: list[Node] = []
    for part in parts:
        is_same = isinstance(part, Junction) and part.operator == operator
        flat += part.operands if isinstance(part, Junction) and is_same else [part]
    return flat[0] if len(flat) == 1 else Junction(operator, tuple(flat))


def substitute(node: Node, parts: Mapping[str, Node]) -> Node:
    """Return `node` with parts in place of some of its names."""
    if isinstance(node, Name) and node.name in parts:
        return replace(parts[node.name], column=node.column)
    return with_operands(node, lambda operand: substitute(operand, parts))


def name_part(node: Node, part: Node, name: str) -> Node:
    """Return `node` with a name in place of each occurrence of `part`."""
    if node == part:
        return Name(name, node.column)
    return with_operands(node, lambda operand: name_part(operand, part, name))


def name_calls(node: Node, function: str, prefix: str, arguments: list[Node]) -> Node:
    """Replace calls by names, and append their arguments to `arguments`."""
    inner = with_operands(node, lambda operand: name_calls(operand, function, prefix, arguments))
    if not (isinstance(inner, Call) and inner.function == function):
        return inner
    (argument,) = inner.arguments
    if argument not in arguments:
        arguments.append(argument)
    return Name(f"{prefix}{arguments.index(argument)}", inner.column)


def render(node: Node) -> str:
    """Return the canonical text of `node`.

    Sums, products and powers have no spaces, other operators do. Parentheses are written where they are needed, and also around
    sums inside bitwise operators, around mixed bitwise operators, and around a minus sign after an operator:
    ``(x+s) ^ y``, ``(x & y) ^ z``, ``x+(-1)``.
    """
    match node:
        case Integer():
            return str(node.value)
        case Name():
            return node.name
        case Negate():
            return f"-{_bracketed(node.operand, _precedence(node.operand) <= UNARY)}"
        case Binary():
            space = "" if PRECEDENCE[node.operator] >= _SUM else " "
            left = _bracketed(node.left, _needs_brackets(node, node.left, on_the_right=False))
            right = _bracketed(node.right, _needs_brackets(node, node.right, on_the_right=True))
            return f"{left}{space}{node.operator}{space}{right}"
        case Call():
            return f"{node.function}({', '.join(map(render, node.arguments))})"
        case Compare():
            first, *others = map(render, node.operands)
            rest = zip(node.operators, others, strict=True)
            return first + "".join(f" {sign} {text}" for sign, text in rest)
        case LogicalNot():
            return f"not {_bracketed(node.operand, _precedence(node.operand) < _precedence(node))}"
        case Junction():
            own = _precedence(node)
            parts = (_bracketed(part, _precedence(part) < own) for part in node.operands)
            return f" {node.operator} ".join(parts)


def _precedence(node: Node) -> int:
    match node:
        case Integer():
            return UNARY if node.value < 0 else _ATOM
        case Name() | Call():
            return _ATOM
        case Negate():
            return UNARY
        case Binary() | Junction():
            return PRECEDENCE[node.operator]
        case Compare():
            return PRECEDENCE["=="]
        case LogicalNot():
            return PRECEDENCE["not"]


def _needs_brackets(parent: Binary, child: Node, *, on_the_right: bool) -> bool:
    own, inner = PRECEDENCE[parent.operator], _precedence(child)
    groups_right = parent.operator == "**"  # x**y**z is x**(y**z)
    if inner < own or (inner == own and on_the_right != groups_right):
        return True
    if on_the_right and inner == UNARY:
        return True
    is_same = isinstance(child, Binary) and child.operator == parent.operator
    return own < _SUM and inner <= _SUM and not is_same


def _bracketed(node: Node, needed: bool) -> str:
    return f"({render(node)})" if needed else render(node)


def match_nodes(node: Node, pattern: Node, fixed: Collection[str], values: dict[str, Node]) -> bool:
    """Match a pattern with a node, by values for its names.

    The values, integers or names, are added to `values`.
    """
    match pattern:
        case Name(name) if name not in fixed:
            is_value = isinstance(node, Integer) or (
                isinstance(node, Name) and node.name not in fixed
            )
            return is_value and values.setdefault(name, node) == node
        case Negate() if isinstance(node, Integer) and node.value <= 0:
            # The pattern -k is the literal -3 if k is 3.
            return match_nodes(Integer(-node.value), pattern.operand, fixed, values)
        case Name() | Integer():
            return pattern == node
        case _:
            # the same operator between operands that match
            own, others = children(node), children(pattern)
            return (
                len(own) == len(others)
                and with_operands(pattern, dict(zip(others, own, strict=True)).__getitem__) == node
                and all(match_nodes(*pair, fixed, values) for pair in zip(own, others, strict=True))
            )


def solve_nodes(node: Node, name: str) -> list[Node] | None:
    """Return candidates for `name`, as `Formula.solve`; None if they are unknown."""
    match node:
        case Junction():
            parts = [solve_nodes(operand, name) for operand in node.operands]
            known = [part for part in parts if part is not None]
            if node.operator == "and":
                return min(known, key=len, default=None)
            is_known = len(known) == len(parts)
            return list(dict.fromkeys(chain.from_iterable(known))) if is_known else None
        case Compare():
            sides = zip(node.operands, node.operators, node.operands[1:], strict=False)
            equations = [(left, right) for left, sign, right in sides if sign == "=="]
            solutions = (_solve_equation(*sides, name) for sides in equations)
            return next(([solution] for solution in solutions if solution is not None), None)
        case _:
            return None


def _solve_equation(left: Node, right: Node, name: str) -> Node | None:
    """Solve ``left == right`` for `name`, if it occurs once and can be isolated.

    A solution that may be undefined, such as a division by a name, is not returned: the equation may be part of an `or` that
    is true without it.
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
    """Solve ``side == target`` for `name`, which occurs once, in `side`."""
    match side:
        case Name():
            return target
        case Negate():
            return _isolate(side.operand, _difference(Integer(0), target), name)
        case Binary(operator="^"):
            terms = [*nim_terms(side), *nim_terms(target)]
            inner = next(term for term in terms if _count(term, name))
            others = [term for term in terms if term is not inner and term != Integer(0)]
            rest = reduce(partial(Binary, "^"), others) if others else Integer(0)
            return _isolate(inner, rest, name)
        case Binary(operator="+"):
            both = side.left, side.right
            inner, other = both if _count(side.left, name) else both[::-1]
            return _isolate(inner, _difference(target, other), name)
        case Binary(operator="-") if _count(side.left, name):
            return _isolate(side.left, _sum(target, side.right), name)
        case Binary(operator="-"):
            return _isolate(side.right, _difference(side.left, target), name)
        case _:
            return None


def _count(node: Node, name: str) -> int:
    return sum(isinstance(part, Name) and part.name == name for part in walk(node))


def nim_terms(node: Node) -> list[Node]:
    """Return the terms of a nim-sum, left to right."""
    if isinstance(node, Binary) and node.operator == "^":
        return [*nim_terms(node.left), *nim_terms(node.right)]
    return [node]


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
