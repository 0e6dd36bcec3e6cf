"""Numba kernels: height arrays in, tables of Grundy numbers or P-positions out. They know nothing of games or storage."""

import numpy as np

from choco_pipeline.kernels.bars import fill_bar, grundy_bar
from choco_pipeline.kernels.bitset import OptionSets
from choco_pipeline.kernels.columns import BlockedHeights, fill_columns, p_columns
from choco_pipeline.kernels.solid import fill_solid, grundy_solid
from choco_pipeline.kernels.tables import GrundyTable

__all__ = [
    "BlockedHeights",
    "OptionSets",
    "fill_bar",
    "fill_columns",
    "fill_solid",
    "grundy_bar",
    "grundy_solid",
    "p_columns",
    "warm_up",
]


def warm_up() -> None:
    """Compile every kernel, or load it from the cache, so that what follows is only computing."""
    heights = np.zeros((1, 1), np.int32)
    by_x, by_z = (OptionSets.start(lines=1, layers=1, largest=2, n_y=1) for _ in range(2))
    tables: tuple[GrundyTable, ...] = (
        np.empty((1, 1, 1, 1), np.int16),
        np.empty((1, 1, 1, 1), np.int32),
    )
    for table in tables:
        fill_bar(heights[0], (0, 1), True, by_z, table[0])
        fill_solid(heights, (0, 1), (0, 1), True, by_x, by_z, table)
    p_columns(heights)
