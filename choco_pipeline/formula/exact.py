"""Exact values of formulas at one place, which define all other evaluations."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import nodes
from choco_pipeline.formula.nodes import FormulaError, Node
from choco_pipeline.formula.parse import quoted, suggestion

#: The values g(0), g(1), ... of a look-up function.
Table = Sequence[int] | NDArray[np.integer]

_Known = TypeVar("_Known")

#: The operators that have no value for some right operands, each with the problem.
PROBLEMS = dict.fromkeys(("//", "%"), "division by zero")
PROBLEMS |= dict.fromkeys(("<<", ">>"), "shift by a negative count")
PROBLEMS |= {"**": "power with a negative exponent"}


class Place:
    """Evaluator at one place, by the values of names; ``tables["g"][n]`` is g(n)."""

    def __init__(self, text: str, values: Mapping[str, int], tables: Mapping[str, Table]) -> None:
        self._text = text
        self._values = values
        self._tables = tables

    def value(self, node: Node) -> int:
        """Return the value of a node; operands are computed left to right.

        The value of a condition is a bool, and its evaluation stops at a deciding operand.
        """
        match node:  # the most frequent nodes first: tests compute millions of values by definition
            case nodes.Name():
                return self._bounded(self._name(node), node)
            case nodes.Binary():
                return self._binary(node, self.value(node.left), self.value(node.right))
            case nodes.Compare():
                left = self.value(node.operands[0])
                for sign, operand in zip(node.operators, node.operands[1:], strict=True):
                    right = self.value(operand)
                    if not nodes.COMPARISONS[sign](left, right):
                        return False
                    left = right
                return True
            case nodes.Integer():
                return node.value
            case nodes.Junction():
                decides = node.operator == "or"
                for operand in node.operands:
                    if self.value(operand) == decides:
                        return decides
                return not decides
            case nodes.LogicalNot():
                return not self.value(node.operand)
            case nodes.Negate():
                return -self.value(node.operand)
            case nodes.Call():
                return self._call(node, [self.value(argument) for argument in node.arguments])

    def _name(self, node: nodes.Name) -> int:
        if node.name not in self._values:
            raise missing_name(self._text, node, self._values)
        return operator.index(self._values[node.name])

    def _binary(self, node: nodes.Binary, left: int, right: int) -> int:
        match node.operator:
            case "+" | "-" | "^":
                pass
            case "//" | "%" if right == 0:
                raise self._undefined(PROBLEMS[node.operator], node)
            case "<<" | ">>" | "**" if right < 0:
                raise self._undefined(PROBLEMS[node.operator], node)
            case "<<":
                if left and left.bit_length() + right > nodes.MAX_BITS:  # before memory is used
                    raise too_large(self._text, node.operator, node.column)
                return left << right if left else 0
            case "**" if power_is_too_large(left, right):
                raise too_large(self._text, node.operator, node.column)
            case _:
                pass
        return self._bounded(nodes.OPERATORS[node.operator](left, right), node)

    def _call(self, node: nodes.Call, arguments: list[int]) -> int:
        match node.function:
            case "min":
                return min(arguments)
            case "max":
                return max(arguments)
            case "abs":
                return abs(arguments[0])
            case "v2":
                if arguments[0] == 0:
                    raise self._undefined("v2(0)", node)
                return exponent_of_2(arguments[0])
            case "log2":
                if arguments[0] < 1:
                    raise self._undefined("log2 of a number below 1", node)
                return arguments[0].bit_length() - 1
            case function:
                table = table_for(self._text, node, self._tables)
                if not 0 <= arguments[0] < len(table):
                    problem = f"argument of {function} outside 0..{len(table) - 1}"
                    raise self._undefined(problem, node)
                return int(table[arguments[0]])

    def _bounded(self, value: int, node: nodes.Name | nodes.Binary) -> int:
        if value.bit_length() > nodes.MAX_BITS:
            what = node.name if isinstance(node, nodes.Name) else node.operator
            raise too_large(self._text, what, node.column)
        return value

    def _undefined(self, problem: str, node: nodes.Binary | nodes.Call) -> FormulaError:
        names = nodes.names_of(node)
        return undefined(self._text, problem, node, {name: self._values[name] for name in names})


def always_undefined(node: Node, text: str) -> FormulaError | None:
    """Return the error of the first part that never has a value, or None."""
    for part in nodes.walk(node):
        instance: Node
        match part:
            case nodes.Binary(operator, _, right) if operator in PROBLEMS:
                constant, instance = right, replace(part, left=nodes.Integer(1))
            case nodes.Call("v2" | "log2", (argument,)):
                constant, instance = argument, part
            case _:
                continue
        if not nodes.names_of(constant) and not nodes.look_ups_of(constant):
            try:
                Place(text, {}, {}).value(instance)
            except FormulaError as error:
                return error
    return None


def exponent_of_2(n: int) -> int:
    """Return the largest e such that 2**e divides `n`, which is not zero."""
    return (n & -n).bit_length() - 1


def power_is_too_large(base: int, exponent: int) -> bool:
    """Whether ``base**exponent`` certainly has more than `MAX_BITS` bits."""
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
