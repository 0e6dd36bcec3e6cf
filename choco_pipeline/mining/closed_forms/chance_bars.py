"""Solid bars of chance: what is so at their P-positions, too, says nothing of a game."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from choco_pipeline.games import Ruleset, SolidBar, WithPass
from choco_pipeline.games.height import TableHeight
from choco_pipeline.mining.p_positions import p_positions
from choco_pipeline.tables.computing.in_memory import p_table
from choco_pipeline.tables.reading.cells import Cells, Ints, Points

#: Largest coordinate of the bars.
BOUND = 63
#: By how much a height rises on average from one x, and z, to the next, and below what it is raised by chance.
RATES = (
    (0.2, 0.2, 1),
    (0.3, 0.3, 3),
    (0.6, 0.6, 3),
    (1.0, 0.0, 3),
    (0.0, 1.0, 3),
    (1.2, 0.4, 3),
    (0.4, 1.2, 3),
)


def points_by_chance(game: Ruleset) -> list[Points]:
    """Return the P-positions of some bars with random heights and as many passes, by the coordinates of a game.

    Of three heaps and of solid bars; of a flat bar with a strip, those of bars that do not depend on x, either. None for
    other games.
    """
    rules = game.base.rules
    bar = rules.bar
    names = rules.coordinates if bar is None else bar.triple or ()
    if len(names) != 3 or not (bar or rules.is_nim):
        return []
    by_bar = _points(bar is not None and bar.is_flat, game.passes)
    names = (*names, *game.coordinates[len(names) :])
    return [dict(zip(names, columns, strict=True)) for columns in by_bar]


@lru_cache(maxsize=8)
def _points(is_strip: bool, passes: int) -> list[tuple[Ints, ...]]:
    random = np.random.default_rng(1)
    by_bar = []
    for along_x, along_z, noise in RATES:
        rates = (0.0, max(along_x, along_z)) if is_strip else (along_x, along_z)
        heights = _heights(rates, (1 if is_strip else BOUND + 1, BOUND + 1), noise, random)
        bar = SolidBar(TableHeight.from_array(heights))
        game: Ruleset = WithPass(bar, passes) if passes else bar
        points = p_positions(Cells.of(game, BOUND, p_table(game, BOUND)))
        by_bar.append(tuple(points[name] for name in game.coordinates))
    return by_bar


def _heights(
    rates: tuple[float, float], shape: tuple[int, int], noise: int, random: np.random.Generator
) -> Ints:
    """Return random monotone heights, int64 [x, z]; of a shape with one row all rows are that one."""
    side = BOUND + 1
    along_x, along_z = (random.poisson(rate, side).cumsum() for rate in rates)
    rough = along_x[:, None] + along_z[None, :] + random.integers(0, noise, shape)
    return np.maximum.accumulate(np.maximum.accumulate(rough, axis=0), axis=1).astype(np.int64)
