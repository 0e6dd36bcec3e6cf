"""The P-positions of a stored table, as arrays that the searches look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, WithPass
from choco_pipeline.tables.cells import Cells, Points
from choco_pipeline.tables.computing import p_table

if TYPE_CHECKING:
    import xarray as xr


def p_positions(cells: Cells, reach: int | None = None) -> Points:
    """Return coordinates of P-positions, up to `reach` except passes."""
    parts = [cells.within_reach(points, reach) for points in cells.p_positions()]
    names = cells.game.coordinates
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def with_passes(game: Ruleset, passes: int) -> Ruleset:
    """Return a game with passes; the game itself for 0."""
    return WithPass(game, passes) if passes else game


def with_strip(game: Ruleset, data: xr.Dataset) -> tuple[Ruleset, xr.Dataset]:
    """Return a game whose P-positions a table holds.

    The Grundy numbers of a step bar are the P-positions of the bar with a strip. Other tables are returned as they are.
    """
    strip = game.base.with_strip
    if strip is None or "grundy" not in data:
        return game, data
    return with_passes(strip, game.passes), data["grundy"].to_dataset(name="p_x")


def four_heaps(passes: int, data: xr.Dataset | int) -> NDArray[np.integer]:
    """Return the table [passes, a, b, c] → d of four heaps that are P.

    Instead of a table of four heaps, `data` may be a bound to which one is computed.
    """
    if isinstance(data, int):
        data = p_table(with_passes(Nim(4), passes), data)
    heaps: NDArray[np.integer] = data["p_d"].values
    return heaps if passes else heaps[None]
