"""What a claim says of positions, as sentences; and the least position that makes a sentence true."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from choco_pipeline.automata.dfa import Automaton, Variable
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Negate, Node, render, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.logic import TRUE, Sentence, conjunction, linear
from choco_pipeline.proof.arithmetic.terms import Meaning, condition, value_is


def holds(
    formula: Formula | None, values: Mapping[str, int], names: Mapping[str, Meaning] | None = None
) -> Sentence:
    """Return that a condition is true, its names being natural numbers.

    What is computed on the way may be negative: ``(x-1) ^ y == 0`` needs y = -1 at x = 0, and so is false there.

    A formula that is None always holds; `values` are integers for parameters and the passes left; `names` says what stands
    for the other names, by default they themselves.

    Raises
    ------
    NotDefinableError
        If the logic cannot say it; the message names the part.
    FormulaError
        If a part has no value, whatever the names are.

    Examples
    --------
    >>> from choco_pipeline.proof.arithmetic.logic import written
    >>> print(written(holds(parse("x+p < k*y"), {"k": 3, "p": 1})))
    not - x + 3*y - 1 <= 0
    """
    return TRUE if formula is None else condition(formula.substitute(values), names)


def has_value(
    formula: Formula, values: Mapping[str, int], variable: Variable, *, negative: bool = False
) -> Sentence:
    """Return that an integer formula has the value `variable`, or if `negative` -`variable`-1; see `holds`."""
    stated = parse(f"-({formula.text})-1") if negative else formula
    return value_is(variable, stated.substitute(values))


def at_negative(formula: Formula, name: str) -> Formula:
    """Return the formula with -`name`-1 in place of `name`: what it says of negative numbers, said of natural ones.

    Examples
    --------
    >>> at_negative(parse("v == -3 or v*v > 9"), "v")
    Formula('-v-1 == -3 or (-v-1)*(-v-1) > 9')
    """

    def replaced(node: Node) -> Node:
        if isinstance(node, Name) and node.name == name:
            return Binary("-", Negate(node), Integer(1))
        return with_operands(node, replaced)

    root = parse_nodes(formula.text, None, formula.functions)
    return parse(render(replaced(root)), functions=formula.functions)


def at_most_each(names: Collection[Variable], most: int | None) -> Sentence:
    """Return that each of the numbers is at most `most`; that nothing is asked of them if it is None."""
    if most is None:
        return TRUE
    return conjunction(*(linear({name: 1}, -most, "<=") for name in names))


def least(a: Automaton, order: tuple[Variable, ...]) -> Position | None:
    """Return the numbers in a relation whose largest is least, and of these the first, number by number.

    `order` are its tracks in the order in which numbers are compared, and returned; one that is no track is 0. None if the
    relation is empty.
    """
    layers = _shortest(a)
    if layers is None:
        return None
    # Of the numbers that may follow a state, those with the least maximum lead after one more digit too; of those with
    # equal maxima, which one leads depends on which of them are maximal, so that each choice of these is kept.
    following: dict[int, dict[int, Position]] = {
        state: {(1 << len(order)) - 1: (0,) * len(order)} for state in layers.pop()
    }
    digits = [
        [symbol >> a.tracks.index(name) & 1 if name in a.tracks else 0 for name in order]
        for symbol in range(a.delta.shape[1])
    ]
    for layer in reversed(layers):
        following = {
            state: _leading(
                tuple(2 * r + d for r, d in zip(rest, digits[symbol], strict=True))
                for symbol, after in enumerate(a.delta[state].tolist())
                for rest in following.get(after, {}).values()
            )
            for state in layer
        }
    return min(following[0].values(), key=lambda position: (max(position, default=0), position))


def _leading(positions: Iterable[Position]) -> dict[int, Position]:
    """Return, of numbers with the least maximum, the first for each set of those that are maximal."""
    best: dict[int, Position] = {}
    lowest = -1
    for position in positions:
        largest = max(position, default=0)
        if lowest in (-1, largest) or largest < lowest:
            if largest != lowest:
                best, lowest = {}, largest
            maximal = sum((number == largest) << i for i, number in enumerate(position))
            best[maximal] = min(position, best.get(maximal, position))
    return best


def _shortest(a: Automaton) -> list[list[int]] | None:
    """Return the states after 0, 1, … digits of the shortest accepted words; None if there are none."""
    distance = np.where(a.accepting, 0, a.states)
    while True:
        nearer = np.minimum(distance, 1 + distance[a.delta].min(axis=1))
        if np.array_equal(nearer, distance):
            break
        distance = nearer
    if distance[0] >= a.states:
        return None
    layers = [[0]]
    for left in range(int(distance[0]) - 1, -1, -1):
        reached = np.unique(a.delta[layers[-1]])
        layers.append(reached[distance[reached] == left].tolist())
    return layers
