"""The shapes in a picture of a position: flat and solid bars, heaps, passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


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
