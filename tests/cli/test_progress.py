"""What a run says of the time that is left, and of what is complete."""

import os
from pathlib import Path

from choco_pipeline.api.progress import RunProgress, StageProgress
from choco_pipeline.documents.record import write_record
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.sweep.run_plan import WITHOUT_TABLES, make_plan

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


def test_a_run_is_complete_if_every_result_is_of_its_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONFIG)
    plan, paths = make_plan(Path("c.yaml"), write=True), Paths(RESULTS, "t")
    for path in (*map(paths.manifest, plan["shards"]), paths.found):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    outcome = paths.outcome(Stage.MINE, WITHOUT_TABLES)
    for order in (plan["jobs"]["mine"][WITHOUT_TABLES]["order"], "of another plan"):
        assert not RunProgress(plan).are_complete
        write_record(outcome, {"order": order})
        assert RunProgress(plan).are_complete == (order != "of another plan")
        os.utime(paths.plan)
        assert RunProgress(plan).are_complete == (order != "of another plan")
        outcome.unlink()
