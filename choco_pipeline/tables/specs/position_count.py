"""Number of positions within a bound.

It is a product over independent groups of coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product

import numpy as np

from choco_pipeline.formula import Formula, parse
from choco_pipeline.games import Ruleset
from choco_pipeline.games.rules import Limit
from choco_pipeline.tables.specs.patterns import BoundedGame, dependent, heights_over

#: Up to this number of places, that of a solid bar of bound 512, counts are exact; more places are sampled on a grid.
EXACT_PLACES = 513**2
#: Places of that grid, 65 along each of two axes.
GRID_PLACES = 65**2
#: Places that are counted together: some megabytes.
SLAB = 1 << 20
#: Numbers of positions below this are added in 64 bits, for a slab.
LARGEST_PRODUCT = 1 << 40


def count_positions(game: Ruleset, bound: int) -> int:
    """Return the exact number of positions within `bound`.

    Examples
    --------
    >>> from choco_pipeline import SolidBar
    >>> count_positions(SolidBar("(x+z)//3"), 20)  # triangular, Example 8.3: 977 + 2257
    3234
    """
    bounded = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.count() for group in _groups(bounded))


@lru_cache(1 << 10)
def estimated_positions(game: Ruleset, bound: int) -> int:
    """Return the number of positions within `bound`.

    It is estimated above `EXACT_PLACES` places. It is used for costs and limits of work only, never for a statement about a game.
    """
    bounded = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.estimate() for group in _groups(bounded))


@dataclass(frozen=True)
class _Group:
    """Coordinates that are connected by limits and conditions."""

    #: The limits that depend on others of them.
    limits: Mapping[str, Limit]
    #: The conditions; a trivial one if a limit depends on a coordinate with a limit.
    conditions: list[Formula]
    #: The sides of the box of places that are counted. With conditions these are positions. Otherwise they are places in the
    #: coordinates that limits depend on: the number of positions of each place is the product of the heights above it.
    sizes: Mapping[str, int]
    #: Largest possible number of positions of a place.
    tallest: int

    @classmethod
    def of(cls, game: BoundedGame, names: Sequence[str]) -> _Group:
        limits = {name: limit for name, limit in dependent(game.rules).items() if name in names}
        conditions = [c for c in _conditions(game) if c.names <= set(names)]
        is_nested = any({*limit.of} & limits.keys() for limit in limits.values())
        if is_nested and not conditions:
            conditions = [parse("0 == 0")]
        sizes = {name: game.sizes[name] for name in names if conditions or name not in limits}
        return cls(limits, conditions, sizes, math.prod(game.sizes[name] for name in limits))

    @property
    def places(self) -> int:
        return math.prod(self.sizes.values())

    def count(self) -> int:
        if not self.limits and not self.conditions:
            return self.places
        first, *others = self.sizes.values()
        step = max(1, SLAB // math.prod(others))
        slabs = (range(at, min(at + step, first)) for at in range(0, first, step))
        return sum(self._within([slab, *map(range, others)]) for slab in slabs)

    def estimate(self) -> int:
        if self.places <= EXACT_PLACES or (not self.limits and not self.conditions):
            return self.count()
        points = int(GRID_PLACES ** (1 / len(self.sizes)))
        grid = [np.linspace(0, n - 1, points).astype(int).tolist() for n in self.sizes.values()]
        numbers = [self._at(dict(zip(self.sizes, place, strict=True))) for place in product(*grid)]
        return sum(numbers) * self.places // len(numbers)

    def _at(self, values: Mapping[str, int]) -> int:
        if not self.conditions:
            return math.prod(limit.at(values) + 1 for limit in self.limits.values())
        is_legal = all(values[name] <= limit.at(values) for name, limit in self.limits.items())
        return int(is_legal and all(condition.value(values) for condition in self.conditions))

    def _within(self, ranges: Sequence[range]) -> int:
        sides = dict(zip(self.sizes, ranges, strict=True))
        heights = {name: heights_over(limit, sides) for name, limit in self.limits.items()}
        if not self.conditions:
            kind = np.int64 if self.tallest < LARGEST_PRODUCT else object
            return int(np.sum(reduce(np.multiply, (h.astype(kind) + 1 for h in heights.values()))))
        grids = dict(zip(sides, np.ix_(*sides.values()), strict=True))
        are_legal = [grids[name] <= height for name, height in heights.items()]
        hold = [condition.evaluate(grids) for condition in self.conditions]
        legal = reduce(np.logical_and, [*are_legal, *hold])
        return int(np.count_nonzero(np.broadcast_to(legal, [len(side) for side in ranges])))


def _conditions(game: BoundedGame) -> list[Formula]:
    conditions = [one for one in (game.rules.within, game.rules.legal) if one is not None]
    return [part for condition in conditions for part in condition.conjuncts]


def _groups(game: BoundedGame) -> list[_Group]:
    links = [condition.names for condition in _conditions(game)]
    return [_Group.of(game, names) for names in game.rules.groups(links)]
