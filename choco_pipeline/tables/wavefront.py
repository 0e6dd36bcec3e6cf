"""Resumable build of a large table in blocks.

Idea: a block needs only two frontiers, from the blocks before it in its row and in its column (see `table_kernels`). Therefore
the blocks on an antidiagonal can be filled in parallel. A frontier is passed from step to step and never stored. The store has
the cells, and the journal their digests. Folding a finished block computes its frontiers again.

Invariants: every block in the journal is complete in the store. A step begins only after the steps that it depends on. There is
no step for a frontier that no block needs.

Cost: at most b of b × b blocks are filled at a time, in about 2·b rounds. Memory is needed for the frontiers of one row of
blocks, and for one block on each worker. After a kill, folding reads the finished blocks before unfinished ones.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.cluster.connect import Runner, Step, runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, LimitError, StoreError
from choco_pipeline.games import Ruleset
from choco_pipeline.kernels.bitset import pack, unpack
from choco_pipeline.kernels.dtypes import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.stages import Stage
from choco_pipeline.tables.computing import (
    STORED_PER_SECOND,
    WORKER_BYTES,
    computation_of,
    require_memory,
)
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.machine import cores, worker_memory
from choco_pipeline.tables.shard import HEADER, Journal, store_for, write_manifest
from choco_pipeline.tables.spec import FORMAT, NONE, Quantity, Shard, TableSpec, variable_of
from choco_pipeline.tables.store import (
    Outline,
    StoredTable,
    TableEntry,
    Window,
    finish_store,
    stored_tables,
    whole,
)
from choco_pipeline.tables.table_kernels import Block, BlockKernel, Frontier, Place

#: Least seconds of work in a block. The overhead of a task is 5 to 10 ms in all processes together.
LEAST_SECONDS = 0.04
#: Blocks are enlarged up to this many seconds while at least `LEAST_ROWS` rows of blocks remain, one for each of several
#: workers.
ENOUGH_SECONDS, LEAST_ROWS = 0.15, 8
#: Bytes of frontiers that can be copied and sent per second.
HANDED_ON_PER_SECOND = 2e9


def share_of(memory: int) -> int:
    """Return the memory for a block: half of a worker's; the rest is for frontiers."""
    return memory // 2


@dataclass(frozen=True)
class BlockedTable:
    """A table cut into blocks of whole chunks."""

    kernel: BlockKernel
    #: The stored array.
    outline: Outline
    #: The blocks' sides along the first two of the kernel's axes, in order.
    rows: tuple[range, ...]
    columns: tuple[range, ...]
    #: Number of positions of the game for each position of the kernel.
    each: int

    @classmethod
    def of(cls, game: Ruleset, bound: int, quantity: Quantity, memory: int) -> BlockedTable:
        """Return a large table in blocks for workers of `memory` bytes.

        Raises `LimitError` if no kernel computes it in blocks, or if even one chunk needs more memory.
        """
        computation = computation_of(game, bound, quantity)
        kernel = computation.blocks
        if kernel is None:
            raise LimitError(f"{game.notation}: no kernel computes this table in blocks")
        spec, variable = TableSpec.of(game, bound, quantity), variable_of(game, quantity)
        outline = Outline(spec, variable, computation.shape, kernel.dtype)
        chunk = dict(zip(outline.variable.dims, outline.chunk, strict=True))

        def cut(times: int) -> BlockedTable:
            lines = zip(kernel.shape[:2], kernel.axes[:2], strict=True)
            rows, columns = (_cut(n, times * chunk[axis]) for n, axis in lines)
            return cls(kernel, outline, rows, columns, computation.each)

        times, table = 1, cut(1)
        require_memory(game, bound, table.memory, memory, "one block of its table")
        while len(table.blocks) > 1:
            times *= 2
            block, larger = table.blocks[0, 0], cut(times)
            least = ENOUGH_SECONDS if len(larger.rows) >= LEAST_ROWS else LEAST_SECONDS
            cells = len(block.rows) * len(block.columns) * kernel.depth
            seconds = cells / kernel.rate + cells * kernel.itemsize / STORED_PER_SECOND
            is_sent_fast = kernel.frontier(block) / HANDED_ON_PER_SECOND <= seconds / 4
            if (seconds >= least and is_sent_fast) or larger.memory > memory:
                break
            table = larger
        return table

    @property
    def memory(self) -> int:
        """Memory of a worker with the largest block, without frontiers of other blocks."""
        largest = Block(max(self.rows, key=len), max(self.columns, key=len))
        return WORKER_BYTES + self.kernel.memory(largest)

    @cached_property
    def blocks(self) -> dict[Place, Block]:
        """The blocks by place, each after the blocks that it depends on."""
        rows, columns = enumerate(self.rows), enumerate(self.columns)
        return {(i, j): Block(a, b) for (i, a), (j, b) in product(rows, columns)}

    def positions(self, block: Block, heights: NDArray[np.int32]) -> int:
        """Return the number of positions of the game in a block."""
        return self.each * self.kernel.positions(block, heights)

    def window(self, block: Block) -> Window:
        """Return the window of a block in the stored array."""
        kernel = self.kernel
        sides = dict(zip(kernel.axes, whole(kernel.shape), strict=True))
        for axis, lines in zip(kernel.axes, block, strict=False):
            sides[axis] = slice(lines.start, lines.stop)
        passes = slice(0, kernel.layers)
        return tuple(sides.get(dim, passes) for dim in self.outline.variable.dims)

    def loaded(self, stored: Table) -> Table:
        """Return stored cells with a kernel's dimensions [passes+1, *axes]."""
        dims = self.outline.variable.dims
        cells: Any = stored.transpose([dims.index(name) for name in self.kernel.names])
        # Kernels are compiled for writable arrays.
        loaded: Table = np.require(
            cells if self.kernel.game.front else cells[None], requirements=["C", "W"]
        )
        return loaded


def _cut(n: int, side: int) -> tuple[range, ...]:
    """Cut `n` lines into blocks of `side`; the last may be a quarter longer."""
    number = max(1, (n + side - 1 - side // 4) // side)
    starts = [i * side for i in range(number)]
    return tuple(range(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True))


def block_sizes(spec: TableSpec, memory: int) -> dict[str, int]:
    """Return number, sides and bytes of the blocks for workers of `memory` bytes."""
    table = BlockedTable.of(spec.game(), spec.bound, spec.quantity, share_of(memory))
    rows, columns = map(len, table.blocks[0, 0])
    return {"blocks": len(table.blocks), "rows": rows, "columns": columns, "memory": table.memory}


@lru_cache(maxsize=4)
def _table(spec: TableSpec, memory: int) -> BlockedTable:
    return BlockedTable.of(spec.planned_game(), spec.bound, spec.quantity, memory)


class Finished(TypedDict):
    """The record of a finished block."""

    #: The digests of its chunks, by name.
    chunks: Mapping[str, str]
    #: Number of positions.
    positions: int
    #: Times to compute and to store it; 0 if it was copied from another table.
    seconds: float
    seconds_to_store: float
    #: The id of the table that it was copied from; empty if it was computed.
    source: str


@dataclass(frozen=True)
class Site:
    """A large table under construction; each of its tasks receives a copy."""

    spec: TableSpec
    #: The store of its chunks.
    store: Location
    #: The records of finished blocks, by their sides.
    journal: Journal
    #: Bytes that a worker may use for a block; they determine the blocks' sides.
    memory: int
    #: Digest of the code of the build.
    kernels: str = field(default_factory=lambda: code_digest(TABLE_CODE))

    def table(self) -> BlockedTable:
        """Return the table in blocks.

        Raises `StoreError` if this process runs another version of the code.
        """
        if self.kernels != code_digest(TABLE_CODE):
            raise StoreError(
                f"table {self.spec.table_id}: this worker's code is not that of the run; start it in the run's folder"
            )
        return _table(self.spec, self.memory)

    def finished(self, blocks: Mapping[Place, Block]) -> dict[Place, Finished]:
        """Return the records of those blocks that are finished."""
        written = {path.stem for path in self.journal.folder.glob("*.json")}
        names = {place: block_name(block) for place, block in blocks.items()}
        records = {at: self.journal.read(name) for at, name in names.items() if name in written}
        return {at: cast(Finished, record) for at, record in records.items() if record is not None}

    def sound_cells(self, place: Place) -> Table:
        """Return the stored cells of a finished block, in the kernel's order.

        If they are damaged, removes the block from the journal and raises `StoreError`.
        """
        table = self.table()
        block = table.blocks[place]
        finished = self.journal.read(block_name(block))
        with suppress(StoreError):
            if finished is not None:
                entry = table.outline.entry(finished["chunks"])
                stored = StoredTable(self.store, self.spec.table_id, entry)
                return table.loaded(stored.read(table.window(block)))
        self.journal.remove(block_name(block))
        raise StoreError(f"{self.store}: block {place} of table {self.spec.table_id} is damaged")


def block_name(block: Block) -> str:
    """Return the name of a block's record: its sides."""
    (a, b), (c, d) = ((lines.start, lines.stop) for lines in block)
    return f"{a}-{b}x{c}-{d}"


class BlockFrontiers:
    """The two frontiers after a block; None for one that no block needs.

    A row of blocks is a lane: its blocks run on one worker, where the frontier along the row stays. Only the frontier along the
    columns is sent to another worker or spilled to disk. A worker that has lost the frontier along a row computes it again by
    folding (`_along_row`). The frontier along the columns stays compressed until the block below takes it. This keeps
    decompression out of the worker's event loop.
    """

    def __init__(self, down: Frontier | None, across: Frontier | None) -> None:
        """Store the frontiers; the one along the columns is compressed."""
        self._down = None if down is None else (type(down), pack(down))
        self._across = across

    def __getstate__(self) -> dict[str, Any]:
        """Pickle only the frontier along the columns."""
        return {"_down": self._down, "_across": None}

    def down(self) -> Frontier:
        """Return a copy of the frontier along the columns; the block may run again."""
        if self._down is None:
            raise StoreError("an earlier block has not handed on the frontier that this one needs")
        kind, packed = self._down
        return kind(*unpack(packed))

    def across(self) -> Frontier | None:
        """Return and remove the frontier along the row; None if this worker has none."""
        across, self._across = self._across, None
        return across


def fill_block(
    site: Site, place: Place, takes: Collection[int], hands_on: Collection[int], *rest: Any
) -> BlockFrontiers:
    """Compute and store a block, or fold a finished one; return its frontiers.

    `takes` and `hands_on` are the axes of needed and of returned frontiers: 0 along the columns, 1 along the row. `rest` has the
    results of the preceding blocks along `takes`, and a report function, which is not used, because the journal has the progress.

    Folding a finished block may need fewer frontiers than computing it. If its chunks are damaged and a frontier for computing it
    is missing, `StoreError` is raised, and the block is no longer finished.
    """
    table = site.table()
    kernel, block = table.kernel, table.blocks[place]
    frontiers = [kernel.start(axis, block) for axis in (0, 1)]
    for axis, before in zip(takes, rest[:-1], strict=True):
        frontiers[axis] = before.down() if axis == 0 else before.across() or _along_row(site, place)
    try:
        is_finished = site.journal.read(block_name(block)) is not None
        cells = site.sound_cells(place) if is_finished else None
    except StoreError:  # damaged: compute it again
        if any(place[axis] and axis not in takes for axis in (0, 1)):
            raise
        cells = None
    start = time.perf_counter()
    heights = kernel.heights(block)
    if cells is not None:
        kernel.fold(heights, cells, *frontiers)
    else:
        cells = kernel.fill(block, heights, *frontiers)
        computed = time.perf_counter()
        stored = kernel.arranged(cells, table.outline.variable.dims)
        finished: Finished = {
            "chunks": table.outline.write(site.store, table.window(block), stored),
            "positions": table.positions(block, heights),
            "seconds": round(computed - start, 4),
            "seconds_to_store": round(time.perf_counter() - computed, 4),
            "source": "",
        }
        site.journal.write(block_name(block), finished)
    down, across = (frontiers[axis] if axis in hands_on else None for axis in (0, 1))
    return BlockFrontiers(down, across)


def _along_row(site: Site, place: Place) -> Any:
    """Return the frontier along the row before a block, by folding stored blocks."""
    row, column = place
    kernel, along = site.table().kernel, None
    for before in range(column):
        block = site.table().blocks[row, before]
        down, across = (kernel.start(axis, block) for axis in (0, 1))
        along = across if along is None else along
        kernel.fold(kernel.heights(block), site.sound_cells((row, before)), down, along)
    return along


def take_block(site: Site, place: Place, source: StoredTable, _report: Any) -> None:
    """Copy a block from a finished table of a smaller bound.

    The smaller table must cover the rows and columns of the block. If it is damaged, or its remaining sides are too short,
    nothing is copied, and the block is computed later.
    """
    table = site.table()
    block = table.blocks[place]
    heights = table.kernel.heights(block)
    window, shape = table.window(block), source.entry["shape"]
    sides = dict(zip(source.entry["dims"], shape, strict=True))
    if any(heights.max() >= sides[axis] for axis in table.kernel.axes[2:]):
        return
    there = zip(window, shape, strict=True)
    try:
        known = source.read(tuple(slice(side.start, min(side.stop, n)) for side, n in there))
    except StoreError:
        return
    cells = np.full([side.stop - side.start for side in window], NONE, known.dtype)
    cells[whole(known.shape)] = known
    finished: Finished = {
        "chunks": table.outline.write(site.store, window, cells),
        "positions": table.positions(block, heights),
        "seconds": 0.0,
        "seconds_to_store": 0.0,
        "source": source.table_id,
    }
    site.journal.write(block_name(block), finished)


def build_large(spec_file: str, manifest_file: str, given: int | None = None) -> dict[str, int]:
    """Build the one table of a shard in blocks; continue an interrupted build.

    `given` is the memory of this process in bytes, if it computes the blocks itself; by default, its share of the machine's.
    Return the numbers of blocks computed, kept from an interrupted build, and reused from a smaller table.
    """
    shard = Shard.from_json(read_record(Path(spec_file)))
    (spec,) = shard.tables
    manifest = Path(manifest_file)
    with runner() as run:
        memory = share_of(run.memory or given or worker_memory(cores()))
        site = Site(spec, store_for(shard, manifest), Journal.of(manifest), memory)
        table = _begin(site)
        kept = site.finished(table.blocks)
        run.report(Stage.BUILD, all_blocks=len(table.blocks))
        run.run(_copies(site, table, kept, manifest.parent))
        finished = site.finished(table.blocks).values()
        run.report(
            Stage.BUILD,
            blocks=len(finished),
            reused_blocks=sum(bool(block["source"]) for block in finished),
            kept_positions=sum(block["positions"] for block in finished),
        )
        done = fill(run, site, table)
        blocks = done.values()
        reused = sum(bool(block["source"]) for place, block in done.items() if place not in kept)
        computed = len(table.blocks) - reused - len(kept)
        digests = {name: digest for block in blocks for name, digest in block["chunks"].items()}
        entry: TableEntry = {
            **table.outline.whole_entry(site.store, digests),
            "positions": sum(block["positions"] for block in blocks),
            "seconds": round(sum(block["seconds"] for block in blocks), 4),
            "seconds_to_store": round(sum(block["seconds_to_store"] for block in blocks), 4),
            "blocks": {
                "rows": len(table.rows),
                "columns": len(table.columns),
                "computed": computed,
                "kept": len(kept),
                "reused": reused,
            },
        }
        finish_store(site.store, [spec.table_id])
        write_manifest(shard, manifest, {spec.table_id: entry})
        run.report(Stage.BUILD, tables=1)
    return {"blocks computed": computed, "blocks kept": len(kept), "blocks reused": reused}


def _begin(site: Site) -> BlockedTable:
    """Return the table in blocks, with its array, created if needed."""
    site.spec.planned_game()
    table = site.table()
    header = {"table": site.spec.table_id, "kernels": site.kernels, "format": FORMAT}
    if site.journal.read(HEADER) != header:
        site.journal.clear()
        with site.store.failures(f"table {site.spec.table_id} cannot be made"):
            table.outline.create(site.store)
        site.journal.write(HEADER, header)  # after the array exists
    else:  # coordinates have no digests, and may be incomplete
        table.outline.write_coordinates(site.store)
    return table


def _copies(site: Site, table: BlockedTable, kept: Collection[Place], folder: Path) -> list[Step]:
    """Return the steps that copy blocks from smaller tables, largest first."""
    layout = (table.outline.dtype, table.outline.chunk)
    sources = [
        (spec.bound, stored)
        for stored, spec in stored_tables(folder)
        if spec.bound < site.spec.bound
        and replace(spec, ruleset=site.spec.ruleset, bound=site.spec.bound) == site.spec
        and (stored.entry.get("dtype"), tuple(stored.entry.get("chunk", ()))) == layout
    ]
    steps: dict[Place, Step] = {}
    for _, source in sorted(sources, key=itemgetter(0), reverse=True):
        sides = dict(zip(source.entry["dims"], source.entry["shape"], strict=True))
        for place, block in table.blocks.items():
            axes = zip(block, table.kernel.axes, strict=False)
            fits = all(lines.stop <= sides[axis] for lines, axis in axes)
            if fits and place not in kept and place not in steps:
                key = f"take-{place[0]}-{place[1]}"
                steps[place] = Step(key, f"{__name__}:take_block", (site, place, source))
    return list(steps.values())


def fill(run: Runner, site: Site, table: BlockedTable) -> dict[Place, Finished]:
    """Fill the blocks that are not in the journal; return the records of all blocks.

    Damaged blocks are filled again. Progress is read from the journal, so that workers need not report it.
    """
    finished = site.finished(table.blocks)
    left = {place: block for place, block in table.blocks.items() if place not in finished}

    def report_progress() -> None:
        """Report new records of the journal."""
        new = site.finished(left)
        if new:
            positions = sum(block["positions"] for block in new.values())
            run.report(Stage.BUILD, blocks=len(new), positions=positions)
        for place in new:
            del left[place]

    while True:
        try:
            run.run(steps_left(site, table, finished), report_progress)
        except ChocoError:
            kept = site.finished(table.blocks)
            if finished.keys() <= kept.keys():
                raise
            finished = kept
        else:
            report_progress()
            finished = site.finished(table.blocks)
            if len(finished) < len(table.blocks):
                raise StoreError(f"{site.journal.folder}: records of finished blocks were removed")
            return finished


def steps_left(site: Site, table: BlockedTable, finished: Collection[Place]) -> list[Step]:
    """Return the remaining steps: blocks to fill, and finished blocks to fold.

    A finished block is folded only if another step needs one of its frontiers. A frontier is released after its last use. Each
    row of blocks is a lane: its frontier stays on one worker, and the next row follows one block behind.
    """
    hands_on: dict[Place, set[int]] = {place: set() for place in table.blocks}
    before: dict[Place, dict[int, Place]] = {}
    for place in reversed(hands_on):
        row, column = place
        axes = {0, 1}
        if place in finished:
            axes = {needed for axis in hands_on[place] for needed in table.kernel.folded_with(axis)}
        above, left = (row - 1, column), (row, column - 1)
        before[place] = {a: (above, left)[a] for a in sorted(axes) if place[a]}
        for axis, other in before[place].items():
            hands_on[other].add(axis)
    return [
        Step(
            f"fill-{row}-{column}",
            f"{__name__}:fill_block",
            (site, (row, column), (*takes,), tuple(sorted(axes))),
            tuple(f"fill-{above}-{left}" for above, left in takes.values()),
            row,
        )
        for (row, column), axes in hands_on.items()
        for takes in [before[row, column]]
        if axes or (row, column) not in finished
    ]
