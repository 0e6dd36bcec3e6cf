"""Damaged tables are found, named, and rebuilt byte for byte."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import Journal, build_shard
from choco_pipeline.tables.spec import TableSpec
from choco_pipeline.tables.store import (
    Outline,
    StoredTable,
    chunks_in,
    read_table,
    whole,
    write_table,
)
from choco_pipeline.tables.verification import repair_manifest, verify_manifest
from choco_pipeline.tables.wavefront import build_large
from tests.effort import examples
from tests.tables.stores import (
    chunks_of,
    files_of,
    location,
    order,
    order_of,
    small_blocks,
    store_path,
)
from tests.tables.test_wavefront import tables_in_blocks

__all__ = ["small_blocks"]
#: Of one chunk, of one for each number of passes, and with coordinates of its own.
GAMES = [
    ("solid-bar(f=(x+z)//3)", 8, "grundy"),
    ("with-pass(step-bar(k=4, s=2), passes=1)", 12, "grundy"),
    ("rectangular-bar(m=3, n=4)", 4, "p-positions"),
]
few = settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)


def flip(file, data):
    content = bytearray(file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)


def truncate(file, data):
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])


def remove(file, data):
    file.unlink()


damages = st.sampled_from([flip, truncate, remove])


def require_unreadable(manifest, table_id, chunk):
    """Check that every reader names the table, the chunk and its file, in one line."""
    store = location(manifest)
    entry = read_record(Path(manifest))["tables"][table_id]
    name = chunk.relative_to(store_path(manifest) / table_id / entry["variable"]).as_posix()

    def by_windows():
        cells = StoredTable.open(store, table_id, entry)
        for _, window in chunks_in(whole(cells.shape), entry["chunk"]):
            cells[window]

    for read in (lambda: read_table(store, table_id, entry), by_windows):
        with pytest.raises(StoreError) as raised:
            read()
        said = str(raised.value)
        assert said.startswith(f"table {table_id} ({entry['ruleset']}, bound {entry['bound']})")
        assert f": chunk {name} is " in said
        assert f"({chunk})" in said
        assert "\n" not in said
    wrong = {r.table: r.wrong for r in verify_manifest(manifest, 0, ignore) if r.wrong}
    assert list(wrong) == [table_id]
    assert str(chunk) in wrong[table_id]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Return the manifest of a shard with every kind of table, and its files."""
    folder = tmp_path_factory.mktemp("sound")
    specs = tuple(TableSpec.of(parse_ruleset(text), n, quantity) for text, n, quantity in GAMES)
    spec, manifest = order_of(folder, specs)
    build_shard(spec, manifest, ignore)
    Journal.of(Path(manifest)).clear()
    return manifest, files_of(manifest)


def copy_of(sound, folder):
    shutil.copytree(Path(sound[0]).parent, folder / "tables")
    return str(folder / "tables" / "s.done.json")


@few
@given(data=st.data(), how=damages)
def test_a_damaged_chunk_of_a_small_table_is_made_good(sound, tmp_path_factory, data, how):
    manifest = copy_of(sound, tmp_path_factory.mktemp("small"))
    said = Path(manifest).read_bytes()
    table_id = data.draw(st.sampled_from(sorted(read_record(Path(manifest))["tables"])))
    entry = read_record(Path(manifest))["tables"][table_id]
    name = data.draw(st.sampled_from(sorted(entry["chunks"])))
    chunk = store_path(manifest) / table_id / entry["variable"] / name
    how(chunk, data)
    require_unreadable(manifest, table_id, chunk)
    records = {record.table: record for record in repair_manifest(manifest)}
    assert [record.why for record in records.values()] == [None] * len(GAMES)
    assert [t for t, record in records.items() if record.damaged] == [table_id]
    assert f"({chunk})" in records[table_id].damaged[0]
    assert files_of(manifest) == sound[1]
    assert Path(manifest).read_bytes() == said
    assert not any(record.damaged for record in repair_manifest(manifest))
    assert sorted(path.name for path in Path(manifest).parent.iterdir()) == [
        "s.done.json",
        "s.zarr",
    ]


@few
@given(data=st.data(), how=damages)
def test_damaged_metadata_is_made_good(sound, tmp_path_factory, data, how):
    """Damage that does not change the meaning of a table is not looked for."""
    manifest = copy_of(sound, tmp_path_factory.mktemp("metadata"))
    file = data.draw(st.sampled_from(sorted(store_path(manifest).rglob("zarr.json"))))
    how(file, data)
    found = verify_manifest(manifest, 0, ignore)
    records = repair_manifest(manifest)
    assert [record.why for record in records] == [None] * len(GAMES)
    assert [bool(r.damaged) for r in records] == [r.wrong is not None for r in found]
    if how is not flip:
        assert any(record.damaged for record in records)
    if any(record.damaged for record in records):
        assert files_of(manifest) == sound[1]
    assert all(record.wrong is None for record in verify_manifest(manifest, 0, ignore))


@pytest.mark.parametrize("what", ["table", "store"])
def test_what_is_gone_altogether_is_built_again(sound, tmp_path, what):
    manifest = copy_of(sound, tmp_path)
    table_id = next(iter(read_record(Path(manifest))["tables"]))
    shutil.rmtree(store_path(manifest) / (table_id if what == "table" else ""))
    assert [record.why for record in repair_manifest(manifest)] == [None] * len(GAMES)
    assert files_of(manifest) == sound[1]


@few
@given(drawn=tables_in_blocks(), hows=st.lists(damages, min_size=1, max_size=4), data=st.data())
def test_only_the_damaged_blocks_of_a_large_table_are_filled(
    small_blocks, tmp_path_factory, drawn, hows, data
):
    game, bound, quantity = drawn
    small_blocks(512)
    spec, manifest = order(tmp_path_factory.mktemp("large"), game, bound, quantity)
    build_large(spec, manifest)
    before = files_of(manifest)
    (table_id,) = read_record(Path(manifest))["tables"]
    damaged = {data.draw(st.sampled_from(chunks_of(store_path(manifest)))): how for how in hows}
    for chunk, how in damaged.items():
        how(chunk, data)
    if len(damaged) == 1:
        require_unreadable(manifest, table_id, *damaged)
    filled = []
    with pytest.MonkeyPatch.context() as patch:
        write = Outline.write
        patch.setattr(Outline, "write", lambda *what: (filled.append(what[2]), write(*what))[1])
        (record,) = repair_manifest(manifest)
    assert record.why is None
    assert len(record.damaged) == len(damaged)
    assert files_of(manifest) == before
    # A block is one chunk here, but for a rest at an edge, and for the passes.
    assert 1 <= len(filled) <= len(damaged)


@pytest.mark.parametrize("is_large", [False, True])
@few
@given(data=st.data(), how=damages)
def test_damaged_coordinates_and_metadata_are_found_and_made_good(
    small_blocks, tmp_path_factory, is_large, data, how
):
    small_blocks(512)
    folder = tmp_path_factory.mktemp("coordinate")
    spec, manifest = order(folder, SolidBar("(x+z)//3"), 40, "p-positions")
    (build_large if is_large else lambda *files: build_shard(*files, ignore))(spec, manifest)
    before = files_of(manifest)
    (table_id,) = document = read_record(Path(manifest))["tables"]
    dim = data.draw(st.sampled_from("xz"))
    how(store_path(manifest) / table_id / dim / "c/0", data)
    (record,) = verify_manifest(manifest, 0, ignore)
    assert "metadata or coordinates are damaged" in record.wrong
    with pytest.raises(StoreError, match="cannot be read"):
        read_table(location(manifest), table_id, document[table_id])
    for file in data.draw(st.sampled_from([[], list(store_path(manifest).rglob("zarr.json"))])):
        file.unlink()
    (record,) = repair_manifest(manifest)
    assert (record.why, files_of(manifest)) == (None, before)


def change(manifest, **entries):
    document = read_record(Path(manifest))
    document.update(entries)
    write_record(Path(manifest), document)


def another_build():
    """Return what a table of the shard is of, and one that differs from it."""
    spec = TableSpec.of(parse_ruleset(GAMES[0][0]), *GAMES[0][1:])
    other = cells_of(spec.game(), spec.bound, spec.quantity)
    other[other == 3] = 4
    return spec, other


def test_a_store_of_another_build_is_found_and_replaced(sound, tmp_path):
    """Its chunks are sound, but not the manifest's; and so is another code's name."""
    manifest = copy_of(sound, tmp_path)
    document = read_record(Path(manifest))
    spec, other = another_build()
    store = location(manifest)
    write_table(store, spec, other)
    entry = document["tables"][spec.table_id]
    with pytest.raises(StoreError, match="does not match the manifest's digest"):
        read_table(store, spec.table_id, entry)
    assert [record.why for record in repair_manifest(manifest)] == [None] * len(GAMES)
    assert files_of(manifest) == sound[1]
    change(manifest, kernels="of-old-code")
    assert all(
        "belongs to another build: its kernels is" in record.wrong
        for record in verify_manifest(manifest, 0, ignore)
    )
    assert [record.why for record in repair_manifest(manifest)] == [None] * len(GAMES)
    assert all(record.wrong is None for record in verify_manifest(manifest, 0, ignore))


def test_what_this_code_does_not_compute_is_left_and_named(sound, tmp_path):
    manifest = copy_of(sound, tmp_path)
    document = read_record(Path(manifest))
    spec, other = another_build()
    made = write_table(Location.local(tmp_path / "other.zarr"), spec, other)
    entry = document["tables"][spec.table_id]
    entry |= {"digest": made["digest"], "chunks": made["chunks"]}
    document["kernels"] = "of-old-code"
    write_record(Path(manifest), document)
    before = files_of(manifest)
    (record,) = [one for one in repair_manifest(manifest) if one.table == spec.table_id]
    assert "built by other code (of-old-code, this is " in record.why
    assert f"once {manifest} is removed, `choco run` builds it again" in record.why
    changed = {name for name, content in files_of(manifest).items() if content != before[name]}
    assert not any(name.startswith(spec.table_id) for name in changed)


@pytest.mark.parametrize(
    "content",
    [None, {"tables": {"x": {}}}, {"store": "s.zarr"}, {"store": "s.zarr", "tables": {"x": {}}}],
)
def test_a_manifest_that_cannot_be_used_is_named(tmp_path, content):
    manifest = tmp_path / "s.done.json"
    if content is None:
        manifest.write_text("{")
    else:
        write_record(manifest, content)
    for work in (repair_manifest, lambda file: verify_manifest(file, 0, ignore)):
        with pytest.raises(StoreError) as raised:
            work(str(manifest))
        assert str(manifest) in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("wrong", [lambda digest: digest[::-1], lambda digest: "x" + digest[1:]])
@pytest.mark.parametrize("of_chunk", [False, True])
def test_digests_that_contradict_each_other_are_not_repaired(sound, tmp_path, wrong, of_chunk):
    manifest = copy_of(sound, tmp_path)
    document = read_record(Path(manifest))
    text = json.dumps(document)
    entry = next(iter(document["tables"].values()))
    digest = next(iter(entry["chunks"].values())) if of_chunk else entry["digest"]
    write_record(Path(manifest), json.loads(text.replace(digest, wrong(digest))))
    (why,) = [record.why for record in repair_manifest(manifest) if record.why]
    assert "the manifest's digests contradict each other" in why
