"""Kernels of tables: the common interface, and kernels in blocks.

A block does not need the cells of earlier blocks. It needs what their positions block or reach, the *frontiers*: one along
the rows of blocks, one along their columns. Filling a block carries both on. Folding a filled block does the same without
computing it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.kernels import (
    BelowSets,
    BlockedHeights,
    OptionSets,
    fill_bar,
    fill_columns,
    fill_solid,
    fold_bar,
    fold_columns,
    fold_solid,
    grundy_bar,
    grundy_solid,
    p_columns,
    total,
)
from choco_pipeline.kernels.heights import Table, dtype_for, table_for
from choco_pipeline.tables.bounded_game import BoundedGame, PlainBar, heights_over

Cells = NDArray[np.integer]


@dataclass(frozen=True)
class TableKernel(ABC):
    """A kernel for the table of one game within one bound."""

    #: Cells settled, or options visited, in a second on one core, measured in benchmarks/ on the slower side.
    rate: ClassVar[float]

    game: BoundedGame
    #: Its coordinates in the kernel's order, without passes.
    axes: tuple[str, ...]
    #: Number of cells along each axis.
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
        """The dtype of the cells; 16 bits as long as they are enough."""
        return np.dtype(dtype_for(self.largest)).name

    @property
    def itemsize(self) -> int:
        """Bytes of a cell, also for numbers above 32 bits, which have no `dtype`."""
        return max(2, np.min_scalar_type(-self.largest - 1).itemsize)

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core."""
        return self.number / self.rate

    @property
    def beside(self) -> int:
        """Most bytes that computing all cells needs besides them."""
        return 0

    @property
    def names(self) -> tuple[str, ...]:
        """The possible dimensions: the axes, after the passes left if there are any."""
        return (*self.game.front, *self.axes)

    def arranged(self, cells: Any, dims: Sequence[str]) -> Any:
        """Return cells [passes+1, *axes] with these dimensions."""
        arranged = cells if self.game.front else cells[0]
        return arranged.transpose([self.names.index(dim) for dim in dims])

    def cells(self, dims: Sequence[str]) -> Cells:
        """Return all cells with these dimensions."""
        cells: Cells = self.arranged(self.whole(), dims)
        return cells


Frontier: TypeAlias = BlockedHeights | OptionSets | BelowSets
#: Row and column of a block among the blocks of a table.
Place: TypeAlias = tuple[int, int]


class Block(NamedTuple):
    """A block: its rows and columns in the plane of the first two axes."""

    rows: range
    columns: range

    @property
    def is_first(self) -> bool:
        """Whether it holds the terminal position."""
        return self.rows.start == self.columns.start == 0


@dataclass(frozen=True)
class BlockKernel(TableKernel):
    """A kernel of plain bars, in blocks that cut the first two axes."""

    bar: PlainBar

    @property
    def every(self) -> Block:
        """The block that is the whole table."""
        rows, columns = (*map(range, self.shape), range(1), range(1))[:2]
        return Block(rows, columns)

    @abstractmethod
    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights that a block needs, checked to be monotone."""

    @abstractmethod
    def start(self, block: Block) -> tuple[Any, Any]:
        """Return the initial frontiers of a block: along its columns, along its rows."""

    @abstractmethod
    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the cells [passes+1, *axes], and carry the frontiers over the block.

        The frontiers, which change, come from the blocks with the same columns and smaller rows, and from those with the same rows
        and smaller columns.
        """

    @abstractmethod
    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry the frontiers over a block whose cells [passes+1, *axes] are known."""

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return the axes whose frontiers are needed to compute the frontier along `axis`."""
        return (axis,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions in the block: column heights plus one each."""
        return self.layers * (total(heights) + heights.size)

    @property
    def depth(self) -> int:
        """Number of cells behind each cell of the plane that blocks cut."""
        return self.layers * int(np.prod(self.shape[2:], dtype=int))

    def memory(self, block: Block) -> int:
        """Return the bytes for a block: twice the cells, heights, twice the frontiers."""
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
class PlaneKernel(BlockKernel):
    """A kernel whose blocks cut x and z."""

    #: The compiled loops.
    loops: ClassVar[tuple[Callable[..., None], Callable[..., None]]]

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the cells [passes+1, x, z, *rest]."""
        x, z = ((0, len(lines)) for lines in block)
        cells = table_for((self.layers, x[1], z[1], *self.shape[2:]), self.largest)
        self.loops[0](heights, x, z, block.is_first, down, across, cells)
        return cells

    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry on the frontiers."""
        x, z = ((0, len(lines)) for lines in block)
        self.loops[1](heights, x, z, down, across, cells)


@dataclass(frozen=True)
class ColumnKernel(PlaneKernel):
    """The y of the P-position of each column of a bar."""

    rate = 140e6
    loops = (fill_columns, fold_columns)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel for a bar with columns."""
        bar = PlainBar.of(game.rules)
        if bar is None or game.rules.bar is None or game.rules.bar.strip is not None:
            return None
        sides = bar.axes[:-1]
        return cls(game, sides, tuple(game.sizes[name] for name in sides), bar)

    def whole(self) -> Table:
        """Return p_y [passes+1, x, z], without x in a bar of two coordinates."""
        heights = self.heights(self.every).reshape(-1, self.shape[-1])
        return p_columns(heights, self.game.passes).reshape(self.layers, *self.shape)

    @property
    def n_y(self) -> int:
        """Upper bound of the P-positions' y, exclusive."""
        return min(self.game.sizes[self.bar.axes[-1]], sum(self.shape))

    @property
    def largest(self) -> int:
        """The largest y."""
        return self.n_y - 1

    @property
    def beside(self) -> int:
        """The heights, and a checked copy."""
        return 8 * self.number // self.layers

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return f on the block."""
        assert self.bar.limit is not None
        return heights_over(self.bar.limit, dict(zip(self.axes, block, strict=False)))

    def start(self, block: Block) -> tuple[BlockedHeights, BlockedHeights]:
        """Return the blocked heights of moves along x and along z."""
        start = partial(BlockedHeights.start, layers=self.layers, n_y=self.n_y)
        return start(lines=len(block.columns)), start(lines=len(block.rows))

    @property
    def line_bytes(self) -> int:
        """About one bit for each y."""
        return self.n_y // 8 + 16


@dataclass(frozen=True)
class SolidKernel(PlaneKernel):
    """Grundy numbers of a solid bar or an equivalent; blocks do not cut y."""

    rate = 90e6
    loops = (fill_solid, fold_solid)

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of three coordinates, the limited one last."""
        bar = PlainBar.of(game.rules)
        if bar is None or len(bar.axes) != 3:
            return None
        return cls(game, bar.axes, tuple(game.sizes[name] for name in bar.axes), bar)

    def whole(self) -> Table:
        """Return the Grundy numbers [passes+1, x, z, y]."""
        return grundy_solid(self.heights(self.every), self.game.passes)

    @property
    def beside(self) -> int:
        """The heights, a checked copy, and the option sets."""
        n_x, n_z, n_y = self.shape
        sets = self.layers * (n_z + 32) * n_y * (n_x + n_y + n_z) // 8
        return 8 * n_x * n_z + sets

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return f on the block."""
        if self.bar.limit is None:
            return np.full([len(side) for side in block], self.shape[2] - 1, np.int32)
        return heights_over(self.bar.limit, dict(zip(self.axes[:2], block, strict=True)))

    def start(self, block: Block) -> tuple[OptionSets, OptionSets]:
        """Return the option sets of moves along x and along z."""
        sizes = {"layers": self.layers, "largest": self.largest, "n_y": self.shape[2]}
        start = partial(OptionSets.start, **sizes)
        return start(lines=len(block.columns)), start(lines=len(block.rows))

    @property
    def line_bytes(self) -> int:
        """About one bit for each y and Grundy number."""
        return self.shape[2] * (self.largest // 8 + 16)


@dataclass(frozen=True)
class BarKernel(BlockKernel):
    """Grundy numbers of a bar or of one or two heaps; blocks cut z and y."""

    rate = 150e6

    @classmethod
    def of(cls, game: BoundedGame) -> Self | None:
        """Return the kernel of a plain bar of one or two coordinates."""
        bar = PlainBar.of(game.rules)
        if bar is None or len(bar.axes) > 2:
            return None
        return cls(game, bar.axes, tuple(game.sizes[name] for name in bar.axes), bar)

    def whole(self) -> Table:
        """Return the Grundy numbers [passes+1, z, y], without missing coordinates."""
        cells = grundy_bar(self.heights(self.every), self.game.passes)
        return cells.reshape(self.layers, *self.shape)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights along the z of the block."""
        if self.bar.limit is None:
            return np.full(len(block.rows), (*self.shape, 1, 1)[1] - 1, np.int32)
        return heights_over(self.bar.limit, {self.axes[0]: block.rows})

    def start(self, block: Block) -> tuple[OptionSets, BelowSets]:
        """Return the option sets of moves along z and along y."""
        by_z = OptionSets.start(
            lines=1, layers=self.layers, largest=self.largest, n_y=len(block.columns)
        )
        by_y = BelowSets.start(lines=len(block.rows), layers=self.layers, largest=self.largest)
        return by_z, by_y

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the Grundy numbers [passes+1, z, y]."""
        n_z, n_y = map(len, block)
        cells = table_for((self.layers, n_z, n_y), self.largest)
        fill_bar(heights, block.columns.start, (0, n_z), block.is_first, across, down, cells)
        return cells

    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry on the option sets."""
        z = (0, len(block.rows))
        fold_bar(heights, block.columns.start, z, across, down, cells)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return both axes for the columns.

        A move along z may be clipped to a row's top, which lies in an earlier block.
        """
        return (0, 1) if axis == 0 else (1,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions (y, z) of the bar in the block."""
        above = heights.astype(np.int64) + 1 - block.columns.start
        return self.layers * int(above.clip(0, len(block.columns)).sum())

    @property
    def line_bytes(self) -> int:
        """About one bit for each Grundy number."""
        return self.largest // 8 + 16
