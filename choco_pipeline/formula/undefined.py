"""Operators that have no value whatever the names are: a division by the constant 0, say."""

from __future__ import annotations

from dataclasses import replace

from choco_pipeline.formula.exact import Place
from choco_pipeline.formula.formula_errors import FormulaError
from choco_pipeline.formula.nodes import FUNCTIONS, Binary, Call, Integer, Name, Node, walk

_NEED_A_RIGHT_OPERAND = ("//", "%", "<<", ">>", "**")


def always_undefined(node: Node, text: str) -> FormulaError | None:
    """Return the error of the first operator or function whose constant operand leaves it without a value, or None."""
    for part in walk(node):
        asked: Node
        match part:
            case Binary(operator, _, right) if operator in _NEED_A_RIGHT_OPERAND:
                constant, asked = right, replace(part, left=Integer(1))
            case Call("v2", (argument,)):
                constant, asked = argument, part
            case _:
                continue
        if _is_constant(constant):
            try:
                Place(text, {}, {}).integer(asked)
            except FormulaError as error:
                return error
    return None


def _is_constant(node: Node) -> bool:
    return not any(
        isinstance(part, Name) or (isinstance(part, Call) and part.function not in FUNCTIONS)
        for part in walk(node)
    )
