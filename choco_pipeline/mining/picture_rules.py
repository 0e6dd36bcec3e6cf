"""Linear rules over GF(2) between cells of pictures, and pictures in pictures.

A cellular rule determines a picture by the pictures before it. A relation determines the cells of one residue class by cells at half
the coordinates. Pictures of square bars may also consist of copies of smaller ones, as in Theorem 3.4 of patterns.

Idea: each possible cell of a rule has an unknown coefficient, 0 or 1. Each cell of the first half of the pictures is an equation.
The rule is the sparsest solution, for cellular rules in the smallest neighbourhood that has one.

Invariant: a rule holds at every cell that it is about, also in the second half of the pictures, which gave no equation. It follows
from at least `MORE_FOR_RULES` or `MORE_FOR_RELATIONS` more different equations than independent ones.

Cost: an elimination of cells × unknowns bits for each neighbourhood. The widest is solved first: if it has no solution, no other
has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product, starmap
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from choco_pipeline.mining.pictures import SIDE, Bits, Stack, solve, stacks, window
from choco_pipeline.mining.recurrences import sum_text
from choco_pipeline.mining.table_findings import (
    MOST_NAMED,
    BlocksFinding,
    CellularFinding,
    ClaimContent,
    CopiedPicture,
    Evidence,
    HalfRelation,
    Tried,
)
from choco_pipeline.tables.cells import Cells

#: Largest number of pictures that a rule looks back, and largest distance of its cells along rows and columns.
ORDER, RADIUS = 3, 2
#: Fewest different equations of a rule, beyond the independent ones.
MORE_FOR_RULES = 16
#: Fewest P-positions in the held-out pictures.
FEWEST_HELD_OUT = 16
#: Most exceptions of a rule that are stored.
MOST_LISTED = 64

#: Largest distance of a relation's cells from half the coordinates.
REACH = 1
#: Fewest different equations of a relation, beyond the independent ones.
MORE_FOR_RELATIONS = 8
#: Fewest P-positions of pictures that are searched.
FEWEST_P = 32
#: Sizes and places of copies are a·s + b·2^e for these a and b, where m = 2^e + s and 0 < s < 2^e.
FACTORS = (range(-2, 3), range(-1, 3))
#: Fewest pictures from which copies are learned.
FEWEST_PICTURES = 8

#: A term (dn, di, dj) of a rule or a relation, with a dn for each number of a picture: a(n-dn) at (i-di, j-dj), or a(N+dn, I+di, J+dj),
#: where picture n is 2N or 2N+1, and so on.
Term = tuple[int, ...]
#: Remainders modulo 2 of picture number, row and column.
Residue = tuple[int, ...]


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


def _sparsest(
    coefficients: Bits, values: Bits, costs: Sequence[int], more: int
) -> list[int] | None:
    """Return the unknowns that are 1 in the cheapest solution, if it is determined."""
    system = solve(coefficients, values)
    if system is None or system.equations < system.rank + more:
        return None
    ones: list[int] = np.flatnonzero(system.sparsest(np.array(costs))).tolist()
    return ones


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
        costs = [
            100 + 20 * (not any(numbers)) + 3 * sum(numbers) + abs(di) + abs(dj)
            for *numbers, di, dj in terms
        ]
        ones = _sparsest(*self.equations(terms, inside), costs, MORE_FOR_RULES)
        if ones is None:
            return None
        sparse = tuple(terms[i] for i in ones)
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
            claim=None if inside else _rule_claim(stack, sparse, begins),
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


def _rule_claim(stack: Stack, terms: Sequence[Term], begins: int) -> ClaimContent | None:
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


class Relation(NamedTuple):
    """Terms whose sum is a cell, and the first picture number for which this holds."""

    terms: tuple[Term, ...]
    begins: int


def mine_blocks(cells: Cells, side: int = SIDE) -> list[BlocksFinding]:
    """Return relations of a table's pictures of P-positions to smaller ones.

    There is a finding for each way to cut the table, and for square bars another one on copies; it may be empty. Pictures have at most
    `side` rows and columns.
    """
    every = list(stacks(cells, side))
    findings = []
    for stack in every:
        # relations to half the size do not depend on the cut of three coordinates
        if not stack.closed and stack.axes != every[0].axes:
            continue
        if np.count_nonzero(stack.cells) < FEWEST_P:
            continue
        findings.append(_relations_finding(stack))
        if stack.closed and stack.numbers == 1:
            findings.append(mine_copies(stack))
    return findings


def find_relations(stack: Stack) -> dict[Residue, Relation]:
    """Return linear relations modulo 2 of a stack to itself at half the size.

    A relation is for cells whose picture number n, row i and column j have the remainders r, p, q modulo 2. Each of these cells is the
    same sum modulo 2 of cells near (n//2, i//2, j//2). A stack with a relation for all eight triples of remainders is generated by a
    finite automaton from the binary digits (Christol).

    For each (r, p, q) with relations the sparsest is returned. It is learned from the first half of the pictures, and holds in the second.
    """
    residues = product(range(2), repeat=stack.cells.ndim)
    found = ((residue, _relation(stack, residue)) for residue in residues)
    return {residue: relation for residue, relation in found if relation is not None}


def _relation(stack: Stack, residue: Residue) -> Relation | None:
    pairs = [*zip(residue, stack.first, strict=True)]
    chosen = tuple(slice((remainder - first) % 2, None, 2) for remainder, first in pairs)
    # the halves of the first number, row and column with the residue
    starts = [(first + 1 - remainder) // 2 for remainder, first in pairs]
    values = stack.cells[chosen]

    def term(steps: Term) -> Bits:
        places = zip(starts, steps, stack.first, strict=True)
        return window(stack.cells, [at + step - first for at, step, first in places], values.shape)

    # usable: positions for which pictures near half their number exist; the relation may fail before the late ones
    usable, late = stack.legal[chosen].copy(), stack.legal[chosen].copy()
    for axis in range(stack.numbers):
        first, start = stack.first[axis], starts[axis]
        high = first + stack.cells.shape[axis] - REACH
        np.moveaxis(usable, axis, 0)[max(0, high - start) :] = False
        np.moveaxis(late, axis, 0)[: max(0, first + REACH - start)] = False
    late &= usable
    numbers = np.flatnonzero(late.any(axis=tuple(range(1, late.ndim))))
    if not numbers.size:
        return None
    learned = late.copy()
    learned[(numbers[0] + numbers[-1] + 1) // 2 :] = False
    terms = [*product(range(-REACH, REACH + 1), repeat=stack.cells.ndim)]
    columns = [*map(term, terms)]
    equations = np.column_stack([column[learned] for column in columns])
    costs = [100 + sum(map(abs, steps)) for steps in terms]
    ones = _sparsest(equations, values[learned], costs, MORE_FOR_RELATIONS)
    if ones is None:
        return None
    wrong = np.bitwise_xor.reduce([values, *(columns[i] for i in ones)]) & usable
    if (wrong & late & ~learned).any():
        return None
    begins = stack.first[0]
    for place in np.argwhere(wrong.any(axis=(-2, -1))):
        each = (2 * (starts[axis] + at) + residue[axis] for axis, at in enumerate(place))
        begins = max(begins, 1 + int(min(each)))
    return Relation(tuple(terms[i] for i in ones), begins)


def relation_text(residue: Residue, terms: Sequence[Term], axes: Sequence[str]) -> str:
    """Return a relation as an equation between cells.

    Examples
    --------
    >>> relation_text((1, 0, 0), [(0, 0, 0), (1, 0, 0)], "mij")
    'a(2m+1, 2i, 2j) = a(m, i, j) + a(m+1, i, j)'
    """
    left = ", ".join(map(_shifted, (f"2{name}" for name in axes), residue))
    cells = [f"a({', '.join(map(_shifted, axes, steps))})" for steps in terms]
    return f"a({left}) = {' + '.join(cells) or '0'}"


def _shifted(name: str, step: int) -> str:
    return f"{name}{step:+d}" if step else name


def _relations_finding(stack: Stack) -> BlocksFinding:
    relations = find_relations(stack)
    finding = partial(
        BlocksFinding,
        **stack.source,
        tried=Tried(
            candidates=(2 * REACH + 1) ** stack.cells.ndim,
            what=f"coefficients modulo 2 of the cells within {REACH} of half the coordinates, for each remainder of"
            f" the coordinates modulo 2; {stack.text}: solved as linear equations",
        ),
    )
    complete = len(relations) == 2**stack.cells.ndim
    # for bars it is enough to have relations for all cells of the pictures with one residue of their numbers
    if not complete and not (
        stack.closed
        and any(
            all((*numbers, *cell) in relations for cell in product(range(2), repeat=2))
            for numbers in product(range(2), repeat=stack.numbers)
        )
    ):
        return finding(nothing=True)
    begins = max(relation.begins for relation in relations.values())
    # a is 1 at P-positions and 0 elsewhere
    parts = [relation_text(residue, terms, stack.axes) for residue, (terms, _) in relations.items()]
    if begins > stack.first[0]:
        parts.append(f"for {' and '.join(stack.axes[:-2])} from {begins} on")
    half = len(stack.cells) // 2
    early, later = (int(np.count_nonzero(part)) for part in np.split(stack.legal, [half]))
    return finding(
        relations=tuple(
            HalfRelation(residue=residue, terms=terms) for residue, (terms, _) in relations.items()
        ),
        complete=complete,
        begins=begins,
        text="; ".join(parts),
        found_on=Evidence(early, "the first half of the pictures"),
        held_on=Evidence(later, "the second half"),
        claim=_relations_claim(stack, relations) if complete and begins == stack.first[0] else None,
    )


def _relations_claim(stack: Stack, relations: Mapping[Residue, Relation]) -> ClaimContent | None:
    """Return relations of one cell or none as a statement on square bars."""
    if not stack.closed or stack.passes is not None or stack.numbers > 1:
        return None
    lines = []
    for residue, (terms, _) in relations.items():
        if len(terms) > 1:
            return None
        pairs = zip(stack.axes, residue, strict=True)
        where = " and ".join(f"{name}%2 == {remainder}" for name, remainder in pairs)
        conclusion = "not P"
        for steps in terms:
            size, *cell = map(_shifted, (f"{name}//2" for name in stack.axes), steps)
            conclusion = f"({_like_cell(size, cell)})"
        lines.append(f"{where} => {conclusion}")
    return {"ruleset": stack.ruleset, "statement": "; ".join(lines)}


class Form(NamedTuple):
    """The number a·s + b·2^e, where m = 2^e + s and 0 ≤ s < 2^e."""

    a: int
    b: int

    def value(self, m: int) -> int:
        """Return the number for the picture number m."""
        power = 1 << (m.bit_length() - 1)
        return self.a * (m - power) + self.b * power

    def text(self, power: str = "2**e") -> str:
        """Return the formula in e and s, or with another name for the power of 2."""
        terms = [(factor, name) for factor, name in ((self.b, power), (self.a, "s")) if factor]
        return sum_text(terms).replace(" ", "")


class Copy(NamedTuple):
    """The picture of a smaller bar, and the row and column of its first cell, from 0."""

    size: Form
    row: Form
    column: Form

    def at(self, m: int) -> tuple[int, int, int]:
        """Return size, row and column in the picture number m."""
        return self.size.value(m), self.row.value(m), self.column.value(m)


def mine_copies(stack: Stack) -> BlocksFinding:
    """Return copies of smaller pictures that make up the pictures of square bars."""
    most = len(stack.cells)
    finding = partial(
        BlocksFinding,
        **stack.source,
        tried=Tried(
            candidates=len([*product(*FACTORS)]) ** 3,
            what="copies of smaller pictures whose sizes and places are a·s + b·2^e"
            f" with -2 ≤ a ≤ 2, -1 ≤ b ≤ 2, for m = 2^e + s; {stack.text}",
        ),
    )
    copies = find_copies(stack)
    learned, held_out = _numbers(1, most // 2), _numbers(most // 2 + 1, most)
    if not copies or not held_out or not _contain_all(stack, copies, held_out):
        return finding(nothing=True)
    printed = ([form.text("2^e") for form in copy] for copy in copies)
    places = ", ".join(f"R({size}) at ({row}, {column})" for size, row, column in printed)
    return finding(
        copies=tuple(
            CopiedPicture(size=copy.size.text(), row=copy.row.text(), column=copy.column.text())
            for copy in copies
        ),
        text=f"for m = 2^e + s, 0 < s < 2^e: {places}, and no other P-position",
        found_on=Evidence(sum(m * m for m in learned), f"m up to {most // 2}"),
        held_on=Evidence(sum(m * m for m in held_out), f"m up to {most}"),
        claim=_claim_of_copies(stack, copies),
    )


def find_copies(stack: Stack) -> list[Copy]:
    """Return disjoint copies with all P-positions, the largest first, or none.

    They are learned from the first half of the pictures.
    """
    numbers = _numbers(1, len(stack.cells) // 2)
    if len(numbers) < FEWEST_PICTURES:
        return []
    forms = [Form(a, b) for a, b in product(*FACTORS)]
    places = [form for form in forms if all(0 <= form.value(m) < m for m in numbers)]
    sizes = [form for form in places if all(form.value(m) for m in numbers)]
    sizes.sort(key=lambda size: -sum(map(size.value, numbers)))
    chosen: list[Copy] = []
    for copy in starmap(Copy, product(sizes, places, places)):
        if all(_outside_of_copies(stack, [copy, *chosen], m) is not None for m in numbers):
            chosen.append(copy)
    return chosen if _contain_all(stack, chosen, numbers) else []


def _numbers(low: int, high: int) -> list[int]:
    """Return the m from `low` to `high` that are not powers of 2."""
    return [m for m in range(low, high + 1) if m & (m - 1)]


def _outside_of_copies(stack: Stack, copies: Sequence[Copy], m: int) -> Bits | None:
    """Return picture m outside of copies; None if one is not a copy, or they overlap."""
    left = stack.cells[m - 1, :m, :m].copy()
    free = np.ones((m, m), np.bool_)
    for copy in copies:
        size, row, column = copy.at(m)
        at = (slice(row, row + size), slice(column, column + size))
        if (
            min(size - 1, row, column) < 0
            or max(row, column) + size > m
            or not free[at].all()
            or not np.array_equal(left[at], stack.cells[size - 1, :size, :size])
        ):
            return None
        left[at] = free[at] = False
    return left


def _contain_all(stack: Stack, copies: Sequence[Copy], numbers: Sequence[int]) -> bool:
    """Whether disjoint copies contain all P-positions of some pictures."""
    rests = (_outside_of_copies(stack, copies, m) for m in numbers)
    return not any(rest is None or rest.any() for rest in rests)


def _like_cell(size: str, cell: Sequence[str]) -> str:
    return f"P <=> P[rectangular-bar(m={size}, n={size})]({', '.join(cell)})"


def _claim_of_copies(stack: Stack, copies: Sequence[Copy]) -> ClaimContent:
    """Return the statement that a copy's cells have the original outcomes."""
    cases: dict[str, str] = {}
    for copy in copies:
        inside, cell = [], []
        for name, start in zip(stack.axes[1:], (copy.row, copy.column), strict=True):
            end = Form(start.a + copy.size.a, start.b + copy.size.b)
            inside.append(f"{name} > {start.text()} and {name} <= {end.text()}")
            cell.append(f"{name}-({start.text()})" if any(start) else name)
        cases[" and ".join(inside)] = _like_cell(copy.size.text(), cell)
    outside = " or ".join(f"({where})" for where in cases)
    lines = [f"{where} => ({conclusion})" for where, conclusion in cases.items()]
    return {
        "ruleset": stack.ruleset,
        "every": {"e": "0..m"},
        "when": "2**e < m and m < 2**(e+1)",
        "statement": f"let s = m-2**e: {'; '.join(lines)}; not ({outside}) => not P",
    }
