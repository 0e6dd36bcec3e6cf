"""Journals of the finished parts of a shard.

A journal has a line for each table, or a document for each block. Journals stay until the run's ledger exists: if Snakemake
is killed before it has seen the end of a job, it removes the manifest and runs the job again, which then finds everything in
the journal.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables.computing.table_kernel import Block, Place


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
