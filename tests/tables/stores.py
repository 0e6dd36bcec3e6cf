"""Shards of one table, comparison of stores, and small chunks and blocks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline import Ruleset
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.tables import store as stored_module
from choco_pipeline.tables import wavefront
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import build_shard
from choco_pipeline.tables.spec import Shard, TableSpec


def order(folder: Path, game: Ruleset, bound: int, quantity: str) -> tuple[str, str]:
    """Write the spec of a large shard; return its path and its manifest's."""
    spec = TableSpec.of(game, bound, quantity)
    file = folder / "shards" / f"{spec.table_id}.json"
    write_record(file, Shard(spec.table_id, (spec,), None, large=True).as_json())
    return str(file), str(folder / "tables" / f"{spec.table_id}.done.json")


def order_of(folder: Path, specs: tuple[TableSpec, ...], url: str | None = None) -> tuple[str, str]:
    """Write the spec of the shard ``s``; return its path and its manifest's."""
    write_record(folder / "s.json", Shard("s", specs, url).as_json())
    return str(folder / "s.json"), str(folder / "tables" / "s.done.json")


def built(folder: Path, game: Ruleset, bound: int, quantity: str) -> str:
    """Build a table in one piece; return the path of its manifest."""
    spec, manifest = order(folder, game, bound, quantity)
    build_shard(spec, manifest, ignore)
    return manifest


def store_path(manifest: str) -> Path:
    """Return the folder of the store beside a manifest."""
    return Path(manifest.removesuffix(".done.json") + ".zarr")


def location(manifest: str) -> Location:
    """Return the store beside a manifest."""
    return Location.local(store_path(manifest))


def files_of(manifest: str) -> dict[str, bytes]:
    """Return every file of the store beside a manifest."""
    store = store_path(manifest)
    files = (path for path in store.rglob("*") if path.is_file())
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in files}


def chunks_of(folder: Path) -> list[Path]:
    """Return the chunks in a folder of stores, of cells and not of coordinates."""
    chunks = (path for name in ("grundy", "p_*") for path in folder.rglob(f"{name}/c/**/*"))
    return sorted(path for path in chunks if path.is_file())


def entry_of(manifest: str) -> dict[str, Any]:
    """Return the only entry of a manifest, without what differs between two builds."""
    (entry,) = read_record(Path(manifest))["tables"].values()
    varying = ("seconds", "seconds_to_store", "blocks")
    return {key: value for key, value in entry.items() if key not in varying}


def require_same(manifest: str, folder: Path, game: Ruleset, bound: int, quantity: str) -> None:
    """Check that a table is the one built in one piece, byte for byte."""
    whole = built(folder, game, bound, quantity)
    assert files_of(manifest) == files_of(whole)
    assert entry_of(manifest) == entry_of(whole)


def blocks_of(manifest: str) -> dict[str, int]:
    """Return a manifest's counts of the blocks of its one table."""
    (entry,) = read_record(Path(manifest))["tables"].values()
    blocks: dict[str, int] = entry["blocks"]
    return blocks


@pytest.fixture
def small_blocks() -> Iterator[Callable[..., None]]:
    """Make chunks of some hundred bytes, and blocks of one chunk."""
    with pytest.MonkeyPatch.context() as patch:

        def set_sizes(chunk_bytes: int, least_seconds: float = 0.0) -> None:
            patch.setattr(stored_module, "CHUNK_BYTES", chunk_bytes)
            patch.setattr(wavefront, "LEAST_SECONDS", least_seconds)
            patch.setattr(wavefront, "ENOUGH_SECONDS", least_seconds)
            patch.setattr(wavefront, "HANDED_ON_PER_SECOND", float("inf"))
            wavefront._table.cache_clear()

        yield set_sizes
    wavefront._table.cache_clear()
