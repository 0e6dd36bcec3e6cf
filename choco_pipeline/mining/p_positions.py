"""The P-positions of a stored table as flat coordinate arrays: what every miner looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset
from choco_pipeline.tables.specs.schema import NONE, variable_of

Ints = NDArray[np.int64]
#: Cells that are looked at together: their coordinates fit into a cache.
BLOCK = 1 << 18


@dataclass(frozen=True)
class PPositionArrays:
    """P-positions of one table."""

    #: For each coordinate's name, and p where there is a pass, an int64 array with one entry for each P-position.
    coordinates: dict[str, Ints]
    #: The largest coordinate of each P-position, passes not counted; int64.
    size: Ints


def p_positions(game: Ruleset, data: xr.Dataset, block: int = BLOCK) -> Iterator[PPositionArrays]:
    """Yield the P-positions of a table of either quantity, those of at most about `block` cells at a time."""
    variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
    cells = data[variable.name].transpose(*variable.dims).values
    dims = variable.dims
    if cells.ndim == 0:  # one heap has no column
        cells, dims = cells[None], ("",)
    base = game.base
    names = base.coordinates if variable.name != "p_cell" else ("i", "j")
    lead = cells.reshape(-1, *cells.shape[-2:]) if cells.ndim > 2 else cells[None]
    rows = max(1, block // max(1, lead[0, 0].size))
    for number, layer in enumerate(lead):
        outer = np.unravel_index(number, cells.shape[:-2]) if cells.ndim > 2 else ()
        for first in range(0, len(layer), rows):
            part = layer[first : first + rows]
            if variable.stored is not None:
                mask = part != NONE
            else:
                mask = part == (0 if variable.name == "grundy" else 1)
            inner = list(np.nonzero(mask))
            inner[0] = inner[0] + first
            coordinates: dict[str, Ints] = {}
            count = inner[0].size
            for dim, index in zip(dims, [*outer, *inner], strict=True):
                start = 1 if dim in ("i", "j") else 0
                coordinates[dim] = np.broadcast_to(np.asarray(index, np.int64) + start, (count,))
            if variable.stored is not None:
                coordinates[variable.stored] = part[mask].astype(np.int64)
            coordinates.pop("", None)
            size = (
                np.maximum.reduce([coordinates[name] for name in names])
                if count
                else np.zeros(0, np.int64)
            )
            yield PPositionArrays(coordinates, size)


def nim_sum_of(game: Ruleset) -> str | None:
    """Return the nim-sum that the papers form of a position of such a game, as a formula, or None where they form none.

    Examples
    --------
    >>> from choco_pipeline import StripBar, WithPass
    >>> nim_sum_of(WithPass(StripBar(k=4, s=2)))
    '(x+2) ^ y ^ (z+2) ^ p'
    """
    rules = game.base.rules
    bar = rules.bar
    if not rules.is_nim and (bar is None or bar.triple is None):
        return None
    terms = list(game.coordinates)
    if bar is not None and bar.shift:
        is_shifted = {*rules.coordinates} - {bar.up}
        terms = [f"({name}+{bar.shift})" if name in is_shifted else name for name in terms]
    return " ^ ".join(terms)
