"""Tables that are computed in blocks: which kernel fills a block, and what it hands on to the blocks after it.

A block needs of those before it not their cells but what their positions block or reach, the *frontiers*: one along the
rows of blocks, one along their columns. Filling a block carries both on. Folding one that is filled already does the same
without computing it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.games import Nim, Ruleset, SolidBar, StepBar, StripBar
from choco_pipeline.games.height import Height
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
    total,
)
from choco_pipeline.kernels.tables import Table, dtype_for, table_for
from choco_pipeline.tables.schema import Quantity

Frontier: TypeAlias = BlockedHeights | OptionSets | BelowSets
#: Row and column of a block among the blocks of a table.
Place: TypeAlias = tuple[int, int]

TILE = 32  # lines filled with one set of what they reach, as in `grundy_solid`


class Block(NamedTuple):
    """A block: which rows and which columns of the plane that blocks cut."""

    rows: range
    columns: range

    @property
    def is_first(self) -> bool:
        """Whether it holds the terminal position."""
        return self.rows.start == self.columns.start == 0


@dataclass(frozen=True)
class BlockKernel(ABC):
    """A table that is computed in blocks of two of its axes; a third lies whole in each block.

    Attributes
    ----------
    passes
        The largest number of passes left.
    bound
        Largest value of every coordinate that the shape does not limit.
    axes
        The dimensions that blocks cut, rows first, then the one that lies whole in a block, if there is one.
    free_heap
        Whether cells hold the size of a free heap beside the game, so that each settles bound + 1 positions.
    """

    rate: ClassVar[str]  #: which of `choco_pipeline.tables.cost.RATES` is its speed

    passes: int
    bound: int
    axes: tuple[str, ...]
    free_heap: bool

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """How many cells there are along each of `axes`."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """No cell holds a larger number."""

    @abstractmethod
    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights that a block needs, checked to be monotone."""

    @abstractmethod
    def start(self, block: Block) -> tuple[Any, Any]:
        """Return the frontiers of a block with nothing before it: that of its columns, then that of its rows."""

    @abstractmethod
    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the cells [passes+1, *axes], and carry the frontiers over the block.

        Parameters
        ----------
        block, heights
            Which one, and its `heights`.
        down, across
            What the blocks with the same columns and smaller rows, and those with the same rows and smaller columns,
            hand on. Changed.
        """

    @abstractmethod
    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry the frontiers over a block whose cells [passes+1, *axes] are known."""

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return which frontiers folding must carry on so that the one of `axis` is right: itself, and what it needs."""
        return (axis,)

    @abstractmethod
    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return how many positions the block settles."""

    @property
    def layers(self) -> int:
        """One for each number of passes left."""
        return self.passes + 1

    @property
    def dtype(self) -> str:
        """The dtype of the cells; it changes with the bound only where 16 bits are no longer enough."""
        return np.dtype(dtype_for(self.largest)).name

    @property
    def depth(self) -> int:
        """How many cells lie behind each cell of the plane that blocks cut."""
        return self.layers * int(np.prod(self.shape[2:], dtype=int))

    @property
    def weight(self) -> int:
        """How many positions a position of the game without the free heap stands for."""
        return self.layers * (self.bound + 1 if self.free_heap else 1)

    def memory(self, block: Block) -> int:
        """Return the bytes that filling a block holds: its cells twice, its heights, and its frontiers before and after."""
        cells = len(block.rows) * len(block.columns) * self.depth * np.dtype(self.dtype).itemsize
        return 2 * cells + 4 * len(block.rows) * len(block.columns) + 2 * self.frontier(block)

    @abstractmethod
    def frontier(self, block: Block) -> int:
        """Return the bytes of both frontiers of a block."""


@dataclass(frozen=True)
class Columns(BlockKernel):
    """The y of the P-position of each column of a solid bar; blocks cut x and z."""

    rate = "columns"

    f: Height

    @property
    def shape(self) -> tuple[int, ...]:
        """X and z."""
        return (self.bound + 1, self.bound + 1)

    @property
    def n_y(self) -> int:
        """No P-position is as high as this."""
        return min(self.f(self.bound, self.bound) + 1, 2 * (self.bound + 1))

    @property
    def largest(self) -> int:
        """The largest y."""
        return self.n_y - 1

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return f on the block."""
        return self.f.block(*block)

    def start(self, block: Block) -> tuple[BlockedHeights, BlockedHeights]:
        """Return what moves along x and along z are blocked by."""
        by_x, by_z = (
            BlockedHeights.start(lines=len(lines), layers=self.layers, n_y=self.n_y)
            for lines in (block.columns, block.rows)
        )
        return by_x, by_z

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return p_y [passes+1, x, z]."""
        x, z = ((0, len(lines)) for lines in block)
        cells = table_for((self.layers, x[1], z[1]), self.largest, None)
        fill_columns(heights, x, z, block.is_first, down, across, cells)
        return cells

    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry on what is blocked."""
        x, z = ((0, len(lines)) for lines in block)
        fold_columns(heights, x, z, down, across, cells)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the sum of the columns' heights, plus one each."""
        return self.weight * (total(heights) + heights.size)

    def frontier(self, block: Block) -> int:
        """Return about one bit for each line and y."""
        return (len(block.rows) + len(block.columns)) * self.layers * (self.n_y // 8 + 16)


@dataclass(frozen=True)
class Solid(BlockKernel):
    """The Grundy numbers of a solid bar, or of what is one; blocks cut x and z, and y lies whole in them.

    ``f`` is the height function, or the heights along z where x does not matter.
    """

    rate = "solid"

    f: Height | Sequence[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """X, z and y."""
        top = self.f(self.bound, self.bound) if isinstance(self.f, Height) else self.f[self.bound]
        return (self.bound + 1, self.bound + 1, top + 1)

    @property
    def largest(self) -> int:
        """The largest number of options."""
        return sum(n - 1 for n in self.shape) + min(self.passes, 1)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return f on the block."""
        if isinstance(self.f, Height):
            return self.f.block(*block)
        along_z = np.array(self.f[block.columns.start : block.columns.stop], np.int32)
        return np.tile(along_z, (len(block.rows), 1))

    def start(self, block: Block) -> tuple[OptionSets, OptionSets]:
        """Return what moves along x and along z reach."""
        by_x, by_z = (
            OptionSets.start(
                lines=len(lines), layers=self.layers, largest=self.largest, n_y=self.shape[2]
            )
            for lines in (block.columns, block.rows)
        )
        return by_x, by_z

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the Grundy numbers [passes+1, x, z, y]."""
        n_x, n_z = map(len, block)
        cells = table_for((self.layers, n_x, n_z, self.shape[2]), self.largest, None)
        for x in range(0, n_x, TILE):
            lines = (x, min(x + TILE, n_x))
            for z in range(0, n_z, TILE):
                tile = (z, min(z + TILE, n_z))
                fill_solid(heights, lines, tile, block.is_first, down, across.cut(*lines), cells)
        return cells

    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry on what is reached."""
        x, z = ((0, len(lines)) for lines in block)
        fold_solid(heights, x, z, down, across, cells)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the sum of the columns' heights, plus one each."""
        return self.weight * (total(heights) + heights.size)

    def frontier(self, block: Block) -> int:
        """Return about one bit for each line, y and Grundy number."""
        lines = len(block.rows) + len(block.columns)
        return lines * self.layers * self.shape[2] * (self.largest // 8 + 16)


@dataclass(frozen=True)
class Bar(BlockKernel):
    """The Grundy numbers of a bar, or of two heaps; blocks cut z and y. ``f`` holds the heights along z."""

    rate = "bar"

    f: Sequence[int]

    @property
    def shape(self) -> tuple[int, ...]:
        """Z and y."""
        return (self.bound + 1, self.f[self.bound] + 1)

    @property
    def largest(self) -> int:
        """The largest number of options."""
        return sum(n - 1 for n in self.shape) + min(self.passes, 1)

    def heights(self, block: Block) -> NDArray[np.int32]:
        """Return the heights along the z of the block."""
        return np.array(self.f[block.rows.start : block.rows.stop], np.int32)

    def start(self, block: Block) -> tuple[OptionSets, BelowSets]:
        """Return what moves along z and along y reach."""
        by_z = OptionSets.start(
            lines=1, layers=self.layers, largest=self.largest, n_y=len(block.columns)
        )
        by_y = BelowSets.start(lines=len(block.rows), layers=self.layers, largest=self.largest)
        return by_z, by_y

    def fill(self, block: Block, heights: NDArray[np.int32], down: Any, across: Any) -> Table:
        """Return the Grundy numbers [passes+1, z, y]."""
        n_z, n_y = map(len, block)
        cells = table_for((self.layers, n_z, n_y), self.largest, None)
        fill_bar(heights, block.columns.start, (0, n_z), block.is_first, across, down, cells)
        return cells

    def fold(
        self, block: Block, heights: NDArray[np.int32], cells: Table, down: Any, across: Any
    ) -> None:
        """Carry on what is reached."""
        z = (0, len(block.rows))
        fold_bar(heights, block.columns.start, z, across, down, cells)

    def folded_with(self, axis: int) -> tuple[int, ...]:
        """Return both for the columns: a move along z may be clipped to a row's top, which lies in a block before it."""
        return (0, 1) if axis == 0 else (1,)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return how many (y, z) of the bar lie in the block."""
        above = heights.astype(np.int64) + 1 - block.columns.start
        return self.weight * int(above.clip(0, len(block.columns)).sum())

    def frontier(self, block: Block) -> int:
        """Return about one bit for each line and Grundy number."""
        lines = len(block.rows) + len(block.columns)
        return lines * self.layers * (self.largest // 8 + 16)


def block_kernel(game: Ruleset, bound: int, quantity: Quantity) -> BlockKernel | None:
    """Return what computes the table of `game` in blocks, or None if nothing does.

    The strip of a strip bar, and the last heap of Nim, is a free heap, as in `choco_pipeline.tables.compute.p_cells`.
    """
    base, passes = game.base, game.passes
    match base, quantity:
        case SolidBar(f), "p-positions":
            return Columns(passes, bound, ("x", "z"), False, f)
        case SolidBar(f), "grundy":
            return Solid(passes, bound, ("x", "z", "y"), False, f)
        case StripBar(), "grundy":
            return Solid(passes, bound, ("x", "z", "y"), False, _steps(base.bar, bound))
        case StripBar(), "p-positions":
            return Bar(passes, bound, ("z", "y"), True, _steps(base.bar, bound))
        case StepBar(), "grundy":
            return Bar(passes, bound, ("z", "y"), False, _steps(base, bound))
        case (Nim(2), "grundy") | (Nim(3), "p-positions"):
            return Bar(passes, bound, ("a", "b"), quantity != "grundy", [bound] * (bound + 1))
        case (Nim(3), "grundy") | (Nim(4), "p-positions"):
            return Solid(
                passes, bound, ("a", "b", "c"), quantity != "grundy", [bound] * (bound + 1)
            )
        case _:
            return None


def _steps(bar: StepBar, bound: int) -> list[int]:
    return [bar.height(z) for z in range(bound + 1)]
