"""Tables that are computed whole: disjunctive sums from the tables of their components, and any game from its moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from choco_pipeline.kernels import grundy_generic
from choco_pipeline.kernels.tables import Table
from choco_pipeline.tables.computing.move_arrays import move_arrays
from choco_pipeline.tables.computing.table_kernel import TableKernel
from choco_pipeline.tables.specs.patterns import BoundedGame, dependent

#: Places at which the options of a game are counted before its table is computed: enough for two digits of their mean.
SAMPLES = 400
#: Seconds for each cell, and for each kind of move at a position, apart from its options.
SECONDS_PER_CELL, SECONDS_PER_MOVE = 25e-9, 100e-9
#: Bytes that a number in the arrays of the generic kernel takes while it is computed.
BYTES_PER_VALUE = 16


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
