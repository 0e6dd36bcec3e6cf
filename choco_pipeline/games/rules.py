"""A game as data: its coordinates, how large they may be, and its moves. All else that is known of a game follows from it.

Every game here is Nim on coordinates in which lowering some may lower others. A move lowers one coordinate or several; what
then stands above its largest legal value falls to that value, which is the rule of chocolate: whatever lies behind the cut
goes with it. No move raises a coordinate, so that play ends, and lexicographic order lists each position after its options.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.height import FormulaHeight, Height

Position = tuple[int, ...]


@dataclass(frozen=True)
class Limit:
    """The largest legal value of a coordinate, as a function of other coordinates."""

    #: The function; it never falls.
    height: Height
    #: The coordinates that it is given, in its order; none for a number.
    of: tuple[str, ...] = ()

    def at(self, values: Mapping[str, int]) -> int:
        """Return the largest legal value where the coordinates have these values."""
        return self.height(*(values[name] for name in self.of))

    def rename(self, names: Mapping[str, str]) -> Limit:
        """Return the same limit of coordinates with other names."""
        return Limit(self.height, tuple(names.get(name, name) for name in self.of))


@dataclass(frozen=True)
class Move:
    """A kind of move."""

    #: The coordinates that it lowers.
    lowers: tuple[str, ...]
    #: ``"any"``: any amounts, not all of them 0; ``"each"``: any amounts, each at least 1; ``"same"``: the same amount,
    #: at least 1, from each; a tuple: the same from each, and one of these. For one coordinate the first three are the same.
    by: Literal["any", "each", "same"] | tuple[int, ...] = "any"
    #: A formula in the coordinates, of the position that is moved from: no amount is larger. None for no such limit.
    at_most: Formula | None = None
    #: Whether coordinates that then stand above their largest legal value fall to it; else such a move is not allowed.
    clips: bool = True
    #: A condition on the position that is moved from: where it holds, play has ended.
    unless: Formula | None = None
    #: The move is allowed only where one of these is; none stands for no such condition. So a pass needs a move.
    needs: tuple[Move, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The coordinates that it lowers or reads."""
        read = [f.names for f in (self.at_most, self.unless) if f is not None]
        return frozenset(self.lowers).union(*read, *(move.names for move in self.needs))

    @property
    def is_of_one_heap(self) -> bool:
        """Whether it lowers one coordinate by any amount, and nothing but `clips` says more of it, a field of later days included."""
        is_any = not isinstance(self.by, tuple)
        one = type(self)(self.lowers[:1], clips=self.clips)
        return is_any and replace(self, by="any") == one

    def amounts(self, values: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Yield what it may take from each of `lowers`, if other coordinates did not matter."""
        most = self._most(values)
        if self.by == "any" or self.by == "each":
            least = 1 if self.by == "each" else 0
            every = product(*(range(least, n + 1) for n in most))
            yield from (amounts for amounts in every if any(amounts))
            return
        same = range(1, min(most) + 1)
        chosen = same if self.by == "same" else [n for n in self.by if n in same]
        yield from ((n,) * len(most) for n in chosen)

    def number_of_amounts(self, values: Mapping[str, int]) -> int:
        """Return how many `amounts` yields."""
        most = self._most(values)
        if self.by == "any":
            return math.prod(n + 1 for n in most) - 1
        if self.by == "each":
            return math.prod(most)
        return min(most) if self.by == "same" else sum(n <= min(most) for n in self.by)

    def _most(self, values: Mapping[str, int]) -> list[int]:
        """Return the largest amount for each coordinate that it lowers."""
        most = [values[name] for name in self.lowers]
        if self.at_most is None:
            return most
        largest = max(0, int(self.at_most.value(values)))
        return [min(value, largest) for value in most]

    def rename(self, names: Mapping[str, str]) -> Move:
        """Return the same move of coordinates with other names."""
        return replace(
            self,
            lowers=tuple(names.get(name, name) for name in self.lowers),
            at_most=self.at_most and self.at_most.rename(names),
            unless=self.unless and self.unless.rename(names),
            needs=tuple(move.rename(names) for move in self.needs),
        )


@dataclass(frozen=True)
class Face:
    """The positions that a table of P-positions holds of a game, if it does not hold all, counted from 1 by other names."""

    #: For each of those names, how far it goes.
    sizes: Mapping[str, int]
    #: For each coordinate, its value as a formula in those names. For each name, one coordinate takes all its values
    #: there and depends on nothing else.
    position: tuple[Formula, ...]

    def positions(self, places: Mapping[str, ArrayLike]) -> list[NDArray[np.int64]]:
        """Return the coordinates at places, arrays by the names, that broadcast."""
        return [formula.evaluate(places).astype(np.int64, copy=False) for formula in self.position]

    def place(self, position: Sequence[int]) -> dict[str, int]:
        """Return where the face holds a position, without passes, or one that is the same in the coordinates that say so."""
        return {name: places[position[axis]] for name, (axis, places) in self._inverses.items()}

    def holds(self, position: Sequence[int]) -> bool:
        """Whether a position, without passes, is on the face."""
        place = self.place(position)
        return [formula.value(place) for formula in self.position] == list(position)

    @cached_property
    def _inverses(self) -> dict[str, tuple[int, dict[int, int]]]:
        """For each name, a coordinate that depends on it alone, and its values by that coordinate's."""
        inverses = {}
        for name, size in self.sizes.items():
            axis = [formula.names for formula in self.position].index(frozenset({name}))
            formula = self.position[axis]
            inverses[name] = axis, {int(formula.value({name: n})): n for n in range(1, size + 1)}
        return inverses


@dataclass(frozen=True)
class Bar:
    """One bar of chocolate, as cuts of one coordinate or two make it lower."""

    #: The coordinate that has a height.
    up: str
    #: Its largest legal value, and the one or two coordinates that it follows from.
    limit: Limit
    #: A free heap beside the bar; None for none.
    strip: str | None = None

    @property
    def is_flat(self) -> bool:
        """Whether the height follows from one coordinate, so that squares make up the bar, not boxes."""
        return len(self.limit.of) == 1

    @property
    def triple(self) -> tuple[str, str, str] | None:
        """The coordinates that are to this bar what x, y, z are to the papers' bars; None of a bar with more or fewer."""
        if self.is_flat == (self.strip is None):
            return None
        return (self.strip or self.limit.of[0], self.up, self.limit.of[-1])

    @property
    def shift(self) -> int:
        """The s of a flat bar of height ⌊(z+s)/k⌋; 0 for other heights."""
        height = self.limit.height
        if not self.is_flat or not isinstance(height, FormulaHeight):
            return 0
        z = height.arguments[0]
        return (height.formula.match(parse(f"({z}+s)//k"), {z}) or {}).get("s", 0)


@dataclass(frozen=True)
class Rules:
    """The description of a game."""

    #: Their names, in the order in which positions hold them.
    coordinates: tuple[str, ...]
    #: The largest legal values; coordinates that are not here have none. A limit is a number, or depends on coordinates
    #: that have no limit or a number.
    limits: Mapping[str, Limit]
    #: Every kind of move.
    moves: tuple[Move, ...]
    #: A condition that all positions satisfy, and that no move can break; None for none.
    within: Formula | None = None
    #: A coordinate that is a heap beside the rest, of any size, from which any number may be taken; None for none.
    free: str | None = None
    #: What a table of P-positions holds; None for all.
    face: Face | None = None

    def named(self, position: Sequence[int]) -> dict[str, int]:
        """Return a position's values by the coordinates' names."""
        return dict(zip(self.coordinates, position, strict=True))

    def largest(self, bound: int | None) -> tuple[int, ...]:
        """Return the largest value of each coordinate if those without a limit go to `bound`, None if all have a limit."""
        largest = {}
        if bound is not None:
            largest = {name: bound for name in self.coordinates if name not in self.limits}
        for name, limit in sorted(self.limits.items(), key=lambda item: len(item[1].of)):
            largest[name] = limit.at(largest)
        return tuple(largest[name] for name in self.coordinates)

    def why_not(self, position: Sequence[int]) -> str | None:
        """Say which condition natural numbers break; None for a position."""
        values = self.named(position)
        for name, limit in self.limits.items():
            most = limit.at(values)
            if values[name] > most:
                where = assigned({other: values[other] for other in limit.of})
                height = f"its height at {where}, which is" if where else "its largest value,"
                return f"{name} = {values[name]} is above {height} {most}"
        if self.within is not None and not self.within.value(values):
            return f"{self.within.text} does not hold"
        return None

    def options(self, position: Sequence[int]) -> Iterator[Position]:
        """Yield what each move leads to; two moves may lead to the same position."""
        for move in self.moves:
            yield from self.options_by(move, position)

    def most_options(self, position: Sequence[int]) -> int:
        """Return how many options there are if no two are the same and each is allowed where play has not ended."""
        values = self.named(position)
        going = [m for m in self.moves if m.unless is None or not m.unless.value(values)]
        return sum(move.number_of_amounts(values) for move in going)

    def options_by(self, move: Move, position: Sequence[int]) -> Iterator[Position]:
        """Yield the options that one kind of move leads to."""
        values = self.named(position)
        if move.unless is not None and move.unless.value(values):
            return
        if move.needs and not any(
            True for other in move.needs for _ in self.options_by(other, position)
        ):
            return
        for amounts in move.amounts(values):
            lowered = dict(values)
            for name, amount in zip(move.lowers, amounts, strict=True):
                lowered[name] -= amount
            is_allowed = True
            for name, limit in self.limits.items():
                most = limit.at(lowered)
                if lowered[name] > most:
                    is_allowed = is_allowed and move.clips
                    lowered[name] = most
            if is_allowed:
                yield tuple(lowered.values())

    @cached_property
    def is_plain(self) -> bool:
        """Whether the moves are those of Nim, and of chocolate: one coordinate is lowered, by any amount."""
        return set(self.moves) == {Move((name,)) for name in self.coordinates}

    @property
    def is_nim(self) -> bool:
        """Whether this is Nim: heaps of any size, from one of which any number may be taken."""
        return self.is_plain and not self.limits and self.within is None

    @cached_property
    def bar(self) -> Bar | None:
        """The game as one bar of chocolate, alone or beside a free heap; None if it is something else."""
        if not self.is_plain or self.within is not None or len(self.limits) != 1:
            return None
        ((up, limit),) = self.limits.items()
        others = set(self.coordinates) - {up, *limit.of} - {self.free}
        return Bar(up, limit, self.free) if 1 <= len(limit.of) <= 2 and not others else None

    def rename(self, names: Mapping[str, str]) -> Rules:
        """Return the same game on coordinates with other names."""
        return replace(
            self,
            coordinates=tuple(names.get(name, name) for name in self.coordinates),
            limits={
                names.get(name, name): limit.rename(names) for name, limit in self.limits.items()
            },
            moves=tuple(move.rename(names) for move in self.moves),
            within=self.within and self.within.rename(names),
            free=self.free and names.get(self.free, self.free),
        )

    def components(self) -> list[tuple[str, ...]]:
        """Return the coordinates in groups that have no move and no limit in common: a disjunctive sum of as many games.

        Conditions on all positions (`within`) are not looked at, since no move can break them.
        """
        return self.groups([move.names for move in self.moves])

    def groups(self, links: Iterable[Set[str]]) -> list[tuple[str, ...]]:
        """Return the coordinates in groups that have no limit and no link in common."""
        groups = [{name} for name in self.coordinates]
        limits = [{name, *limit.of} for name, limit in self.limits.items()]
        for link in [*limits, *links]:
            joined = [group for group in groups if group & link]
            groups = [group for group in groups if not group & link]
            groups.append(set().union(*joined))
        named = [tuple(name for name in self.coordinates if name in group) for group in groups]
        return sorted(named, key=lambda names: self.coordinates.index(names[0]))

    def part(self, names: Sequence[str]) -> Rules:
        """Return the game on one of the `components`, or on several of them."""
        return Rules(
            tuple(names),
            {name: limit for name, limit in self.limits.items() if name in names},
            tuple(move for move in self.moves if set(move.lowers) <= set(names)),
        )


def with_free_heap(rules: Rules) -> Rules:
    """Return the rules with `free` set to the last coordinate that is a free heap, if there is one."""
    for name in reversed(rules.coordinates):
        others = [move for move in rules.moves if name in move.names]
        read = {other for limit in rules.limits.values() for other in limit.of}
        is_free = name not in rules.limits and name not in read and others == [Move((name,))]
        if is_free and (rules.within is None or name not in rules.within.names):
            return replace(rules, free=name)
    return rules
