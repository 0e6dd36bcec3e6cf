"""What a position looks like, whoever draws it: squares around the bitter one, boxes on a floor, heaps, passes left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from choco_pipeline.games.bars import RectangularBar, SolidBar, StepBar, StripBar
from choco_pipeline.games.combine import DisjunctiveSum, WithPass
from choco_pipeline.games.nim import Nim
from choco_pipeline.games.rules import Position
from choco_pipeline.games.ruleset import Ruleset


@dataclass(frozen=True)
class Squares:
    """A flat bar, counted from its bitter square.

    Attributes
    ----------
    left, right
        Columns before and behind the bitter square's.
    below
        Rows below the bitter square's.
    above
        From a column, -left to right, to its number of rows above the bitter square's.
    labels
        For the directions left, right, above, below: the coordinate that counts its cuts, or "".
    """

    left: int
    right: int
    below: int
    above: Callable[[int], int]
    labels: tuple[str, str, str, str]

    @property
    def top(self) -> int:
        """Rows above the bitter square's in the highest column, the last one."""
        return self.above(self.right)


@dataclass(frozen=True)
class Boxes:
    """A solid bar: columns (u, w) of boxes on a floor, the bitter one at the bottom of (0, 0).

    Attributes
    ----------
    x, y, z
        The cuts that are left in each direction.
    height
        From (u, w), up to (x, z), to the number of boxes in that column; it does not fall in u or w.
    labels
        The names of x, y, z.
    """

    x: int
    y: int
    z: int
    height: Callable[[int, int], int]
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

    Raises
    ------
    RulesetError
        If `position` is not a position of this game.
    """
    return _shapes(ruleset, ruleset.check(position), ruleset.coordinates)


def _shapes(ruleset: Ruleset, position: Position, names: tuple[str, ...]) -> list[Shape]:
    match ruleset:
        case StepBar():
            return [_flat(ruleset, 0, position, ("", *names))]
        case StripBar():
            return [_flat(ruleset.bar, position[0], position[1:], names)]
        case RectangularBar():
            above, below, left, right = position
            return [
                Squares(
                    left,
                    right,
                    below,
                    lambda _column: above,
                    (names[2], names[3], names[0], names[1]),
                )
            ]
        case SolidBar():
            x, y, z = position
            f = ruleset.f
            return [
                Boxes(x, y, z, lambda u, w: min(y, f(u, w)) + 1, (names[0], names[1], names[2]))
            ]
        case WithPass():
            return [*_shapes(ruleset.ruleset, position[:-1], names[:-1]), Passes(position[-1])]
        case DisjunctiveSum():
            middle = len(ruleset.a.coordinates)
            first = _shapes(ruleset.a, position[:middle], names[:middle])
            second = _shapes(ruleset.b, position[middle:], names[middle:])
            return [*first, Plus(), *second]
        case Nim():
            return [Heaps(position, names)]
        case _:
            raise NotImplementedError(f"{ruleset.notation}: nothing says how this ruleset is drawn")


def _flat(bar: StepBar, strip: int, position: Position, names: tuple[str, ...]) -> Squares:
    """Return a step bar, the strip to the left of its bitter square."""
    y, z = position
    labels = (names[0], names[2], names[1], "")
    return Squares(strip, z, 0, lambda i: min(y, bar.height(i)) if i >= 0 else 0, labels)
