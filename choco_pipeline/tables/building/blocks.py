"""Blocks of a large table: their sides, and the tasks on one block."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError, StoreError
from choco_pipeline.games import Ruleset
from choco_pipeline.kernels.heights import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.computing.computation import computation_of
from choco_pipeline.tables.computing.cost import STORED_PER_SECOND, WORKER_BYTES, in_bytes
from choco_pipeline.tables.computing.table_kernel import Block, BlockKernel, Frontier, Place
from choco_pipeline.tables.specs.chunks import Window, whole
from choco_pipeline.tables.specs.schema import NONE, Quantity, variable_of
from choco_pipeline.tables.specs.spec import TableSpec
from choco_pipeline.tables.storage.journal import Finished, Journal
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import Outline, write_cells
from choco_pipeline.tables.storage.stored import StoredTable

#: Least seconds of work in a block: a task costs 5 to 10 ms, over all the processes involved.
LEAST_SECONDS = 0.04
#: Blocks of up to this many seconds are also enlarged if this many rows of blocks are left, which is enough for several
#: workers with one row each.
ENOUGH_SECONDS, LEAST_ROWS = 0.15, 8
#: Bytes of frontiers that are copied and sent in a second.
HANDED_ON_PER_SECOND = 2e9


def share_of(memory: int) -> int:
    """Return the bytes for a block: half of a worker's, the rest for frontiers."""
    return memory // 2


@dataclass(frozen=True)
class BlockedTable:
    """A table cut into blocks of whole chunks."""

    kernel: BlockKernel
    #: The array that the cells are stored in.
    outline: Outline
    #: The blocks' sides along the first two of the kernel's axes, in order.
    rows: tuple[range, ...]
    columns: tuple[range, ...]
    #: Number of positions of the game for each one of the kernel.
    each: int

    @classmethod
    def of(cls, game: Ruleset, bound: int, quantity: Quantity, memory: int) -> BlockedTable | None:
        """Return the table of `game` in blocks for workers of `memory` bytes.

        None without a kernel for it. Raises `LimitError` if even one chunk needs more memory.
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
        """Return a large table in blocks, as `of`.

        Raises `LimitError` also if no kernel computes it in blocks.
        """
        table = cls.of(spec.game(), spec.bound, spec.quantity, memory)
        if table is None:
            raise LimitError(f"{spec.ruleset}: no kernel computes this table in blocks")
        return table

    def is_work_of(self, least: float) -> bool:
        """Whether a block is enough work for a task.

        It must take `least` seconds, and four times as long as handing its frontiers on.
        """
        kernel, block = self.kernel, self.block(0, 0)
        cells = len(block.rows) * len(block.columns) * kernel.depth
        stored = cells * kernel.itemsize
        seconds = cells / kernel.rate + stored / STORED_PER_SECOND
        handing_on = kernel.frontier(block) / HANDED_ON_PER_SECOND
        return seconds >= least and handing_on <= seconds / 4

    @property
    def memory(self) -> int:
        """Bytes of a worker with the largest block; waiting frontiers may go to disk."""
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
        """Number of blocks."""
        return len(self.rows) * len(self.columns)

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions of the game that a block settles."""
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
        """Return a kernel's cells with the dimensions of the stored array."""
        stored: Table = self.kernel.arranged(cells, self.outline.variable.dims)
        return stored

    def loaded(self, stored: Table) -> Table:
        """Return stored cells as a kernel has them, [passes+1, *axes]."""
        dims = self.outline.variable.dims
        cells: Any = stored.transpose([dims.index(name) for name in self.kernel.names])
        loaded: Table = np.ascontiguousarray(cells if self.kernel.game.front else cells[None])
        return loaded


def described(spec: TableSpec, memory: int) -> dict[str, int]:
    """Return number, sides and bytes of the blocks for workers of `memory` bytes."""
    table = BlockedTable.of_spec(spec, share_of(memory))
    rows, columns = map(len, table.block(0, 0))
    return {"blocks": table.number, "rows": rows, "columns": columns, "memory": table.memory}


def _cut(n: int, side: int) -> tuple[range, ...]:
    """Cut `n` lines into blocks of `side`.

    A rest of less than a quarter of a side goes to the last block.
    """
    number = max(1, (n + side - 1 - side // 4) // side)
    starts = [i * side for i in range(number)]
    return tuple(range(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True))


Report = Callable[..., None]


class HandedOn:
    """The frontiers behind a block; None where no block needs one.

    Rows are lanes: the next block of the row is on the same worker, and takes the frontier along the row. Only the frontier
    along the columns, half the bytes, is sent to another worker or moved to the disk. A worker without the other one folds the
    row again (`_along_row`). The sent frontier stays compressed until the block below takes it. Thus a step decompresses it,
    not the loop in which a worker answers others, and no copy is needed.
    """

    def __init__(self, down: Frontier | bytes | None, across: Frontier | None) -> None:
        """Hold the frontiers."""
        self._down = down
        self._across = across

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the frontier along the columns."""
        is_packed = self._down is None or isinstance(self._down, bytes)
        return HandedOn, (self._down if is_packed else pickle.dumps(self._down), None)

    def down(self) -> Frontier:
        """Return a copy of the frontier along the columns: the block may run again."""
        if self._down is None:
            raise StoreError("a block before this one has not handed on what this one needs")
        if isinstance(self._down, bytes):  # which `HandedOn` alone makes
            return cast(Frontier, pickle.loads(self._down))
        return _copy(self._down)

    def across(self, *, keep: bool) -> Frontier | None:
        """Return the frontier along the rows, if it is here; with `keep`, a copy."""
        across = self._across
        if keep and across is not None:
            return _copy(across)
        self._across = None
        return across


@dataclass(frozen=True)
class Site:
    """A large table under construction, as each of its tasks receives it."""

    spec: TableSpec
    #: The store of its chunks.
    store: Location
    #: The records of finished blocks.
    journal: Journal
    #: The bytes that a worker may use, from which the blocks follow.
    memory: int
    #: Digest of the code that computes it.
    kernels: str
    #: Whether each row of blocks is on another worker than the one before, so that frontiers along columns are sent.
    sends: bool = False

    def table(self) -> BlockedTable:
        """Return the table in blocks."""
        return _table(self.spec, self.memory)

    def cells(self, block: Block, finished: Finished) -> Table:
        """Return the stored cells of a finished block, in the kernel's order.

        Raises `StoreError` if they are damaged.
        """
        table, spec = self.table(), self.spec
        outline = table.outline
        entry = {
            "ruleset": spec.ruleset,
            "bound": spec.bound,
            "variable": outline.variable.name,
            "dims": outline.variable.dims,
            "shape": outline.shape,
            "dtype": outline.dtype,
            "chunk": outline.chunk,
            "chunks": finished.chunks,
        }
        return table.loaded(StoredTable(self.store, spec.table_id, entry).read(table.window(block)))

    def write(self, block: Block, cells: Table) -> dict[str, str]:
        """Write the cells of a block; return the digests of its chunks."""
        table = self.table()
        window = table.window(block)
        return write_cells(self.store, self.spec.table_id, table.outline, window, cells)

    def require_same_code(self) -> None:
        """Raise `StoreError` unless this process has the code of the run."""
        if self.kernels != code_digest(TABLE_CODE):
            raise StoreError(
                f"table {self.spec.table_id}: this worker's code is not that of the run; start it in the run's folder"
            )


def fill_block(site: Site, place: Place, hands_on: tuple[bool, bool], *rest: Any) -> HandedOn:
    """Compute and store a block; return its frontiers for later blocks.

    A block that is finished is only folded: this task may run again because its result was lost.

    `hands_on` tells which of the two frontiers a later block needs. `rest` holds the results of the steps before it: first the
    one with the frontier along its columns, then the one along its rows, except at the edges. The report comes last and is not
    used, because the journal has the progress.
    """
    site.require_same_code()
    *given, _ = rest
    table, block = site.table(), site.table().block(*place)
    down, across = _received(site, place, (0, 1), given, keep=False)
    finished, cells = site.journal.read(block), None
    if finished is not None:
        with suppress(StoreError):  # damaged, so computed again
            cells = site.cells(block, finished)
    start = time.perf_counter()
    heights = table.kernel.heights(block)
    if cells is not None:
        table.kernel.fold(block, heights, cells, down, across)
    else:
        cells = table.kernel.fill(block, heights, down, across)
        computed = time.perf_counter()
        finished = Finished(
            site.write(block, table.stored(cells)),
            table.positions(block, heights),
            round(computed - start, 4),
            round(time.perf_counter() - computed, 4),
        )
        site.journal.write(block, finished)
    return _handed_on(site, down if hands_on[0] else None, across if hands_on[1] else None)


def fold_block(site: Site, place: Place, axis: int, *rest: Any) -> HandedOn:
    """Return one frontier behind a finished block.

    It runs along the columns (axis 0) or along the rows (axis 1). Raises `StoreError` if chunks of the block are damaged; the
    block is then no longer finished.
    """
    site.require_same_code()
    *given, _ = rest
    cells = _sound_cells(site, place)
    down, across = _received(site, place, site.table().kernel.folded_with(axis), given, keep=True)
    _fold(site, place, cells, down, across)
    return _handed_on(site, down, None) if axis == 0 else HandedOn(None, across)


def take_block(site: Site, place: Place, source: StoredTable, report: Report) -> None:
    """Copy a block from a finished table of a smaller bound.

    That table covers the rows and columns of the block. If it is damaged, or too low, the block is computed instead.
    """
    site.require_same_code()
    table, block = site.table(), site.table().block(*place)
    heights = table.kernel.heights(block)
    shape = source.entry["shape"]
    window = table.window(block)
    known_window = tuple(
        slice(side.start, min(side.stop, n)) for side, n in zip(window, shape, strict=True)
    )
    sides = dict(zip(source.entry["dims"], shape, strict=True))
    if any(heights.max() >= sides[axis] for axis in table.kernel.axes[2:]):
        return  # so the block is computed
    try:
        known = source.read(known_window)
    except StoreError:
        return
    cells = np.full([side.stop - side.start for side in window], NONE, known.dtype)
    cells[whole(known.shape)] = known
    positions = table.positions(block, heights)
    digests = site.write(block, cells)
    site.journal.write(block, Finished(digests, positions, source=source.table_id))


def _handed_on(site: Site, down: Frontier | None, across: Frontier | None) -> HandedOn:
    """Return frontiers for later blocks, compressed to a tenth if they are sent."""
    if site.sends and down is not None:
        return HandedOn(pickle.dumps(down), across)
    return HandedOn(down, across)


def _received(
    site: Site, place: Place, axes: tuple[int, ...], given: list[HandedOn], *, keep: bool
) -> tuple[Any, Any]:
    """Return the frontiers before a block.

    Those of `axes` come from the blocks before it, if there are any. With `keep`, the frontier along the rows stays for others.
    """
    down, across = site.table().kernel.start(site.table().block(*place))
    inner = [axis for axis in axes if place[axis]]
    for axis, handed_on in zip(inner, given, strict=True):
        if axis == 0:
            down = handed_on.down()
        else:
            across = handed_on.across(keep=keep) or _along_row(site, place)
    return down, across


def _along_row(site: Site, place: Place) -> Any:
    """Return the frontier along the row of a block, from stored blocks."""
    kernel = site.table().kernel
    row, column = place
    along = None
    for before in range(column):
        cells = _sound_cells(site, (row, before))
        down, across = kernel.start(site.table().block(row, before))
        along = across if along is None else along
        _fold(site, (row, before), cells, down, along)
    return along


def _fold(site: Site, place: Place, cells: Table, down: Any, across: Any) -> None:
    kernel, block = site.table().kernel, site.table().block(*place)
    kernel.fold(block, kernel.heights(block), cells, down, across)


def _sound_cells(site: Site, place: Place) -> Table:
    """Return the stored cells of a block.

    Raises `StoreError` if they are damaged, and removes the block from the journal.
    """
    block = site.table().block(*place)
    finished = site.journal.read(block)
    try:
        if finished is not None:
            return site.cells(block, finished)
    except StoreError:
        pass
    site.journal.strike(block)
    raise StoreError(
        f"{site.store}: block {place} of table {site.spec.table_id} is not what was stored"
    )


def _copy(frontier: Frontier) -> Frontier:
    copied: Any = type(frontier)
    return cast(Frontier, copied(*(array.copy() for array in frontier)))


@lru_cache(maxsize=4)
def _table(spec: TableSpec, memory: int) -> BlockedTable:
    spec.planned_game()
    return BlockedTable.of_spec(spec, memory)
