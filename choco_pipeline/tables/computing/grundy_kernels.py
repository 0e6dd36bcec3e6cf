"""Which kernel computes a game's Grundy numbers: the table of patterns, the fastest first, and those that compute only whole tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Self, cast

import numpy as np

from choco_pipeline.kernels import grundy_generic
from choco_pipeline.kernels.heights import Table
from choco_pipeline.tables.computing.block_kernels import BarKernel, SolidKernel
from choco_pipeline.tables.computing.move_arrays import move_arrays
from choco_pipeline.tables.computing.table_kernel import Cells, TableKernel
from choco_pipeline.tables.specs.patterns import BoundedGame, dependent
from choco_pipeline.tables.specs.schema import NONE

#: Places at which the options of a game are counted before its table is computed: enough for two digits of their mean.
SAMPLES = 400
#: Seconds for each cell, and for each kind of move at a position, apart from its options.
SECONDS_PER_CELL, SECONDS_PER_MOVE = 25e-9, 100e-9
#: Bytes that a number in the arrays of the generic kernel takes while it is computed.
BYTES_PER_VALUE = 16


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


@dataclass(frozen=True)
class GenericKernel(TableKernel):
    """The Grundy numbers of any game, option by option. Passes are a coordinate like others, the first."""

    rate = 200e6

    @classmethod
    def of(cls, game: BoundedGame) -> Self:
        """Return the kernel, for every game."""
        return cls(game, game.rules.coordinates, tuple(game.sizes.values()))

    def whole(self) -> Table:
        """Return the Grundy numbers [passes+1, *coordinates]."""
        rules = self.game.rules
        sizes = (self.layers, *self.shape)
        within = None if rules.within is None else self.game.values(rules.within).astype(bool)
        return grundy_generic(move_arrays(self.game), sizes, within)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core: what cells, moves and options take, as many as there are in a sample."""
        moves = len(self.game.rules.moves) + (self.game.passes > 0)
        options, positions = self._sample
        each = SECONDS_PER_CELL + positions * moves * SECONDS_PER_MOVE + options / self.rate
        return self.number * each

    @property
    def beside(self) -> int:
        """The arrays of what depends on the position, and of which positions there are."""
        rules, sizes = self.game.rules, self.game.sizes
        read = [limit.of for limit in dependent(rules).values()]
        for move in rules.moves:
            read += [tuple(f.names) for f in (move.at_most, move.unless) if f is not None]
        values = sum(math.prod(sizes[name] for name in names) for names in read)
        return BYTES_PER_VALUE * values + (rules.within is not None) * math.prod(self.shape)

    @cached_property
    def _sample(self) -> tuple[float, float]:
        """Options of a cell in the mean, with those that limits forbid, and which part of the cells are positions."""
        random = np.random.default_rng(0)
        tried = positions = 0
        for place in random.integers(0, self.shape, (SAMPLES, len(self.shape))).tolist():
            if self.game.rules.why_not(place) is None:
                tried += self.game.rules.most_options(place)
                positions += 1
        return tried / SAMPLES, positions / SAMPLES


#: What computes Grundy numbers, the fastest first; the last one computes those of every game.
KERNELS: tuple[type[TableKernel], ...] = (BarKernel, SolidKernel, NimSumKernel, GenericKernel)


def grundy_kernel(game: BoundedGame) -> TableKernel:
    """Return the fastest kernel that computes a game's Grundy numbers."""
    return next(kernel for kind in KERNELS if (kernel := kind.of(game)) is not None)
