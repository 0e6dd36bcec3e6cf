"""P-positions of a stored table as arrays, for searches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, WithPass
from choco_pipeline.tables.cells import Cells, Points
from choco_pipeline.tables.spec import variable_of


def p_positions(cells: Cells, reach: int | None = None) -> Points:
    """Return the coordinates of P-positions; except passes, they are at most `reach`."""
    parts = [cells.within_reach(points, reach) for points in cells.p_positions()]
    names = cells.game.coordinates
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def with_passes(game: Ruleset, passes: int) -> Ruleset:
    """Return a game with passes; the game itself for 0."""
    return WithPass(game, passes) if passes else game


def with_strip(cells: Cells) -> Cells:
    """Return Grundy numbers of a step bar as P-positions of the bar with a strip.

    Other tables are returned unchanged.
    """
    strip = cells.game.base.with_strip
    if strip is None or cells.variable.name != "grundy":
        return cells
    game = with_passes(strip, cells.game.passes)
    return replace(cells, game=game, variable=variable_of(game, "p-positions"))


def four_heaps(passes: int, table: Cells | int) -> NDArray[np.integer]:
    """Return the table [passes, a, b, c] → d of P-positions (a, b, c, d).

    `table` is a stored table of four heaps, or a bound to which one is computed.
    """
    if isinstance(table, int):
        table = Cells.computed(with_passes(Nim(4), passes), table, "p-positions")
    return table.array if passes else table.array[None]
