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

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from choco_pipeline.cluster.steps import Runner, Step, runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.stages import Stage
from choco_pipeline.tables.building.blocks import BlockedTable, Site, share_of
from choco_pipeline.tables.building.shard import store_for, write_manifest
from choco_pipeline.tables.computing.machine import cores, worker_memory
from choco_pipeline.tables.computing.table_kernel import Place
from choco_pipeline.tables.specs.spec import FORMAT, Shard, TableSpec
from choco_pipeline.tables.storage.journal import Finished, Journal, journal_of_blocks
from choco_pipeline.tables.storage.store import (
    BuiltInBlocks,
    create_table,
    entry_of,
    finish_store,
    store_of,
    write_coordinates,
)
from choco_pipeline.tables.storage.stored import StoredTable

TASKS = "choco_pipeline.tables.building.blocks"


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
