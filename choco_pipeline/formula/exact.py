"""The values of a formula: exact at one place, by which all others are defined, or on arrays."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import nodes
from choco_pipeline.formula.nodes import FormulaError, Node
from choco_pipeline.formula.parse import quoted, suggestion

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]
#: The values g(0), g(1), ... of a look-up function.
Table = Sequence[int] | NDArray[np.integer]

_Known = TypeVar("_Known")

#: Operators that need a divisor or a natural number on the right: the problem without one, and a stand-in.
PARTIAL = {
    "//": ("division by zero", 1),
    "%": ("division by zero", 1),
    "<<": ("shift by a negative count", 0),
    ">>": ("shift by a negative count", 0),
    "**": ("power with a negative exponent", 0),
}


class Values:
    """The values of a formula's parts at one place, or in a block of cells of one shape.

    At one place the values of `known` are Python integers, which are exact. In a block they may also be arrays that broadcast to
    its shape, of whose values something has proved that they stay within 64 bits. A name with one value is a Python integer
    there, too, by which numpy divides much faster. ``tables["g"][n]`` is g(n).

    `open_` marks the cells in which a value matters; None is all of them, and it is never all False. Elsewhere operators
    use a stand-in for operands without a value, and the result is not used.
    """

    def __init__(
        self,
        text: str,
        known: Mapping[str, int | Integers],
        tables: Mapping[str, Table],
        shape: tuple[int, ...] = (),
    ) -> None:
        self._text = text
        self._known = known
        self._tables = tables
        self._shape = shape

    def integer(self, node: Node, open_: Truths | None = None) -> int | Integers:
        """Return the values of an integer; operands are computed left to right."""
        match node:  # what is most frequent first: definitions in tests ask for millions of values
            case nodes.Name():
                value = self._known.get(node.name)
                if type(value) is int and value.bit_length() <= nodes.MAX_BITS:
                    return value
                return self._name(node, value)
            case nodes.Binary():
                return self._binary(node, open_)
            case nodes.Integer():
                return node.value
            case nodes.Negate():
                return -self.integer(node.operand, open_)
            case nodes.Call():
                arguments = [self.integer(argument, open_) for argument in node.arguments]
                return self._call(node, arguments, open_)
            case nodes.Compare() | nodes.LogicalNot() | nodes.Junction():
                raise TypeError(f"not an integer: {node}")

    def truth(self, node: Node, open_: Truths | None = None) -> bool | Truths:
        """Return the values of a truth; operands after a decision are not computed."""
        match node:
            case nodes.Compare():
                return self._compare(node, open_)
            case nodes.Junction():
                return self._junction(node, open_)
            case nodes.LogicalNot():
                operand = self.truth(node.operand, open_)
                return not operand if isinstance(operand, bool) else ~operand
            case nodes.Integer() | nodes.Name() | nodes.Negate() | nodes.Binary() | nodes.Call():
                raise TypeError(f"not a truth: {node}")

    def _name(self, node: nodes.Name, value: Any) -> int | Integers:
        """Return an array, or check an integer that a name is given."""
        if value is None:
            raise missing_name(self._text, node, self._known)
        if isinstance(value, np.ndarray):
            return value
        integer = operator.index(value)
        if integer.bit_length() > nodes.MAX_BITS:
            raise too_large(self._text, node.name, node.column)
        return integer

    def _binary(self, node: nodes.Binary, open_: Truths | None) -> int | Integers:
        sign, left = node.operator, self.integer(node.left, open_)
        right = self.integer(node.right, open_)
        if sign in PARTIAL:
            problem, stand_in = PARTIAL[sign]
            bad = right == 0 if stand_in else right < 0
            right = self._defined(right, bad, stand_in, open_, problem, node)
            if isinstance(left, int) and isinstance(right, int):
                is_large = sign == "<<" and left and left.bit_length() + right > nodes.MAX_BITS
                if is_large or (sign == "**" and power_is_too_large(left, right)):
                    raise too_large(self._text, sign, node.column)  # before it costs the memory
        value: int | Integers = nodes.OPERATORS[sign](left, right)
        if isinstance(value, int) and value.bit_length() > nodes.MAX_BITS:
            raise too_large(self._text, sign, node.column)
        return value

    def _compare(self, node: nodes.Compare, open_: Truths | None) -> bool | Truths:
        result: bool | Truths = True
        left = self.integer(node.operands[0], open_)
        for sign, operand in zip(node.operators, node.operands[1:], strict=True):
            if isinstance(result, bool):
                if not result:
                    return result
                right = self.integer(operand, open_)
                result = nodes.COMPARISONS[sign](left, right)
            else:
                open_ = result if open_ is None else result & open_
                if not open_.any():
                    return result
                right = self.integer(operand, open_)
                result = result & nodes.COMPARISONS[sign](left, right)
            left = right
        return result

    def _junction(self, node: nodes.Junction, open_: Truths | None) -> bool | Truths:
        decides = node.operator == "or"
        result: bool | Truths = not decides
        for operand in node.operands:
            if isinstance(result, bool):
                if result == decides:
                    return result
                result = self.truth(operand, open_)
                continue
            undecided = ~result if decides else result
            if open_ is not None:
                undecided = undecided & open_
            if not undecided.any():
                return result
            following = self.truth(operand, undecided)
            result = result | following if decides else result & following
        return result

    def _call(
        self, node: nodes.Call, arguments: list[int | Integers], open_: Truths | None
    ) -> int | Integers:
        argument = arguments[0]
        match node.function:
            case "min" | "max" as name:
                integers = [one for one in arguments if isinstance(one, int)]
                if len(integers) == len(arguments):
                    return min(integers) if name == "min" else max(integers)
                extreme = np.minimum if name == "min" else np.maximum
                chosen: Integers = reduce(extreme, map(np.asarray, arguments))
                return chosen
            case "abs":
                return abs(argument) if isinstance(argument, int) else np.absolute(argument)
            case "v2":
                argument = self._defined(argument, argument == 0, 1, open_, "v2(0)", node)
                if isinstance(argument, int):
                    return exponent_of_2(argument)
                zeros = ~argument & (argument - 1)  # a one for each zero below the lowest one
                counts: Integers = np.bitwise_count(zeros).astype(np.int64)
                return counts
            case "log2":
                problem = "log2 of a number below 1"
                argument = self._defined(argument, argument < 1, 1, open_, problem, node)
                if isinstance(argument, int):
                    return argument.bit_length() - 1
                for shift in (1, 2, 4, 8, 16, 32):  # ones in all places below the highest one
                    argument = argument | argument >> shift
                digits: Integers = np.bitwise_count(argument).astype(np.int64)
                return digits - 1
            case _:
                pass
        table: Any = table_for(self._text, node, self._tables)
        problem = f"{node.function} is known for 0..{len(table) - 1}, asked"
        outside = (argument < 0) | (argument >= len(table))
        argument = self._defined(argument, outside, 0, open_, problem, node)
        if isinstance(argument, int):
            return int(table[argument])
        values: Integers = table[argument]
        return values

    def _defined(
        self,
        operand: int | Integers,
        bad: bool | Truths,
        stand_in: int,
        open_: Truths | None,
        problem: str,
        node: nodes.Binary | nodes.Call,
    ) -> int | Integers:
        """Return `operand` with a stand-in where it is bad, in no open cell."""
        if bad is False or not np.any(bad):
            return operand
        faults = np.broadcast_to(bad if open_ is None else bad & open_, self._shape)
        if not faults.any():
            return np.where(bad, stand_in, operand)
        fault = np.unravel_index(int(faults.argmax()), self._shape)
        place = {
            name: int(np.broadcast_to(self._known[name], self._shape)[fault])
            for name in nodes.names_of(node)
        }
        raise undefined(self._text, problem, node, place)


def always_undefined(node: Node, text: str) -> FormulaError | None:
    """Return the error of the first operator without a value, or None."""
    for part in nodes.walk(node):
        asked: Node
        match part:
            case nodes.Binary(operator, _, right) if operator in PARTIAL:
                constant, asked = right, replace(part, left=nodes.Integer(1))
            case nodes.Call("v2" | "log2", (argument,)):
                constant, asked = argument, part
            case _:
                continue
        if _is_constant(constant):
            try:
                Values(text, {}, {}).integer(asked)
            except FormulaError as error:
                return error
    return None


def _is_constant(node: Node) -> bool:
    return not any(
        isinstance(part, nodes.Name)
        or (isinstance(part, nodes.Call) and part.function not in nodes.FUNCTIONS)
        for part in nodes.walk(node)
    )


def exponent_of_2(n: int) -> int:
    """Return the largest e such that 2**e divides `n`, which is not zero."""
    return (n & -n).bit_length() - 1


def power_is_too_large(base: int, exponent: int) -> bool:
    """Whether base**exponent surely has more than `MAX_BITS` bits."""
    return (base.bit_length() - 1) * exponent >= nodes.MAX_BITS


def undefined(
    text: str, problem: str, node: nodes.Binary | nodes.Call, place: Mapping[str, int]
) -> FormulaError:
    """Return the error for an operator or function without a value at a place."""
    where = f": {', '.join(f'{name}={place[name]}' for name in sorted(place))}" if place else ""
    return FormulaError(f"{problem} at column {node.column}{where}", text, node.column)


def missing_name(text: str, node: nodes.Name, known: Mapping[str, object]) -> FormulaError:
    """Return the error for a name that has no value."""
    given = f"values are given for {', '.join(sorted(known))}" if known else "no values are given"
    problem = f"name {quoted(node.name)} at column {node.column} has no value: {given}{suggestion(node.name, known)}"
    return FormulaError(problem, text, node.column)


def table_for(text: str, node: nodes.Call, tables: Mapping[str, _Known]) -> _Known:
    """Return the table of a look-up function."""
    if node.function not in tables:
        names = ", ".join(sorted(tables))
        given = f"tables are given for {names}" if names else "no tables are given"
        problem = f"function {quoted(node.function)} at column {node.column} has no table: {given}"
        raise FormulaError(problem, text, node.column)
    return tables[node.function]


def too_large(text: str, what: str, column: int) -> FormulaError:
    """Return the error for an integer beyond `MAX_BITS`."""
    problem = f"{quoted(what)} at column {column} needs more than {nodes.MAX_BITS} bits"
    return FormulaError(problem, text, column)
