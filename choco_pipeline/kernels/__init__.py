"""Numba kernels that fill blocks of Grundy numbers or of P-positions."""

import numpy as np

from choco_pipeline.kernels.bars import fill_bar, fill_solid, fold_bar, fold_solid
from choco_pipeline.kernels.bitset import BelowSets, OptionSets
from choco_pipeline.kernels.columns import BlockedHeights, fill_columns, fold_columns
from choco_pipeline.kernels.dtypes import table_for

#: Largest values of tables of 16 and of 32 bits.
LARGEST = (np.iinfo(np.int16).max, np.iinfo(np.int32).max)


def warm_up() -> None:
    """Compile every kernel except the generic one, or load it from the cache.

    The generic kernel takes as long to compile as all others together, and few runs need it.
    """
    for largest in LARGEST:
        _fill(largest)
        heights, table = np.zeros((1, 1), np.int32), table_for((1, 1, 1), largest)
        by_x, by_z, below, left, lower = _inputs()
        fold_bar(heights[0], by_z, below, table)
        fold_solid(heights, by_x, by_z, table[None])
        fold_columns(heights, left, lower, table)


def warm_up_usual() -> None:
    """Compile the kernels for whole tables of 16 bits, which suffice for most runs.

    They are a third of all kernels.
    """
    _fill(LARGEST[0])


def _fill(largest: int) -> None:
    heights, table = np.zeros((1, 1), np.int32), table_for((1, 1, 1), largest)
    by_x, by_z, below, left, lower = _inputs()
    fill_bar(heights[0], (0, 1, 0), True, by_z, below, table)
    fill_solid(heights, (0, 1, 0), True, by_x, by_z, table[None])
    fill_columns(heights, (0, 1, 0), True, left, lower, table)


def _inputs() -> tuple[OptionSets, OptionSets, BelowSets, BlockedHeights, BlockedHeights]:
    by_x, by_z = (OptionSets.start(lines=1, layers=1, largest=2, n_y=1) for _ in range(2))
    left, lower = (BlockedHeights.start(lines=1, layers=1, n_y=1) for _ in range(2))
    return by_x, by_z, BelowSets.start(lines=1, layers=1, largest=2), left, lower
