"""Number of positions within a bound: a product over independent groups of coordinates."""

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

#: Limits and conditions are counted exactly at so many places, those of a solid bar of bound 512; more places are sampled on a grid.
EXACT_PLACES = 513**2
#: Places of that grid, 65 along each of two axes.
GRID_PLACES = 65**2
#: Places that are looked at together: some megabytes.
SLAB = 1 << 20
#: Numbers of positions below that are added in 64 bits, for a slab.
LARGEST_PRODUCT = 1 << 40


def count_positions(game: Ruleset, bound: int) -> int:
    """Return how many positions lie within `bound`, exactly.

    Examples
    --------
    >>> from choco_pipeline import SolidBar
    >>> count_positions(SolidBar("(x+z)//3"), 20)  # triangular, Example 8.3: 977 + 2257
    3234
    """
    asked = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.count() for group in _groups(asked))


@lru_cache(1 << 10)
def estimated_positions(game: Ruleset, bound: int) -> int:
    """Return the number of positions within `bound`, estimated above `EXACT_PLACES` places.

    Costs and limits of work follow from it, and nothing that is said of a game.
    """
    asked = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.estimate() for group in _groups(asked))


@dataclass(frozen=True)
class _Group:
    """Coordinates that limits and conditions join."""

    #: The limits that depend on others of them.
    limits: Mapping[str, Limit]
    #: The conditions; one that always holds where a limit depends on a coordinate with a limit.
    conditions: list[Formula]
    #: The places that are counted: with conditions the positions, else only what the limits depend on, since each place
    #: there has as many positions as the product of the heights above it.
    sizes: Mapping[str, int]
    #: No place has more positions.
    tallest: int

    @classmethod
    def of(cls, game: BoundedGame, names: Sequence[str]) -> _Group:
        """Return one of the `Rules.groups` of a game."""
        limits = {name: limit for name, limit in dependent(game.rules).items() if name in names}
        conditions = [c for c in _conditions(game) if c.names <= set(names)]
        is_nested = any({*limit.of} & limits.keys() for limit in limits.values())
        if is_nested and not conditions:
            conditions = [parse("0 == 0")]
        sizes = {name: game.sizes[name] for name in names if conditions or name not in limits}
        return cls(limits, conditions, sizes, math.prod(game.sizes[name] for name in limits))

    @property
    def places(self) -> int:
        """How many places there are."""
        return math.prod(self.sizes.values())

    def count(self) -> int:
        """Return how many positions there are."""
        if not self.limits and not self.conditions:
            return self.places
        first, *others = self.sizes.values()
        step = max(1, SLAB // math.prod(others))
        slabs = (range(at, min(at + step, first)) for at in range(0, first, step))
        return sum(self._within([slab, *map(range, others)]) for slab in slabs)

    def estimate(self) -> int:
        """Return how many positions there are, about."""
        if self.places <= EXACT_PLACES or (not self.limits and not self.conditions):
            return self.count()
        points = int(GRID_PLACES ** (1 / len(self.sizes)))
        grid = [np.linspace(0, n - 1, points).astype(int).tolist() for n in self.sizes.values()]
        numbers = [self._at(dict(zip(self.sizes, place, strict=True))) for place in product(*grid)]
        return sum(numbers) * self.places // len(numbers)

    def _at(self, values: Mapping[str, int]) -> int:
        """Return how many positions a place has."""
        if not self.conditions:
            return math.prod(limit.at(values) + 1 for limit in self.limits.values())
        is_legal = all(values[name] <= limit.at(values) for name, limit in self.limits.items())
        return int(is_legal and all(condition.value(values) for condition in self.conditions))

    def _within(self, ranges: Sequence[range]) -> int:
        """Return how many positions the places in a box have."""
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
    """Return the conditions on positions."""
    conditions = [one for one in (game.rules.within, game.rules.legal) if one is not None]
    return [part for condition in conditions for part in condition.conjuncts]


def _groups(game: BoundedGame) -> list[_Group]:
    links = [condition.names for condition in _conditions(game)]
    return [_Group.of(game, names) for names in game.rules.groups(links)]
