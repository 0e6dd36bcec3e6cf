"""What is known of every position of a family of games: Grundy numbers or P-positions, as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
    Integer,
    Junction,
    Name,
    Node,
    with_operands,
)


@dataclass(frozen=True)
class Known:
    """What the positions of a family of games are."""

    #: Whether the formulas are Grundy numbers, or say which positions are P-positions.
    kind: Literal["grundy", "p-positions"]
    #: The formula for 0, 1, … passes left, in coordinates and parameters.
    by_passes: tuple[Node, ...]
    #: What is true of the coordinates of every position, too; that Grundy numbers are natural numbers is.
    facts: tuple[Node, ...] = ()

    @property
    def outcomes(self) -> tuple[Node, ...]:
        """Which positions are P-positions, by the passes left."""
        if self.kind == "p-positions":
            return self.by_passes
        return tuple(equal(value, Integer(0)) for value in self.by_passes)


def put(node: Node, values: Mapping[str, Node]) -> Node:
    """Return a formula with formulas put in for names, all at once."""
    if isinstance(node, Name) and node.name in values:
        return values[node.name]
    return with_operands(node, lambda operand: put(operand, values))


def equal(left: Node, right: Node) -> Node:
    """Return that two integers are the same."""
    return Compare(("==",), (left, right))


def different(left: Node, right: Node) -> Node:
    """Return that two integers are not the same."""
    return Compare(("!=",), (left, right))


def junction(operator: Literal["and", "or"], *parts: Node) -> Node:
    """Return that all of several conditions hold, or some."""
    flat: list[Node] = []
    for part in parts:
        same = isinstance(part, Junction) and part.operator == operator
        flat += part.operands if same and isinstance(part, Junction) else [part]
    return flat[0] if len(flat) == 1 else Junction(operator, tuple(flat))


def total(operator: str, *parts: Node) -> Node:
    """Return a sum or a nim-sum."""
    return reduce(lambda a, b: Binary(operator, a, b), parts)
