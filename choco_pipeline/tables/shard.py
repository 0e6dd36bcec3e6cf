"""Shards: journals of their finished parts, and the build of small tables.

Journals stay until the run's ledger exists: if Snakemake is killed before it has seen the end of a job, it removes the manifest
and runs the job again, which then finds everything in the journal.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import xarray as xr

from choco_pipeline.documents.files import append_text, write_text
from choco_pipeline.documents.record import (
    parse_record_line,
    read_record,
    record_line,
    write_record,
)
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, versions
from choco_pipeline.stages import Stage
from choco_pipeline.tables.block_kernels import Block, Place
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.spec import FORMAT, Shard, TableSpec
from choco_pipeline.tables.store import BuiltTable, StoredTable, finish_store, write_table


def journal_of_tables(manifest: Path) -> Path:
    """Return the file with a line for each finished table of a shard."""
    return manifest.with_name(manifest.name.removesuffix(".done.json") + ".partial.jsonl")


def journal_of_blocks(manifest: Path) -> Path:
    """Return the folder of documents on the finished blocks of a large table."""
    return manifest.with_name(manifest.name.removesuffix(".done.json") + ".blocks")


def forget(manifest: Path) -> None:
    """Remove the journals of a shard with a final manifest."""
    journal_of_tables(manifest).unlink(missing_ok=True)
    shutil.rmtree(journal_of_blocks(manifest), ignore_errors=True)


@dataclass(frozen=True)
class Finished:
    """The record of a finished block."""

    #: The digests of its chunks, by name.
    chunks: dict[str, str]
    #: Number of settled positions.
    positions: int
    #: Time to compute it; 0 if it was computed for another table. The same holds for the time to store it.
    seconds: float = 0.0
    seconds_to_store: float = 0.0
    #: The table that the chunks were taken from, empty if they were computed.
    source: str = ""


@dataclass(frozen=True)
class Journal:
    """The finished blocks of one table, in a folder beside its store.

    A block with other sides than those of the journal is not finished, so a build with other blocks computes everything.
    """

    folder: Path

    def begin(self, table: Mapping[str, object]) -> bool:
        """Whether this journal is about `table`, a game and the code that computes it."""
        try:
            known: bool = read_record(self.folder / "table.json") == table
        except StoreError:
            return False
        return known

    def clear(self) -> None:
        """Remove the journal."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, table: Mapping[str, object]) -> None:
        """Write the header of the journal, once the array of the table exists."""
        write_record(self.folder / "table.json", table)

    def write(self, block: Block, finished: Finished) -> None:
        """Record a finished block."""
        write_record(self._path(block), asdict(finished))

    def read(self, block: Block) -> Finished | None:
        """Return the record of a finished block, or None."""
        try:
            return Finished(**read_record(self._path(block)))
        except (StoreError, TypeError):
            return None

    def found(self, blocks: Mapping[Place, Block]) -> dict[Place, Finished]:
        """Return the records of the finished blocks."""
        there = {path.name for path in self.folder.glob("*.json")}
        known = {
            place: self.read(block)
            for place, block in blocks.items()
            if self._path(block).name in there
        }
        return {place: finished for place, finished in known.items() if finished is not None}

    def strike(self, block: Block) -> None:
        """Remove the record of a block."""
        self._path(block).unlink(missing_ok=True)

    def _path(self, block: Block) -> Path:
        (a, b), (c, d) = ((lines.start, lines.stop) for lines in block)
        return self.folder / f"{a}-{b}x{c}-{d}.json"


Report = Callable[..., None]


def build_shard(spec_file: str, manifest_file: str, report: Report) -> dict[str, int]:
    """Compute and store the tables of a shard; continue an interrupted build.

    The manifest is written last. `report` is called as ``report(Stage.BUILD, tables=1, positions=n)`` after each table. Return
    the numbers of tables computed, and of tables kept from an interrupted build.
    """
    shard = Shard.from_json(read_record(Path(spec_file)))
    manifest = Path(manifest_file)
    store = store_for(shard, manifest)
    journal = journal_of_tables(manifest)
    kernels = code_digest(TABLE_CODE)

    def line(table_id: str, entry: BuiltTable) -> str:
        return record_line({"kernels": kernels, "id": table_id, "entry": entry})

    kept = _kept(journal, store, kernels)
    # Without the line that a kill may have torn, which would spoil the next one.
    write_text(journal, "".join(line(*entry) for entry in kept.items()))
    entries: dict[str, BuiltTable] = {}
    for spec in shard.tables:
        entry = kept.get(spec.table_id)
        if entry is None:
            entry = _build_table(store, spec)
            append_text(journal, line(spec.table_id, entry))
        entries[spec.table_id] = entry
        report(Stage.BUILD, tables=1, positions=entry["positions"])
    finish_store(store, list(entries))
    write_manifest(shard, manifest, entries)
    return {"computed": len(entries) - len(kept), "kept": len(kept)}


def store_for(shard: Shard, manifest: Path) -> Location:
    """Return the store of a shard: beside its manifest, or below its URL."""
    folder = Location.local(manifest.parent) if shard.url is None else Location.of_url(shard.url)
    return folder.child(f"{shard.name}.zarr")


def write_manifest(shard: Shard, manifest: Path, entries: Mapping[str, BuiltTable]) -> None:
    """Write the manifest of a shard, which makes it finished."""
    store = store_for(shard, manifest)
    document = {
        "format": FORMAT,
        "shard": shard.name,
        "store": f"{shard.name}.zarr" if shard.url is None else str(store),
        "kernels": code_digest(TABLE_CODE),
        "versions": versions(),
        "tables": entries,
    }
    write_record(manifest, document)


def _build_table(store: Location, spec: TableSpec) -> BuiltTable:
    start = time.perf_counter()
    game = spec.planned_game()
    data: xr.Dataset = table(game, spec.bound, spec.quantity)
    computed = time.perf_counter() - start
    entry = write_table(store, spec, data)
    return {
        **entry,
        "positions": count_positions(game, spec.bound),
        "seconds": round(computed, 4),
        "seconds_to_store": round(time.perf_counter() - start - computed, 4),
    }


def _kept(journal: Path, store: Location, kernels: str) -> dict[str, BuiltTable]:
    """Return the entries of finished, sound tables of an interrupted build."""
    kept: dict[str, BuiltTable] = {}
    if not journal.exists():
        return kept
    for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            done = parse_record_line(line)
            entry = done["entry"]
            StoredTable(store, done["id"], entry).require_sound()
        except (KeyError, StoreError):
            continue  # a torn or damaged line, or a table that was not written whole: compute it again
        if done["kernels"] == kernels:
            kept[done["id"]] = entry
    return kept
