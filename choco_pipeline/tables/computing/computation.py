"""How a table follows from a kernel's numbers: unchanged, or as outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.games.rules import Face
from choco_pipeline.tables.computing.grundy_kernels import grundy_kernel
from choco_pipeline.tables.computing.table_kernel import (
    BlockKernel,
    Cells,
    ColumnKernel,
    TableKernel,
)
from choco_pipeline.tables.specs.patterns import BoundedGame
from choco_pipeline.tables.specs.schema import NONE, Quantity, variable_of

#: Positions of a table, at most: no machine holds more, and the cost might exceed a float.
MOST_POSITIONS = 10**100


@dataclass(frozen=True)
class Computation:
    """A table of a kernel's numbers."""

    kernel: TableKernel
    #: The table's dimensions.
    dims: tuple[str, ...]
    #: Number of positions of the game for each one of the kernel: the number of sizes of a free heap beside it.
    each: int

    @property
    def blocks(self) -> BlockKernel | None:
        """The kernel that computes the table in blocks, if there is one."""
        kernel = self.kernel
        return kernel if isinstance(kernel, BlockKernel) and kernel.has_blocks else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        sizes = dict(zip(self.kernel.axes, self.kernel.shape, strict=True))
        return tuple(sizes.get(dim, self.kernel.layers) for dim in self.dims)

    def cells(self) -> Cells:
        """Return the table's cells."""
        return self.kernel.cells(self.dims)


@dataclass(frozen=True)
class Outcomes(Computation):
    """A table of 1 for P-positions and 0 for others, from Grundy numbers."""

    @property
    def blocks(self) -> None:
        """Nothing computes it in blocks."""

    def cells(self) -> Cells:
        """Return the table's cells."""
        numbers = super().cells()
        cells: Cells = (numbers == 0).astype(np.int8)
        cells[numbers == NONE] = NONE
        return cells


@dataclass(frozen=True)
class OnFace(Outcomes):
    """A table of 1 for P-positions and 0 for others on the face of a game.

    A heap beside the rest is left out: a position is P exactly if it is as large as the rest's Grundy number.
    """

    face: Face
    #: The game's coordinates.
    coordinates: tuple[str, ...]
    #: The heap, if any; without one, P-positions have Grundy number 0.
    heap: str | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        return (*(self.kernel.layers for _ in self.kernel.game.front), *self.face.sizes.values())

    def cells(self) -> Cells:
        """Return the table's cells."""
        grids = np.ogrid[tuple(slice(1, n + 1) for n in self.face.sizes.values())]
        places = dict(zip(self.face.sizes, grids, strict=True))
        at = dict(zip(self.coordinates, self.face.positions(places), strict=True))
        numbers = self.kernel.cells(self.kernel.names)
        place: Any = (..., *(at[name] for name in self.kernel.axes))
        cells = numbers[place]
        is_p = cells == (0 if self.heap is None else at[self.heap])
        return np.broadcast_to(is_p, self.shape).astype(np.int8)


def computation_of(game: Ruleset, bound: int | None, quantity: Quantity) -> Computation:
    """Return the computation of the table of `game`.

    The size of a free heap beside the rest of the game, in the P-position, is the rest's Grundy number, with passes too. Both
    are the mex of the same values, because a position of the whole game is terminal only if the heap is empty and the rest is
    terminal. Raises `LimitError` if the game has more than `MOST_POSITIONS` positions up to the bound.
    """
    dims = variable_of(game, quantity).dims
    bounded, rules = BoundedGame.of(game, bound), game.base.rules
    if math.prod(bounded.sizes.values()) > MOST_POSITIONS:
        raise LimitError(f"{game.notation}: bound {bound} is too large for a table on any machine")
    if quantity == "grundy":
        return Computation(grundy_kernel(bounded), dims, 1)
    if rules.free is not None:
        rest = bounded.without(rules.free)
        return Computation(grundy_kernel(rest), dims, bounded.sizes[rules.free])
    if rules.face is not None:
        heap = next(reversed(bounded.heaps), None)
        rest = BoundedGame(replace(rules, within=None), bound, game.passes, bounded.front)
        kernel = grundy_kernel(rest if heap is None else rest.without(heap))
        return OnFace(kernel, dims, 1, rules.face, rules.coordinates, heap)
    columns = ColumnKernel.of(bounded)
    return (
        Outcomes(grundy_kernel(bounded), dims, 1)
        if columns is None
        else Computation(columns, dims, 1)
    )
