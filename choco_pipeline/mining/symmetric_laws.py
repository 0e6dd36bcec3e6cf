"""Laws for P-positions that treat all coordinates alike: by binary digits, as in Moore's Nim, and by equal coordinates.

Idea: the P-positions of a small box show how many coordinates may have a 1 in the same binary place (an even number in Nim, a
multiple of 3 in Moore's Nim of order 2), and which of the sorted coordinates are equal (the three smallest of four where
exactly two heaps are lowered). Each is a formula for the P-positions, which is then tested on all positions of a larger box.

Let T(r) be the number with a 1 in the places in which at least r coordinates have one. No place has r, r+1, … or s of them if
and only if T(r) = T(s+1).

Sources: E. H. Moore, A generalization of the game called Nim, Annals of Mathematics 11 (1910), 93–94; E. Boros, V. Gurvich,
N. B. Ho, K. Makino, P. Mursic, On the Sprague-Grundy function of exact k-Nim, arXiv:1508.04484 (2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations

import numpy as np
import xarray as xr

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.p_positions import p_positions
from choco_pipeline.mining.table_findings import Evidence, StatementFinding, Tried
from choco_pipeline.tables.cells import Cells, Ints, are_positions, holds_at, select

#: The largest coordinate that is looked at, by the number of coordinates.
BOUNDS = {2: 255, 3: 63, 4: 23}
#: A law is learnt up to the bound divided by this.
SMALLER = 2
#: The fewest P-positions from which it is learnt.
FEWEST = 6
TRIED = "numbers of coordinates with a 1 in the same binary place, and equal ones among the sorted coordinates"


def mine_symmetric_laws(game: Ruleset, bound: int, data: xr.Dataset) -> list[StatementFinding]:
    """Return the laws that are right for a table, or that there is none; nothing of games with passes or uncut bars."""
    names = game.coordinates
    if game.passes or game.base.rules.face is not None or len(names) not in BOUNDS:
        return []
    most = min(bound, BOUNDS[len(names)])
    p = p_positions(Cells.of(game, bound, data), most)
    box = np.indices((most + 1,) * len(names)).reshape(len(names), -1)
    every = dict(zip(names, box, strict=True))
    every = select(every, are_positions(game, every))
    smaller = most // SMALLER
    is_early = np.max([*every.values()], axis=0) <= smaller
    early = np.array([*p.values()])
    early = early[:, early.max(axis=0) <= smaller]
    formulas = (
        [] if early.shape[1] < FEWEST else [*_by_digits(names, early), *_by_order(names, early)]
    )
    found_on = Evidence(int(is_early.sum()), f"positions to bound {smaller}")
    held_on = Evidence(int((~is_early).sum()), f"the others, to bound {most}")
    lines = (
        (formula, f"P <=> {formula}", found_on, held_on)
        for formula in formulas
        if holds_at(parse(formula), p).all()
        and int(holds_at(parse(formula), every).sum()) == p[names[0]].size
    )
    tried = Tried(candidates=2 ** len(names) + 2 ** (len(names) - 1), what=TRIED)
    return StatementFinding.of_lines("symmetric", tried, lines)


def _by_digits(names: Sequence[str], p: Ints) -> Iterator[str]:
    """Yield the formula for the numbers of ones in each binary place; none if they are all even, as in Nim."""
    places = np.arange(max(1, int(p.max()).bit_length()))
    counts = set(np.unique((p[None] >> places[:, None, None] & 1).sum(axis=1)).tolist())
    excluded = [r for r in range(1, len(names) + 1) if r not in counts]
    if excluded and not counts <= set(range(0, len(names) + 1, 2)):
        firsts = [r for r in excluded if r - 1 not in excluded]
        lasts = [r for r in excluded if r + 1 not in excluded]
        yield " and ".join(
            f"{_at_least(names, first)} == {_at_least(names, last + 1)}"
            for first, last in zip(firsts, lasts, strict=True)
        )


def _at_least(names: Sequence[str], number: int) -> str:
    """Return the formula for the places in which at least `number` coordinates have a 1."""
    parts = [" & ".join(some) for some in combinations(names, number)]
    return (
        f"({' | '.join(f'({part})' if number > 1 else part for part in parts)})" if parts else "0"
    )


def _by_order(names: Sequence[str], p: Ints) -> Iterator[str]:
    """Yield the formula for the coordinates that are equal if all are sorted; none of two, or if none or all are."""
    ordered = np.sort(p, axis=0)
    equal = [bool((low == high).all()) for low, high in pairwise(ordered)]
    if len(names) < 3 or not any(equal) or all(equal):
        return
    cases = [
        " and ".join(
            f"{low} {'==' if same else '<='} {high}"
            for (low, high), same in zip(pairwise(order), equal, strict=True)
        )
        for order in permutations(names)
        # equal neighbours are sorted by name: other orders are the same case
        if all(low < high for (low, high), same in zip(pairwise(order), equal, strict=True) if same)
    ]
    yield " or ".join(f"({case})" for case in sorted(cases))
