"""Kernels of tables: the common interface, and kernels in blocks.

A block does not need the cells of earlier blocks, only their *frontiers*: the y that earlier P-positions block, or the Grundy
numbers that moves into earlier blocks reach. There is one frontier along each row of blocks, and one along each column. Filling
a block computes its cells and updates both frontiers. Folding a finished block updates both from its stored cells.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.kernels.bitset import BelowSets, OptionSets
from choco_pipeline.kernels.columns import BlockedHeights, fill_columns, fold_columns
from choco_pipeline.kernels.dtypes import Table, dtype_for, table_for
from choco_pipeline.kernels.flat_bars import fill_bar, fold_bar
from choco_pipeline.kernels.solid import fill_solid, fold_solid
from choco_pipeline.tables.bounded_game import BoundedGame, PlainBar, heights_over

Cells = NDArray[np.integer]


@dataclass(frozen=True)
class TableKernel(ABC):
    """A kernel for the table of one game within one bound."""

    #: Cells settled, or options visited, per second on one core: a low estimate from benchmarks/.
    rate: ClassVar[float]

    game: BoundedGame
    #: The game's coordinates in the kernel's order, without passes.
    axes: tuple[str, ...]

    @classmethod
    @abstractmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel for this game, or None if it cannot compute it."""

    @abstractmethod
    def whole(self) -> Table:
        """Return all cells [passes+1, *axes]."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each axis."""
        return tuple(self.game.sizes[name] for name in self.axes)

    @property
    def layers(self) -> int:
        """Number of layers, one for each number of passes left."""
        return self.game.passes + 1

    @property
    def number(self) -> int:
        """Number of cells."""
        return self.layers * math.prod(self.shape)

    @property
    def largest(self) -> int:
        """Upper bound of the numbers in cells.

        Each move lowers the sum of the coordinates, and passes answer each other.
        """
        return sum(self.shape) - len(self.shape) + min(self.game.passes, 1)

    @property
    def dtype(self) -> str:
        """The dtype of the cells: 16 bits if these suffice."""
        return np.dtype(dtype_for(self.largest)).name

    @property
    def itemsize(self) -> int:
        """Bytes of a cell; estimates may use it beyond 32 bits, where `dtype` fails."""
        return max(2, np.min_scalar_type(-self.largest - 1).itemsize)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        return self.number / self.rate

    @property
    def beside(self) -> int:
        """Peak memory of the computation in bytes, without the cells."""
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions: passes left, if there are any, then the axes."""
        return (*self.game.front, *self.axes)

    def arranged(self, cells: Any, dims: Sequence[str]) -> Any:
        """Transpose cells [passes+1, *axes] to these dimensions."""
        arranged = cells if self.game.front else cells[0]
        return arranged.transpose([self.names.index(dim) for dim in dims])

    def cells(self, dims: Sequence[str]) -> Cells:
        """Compute all cells, with these dimensions."""
        cells: Cells = self.arranged(self.whole(), dims)
        return cells


Frontier: TypeAlias = BlockedHeights | OptionSets | BelowSets
#: Row and column of a block among the blocks of a table.
Place: TypeAlias = tuple[int, int]


class Block(NamedTuple):
    """A block: its rows and columns in the plane of the first two axes."""

    rows: range
    columns: range


@dataclass(frozen=True)
class BlockKernel(TableKernel):
    """A kernel of plain bars, in blocks that cut the first two axes."""

    #: Number of rows that are filled together, so that their frontier stays in a core's cache.
    tile: ClassVar[int]
    #: The compiled loops that fill and fold.
    loops: ClassVar[tuple[Callable[..., None], Callable[..., None]]]

    bar: PlainBar

    @property
    def every(self) -> Block:
        """The block that is the whole table."""
        rows, columns = (*map(range, self.shape), range(1), range(1))[:2]
        return Block(rows, columns)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights over a block's rows and columns, checked to be monotone."""
        *lower, top = self.bar.axes or ("",)
        sides = dict(zip(lower or [top], block, strict=False))
        if self.bar.limit is not None:
            return heights_over(self.bar.limit, sides)
        most = self.game.sizes[top] - 1 if lower else 0  # one heap is a row without height
        return np.full([len(side) for side in sides.values()], most, np.int32)

    @abstractmethod
    def start(self, axis: int, block: Block) -> Any:
        """Return the initial frontier of a block: 0 along its columns, 1 along its rows."""

    def whole(self) -> Table:
        """Return all cells [passes+1, *axes]."""
        every = self.every
        heights, cells, down = self.heights(every), self.empty(every), self.start(0, every)
        for first in every.rows[:: self.tile]:
            rows = every.rows[first : first + self.tile]
            across = self.start(1, Block(rows, every.columns))
            self.loops[0](heights, (rows.start, rows.stop), True, down, across, cells)
        return cells.reshape(self.layers, *self.shape)

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the cells [passes+1, *axes] of a block, and update its frontiers.

        `down` comes from the blocks with the same columns and smaller rows, `across` from those with the same rows and smaller
        columns.
        """
        cells, is_first = self.empty(block), block.rows.start == block.columns.start == 0
        self.loops[0](heights, (0, len(block.rows)), is_first, down, across, cells)
        return cells

    def empty(self, block: Block) -> Table:
        """Return unwritten cells [passes+1, *axes] for a block."""
        sides = (len(block.rows), len(block.columns), *self.shape[2:])
        return table_for((self.layers, *sides), self.largest)

    def fold(self, heights: NDArray[np.int32], cells: Table, down: Any, across: Any) -> None:
        """Update the frontiers of a block from its cells [passes+1, *axes]."""
        self.loops[1](heights, down, across, cells)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return the axes of the frontiers that folding needs for the one along `axis`."""
        return (axis,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions in the block: the sum of all heights plus 1."""
        return self.layers * (int(heights.sum(dtype=np.int64)) + heights.size)

    @property
    def depth(self) -> int:
        """Number of cells for each pair of a row and a column."""
        return self.layers * math.prod(self.shape[2:])

    def memory(self, block: Block) -> int:
        """Return the memory for a block: cells and frontiers twice, and heights."""
        cells = len(block.rows) * len(block.columns) * self.depth * self.itemsize
        return 2 * cells + 4 * len(block.rows) * len(block.columns) + 2 * self.frontier(block)

    @property
    @abstractmethod
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer."""

    def frontier(self, block: Block) -> int:
        """Return the bytes of both frontiers of a block."""
        return (len(block.rows) + len(block.columns)) * self.layers * self.line_bytes


@dataclass(frozen=True)
class ColumnKernel(BlockKernel):
    """The y of the P-position of each column of a bar."""

    rate = 140e6
    tile = 64
    loops = (fill_columns, fold_columns)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel for a bar with columns."""
        bar = PlainBar.of(game.rules)
        if bar is None or game.rules.bar is None or game.rules.bar.strip is not None:
            return None
        return cls(game, bar.axes[:-1], bar)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights [x, z]; a bar of two coordinates has one z."""
        return super().heights(block).reshape(len(block.rows), -1)

    @property
    def n_y(self) -> int:
        """Exclusive upper bound of the P-positions' y; columns have fewer blocked y."""
        return min(self.game.sizes[self.bar.axes[-1]], sum(map(len, self.every)))

    @property
    def largest(self) -> int:
        """The largest y."""
        return self.n_y - 1

    @property
    def beside(self) -> int:
        """Bytes of the heights, and of a checked copy."""
        return 8 * self.number // self.layers

    def start(self, axis: int, block: Block) -> BlockedHeights:
        """Return a frontier in which no y is blocked."""
        return BlockedHeights.start(len(block[1 - axis]), self.layers, self.n_y)

    @property
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer: about one bit for each y."""
        return self.n_y // 8 + 16


@dataclass(frozen=True)
class SolidKernel(BlockKernel):
    """Grundy numbers of a solid bar or an equivalent; blocks do not cut y."""

    rate = 90e6
    tile = 32
    loops = (fill_solid, fold_solid)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of three coordinates, the limited one last."""
        bar = PlainBar.of(game.rules)
        if bar is None or len(bar.axes) != 3:
            return None
        return cls(game, bar.axes, bar)

    @property
    def beside(self) -> int:
        """Bytes of the heights, a checked copy, and the option sets."""
        n_x, n_z, n_y = self.shape
        sets = self.layers * (n_z + 32) * n_y * (n_x + n_y + n_z) // 8
        return 8 * n_x * n_z + sets

    def start(self, axis: int, block: Block) -> OptionSets:
        """Return empty option sets."""
        return OptionSets.start(len(block[1 - axis]), self.layers, self.largest, self.shape[2])

    @property
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer: one bit per y and Grundy number."""
        return self.shape[2] * (self.largest // 8 + 16)


@dataclass(frozen=True)
class BarKernel(BlockKernel):
    """Grundy numbers of a bar or of one or two heaps; blocks cut z and y."""

    rate = 150e6
    tile = 128
    loops = (fill_bar, fold_bar)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of one or two coordinates."""
        bar = PlainBar.of(game.rules)
        if bar is None or len(bar.axes) > 2:
            return None
        return cls(game, bar.axes, bar)

    @property
    def beside(self) -> int:
        """Bytes of the option sets: about one bit for each y and Grundy number."""
        n_y = self.shape[1] if len(self.shape) > 1 else 1
        return self.layers * n_y * self.line_bytes

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights above the first y of a block."""
        return super().heights(block) - np.int32(block.columns.start)

    def start(self, axis: int, block: Block) -> OptionSets | BelowSets:
        """Return the empty option sets of moves along z, or along y."""
        if axis == 0:
            return OptionSets.start(1, self.layers, self.largest, len(block.columns))
        return BelowSets.start(len(block.rows), self.layers, self.largest)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return both axes for the frontier along the columns.

        A move along z may clip y to the top of a lower row, in an earlier block.
        """
        return (0, 1) if axis == 0 else (1,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions (y, z) of the bar in the block."""
        rows = heights.astype(np.int64) + 1
        return self.layers * int(rows.clip(0, len(block.columns)).sum())

    @property
    def line_bytes(self) -> int:
        """Bytes of a frontier for each line and layer: one bit for each Grundy number."""
        return self.largest // 8 + 16
