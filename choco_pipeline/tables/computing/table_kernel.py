"""What every kernel of tables says of itself: which games it computes, what it holds, and how long it takes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.kernels.heights import Table, dtype_for
from choco_pipeline.tables.specs.patterns import BoundedGame

Cells = NDArray[np.integer]


@dataclass(frozen=True)
class TableKernel(ABC):
    """What computes a table, of one game within one bound."""

    #: Cells settled, or options visited, in a second on one core, measured in benchmarks/ on the slower side.
    rate: ClassVar[float]

    #: The game.
    game: BoundedGame
    #: Its coordinates in the order in which the kernel has them, passes apart.
    axes: tuple[str, ...]
    #: How many cells there are along each.
    shape: tuple[int, ...]

    @classmethod
    @abstractmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if it computes this game."""

    @abstractmethod
    def whole(self) -> Table:
        """Return all cells [passes+1, *axes]."""

    @property
    def layers(self) -> int:
        """One for each number of passes left."""
        return self.game.passes + 1

    @property
    def number(self) -> int:
        """How many cells there are."""
        return self.layers * math.prod(self.shape)

    @property
    def largest(self) -> int:
        """No cell holds a larger number: each move lowers the sum of the coordinates, and passes answer each other."""
        return sum(self.shape) - len(self.shape) + min(self.game.passes, 1)

    @property
    def dtype(self) -> str:
        """The dtype of the cells; it changes with the bound only where 16 bits are no longer enough."""
        return np.dtype(dtype_for(self.largest)).name

    @property
    def itemsize(self) -> int:
        """Bytes of a cell. Memory is asked for before `dtype`, which there is none of for numbers above 32 bits."""
        return max(2, np.min_scalar_type(-self.largest - 1).itemsize)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        return self.number / self.rate

    @property
    def beside(self) -> int:
        """Bytes that it holds at most beside the cells, to compute all of them."""
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """What can be asked for as dimensions: the axes, and the passes left in front where there are any."""
        return (*self.game.front, *self.axes)

    def arranged(self, cells: Any, dims: Sequence[str]) -> Any:
        """Return cells [passes+1, *axes] with these dimensions."""
        arranged = cells if self.game.front else cells[0]
        return arranged.transpose([self.names.index(dim) for dim in dims])

    def cells(self, dims: Sequence[str]) -> Cells:
        """Return all cells with these dimensions."""
        cells: Cells = self.arranged(self.whole(), dims)
        return cells
