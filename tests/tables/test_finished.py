"""Corners of stored tables are the tables' own cells, of the store that the manifest names when it is asked."""

import os
import shutil
from pathlib import Path

import numpy as np

from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.games import SolidBar
from choco_pipeline.tables.cells import stored_corner
from choco_pipeline.tables.shard import build_shard
from tests.definition import grundy_by_definition
from tests.tables.stores import order

GAME = SolidBar("(x+z)//3")


def test_a_corner_is_read_from_the_store_that_the_manifest_names_now(tmp_path):
    spec, manifest = order(tmp_path, GAME, 12, "grundy")
    build_shard(spec, manifest, ignore)
    document = read_record(Path(manifest))
    ((name, entry),) = document["tables"].items()
    entry |= {"id": name, "shard": Path(manifest).name.removesuffix(".done.json")}
    corner = stored_corner(tmp_path, entry, [3, 4, 5])
    assert corner.shape == (3, 4, 5)
    whole = stored_corner(tmp_path, entry, [99, 99, 99])
    assert np.array_equal(corner, whole[:3, :4, :5])
    assert np.array_equal(whole, grundy_by_definition(GAME, 12))

    store = tmp_path / "tables" / document["store"]
    shutil.move(store, store.with_name("other.zarr"))
    write_record(Path(manifest), {**document, "store": "other.zarr"})
    os.utime(manifest, ns=(0, 1))  # however soon after the first it was written
    assert np.array_equal(stored_corner(tmp_path, entry, [3, 4, 5]), corner)
