"""How often a difference, a sum or a coordinate occurs among the P-positions of a game with two coordinates.

In Wythoff's game each difference occurs exactly once, and each number except 0 is a coordinate of exactly one pair. Such a law
says that the number of P-positions on each line of a family of lines is the same. Lines near the end of a table may continue
beyond it, so only those far from it are counted, and the statement names the box in which it is true.

Source: W. A. Wythoff, A modification of the game of Nim, Nieuw Archief voor Wiskunde 7 (1907), 199–202.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.p_positions import p_positions
from choco_pipeline.mining.table_findings import Evidence, StatementFinding, Tried
from choco_pipeline.tables.cells import Cells, holds_at, select_where

#: P-positions up to this bound are counted, on lines up to the bound divided by `INSIDE`.
BOUND, INSIDE = 240, 4
#: A law is learnt on this part of the lines.
LEARNT = 2
#: The fewest lines.
FEWEST = 12
TRIED = "numbers of P-positions with the same difference, the same sum, or the same coordinate"


def mine_counted_lines(game: Ruleset, bound: int, data: xr.Dataset) -> list[StatementFinding]:
    """Return the families of lines with the same number of P-positions on each; nothing of games without two coordinates."""
    names = game.coordinates
    if game.passes or game.base.rules.face is not None or len(names) != 2:
        return []
    a, b = names
    lines = [
        (f"{a} <= {b}", f"{b}-{a} == n", 0),
        (f"{a} < {b}", f"({a} == n or {b} == n)", 1),
        (f"{a} <= {b}", f"{a}+{b} == n", 0),
    ]
    most = min(bound, BOUND)
    last = most // INSIDE
    found: list[tuple[str, str, Evidence, Evidence]] = []
    p = p_positions(Cells.of(game, bound, data), most) if last >= FEWEST else {}
    for domain, line, first in lines if p else ():
        inside = select_where(p, parse(domain))
        count = inside[a].size
        numbers = [
            int(holds_at(parse(line), inside | {"n": np.full(count, n)}).sum())
            for n in range(first, last + 1)
        ]
        if len(set(numbers)) == 1 and numbers[0]:
            learnt = len(numbers) // LEARNT
            counted = f"count(position: size <= {most} and P and {domain} and {line})"
            found.append(
                (
                    f"{numbers[0]} P-positions with {domain} and {line} for each n",
                    f"every n in {first}..{last}: {counted} == {numbers[0]}",
                    Evidence(learnt, f"the first {learnt} lines"),
                    Evidence(len(numbers) - learnt, f"the lines to n = {last}"),
                )
            )
    return StatementFinding.of_lines("lines", Tried(candidates=len(lines), what=TRIED), found)
