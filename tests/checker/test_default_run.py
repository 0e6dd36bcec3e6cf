"""The checker decides every certificate that the default run writes, of games, of claims and of statements on integers."""

from pathlib import Path

import pytest

from choco_pipeline.proof import task
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.run_files import Paths, outcomes
from choco_pipeline.sweep.run_plan import make_plan


@pytest.mark.slow
def test_the_checker_agrees_on_all_that_the_default_run_proves(tmp_path, monkeypatch):
    monkeypatch.setattr(task, "CHECKER_SECONDS", 120.0)
    plan = make_plan(Path("config/config.yaml"), tmp_path / "results", write=True)
    paths = Paths(tmp_path / "results", plan["run"])
    for sweep in plan["jobs"][Stage.PROVE]:
        run_job(paths.plan, Stage.PROVE, sweep)
    said = []
    for outcome in outcomes(plan, paths, Stage.PROVE):
        said += [one for one in outcome.get("proofs", []) if one["status"] == "proved"]
        proved = (v for v in outcome["verdicts"] if v["verdict"] == "proved")
        said += [verdict["evidence"] for verdict in proved]
    assert len(said) > 1000
    silent = [one["no_answer"]["checker"] for one in said if "checker" not in one["engines"]]
    assert silent == []
