"""The shifts a, b, c for which (x+a)⊕(y+b)⊕(z+c)=0 comes nearest to the P-positions, found on a small box and tested on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.table_findings import ComparedShift, ShiftsFinding
from choco_pipeline.tables.reading.windows import TableData, cells_of
from choco_pipeline.tables.specs.schema import NONE

Shift = tuple[int, int, int]

#: Shifts that are tried: a and c from -FAR to FAR, b from -NEAR to NEAR.
FAR, NEAR = 16, 2
#: Boxes on which the best so many shifts survive, before the table's own bound decides.
HEATS = ((15, 100), (63, 8))
#: The last test is on at most this many columns a side.
LARGEST = 1024
MOST_SHOWN = 8
#: Shifts are compared together with as many columns as a cache holds.
TOGETHER = 1 << 16


def best_shifts(game: Ruleset, bound: int, data: TableData) -> ShiftsFinding | None:
    """Return the best shifts for a P-table of a solid bar or a strip bar on x, y, z, best first; None for other games.

    Each with the number of columns whose P-position, or lack of one, is not what the shift says.
    """
    base, passes = game.base, game.passes
    bar = base.rules.bar
    variable, whole = cells_of(game, data)
    if (
        bar is None
        or not bar.triple == base.coordinates == ("x", "y", "z")
        or variable.stored not in (bar.up, bar.strip)
    ):
        return None
    most = min(LARGEST, bound) + 1
    cells = whole[tuple(slice(0, min(n, most)) for n in whole.shape)]
    cells = cells if passes else cells[None]
    heights = None if bar.is_flat else bar.limit.height.table(most, most)
    candidates: list[Shift] = list(
        product(range(-FAR, FAR + 1), range(-NEAR, NEAR + 1), range(-FAR, FAR + 1))
    )
    scored: list[tuple[int, int, Shift]] = []
    total = 0
    for box, survivors in (*HEATS, (LARGEST, MOST_SHOWN)):
        if scored and total == 0:
            break
        size = min(box, bound) + 1
        part = cells[:, :size, :size]
        low = heights[:size, :size] if heights is not None else None
        total = int((part != NONE).sum()) if low is None else part.size
        wrong_in = _mismatches(part, low, candidates)
        scored = sorted(
            (wrong, sum(map(abs, shift)), shift)
            for wrong, shift in zip(wrong_in, candidates, strict=True)
        )
        candidates = [shift for _, _, shift in scored[:survivors]]
    exact = [item for item in scored[:MOST_SHOWN] if item[0] == 0]
    shown = exact or scored[:3]
    return ShiftsFinding(
        best=tuple(
            ComparedShift(
                shift=shift, mismatches=wrong, cells=total, text=shift_text(shift, passes > 0)
            )
            for wrong, _, shift in shown
        )
    )


def shift_text(shift: Shift, with_pass: bool) -> str:
    """Return the formula that a shift stands for.

    Examples
    --------
    >>> shift_text((-1, 0, -1), with_pass=False)
    '(x−1)⊕y⊕(z−1)=0'
    """
    terms = [
        name if not by else f"({name}{'+' if by > 0 else '−'}{abs(by)})"
        for name, by in zip("xyz", shift, strict=True)
    ]
    return "⊕".join([*terms, "p"] if with_pass else terms) + "=0"


def _mismatches(
    cells: NDArray[np.integer], heights: NDArray[np.int32] | None, shifts: Sequence[Shift]
) -> list[int]:
    """Return for each shift in how many columns [p, first, second] it does not say what the table holds.

    The columns are (x, z) with the y in the cell if `heights` are given, else (y, z) with the x in the cell.
    """
    p, first, second = (np.arange(n, dtype=np.int32) for n in cells.shape)
    batch = max(1, TOGETHER // cells.size)
    counts: list[int] = []
    for start in range(0, len(shifts), batch):
        a, b, c = np.array(shifts[start : start + batch], np.int32).T[..., None]
        own, other = (a, b) if heights is not None else (b, a)
        expected = (first + own)[:, :, None] ^ (second + c)[:, None, :]
        expected = (expected[:, None] ^ p[:, None, None]) - other[..., None, None]
        if heights is None:
            wrong = (expected != cells) & (cells != NONE)
        else:
            legal = (expected >= 0) & (expected <= heights)
            wrong = np.where(legal, expected, NONE) != cells
        counts += np.count_nonzero(wrong, axis=(1, 2, 3)).tolist()
    return counts
