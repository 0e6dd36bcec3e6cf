"""Tasks on one block of a large table: fill it, fold it, or take it from a smaller table of the same game."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from choco_pipeline.errors import StoreError
from choco_pipeline.kernels.heights import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.building.blocks import BlockedTable
from choco_pipeline.tables.computing.block_kernels import Block, Frontier, Place
from choco_pipeline.tables.specs.chunks import whole
from choco_pipeline.tables.specs.schema import NONE
from choco_pipeline.tables.specs.spec import TableSpec
from choco_pipeline.tables.storage.journal import Finished, Journal
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import write_cells
from choco_pipeline.tables.storage.stored import StoredTable

Report = Callable[..., None]


class HandedOn:
    """The frontiers behind a block; the one along its row is taken by the next block of the row, and then gone.

    Rows are lanes: the next block is on the same worker. Only the frontier along the columns, half the bytes, is sent to
    another worker or moved to the disk. A worker without the other one folds the row again (`_along_row`). The sent
    frontier is compressed, as a frontier pickles itself, until the block below takes it. So a step decompresses it, not
    the loop in which a worker answers others, and no copy is needed.

    A frontier is None where no block needs it.
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
        """Return a copy of the frontier along the columns: if the block below is lost, it is filled again."""
        if self._down is None:
            raise StoreError("a block before this one has not handed on what this one needs")
        if isinstance(self._down, bytes):  # which `HandedOn` alone makes
            return cast(Frontier, pickle.loads(self._down))
        return _copy(self._down)

    def across(self, *, keep: bool) -> Frontier | None:
        """Return the frontier along the rows, or a copy of it to `keep` it; None if it is not here."""
        across = self._across
        if keep and across is not None:
            return _copy(across)
        self._across = None
        return across


@dataclass(frozen=True)
class Site:
    """A large table under construction, as every task of it is told."""

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
        """Return the stored cells of a finished block, as its kernel has them; `StoreError` if they are damaged."""
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
        """Write the cells of a block, as they are stored; return the digests of its chunks."""
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
    """Compute and store a block, and return the frontiers for the blocks below it and to its right.

    A block that is finished is folded: this task may run again because its result was lost.

    `hands_on` says which of the two frontiers a later block needs. The rest is the results of the steps before it: first
    the one with the frontier along its columns, then the one along its rows, except at the edges. The report comes last and
    is not used: the journal has the progress.
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
    """Return one frontier behind a finished block: along its columns (axis 0) or along its rows (axis 1).

    Raises `StoreError` if its chunks are damaged; the block is then no longer finished.
    """
    site.require_same_code()
    *given, _ = rest
    cells = _sound_cells(site, place)
    down, across = _received(site, place, site.table().kernel.folded_with(axis), given, keep=True)
    _fold(site, place, cells, down, across)
    return _handed_on(site, down, None) if axis == 0 else HandedOn(None, across)


def take_block(site: Site, place: Place, source: StoredTable, report: Report) -> None:
    """Take a block's cells from a finished table of a smaller bound that covers its rows and columns, if they are sound."""
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
    """Return frontiers for later blocks, compressed here, in the step, if they are sent: a tenth of the bytes wait."""
    if site.sends and down is not None:
        return HandedOn(pickle.dumps(down), across)
    return HandedOn(down, across)


def _received(
    site: Site, place: Place, axes: tuple[int, ...], given: list[HandedOn], *, keep: bool
) -> tuple[Any, Any]:
    """Return the frontiers before a block: those of `axes` as the blocks before it gave them, if there are any.

    The frontier along the rows is kept for others, or taken.
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
    """Return the frontier along the row of a block, from the stored blocks before it."""
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
    """Carry frontiers over a stored block."""
    kernel, block = site.table().kernel, site.table().block(*place)
    kernel.fold(block, kernel.heights(block), cells, down, across)


def _sound_cells(site: Site, place: Place) -> Table:
    """Return the stored cells of a block; if they are damaged, strike it from the journal and raise `StoreError`."""
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
    """Return a frontier that may be changed."""
    copied: Any = type(frontier)
    return cast(Frontier, copied(*(array.copy() for array in frontier)))


@lru_cache(maxsize=4)
def _table(spec: TableSpec, memory: int) -> BlockedTable:
    spec.planned_game()
    return BlockedTable.of_spec(spec, memory)
