"""Formulas on a table: their targets in its cells, and the statements on positions that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, render, substitute, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import read
from choco_pipeline.mining.closed_forms.atoms import Ints, Truths
from choco_pipeline.mining.closed_forms.cases import FormulaCase
from choco_pipeline.mining.closed_forms.synthesis import Target
from choco_pipeline.tables.cells import (
    CellBlock,
    Cells,
    Points,
    evaluate_at,
    holds_at,
    select,
)

#: Most of the game's own numbers that are constants of formulas, and the largest.
OWN_NUMBERS, LARGEST_OWN = 4, 64


class Comparison(NamedTuple):
    """Formulas by cases, compared with the cells of a block."""

    #: The value that they give; 0 where they give none.
    numbers: Ints
    #: Where they give a value, and where it is wrong.
    covered: Truths
    wrong: Truths


@dataclass(frozen=True)
class Reading:
    """Formulas on one table: of Grundy numbers, of the coordinate that cells store, or of something that is 0 at P-positions."""

    #: The table.
    cells: Cells

    @property
    def passes(self) -> dict[str, int]:
        """The coordinate that counts passes, if there is one, with their number."""
        base, passes = self.cells.game.base, self.cells.game.passes
        return dict.fromkeys(self.cells.game.coordinates[len(base.coordinates) :], passes)

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates in formulas: those by which cells are found, passes last; of a rectangular bar all heaps."""
        if self.cells.variable.name == "p_cell":
            return self.cells.game.coordinates
        return tuple(n for n in self.cells.game.coordinates if n in self.cells.variable.dims)

    @property
    def axes(self) -> list[int]:
        """The table's dimensions except passes."""
        dims = self.cells.variable.dims
        return [axis for axis, name in enumerate(dims) if name not in self.passes]

    @property
    def own_numbers(self) -> tuple[int, ...]:
        """The numbers that the game's notation gives, such as k and s, and amounts that may be taken.

        Numbers of games in which some amounts may be taken often have the sum of the least and the largest as their period.
        """
        try:
            notation = read(self.cells.game.notation)
        except RulesetError:  # its heights are no formula
            return ()
        given = {abs(number) for number in notation.integers}
        for move in self.cells.game.base.rules.moves:
            if isinstance(move.by, tuple):
                given |= {*move.by, min(move.by) + max(move.by)}
            elif move.at_most is not None and not move.at_most.names:
                given.add(1 + int(move.at_most.value({})))
        numbers = sorted(given - {0})
        return tuple(n for n in numbers if n <= LARGEST_OWN)[:OWN_NUMBERS]

    def points(self, block: CellBlock) -> Points:
        """Return the coordinates of cells, as formulas name them."""
        if self.cells.variable.name == "p_cell":
            return dict(zip(self.names, self.cells.positions(block.points).T, strict=True))
        return {name: block.points[name] for name in self.names}

    def sizes(self, block: CellBlock) -> Ints:
        """Return the largest of the coordinates by which each cell is found, except passes."""
        largest: Ints = np.maximum.reduce(
            [block.points[self.cells.variable.dims[i]] for i in self.axes]
        )
        return largest

    def target(self, block: CellBlock) -> Target:
        """Return the target of a formula: the Grundy number, the stored coordinate, or 0 at P-positions alone."""
        variable = self.cells.variable
        if variable.name == "grundy":
            return Target(block.values)
        if variable.stored is not None:
            return Target(block.values, block.tops if self.cells.free is None else None)
        is_p = self.cells.holds_p(block.values)
        return Target(np.where(is_p, 0, -1), np.zeros(len(block), np.int64))

    def comparison(self, block: CellBlock, cases: Sequence[FormulaCase]) -> Comparison:
        """Return formulas by cases at the cells of a block. Where two of them speak, both must be right."""
        target, points = self.target(block), self.points(block)
        numbers = np.zeros(len(block), np.int64)
        covered, wrong = np.zeros((2, len(block)), np.bool_)
        for case in cases:
            here = holds_at(parse(case.where or "0 == 0"), points)
            numbers[here] = evaluate_at(parse(case.formula), select(points, here))
            covered |= here
            wrong |= here & ~target.right(numbers)
        return Comparison(numbers, covered, wrong)

    def count(self, block: CellBlock) -> int:
        """Return the number of positions: all of a column, if cells hold a coordinate."""
        return len(block) if block.tops is None else int((block.tops + 1).sum())

    def exceptions(self, box: CellBlock, cases: Sequence[FormulaCase]) -> list[tuple[int, ...]]:
        """Return the positions of a box at which formulas are wrong."""
        compared = self.comparison(box, cases)
        there, numbers = box.chosen(compared.wrong), compared.numbers[compared.wrong]
        stored = self.cells.variable.stored
        if stored is None:
            return [*map(tuple, self.cells.positions(there.points).tolist())]
        positions: list[tuple[int, ...]] = []
        for values in (there.values, numbers):
            assert there.tops is not None
            legal = (values >= 0) & ((values <= there.tops) | (self.cells.free is not None))
            points = select(there.points, legal) | {stored: values[legal]}
            positions += map(tuple, self.cells.positions(points).tolist())
        return sorted(positions)

    def said(self, formula: str) -> str:
        """Return a formula in the table's names: for a Grundy number, or as a condition for P-positions."""
        variable = self.cells.variable
        if variable.name == "grundy":
            return formula
        if variable.stored is None:
            return self.in_table_names(is_zero(formula))
        return equation(variable.stored, formula, self.cells.game.coordinates)

    def in_table_names(self, text: str) -> str:
        """Return a text with i and j, the poisoned cell, for the heaps of an uncut rectangular bar."""
        face = self.cells.game.base.rules.face
        if not text or self.cells.variable.name != "p_cell" or face is None:
            return text
        heaps = [parse_nodes(formula.text) for formula in face.position]
        return render(substitute(parse_nodes(text), dict(zip(self.names, heaps, strict=False))))


def is_zero(formula: str) -> str:
    """Return that a formula is 0: of two under ``|`` each is, and of a difference or a nim-sum of two both are the same.

    Examples
    --------
    >>> is_zero("a ^ b | c-a")
    'a == b and c == a'
    >>> is_zero("a ^ b ^ c")
    'a ^ b ^ c == 0'
    """
    match parse_nodes(formula):
        case Binary("|", left, right):
            return f"{_both_same(left)} and {_both_same(right)}"
        case _:
            return f"{formula} == 0"


def _both_same(node: Node) -> str:
    match node:
        case Binary("^" | "-", Name() as left, Name() as right):
            return f"{left.name} == {right.name}"
        case _:
            return f"{render(node)} == 0"


def equation(name: str, formula: str, order: Sequence[str]) -> str:
    """Return that a coordinate equals a formula: as a nim-sum that is 0, if the formula is one with a constant added.

    The nim-sum names the coordinates in the given order.

    Examples
    --------
    >>> equation("y", "((x-1) ^ (z-1))+2", "xyz")
    '(x-1) ^ (y-2) ^ (z-1) == 0'
    >>> equation("y", "x//2", "xyz")
    'y == x//2'
    """
    node, own = parse_nodes(formula), Name(name)
    shifted: Node = own
    match node:
        case Binary("+" | "-" as sign, left, Integer() as number):
            node, shifted = left, Binary("-" if sign == "+" else "+", own, number)
        case _:
            pass
    terms = list(_terms(node))
    if len(terms) == 1:
        return f"{name} == {formula}"

    places = {coordinate: place for place, coordinate in enumerate(order)}

    def place(term: Node) -> int:
        return min((places[part.name] for part in walk(term) if isinstance(part, Name)), default=-1)

    ordered = sorted([*terms, shifted], key=place)
    return parse(" ^ ".join(f"({render(term)})" for term in ordered) + " == 0").text


def _terms(node: Node) -> Iterator[Node]:
    match node:
        case Binary("^", left, right):
            yield from _terms(left)
            yield from _terms(right)
        case _:
            yield node
