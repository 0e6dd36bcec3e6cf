"""Cellular automata: linear rules over GF(2) from one picture to the next.

Idea: each cell of a neighbourhood has an unknown coefficient, 0 or 1. Each cell of the first half of the pictures is an equation.
The rule is the sparsest solution in the smallest neighbourhood that has one.

Invariant: a rule holds at every cell that it is about, also in the second half of the pictures, which gave no equation. It follows
from at least `FEWEST_MORE` more different equations than independent ones.

Cost: an elimination of cells × unknowns bits for each neighbourhood. The widest is solved first: if it has no solution, no other
has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np
from pydantic import JsonValue

from choco_pipeline.mining.pictures import SIDE, Bits, Stack, solve, stacks, window
from choco_pipeline.mining.table_findings import (
    MOST_NAMED,
    CellularFinding,
    ClaimContent,
    Evidence,
    Tried,
)
from choco_pipeline.tables.cells import Cells

#: Largest number of pictures that a rule looks back, and largest distance of its cells along rows and columns.
ORDER, RADIUS = 3, 2
#: Fewest different equations of a rule, beyond the independent ones.
FEWEST_MORE = 16
#: Fewest P-positions in the held-out pictures.
FEWEST_HELD_OUT = 16
#: Most exceptions of a rule that are stored.
MOST_LISTED = 64

#: A term a(n-dn) at (i-di, j-dj): (dn, di, dj), with a dn for each number of a picture.
Term = tuple[int, ...]


def mine_cellular(cells: Cells, side: int = SIDE) -> list[CellularFinding]:
    """Return a finding for each way to cut P-positions into pictures by a rule.

    A rule that equals an earlier one in another cut is left out. Pictures have at most `side` rows and columns.
    """
    findings: list[CellularFinding] = []
    seen = set()
    for stack in stacks(cells, side):
        finding = find_rule(stack)
        # equal rules in different cuts have the same set of cells with sum 0
        relation = (
            stack.ruleset,
            stack.passes,
            frozenset(
                tuple(sorted(zip(stack.axes, steps, strict=True)))
                for steps in ((0,) * stack.cells.ndim, *finding.terms)
            ),
        )
        if finding.nothing or relation not in seen:
            findings.append(finding)
        if not finding.nothing:
            seen.add(relation)
    return findings


def find_rule(stack: Stack) -> CellularFinding:
    """Return a sparse linear rule of small order and radius, or an empty finding.

    Rules for all cells are tried before those that hold only where all their cells are positions, and rules that use only earlier
    pictures before those that also use earlier cells of the same one.
    """
    half, pictures = len(stack.cells) // 2, _Pictures(stack)
    if np.count_nonzero(stack.cells[half:]) < FEWEST_HELD_OUT:
        return pictures.finding(nothing=True)
    for inside, within in product((False, True), repeat=2):
        if solve(*pictures.equations(reach(stack, ORDER, RADIUS, within), inside)) is None:
            continue  # no smaller neighbourhood has a solution
        for radius, order in product(range(1, RADIUS + 1), range(1, ORDER + 1)):
            rule = pictures.rule(reach(stack, order, radius, within), inside)
            if rule is not None:
                return rule
    return pictures.finding(nothing=True)


def reach(stack: Stack, order: int, radius: int, within: bool) -> list[Term]:
    """Return the cells that a rule may use; with `within`, also of the same picture."""
    back, around = [range(order + 1)] * stack.numbers, [range(-radius, radius + 1)] * 2
    return [
        (*numbers, di, dj)
        for *numbers, di, dj in product(*back, *around)
        if any(numbers) or (within and (di, dj) > (0, 0))
    ]


class _Pictures:
    """Pictures with a margin of `RADIUS` zeros; earlier pictures are 0, too."""

    def __init__(self, stack: Stack) -> None:
        self.stack, self.half = stack, len(stack.cells) // 2
        self.first = np.array([0] * stack.numbers + [-RADIUS] * 2)
        self.here = (0,) * stack.cells.ndim
        self.values = self.column(stack.cells, self.here)
        self.finding = partial(
            CellularFinding,
            **stack.source,
            tried=Tried(
                candidates=len(reach(stack, ORDER, RADIUS, within=True)),
                what=f"coefficients modulo 2 of the cells within radius {RADIUS} in the {ORDER} pictures before and earlier"
                f" cells of the same picture; {stack.text}: solved as linear equations",
            ),
        )

    def column(self, cells: Bits, steps: Term) -> Bits:
        """Return, for every cell, the cell some steps before it."""
        starts, lengths = self.first - steps, np.array(cells.shape) - 2 * self.first
        return window(cells, starts.tolist(), lengths.tolist())

    def domain(self, terms: Sequence[Term], inside: bool) -> Bits:
        """Return the cells at which a rule must hold."""
        domain = np.ones_like(self.values)
        for steps in (self.here, *terms) if inside else ():
            domain &= self.column(self.stack.legal, steps)
        if not self.stack.closed:
            for axis in (-2, -1):
                ahead = max([0, *(-term[axis] for term in terms)])
                np.moveaxis(domain, axis, 0)[domain.shape[axis] - RADIUS - ahead :] = False
        return domain

    def equations(self, terms: Sequence[Term], inside: bool) -> tuple[Bits, Bits]:
        """Return coefficients and values of the equations of the first half."""
        chosen = self.domain(terms, inside)
        # pictures before the first ones are unknown
        order = max(max(term[:-2]) for term in terms)
        for axis in range(self.stack.numbers):
            chosen[(slice(None),) * axis + (slice(order),)] = False
        chosen[self.half :] = False
        columns = [self.column(self.stack.cells, steps)[chosen] for steps in terms]
        return np.column_stack(columns), self.values[chosen]

    def rule(self, terms: Sequence[Term], inside: bool) -> CellularFinding | None:
        """Return the sparsest rule with some of `terms` that holds on all pictures."""
        half, stack = self.half, self.stack
        system = solve(*self.equations(terms, inside))
        if system is None or system.equations < system.rank + FEWEST_MORE:
            return None
        costs = [
            100 + 20 * (not any(numbers)) + 3 * sum(numbers) + abs(di) + abs(dj)
            for *numbers, di, dj in terms
        ]
        ones = system.sparsest(np.array(costs))
        sparse = tuple(term for term, is_one in zip(terms, ones, strict=True) if is_one)
        domain = self.domain(sparse, inside)
        columns = [self.column(stack.cells, steps) for steps in sparse]
        wrong = np.bitwise_xor.reduce([self.values, *columns]) & domain
        bad = np.argwhere(wrong.any(axis=(-2, -1)))
        begins = int(bad.min(axis=1).max()) + 1 if bad.size else 0
        if begins > ORDER or not domain[begins:half].any():
            return None
        cells = np.argwhere(wrong) + stack.first + self.first
        # cells where the rule fails, because all cells before the first picture are 0
        exceptions = tuple(tuple(map(int, cell)) for cell in cells)
        begins += stack.first[0]
        # a is 1 at P-positions and 0 elsewhere
        text = rule_text(sparse, stack.axes)
        if inside:
            text += ", where all these cells are positions"
        if len(exceptions) > MOST_LISTED:
            text += f", from {' and '.join(stack.axes[:-2])} = {begins} on"
        elif exceptions:
            listed = ", ".join(map(str, exceptions[:MOST_NAMED]))
            more = " and others" if len(exceptions) > MOST_NAMED else ""
            text += f", except at {listed}{more}, where 1 is to be added"
        early, late = int(domain[begins - stack.first[0] : half].sum()), int(domain[half:].sum())
        return self.finding(
            terms=sparse,
            inside=inside,
            begins=begins,
            exceptions=exceptions if len(exceptions) <= MOST_LISTED else None,
            text=text,
            found_on=Evidence(early, "cells of the first half of the pictures"),
            held_on=Evidence(late, "cells of the second half"),
            claim=None if inside else _claim(stack, sparse, begins),
        )


def rule_text(terms: Iterable[Sequence[int]], axes: Sequence[str]) -> str:
    """Return a rule as an equation between cells.

    Examples
    --------
    >>> rule_text([(1, 1, 0), (1, 0, 1), (0, 1, 1)], "zxy")
    'a(z, x, y) = a(z−1, x−1, y) + a(z−1, x, y−1) + a(z, x−1, y−1) mod 2'
    """

    def shifted(name: str, step: int) -> str:
        return f"{name}−{step}" if step > 0 else f"{name}+{-step}" if step else name

    cells = [f"a({', '.join(map(shifted, axes, steps))})" for steps in terms]
    return f"a({', '.join(axes)}) = {' + '.join(cells) or '0'} mod 2"


def _claim(stack: Stack, terms: Sequence[Term], begins: int) -> ClaimContent | None:
    """Return a rule for square bars without passes as a claim, if it is one."""
    is_on_bars = stack.closed and stack.numbers == 1 and stack.passes is None
    if not is_on_bars or any(not any(numbers) for *numbers, _, _ in terms):
        return None
    before = begins - stack.first[0]
    alive = np.argwhere(stack.cells[:before]) + stack.first
    start: list[JsonValue] = [[*cell, 1] for cell in alive.tolist()]
    if before and not stack.cells[before - 1].any():  # an empty last picture needs an explicit cell
        start.append([begins - 1, *stack.first[1:], 0])
    check: JsonValue = {
        "kind": "cellular",
        "terms": [[*steps] for steps in terms],
        "start": start,
        "modulo": 2,
        "generation": stack.axes[0],
    }
    return {"ruleset": stack.ruleset, "check": check}
