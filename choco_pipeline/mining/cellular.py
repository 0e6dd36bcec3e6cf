"""Cellular automata: linear rules over GF(2) by which one picture of P-positions follows from those before it.

Idea: unknown is, for each cell in reach, whether it counts; each cell of the first half of the pictures is an equation. The
sparsest solution is taken, in the smallest neighbourhood that has any.

What is kept true: a rule holds at every cell of all pictures where it is meant, including the second half, from which no equation
was taken; and it follows from more different equations than it has freedom for chance.

Cost: an elimination of cells × unknowns bits for each neighbourhood. The widest is solved first: if it has no solution, no other
has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np
import xarray as xr
from pydantic import JsonValue

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.pictures import SIDE, Bits, Stack, solve, stacks, window
from choco_pipeline.mining.table_findings import (
    MOST_SAID,
    CellularFinding,
    ClaimContent,
    Evidence,
    Tried,
)

#: Rules look back at most ORDER pictures, and RADIUS cells around.
ORDER, RADIUS = 3, 2
#: Neighbourhoods, (order, radius), in the order of trying.
NEIGHBOURHOODS = ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2))
#: Fewest different equations of a rule, beyond the independent ones.
FEWEST_MORE = 16
#: Fewest P-positions in the held-out pictures.
FEWEST_HELD_OUT = 16
#: Given cells are listed if there are no more.
MOST_LISTED = 64

#: A term a(n-dn) at (i-di, j-dj) of a stack: (stack, dn, di, dj), with a dn for each number of a picture.
Term = tuple[int, ...]
#: Where a rule holds: at every cell of the plane, at every position, where all cells in reach are positions.
Where = Literal["everywhere", "positions", "inside"]
#: Whether a rule may look at earlier cells of the same picture, and where it holds, in the order of trying.
WAYS: tuple[tuple[bool, Where], ...] = (
    (False, "everywhere"),
    (False, "positions"),
    (True, "everywhere"),
    (True, "positions"),
    (False, "inside"),
    (True, "inside"),
)


@dataclass(frozen=True)
class Rule:
    """A linear rule: the sum of the terms modulo 2, at the cells `where`, from picture `begins` on."""

    #: The first of their stacks is the one that the rule gives; others are known beforehand.
    terms: tuple[Term, ...]
    where: Where
    #: The least n from which on it holds; nothing is alive before the first picture.
    begins: int
    #: The cells [n, i, j] at which the sum is wrong, all before `begins`: the pictures grow from them. None if there are too
    #: many to list.
    exceptions: tuple[tuple[int, ...], ...] | None
    #: Number of cells on which it was found, and of others on which it was then right.
    found_on: int
    held_on: int


def mine_cellular(
    game: Ruleset, bound: int, data: xr.Dataset, side: int = SIDE
) -> list[CellularFinding]:
    """Return a rule, or that there is none, for every way to cut a table's P-positions into plane pictures.

    Rules that only cut the positions another way are left out. Pictures have at most `side` rows and columns.
    """
    findings: list[CellularFinding] = []
    seen = set()
    for cut in stacks(game, bound, data, side):
        for number, stack in enumerate(cut):
            rule, known = find_rule(stack), None
            if rule is None and number and cut[0].cells.any():
                known = cut[0]
                rule = find_rule(stack, [known])
            relation = None if rule is None else _relation(stack, rule)
            if relation is None or relation not in seen:
                findings.append(_finding(stack, rule, known))
            seen.add(relation)
    return findings


def find_rule(stack: Stack, known: Sequence[Stack] = ()) -> Rule | None:
    """Return a sparse linear rule of small order and radius that gives a stack, or None if there is none.

    Rules from earlier pictures come before those that also look at earlier cells of the same one. Stacks that are `known`
    have the same shape, and their pictures with the same number may be looked at, too.
    """
    half = len(stack.cells) // 2
    if np.count_nonzero(stack.cells[half:]) < FEWEST_HELD_OUT:
        return None
    pictures = _Pictures(stack, known)
    for within, where in WAYS:
        widest = list(reach(stack, ORDER, RADIUS, within, len(known)))
        if solve(*pictures.equations(widest, where)) is None:
            continue  # no smaller neighbourhood can do
        for order, radius in NEIGHBOURHOODS:
            rule = pictures.rule(list(reach(stack, order, radius, within, len(known))), where)
            if rule is not None:
                return rule
    return None


def reach(stack: Stack, order: int, radius: int, within: bool, known: int) -> Iterator[Term]:
    """Yield the cells that a rule may look at."""
    back, around = [range(order + 1)] * stack.numbers, [range(-radius, radius + 1)] * 2
    for *numbers, di, dj in product(*back, *around):
        if any(numbers) or (within and (di, dj) > (0, 0)):
            yield 0, *numbers, di, dj
        for which in range(1, known + 1):
            yield which, *numbers, di, dj


class _Pictures:
    """The cells of pictures with `RADIUS` dead cells around, and dead pictures before."""

    def __init__(self, stack: Stack, known: Sequence[Stack]) -> None:
        self.stack, self.half = stack, len(stack.cells) // 2
        self.every = (stack, *known)
        self.first = np.array([0] * stack.numbers + [-RADIUS] * 2)
        self.values = self.shifted(stack.cells)

    def shifted(self, cells: Bits, steps: Sequence[int] = ()) -> Bits:
        """Return, for every cell, the cell some steps before it."""
        lengths = np.array(self.stack.cells.shape) - 2 * self.first
        starts = self.first - (steps or 0)
        return window(cells, starts.tolist(), lengths.tolist())

    def column(self, term: Term) -> Bits:
        """Return the value of a term at every cell."""
        which, *steps = term
        return self.shifted(self.every[which].cells, steps)

    def used(self, terms: Sequence[Term], where: Where) -> Bits:
        """Return the cells at which a rule is looked at."""
        legal = self.stack.legal
        used = self.shifted(legal)
        if where == "everywhere":
            used[...] = True
        elif where == "inside":
            for _, *steps in terms:
                used &= self.shifted(legal, steps)
        if not self.stack.closed:
            for axis in (-2, -1):
                ahead = max([0, *(-term[axis] for term in terms)])
                np.moveaxis(used, axis, 0)[used.shape[axis] - RADIUS - ahead :] = False
        return used

    def equations(self, terms: Sequence[Term], where: Where) -> tuple[Bits, Bits]:
        """Return coefficients and values of the equations that the first half of the pictures gives for `terms`.

        The first pictures, before which nothing is known, give none.
        """
        chosen = self.used(terms, where)
        order = max(max(term[1:-2]) for term in terms)
        for axis in range(self.stack.numbers):
            chosen[(slice(None),) * axis + (slice(order),)] = False
        chosen[self.half :] = False
        return np.column_stack([self.column(t)[chosen] for t in terms]), self.values[chosen]

    def rule(self, terms: Sequence[Term], where: Where) -> Rule | None:
        """Return the sparsest rule with some of `terms` that holds on all pictures and has enough evidence."""
        half, first = self.half, self.stack.first
        system = solve(*self.equations(terms, where))
        if system is None or system.equations < system.rank + FEWEST_MORE:
            return None
        costs = [
            100 + 20 * (not any(numbers)) + 3 * sum(numbers) + abs(di) + abs(dj)
            for _, *numbers, di, dj in terms
        ]
        ones = system.sparsest(np.array(costs))
        sparse = tuple(term for term, is_one in zip(terms, ones, strict=True) if is_one)
        used = self.used(sparse, where)
        wrong = np.bitwise_xor.reduce([self.values, *map(self.column, sparse)]) & used
        bad = np.argwhere(wrong.any(axis=(-2, -1)))
        begins = int(bad.min(axis=1).max()) + 1 if bad.size else 0
        if begins > ORDER or not used[begins:half].any():
            return None
        cells = np.argwhere(wrong) + first + self.first
        exceptions = tuple(tuple(map(int, cell)) for cell in cells)
        return Rule(
            sparse,
            where,
            begins + first[0],
            exceptions if len(exceptions) <= MOST_LISTED else None,
            int(used[begins:half].sum()),
            int(used[half:].sum()),
        )


def rule_text(terms: Iterable[Sequence[int]], axes: Sequence[str]) -> str:
    """Return a rule as an equation between cells, b for cells of the stack that is known beforehand.

    Examples
    --------
    >>> rule_text([(0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)], "zxy")
    'a(z, x, y) = a(z−1, x−1, y) + a(z−1, x, y−1) + a(z, x−1, y−1) mod 2'
    """
    cells = [
        f"{'ab'[which]}({', '.join(_less(name, step) for name, step in zip(axes, steps, strict=True))})"
        for which, *steps in terms
    ]
    return f"a({', '.join(axes)}) = {' + '.join(cells) or '0'} mod 2"


def _less(name: str, step: int) -> str:
    return f"{name}−{step}" if step > 0 else f"{name}+{-step}" if step else name


def _sentence(stack: Stack, rule: Rule, known: Stack | None) -> str:
    """Return a rule, where it holds, and from which cells it starts; a is 1 at P-positions and 0 elsewhere."""
    parts = [rule_text(rule.terms, stack.axes)]
    if rule.where == "positions":
        parts.append("at all positions, other cells being 0")
    elif rule.where == "inside":
        parts.append("where all these cells are positions")
    if any(which for which, *_ in rule.terms) and known is not None:
        parts.append(f"b the same with {known.left}")
    if rule.exceptions:
        cells = ", ".join(str(cell) for cell in rule.exceptions[:MOST_SAID])
        more = len(rule.exceptions) > MOST_SAID
        parts.append(f"except at {cells}{' and others' if more else ''}, where 1 is to be added")
    elif rule.exceptions is None:
        parts.append(f"from {' and '.join(stack.axes[:-2])} = {rule.begins} on")
    return ", ".join(parts)


def _relation(stack: Stack, rule: Rule) -> tuple[str, int | None, frozenset[Any]]:
    """Return the cells whose sum is 0 by a rule: the same for rules that only cut the positions another way."""
    here = (0,) * (1 + stack.cells.ndim)
    cells = frozenset(
        (which, tuple(sorted(zip(stack.axes, steps, strict=True))))
        for which, *steps in (here, *rule.terms)
    )
    return stack.ruleset, stack.passes, cells


def _finding(stack: Stack, rule: Rule | None, known: Stack | None) -> CellularFinding:
    also = "" if known is None else f", cells of those with {known.left} being known"
    inside = "and earlier cells of the same picture"
    terms = sum(1 for _ in reach(stack, ORDER, RADIUS, True, int(known is not None)))
    finding = partial(
        CellularFinding,
        ruleset=stack.ruleset,
        axes=tuple(stack.axes),
        passes=stack.passes,
        tried=Tried(
            candidates=terms,
            what=f"coefficients modulo 2 of the cells within radius {RADIUS} in the {ORDER} pictures before {inside}{also};"
            f" {stack.text}: solved as linear equations",
        ),
    )
    # claims speak of bars without passes
    has_claims = stack.closed and stack.numbers == 1 and stack.passes is None
    if rule is not None:
        return finding(
            terms=rule.terms,
            where=rule.where,
            begins=rule.begins,
            exceptions=rule.exceptions,
            text=_sentence(stack, rule, known),
            found_on=Evidence(rule.found_on, "cells of the first half of the pictures"),
            held_on=Evidence(rule.held_on, "cells of the second half"),
            claim=_claim(stack, rule) if has_claims else None,
        )
    half = len(stack.cells) // 2
    if len(stack.cells) < 2 * ORDER or stack.cells.any():
        return finding(nothing=True)
    return finding(
        empty=True,
        text="no cell is a P-position",
        found_on=Evidence(int(stack.legal[:half].sum()), "the first half of the pictures"),
        held_on=Evidence(int(stack.legal[half:].sum()), "the second half"),
        claim={"ruleset": stack.ruleset, "statement": "i > 0 => not P"} if has_claims else None,
    )


def _claim(stack: Stack, rule: Rule) -> ClaimContent | None:
    """Return a rule as a claim; claims speak of rules from earlier pictures."""
    is_known = any(which or not any(numbers) for which, *numbers, _, _ in rule.terms)
    if rule.where != "everywhere" or is_known:
        return None
    before = rule.begins - stack.first[0]
    start: list[JsonValue] = [
        [*map(int, cell), 1] for cell in np.argwhere(stack.cells[:before]) + stack.first
    ]
    if before and not stack.cells[before - 1].any():  # the last picture that is given is empty
        start.append([rule.begins - 1, *stack.first[1:], 0])
    check: JsonValue = {
        "kind": "cellular",
        "terms": [[*steps] for _, *steps in rule.terms],
        "start": start,
        "modulo": 2,
        "generation": stack.axes[0],
    }
    return {"ruleset": stack.ruleset, "check": check}
