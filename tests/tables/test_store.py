"""Stored tables: read by xarray alone without a warning, checked against bytes and manifests, rebuilt after a kill."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import SolidBar, StepBar, parse_ruleset
from choco_pipeline.documents.record import read_record, record_line, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables import chunks
from choco_pipeline.tables import shard as shard_module
from choco_pipeline.tables.chunks import CHUNK_BYTES, chunk_shape
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import build_shard, forget
from choco_pipeline.tables.spec import NOT_COMPUTED, Shard, TableSpec, Variable
from choco_pipeline.tables.store import (
    Outline,
    StoredTable,
    create_table,
    read_table,
    write_cells,
    write_table,
)
from choco_pipeline.tables.verification import verify_manifest
from tests.tables.stores import built as built_table
from tests.tables.stores import chunks_of

GAMES = [
    ("solid-bar(f=(x+z)//3)", 20, "grundy"),
    ("solid-bar(f=(x+z)//5)", 20, "p-positions"),
    ("with-pass(strip-bar(k=4, s=2), passes=1)", 30, "p-positions"),
    ("rectangular-bar(m=5, n=5)", 5, "p-positions"),
    ("with-pass(nim(3), passes=1)", 12, "p-positions"),
    ("step-bar(k=4, s=2)", 40, "grundy"),
    ("nim(1)", 30, "p-positions"),
]


def quiet(stage, **numbers):
    """Report to nobody."""


def store_path(manifest):
    """Return the folder of the store beside a manifest."""
    return manifest.with_name(manifest.name.removesuffix(".done.json") + ".zarr")


def location(manifest):
    return Location.local(store_path(manifest))


@pytest.fixture
def shard_of(tmp_path):
    """Return a function that builds a shard of one table; it returns the manifest and the spec."""

    def build(game, bound, quantity):
        spec = TableSpec.of(game, bound, quantity)
        write_record(tmp_path / "s.json", Shard("s", (spec,)).as_json())
        manifest = tmp_path / "tables" / "s.done.json"
        build_shard(str(tmp_path / "s.json"), str(manifest), quiet)
        return manifest, spec

    return build


@pytest.fixture
def built(tmp_path):
    """A shard with a table of every kind, and its manifest."""
    specs = tuple(
        TableSpec.of(parse_ruleset(text), bound, quantity) for text, bound, quantity in GAMES
    )
    write_record(tmp_path / "s.json", Shard("s", specs).as_json())
    manifest = tmp_path / "tables" / "s.done.json"
    assert build_shard(str(tmp_path / "s.json"), str(manifest), quiet) == {
        "computed": len(GAMES),
        "kept": 0,
    }
    return specs, tmp_path / "s.json", manifest


def test_xarray_reads_a_store_without_our_code_and_without_warnings(built):
    specs, _, manifest = built
    store = store_path(manifest)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = xr.open_datatree(store, engine="zarr")
        for spec in specs:
            expected = table(spec.game(), spec.bound, spec.quantity)
            for data in (
                tree[spec.table_id].to_dataset(),
                xr.open_zarr(store, group=spec.table_id),
                xr.open_zarr(store, group=spec.table_id, consolidated=False),
                xr.open_zarr(store, group=spec.table_id, mask_and_scale=False),
                xr.open_dataset(store, group=spec.table_id, engine="zarr"),
            ):
                xr.testing.assert_equal(data, expected)
                (name,) = data.data_vars
                assert data[name].attrs.items() >= expected[name].attrs.items()
                assert {"long_name", "comment", "units"} == set(expected[name].attrs)
                for dim in expected[name].dims:
                    assert data[dim].attrs == expected[dim].attrs
                    assert {"long_name", "units"} == set(data[dim].attrs)
                assert data.attrs["ruleset"] == spec.ruleset
                assert (data.attrs["bound"], data.attrs["quantity"]) == (spec.bound, spec.quantity)
                assert {"kernels", "commit", "package_version", "format"} <= set(data.attrs)
                assert data[name].encoding["fill_value"] == NOT_COMPUTED
            integers = xr.open_zarr(store, group=spec.table_id, mask_and_scale=False)
            assert integers[name].dtype == expected[name].dtype
            assert integers[name].attrs["_FillValue"] == NOT_COMPUTED
        tree.close()


def test_xarray_reads_a_cell_of_a_lost_chunk_as_no_number(built):
    specs, _, manifest = built
    (chunk,) = (store_path(manifest) / specs[1].table_id).glob("p_y/c/*/*")
    chunk.unlink()
    data = xr.open_zarr(store_path(manifest), group=specs[1].table_id)
    assert bool(data.p_y.isnull().all())


def test_a_manifest_says_what_is_in_the_store(built):
    specs, _, manifest = built
    document = read_record(manifest)
    assert set(document["tables"]) == {spec.table_id for spec in specs}
    for spec in specs:
        entry = document["tables"][spec.table_id]
        data = read_table(location(manifest), spec.table_id, entry)
        assert data[entry["variable"]].shape == tuple(entry["shape"])
        StoredTable(location(manifest), spec.table_id, entry).require_sound()
        assert entry["positions"] == sum(1 for _ in spec.game().positions(spec.bound))
    assert {"choco_pipeline", "commit", "numba", "zarr"} <= set(document["versions"])


@pytest.mark.full
def test_verify_finds_nothing_wrong_in_a_sound_store(built):
    specs, _, manifest = built
    records = verify_manifest(str(manifest), 0, quiet)
    assert [record.wrong for record in records] == [None] * len(specs)
    assert all(record.checked >= 25 for record in records), records


@pytest.mark.parametrize("where", ["", "its group"])
@pytest.mark.parametrize(
    ("said", "damaged"),
    [('"inline"', '"inlmne"'), ('"must_understand": false', '"must_understand": {}')],
)
def test_gathered_metadata_that_no_reader_takes_is_found(shard_of, where, said, damaged):
    """It says the same of every array, but no reader opens the store."""
    manifest, spec = shard_of(SolidBar("(x+z)//3"), 12, "grundy")
    document = store_path(manifest) / (spec.table_id if where else "") / "zarr.json"
    sound = document.read_text()
    assert sound.count(said) == (1 if where else 2)
    for nth in range(sound.count(said)):
        parts = sound.split(said)
        document.write_text(said.join(parts[: nth + 1]) + damaged + said.join(parts[nth + 1 :]))
        (record,) = verify_manifest(str(manifest), 0, quiet)
        assert "its metadata contradicts itself" in str(record.wrong)
    document.write_text(sound)
    assert verify_manifest(str(manifest), 0, quiet)[0].wrong is None


@given(st.data())
def test_every_flipped_byte_of_a_chunk_is_found(tmp_path_factory, data):
    manifest = Path(
        built_table(tmp_path_factory.mktemp("flip"), SolidBar("(x+z)//3"), 12, "grundy")
    )
    (chunk,) = chunks_of(store_path(manifest))
    content = bytearray(chunk.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    chunk.write_bytes(content)
    ((table_id, entry),) = read_record(manifest)["tables"].items()
    with pytest.raises(StoreError, match=table_id):
        read_table(location(manifest), table_id, entry)
    (record,) = verify_manifest(str(manifest), 0, quiet)
    assert record.wrong


def with_a_wrong_cell(game, bound, quantity):
    """Return a table with one wrong number near the origin."""
    data = table(game, bound, quantity)
    (name,) = data.data_vars
    values = data[name].values.copy()
    legal = np.argwhere(values >= 0)
    cell = tuple(legal[min(5, len(legal) - 1)])
    values[cell] = 1 - values[cell] if name == "p_cell" else values[cell] + 1
    data[name].values = values
    return data


@pytest.mark.parametrize(("text", "bound", "quantity"), GAMES)
def test_verify_finds_wrong_mathematics_behind_right_checksums(
    monkeypatch, shard_of, text, bound, quantity
):
    """A table whose bytes are sound but whose numbers are not those of the game."""
    monkeypatch.setattr(shard_module, "table", with_a_wrong_cell)
    manifest, _ = shard_of(parse_ruleset(text), bound, quantity)
    (record,) = verify_manifest(str(manifest), 0, quiet)
    assert record.wrong is not None


def spoiled(game, bound, quantity):
    """Return a table with wrong numbers far from the origin."""
    data = table(game, bound, quantity)
    (name,) = data.data_vars
    values = data[name].values.copy()
    far = values[len(values) // 2 :]
    far[far >= 0] = 1 - far[far >= 0] if name == "p_position" else far[far >= 0] + 1
    data[name].values = values
    return data


@pytest.mark.parametrize(
    ("text", "bound", "quantity"),
    [
        ("game(kayles)", 200, "grundy"),
        ("game(misere-nim)", 14, "p-positions"),
        ("sum(game(kayles), nim(1))", 20, "grundy"),
    ],
)
@pytest.mark.parametrize("build", [table, spoiled])
def test_verify_knows_splits_and_misere_play(monkeypatch, shard_of, text, bound, quantity, build):
    monkeypatch.setattr(shard_module, "table", build)
    manifest, _ = shard_of(parse_ruleset(text), bound, quantity)
    (record,) = verify_manifest(str(manifest), 0, quiet)
    assert (record.wrong is None) == (build is table)
    assert record.checked > 200 or record.wrong


@pytest.mark.parametrize("quantity", ["grundy", "p-positions"])
def test_verify_finds_wrong_mathematics_far_from_the_origin(monkeypatch, shard_of, quantity):
    """Beyond what the definition settles, random positions are compared with their options."""

    def wrong(game, bound, quantity):
        data = table(game, bound, quantity)
        (name,) = data.data_vars
        values = data[name].values.copy()
        values[40:][values[40:] > 0] -= 1
        data[name].values = values
        return data

    monkeypatch.setattr(shard_module, "table", wrong)
    manifest, _ = shard_of(SolidBar("(x+z)//3"), 60, quantity)
    (record,) = verify_manifest(str(manifest), 0, quiet)
    assert "options" in record.wrong


def test_an_interrupted_build_goes_on(tmp_path, monkeypatch):
    specs = tuple(
        TableSpec.of(parse_ruleset(text), bound, quantity) for text, bound, quantity in GAMES
    )
    write_record(tmp_path / "s.json", Shard("s", specs).as_json())
    manifest = tmp_path / "tables" / "s.done.json"
    computed = []

    def stops_at_the_fourth(game, bound, quantity):
        computed.append(game.notation)
        if len(computed) == 4:
            raise KeyboardInterrupt
        return table(game, bound, quantity)

    monkeypatch.setattr(shard_module, "table", stops_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        build_shard(str(tmp_path / "s.json"), str(manifest), quiet)
    assert not manifest.exists()
    journal = tmp_path / "tables" / "s.partial.jsonl"
    lines = journal.read_text().splitlines()
    damaged = json.loads(lines[0])["id"]
    (chunk,) = chunks_of(tmp_path / "tables" / "s.zarr" / damaged)
    chunk.write_bytes(b"torn")
    journal.write_text(journal.read_text() + '{"id": "torn li')
    assert build_shard(str(tmp_path / "s.json"), str(manifest), quiet) == {
        "computed": len(GAMES) - 2,
        "kept": 2,
    }
    assert build_shard(str(tmp_path / "s.json"), str(manifest), quiet) == {
        "computed": 0,
        "kept": len(GAMES),
    }
    forget(manifest)
    assert sorted(path.name for path in manifest.parent.iterdir()) == ["s.done.json", "s.zarr"]
    assert [r.wrong for r in verify_manifest(str(manifest), 0, quiet)] == [None] * len(GAMES)


@pytest.mark.parametrize("change", ["code", "values"])
def test_a_journal_is_believed_only_of_this_code_and_these_values(tmp_path, shard_of, change):
    manifest, spec = shard_of(SolidBar("(x+z)//3"), 12, "grundy")
    document = read_record(manifest)
    entry = document["tables"][spec.table_id]
    line = {"kernels": document["kernels"], "id": spec.table_id, "entry": entry}
    if change == "code":
        line["kernels"] = "another"
    else:  # sound bytes, but not the ones that the journal's digest was taken of
        other = table(spec.game(), spec.bound, spec.quantity)
        other["grundy"].values = np.where(other["grundy"].values == 3, 4, other["grundy"].values)
        write_table(location(manifest), spec, other)
    manifest.unlink()
    (tmp_path / "tables" / "s.partial.jsonl").write_text(record_line(line))
    outcome = build_shard(str(tmp_path / "s.json"), str(manifest), quiet)
    assert outcome == {"computed": 1, "kept": 0}
    assert read_record(manifest)["tables"][spec.table_id]["digest"] == entry["digest"]


@pytest.mark.parametrize("wrong", [{"shape": [21, 15, 21]}, {"dtype": "int32"}])
def test_a_store_that_is_not_what_its_manifest_says(built, wrong):
    specs, _, manifest = built
    entry = read_record(manifest)["tables"][specs[0].table_id] | wrong
    with pytest.raises(StoreError, match="is stored, the manifest says"):
        read_table(location(manifest), specs[0].table_id, entry)


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
        patch.setattr(chunks, "CHUNK_BYTES", data.draw(st.sampled_from([256, 4096, 1 << 20])))
        outline = Outline(Variable("v", dims, None, "numbers", "any"), shape, str(cells.dtype))
        ours, zarrs = (Location.local(tmp_path_factory.mktemp("t")) for _ in range(2))
        spec = TableSpec.of(StepBar(2), 5, "grundy")
        array = create_table(zarrs, spec, outline)
        array[:] = cells
        create_table(ours, spec, outline)
        write_cells(ours, spec.table_id, outline, chunks.whole(shape), cells)
    found = {name: ours.read(name) for name, _ in ours.files()}
    assert found == {name: zarrs.read(name) for name, _ in zarrs.files()}


def test_ids_say_what_is_computed():
    spec = TableSpec.of(SolidBar("(x+z)//3"), 20, "grundy")
    assert spec.table_id == TableSpec.of(SolidBar("( x + z ) // 3"), 20, "grundy").table_id
    others = [
        ("(x+z)//4", 20, "grundy"),
        ("(x+z)//3", 21, "grundy"),
        ("(x+z)//3", 20, "p-positions"),
    ]
    assert (
        len({spec.table_id, *(TableSpec.of(SolidBar(f), b, q).table_id for f, b, q in others)}) == 4
    )


def test_a_missing_chunk_is_found_and_not_read_as_numbers(built):
    specs, _, manifest = built
    (chunk,) = [
        p
        for p in (store_path(manifest) / specs[0].table_id / "grundy").rglob("c/**/*")
        if p.is_file()
    ]
    chunk.unlink()
    with pytest.raises(StoreError, match=rf"chunk .* is missing \({chunk}\)"):
        read_table(
            location(manifest),
            specs[0].table_id,
            read_record(manifest)["tables"][specs[0].table_id],
        )
