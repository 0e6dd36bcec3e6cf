"""Formulas for P-positions or Grundy numbers: learnt on a box, then tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

import numpy as np

from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import (
    Binary,
    Integer,
    Name,
    Node,
    nim_terms,
    render,
    substitute,
    walk,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import read
from choco_pipeline.mining.closed_forms.synthesis import (
    MULTIPLES,
    Atoms,
    FormulaCase,
    Ints,
    Target,
    Truths,
    beyond_slopes,
    length,
    shortest_cases,
    widest_case,
)
from choco_pipeline.mining.closed_forms.value_sets import conditions_on
from choco_pipeline.mining.recurrences import repetition
from choco_pipeline.mining.table_findings import Evidence, FormulaLine, FormulasFinding, Tried
from choco_pipeline.tables.cells import CellBlock, Cells, Points, evaluate_at, holds_at, select

#: Most of the game's own numbers that are constants of formulas, and the largest.
OWN_NUMBERS, LARGEST_OWN = 4, 64
#: Sides of the first box on which formulas are learnt, by the number of the table's dimensions without passes.
SIDES = {1: 64, 2: 31, 3: 11}
SMALLEST_SIDE = 5
#: Side of the box on which formulas beyond a slope are learnt; these cover only a part of it.
SLOPE_SIDE = 127
#: Number of points of the first guess, half of them with a number; most guesses; and most wrong points that each guess adds to the
#: next one. The first triple is for a box of one table, the second for several small tables together.
ON_A_TABLE, ON_SEVERAL = (300, 8, 24), (400, 6, 40)
#: Most sets of atoms in the cache.
MOST_KEPT = 4
#: Fewest P-positions, and fewest other positions, of several tables together.
FEWEST_POOLED = 24
#: Most positions at which a formula may be wrong; the finding lists them.
EXCEPTIONS = 4
#: Fewest held-out cells of a table.
FEWEST_HELD_OUT = 64

Guess = Callable[[Atoms, Target], tuple[FormulaCase, ...] | None]
TRIED = (
    "linear forms with halves, nim-sums of shifted coordinates and small expressions, and the minimum, the maximum, the"
    " nim-sum and the sum of any two; for all positions, with and without a pass, by residues modulo 2 and 4, and by"
    " size; or for one residue class modulo 2 alone"
)


def pooled_formula(readings: Sequence[Reading]) -> str | None:
    """Return the shortest formula that is 0 exactly at several tables' P.

    Each table is of an uncut bar, and each of its cells is a position. A single bar has too few positions to find a formula that is more
    than chance, and to test it. But with heaps as coordinates, one formula may be right for bars of all sizes. So the positions of all
    tables are put together.
    """
    blocks = [(reading, block) for reading in readings for block in reading.cells.blocks()]
    targets = [reading.target(block) for reading, block in blocks]
    tops = [target.tops for target in targets if target.tops is not None]
    if len(tops) < len(targets) or not targets:
        return None
    parts = [reading.points(block) for reading, block in blocks]
    points = {name: np.concatenate([part[name] for part in parts]) for name in readings[0].names}
    target = Target(np.concatenate([part.numbers for part in targets]), np.concatenate(tops))
    if min(target.has_number.sum(), (~target.has_number).sum()) < FEWEST_POOLED:
        return None

    def guessed(chosen: Truths) -> tuple[FormulaCase, ...] | None:
        here = select(points, chosen)
        atoms = Atoms.at(here, (), readings[0].passes, with_grammar=True)
        cases = shortest_cases(replace(atoms, passes={}), target.at(chosen))
        return cases if cases is not None and len(cases) == 1 else None

    def wrong(cases: Sequence[FormulaCase]) -> Truths:
        return ~target.right(np.asarray(parse(cases[0].formula).evaluate(points), np.int64))

    cases = _refined(guessed, wrong, target, ON_SEVERAL)
    return None if cases is None else cases[0].formula


def _refined(
    guessed: Callable[[Truths], tuple[FormulaCase, ...] | None],
    wrong: Callable[[Sequence[FormulaCase]], Truths],
    target: Target,
    limits: tuple[int, int, int],
    forgiven: int = 0,
) -> tuple[FormulaCase, ...] | None:
    """Return formulas guessed from a sample that grows by wrong guesses."""
    sample, guesses, more = limits
    random = np.random.default_rng(0)
    chosen: Truths = np.zeros(target.numbers.shape, np.bool_)
    for kind in (target.has_number, ~target.has_number):
        most = sample if kind.all() else sample // 2
        chosen[random.permutation(np.flatnonzero(kind))[:most]] = True
    for _ in range(guesses):
        cases = guessed(chosen)
        if cases is None:
            return None
        are_wrong = wrong(cases)
        if are_wrong.sum() <= forgiven:
            return cases
        new = np.flatnonzero(are_wrong & ~chosen)[:more]
        if not new.size:
            return None
        chosen[new] = True
    return None


@dataclass
class Reading:
    """A table as target of formulas: a Grundy number, a coordinate, or 0 for P."""

    #: The table.
    cells: Cells

    @property
    def passes(self) -> dict[str, int]:
        """The coordinate that counts passes, if there is one, with their number."""
        base, passes = self.cells.game.base, self.cells.game.passes
        return dict.fromkeys(self.cells.game.coordinates[len(base.coordinates) :], passes)

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates in formulas, passes last; for a rectangular bar all heaps."""
        if self.cells.variable.name == "p_cell":
            return self.cells.game.coordinates
        return tuple(n for n in self.cells.game.coordinates if n in self.cells.variable.dims)

    @property
    def axes(self) -> list[int]:
        """The table's dimensions except passes."""
        dims = self.cells.variable.dims
        return [axis for axis, name in enumerate(dims) if name not in self.passes]

    @cached_property
    def own_numbers(self) -> tuple[int, ...]:
        """The numbers in the game's notation, amounts that may be taken, and a period.

        Grundy numbers of subtraction games often have the sum of the least and the largest amount as their period.
        """
        given: set[int] = set()
        with suppress(RulesetError):  # its heights have no formula, or it has no file
            given = {abs(number) for number in read(self.cells.game.notation).integers}
        for move in self.cells.game.base.rules.moves:
            if isinstance(move.by, tuple):
                given |= {*move.by, min(move.by) + max(move.by)}
            elif move.at_most is not None and not move.at_most.names:
                given.add(1 + int(move.at_most.value({})))
        numbers = sorted(given - {0})
        if self.cells.variable.name == "grundy" and len(self.cells.shape) == 1:
            _, period = repetition(self.cells.array.astype(np.int64)) or (0, 1)
            numbers = numbers[: OWN_NUMBERS - 1] + [period] * (period > 1)
        return tuple(n for n in dict.fromkeys(numbers) if n <= LARGEST_OWN)[:OWN_NUMBERS]

    def points(self, block: CellBlock) -> Points:
        """Return the coordinates of cells, by their names in formulas."""
        if self.cells.variable.name == "p_cell":
            return dict(zip(self.names, self.cells.positions(block.points).T, strict=True))
        return {name: block.points[name] for name in self.names}

    def sizes(self, block: CellBlock) -> Ints:
        """Return the largest coordinate of each cell, except passes."""
        dims = self.cells.variable.dims
        largest: Ints = np.maximum.reduce([block.points[dims[i]] for i in self.axes])
        return largest

    def target(self, block: CellBlock) -> Target:
        """Return the numbers that a formula must give, or 0 exactly at P-positions."""
        variable = self.cells.variable
        if variable.name == "grundy":
            return Target(block.values)
        if variable.stored is not None:
            return Target(block.values, block.tops if self.cells.free is None else None)
        is_p = self.cells.holds_p(block.values)
        return Target(np.where(is_p, 0, -1), np.zeros(len(block), np.int64))

    def comparison(
        self, block: CellBlock, cases: Sequence[FormulaCase]
    ) -> tuple[Ints, Truths, Truths]:
        """Return the formulas' values at cells, the cells in a case, and the wrong ones.

        Where two cases overlap, both must be right.
        """
        target, points = self.target(block), self.points(block)
        numbers = np.zeros(len(block), np.int64)
        covered, wrong = np.zeros((2, len(block)), np.bool_)
        for case in cases:
            here = holds_at(parse(case.where or "0 == 0"), points)
            numbers[here] = evaluate_at(parse(case.formula), select(points, here))
            covered |= here
            wrong |= here & ~target.right(numbers)
        return numbers, covered, wrong

    def count(self, block: CellBlock) -> int:
        """Return the number of positions in cells, which may be columns."""
        return len(block) if block.tops is None else int((block.tops + 1).sum())

    def exceptions(self, box: CellBlock, cases: Sequence[FormulaCase]) -> list[tuple[int, ...]]:
        """Return the positions of a box at which formulas are wrong."""
        numbers, _, wrong = self.comparison(box, cases)
        there, numbers = box.chosen(wrong), numbers[wrong]
        stored = self.cells.variable.stored
        if stored is None:
            return [*map(tuple, self.cells.positions(there.points).tolist())]
        positions: list[tuple[int, ...]] = []
        assert there.tops is not None
        for values in (there.values, numbers):
            legal = (values >= 0) & ((values <= there.tops) | (self.cells.free is not None))
            points = select(there.points, legal) | {stored: values[legal]}
            positions += map(tuple, self.cells.positions(points).tolist())
        return sorted(positions)

    def as_statement(self, formula: str) -> str:
        """Return a formula as one for Grundy numbers, or as a condition for P-positions."""
        variable = self.cells.variable
        if variable.name == "grundy":
            return formula
        if variable.stored is None:
            return self.in_table_names(is_zero(formula))
        return equation(variable.stored, formula, self.cells.game.coordinates)

    def in_table_names(self, text: str) -> str:
        """Return a text with the heaps of a bar expressed by its poisoned cell (i, j)."""
        face = self.cells.game.base.rules.face
        if not text or self.cells.variable.name != "p_cell" or face is None:
            return text
        heaps = [parse_nodes(formula.text) for formula in face.position]
        return render(substitute(parse_nodes(text), dict(zip(self.names, heaps, strict=False))))


@dataclass
class _TableSearch(Reading):
    """The search on one table, and the number of its candidates."""

    candidates: int = 0
    #: Cache of atoms by box and points: all searches begin with the same points.
    _atoms: dict[tuple[int, bytes], Atoms] = field(default_factory=dict)

    def formula(self, guess: Guess, forgiven: int) -> FormulasFinding | None:
        """Return a formula that is right in the table, learnt on growing boxes."""
        cells, axes = self.cells, self.axes
        if not 1 <= len(self.names) - len(self.passes) <= len(MULTIPLES):
            return None
        longest = max(cells.shape[axis] for axis in axes)
        side = min(SIDES.get(len(axes), SMALLEST_SIDE), longest // 2)
        if prod(cells.shape) * (longest - side - 1) < FEWEST_HELD_OUT * longest:
            side = longest // 3  # a small table needs a larger part for the test
        while SMALLEST_SIDE <= side <= longest // 2:
            ends = (side + 1 if axis in axes else None for axis in range(len(cells.shape)))
            inside = next(replace(cells, cells=cells.cells[tuple(map(slice, ends))]).blocks())
            cases = self._learn(inside, guess, forgiven)
            if cases is None:
                return None
            # The condition of a case without P-positions, or with no others, names no coordinate.
            lines = [parse(self.as_statement(case.formula)) for case in cases]
            if cells.variable.name != "grundy" and not all(line.names for line in lines):
                return None
            held_on = self._held_on(side, cases)
            if held_on is not None:
                return self._finding(cases, inside, side, held_on)
            side = 2 * side + 1
        return None

    def beyond_slopes(self) -> list[FormulasFinding]:
        """Return formulas for positions with one coordinate much larger than the other."""
        cells = self.cells
        if cells.variable.name != "grundy" or len(self.names) != 2 or self.passes:
            return []
        longest = max(cells.shape[axis] for axis in self.axes)
        side = min(SLOPE_SIDE, 2 * longest // 3)
        box = next(replace(cells, cells=cells.cells[: side + 1, : side + 1]).blocks())
        findings = []
        target = self.target(box)
        for cases in beyond_slopes(self.points(box), target, self.own_numbers):
            for case in cases:
                self.candidates += 1
                held_on = self._held_on(side, [case])
                if held_on is not None:
                    findings.append(self._finding([case], box, side, held_on))
                    break  # beyond a steeper line it covers less
        return findings

    def number_set(self) -> FormulasFinding | None:
        """Return a condition for P-positions of one heap, guessed from half of a table."""
        cells = self.cells
        if cells.variable.name != "p_position" or len(cells.shape) != 1:
            return None
        (name,), (block,) = self.names, cells.blocks()
        is_p = cells.holds_p(block.values)
        half = len(block) // 2
        for condition in conditions_on(name, is_p[:half]):
            self.candidates += 1
            if len(block) - half < FEWEST_HELD_OUT:
                return None
            if (holds_at(parse(condition), block.points) == is_p).all():
                line = FormulaLine(formula=condition, where="")
                found_on = Evidence(half, f"{name} below {half}")
                return self._finding_of([line], found_on, len(block) - half)
        return None

    def _learn(self, box: CellBlock, guess: Guess, forgiven: int) -> tuple[FormulaCase, ...] | None:
        """Return formulas right on a whole box, guessed from a sample of its cells."""
        points, target = self.points(box), self.target(box)

        def guessed(chosen: Truths) -> tuple[FormulaCase, ...] | None:
            here, key = select(points, chosen), (len(box), chosen.tobytes())
            atoms = self._atoms.get(key) or Atoms.at(
                here, self.own_numbers, self.passes, with_grammar=True
            )
            if len(self._atoms) < MOST_KEPT:
                self._atoms[key] = atoms
            self.candidates += len(atoms.formulas)
            return guess(atoms, replace(target.at(chosen), forgiven=forgiven))

        def wrong(cases: Sequence[FormulaCase]) -> Truths:
            return self.comparison(box, cases)[2]

        return _refined(guessed, wrong, target, ON_A_TABLE, forgiven)

    def _held_on(self, side: int, cases: Sequence[FormulaCase]) -> int | None:
        """Return the number of positions outside a box; None if one is wrong, or too few."""
        total = cells = 0
        for block in self.cells.blocks():
            _, covered, wrong = self.comparison(block, cases)
            outside = covered & (self.sizes(block) > side)
            if (wrong & outside).any():
                return None
            total += self.count(block.chosen(outside))
            cells += int(outside.sum())
        return total if cells >= FEWEST_HELD_OUT else None

    def _finding(
        self, cases: Sequence[FormulaCase], box: CellBlock, side: int, held_on: int
    ) -> FormulasFinding:
        where = (self.in_table_names(case.where or "") for case in cases)
        lines = [
            FormulaLine(formula=self.as_statement(case.formula), where=text)
            for case, text in zip(cases, where, strict=True)
        ]
        learnt = box.chosen(self.comparison(box, cases)[1])
        found_on = Evidence(self.count(learnt), f"box of side {side}")
        return self._finding_of(lines, found_on, held_on, self.exceptions(learnt, cases))

    def _finding_of(
        self,
        lines: Sequence[FormulaLine],
        found_on: Evidence,
        held_on: int,
        exceptions: Sequence[tuple[int, ...]] = (),
    ) -> FormulasFinding:
        cells = self.cells
        parts = [f"{f.formula} where {f.where}" if f.where else f.formula for f in lines]
        label = "G =" if cells.variable.name == "grundy" else "P iff"
        excepted = f", except at {', '.join(map(str, exceptions))}" if exceptions else ""
        return FormulasFinding(
            label=label,
            formulas=tuple(lines),
            exceptions=tuple(exceptions),
            size=sum(length(f.formula)[0] + length(f.where)[0] for f in lines),
            text=f"{label} {'; '.join(parts)}{excepted}",
            found_on=found_on,
            held_on=Evidence(held_on, f"the rest of the table, to bound {cells.bound}"),
            tried=Tried(candidates=self.candidates, what=TRIED),
        )


def mine_formulas(cells: Cells) -> list[FormulasFinding]:
    """Return formulas for a table, right everywhere or except at few positions.

    A formula with exceptions is returned beside one without, if it is not longer. If there is no formula, an empty finding has the
    candidates.
    """
    search = _TableSearch(cells)
    numbers = search.number_set()
    if numbers is not None:
        return [numbers]
    for guess in (shortest_cases, widest_case):
        exact, nearly = search.formula(guess, 0), search.formula(guess, EXCEPTIONS)
        findings = [exact] if exact is not None else []
        # with exceptions allowed, the guesses may still end at a formula without any
        if nearly and (exact is None or (nearly.exceptions and nearly.size <= exact.size)):
            findings.append(nearly)
        if findings:
            return findings + (search.beyond_slopes() if guess is widest_case else [])
    beyond, tried = search.beyond_slopes(), Tried(candidates=search.candidates, what=TRIED)
    return beyond or [FormulasFinding(nothing=True, tried=tried)]


def is_zero(formula: str) -> str:
    """Return the condition that a formula is 0; for ``|``, that both parts are.

    Examples
    --------
    >>> is_zero("a ^ b | c-a")
    'a == b and c == a'
    >>> is_zero("a ^ b ^ c")
    'a ^ b ^ c == 0'
    """
    match parse_nodes(formula):
        case Binary("|", left, right):
            return f"{_equality(left)} and {_equality(right)}"
        case _:
            return f"{formula} == 0"


def _equality(node: Node) -> str:
    match node:
        case Binary(
            "^" | "-",
            Name() | Binary("//", Name(), Integer()) as left,
            Name() | Binary("//", Name(), Integer()) as right,
        ):
            return f"{render(left)} == {render(right)}"
        case _:
            return f"{render(node)} == 0"


def equation(name: str, formula: str, order: Sequence[str]) -> str:
    """Return the equation of a coordinate and a formula, if possible as a nim-sum.

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
    terms = nim_terms(node)
    if len(terms) == 1:
        return f"{name} == {formula}"

    places = {coordinate: place for place, coordinate in enumerate(order)}

    def place(term: Node) -> int:
        return min((places[part.name] for part in walk(term) if isinstance(part, Name)), default=-1)

    ordered = sorted([*terms, shifted], key=place)
    return parse(" ^ ".join(f"({render(term)})" for term in ordered) + " == 0").text
