"""Formulas for the P-positions or the Grundy numbers of one table: learnt on a small box, tested on all of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import xarray as xr

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.closed_forms.atoms import MULTIPLES, Ints, length
from choco_pipeline.mining.closed_forms.cases import (
    FormulaCase,
    beyond_slopes,
    shortest_cases,
    widest_case,
)
from choco_pipeline.mining.closed_forms.readings import Reading
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target
from choco_pipeline.mining.closed_forms.value_forms import conditions_on
from choco_pipeline.mining.search_evidence import Candidates, Seen
from choco_pipeline.mining.table_findings import FormulaLine, FormulasFinding
from choco_pipeline.tables.reading.cells import CellBlock, Cells, holds_at

#: Sides of the first box on which formulas are learnt, by the number of coordinates that a cell is found by.
SIDES = {1: 64, 2: 31, 3: 11}
SMALLEST_SIDE = 5
#: Side of the box on which formulas beyond a slope are learnt: of it they cover a part only.
SLOPE_SIDE = 127
#: Cells of the box that a formula is guessed from at first, as many of them with a number as without.
SAMPLE = 300
#: Guesses, each from the cells that the last one had wrong, too; and how many such cells at a time.
GUESSES, MORE = 8, 24
#: A formula may be wrong at so many positions, which are then stated.
EXCEPTIONS = 4
#: The rest of the table must have at least so many cells.
FEWEST_HELD_OUT = 64

Guess = Callable[[Atoms, Mapping[str, Ints], Target], tuple[FormulaCase, ...] | None]
TRIED = (
    "linear forms with halves, nim-sums of shifted coordinates and small expressions, and the minimum, the maximum, the"
    " nim-sum and the sum of any two; for all positions, with and without a pass, by residues modulo 2 and 4, and by"
    " size; or for one residue class modulo 2 alone"
)


def mine_formulas(game: Ruleset, bound: int, data: xr.Dataset) -> list[FormulasFinding]:
    """Look for a formula of what a table holds, right everywhere or but for a few positions.

    A formula with exceptions stands beside one without, if it is not longer. Where none is found, one finding says what was
    tried.
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
    def tried(self) -> Candidates:
        """How many formulas were looked at, and which."""
        return Candidates(candidates=self.candidates, what=TRIED)

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
            if cases is None or not self._tells(cases):
                return None
            held_on = self._held_on(side, cases)
            if held_on is not None:
                return self._finding(cases, inside, side, held_on)
            side = 2 * side + 1
        return None

    def beyond_slopes(self) -> list[FormulasFinding]:
        """Return formulas for the Grundy numbers where one of two coordinates is large for the other one."""
        reading, cells = self.reading, self.reading.cells
        longest = max(cells.shape[axis] for axis in reading.axes)
        if cells.variable.name != "grundy" or len(reading.names) != 2 or reading.passes:
            return []
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
                    break  # what is right beyond a steeper line is less
        return findings

    def number_set(self) -> FormulasFinding | None:
        """Return which numbers are P-positions of a game with one coordinate, guessed from the first half of a table."""
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
                found_on = Seen(positions=half, what=f"{name} below {half}")
                return self._found([line], [], found_on, len(block) - half)
        return None

    def _tells(self, cases: Sequence[FormulaCase]) -> bool:
        """Whether formulas tell positions from others: that all in a case are P is said of no coordinate."""
        return self.reading.cells.variable.name == "grundy" or all(
            parse(self.reading.said(case.formula)).names for case in cases
        )

    def _learnt(
        self, box: CellBlock, guess: Guess, forgiven: int
    ) -> tuple[FormulaCase, ...] | None:
        """Return the shortest formulas that are right on a box: guessed on some of it, corrected by what is wrong."""
        points, target = self.reading.points(box), self.reading.target(box)
        random = np.random.default_rng(0)
        chosen = np.zeros(len(box), np.bool_)
        for kind in (target.asked, ~target.asked):
            cells = np.flatnonzero(kind)
            chosen[random.permutation(cells)[: SAMPLE if kind.all() else SAMPLE // 2]] = True
        for _ in range(GUESSES):
            here = {name: values[chosen] for name, values in points.items()}
            atoms = Atoms.grown(
                self.reading.names, here, self.reading.own_numbers, self.reading.passes
            )
            self.candidates += len(atoms.formulas)
            cases = guess(atoms, here, replace(target.at(chosen), forgiven=forgiven))
            if cases is None:
                return None
            wrong = self.reading.wrong(box, cases)
            if wrong.sum() <= forgiven:
                return cases
            new = np.flatnonzero(wrong & ~chosen)[:MORE]
            if not new.size:
                return None
            chosen[new] = True
        return None

    def _held_on(self, side: int, cases: Sequence[FormulaCase]) -> int | None:
        """Return at how many positions outside of a box formulas are right; None if one is wrong, or they are few."""
        total = cells = 0
        for block in self.reading.cells.blocks():
            outside = block.chosen(
                (self.reading.sizes(block) > side) & self.reading.covered(block, cases)
            )
            if len(outside):
                if self.reading.wrong(outside, cases).any():
                    return None
                total += self.reading.count(outside)
                cells += len(outside)
        return total if cells >= FEWEST_HELD_OUT else None

    def _finding(
        self, cases: Sequence[FormulaCase], box: CellBlock, side: int, held_on: int
    ) -> FormulasFinding:
        reading = self.reading
        formulas = [
            FormulaLine(
                formula=reading.said(case.formula), where=reading.in_table_names(case.where or "")
            )
            for case in cases
        ]
        learnt = box.chosen(reading.covered(box, cases))
        exceptions = reading.exceptions(learnt, cases)
        found_on = Seen(positions=reading.count(learnt), what=f"box of side {side}")
        return self._found(formulas, exceptions, found_on, held_on)

    def _found(
        self,
        formulas: Sequence[FormulaLine],
        exceptions: Sequence[Sequence[int]],
        found_on: Seen,
        held_on: int,
    ) -> FormulasFinding:
        cells = self.reading.cells
        parts = [f"{f.formula} where {f.where}" if f.where else f.formula for f in formulas]
        label = "G =" if cells.variable.name == "grundy" else "P iff"
        but = f", except at {', '.join(map(str, map(tuple, exceptions)))}" if exceptions else ""
        return FormulasFinding(
            label=label,
            formulas=tuple(formulas),
            exceptions=tuple(map(tuple, exceptions)),
            size=sum(length(f.formula)[0] + length(f.where)[0] for f in formulas),
            text=f"{label} {'; '.join(parts)}{but}",
            found_on=found_on,
            held_on=Seen(positions=held_on, what=f"the rest of the table, to bound {cells.bound}"),
            tried=self.tried,
        )
