"""Tables read by windows: the same findings, and constant memory."""

import json
import os
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from choco_pipeline import SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks import check
from choco_pipeline.claims.checks.check import check_claim, pass_of_claim
from choco_pipeline.claims.checks.evidence import side_by_side
from choco_pipeline.claims.language.verdict import HoldsToBound, Undecided
from choco_pipeline.cli import value
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import LimitError, StoreError
from choco_pipeline.mining import task
from choco_pipeline.tables import store as stored_module
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.cells import Cells, find_table, stored_corner
from choco_pipeline.tables.computing import HELD_BYTES, cost_of, p_table, table
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import build_shard
from choco_pipeline.tables.spec import QUANTITIES, TableSpec, variable_of
from choco_pipeline.tables.store import StoredTable, write_table
from choco_pipeline.tables.wavefront import build_large
from tests.claims.claims import claim_on, conditions, integer_formulas, value_sets
from tests.definition import grundy_by_definition
from tests.effort import examples
from tests.rulesets import rulesets_with_bounds
from tests.tables.stores import chunks_of, order

few = settings(
    max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def stored(folder, data, game, bound, quantity, chunk_bytes=64):
    """Write a table in small chunks, of which few are kept, and return its cells."""
    spec = TableSpec.of(game, bound, quantity)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_module, "CHUNK_BYTES", chunk_bytes)
        entry = write_table(Location.local(folder), spec, Cells.of(game, bound, data).array)
    return StoredTable.open(Location.local(folder), spec.table_id, entry)


@pytest.fixture(autouse=True)
def few_chunks_held(monkeypatch):
    monkeypatch.setattr(stored_module, "HELD_BYTES", 256)


@given(rulesets_with_bounds(), st.sampled_from(QUANTITIES), st.integers(0, 14))
def test_the_corner_of_a_table_is_the_smaller_table(drawn, quantity, smaller):
    """For a larger bound or a finite game it is the table itself."""
    game, bound = drawn
    cells = Cells.of(game, bound, table(game, bound, quantity))
    corner = cells.corner(smaller)
    if smaller >= bound or cells.is_whole:
        assert corner is cells
        return
    assert corner.bound == smaller
    expected = table(game, smaller, quantity)[cells.variable.name].values
    assert np.array_equal(np.asarray(corner.cells), expected)


@few
@given(rulesets_with_bounds(), st.sampled_from(QUANTITIES), st.integers(8, 512), st.data())
def test_parts_windows_and_corners(tmp_path_factory, drawn, quantity, chunk_bytes, data):
    game, bound = drawn
    whole = table(game, bound, quantity)
    cells = stored(tmp_path_factory.mktemp("t"), whole, game, bound, quantity, chunk_bytes)
    expected = whole[variable_of(game, quantity).name].values
    sides = [data.draw(st.integers(1, n)) for n in expected.shape]
    corner = cells.corner(sides)
    for part, array in ((cells, expected), (corner, expected[tuple(map(slice, sides))])):
        assert part.shape == array.shape
        seen = np.zeros(array.shape, int)
        for _, window in stored_module.chunks_in(
            stored_module.whole(part.shape), part.entry["chunk"]
        ):
            assert np.array_equal(part[window], array[window])
            assert all(side.stop <= n for side, n in zip(window, array.shape, strict=True))
            seen[window] += 1
        assert (seen == 1).all()
        index = []
        for n in array.shape:
            first, stop = sorted(data.draw(st.tuples(st.integers(0, n - 1), st.integers(1, n))))
            index.append(data.draw(st.sampled_from([first, slice(first, stop)])))
        assert np.array_equal(part[tuple(index)], array[tuple(index)])


@few
@given(rulesets_with_bounds(), st.sampled_from(QUANTITIES), st.data())
def test_findings_are_those_of_the_whole_table(tmp_path_factory, drawn, quantity, data):
    game, bound = drawn
    whole = table(game, bound, quantity)
    cells = stored(tmp_path_factory.mktemp("t"), whole, game, bound, quantity)
    assume(not Cells.of(game, bound, whole).is_whole)
    names = list(game.coordinates)
    where = data.draw(st.none() | conditions(names))
    statements = [
        shape.format(data.draw(conditions(names))) for shape in ("P <=> {}", "{} => P", "P => {}")
    ]
    if quantity == "grundy":
        statements.append(f"G == {data.draw(integer_formulas(names))}")
    if where is not None:
        statements = [f"({where}) => ({statement})" for statement in statements]
    sets = data.draw(value_sets(names))
    statements.append(sets if where is None else sets.replace(": P}", f": P and ({where})}}"))
    for statement in statements:
        claim = claim_on(game, statement)
        one = check_claim(claim, {}, game, bound, whole)
        other = check_claim(claim, {}, game, bound, cells, data.draw(st.integers(1, 60)))
        if isinstance(one.verdict, Undecided) and "key" in one.evidence:
            assert one.evidence == other.evidence  # a formula without a value, wherever
        else:
            assert one == other, (game, statement)


@few
@given(rulesets_with_bounds(), st.data())
def test_claims_checked_side_by_side_find_what_each_finds_alone(
    tmp_path_factory, monkeypatch, drawn, data
):
    """Also formulas without a value, and statements with a reach."""
    monkeypatch.setattr(check, "BEYOND", 1)
    game, bound = drawn
    whole = p_table(game, bound)
    cells = stored(tmp_path_factory.mktemp("t"), whole, game, bound, "p-positions")
    assume(not Cells.of(game, bound, whole).is_whole)
    names = list(game.coordinates)
    shapes = st.sampled_from(["P <=> {}", "{} => P", "P => {}"])
    outcomes = st.builds(str.format, shapes, conditions(names))
    claims = []
    for _ in range(data.draw(st.integers(0, 5))):
        reach = data.draw(st.none() | st.integers(0, bound))
        if data.draw(st.booleans()):
            claims.append(claim_on(game, data.draw(outcomes), reach=reach))
        else:
            within = "" if reach is None else f" and size <= {reach}"
            sets = data.draw(value_sets(names)).replace(": P}", f": P{within}}}")
            claims.append(claim_on(game, sets))
    block = data.draw(st.integers(1, 60))
    alone = [check_claim(claim, {}, game, bound, cells, block) for claim in claims]
    passes = [pass_of_claim(claim, {}, Cells.of(game, bound, cells), block) for claim in claims]
    together = {i: finding for i, finding, _ in side_by_side(passes)}
    assert [together[i] for i in range(len(claims))] == alone


def test_claims_side_by_side_read_each_chunk_once(tmp_path, monkeypatch):
    game, bound = SolidBar("(x+z)//3"), 40
    cells = stored(tmp_path, p_table(game, bound), game, bound, "p-positions")
    statements = ["P <=> x ^ y ^ z == 0", "P => x + y + z >= 0", "{x ^ y ^ z: P} <= {v: v == 0}"]
    read = []

    def noted(table, place):
        read.append(place)
        return original(table, place)

    original = StoredTable.read_chunk
    monkeypatch.setattr(StoredTable, "read_chunk", noted)
    table_cells = Cells.of(game, bound, cells)
    passes = [pass_of_claim(claim_on(game, one), {}, table_cells, 10) for one in statements]
    assert {type(finding.verdict) for _, finding, _ in side_by_side(passes)} == {HoldsToBound}
    assert len(read) > 8 * stored_module.HELD_BYTES // 64
    assert len(set(read)) == len(read)


@pytest.mark.parametrize(
    "game", [SolidBar("(x+z)//2"), WithPass(SolidBar("x//2+z//3")), StepBar(2)]
)
def test_each_window_has_its_own_heights(tmp_path, game):
    """One formula is solved for y, one is not, one is true above some columns only."""
    whole = p_table(game, 20)
    cells = stored(tmp_path, whole, game, 20, "p-positions")
    for formula in ("x ^ y ^ z == 0", "x*y*z % 3 == 1", "y == 4"):
        formula = formula if "x" in game.coordinates else formula.replace("x", "z")
        claim = claim_on(game, f"P <=> {formula}")
        expected = check_claim(claim, {}, game, 20, whole)
        assert expected.verdict.positions == count_positions(game, 20)
        assert check_claim(claim, {}, game, 20, cells) == expected


@few
@given(rulesets_with_bounds(), st.sampled_from(QUANTITIES))
def test_what_is_looked_up_is_that_of_the_whole_table(tmp_path_factory, drawn, quantity):
    game, bound = drawn
    whole = table(game, bound, quantity)
    cells = stored(tmp_path_factory.mktemp("t"), whole, game, bound, quantity)
    one, other = Cells.of(game, bound, whole), Cells.of(game, bound, cells)
    for position in islice(game.positions(bound), 200):
        assert one.covers(position) == other.covers(position)
        if one.covers(position):
            assert one.is_p_position(position) == other.is_p_position(position)


def test_of_a_large_table_a_corner_is_mined(tmp_path):
    game = WithPass(StripBar(k=2, s=1))
    spec = TableSpec.of(game, 40, "p-positions")
    whole = Cells.computed(game, 40, "p-positions")
    entry = write_table(Location.local(tmp_path), spec, whole.array)
    for most, bound in ((task.MOST_CELLS, 40), (2 * 21 * 11, 20)):  # p, z to 20, y to 10
        stored_cells = StoredTable.open(Location.local(tmp_path), spec.table_id, entry)
        mined = task.part_of(Cells.of(game, 40, stored_cells), most)
        assert mined.bound == bound
        assert np.array_equal(mined.array, Cells.of(game, bound, p_table(game, bound)).cells)


def test_a_chunk_that_is_gone_or_changed_is_named(tmp_path):
    game = SolidBar("(x+z)//3")
    cells = stored(tmp_path, p_table(game, 40), game, 40, "p-positions")
    files = chunks_of(tmp_path)
    files[-1].unlink()
    claim = claim_on(game, "P <=> x ^ y ^ z == 0")
    name = "/".join(files[-1].parts[-3:])
    with pytest.raises(StoreError, match=f"chunk {name} is missing"):
        check_claim(claim, {}, game, 40, cells)
    with pytest.raises(StoreError, match=f"chunk {name} is missing"):
        cells[39, 39]
    assert cells[0, 0] == 0  # another chunk


def test_a_claim_within_reach_reads_no_chunk_beyond(tmp_path):
    game = SolidBar("(x+z)//3")
    cells = stored(tmp_path, p_table(game, 200), game, 200, "p-positions", chunk_bytes=2048)
    for path in chunks_of(tmp_path):
        if max(int(path.name), int(path.parent.name)) > 2:
            path.unlink()  # 96 and more
    near = claim_on(game, "P <=> x ^ y ^ z == 0", reach=50)
    assert check_claim(near, {}, game, 200, cells).verdict.positions == count_positions(game, 50)


def test_a_stored_table_answers_for_a_position(tmp_path, monkeypatch):
    game = WithPass(StripBar(4, 2))
    spec, manifest = order(tmp_path, game, 40, "p-positions")
    build_shard(spec, manifest, ignore)
    folder = tmp_path / "tables"
    (folder / "other.done.json").write_text("[]")
    position = (9, 3, 40, 1)
    found = find_table(folder, game, "p-positions", [position, *game.options(position)])
    assert found is not None
    for option in game.options(position):
        assert found.is_p_position(option) == game.is_p_position(option)
    assert find_table(folder, game, "grundy", [position]) is None
    assert find_table(folder, game, "p-positions", [(0, 0, 41, 0)]) is None
    assert find_table(folder, WithPass(StripBar(4, 3)), "p-positions", [position]) is None
    monkeypatch.setattr("choco_pipeline.tables.store.code_digest", lambda _: "another")
    assert find_table(folder, game, "p-positions", [position]) is None


def test_a_corner_is_read_from_the_store_that_the_manifest_names_now(tmp_path):
    spec, manifest = order(tmp_path, SolidBar("(x+z)//3"), 12, "grundy")
    build_shard(spec, manifest, ignore)
    document = read_record(Path(manifest))
    ((name, entry),) = document["tables"].items()
    entry |= {"id": name, "shard": Path(manifest).name.removesuffix(".done.json")}
    corner = stored_corner(tmp_path, entry, [3, 4, 5])
    assert corner.shape == (3, 4, 5)
    whole = stored_corner(tmp_path, entry, [99, 99, 99])
    assert np.array_equal(corner, whole[:3, :4, :5])
    assert np.array_equal(whole, grundy_by_definition(SolidBar("(x+z)//3"), 12))

    store = tmp_path / "tables" / document["store"]
    shutil.move(store, store.with_name("other.zarr"))
    write_record(Path(manifest), {**document, "store": "other.zarr"})
    os.utime(manifest, ns=(0, 1))  # however soon after the first it was written
    assert np.array_equal(stored_corner(tmp_path, entry, [3, 4, 5]), corner)


@pytest.mark.full
def test_value_asks_a_table_of_a_run(tmp_path, monkeypatch):
    """Nothing is computed here, by definition or by a table."""
    game = SolidBar("(x+z)//3")
    build_shard(*order(tmp_path / "results", game, 40, "p-positions"), ignore)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(value, "BY_DEFINITION", 0)
    monkeypatch.setattr(value, "MOST_SECONDS", -1.0)
    for position in [(7, 4, 8), (3, 1, 2), (40, 26, 40)]:
        found = value.evaluate(game, position)
        winning = [option for option in game.options(position) if game.is_p_position(option)]
        assert (found.grundy, found.winning) == (None, [(option,) for option in winning])
        assert found.outcome == ("N" if winning else "P")
    with pytest.raises(LimitError, match="too large for a table or the definition"):
        value.evaluate(game, (41, 3, 2))


@given(st.sampled_from([SolidBar("(x+z)//3"), WithPass(StripBar(4, 2))]), st.integers(0, 10**6))
def test_the_memory_to_read_a_table_has_a_limit(game, bound):
    assert cost_of(game, bound, "p-positions").memory_to_read <= 620 << 20


PEAK = """
import json, sys
from pathlib import Path
from choco_pipeline.claims.task import check_shard
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.mining.task import mine_shard

def peak():
    line = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM"))
    return int(line.split()[1]) << 10

peaks = []
for orders in json.load(sys.stdin):
    check_shard(orders["check"], ignore)
    found = mine_shard(orders["mine"], ignore)
    peaks.append(peak())
print(json.dumps([*peaks, found["findings"][0]["growth"][-1]]))
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_table(tmp_path):
    """Two tables larger than the held chunks are checked in one process."""
    game = SolidBar("(x+z)//3")
    orders = []
    for bound in (8_000, 16_000):
        spec, manifest = order(tmp_path / str(bound), game, bound, "p-positions")
        build_large(spec, manifest)
        (table_id,) = json.loads(Path(manifest).read_text())["tables"]
        claims = [
            claim_on(game, "P <=> x ^ y ^ z == 0"),
            claim_on(game, "{x ^ y ^ z: P} == {v: v == 0}"),
        ]
        check = {
            "claims": {str(i): {**c.as_json(), "id": str(i)} for i, c in enumerate(claims)},
            "checks": [{"claim": str(i), "table": table_id, "parameters": {}} for i in range(2)],
        }
        mine = {"searches": [{"table": table_id, "what": ["value-sets", "formulas"]}]}
        shared = {"code": "0", "manifest": manifest}
        orders.append({"check": shared | check, "mine": shared | mine})
    command = [sys.executable, "-c", PEAK]
    asked = json.dumps(orders)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    small, large, mined = json.loads(done.stdout)
    assert mined["bound"] == 2_000, "of the large table a corner"
    z = np.arange(2_001)  # triangular, Thm 7.3
    columns = sum(int(((x ^ z) <= (x + z) // 3).sum()) for x in range(2_001))
    assert mined["positions"] == columns
    assert large <= cost_of(game, 16_000, "p-positions").memory_to_read
    cells = [2 * (bound + 1) ** 2 for bound in (8_000, 16_000)]
    assert cells[0] > HELD_BYTES
    assert large - small < (cells[1] - cells[0]) / 4
