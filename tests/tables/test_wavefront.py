"""Tables in blocks: equal bytes for all blocks, kills and smaller tables."""

import contextlib
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.cluster.connect import Runner, ignore
from choco_pipeline.games.rules import with_free_heap
from choco_pipeline.kernels import BlockedHeights
from choco_pipeline.tables import wavefront as blocks
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.computing import computation_of, cost_of
from choco_pipeline.tables.shard import Journal
from choco_pipeline.tables.store import Outline
from choco_pipeline.tables.verification import verify_manifest
from choco_pipeline.tables.wavefront import build_large
from tests.effort import examples
from tests.own_games import OwnGame
from tests.rulesets import rulesets, solid_bars
from tests.tables.stores import (
    blocks_of,
    built,
    entry_of,
    files_of,
    order,
    require_same,
    small_blocks,
)

__all__ = ["small_blocks"]
strip_bars = st.builds(StripBar, st.integers(1, 4), st.integers(0, 9))
step_bars = st.builds(StepBar, st.integers(1, 4), st.integers(0, 9))
#: Games whose tables have blocks, with a quantity and the largest bound.
IN_BLOCKS = [
    (solid_bars(), "p-positions", 24),
    (solid_bars(), "grundy", 9),
    (strip_bars, "grundy", 9),
    (strip_bars, "p-positions", 24),
    (step_bars, "grundy", 24),
    (st.just(Nim(2)), "grundy", 20),
    (st.just(Nim(3)), "grundy", 8),
    (st.just(Nim(3)), "p-positions", 20),
    (st.just(Nim(4)), "p-positions", 8),
]


@st.composite
def tables_in_blocks(draw):
    """Draw a game whose tables have blocks, a bound and a quantity."""
    games, quantity, most = draw(st.sampled_from(IN_BLOCKS))
    game, passes = draw(games), draw(st.integers(0, 2))
    return (WithPass(game, passes) if passes else game), draw(st.integers(0, most)), quantity


sizes = st.sampled_from([128, 512])
few = settings(
    max_examples=examples(20),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)


@few
@given(tables_in_blocks(), sizes, st.sampled_from([0.0, 1e-6, 1.0]))
def test_the_bytes_do_not_depend_on_blocks(small_blocks, tmp_path_factory, drawn, size, least):
    game, bound, quantity = drawn
    small_blocks(size, least)
    spec, manifest = order(tmp_path_factory.mktemp("blocks"), game, bound, quantity)
    build_large(spec, manifest)
    require_same(manifest, tmp_path_factory.mktemp("whole"), game, bound, quantity)


@few
@given(tables_in_blocks(), sizes, st.data())
def test_blocks_of_coordinates_with_any_names_in_any_order(small_blocks, drawn, size, data):
    """Also p (usually passes), y (usually innermost) and i (usually from 1)."""
    game, bound, quantity = drawn
    names = game.base.coordinates
    new = data.draw(st.permutations(["p", "y", "i", "u"][: len(names)]))
    rules = game.base.rules.rename(dict(zip(names, new, strict=True)))
    order = tuple(data.draw(st.permutations(rules.coordinates)))
    own = OwnGame(with_free_heap(replace(rules, coordinates=order, free=None)))
    renamed = WithPass(own, game.passes) if game.passes else own
    small_blocks(size)
    computation = computation_of(renamed, bound, quantity)
    table = blocks.BlockedTable.of(renamed, bound, quantity, 1 << 40)
    cells = np.full(table.outline.shape, -2)
    frontiers = {}
    positions = 0
    for (row, column), block in table.blocks.items():
        down, across = (table.kernel.start(axis, block) for axis in (0, 1))
        down, across = frontiers.get((0, column), down), frontiers.get((1, row), across)
        heights = table.kernel.heights(block)
        filled = table.kernel.fill(block, heights, down, across)
        frontiers[0, column], frontiers[1, row] = down, across
        window = table.window(block)
        cells[window] = table.kernel.arranged(filled, table.outline.variable.dims)
        np.testing.assert_array_equal(table.loaded(cells[window]), filled)
        positions += table.positions(block, heights)
    np.testing.assert_array_equal(cells, computation.cells())
    assert positions == count_positions(renamed, bound)


class Stopped(BaseException):
    """What stops a build in these tests."""


def stops_after(patch, writes):
    """Let the build stop in the middle of a block, after so many others were stored."""
    left = [writes]
    write = Outline.write

    def stopping(*what):
        digests = write(*what)
        left[0] -= 1
        if left[0] < 0:
            raise Stopped
        return digests

    patch.setattr(Outline, "write", stopping)


@few
@given(tables_in_blocks(), sizes, st.lists(st.integers(0, 6), max_size=4))
@example((StripBar(1, 0), 10, "p-positions"), 128, [2])  # a row's top lies in a block before
def test_an_interrupted_build_goes_on(small_blocks, tmp_path_factory, drawn, size, stops):
    """Each time it stops in the middle of a block."""
    game, bound, quantity = drawn
    small_blocks(size)
    spec, manifest = order(tmp_path_factory.mktemp("stopped"), game, bound, quantity)
    stored = 0
    for writes in stops:
        with pytest.MonkeyPatch.context() as patch:
            stops_after(patch, writes)
            try:
                build_large(spec, manifest)
            except Stopped:
                stored += writes
            else:
                break
        assert len(list(Journal.of(Path(manifest)).folder.glob("*x*.json"))) == stored
        assert not Path(manifest).exists()
    if not Path(manifest).exists():
        build_large(spec, manifest)
        assert blocks_of(manifest)["kept"] == stored
    require_same(manifest, tmp_path_factory.mktemp("whole"), game, bound, quantity)


@few
@given(tables_in_blocks(), sizes, st.integers(0, 6), st.sampled_from([1, 2]))
@example((StripBar(1, 0), 10, "p-positions"), 128, 2, 1)
@example((SolidBar("(x+z)//3"), 24, "p-positions"), 128, 3, 2)
def test_what_goes_along_a_row_is_folded_again_where_it_is_missing(
    small_blocks, tmp_path_factory, drawn, size, stop, workers
):
    """As if each step ran on another worker; with two, steps compress frontiers."""
    game, bound, quantity = drawn
    small_blocks(size)
    spec, manifest = order(tmp_path_factory.mktemp("sent"), game, bound, quantity)
    with pytest.MonkeyPatch.context() as patch:
        fill_block = blocks.fill_block
        patch.setattr(blocks, "fill_block", lambda *given: sent(fill_block(*given)))
        patch.setattr(Runner, "workers", workers)
        with pytest.MonkeyPatch.context() as stopping, contextlib.suppress(Stopped):
            stops_after(stopping, stop)
            build_large(spec, manifest)
        if not Path(manifest).exists():
            build_large(spec, manifest)
    require_same(manifest, tmp_path_factory.mktemp("whole"), game, bound, quantity)


def sent(handed_on):
    """Return what another worker gets."""
    return pickle.loads(pickle.dumps(handed_on))


def test_a_frontier_is_sent_compressed_and_may_be_taken_and_sent_again():
    """Who takes it may change it: if the block below is lost, it takes it once more."""
    frontier = BlockedHeights.start(lines=500, layers=1, n_y=4000)
    frontier.used[0, 0, 3] = 7
    got = sent(blocks.BlockFrontiers(frontier, frontier))
    assert len(pickle.dumps(got)) < sum(array.nbytes for array in frontier) / 50
    assert got.across() is None
    for _ in range(2):
        for one in (got, sent(got)):
            taken = one.down()
            assert all(map(np.array_equal, taken, frontier))
            taken[0][...] = 1
    assert sent(blocks.BlockFrontiers(None, frontier))._down is None


@few
@given(sizes, st.integers(1, 12), st.data())
def test_a_damaged_block_is_computed_again_or_found_by_verify(
    small_blocks, tmp_path_factory, size, writes, data
):
    """A finished block is read only if somebody needs what it hands on."""
    small_blocks(size)
    game, bound, quantity = SolidBar("(x+z)//3"), 24, "p-positions"
    spec, manifest = order(tmp_path_factory.mktemp("damaged"), game, bound, quantity)
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Stopped):
        stops_after(patch, writes)
        build_large(spec, manifest)
    damaged = damage(manifest, data)
    if not Path(manifest).exists():
        build_large(spec, manifest)
    whole = built(tmp_path_factory.mktemp("whole"), game, bound, quantity)
    found = files_of(manifest)
    if found[damaged] != files_of(whole)[damaged]:
        (record,) = verify_manifest(manifest, 0, ignore)
        is_cell = "/p_y/" in damaged
        assert ("manifest's digest" if is_cell else "coordinates are damaged") in record.wrong
        found[damaged] = files_of(whole)[damaged]
    assert found == files_of(whole)


def damage(manifest, data):
    """Change a byte of a stored chunk; return its name."""
    store = Path(manifest.removesuffix(".done.json") + ".zarr")
    chunk = data.draw(st.sampled_from([p for p in store.glob("*/*/c/**/*") if p.is_file()]))
    content = bytearray(chunk.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1
    chunk.write_bytes(content)
    return chunk.relative_to(store).as_posix()


def test_what_a_finished_row_hands_on_is_read_and_nothing_else(tmp_path, small_blocks):
    """Each block of two finished rows is folded along its column only."""
    small_blocks(512)  # chunks of 16 × 16
    spec, manifest = order(tmp_path, SolidBar("(x+z)//3"), 63, "p-positions")
    with pytest.MonkeyPatch.context() as patch:
        stops_after(patch, 8)
        with pytest.raises(Stopped):
            build_large(spec, manifest)
    ran = []
    with pytest.MonkeyPatch.context() as patch:
        run = Runner.run
        patch.setattr(
            Runner, "run", lambda self, steps, *to: (ran.extend(steps), run(self, steps, *to))
        )
        assert build_large(spec, manifest) == {
            "blocks computed": 8,
            "blocks kept": 8,
            "blocks reused": 0,
        }
    folds = [step.arguments[1:] for step in ran if step.arguments[1][0] < 2]
    assert folds == [((i, j), (0,) * i, (0,)) for i in (0, 1) for j in range(4)]
    assert len(ran) == 8 + 8


@few
@given(tables_in_blocks(), st.just(512), st.integers(1, 12), st.booleans(), st.data())
@example((StepBar(1, 0), 15, "grundy"), 128, 6, False, None)
@example((Nim(3), 3, "grundy"), 128, 2, False, None)  # a heap is as high as the bound, not as f
def test_a_larger_bound_takes_the_blocks_of_a_smaller_one(
    small_blocks, tmp_path_factory, drawn, size, more, damaged, data
):
    game, bound, quantity = drawn
    small_blocks(size)
    folder = tmp_path_factory.mktemp("extended")
    spec, smaller = order(folder, game, bound, quantity)
    build_large(spec, smaller)
    if damaged:
        damage(smaller, data)
    spec, manifest = order(folder, game, bound + more, quantity)
    build_large(spec, manifest)
    require_same(manifest, tmp_path_factory.mktemp("whole"), game, bound + more, quantity)


@pytest.mark.parametrize(
    ("game", "quantity", "reused"),
    [
        (SolidBar("(x+z)//3"), "p-positions", 4),
        (WithPass(SolidBar("(x+z)//3")), "p-positions", 4),
        (StepBar(1), "grundy", 4),
        pytest.param(SolidBar("(x+z)//3"), "grundy", 64, marks=pytest.mark.full),
    ],
)
def test_doubling_a_bound_computes_three_quarters(tmp_path, small_blocks, game, quantity, reused):
    small_blocks(512)
    build_large(*order(tmp_path, game, 32, quantity))
    spec, manifest = order(tmp_path, game, 64, quantity)
    assert build_large(spec, manifest)["blocks reused"] == reused
    assert blocks_of(manifest)["reused"] == reused


def test_a_manifest_that_is_asked_for_again_says_the_same(tmp_path, small_blocks):
    """As a Snakemake does that was killed before it had seen the end of a job."""
    small_blocks(512)
    spec, manifest = order(tmp_path, SolidBar("(x+z)//3"), 63, "p-positions")
    build_large(spec, manifest)
    said = entry_of(manifest)
    Path(manifest).unlink()
    assert build_large(spec, manifest)["blocks kept"] == 16
    assert entry_of(manifest) == said


def test_a_table_of_another_game_or_code_is_not_taken(tmp_path, small_blocks, monkeypatch):
    small_blocks(128)
    build_large(*order(tmp_path, SolidBar("(x+z)//4"), 30, "p-positions"))
    build_large(*order(tmp_path, SolidBar("(x+z)//3"), 30, "grundy"))
    spec, manifest = order(tmp_path, SolidBar("(x+z)//3"), 30, "p-positions")
    build_large(spec, manifest)
    text = Path(manifest).read_text()
    kernels = text.partition('"kernels": "')[2][:16]
    Path(manifest).write_text(text.replace(kernels, "0" * 16))
    larger = build_large(*order(tmp_path, SolidBar("(x+z)//3"), 60, "p-positions"))
    assert larger["blocks reused"] == 0


@given(rulesets(), st.sampled_from(["grundy", "p-positions"]))
def test_large_tables_have_blocks(game, quantity):
    bound = 5 if "rectangular" in game.notation else 20_000
    if cost_of(game, bound, quantity).large:
        assert computation_of(game, bound, quantity).blocks is not None


@settings(max_examples=examples(300))
@given(rulesets(), st.sampled_from(["grundy", "p-positions"]), st.integers(300, 40_000))
def test_what_a_plan_says_is_needed_is_enough_for_a_block(game, quantity, bound):
    bound = 5 if "rectangular" in game.notation else bound
    needed = computation_of(game, bound, quantity).memory
    if (
        cost_of(game, bound, quantity).large
        and needed < cost_of(game, bound, quantity).memory_whole
    ):
        least = blocks.BlockedTable.of(game, bound, quantity, blocks.share_of(needed))
        assert len(least.blocks) > 1


def test_blocks_grow_with_the_table_where_many_rows_of_them_are_left():
    game = SolidBar("(x+z)//3")
    for bound, rows in ((8192, 4), (16384, 8), (32768, 8), (65536, 16), (131072, 32)):
        table = blocks.BlockedTable.of(game, bound, "p-positions", 8 << 30)
        assert len(table.rows) == len(table.columns) == rows
        little = blocks.BlockedTable.of(game, bound, "p-positions", 512 << 20)
        assert little.memory <= 512 << 20


def test_without_a_cluster_blocks_are_cut_to_the_memory_that_is_given(small_blocks, tmp_path):
    game, bound = SolidBar("(x+z)//3"), 60
    small_blocks(512)
    least = blocks.BlockedTable.of(game, bound, "p-positions", 1 << 40)
    assert len(least.blocks) > 4
    small_blocks(512, float("inf"))  # no block is work enough, so they are as large as they may be
    numbers = []
    for folder, memory in (("little", 2 * least.memory), ("much", None)):
        spec, manifest = order(tmp_path / folder, game, bound, "p-positions")
        build_large(spec, manifest, memory)
        said = blocks_of(manifest)
        numbers.append(said["rows"] * said["columns"])
    assert numbers == [len(least.blocks), 1]
