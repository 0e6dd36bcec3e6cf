"""Linear rules over GF(2) by which one picture of P-positions follows from those before it, found by elimination.

Idea: unknown is, for each cell in reach, whether it counts; every cell of the first half of the pictures is an equation for that.
Of all solutions the sparsest is taken, in the smallest neighbourhood that has any.

What is kept true: a rule holds at every cell of all pictures where it is meant, the second half included, from which no equation
was taken; and it follows from more different equations than it has freedom for chance.

Cost: an elimination of cells × unknowns bits for each neighbourhood. The widest is solved first: where it has no solution, no other
has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.mining.pictures.gf2 import Bits, solve
from choco_pipeline.mining.pictures.slices import Stack

#: Rules look back so many pictures, and so many cells around.
ORDER, RADIUS = 3, 2
#: Neighbourhoods, (order, radius), in the order of trying.
NEIGHBOURHOODS = ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2))
#: A rule is believed only with so many more different equations than independent ones.
FEWEST_MORE = 16
#: Held-out pictures must hold at least so many P-positions.
FEWEST_HELD_OUT = 16
#: Given cells are listed if there are no more.
MOST_LISTED = 64

#: A term a(n-dn) at (i-di, j-dj) of a stack: (which stack, dn, di, dj), with a dn for each number of a picture.
Term = tuple[int, ...]
#: Where a rule holds: at every cell of the plane, at every position, where all cells in reach are positions.
Where = Literal["everywhere", "positions", "inside"]


@dataclass(frozen=True)
class Rule:
    """A linear rule: the sum of the terms modulo 2, at the cells `where`, from picture `begins` on."""

    #: The first of their stacks is the one that the rule gives; others are known beforehand.
    terms: tuple[Term, ...]
    #: Everywhere; or at positions, all other cells being 0; or only where all cells in reach are positions.
    where: Where
    #: The least n from which on it holds; nothing is alive before the first picture.
    begins: int
    #: The cells [n, i, j] at which the sum is wrong, all before `begins`: what the pictures grow from. None where there
    #: are too many to list.
    exceptions: tuple[tuple[int, ...], ...] | None
    #: How many different equations the terms follow from.
    equations: int
    #: The number of cells that it was found on, and of others on which it was then right.
    found_on: int
    held_on: int

    @property
    def within(self) -> bool:
        """Whether a picture also depends on cells of its own that come earlier in it."""
        return any(not any(term[:-2]) for term in self.terms)


def find_rule(stack: Stack, known: Sequence[Stack] = ()) -> Rule | None:
    """Return a sparse linear rule of small order and radius that gives a stack, or None if there is none.

    Unknown are the coefficients of all cells in reach, and every cell is an equation. They are solved on the first half
    of the pictures; then the rule must hold on the second half. Rules from earlier pictures come before those that
    also look at earlier cells of the same one.

    At `known` pictures of the same shape it may look, too, those of the same number included.
    """
    half = len(stack.cells) // 2
    if np.count_nonzero(stack.cells[half:]) < FEWEST_HELD_OUT:
        return None
    ways: tuple[tuple[bool, Where], ...] = (
        (False, "everywhere"),
        (False, "positions"),
        (True, "everywhere"),
        (True, "positions"),
        (False, "inside"),
        (True, "inside"),
    )
    for within, where in ways:
        widest = _equations(
            stack, known, list(reach(stack, ORDER, RADIUS, within, len(known))), where
        )
        if solve(*widest) is None:
            continue  # no smaller neighbourhood can do
        for order, radius in NEIGHBOURHOODS:
            terms = list(reach(stack, order, radius, within, len(known)))
            rule = _rule(stack, known, terms, where)
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


def _equations(
    stack: Stack, known: Sequence[Stack], terms: Sequence[Term], where: Where
) -> tuple[Bits, Bits]:
    """Return coefficients and values of the equations that the first half of the pictures gives for `terms`.

    The first pictures, before which nothing is known, give none.
    """
    pictures = [_padded(cut.cells) for cut in (stack, *known)]
    chosen = _used(stack, terms, where)
    order = max(max(term[1:-2]) for term in terms)
    for axis in range(stack.numbers):
        chosen[(slice(None),) * axis + (slice(order),)] = False
    chosen[len(stack.cells) // 2 :] = False
    return np.column_stack([_seen(pictures, t)[chosen] for t in terms]), _here(pictures)[chosen]


def _rule(stack: Stack, known: Sequence[Stack], terms: Sequence[Term], where: Where) -> Rule | None:
    """Return the sparsest rule with some of `terms` that holds on all pictures and is seen often enough."""
    half = len(stack.cells) // 2
    system = solve(*_equations(stack, known, terms, where))
    if system is None or system.equations < system.rank + FEWEST_MORE:
        return None
    costs = [
        100 + 20 * (not any(numbers)) + 3 * sum(numbers) + abs(di) + abs(dj)
        for _, *numbers, di, dj in terms
    ]
    ones = system.sparsest(np.array(costs))
    sparse = [term for term, is_one in zip(terms, ones, strict=True) if is_one]
    pictures = [_padded(cut.cells) for cut in (stack, *known)]
    wrong = _here(pictures).copy()
    for term in sparse:
        wrong ^= _seen(pictures, term)
    used = _used(stack, sparse, where)
    wrong &= used
    bad = np.argwhere(wrong.any(axis=(-2, -1)))
    begins = int(bad.min(axis=1).max()) + 1 if bad.size else 0
    if begins > ORDER or not used[begins:half].any():
        return None
    return Rule(
        tuple(sparse),
        where,
        begins + stack.first[0],
        _listed(
            np.argwhere(wrong) + stack.first - np.array([*[0] * stack.numbers, RADIUS, RADIUS])
        ),
        system.equations,
        int(used[begins:half].sum()),
        int(used[half:].sum()),
    )


def _listed(cells: NDArray[np.int64]) -> tuple[tuple[int, ...], ...] | None:
    return tuple(tuple(map(int, cell)) for cell in cells) if len(cells) <= MOST_LISTED else None


def _padded(cells: Bits) -> Bits:
    """Return the pictures with dead ones before, and dead cells around."""
    return np.pad(cells, [*[(ORDER, 0)] * (cells.ndim - 2), *[(2 * RADIUS,) * 2] * 2])


def _seen(pictures: Sequence[Bits], term: Term) -> Bits:
    """Return what a term is at every cell of every picture, `RADIUS` dead cells around them included."""
    which, *steps = term
    there = pictures[which]
    margins = [*[(ORDER, ORDER)] * (there.ndim - 2), *[(RADIUS, 2 * RADIUS)] * 2]
    return there[
        tuple(
            slice(before - step, before - step + length - both)
            for (before, both), step, length in zip(margins, steps, there.shape, strict=True)
        )
    ]


def _here(pictures: Sequence[Bits]) -> Bits:
    return _seen(pictures, (0,) * (1 + pictures[0].ndim))


def _used(stack: Stack, terms: Sequence[Term], where: Where) -> Bits:
    """Return the cells at which a rule is looked at, shaped as what `_seen` returns."""
    legal = [_padded(stack.legal)]
    here = _here(legal)
    used = np.ones_like(here) if where == "everywhere" else here.copy()
    if where == "inside":
        for _, *steps in terms:
            used &= _seen(legal, (0, *steps))
    if not stack.closed:
        for axis in (-2, -1):
            ahead = max([0, *(-term[axis] for term in terms)])
            np.moveaxis(used, axis, 0)[used.shape[axis] - RADIUS - ahead :] = False
    return used
