"""Tables in an object store: bytes, errors, repair, and a bad network."""

import pickle

import pytest

from choco_pipeline import SolidBar
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables import shard as shard_module
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import Journal, build_shard
from choco_pipeline.tables.spec import Shard, TableSpec
from choco_pipeline.tables.store import StoredTable
from choco_pipeline.tables.verification import repair_manifest, verify_manifest
from choco_pipeline.tables.wavefront import Site, build_large, fill_block, share_of
from tests.objectstore.flaky import Flaky
from tests.tables.stores import files_of, order, small_blocks

pytestmark = pytest.mark.full

__all__ = ["small_blocks"]
SPEC = TableSpec.of(SolidBar("(x+z)//3"), 40, "p-positions")
SMALL = tuple(TableSpec.of(SolidBar("(x+z)//3"), bound, "grundy") for bound in (6, 8, 10))


def contents(store):
    return {name: store.read(name) for name, _ in store.files()}


def test_the_bytes_are_those_of_a_folder_and_damage_is_made_good(remote, tmp_path, small_blocks):
    small_blocks(512)
    write_record(tmp_path / "s.json", Shard("s", (SPEC,), str(remote), large=True).as_json())
    manifest = tmp_path / "tables" / "s.done.json"
    build_large(str(tmp_path / "s.json"), str(manifest))
    store = Location.of_url(read_record(manifest)["store"])
    spec_whole, whole = order(tmp_path / "whole", SPEC.game(), SPEC.bound, SPEC.quantity)
    build_shard(spec_whole, whole, ignore)
    before = contents(store)
    assert before == files_of(whole)
    chunks = sorted(name for name in before if "/c/" in name)
    assert len(chunks) > 4
    store.write(chunks[1], b"damaged")
    store.remove(chunks[3])
    store.remove(f"{SPEC.table_id}/zarr.json")
    (record,) = repair_manifest(str(manifest))
    assert (len(record.damaged), record.why) == (3, None)
    assert contents(store) == before


def test_a_block_that_cannot_be_written_or_read_is_one_line(
    remote, login, tmp_path, monkeypatch, small_blocks
):
    small_blocks(512)
    site = Site(SPEC, remote.child("s.zarr"), Journal(tmp_path / "blocks"), share_of(1 << 30))
    site.table().outline.create(site.store)
    first = fill_block(site, (0, 0), (), (1,), ignore)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong/wrong")
    outline, finished = site.table().outline, site.finished(site.table().blocks)[0, 0]
    sent = pickle.loads(pickle.dumps(site))  # as another worker gets it: without the login
    stored = StoredTable(sent.store, SPEC.table_id, outline.entry(finished["chunks"]))
    for task, what in (
        (lambda: fill_block(sent, (0, 1), (1,), (0, 1), first, ignore), "c/0/1 cannot be written"),
        (lambda: stored.read_chunk((0, 0)), "c/0/0 cannot be"),
    ):
        with pytest.raises(StoreError, match=f"{what} .*ignature") as error:
            task()
        said = str(error.value)
        assert "\n" not in said
        assert str(remote) in said
        assert login.key not in said


def small_tables(folder, remote):
    """Write the spec of a shard below a URL; return its path and its manifest's."""
    write_record(folder / "s.json", Shard("s", SMALL, str(remote)).as_json())
    return str(folder / "s.json"), str(folder / "tables" / "s.done.json")


def test_a_build_that_was_stopped_goes_on(remote, tmp_path, monkeypatch):
    """Stored tables are kept if they are sound; an unfinished one is replaced."""
    spec, manifest = small_tables(tmp_path, remote)
    store, begun = remote.child("s.zarr"), []

    def stops_at_the_third(*what):
        begun.append(what)
        if len(begun) == 3:
            store.write(f"{SMALL[2].table_id}/zarr.json", b"torn")
            raise KeyboardInterrupt
        return cells_of(*what)

    with monkeypatch.context() as patch:
        patch.setattr(shard_module, "cells_of", stops_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            build_shard(spec, manifest, ignore)
    chunk = next(name for name, _ in store.files(SMALL[0].table_id) if "/c/" in name)
    store.write(chunk, b"damaged")
    assert build_shard(spec, manifest, ignore) == {"computed": 2, "kept": 1}
    assert [record.wrong for record in verify_manifest(manifest, 0, ignore)] == [None] * len(SMALL)


def test_tables_are_built_and_read_over_a_bad_network(remote, login, tmp_path, monkeypatch):
    flaky = Flaky(login.port)
    spec, manifest = small_tables(tmp_path, remote)
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{flaky.port}")
        assert build_shard(spec, manifest, ignore) == {"computed": len(SMALL), "kept": 0}
        verified = verify_manifest(manifest, 0, ignore)
    flaky.close()
    assert min(flaky.dropped, flaky.busy, flaky.cut) > 1, vars(flaky)
    assert [record.wrong for record in verified] == [None] * len(SMALL)
    here = Shard("s", SMALL)
    write_record(tmp_path / "here.json", here.as_json())
    build_shard(str(tmp_path / "here.json"), str(tmp_path / "here" / "s.done.json"), ignore)
    assert contents(Location.of_url(str(remote.child("s.zarr")))) == files_of(
        str(tmp_path / "here" / "s.done.json")
    )
