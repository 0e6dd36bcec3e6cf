"""The P-positions of a table as rows, with a column for each coordinate."""

from __future__ import annotations

import numpy as np
import pandas as pd

from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.tables.computing.in_memory import p_table
from choco_pipeline.tables.reading.cells import Cells


def p_positions(game: Ruleset | str, bound: int | None = None) -> pd.DataFrame:
    """Return the P-positions of a game, one in each row.

    Parameters
    ----------
    game, bound
        As for `choco_pipeline.p_table`.

    Returns
    -------
    DataFrame
        A column of integers for each coordinate, in the order of positions, which is that of the rows, too. The size of a
        free heap beside the game, such as a strip, may exceed the bound.

    Examples
    --------
    >>> from choco_pipeline import Nim, p_positions
    >>> p_positions("nim(2)", 2).equals(p_positions(Nim(2), 2))
    True
    >>> p_positions(Nim(2), 2).values.tolist()
    [[0, 0], [1, 1], [2, 2]]
    """
    game = as_game(game)
    largest = max(game.limits(bound))
    return p_position_rows(Cells.of(game, largest, p_table(game, bound)))


def p_position_rows(cells: Cells) -> pd.DataFrame:
    """Return the P-positions of a table, in the form of `p_positions`."""
    names = list(cells.game.coordinates)
    blocks = [cells.positions(points) for points in cells.p_positions()]
    rows = np.concatenate([np.empty((0, len(names)), np.int64), *blocks])
    return pd.DataFrame(rows, columns=names).sort_values(names, ignore_index=True)
