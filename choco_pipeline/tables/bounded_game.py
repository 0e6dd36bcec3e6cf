"""Games within a bound: the form that kernels take, and numbers of positions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.games import Ruleset
from choco_pipeline.games.rules import Limit, Move, Rules


@dataclass(frozen=True)
class BoundedGame:
    """A game within a bound, in the form that kernels take: passes are separate."""

    #: The game without its passes.
    rules: Rules
    #: Largest value of the coordinates without a limit; may be None if all have one.
    bound: int | None
    #: Total number of passes of both players.
    passes: int = 0
    #: The name of the coordinate that counts passes left; empty without passes.
    front: tuple[str, ...] = ()

    @classmethod
    def of(cls, game: Ruleset, bound: int | None) -> BoundedGame:
        """Return the bounded game of a ruleset."""
        front = game.coordinates[-1:] if game.passes else ()
        return cls(game.base.rules, bound, game.passes, front)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of values of each coordinate, without passes."""
        return {name: n + 1 for name, n in self.rules.named(self.rules.largest(self.bound)).items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates; the passes left come first if there are any."""
        return (*self.front, *self.rules.coordinates)

    def without(self, *names: str) -> BoundedGame:
        """Return the game without some independent coordinates; passes stay."""
        left = [name for name in self.rules.coordinates if name not in names]
        within = self.rules.within
        keeps = within is not None and within.names <= set(left)
        return replace(self, rules=replace(self.rules.part(left), within=within if keeps else None))

    def values(self, formula: Formula) -> NDArray[np.int64 | np.bool_]:
        """Return a formula's values on the whole box.

        The array has an axis for each coordinate; it has length 1 if the formula does not depend on it.
        """
        grids = np.ogrid[tuple(slice(n) for n in self.sizes.values())]
        values = formula.evaluate(dict(zip(self.sizes, grids, strict=True)))
        return values.reshape((1,) * (len(self.sizes) - values.ndim) + values.shape)

    def values_in_play(self, formula: Formula, unless: Formula | None) -> NDArray[np.int64]:
        """Return a formula's values, with an axis for each coordinate that it depends on.

        It may be undefined outside the positions, and where `unless` holds; values there are arbitrary.
        """
        read = [name for name in self.sizes if name in formula.names]
        sizes = [self.sizes[name] for name in read]
        try:
            return self.values(formula).astype(np.int64).reshape(sizes)
        except FormulaError:
            values = np.zeros(sizes, np.int64)
        where = np.nonzero(self._in_play(read, unless))
        values[where] = formula.evaluate(dict(zip(read, where, strict=True)))
        return values

    def _in_play(self, read: Sequence[str], unless: Formula | None) -> NDArray[np.bool_]:
        """Return a mask of the values of `read` in positions without `unless`."""
        ends = frozenset() if unless is None else unless.names
        limits = {n: limit for n, limit in self.rules.limits.items() if n in ends.union(read)}
        needed = ends.union(read, *(limit.of for limit in limits.values()))
        sides = {name: range(n) for name, n in self.sizes.items() if name in needed}
        in_play = np.zeros([len(side) if n in read else 1 for n, side in sides.items()], np.bool_)
        others = tuple(axis for axis, name in enumerate(sides) if name not in read)
        first = next(iter(sides))
        for i in sides[first]:  # slab by slab, because all of them have as many cells as the table
            slab = {**sides, first: range(i, i + 1)}
            grid = dict(zip(slab, np.ix_(*slab.values()), strict=True))
            goes_on = np.ones([len(side) for side in slab.values()], np.bool_)
            for name, limit in limits.items():
                goes_on &= grid[name] <= heights_over(limit, slab)
            if unless is not None:
                places = np.nonzero(goes_on)
                values = zip(slab, (places[0] + i, *places[1:]), strict=True)
                goes_on[places] = ~unless.evaluate(dict(values)).astype(np.bool_)
            in_play[i if first in read else 0] |= np.asarray(goes_on.any(others, keepdims=True))[0]
        return in_play.reshape([self.sizes[name] for name in read])

    @property
    def components(self) -> list[BoundedGame]:
        """The summands of this game, without its passes, as a disjunctive sum.

        At most one of them has passes of its own.
        """
        parts = [self.rules.part(names) for names in self.rules.components()]
        return [_without_passes(BoundedGame(part, self.bound)) for part in parts]

    @property
    def heaps(self) -> list[str]:
        """The coordinates that are independent heaps, with or without a limit."""
        return [
            name
            for (name, *others) in self.rules.components()
            if not others and self.rules.part([name]).moves == (Move((name,)),)
            if self.rules.part([name]).legal is None
        ]


def _without_passes(game: BoundedGame) -> BoundedGame:
    """Return a game with its coordinate of passes, if any, as separate passes."""
    rules = game.rules
    for name in rules.coordinates:
        others = tuple(move for move in rules.moves if name not in move.lowers)
        passing = Move((name,), by=(1,), needs=others)
        limit = rules.limits.get(name)
        is_counted = others and set(rules.moves) == {*others, passing}
        is_apart = not any(name in move.names for move in others)
        if limit is not None and not limit.of and is_counted and is_apart:
            return BoundedGame(game.without(name).rules, game.bound, limit.at({}), (name,))
    return game


def dependent(rules: Rules) -> dict[str, Limit]:
    """Return the limits that depend on other coordinates."""
    return {name: limit for name, limit in rules.limits.items() if limit.of}


@dataclass(frozen=True)
class PlainBar:
    """A game whose moves lower one coordinate; at most one has a dependent limit."""

    #: The coordinates in order, except that the limited one is last.
    axes: tuple[str, ...]
    #: The limit of the last coordinate; None if all are heaps.
    limit: Limit | None

    @classmethod
    def of(cls, rules: Rules) -> PlainBar | None:
        """Return the plain bar of a game, or None if it is none."""
        limits = dependent(rules)
        if rules.within is not None or not rules.is_plain or len(limits) > 1:
            return None
        axes = tuple(sorted(rules.coordinates, key=lambda name: name in limits))
        return cls(axes, next(iter(limits.values()), None))


def heights_over(limit: Limit, sides: Mapping[str, range]) -> NDArray[np.int32]:
    """Return the heights at all places of a box of coordinates, as a broadcast view.

    `Height.block` checks that they are monotone.
    """
    names = list(sides)
    heights = limit.height.block(*(sides[name] for name in limit.of))
    heights = heights.transpose(np.argsort([names.index(name) for name in limit.of]))
    shape = [len(side) if name in limit.of else 1 for name, side in sides.items()]
    return np.broadcast_to(heights.reshape(shape), [len(side) for side in sides.values()])


#: Largest box with an exact count: that of a solid bar of bound 512. Larger boxes are sampled on a grid.
EXACT_PLACES = 513**2
#: Approximate size of that grid, 65 points along each of two axes.
GRID_PLACES = 65**2
#: Points of a box that are counted at a time; they take a few megabytes.
SLAB = 1 << 20
#: Numbers of positions for a point below this can be added in 64 bits over a slab.
LARGEST_PRODUCT = 1 << 40


def count_positions(game: Ruleset, bound: int) -> int:
    """Return the exact number of positions within `bound`."""
    bounded = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.count() for group in _groups(bounded))


@lru_cache(1 << 10)
def estimated_positions(game: Ruleset, bound: int) -> int:
    """Return the number of positions within `bound`, estimated above `EXACT_PLACES`.

    Use it only for costs and limits of work, never for a statement about a game.
    """
    bounded = BoundedGame.of(game, bound)
    return (game.passes + 1) * math.prod(group.estimate() for group in _groups(bounded))


@dataclass(frozen=True)
class _Group:
    """Coordinates that are connected by limits and conditions."""

    #: The limits that depend on other coordinates of the group.
    limits: Mapping[str, Limit]
    #: The conditions; a trivial one if a limit depends on a coordinate that has a limit itself.
    conditions: list[Formula]
    #: The sides of the box whose points are counted. With conditions, its points are possible positions. Otherwise it has only
    #: the coordinates without limits, and each point stands for the product of the limits + 1 there.
    sizes: Mapping[str, int]
    #: Largest possible number of positions of a point.
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
            dtype = np.int64 if self.tallest < LARGEST_PRODUCT else object
            return int(np.sum(reduce(np.multiply, (h.astype(dtype) + 1 for h in heights.values()))))
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
