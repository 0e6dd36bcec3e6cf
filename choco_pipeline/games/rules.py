"""Rules of games as data: coordinates, their limits, and moves.

Every game is played on coordinates. A move lowers some of them. Then each coordinate above its largest legal value falls to that
value: a cut of a chocolate bar also removes the part behind the cut. No move raises a coordinate. Therefore play ends, and in
lexicographic order each position comes after its options.
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

from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.height import FormulaHeight, Height

Position = tuple[int, ...]


@dataclass(frozen=True)
class Limit:
    """The largest legal value of a coordinate, as a function of other coordinates."""

    #: The monotone function.
    height: Height
    #: The coordinates that are its arguments, in order; empty for a constant.
    of: tuple[str, ...] = ()

    def at(self, values: Mapping[str, int]) -> int:
        """Return the largest legal value for these values of the coordinates."""
        return self.height(*(values[name] for name in self.of))

    def rename(self, names: Mapping[str, str]) -> Limit:
        """Return the same limit of coordinates with other names."""
        return Limit(self.height, _renamed(self.of, names))


@dataclass(frozen=True)
class Amounts:
    """Amounts of a move, as formulas in natural numbers that the player chooses."""

    #: The names of the chosen numbers. Each is at most the largest coordinate that the move lowers or splits.
    chosen: tuple[str, ...]
    #: The amount taken from each lowered coordinate, in the chosen numbers and the coordinates before the move.
    taken: tuple[Formula, ...]
    #: A condition on the same names, and on the sizes of the parts of a split; None for no condition.
    where: Formula | None = None

    @property
    def names(self) -> frozenset[str]:
        """The coordinates in the formulas, and the names of a split's parts."""
        formulas = [*self.taken, *([self.where] if self.where else [])]
        return frozenset().union(*(formula.names for formula in formulas)) - {*self.chosen}

    def rename(self, names: Mapping[str, str]) -> Amounts:
        """Return the same amounts of coordinates with other names."""
        taken = tuple(formula.rename(names) for formula in self.taken)
        return replace(self, taken=taken, where=self.where and self.where.rename(names))


@dataclass(frozen=True)
class Split:
    """A coordinate that a move divides, so that two positions are left."""

    coordinate: str
    #: The names of the sizes of the two parts. The first is a chosen number.
    parts: tuple[str, str]
    #: The coordinates of the game: both positions keep all of them except `coordinate`.
    keeps: tuple[str, ...]


@dataclass(frozen=True)
class Move:
    """A kind of move."""

    #: The coordinates that it lowers.
    lowers: tuple[str, ...]
    #: ``"any"``: any amounts, not all 0; ``"each"``: any amounts, each at least 1; ``"same"``: the same amount, at least 1,
    #: from each coordinate; a tuple: one of these amounts, from each; `Amounts`: the values of its formulas, not all 0. For one
    #: coordinate the first three are equivalent.
    by: Literal["any", "each", "same"] | tuple[int, ...] | Amounts = "any"
    #: The largest amount, a formula in the coordinates before the move; None for no limit.
    at_most: Formula | None = None
    #: Whether coordinates above their largest legal value fall to it; otherwise such a move is not allowed.
    clips: bool = True
    #: A condition on the position before the move: where it holds, the move is not allowed.
    unless: Formula | None = None
    #: The move is allowed only where one of these moves is; empty for no condition. A pass needs another move.
    needs: tuple[Move, ...] = ()
    #: The coordinate that it divides; only with `Amounts`.
    split: Split | None = None

    @property
    def changes(self) -> tuple[str, ...]:
        """The coordinates that it lowers, and the one that it divides."""
        return (*self.lowers, *((self.split.coordinate,) if self.split else ()))

    @property
    def names(self) -> frozenset[str]:
        """The coordinates that it lowers, divides or reads."""
        read = [f.names for f in (self.at_most, self.unless) if f is not None]
        if isinstance(self.by, Amounts):
            read.append(self.by.names - {*(self.split.parts if self.split else ())})
        kept = self.split.keeps if self.split else ()
        return frozenset(self.lowers).union(kept, *read, *(move.names for move in self.needs))

    def amounts(self, values: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Yield the amounts from each of `lowers`; the limits of coordinates are ignored."""
        if isinstance(self.by, Amounts):
            yield from dict.fromkeys(amounts for amounts, _ in self.chosen(values, self.by))
        else:
            yield from self.amounts_up_to(self._most(values))

    def amounts_up_to(self, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the amounts that are at most `most`, for a move without `Amounts`."""
        if self.by == "any" or self.by == "each":
            least = 1 if self.by == "each" else 0
            every = product(*(range(least, n + 1) for n in most))
            return (amounts for amounts in every if any(amounts))
        same = range(1, min(most) + 1)
        listed = [n for n in self.by if n in same] if isinstance(self.by, tuple) else same
        return ((n,) * len(most) for n in listed)

    def chosen(
        self, values: Mapping[str, int], by: Amounts
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
        """Yield the amounts and the sizes of parts, (0, 0) without a split."""
        for numbers in product(range(self.largest(values) + 1), repeat=len(by.chosen)):
            given = {**values, **dict(zip(by.chosen, numbers, strict=True))}
            amounts = tuple(int(formula.value(given)) for formula in by.taken)
            pairs = zip(self.lowers, amounts, strict=True)
            if not all(0 <= amount <= values[name] for name, amount in pairs):
                continue
            parts = (0, 0)
            if self.split is not None:
                taken = dict(zip(self.lowers, amounts, strict=True))
                left = values[self.split.coordinate] - taken.get(self.split.coordinate, 0)
                part = given[self.split.parts[0]]
                if part > left:
                    continue
                parts = part, left - part
                given |= dict(zip(self.split.parts, parts, strict=True))
            elif not any(amounts):
                continue
            if by.where is None or by.where.value(given):
                yield amounts, parts

    def largest(self, values: Mapping[str, int]) -> int:
        """Return the largest coordinate that it lowers or divides."""
        return max(values[name] for name in self.changes)

    def number_of_amounts(self, values: Mapping[str, int]) -> int:
        """Return the number of choices; for `Amounts` it includes forbidden ones."""
        if isinstance(self.by, Amounts):
            return int((self.largest(values) + 1) ** len(self.by.chosen))
        most = self._most(values)
        if self.by == "any":
            return math.prod(n + 1 for n in most) - 1
        if self.by == "each":
            return math.prod(most)
        return min(most) if self.by == "same" else sum(n <= min(most) for n in self.by)

    def _most(self, values: Mapping[str, int]) -> list[int]:
        most = [values[name] for name in self.lowers]
        if self.at_most is None:
            return most
        largest = max(0, int(self.at_most.value(values)))
        return [min(value, largest) for value in most]

    def rename(self, names: Mapping[str, str]) -> Move:
        """Return the same move of coordinates with other names."""
        split = self.split
        if split is not None:
            coordinate, keeps = (
                _renamed(part, names) for part in ((split.coordinate,), split.keeps)
            )
            split = replace(split, coordinate=coordinate[0], keeps=keeps)
        return replace(
            self,
            lowers=_renamed(self.lowers, names),
            at_most=self.at_most and self.at_most.rename(names),
            by=self.by.rename(names) if isinstance(self.by, Amounts) else self.by,
            unless=self.unless and self.unless.rename(names),
            needs=tuple(move.rename(names) for move in self.needs),
            split=split,
        )


@dataclass(frozen=True)
class Face:
    """The positions in a table of P-positions, with indices of their own."""

    #: The largest value of each index; the least is 1.
    sizes: Mapping[str, int]
    #: The value of each coordinate, as a formula in the indices.
    position: tuple[Formula, ...]
    #: For each index, the number of the coordinate that is one less.
    axes: Mapping[str, int]

    def positions(self, places: Mapping[str, ArrayLike]) -> list[NDArray[np.int64]]:
        """Return the coordinates at places, which are arrays of indices that broadcast."""
        return [formula.evaluate(places).astype(np.int64, copy=False) for formula in self.position]

    def place(self, position: Sequence[int]) -> dict[str, int]:
        """Return the indices of a position, given without passes."""
        return {name: position[axis] + 1 for name, axis in self.axes.items()}

    def holds(self, position: Sequence[int]) -> bool:
        """Whether the table holds a position, given without passes."""
        place = self.place(position)
        return [formula.value(place) for formula in self.position] == list(position)


@dataclass(frozen=True)
class Bar:
    """A chocolate bar whose height depends on one or two coordinates."""

    #: The coordinate with a limit, the height of the bar.
    up: str
    #: Its largest legal value, a function of one or two coordinates.
    limit: Limit
    #: A free heap beside the bar; None for none.
    strip: str | None = None

    @property
    def is_flat(self) -> bool:
        """Whether the height depends on one coordinate: squares, not boxes."""
        return len(self.limit.of) == 1

    @property
    def triple(self) -> tuple[str, str, str] | None:
        """The coordinates in the roles of x, y, z; None unless there are three."""
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
    """The rules of a game."""

    #: The names of the coordinates, in the order of positions.
    coordinates: tuple[str, ...]
    #: The largest legal values; other coordinates have none.
    limits: Mapping[str, Limit]
    #: Every kind of move.
    moves: tuple[Move, ...]
    #: A condition that all positions satisfy, and that no move can violate; None for none.
    within: Formula | None = None
    #: The free heap: a coordinate without a limit that is a Nim heap beside the rest of the game; None for none.
    free: str | None = None
    #: The positions that a table of P-positions holds; None for all.
    face: Face | None = None
    #: A condition that all positions satisfy; moves that violate it are not allowed. None for none.
    legal: Formula | None = None
    #: Whether the player without a move wins.
    misere: bool = False

    def named(self, position: Sequence[int]) -> dict[str, int]:
        """Return a position's values by the coordinates' names."""
        return dict(zip(self.coordinates, position, strict=True))

    def largest(self, bound: int | None) -> tuple[int, ...]:
        """Return the largest value of each coordinate in a table to `bound`.

        Coordinates whose limits depend on each other also go up to `bound`, or as far as their limits allow.
        """
        largest = {} if bound is None else dict.fromkeys(self.unbounded, bound)
        for name in self.ordered:
            largest[name] = self.limits[name].at(largest)
        if self.cycle:
            largest = self.fallen(largest)
        return tuple(largest[name] for name in self.coordinates)

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The coordinates with limits, in order of dependence, without cycles."""
        ordered: list[str] = []
        while more := [
            name
            for name, limit in self.limits.items()
            if name not in ordered and {*limit.of} & self.limits.keys() <= {*ordered}
        ]:
            ordered += more
        return tuple(ordered)

    @property
    def cycle(self) -> tuple[str, ...]:
        """The coordinates with limits that depend on each other, or on such coordinates."""
        return tuple(name for name in self.limits if name not in self.ordered)

    @property
    def unbounded(self) -> tuple[str, ...]:
        """The coordinates without a limit, or whose limits depend on each other."""
        return tuple(n for n in self.coordinates if n not in self.limits or n in self.cycle)

    @cached_property
    def is_nested(self) -> bool:
        """Whether a limit depends on a coordinate whose own limit is not constant."""
        dependent = {name for name, limit in self.limits.items() if limit.of}
        return any(dependent & {*limit.of} for limit in self.limits.values())

    @cached_property
    def splits(self) -> bool:
        """Whether a move may leave two positions."""
        return any(move.split is not None for move in self.moves)

    @cached_property
    def needs_listing(self) -> bool:
        """Whether tables need listed options, because no compiled kernel has these rules."""
        by_formula = any(isinstance(move.by, Amounts) for move in self.moves)
        return by_formula or self.is_nested or self.legal is not None or self.misere

    def fallen(self, values: Mapping[str, int]) -> dict[str, int]:
        """Return the largest position that exceeds none of the given values."""
        fallen, before = dict(values), None
        while fallen != before:
            before = dict(fallen)
            for name, limit in self.limits.items():
                fallen[name] = min(fallen[name], limit.at(fallen))
        return fallen

    def why_not(self, position: Sequence[int]) -> str | None:
        """Return the condition that natural numbers violate; None for a position."""
        values = self.named(position)
        for name, limit in self.limits.items():
            most = limit.at(values)
            if values[name] > most:
                where = assigned({other: values[other] for other in limit.of})
                height = f"its height at {where}, which is" if where else "its largest value,"
                return f"{name} = {values[name]} is above {height} {most}"
        for condition in (self.within, self.legal):
            if condition is not None and not condition.value(values):
                return f"{condition.text} does not hold"
        return None

    def options(self, position: Sequence[int]) -> Iterator[Position]:
        """Yield the option of each move; raise `RulesetError` if a move may split."""
        for move in self.moves:
            yield from self.options_by(move, position)

    def results(self, position: Sequence[int]) -> Iterator[tuple[Position, ...]]:
        """Yield the result of each move: a position, or two whose sum is played."""
        for move in self.moves:
            yield from self.results_by(move, position)

    def most_options(self, position: Sequence[int]) -> int:
        """Return the number of options, if all are different and allowed."""
        values = self.named(position)
        going = [m for m in self.moves if m.unless is None or not m.unless.value(values)]
        return sum(move.number_of_amounts(values) for move in going)

    def options_by(self, move: Move, position: Sequence[int]) -> Iterator[Position]:
        """Yield the options by one kind of move."""
        if move.split is not None:
            raise RulesetError(
                f"a move splits {move.split.coordinate} and leaves two positions: such a game has no single options"
            )
        for (option,) in self.results_by(move, position):
            yield option

    def results_by(self, move: Move, position: Sequence[int]) -> Iterator[tuple[Position, ...]]:
        """Yield the result of each move of one kind, in the form of `results`."""
        values = self.named(position)
        if move.unless is not None and move.unless.value(values):
            return
        if move.needs and not any(
            True for other in move.needs for _ in self.results_by(other, position)
        ):
            return
        for left in self._left_by(move, values):
            ends = [self.fallen(one) for one in left]
            if not move.clips and ends != left:
                continue
            result = tuple(tuple(end.values()) for end in ends)
            is_legal = self.legal is None or all(map(self.legal.value, ends))
            if is_legal and tuple(values.values()) not in result:
                yield result

    def _left_by(self, move: Move, values: Mapping[str, int]) -> Iterator[list[dict[str, int]]]:
        if move.split is None or not isinstance(move.by, Amounts):
            for amounts in move.amounts(values):
                yield [_less(values, move.lowers, amounts)]
            return
        if {*move.split.keeps} != {*self.coordinates}:
            raise RulesetError(
                "the results of a move that splits are not positions of a sum of games"
            )
        for amounts, parts in move.chosen(values, move.by):
            lowered = _less(values, move.lowers, amounts)
            yield [{**lowered, move.split.coordinate: part} for part in parts]

    @cached_property
    def is_plain(self) -> bool:
        """Whether each move lowers one coordinate by any amount."""
        is_of_nim = set(self.moves) == {Move((name,)) for name in self.coordinates}
        return is_of_nim and self.legal is None and not self.misere

    @property
    def is_nim(self) -> bool:
        """Whether this is Nim, with heaps of any size."""
        return self.is_plain and not self.limits and self.within is None

    @cached_property
    def bar(self) -> Bar | None:
        """The game as one chocolate bar, alone or beside a free heap, or None."""
        if not self.is_plain or self.within is not None or len(self.limits) != 1:
            return None
        ((up, limit),) = self.limits.items()
        others = set(self.coordinates) - {up, *limit.of} - {self.free}
        return Bar(up, limit, self.free) if 1 <= len(limit.of) <= 2 and not others else None

    def rename(self, names: Mapping[str, str]) -> Rules:
        """Return the same game on coordinates with other names."""
        return replace(
            self,
            coordinates=_renamed(self.coordinates, names),
            limits={names.get(n, n): limit.rename(names) for n, limit in self.limits.items()},
            moves=tuple(move.rename(names) for move in self.moves),
            within=self.within and self.within.rename(names),
            free=self.free and names.get(self.free, self.free),
            legal=self.legal and self.legal.rename(names),
        )

    def components(self) -> list[tuple[str, ...]]:
        """Return the coordinates of the parts of the disjunctive sum.

        `within` is ignored, because no move can violate it. In misère play there is one component, because sums have no rule.
        """
        links = [move.names for move in self.moves]
        links += [part.names for part in self.legal.conjuncts] if self.legal is not None else []
        return self.groups([*links, {*self.coordinates}] if self.misere else links)

    def groups(self, links: Iterable[Set[str]]) -> list[tuple[str, ...]]:
        """Partition the coordinates: those in a common limit or link are together."""
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
        legal = self.legal.conjuncts if self.legal is not None else ()
        return Rules(
            tuple(names),
            {name: limit for name, limit in self.limits.items() if name in names},
            tuple(move for move in self.moves if {*move.changes} <= {*names}),
            legal=conjunction(part for part in legal if part.names <= {*names}),
            misere=self.misere,
        )


def conjunction(conditions: Iterable[Formula | None]) -> Formula | None:
    """Return the conjunction of conditions; None for no condition."""
    texts = [f"({one.text})" for one in conditions if one is not None]
    return parse(" and ".join(texts)) if texts else None


def _renamed(coordinates: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in coordinates)


def _less(values: Mapping[str, int], names: Sequence[str], by: Sequence[int]) -> dict[str, int]:
    lowered = dict(values)
    for name, amount in zip(names, by, strict=True):
        lowered[name] -= amount
    return lowered


def with_free_heap(rules: Rules) -> Rules:
    """Return the rules with `free` set to the last free heap, if there is one."""
    conditions = [one.names for one in (rules.within, rules.legal) if one is not None]
    for name in reversed(rules.coordinates) if not rules.misere else ():
        others = [move for move in rules.moves if name in move.names]
        read = {other for limit in rules.limits.values() for other in limit.of}
        is_free = name not in rules.limits and name not in read and others == [Move((name,))]
        if is_free and not any(name in names for names in conditions):
            return replace(rules, free=name)
    return rules
