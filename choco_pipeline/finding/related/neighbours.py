"""Neighbours of games: fewer passes, smaller parameters, lower heights, x and z exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, render, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import Argument, Notation

#: Differences of parameters.
STEPS = (1, 2, 4)
#: Largest shift of positions along each coordinate; along x and z if heights differ by 1.
MOST_MOVED, MOST_MOVED_ALONG = 2, 8


@dataclass(frozen=True)
class Neighbours:
    """A game and a neighbour, as notations in the same parameters."""

    #: Both games.
    own: str
    other: str
    #: The difference of passes left.
    fewer: int = 0
    #: Whether x and z are exchanged.
    is_swapped: bool = False
    #: The parameter that is smaller in the neighbour; empty for none.
    name: str = ""
    #: The largest shifts along x and z, and along other coordinates.
    along: int = 0
    up: int = 0

    @property
    def where(self) -> str:
        """The condition on positions; empty for all."""
        return f"p >= {self.fewer}" if self.fewer else ""


def neighbours(pattern: Notation) -> Iterator[Neighbours]:
    """Yield the neighbours of the games of a family.

    Examples
    --------
    >>> from choco_pipeline.games.notation import read
    >>> [pair.other for pair in neighbours(read("solid-bar(f=(x+z)//3)"))]
    ['solid-bar(f=(x+z)//3)', 'solid-bar(f=(x+z)//3)']
    """
    text = pattern.text
    if pattern.name == "with-pass":
        (_, game), (_, passes) = pattern.arguments
        assert isinstance(game, Notation)
        assert isinstance(passes, Formula)
        yield Neighbours(text, text, fewer=1)
        if not passes.names:
            more = f"with-pass({game.text}, passes={max(2, int(passes.value({})))})"
            yield Neighbours(more, more, fewer=2)
    for name in sorted(pattern.names):
        for step in STEPS:
            other = _less(pattern, name, step).text
            yield Neighbours(text, other, name=name, along=MOST_MOVED, up=MOST_MOVED)
    if pattern.name == "solid-bar":
        ((_, height),) = pattern.arguments
        if isinstance(height, Formula) and height.text not in pattern.names:
            higher = f"solid-bar(f={parse(f'({height.text})+1').text})"
            yield Neighbours(higher, text, along=MOST_MOVED_ALONG, up=1)
        yield Neighbours(text, text, is_swapped=True)


def _less(pattern: Notation, name: str, step: int) -> Notation:
    """Return a notation in which a parameter is smaller by a number."""

    def smaller(node: Node) -> Node:
        if node == Name(name):
            return Binary("-", node, Integer(step))
        return with_operands(node, smaller)

    def of(argument: Argument) -> Argument:
        match argument:
            case Notation():
                return _less(argument, name, step)
            case Formula():
                return parse(render(smaller(parse_nodes(argument.text))))
            case _:
                return argument

    return Notation(pattern.name, tuple((key, of(value)) for key, value in pattern.arguments))
