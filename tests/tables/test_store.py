"""Stored tables: xarray, damage, wrong numbers, and interrupted builds."""

import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import SolidBar, StepBar, parse_ruleset
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables import shard as shard_module
from choco_pipeline.tables import store as stored_module
from choco_pipeline.tables.computing import cells_of, table
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import Journal, build_shard
from choco_pipeline.tables.spec import NOT_COMPUTED, TableSpec, Variable, variable_of
from choco_pipeline.tables.store import CHUNK_BYTES, Outline, chunk_shape, read_table, write_table
from choco_pipeline.tables.verification import verify_manifest
from tests.tables.stores import chunks_of, location, order_of, store_path

GAMES = [
    ("solid-bar(f=(x+z)//3)", 20, "grundy"),
    ("solid-bar(f=(x+z)//5)", 20, "p-positions"),
    ("with-pass(strip-bar(k=4, s=2), passes=1)", 30, "p-positions"),
    ("rectangular-bar(m=5, n=5)", 5, "p-positions"),
    ("with-pass(nim(3), passes=1)", 12, "p-positions"),
    ("step-bar(k=4, s=2)", 40, "grundy"),
    ("nim(1)", 30, "p-positions"),
]
SPECS = tuple(TableSpec.of(parse_ruleset(text), bound, quantity) for text, bound, quantity in GAMES)


def built_of(folder, game, bound, quantity):
    """Build a shard of one small table; return its manifest."""
    files = order_of(folder, (TableSpec.of(game, bound, quantity),))
    build_shard(*files, ignore)
    return files[1]


def faults(manifest):
    return [record.wrong for record in verify_manifest(manifest, 0, ignore)]


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """The manifest of a sound shard with a table of every kind."""
    files = order_of(tmp_path_factory.mktemp("several"), SPECS)
    assert build_shard(*files, ignore) == {"computed": len(GAMES), "kept": 0}
    return files[1]


def test_xarray_reads_a_store_without_our_code_and_without_warnings(several):
    store = store_path(several)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = xr.open_datatree(store, engine="zarr")
        for spec in SPECS:
            expected = table(spec.game(), spec.bound, spec.quantity)
            (name,) = expected.data_vars
            integers = xr.open_zarr(store, group=spec.table_id, mask_and_scale=False)
            for data in (
                tree[spec.table_id].to_dataset(),
                xr.open_zarr(store, group=spec.table_id),
                xr.open_zarr(store, group=spec.table_id, consolidated=False),
                integers,
            ):
                xr.testing.assert_equal(data, expected)
                assert data[name].attrs.items() >= expected[name].attrs.items()
                for dim in expected[name].dims:
                    assert data[dim].attrs == expected[dim].attrs
                assert data.attrs["ruleset"] == spec.ruleset
                assert {"kernels", "commit", "package_version", "format"} <= set(data.attrs)
            assert integers[name].dtype == expected[name].dtype
            assert integers[name].attrs["_FillValue"] == NOT_COMPUTED
        tree.close()


def test_xarray_reads_a_cell_of_a_lost_chunk_as_no_number(tmp_path):
    manifest = built_of(tmp_path, SolidBar("(x+z)//5"), 20, "p-positions")
    (chunk,) = chunks_of(store_path(manifest))
    chunk.unlink()
    (table_id,) = read_record(Path(manifest))["tables"]
    assert bool(xr.open_zarr(store_path(manifest), group=table_id).p_y.isnull().all())


def test_a_manifest_says_what_is_in_a_sound_store(several):
    document = read_record(Path(several))
    assert set(document["tables"]) == {spec.table_id for spec in SPECS}
    for spec in SPECS:
        entry = document["tables"][spec.table_id]
        data = read_table(location(several), spec.table_id, entry)
        assert data[entry["variable"]].shape == tuple(entry["shape"])
        assert entry["positions"] == sum(1 for _ in spec.game().positions(spec.bound))
    assert {"choco_pipeline", "commit", "numba", "zarr"} <= set(document["versions"])
    records = verify_manifest(several, 0, ignore)
    assert [record.wrong for record in records] == [None] * len(SPECS)
    assert all(record.checked >= 25 for record in records), records


@pytest.mark.parametrize("wrong", [{"shape": [21, 15, 21]}, {"dtype": "int32"}])
def test_a_store_that_is_not_what_its_manifest_says(several, wrong):
    entry = read_record(Path(several))["tables"][SPECS[0].table_id] | wrong
    with pytest.raises(StoreError, match="is stored, the manifest says"):
        read_table(location(several), SPECS[0].table_id, entry)


def test_gathered_metadata_that_no_reader_takes_is_found(tmp_path):
    """It says the same of every array, but no reader opens the store."""
    manifest = built_of(tmp_path, SolidBar("(x+z)//3"), 12, "grundy")
    (table_id,) = read_record(Path(manifest))["tables"]
    for where, number in (("", 2), (table_id, 1)):
        document = store_path(manifest) / where / "zarr.json"
        sound = document.read_text()
        for said, damaged in (
            ('"inline"', '"inlmne"'),
            ('"must_understand": false', '"must_understand": {}'),
        ):
            parts = sound.split(said)
            assert len(parts) == number + 1
            for nth in range(1, len(parts)):
                document.write_text(said.join(parts[:nth]) + damaged + said.join(parts[nth:]))
                assert "its metadata contradicts itself" in faults(manifest)[0]
        document.write_text(sound)
    assert faults(manifest) == [None]


def spoiled(game, bound, quantity, *, far):
    """Return a table with one wrong number near the origin, or with half of them wrong."""
    values = np.array(cells_of(game, bound, quantity))
    legal = np.argwhere(values >= 0)
    wrong = tuple((legal[len(legal) // 2 :] if far else legal[:6][-1:]).T)
    is_outcome = variable_of(game, quantity).name in ("p_cell", "p_position")
    values[wrong] = 1 - values[wrong] if is_outcome else values[wrong] + 1
    return values


@pytest.mark.parametrize(("text", "bound", "quantity"), GAMES)
def test_verify_finds_wrong_mathematics_behind_right_checksums(
    monkeypatch, tmp_path, text, bound, quantity
):
    """A table whose bytes are sound but whose numbers are not those of the game."""
    monkeypatch.setattr(shard_module, "cells_of", partial(spoiled, far=False))
    manifest = built_of(tmp_path, parse_ruleset(text), bound, quantity)
    assert faults(manifest) != [None]


@pytest.mark.parametrize(
    ("text", "bound", "quantity"),
    [
        ("solid-bar(f=(x+z)//3)", 60, "grundy"),
        ("solid-bar(f=(x+z)//3)", 60, "p-positions"),
        ("game(kayles)", 120, "grundy"),
        ("game(misere-nim)", 14, "p-positions"),
        ("sum(game(kayles), nim(1))", 20, "grundy"),
    ],
)
def test_verify_finds_wrong_mathematics_far_from_the_origin(
    monkeypatch, tmp_path, text, bound, quantity
):
    """Random positions are compared with their options, with splits and in misère."""
    game = parse_ruleset(text)
    (record,) = verify_manifest(built_of(tmp_path / "sound", game, bound, quantity), 0, ignore)
    assert record.wrong is None
    assert record.checked > 120
    monkeypatch.setattr(shard_module, "cells_of", partial(spoiled, far=True))
    (wrong,) = faults(built_of(tmp_path / "spoiled", game, bound, quantity))
    assert wrong is not None
    assert "options" in wrong or not text.startswith("solid")


def test_an_interrupted_build_goes_on(tmp_path, monkeypatch):
    files = order_of(tmp_path, SPECS)
    manifest, computed = Path(files[1]), []

    def stops_at_the_fourth(game, bound, quantity):
        computed.append(game.notation)
        if len(computed) == 4:
            raise KeyboardInterrupt
        return cells_of(game, bound, quantity)

    monkeypatch.setattr(shard_module, "cells_of", stops_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        build_shard(*files, ignore)
    assert not manifest.exists()
    (chunk,) = chunks_of(store_path(files[1]) / SPECS[0].table_id)
    chunk.write_bytes(b"torn")
    (Journal.of(manifest).folder / f"{SPECS[1].table_id}.json").write_text('{"entry": "torn fi')
    assert build_shard(*files, ignore) == {"computed": len(GAMES) - 1, "kept": 1}
    assert build_shard(*files, ignore) == {"computed": 0, "kept": len(GAMES)}
    Journal.of(manifest).clear()
    assert sorted(path.name for path in manifest.parent.iterdir()) == ["s.done.json", "s.zarr"]
    assert faults(files[1]) == [None] * len(GAMES)


@pytest.mark.parametrize("change", ["code", "values"])
def test_a_journal_is_believed_only_of_this_code_and_these_values(tmp_path, change):
    spec = TableSpec.of(SolidBar("(x+z)//3"), 12, "grundy")
    files = order_of(tmp_path, (spec,))
    build_shard(*files, ignore)
    digest = read_record(Path(files[1]))["tables"][spec.table_id]["digest"]
    Path(files[1]).unlink()
    if change == "code":
        header = Journal.of(Path(files[1])).folder / "header.json"
        write_record(header, {**read_record(header), "kernels": "another"})
    else:  # sound bytes, but not the ones that the journal's digest was taken of
        other = cells_of(spec.game(), spec.bound, spec.quantity)
        write_table(location(files[1]), spec, np.where(other == 3, 4, other))
    assert build_shard(*files, ignore) == {"computed": 1, "kept": 0}
    assert read_record(Path(files[1]))["tables"][spec.table_id]["digest"] == digest


@given(
    st.integers(0, 1),
    st.lists(st.integers(1, 5000), min_size=1, max_size=4),
    st.sampled_from([1, 2, 4]),
)
def test_chunks_are_small_enough_and_do_not_depend_on_the_bound(passes, shape, itemsize):
    dims = ["p", "x", "y", "z", "w"][1 - passes : 1 + len(shape)]
    sides = [2] * passes + shape
    chunk = chunk_shape(dims, sides, itemsize)
    assert len(chunk) == len(dims)
    assert int(np.prod(chunk, dtype=object)) * itemsize <= CHUNK_BYTES
    assert chunk[:passes] == (1,) * passes
    largest = chunk_shape(dims, [10**9] * len(dims), itemsize)
    assert 2 ** len(shape) * np.prod(largest, dtype=object) * itemsize > CHUNK_BYTES
    assert all(
        c & (c - 1) == 0 and (c == most or n <= c < min(2 * n, most))
        for c, n, most in zip(chunk[passes:], shape, largest[passes:], strict=True)
    )


@given(st.permutations("xyz"), st.integers(0, 1), st.tuples(*[st.integers(1, 20)] * 3), st.data())
def test_chunks_are_those_that_zarr_writes(tmp_path_factory, dims, passes, shape, data):
    dims, shape = ("p", *dims)[1 - passes :], (2, *shape)[1 - passes :]
    cells = np.arange(np.prod(shape)).reshape(shape).astype(data.draw(st.sampled_from("hi")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            stored_module, "CHUNK_BYTES", data.draw(st.sampled_from([256, 4096, 1 << 20]))
        )
        spec = TableSpec.of(StepBar(2), 5, "grundy")
        variable = Variable("v", dims, None, "numbers", "any")
        outline = Outline(spec, variable, shape, str(cells.dtype))
        ours, zarrs = (Location.local(tmp_path_factory.mktemp("t")) for _ in range(2))
        outline.create(zarrs)[:] = cells
        outline.create(ours)
        outline.write(ours, stored_module.whole(shape), cells)
    found = {name: ours.read(name) for name, _ in ours.files()}
    assert found == {name: zarrs.read(name) for name, _ in zarrs.files()}


def test_ids_say_what_is_computed():
    specs = [("(x+z)//3", 20, "grundy"), ("( x + z ) // 3", 20, "grundy")]
    specs += [("(x+z)//4", 20, "grundy"), ("(x+z)//3", 21, "grundy")]
    specs += [("(x+z)//3", 20, "p-positions")]
    ids = [TableSpec.of(SolidBar(f), b, q).table_id for f, b, q in specs]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4
