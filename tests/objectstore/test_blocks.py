"""Large tables in an object store: the same bytes, one-line errors, and damage made good."""

import pickle

import pytest

from choco_pipeline import SolidBar
from choco_pipeline.cluster.progress import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest
from choco_pipeline.tables.building import block_task
from choco_pipeline.tables.building.block_task import Site, fill_block
from choco_pipeline.tables.building.blocks import share_of
from choco_pipeline.tables.building.restoration import repair_manifest
from choco_pipeline.tables.building.shard import build_shard
from choco_pipeline.tables.building.wavefront import build_large
from choco_pipeline.tables.specs.spec import Shard, TableSpec
from choco_pipeline.tables.storage.journal import Journal
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import create_table
from tests.tables.building.test_wavefront import small_blocks
from tests.tables.stores import files_of, order

pytestmark = pytest.mark.full

__all__ = ["small_blocks"]
SPEC = TableSpec.of(SolidBar("(x+z)//3"), 40, "p-positions")


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
    memory, kernels = share_of(1 << 30), code_digest(TABLE_CODE)
    site = Site(SPEC, remote.child("s.zarr"), Journal(tmp_path / "blocks"), memory, kernels)
    create_table(site.store, SPEC, site.table().outline)
    first = fill_block(site, (0, 0), (False, True), ignore)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong/wrong")
    sent = pickle.loads(pickle.dumps(site))  # as another worker gets it: without the login
    outline = site.table().outline
    for task, what in (
        (lambda: fill_block(sent, (0, 1), (True, True), first, ignore), "c/0/1 cannot be written"),
        (
            lambda: block_task._read(sent.store, SPEC.table_id, outline, ((0, 8), (0, 8))),
            f"a block of table {SPEC.table_id}",
        ),
    ):
        with pytest.raises(StoreError, match=f"{what} .*ignature") as error:
            task()
        said = str(error.value)
        assert "\n" not in said
        assert str(remote) in said
        assert login.key not in said
