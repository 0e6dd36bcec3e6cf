"""Numba kernels that fill blocks of Grundy numbers or of P-positions."""

import numpy as np

from choco_pipeline.kernels.bars import fill_bar, fill_solid, fold_bar, fold_solid
from choco_pipeline.kernels.bitset import BelowSets, OptionSets
from choco_pipeline.kernels.columns import BlockedHeights, fill_columns, fold_columns
from choco_pipeline.kernels.dtypes import Table


def warm_up() -> None:
    """Compile every kernel except the generic one, or load it from the cache.

    The generic kernel takes as long to compile as all others together, and few runs need it.
    """
    heights = np.zeros((1, 1), np.int32)
    tables: tuple[Table, ...] = (np.empty((1, 1, 1), np.int16), np.empty((1, 1, 1), np.int32))
    for table in tables:
        by_x, by_z = (OptionSets.start(lines=1, layers=1, largest=2, n_y=1) for _ in range(2))
        below = BelowSets.start(lines=1, layers=1, largest=2)
        fill_bar(heights[0], (0, 1, 0), True, by_z, below, table)
        fold_bar(heights[0], by_z, below, table)
        fill_solid(heights, (0, 1, 0), True, by_x, by_z, table[None])
        fold_solid(heights, by_x, by_z, table[None])
        left, lower = (BlockedHeights.start(lines=1, layers=1, n_y=1) for _ in range(2))
        fill_columns(heights, (0, 1, 0), True, left, lower, table)
        fold_columns(heights, left, lower, table)
