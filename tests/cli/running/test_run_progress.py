"""What a run says of the time that is left."""

from choco_pipeline.cli.running.run_progress import StageProgress
from choco_pipeline.stages import Stage


def test_how_long_it_takes_is_said_only_if_enough_is_done_to_tell():
    stage = StageProgress(Stage.BUILD, 4, total_positions=10_000)
    stage.seconds, stage.positions = 60.0, 1
    assert stage.seconds_left is None
    stage.positions = 1_000
    assert stage.seconds_left == 540
