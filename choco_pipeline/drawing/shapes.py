"""Shapes in pictures of positions: flat and solid bars, heaps, passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Squares:
    """A flat bar; its bitter square is in row 0 and column 0."""

    #: Numbers of columns to the left and to the right of the bitter square.
    left: int
    right: int
    #: Numbers of rows above and below row 0 in a column from -left to right; from column 0 to the right they are monotone.
    above: Callable[[int], int]
    below: Callable[[int], int]
    #: The coordinates that count the cuts to the left, to the right, above and below; empty for none.
    labels: tuple[str, str, str, str]

    @property
    def top(self) -> int:
        """Number of rows above row 0, which is that of the last column."""
        return self.above(self.right)

    @property
    def bottom(self) -> int:
        """Number of rows below row 0, which is that of the last column."""
        return self.below(self.right)


@dataclass(frozen=True)
class Boxes:
    """A solid bar: columns (u, w) of boxes; the bitter box is the lowest of (0, 0)."""

    #: Numbers of possible cuts in each direction.
    x: int
    y: int
    z: int
    #: Number of boxes in column (u, w), up to (x, z), monotone in u and w.
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
    """The number of passes left, which comes after the shapes of the game."""

    left: int


@dataclass(frozen=True)
class Plus:
    """A plus sign between the components of a disjunctive sum."""


Shape = Squares | Boxes | Heaps | Passes | Plus
