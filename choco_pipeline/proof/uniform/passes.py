"""The relation of a game without passes, from that of the game with passes.

The Grundy numbers with p passes left equal those with p % 2 passes left. One pass exchanges 2i-1 and 2i if only the terminal position
has the Grundy number 0 (docs/lemmas.md). So a proof only needs the relation for p = 0. This relation is a hint: the checker decides
whether the statement follows from it.
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
    operators_of,
    render,
    substitute,
    with_operands,
)
from choco_pipeline.games.notation import Notation

ZERO = Integer(0)


def split_passes(notation: Notation) -> tuple[Notation, Formula | None]:
    """Return the game without passes, and the number of passes; None for no passes."""
    if notation.name != "with-pass":
        return notation, None
    given = dict(notation.arguments)
    game, passes = given["game"], given["passes"]
    assert isinstance(game, Notation)
    assert isinstance(passes, Formula)
    return game, passes


def without_passes(relation: Node, passes: str) -> Node:
    """Return the relation for 0 passes left, simplified.

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
        case Call("max", (Integer(0), part) | (part, Integer(0))):  # Grundy numbers are natural
            return part
        case Compare(("==",), (Binary("^", left, right) as nim_sum, Integer(0))) if any(
            "^" in operators_of(term) for term in nim_terms(nim_sum)
        ):
            return Compare(("==",), (left, right))
        case _:
            return node


def _value(node: Node) -> int | None:
    """Return the value of a constant formula; None for others."""
    if names_of(node):
        return None
    try:
        return parse(render(node)).value({})
    except FormulaError:
        return None
