"""What a run says of the time that is left, and of what is complete."""

import os
import time
from pathlib import Path

from choco_pipeline.cli.running.run_progress import RunProgress, StageProgress
from choco_pipeline.stages import MINE_HEIGHTS, Stage
from choco_pipeline.sweep.paths import RESULTS, Paths
from choco_pipeline.sweep.run_plan import make_plan

CONFIG = """
run: t
height_functions: {side: 1, height: 1}
sweeps:
  a: {ruleset: "solid-bar(f=(x+z)//3)", bound: 8, quantity: grundy}
"""


def test_how_long_it_takes_is_said_only_if_enough_is_done_to_tell():
    stage = StageProgress(Stage.BUILD, 4, total_positions=10_000)
    stage.seconds, stage.positions = 60.0, 1
    assert stage.seconds_left is None
    stage.positions = 1_000
    assert stage.seconds_left == 540
    checks = StageProgress(Stage.CHECK, 10, total_positions=0, done=6, seconds=60.0)
    assert checks.seconds_left == 40
    report = StageProgress(Stage.REPORT, 10, total_positions=0, done=5, seconds=60.0)
    assert report.seconds_left is None  # the first report is there, the last one waits for all else


def test_an_order_that_was_written_anew_as_it_was_is_no_reason_for_a_cluster(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONFIG)
    plan, paths = make_plan(Path("c.yaml"), write=True), Paths(RESULTS, "t")
    orders = [paths.order(MINE_HEIGHTS, one["part"]) for one in plan[MINE_HEIGHTS.name]]
    made = [paths.manifest(shard) for shard in plan["shards"]]
    for path in (
        *made,
        *(paths.outcome(MINE_HEIGHTS, order.stem) for order in orders),
        paths.found,
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert RunProgress(plan).are_complete
    later = time.time_ns() + 5_000_000_000
    for path in (paths.plan, *orders):
        os.utime(path, ns=(later, later))
        progress = RunProgress(plan)
        assert not progress.are_complete
        progress.settle(before=later)  # it was written since Snakemake has looked at it
        assert not RunProgress(plan).are_complete
        progress.settle(before=later + 1)
        assert RunProgress(plan).are_complete
