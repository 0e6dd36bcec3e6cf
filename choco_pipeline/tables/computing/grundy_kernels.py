"""Which kernel computes a game's Grundy numbers: the table of patterns, the fastest first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Self, cast

import numpy as np

from choco_pipeline.kernels.tables import Table
from choco_pipeline.tables.computing.block_kernels import BarKernel, SolidKernel
from choco_pipeline.tables.computing.table_kernel import Cells, TableKernel
from choco_pipeline.tables.computing.whole_kernels import GenericKernel
from choco_pipeline.tables.specs.patterns import BoundedGame
from choco_pipeline.tables.specs.schema import NONE


@dataclass(frozen=True)
class NimSumKernel(TableKernel):
    """The Grundy numbers of a disjunctive sum without passes that it shares, from those of its components."""

    rate = 100e6

    #: What computes each component.
    parts: tuple[TableKernel, ...]

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel if the game falls into several."""
        components = game.components
        if game.passes or len(components) < 2:
            return None
        parts = tuple(map(grundy_kernel, components))
        axes = game.rules.coordinates
        return cls(game, axes, tuple(game.sizes[name] for name in axes), parts)

    def whole(self) -> Table:
        """Return the nim-sums [1, *coordinates], NONE where any of them has no position (Sprague and Grundy)."""

        def add(a: Cells, b: Cells) -> Cells:
            total = np.bitwise_xor.outer(a.astype(np.int32, copy=False), b.astype(np.int32))
            total[np.logical_or.outer(a == NONE, b == NONE)] = NONE
            return cast(Cells, total)

        cells = reduce(add, [part.cells(part.names) for part in self.parts])
        joined = [name for part in self.parts for name in part.names]
        cells = cells.transpose([joined.index(name) for name in self.axes])
        within = self.game.rules.within
        if within is not None:
            np.copyto(cells, NONE, where=~self.game.values(within))
        return cells[None].astype(np.int32, copy=False)

    @property
    def dtype(self) -> str:
        """Wide enough for every sum."""
        return "int32"

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core, the components' and those of adding."""
        return super().seconds + sum(part.seconds for part in self.parts)

    @property
    def beside(self) -> int:
        """What the largest component's table takes."""
        return max(2 * part.number * part.itemsize + part.beside for part in self.parts)


#: What computes Grundy numbers, the fastest first; the last one computes those of every game.
KERNELS: tuple[type[TableKernel], ...] = (BarKernel, SolidKernel, NimSumKernel, GenericKernel)


def grundy_kernel(game: BoundedGame) -> TableKernel:
    """Return the fastest kernel that computes a game's Grundy numbers."""
    return next(kernel for kind in KERNELS if (kernel := kind.of(game)) is not None)
