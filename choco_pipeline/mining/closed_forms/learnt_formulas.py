"""Formulas for P-positions or Grundy numbers: learnt on a small box of a table and tested on the rest, or on several tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import xarray as xr

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.closed_forms.atoms import MULTIPLES, Ints, Truths, length
from choco_pipeline.mining.closed_forms.cases import (
    FormulaCase,
    beyond_slopes,
    shortest_cases,
    widest_case,
)
from choco_pipeline.mining.closed_forms.readings import Reading
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target
from choco_pipeline.mining.closed_forms.value_forms import conditions_on
from choco_pipeline.mining.table_findings import Evidence, FormulaLine, FormulasFinding, Tried
from choco_pipeline.tables.cells import CellBlock, Cells, holds_at, select

#: Sides of the first box on which formulas are learnt, by the number of coordinates that a cell is found by.
SIDES = {1: 64, 2: 31, 3: 11}
SMALLEST_SIDE = 5
#: Side of the box on which formulas beyond a slope are learnt: of it they cover a part only.
SLOPE_SIDE = 127
#: Points of the first guess, half of them with a number; most guesses; and most points at which the last guess was wrong that the
#: next one adds: on a box of one table, and on several small tables together.
ON_A_TABLE, ON_SEVERAL = (300, 8, 24), (400, 6, 40)
#: P-positions that are needed of several tables, and others.
FEWEST_POOLED = 24
#: Most positions at which a formula may be wrong; they are stated.
EXCEPTIONS = 4
#: Fewest cells of the rest of the table.
FEWEST_HELD_OUT = 64

Guess = Callable[[Atoms, Mapping[str, Ints], Target], tuple[FormulaCase, ...] | None]
TRIED = (
    "linear forms with halves, nim-sums of shifted coordinates and small expressions, and the minimum, the maximum, the"
    " nim-sum and the sum of any two; for all positions, with and without a pass, by residues modulo 2 and 4, and by"
    " size; or for one residue class modulo 2 alone"
)


def mine_formulas(game: Ruleset, bound: int, data: xr.Dataset) -> list[FormulasFinding]:
    """Return a formula for a table, right everywhere or except at a few positions.

    A formula with exceptions stands beside one without, if it is not longer. If none is found, one finding states the
    candidates.
    """
    search = _TableSearch(Reading(Cells.of(game, bound, data)))
    numbers = search.number_set()
    if numbers is not None:
        return [numbers]
    for guess in (shortest_cases, widest_case):
        exact, nearly = search.found(guess, 0), search.found(guess, EXCEPTIONS)
        findings = [exact] if exact is not None else []
        if nearly is not None and nearly.exceptions:
            findings += [nearly] if exact is None or nearly.size <= exact.size else []
        elif nearly is not None and exact is None:  # other guesses came to one without exceptions
            findings = [nearly]
        if findings:
            if guess is widest_case:
                findings += search.beyond_slopes()
            return findings
    return search.beyond_slopes() or [FormulasFinding(nothing=True, tried=search.tried)]


@dataclass
class _TableSearch:
    """The search on one table, and how many formulas it has looked at."""

    reading: Reading
    candidates: int = 0

    @property
    def tried(self) -> Tried:
        """How many formulas were looked at, and which."""
        return Tried(candidates=self.candidates, what=TRIED)

    def found(self, guess: Guess, forgiven: int) -> FormulasFinding | None:
        """Return a formula that is right on the rest of the table, learnt on larger and larger boxes."""
        cells, axes = self.reading.cells, self.reading.axes
        if not 1 <= len(self.reading.names) - len(self.reading.passes) <= len(MULTIPLES):
            return None
        longest = max(cells.shape[axis] for axis in axes)
        side = min(SIDES.get(len(axes), SMALLEST_SIDE), longest // 2)
        if prod(cells.shape) * (longest - side - 1) < FEWEST_HELD_OUT * longest:
            side = longest // 3  # more of a small table is left to test it on
        while SMALLEST_SIDE <= side <= longest // 2:
            box = tuple(
                slice(side + 1) if axis in axes else slice(None) for axis in range(len(cells.shape))
            )
            inside = next(replace(cells, cells=cells.cells[box]).blocks())
            cases = self._learnt(inside, guess, forgiven)
            if cases is None:
                return None
            # a statement that all positions of a case are P names no coordinate
            lines = [parse(self.reading.said(case.formula)) for case in cases]
            if cells.variable.name != "grundy" and not all(line.names for line in lines):
                return None
            held_on = self._held_on(side, cases)
            if held_on is not None:
                return self._finding(cases, inside, side, held_on)
            side = 2 * side + 1
        return None

    def beyond_slopes(self) -> list[FormulasFinding]:
        """Return formulas for the Grundy numbers where one of two coordinates is large for the other one."""
        reading, cells = self.reading, self.reading.cells
        if cells.variable.name != "grundy" or len(reading.names) != 2 or reading.passes:
            return []
        longest = max(cells.shape[axis] for axis in reading.axes)
        side = min(SLOPE_SIDE, 2 * longest // 3)
        box = next(replace(cells, cells=cells.cells[: side + 1, : side + 1]).blocks())
        findings = []
        for cases in beyond_slopes(
            reading.names, reading.points(box), reading.target(box), reading.own_numbers
        ):
            for case in cases:
                self.candidates += 1
                held_on = self._held_on(side, [case])
                if held_on is not None:
                    findings.append(self._finding([case], box, side, held_on))
                    break  # beyond a steeper line it says less
        return findings

    def number_set(self) -> FormulasFinding | None:
        """Return a condition for the P-positions of a game with one coordinate, guessed from the first half of a table."""
        cells = self.reading.cells
        if cells.variable.name != "p_position" or len(cells.shape) != 1:
            return None
        (name,), (block,) = self.reading.names, cells.blocks()
        is_p = cells.holds_p(block.values)
        half = len(block) // 2
        for condition in conditions_on(name, is_p[:half]):
            self.candidates += 1
            if len(block) - half < FEWEST_HELD_OUT:
                return None
            if (holds_at(parse(condition), block.points) == is_p).all():
                line = FormulaLine(formula=condition, where="")
                found_on = Evidence(half, f"{name} below {half}")
                return self._found([line], found_on, len(block) - half)
        return None

    def _learnt(
        self, box: CellBlock, guess: Guess, forgiven: int
    ) -> tuple[FormulaCase, ...] | None:
        """Return the shortest formulas that are right on a box: guessed on some of it, corrected where they are wrong."""
        points, target = self.reading.points(box), self.reading.target(box)

        def guessed(chosen: Truths) -> tuple[FormulaCase, ...] | None:
            here = select(points, chosen)
            atoms = Atoms.grown(
                self.reading.names, here, self.reading.own_numbers, self.reading.passes
            )
            self.candidates += len(atoms.formulas)
            return guess(atoms, here, replace(target.at(chosen), forgiven=forgiven))

        def wrong(cases: Sequence[FormulaCase]) -> Truths:
            return self.reading.comparison(box, cases).wrong

        return _corrected(guessed, wrong, target, ON_A_TABLE, forgiven)

    def _held_on(self, side: int, cases: Sequence[FormulaCase]) -> int | None:
        """Return at how many positions outside of a box formulas are right; None if one is wrong, or they are few."""
        total = cells = 0
        for block in self.reading.cells.blocks():
            compared = self.reading.comparison(block, cases)
            outside = compared.covered & (self.reading.sizes(block) > side)
            if (compared.wrong & outside).any():
                return None
            total += self.reading.count(block.chosen(outside))
            cells += int(outside.sum())
        return total if cells >= FEWEST_HELD_OUT else None

    def _finding(
        self, cases: Sequence[FormulaCase], box: CellBlock, side: int, held_on: int
    ) -> FormulasFinding:
        reading = self.reading
        lines = [
            FormulaLine(
                formula=reading.said(case.formula),
                where=reading.in_table_names(case.where or ""),
            )
            for case in cases
        ]
        learnt = box.chosen(reading.comparison(box, cases).covered)
        found_on = Evidence(reading.count(learnt), f"box of side {side}")
        return self._found(lines, found_on, held_on, reading.exceptions(learnt, cases))

    def _found(
        self,
        lines: Sequence[FormulaLine],
        found_on: Evidence,
        held_on: int,
        exceptions: Sequence[tuple[int, ...]] = (),
    ) -> FormulasFinding:
        cells = self.reading.cells
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
            tried=self.tried,
        )


def pooled_formula(readings: Sequence[Reading]) -> str | None:
    """Return the shortest formula that is 0 at the P-positions of several tables alone; None if there is none.

    The cells of these tables are positions, in coordinates with the same names. The bars of one cell each of an uncut bar are as
    many positions as it has cells. That is too few to distinguish a formula from chance, and to test it. In heaps, the coordinates of
    the positions, one formula may be right for bars of all sizes, though: so the positions of all of them are put together.
    """
    blocks = [(reading, block) for reading in readings for block in reading.cells.blocks()]
    targets = [reading.target(block) for reading, block in blocks]
    tops = [target.tops for target in targets if target.tops is not None]
    if len(tops) < len(targets) or not targets:
        return None
    names = readings[0].names
    points: dict[str, Ints] = {
        name: np.concatenate([reading.points(block)[name] for reading, block in blocks])
        for name in names
    }
    target = Target(np.concatenate([part.numbers for part in targets]), np.concatenate(tops))
    if min(target.asked.sum(), (~target.asked).sum()) < FEWEST_POOLED:
        return None

    def guessed(chosen: Truths) -> tuple[FormulaCase, ...] | None:
        here = select(points, chosen)
        atoms = Atoms.grown(names, here, (), readings[0].passes)
        cases = shortest_cases(replace(atoms, passes={}), here, target.at(chosen))
        return cases if cases is not None and len(cases) == 1 else None

    def wrong(cases: Sequence[FormulaCase]) -> Truths:
        return ~target.right(np.asarray(parse(cases[0].formula).evaluate(points), np.int64))

    cases = _corrected(guessed, wrong, target, ON_SEVERAL)
    return None if cases is None else cases[0].formula


def _corrected(
    guessed: Callable[[Truths], tuple[FormulaCase, ...] | None],
    wrong: Callable[[Sequence[FormulaCase]], Truths],
    target: Target,
    limits: tuple[int, int, int],
    forgiven: int = 0,
) -> tuple[FormulaCase, ...] | None:
    """Return formulas that are guessed at some points, and then at those, too, at which the last ones were wrong."""
    sample, guesses, more = limits
    random = np.random.default_rng(0)
    chosen: Truths = np.zeros(target.numbers.shape, np.bool_)
    for kind in (target.asked, ~target.asked):
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
