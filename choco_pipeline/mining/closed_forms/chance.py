"""Models of chance: a form of values at P-positions says nothing of a game if values by chance have it, too.

One model are positions whose coordinates are those of P-positions in another order. The others are the P-positions of solid
bars with random heights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from choco_pipeline.formula import Formula, parse
from choco_pipeline.games import Ruleset, SolidBar
from choco_pipeline.games.height import TableHeight
from choco_pipeline.mining.p_positions import p_positions, with_passes
from choco_pipeline.tables.cells import Cells, Ints, Points, Truths, are_positions, select
from choco_pipeline.tables.computing import p_table

#: Most P-positions in each block whose coordinates are shuffled.
SHUFFLED = 1 << 14
#: Fewest shuffled positions that contradict a form, and of the held-out P-positions as many as chance would make do so.
FEWEST_CONTRADICTED, FEWEST_EXPECTED = 5, 20
#: Largest coordinate of the bars.
BOUND = 63
#: Average rise of a height from one x, and z, to the next, and the end of the random numbers that raise it.
RATES = (
    (0.2, 0.2, 1),
    (0.3, 0.3, 3),
    (0.6, 0.6, 3),
    (1.0, 0.0, 3),
    (0.0, 1.0, 3),
    (1.2, 0.4, 3),
    (0.4, 1.2, 3),
)


@dataclass(frozen=True)
class ChanceValues:
    """The values of an expression at the positions of each model."""

    shuffled: Ints
    bars: tuple[Ints, ...]

    def explain(self, condition: str, held_out: int) -> bool:
        """Whether a condition on some held-out values is true by chance."""
        formula = parse(condition)
        holds = np.broadcast_to(formula.evaluate({"v": self.shuffled}), self.shuffled.shape)
        contradicted = int((~holds).sum())
        expected = contradicted / max(1, self.shuffled.size) * held_out
        if contradicted < FEWEST_CONTRADICTED or expected < FEWEST_EXPECTED:
            return True
        return any(np.all(formula.evaluate({"v": values})) for values in self.bars)


@dataclass
class Chance:
    """The models for a game, made from its held-out P-positions."""

    game: Ruleset
    parts: list[Points] = field(default_factory=list)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def add(self, points: Points, is_held_out: Truths) -> None:
        """Add some of the P-positions that are held out."""
        chosen = np.flatnonzero(is_held_out)
        if chosen.size > SHUFFLED:
            chosen = self.random.choice(chosen, SHUFFLED, replace=False)
        self.parts.append({name: points[name][chosen] for name in self.game.coordinates})

    def models(self) -> tuple[Points, ...]:
        """Return the positions of each model, the shuffled ones first."""
        points = {}
        for name in self.game.coordinates:
            column = np.concatenate([part[name] for part in self.parts])
            points[name] = self.random.permutation(column)[: 4 * SHUFFLED]
        return select(points, are_positions(self.game, points)), *points_by_chance(self.game)


def values_by_chance(models: tuple[Points, ...], formula: Formula) -> ChanceValues:
    """Return the values of an expression at the positions of each model."""
    shuffled, *bars = (formula.evaluate(points).astype(np.int64) for points in models)
    return ChanceValues(shuffled, tuple(bars))


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
        game = with_passes(SolidBar(TableHeight.from_array(heights)), passes)
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
