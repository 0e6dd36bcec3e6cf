"""The blocks of a large table: how many, how large, and what a worker holds while it fills one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.kernels.heights import Table
from choco_pipeline.tables.computing.block_kernels import Block, BlockKernel, Place
from choco_pipeline.tables.computing.computation import computation_of
from choco_pipeline.tables.computing.cost import STORED_PER_SECOND, WORKER_BYTES, in_bytes
from choco_pipeline.tables.specs.chunks import Window, whole
from choco_pipeline.tables.specs.schema import Quantity, variable_of
from choco_pipeline.tables.specs.spec import TableSpec
from choco_pipeline.tables.storage.store import Outline

#: Seconds of work in a block at least: a task costs 5 to 10 ms, on all the processes that have to do with it.
LEAST_SECONDS = 0.04
#: Blocks of less than that are enlarged, too, where so many rows of them are left, enough for several workers: one row each.
ENOUGH_SECONDS, LEAST_ROWS = 0.15, 8
#: Bytes of frontiers that are copied and sent in a second.
HANDED_ON_PER_SECOND = 2e9


def share_of(memory: int) -> int:
    """Return the bytes that a worker of `memory` bytes fills a block in: the other half is for what waits to be used."""
    return memory // 2


@dataclass(frozen=True)
class BlockedTable:
    """A table cut into blocks, each of whole chunks."""

    #: What computes a block.
    kernel: BlockKernel
    #: The array that the cells are stored in.
    outline: Outline
    #: The blocks' sides along the first two of the kernel's axes, in order.
    rows: tuple[range, ...]
    columns: tuple[range, ...]
    #: How many positions of the game each one of the kernel's stands for.
    each: int

    @classmethod
    def of(cls, game: Ruleset, bound: int, quantity: Quantity, memory: int) -> BlockedTable | None:
        """Return the table of `game` in blocks that a worker of so many bytes can fill, or None if none does so.

        Raises `LimitError` if even one chunk needs more memory.
        """
        computation = computation_of(game, bound, quantity)
        kernel = computation.blocks
        if kernel is None:
            return None
        outline = Outline(variable_of(game, quantity), computation.shape, kernel.dtype)
        chunk = dict(zip(outline.variable.dims, outline.chunk, strict=True))
        sides = [chunk[axis] for axis in kernel.axes[:2]]

        def cut(times: int) -> BlockedTable:
            rows, columns = (
                _cut(n, times * side) for n, side in zip(kernel.shape[:2], sides, strict=True)
            )
            return cls(kernel, outline, rows, columns, computation.each)

        times = 1
        table = cut(times)
        if table.memory > memory:
            raise LimitError(
                f"{game.notation}: bound {bound} is too large: one block of its table needs"
                f" {in_bytes(table.memory)} of memory, {in_bytes(memory)} can be used"
            )
        while table.number > 1:
            times *= 2
            larger = cut(times)
            least = ENOUGH_SECONDS if len(larger.rows) >= LEAST_ROWS else LEAST_SECONDS
            wanted = not table.is_work_of(least)
            if not wanted or larger.memory > memory:
                break
            table = larger
        return table

    @classmethod
    def of_spec(cls, spec: TableSpec, memory: int) -> BlockedTable:
        """Return a large table in blocks, as `of`; `LimitError` also if no kernel computes it so."""
        table = cls.of(spec.game(), spec.bound, spec.quantity, memory)
        if table is None:
            raise LimitError(f"{spec.ruleset}: no kernel computes this table in blocks")
        return table

    def is_work_of(self, least: float) -> bool:
        """Whether a block is work of so many seconds, and of more than four times those of handing its frontiers on."""
        kernel, block = self.kernel, self.block(0, 0)
        cells = len(block.rows) * len(block.columns) * kernel.depth
        stored = cells * kernel.itemsize
        seconds = cells / kernel.rate + stored / STORED_PER_SECOND
        handing_on = kernel.frontier(block) / HANDED_ON_PER_SECOND
        return seconds >= least and handing_on <= seconds / 4

    @property
    def memory(self) -> int:
        """Bytes that a worker holds while it fills the largest block; what waits for other blocks may go to its disk."""
        largest = Block(max(self.rows, key=len), max(self.columns, key=len))
        return WORKER_BYTES + self.kernel.memory(largest)

    def block(self, row: int, column: int) -> Block:
        """Return one block."""
        return Block(self.rows[row], self.columns[column])

    @property
    def blocks(self) -> dict[Place, Block]:
        """The blocks by their places, each after all that it needs."""
        places = product(range(len(self.rows)), range(len(self.columns)))
        return {place: self.block(*place) for place in places}

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return len(self.rows) * len(self.columns)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return how many positions of the game a block settles."""
        return self.each * self.kernel.positions(block, heights)

    def window(self, block: Block) -> Window:
        """Return the window of a block in the stored array."""
        kernel = self.kernel
        sides = dict(zip(kernel.axes, whole(kernel.shape), strict=True))
        for axis, lines in zip(kernel.axes, block, strict=False):
            sides[axis] = slice(lines.start, lines.stop)
        passes = slice(0, kernel.layers)
        return tuple(sides.get(dim, passes) for dim in self.outline.variable.dims)

    def stored(self, cells: Table) -> Table:
        """Return a kernel's cells [passes+1, *axes] with the dimensions of the stored array."""
        stored: Table = self.kernel.arranged(cells, self.outline.variable.dims)
        return stored

    def loaded(self, stored: Table) -> Table:
        """Return stored cells as a kernel has them, [passes+1, *axes]."""
        dims = self.outline.variable.dims
        cells: Any = stored.transpose([dims.index(name) for name in self.kernel.names])
        loaded: Table = np.ascontiguousarray(cells if self.kernel.game.front else cells[None])
        return loaded


def described(spec: TableSpec, memory: int) -> dict[str, int]:
    """Return how a large table is cut on workers of `memory` bytes: number and sides of its blocks, and what one holds."""
    table = BlockedTable.of_spec(spec, share_of(memory))
    rows, columns = map(len, table.block(0, 0))
    return {"blocks": table.number, "rows": rows, "columns": columns, "memory": table.memory}


def _cut(n: int, side: int) -> tuple[range, ...]:
    """Cut `n` lines into blocks of `side`; a rest of less than a quarter of that goes to the last block."""
    number = max(1, (n + side - 1 - side // 4) // side)
    starts = [i * side for i in range(number)]
    return tuple(range(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True))
