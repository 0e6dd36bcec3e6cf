"""The shapes in a picture of a position: flat and solid bars, heaps, passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Squares:
    """A flat bar, counted from its bitter square."""

    #: Numbers of columns on both sides of the bitter square's.
    left: int
    right: int
    #: Numbers of rows above and below the bitter row in a column, from -left to right; neither decreases to the right of 0.
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
    """A solid bar: columns (u, w) of boxes, the bitter one lowest in (0, 0)."""

    #: Remaining cuts in each direction.
    x: int
    y: int
    z: int
    #: Number of boxes in column (u, w), up to (x, z); it does not decrease in u or w.
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
    """Passes left to the players, after the shapes of their game."""

    left: int


@dataclass(frozen=True)
class Plus:
    """The sign between the parts of a disjunctive sum."""


Shape = Squares | Boxes | Heaps | Passes | Plus
