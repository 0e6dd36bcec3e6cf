"""Building a large table in blocks, resumable.

Idea: a block needs only the frontiers of earlier blocks: what these block or reach along its rows and along its columns.
Therefore blocks on a diagonal can be filled at once. A frontier is sent from step to step and never stored. The store holds
cells, with a document of their digests; folding a finished block gives its frontiers again.

Invariants: a block in the journal is complete in the store. A step begins only when the steps that it needs have handed on
their frontiers. There is no step for a frontier that no block needs.

Cost: of b × b blocks at most b are filled at a time, so there are 2·b rounds. The memory is that for the frontiers of a row
of blocks, and for a block on each worker. After a kill, folding reads the blocks before the unfinished ones.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.cluster.connect import Runner, Step, runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, LimitError, StoreError
from choco_pipeline.games import Ruleset
from choco_pipeline.kernels.heights import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.stages import Stage
from choco_pipeline.tables.block_kernels import Block, BlockKernel, Frontier, Place
from choco_pipeline.tables.chunks import Window, whole
from choco_pipeline.tables.computing import (
    STORED_PER_SECOND,
    WORKER_BYTES,
    computation_of,
    in_bytes,
)
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.shard import (
    Finished,
    Journal,
    journal_of_blocks,
    store_for,
    write_manifest,
)
from choco_pipeline.tables.spec import FORMAT, NONE, Quantity, Shard, TableSpec, variable_of
from choco_pipeline.tables.store import (
    BuiltInBlocks,
    Outline,
    StoredTable,
    create_table,
    entry_of,
    finish_store,
    store_of,
    write_cells,
    write_coordinates,
)

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


TASKS = "choco_pipeline.tables.wavefront"


def build_large(spec_file: str, manifest_file: str, given: int | None = None) -> dict[str, int]:
    """Build the one table of a shard in blocks; continue an interrupted build.

    `given` is the memory in bytes if this process computes; by default its share of this machine's. Return the numbers of blocks
    computed, kept from an interrupted build, and reused from a smaller table.
    """
    shard = Shard.from_json(read_record(Path(spec_file)))
    (spec,) = shard.tables
    manifest = Path(manifest_file)
    with runner() as run:
        memory = share_of(run.memory or given or worker_memory(cores()))
        site = Site(
            spec,
            store_for(shard, manifest),
            Journal(journal_of_blocks(manifest)),
            memory,
            code_digest(TABLE_CODE),
            sends=run.workers > 1,
        )
        table = _begin(site)
        kept = site.journal.found(table.blocks)
        sources = _smaller(manifest.parent, site, table)
        taken = _takes(site, table, kept, sources)
        run.report(Stage.BUILD, all_blocks=table.number)
        run.run(taken)
        _report_kept(run, site, table)
        done = fill(run, site, table)
        entry = _entry(site, table, done, kept)
        finish_store(site.store, [spec.table_id])
        write_manifest(shard, manifest, {spec.table_id: entry})
        run.report(Stage.BUILD, tables=1)
    counts = entry["blocks"]
    return {
        "blocks computed": counts["computed"],
        "blocks kept": counts["kept"],
        "blocks reused": counts["reused"],
    }


def steps_left(site: Site, table: BlockedTable, finished: Collection[Place]) -> list[Step]:
    """Return the remaining steps: blocks to fill, and finished ones to fold.

    A frontier along the columns is made only if a block below is left to fill. One along the rows is made only if a block to the
    right is left, or needs it to fold. Thus a finished block is read only if another block needs it, and a frontier is released
    after its use. Each row of blocks is a lane: its frontier stays on one worker, and the next row follows a block behind.
    """

    def key(axis: int, place: Place) -> str:
        """Return the step that has a block's frontier along an axis."""
        name = ("down", "across")[axis] if place in finished else "fill"
        return f"{name}-{place[0]}-{place[1]}"

    last_row = dict.fromkeys(range(len(table.columns)), -1)
    last_column = dict.fromkeys(range(len(table.rows)), -1)
    for row, column in table.blocks:
        if (row, column) not in finished:
            last_row[column], last_column[row] = row, column
    if 1 in table.kernel.folded_with(0):
        for row, column in finished:
            if row < last_row[column]:
                last_column[row] = max(last_column[row], column)
    steps: list[Step] = []
    needs: tuple[str, ...]
    for row, column in table.blocks:
        place = (row, column)
        before = ((row - 1, column), (row, column - 1))
        needed = (row < last_row[column], column < last_column[row])
        if place in finished:
            for axis in (0, 1):
                if needed[axis]:
                    carried = table.kernel.folded_with(axis)
                    needs = tuple(key(side, before[side]) for side in carried if place[side])
                    fold = f"{TASKS}:fold_block"
                    steps.append(Step(key(axis, place), fold, (site, place, axis), needs, row))
            continue
        needs = tuple(key(axis, before[axis]) for axis in (0, 1) if place[axis])
        steps.append(Step(key(1, place), f"{TASKS}:fill_block", (site, place, needed), needs, row))
    return steps


def fill(run: Runner, site: Site, table: BlockedTable) -> dict[Place, Finished]:
    """Fill the blocks that are not in the journal; return all.

    Damaged blocks are filled again. Progress is read from the journal, so that workers need not report it.
    """
    finished = site.journal.found(table.blocks)
    left = {place: block for place, block in table.blocks.items() if place not in finished}

    def look() -> None:
        """Report new records of the journal."""
        new = site.journal.found(left)
        if new:
            run.report(
                Stage.BUILD, blocks=len(new), positions=sum(b.positions for b in new.values())
            )
        for place in new:
            del left[place]

    while True:
        try:
            run.run(steps_left(site, table, finished), look)
        except ChocoError:
            kept = site.journal.found(table.blocks)
            if finished.keys() <= kept.keys():
                raise
            finished = kept
        else:
            look()
            finished = site.journal.found(table.blocks)
            if len(finished) < table.number:
                raise StoreError(f"{site.journal.folder}: blocks that were stored are gone")
            return finished


def _begin(site: Site) -> BlockedTable:
    """Return the table in blocks; create its array unless this code has done so."""
    site.spec.planned_game()
    table = BlockedTable.of_spec(site.spec, site.memory)
    header = {"table": site.spec.table_id, "kernels": site.kernels, "format": FORMAT}
    if not site.journal.begin(header):
        site.journal.clear()
        with site.store.failures(f"table {site.spec.table_id} cannot be made"):
            create_table(site.store, site.spec, table.outline)
        site.journal.open(header)
    else:  # blocks have digests, by which they are checked; these have none
        write_coordinates(site.store, site.spec.table_id, table.outline)
    return table


def _report_kept(run: Runner, site: Site, table: BlockedTable) -> None:
    finished = site.journal.found(table.blocks).values()
    run.report(
        Stage.BUILD,
        blocks=len(finished),
        reused_blocks=sum(bool(block.source) for block in finished),
        kept_positions=sum(block.positions for block in finished),
    )


def _smaller(folder: Path, site: Site, table: BlockedTable) -> list[StoredTable]:
    """Return finished tables of this game, code and smaller bounds, largest first."""
    usable: list[StoredTable] = []
    for path in folder.glob("*.done.json"):
        try:
            manifest = read_record(path)
            if manifest["kernels"] != site.kernels:
                continue
            for table_id, entry in manifest["tables"].items():
                same = TableSpec(
                    site.spec.ruleset, entry["bound"], entry["quantity"], entry["identity"]
                )
                smaller = entry["bound"] < site.spec.bound
                if not smaller or same != replace(site.spec, bound=entry["bound"]):
                    continue
                of_chunks = (entry["dtype"], tuple(entry["chunk"]))
                if of_chunks == (table.outline.dtype, table.outline.chunk):
                    usable.append(StoredTable(store_of(path, manifest), table_id, entry))
        except (StoreError, KeyError, TypeError):
            continue  # not ours, or damaged
    return sorted(usable, key=lambda source: int(source.entry["bound"]), reverse=True)


def _takes(
    site: Site, table: BlockedTable, kept: Collection[Place], sources: Sequence[StoredTable]
) -> list[Step]:
    steps: dict[Place, Step] = {}
    for source in sources:
        sides = dict(zip(source.entry["dims"], source.entry["shape"], strict=True))
        for place, block in table.blocks.items():
            fits = all(
                lines.stop <= sides[axis]
                for lines, axis in zip(block, table.kernel.axes, strict=False)
            )
            if fits and place not in kept and place not in steps:
                key = f"take-{place[0]}-{place[1]}"
                steps[place] = Step(key, f"{TASKS}:take_block", (site, place, source))
    return list(steps.values())


def _entry(
    site: Site, table: BlockedTable, done: Mapping[Place, Finished], kept: Collection[Place]
) -> BuiltInBlocks:
    blocks = list(done.values())
    digests = {name: digest for block in blocks for name, digest in block.chunks.items()}
    reused = sum(bool(block.source) for place, block in done.items() if place not in kept)
    return {
        **entry_of(site.store, site.spec, table.outline, digests),
        "positions": sum(block.positions for block in blocks),
        "seconds": round(sum(block.seconds for block in blocks), 4),
        "seconds_to_store": round(sum(block.seconds_to_store for block in blocks), 4),
        "blocks": {
            "rows": len(table.rows),
            "columns": len(table.columns),
            "computed": table.number - reused - len(kept),
            "kept": len(kept),
            "reused": reused,
        },
    }
