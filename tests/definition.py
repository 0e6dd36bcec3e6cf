"""Tables from a ruleset's own options, in plain Python: what every kernel is compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset, mex
from choco_pipeline.tables.specs.schema import NONE


def grundy_by_definition(game: Ruleset, bound: int | None) -> NDArray[np.int32]:
    """Return the Grundy numbers of all positions, passes in front, -1 where there is no position."""
    cells = np.full([most + 1 for most in game.limits(bound)], NONE, np.int32)
    for position in game.positions(bound):
        cells[position] = mex(int(cells[option]) for option in game.options(position))
    return np.moveaxis(cells, -1, 0) if game.passes else cells
