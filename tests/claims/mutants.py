"""Small changes to formulas: constants, operators, comparisons, conjunctions; each makes another formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    render,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import Range

OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "+",
    "**": "*",
    "//": "%",
    "%": "//",
    "^": "|",
    "&": "|",
    "|": "^",
    "<<": "*",
    ">>": "<<",
}
COMPARISONS = {
    "==": ("<=",),
    "!=": ("==", "<"),
    "<": ("<=",),
    "<=": ("<",),
    ">": (">=",),
    ">=": (">",),
}
FUNCTIONS = {"min": "max", "max": "min"}


def mutants(formula: Formula) -> Iterator[Formula]:
    """Yield formulas with one small change, in the order in which they are written."""
    root = parse_nodes(formula.text, None, formula.functions)
    for changed in _changes(root):
        try:
            mutant = parse(render(changed), functions=formula.functions)
        except FormulaError:  # a constant that must not be negative, say
            continue
        if mutant != formula:
            yield mutant


def range_mutants(span: Range) -> Iterator[str]:
    """Yield ranges that begin or end one off, as text."""
    if span.first != span.last:
        step = "" if span.step is None else f" step {span.step}"
        yield f"({span.first})+1..{span.last}{step}"
        yield f"{span.first}..({span.last})-1{step}"


def _changes(node: Node) -> Iterator[Node]:
    match node:
        case Integer(value):
            yield replace(node, value=value + 1)
            yield replace(node, value=value - 1)
        case Name():
            pass
        case Negate(operand):
            yield operand
            yield from (replace(node, operand=changed) for changed in _changes(operand))
        case LogicalNot(operand):
            yield operand
            yield from (replace(node, operand=changed) for changed in _changes(operand))
        case Binary(operator, left, right):
            yield replace(node, operator=OPERATORS[operator])
            yield from (replace(node, left=changed) for changed in _changes(left))
            yield from (replace(node, right=changed) for changed in _changes(right))
        case Call(function, arguments):
            if function in FUNCTIONS:
                yield replace(node, function=FUNCTIONS[function])
            for i, argument in enumerate(arguments):
                for changed in _changes(argument):
                    parts = (*arguments[:i], changed, *arguments[i + 1 :])
                    yield replace(node, arguments=parts)
        case Compare(operators, operands):
            for i, operator in enumerate(operators):
                for other in COMPARISONS[operator]:
                    signs = (*operators[:i], other, *operators[i + 1 :])
                    yield replace(node, operators=signs)
            for i, operand in enumerate(operands):
                for changed in _changes(operand):
                    yield replace(node, operands=(*operands[:i], changed, *operands[i + 1 :]))
        case Junction(operator, operands):
            yield replace(node, operator="or" if operator == "and" else "and")
            for i, operand in enumerate(operands):
                for changed in _changes(operand):
                    yield replace(node, operands=(*operands[:i], changed, *operands[i + 1 :]))
