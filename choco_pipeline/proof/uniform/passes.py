"""The relation of a game without passes, from that of the game with passes.

With p passes left a game has the Grundy numbers that it has with p % 2 passes, and one pass exchanges 2i-1 and 2i if only the end
has the number 0 (docs/lemmas.md). So a proof needs the relation for p = 0 alone. It is a hint: the checker decides that the
statement follows from it.
"""

from __future__ import annotations

from dataclasses import replace

from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    Name,
    Node,
    is_truth,
    names_of,
    nim_terms,
    render,
    substitute,
    walk,
    with_operands,
)
from choco_pipeline.games.notation import Notation

ZERO = Integer(0)


def split_passes(notation: Notation) -> tuple[Notation, Formula | None]:
    """Return a game without its passes, and their number; None if it has none."""
    if notation.name != "with-pass":
        return notation, None
    given = dict(notation.arguments)
    game, passes = given["game"], given["passes"]
    assert isinstance(game, Notation)
    assert isinstance(passes, Formula)
    return game, passes


def without_passes(relation: Node, passes: str) -> Node:
    """Return a relation where no passes are left, simplified.

    Examples
    --------
    >>> from choco_pipeline.formula.parse import parse_nodes
    >>> text = "x == 0 and y == 0 and p % 2 == 1 or (x+s) ^ (y+s) ^ (p % 2) == 0"
    >>> render(without_passes(parse_nodes(text), "p"))
    '(x+s) ^ (y+s) == 0'
    """
    return _simplified(substitute(relation, {passes: ZERO}))


def _simplified(node: Node) -> Node:
    node = with_operands(node, _simplified)
    match node:
        case Integer() | Name():
            return node
        case _ if (value := _value(node)) is not None and not is_truth(node):
            return Integer(value)
        case Junction(operator, operands):
            values = [_value(part) for part in operands]
            if (operator == "or") in values:
                return operands[values.index(operator == "or")]
            rest = [part for part, value in zip(operands, values, strict=True) if value is None]
            return replace(node, operands=tuple(rest)) if len(rest) > 1 else (rest or operands)[0]
        case Binary("^" | "+" | "-", part, Integer(0)) | Binary("^" | "+", Integer(0), part):
            return part
        case Call("max", (Integer(0), part) | (part, Integer(0))):  # no Grundy number is negative
            return part
        case Compare(("==",), (Binary("^", left, right), Integer(0))) if _is_nested(left, right):
            return Compare(("==",), (left, right))
        case _:
            return node


def _value(node: Node) -> int | None:
    """Return the value of a formula without names, if it has one."""
    if names_of(node):
        return None
    try:
        return parse(render(node)).value({})
    except FormulaError:
        return None


def _is_nested(*nodes: Node) -> bool:
    """Whether a term of nim-sums has a nim-sum in it."""
    terms = [term for node in nodes for term in nim_terms(node)]
    return any(isinstance(part, Binary) and part.operator == "^" for t in terms for part in walk(t))
