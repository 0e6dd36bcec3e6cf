"""What a position looks like, whoever draws it: squares around the bitter one, boxes on a floor, heaps, passes left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.games.rules import Limit, Position, Rules
from choco_pipeline.games.ruleset import Ruleset


@dataclass(frozen=True)
class Squares:
    """A flat bar, counted from its bitter square."""

    #: Columns before and behind the bitter square's.
    left: int
    right: int
    #: From a column, -left to right, to its numbers of rows above and below the bitter square's; behind that neither falls.
    above: Callable[[int], int]
    below: Callable[[int], int]
    #: For the directions left, right, above, below: the coordinate that counts its cuts, or "".
    labels: tuple[str, str, str, str]

    @property
    def top(self) -> int:
        """Rows above the bitter square's in the highest column, the last one."""
        return self.above(self.right)

    @property
    def bottom(self) -> int:
        """Rows below the bitter square's in the lowest column, the last one."""
        return self.below(self.right)


@dataclass(frozen=True)
class Boxes:
    """A solid bar: columns (u, w) of boxes on a floor, the bitter one at the bottom of (0, 0)."""

    #: The cuts that are left in each direction.
    x: int
    y: int
    z: int
    #: From (u, w), up to (x, z), to the number of boxes in that column; it does not fall in u or w.
    height: Callable[[int, int], int]
    #: The names of x, y, z.
    labels: tuple[str, str, str]


@dataclass(frozen=True)
class Heaps:
    """Heaps of stones and their names."""

    sizes: tuple[int, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Passes:
    """Passes left to the players of what stands before them."""

    left: int


@dataclass(frozen=True)
class Plus:
    """The sign between the parts of a disjunctive sum."""


Shape = Squares | Boxes | Heaps | Passes | Plus


def shapes_of(ruleset: Ruleset, position: Sequence[int]) -> list[Shape]:
    """Return what stands side by side in a picture of `position`.

    Raises `RulesetError` if `position` is not a position of this game.
    """
    return _shapes(ruleset, ruleset.check(position), ruleset.coordinates)


def _shapes(ruleset: Ruleset, position: Position, names: tuple[str, ...]) -> list[Shape]:
    if ruleset.base is not ruleset:
        return [*_shapes(ruleset.base, position[:-1], names[:-1]), Passes(position[-1])]
    if len(ruleset.parts) > 1:
        shapes: list[Shape] = []
        for part in ruleset.parts:
            n = len(part.coordinates)
            shapes += [Plus()] if shapes else []
            shapes += _shapes(part, position[:n], names[:n])
            position, names = position[n:], names[n:]
        return shapes
    return _of_one(
        ruleset.rules.rename(dict(zip(ruleset.coordinates, names, strict=True))), position
    )


def _of_one(rules: Rules, position: Position) -> list[Shape]:
    """Return a game without passes that is no sum: as chocolate where it is a bar, else as heaps."""
    values, names = rules.named(position), rules.coordinates
    if rules.face is not None:
        up, down, left, right = position
        labels = (names[2], names[3], names[0], names[1])
        return [Squares(left, right, lambda _column: up, lambda _column: down, labels)]
    strip = rules.free or ""
    sides = _sides(rules)
    if sides:
        (along,) = rules.limits[sides[0]].of
        above, below = (_side(values, rules.limits.get(name), name) for name in sides)
        return [Squares(values.get(strip, 0), values[along], above, below, (strip, along, *sides))]
    if rules.bar is None:
        return [Heaps(position, names)]
    y, limit = rules.bar.up, rules.bar.limit
    (x, z), f, high = limit.of, limit.height, values[y]
    boxes = Boxes(values[x], high, values[z], lambda u, w: min(high, f(u, w)) + 1, (x, y, z))
    return [Heaps((values[strip],), (strip,)), Plus(), boxes] if strip else [boxes]


def _sides(rules: Rules) -> tuple[str, str] | None:
    """Return the coordinates above and below the bitter square of a flat bar, "" for none below; None of other games.

    Their heights follow from the same coordinate: a cut of it takes the ends of columns on both sides.
    """
    along = tuple(set(rules.coordinates) - set(rules.limits) - {rules.free})
    of = {limit.of for limit in rules.limits.values()}
    if not rules.is_plain or rules.within is not None or len(along) != 1 or of != {along}:
        return None
    match [name for name in rules.coordinates if name in rules.limits]:
        case [above]:
            return above, ""
        case [below, above]:
            return above, below
        case _:
            return None


def _side(values: Mapping[str, int], limit: Limit | None, name: str) -> Callable[[int], int]:
    """Return how many squares each column has on one side of the bitter square's row; beside a strip there are none."""
    if limit is None:
        return lambda _column: 0
    most, height = values[name], limit.height
    return lambda column: min(most, height(column)) if column >= 0 else 0
