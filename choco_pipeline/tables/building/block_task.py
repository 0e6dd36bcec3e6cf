"""One block of a large table, on a worker: filled, folded, or taken from a smaller table of the same game."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from choco_pipeline.errors import StoreError
from choco_pipeline.kernels.heights import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.building.blocks import BlockedTable
from choco_pipeline.tables.computing.block_kernels import Block, Frontier, Place
from choco_pipeline.tables.specs.chunks import Box
from choco_pipeline.tables.specs.schema import NONE
from choco_pipeline.tables.specs.spec import TableSpec
from choco_pipeline.tables.storage.journal import Finished, Journal
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import Outline, chunk_digests, open_table, write_cells

Report = Callable[..., None]


class HandedOn:
    """The frontiers behind a block, of which the one along its row is taken by the next block of the row, and then gone.

    Rows are lanes: the next block is on the same worker. So what is sent to another worker, or moved to the disk, is the
    frontier along the columns alone, half the bytes; who misses the other one folds the row again (`_along_row`). It is
    sent compressed, as a frontier pickles itself, and stays so until the block below takes it: so a step does that, and not the loop in which a worker
    answers others, and needs no copy.

    A frontier is None where nobody needs it.
    """

    def __init__(self, down: Frontier | bytes | None, across: Frontier | None) -> None:
        """Hold the frontiers."""
        self._down = down
        self._across = across

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what goes along the columns."""
        is_packed = self._down is None or isinstance(self._down, bytes)
        return HandedOn, (self._down if is_packed else pickle.dumps(self._down), None)

    def down(self) -> Frontier:
        """Return a copy of what goes along the columns: if the block below is lost, it is filled again."""
        if self._down is None:
            raise StoreError("a block before this one has not handed on what this one needs")
        if isinstance(self._down, bytes):  # which `HandedOn` alone makes
            return cast(Frontier, pickle.loads(self._down))
        return _copy(self._down)

    def across(self, *, keep: bool) -> Frontier | None:
        """Return what goes along the rows, or a copy of it to `keep` it; None if it is not here."""
        across = self._across
        if keep and across is not None:
            return _copy(across)
        self._across = None
        return across


@dataclass(frozen=True)
class Site:
    """Where a large table is built, as every task of it is told."""

    #: What the table is.
    spec: TableSpec
    #: Where its chunks lie.
    store: Location
    #: Where finished blocks are written down.
    journal: Journal
    #: What decides the blocks: the bytes that a worker may use.
    memory: int
    #: Digest of the code that computes it.
    kernels: str
    #: Whether each row of blocks is on another worker than the one before, so that what goes along columns is sent.
    sends: bool = False

    def table(self) -> BlockedTable:
        """Return the table in blocks."""
        return _table(self.spec, self.memory)

    def digests(self, block: Block) -> dict[str, str]:
        """Return the digests of a block's chunks, as they lie in the store."""
        table = self.table()
        return chunk_digests(self.store, self.spec.table_id, table.outline, table.box(block))

    def write(self, block: Block, cells: Table) -> dict[str, str]:
        """Write the cells of a block, as they are stored; return the digests of its chunks."""
        table = self.table()
        return write_cells(self.store, self.spec.table_id, table.outline, table.box(block), cells)


@dataclass(frozen=True)
class SmallerTable:
    """A finished table of the same game and a smaller bound."""

    #: Where its cells lie.
    store: Location
    table_id: str
    outline: Outline
    #: The digests of its chunks, by name, from its manifest.
    chunks: Mapping[str, str]

    def is_sound(self, box: Box) -> bool:
        """Whether the chunks in a box of it are those of the manifest."""
        try:
            digests = chunk_digests(self.store, self.table_id, self.outline, box)
        except StoreError:
            return False
        return all(self.chunks.get(name) == digest for name, digest in digests.items())


def fill_block(site: Site, place: Place, hands_on: tuple[bool, bool], *rest: Any) -> HandedOn:
    """Compute and store a block, and return what it hands on to the blocks below it and to its right.

    A block that is finished already is folded: so it is when this task runs again since what it returned was lost.

    `hands_on` says which of the two frontiers anybody needs. The rest is what steps before it returned: first one with the frontier
    along its columns, then one with that along its rows, but for those at the edge; and the report, which is not needed: the journal
    says what is done.
    """
    _require_same_code(site)
    *given, _ = rest
    table, block = site.table(), site.table().block(*place)
    down, across = _received(site, place, (0, 1), given, keep=False)
    finished = site.journal.read(block)
    if finished is not None and _is_sound(site, block, finished):
        _fold(site, block, down, across)
    else:
        start = time.perf_counter()
        heights = table.kernel.heights(block)
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

    Raises `StoreError` if its chunks are not those that the journal says; the block is then no longer finished.
    """
    _require_same_code(site)
    *given, _ = rest
    _require_sound(site, place)
    down, across = _received(site, place, site.table().kernel.folded_with(axis), given, keep=True)
    _fold(site, site.table().block(*place), down, across)
    return _handed_on(site, down, None) if axis == 0 else HandedOn(None, across)


def take_block(site: Site, place: Place, source: SmallerTable, report: Report) -> None:
    """Take a block's cells from a finished table of a smaller bound that covers its rows and columns, if they are what its manifest says."""
    _require_same_code(site)
    table, block = site.table(), site.table().block(*place)
    heights = table.kernel.heights(block)
    box = tuple(
        (first, min(stop, n))
        for (first, stop), n in zip(table.box(block), source.outline.shape, strict=True)
    )
    sides = dict(zip(source.outline.variable.dims, source.outline.shape, strict=True))
    is_whole = all(heights.max() < sides[axis] for axis in table.kernel.axes[2:])
    if not is_whole or not source.is_sound(box):
        return  # so the block is computed
    known = _read(source.store, source.table_id, source.outline, box)
    cells = np.full([stop - first for first, stop in table.box(block)], NONE, known.dtype)
    cells[tuple(slice(0, n) for n in known.shape)] = known
    positions = table.positions(block, heights)
    digests = site.write(block, cells)
    site.journal.write(block, Finished(digests, positions, source=source.table_id))


def _handed_on(site: Site, down: Frontier | None, across: Frontier | None) -> HandedOn:
    """Return frontiers as they are handed on: compressed here, in the step, what is sent anyway, and waits as a tenth of it."""
    if site.sends and down is not None:
        return HandedOn(pickle.dumps(down), across)
    return HandedOn(down, across)


def _received(
    site: Site, place: Place, axes: tuple[int, ...], given: list[HandedOn], *, keep: bool
) -> tuple[Any, Any]:
    """Return the frontiers before a block: those of `axes` as the blocks before it gave them, where there are any.

    What goes along the rows is kept for others, or taken.
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
    """Return what goes along the row of a block, from the blocks before it, as they are stored."""
    kernel = site.table().kernel
    row, column = place
    along = None
    for before in range(column):
        _require_sound(site, (row, before))
        block = site.table().block(row, before)
        down, across = kernel.start(block)
        along = across if along is None else along
        _fold(site, block, down, along)
    return along


def _fold(site: Site, block: Block, down: Any, across: Any) -> None:
    """Carry frontiers over a block that is stored."""
    kernel = site.table().kernel
    kernel.fold(block, kernel.heights(block), _stored(site, block), down, across)


def _require_sound(site: Site, place: Place) -> None:
    """Strike a block from the journal and raise `StoreError` if its chunks are not those that the journal says."""
    block = site.table().block(*place)
    finished = site.journal.read(block)
    if finished is None or not _is_sound(site, block, finished):
        site.journal.strike(block)
        raise StoreError(
            f"{site.store}: block {place} of table {site.spec.table_id} is not what was stored"
        )


def _copy(frontier: Frontier) -> Frontier:
    """Return a frontier that may be changed."""
    copied: Any = type(frontier)
    return cast(Frontier, copied(*(array.copy() for array in frontier)))


def _stored(site: Site, block: Block) -> Table:
    """Return the stored cells of a block, as its kernel has them."""
    table = site.table()
    cells = _read(site.store, site.spec.table_id, table.outline, table.box(block))
    return table.loaded(cells)


def _read(store: Location, table_id: str, outline: Outline, box: Box) -> Table:
    with store.failures(f"a block of table {table_id} cannot be read"):
        array = open_table(store, table_id, outline)
        return np.asarray(array[tuple(slice(*side) for side in box)])


def _is_sound(site: Site, block: Block, finished: Finished) -> bool:
    try:
        return site.digests(block) == finished.chunks
    except StoreError:
        return False


def _require_same_code(site: Site) -> None:
    if site.kernels != code_digest(TABLE_CODE):
        raise StoreError(
            f"table {site.spec.table_id}: this worker's code is not that of the run; start it in the run's folder"
        )


@lru_cache(maxsize=4)
def _table(spec: TableSpec, memory: int) -> BlockedTable:
    spec.planned_game()
    return BlockedTable.of_spec(spec, memory)
