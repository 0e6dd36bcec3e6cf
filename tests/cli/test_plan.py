"""``choco plan``, and its estimates compared with measured runs."""

import json
from pathlib import Path

import pytest

import choco_pipeline
from choco_pipeline.api.run import RunningTime, running_time
from choco_pipeline.documents.record import write_record
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.sweep.run_plan import make_plan
from tests.cli.command import ROOT, choco

#: Half of the seconds of CPU of all processes of a run on two workers, or those on the clock of a quiet machine (docs/performance.md).
TOOK = {"config/config.yaml": 174, "config/sweeps/large.yaml": 245, "tests/workflow/tiny.yaml": 25}
SMALL = "run: t\nsweeps:\n  a: {ruleset: step-bar(k=k), parameters: {k: 1..5}, bound: 50, quantity: grundy}\n"


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(name, marks=() if name.startswith("tests/") else pytest.mark.full)
        for name in TOOK
    ],
)
def test_it_is_right_within_a_factor_of_two(config, monkeypatch):
    path = ROOT / config
    monkeypatch.chdir(path.parent if "tests" in config else ROOT)
    monkeypatch.setattr("choco_pipeline.api.run.RESULTS", Path("no-results"))
    plan = make_plan(Path(path.name if "tests" in config else config), Path("none"), write=False)
    assert TOOK[config] / 2 < running_time(plan, 2).seconds < 2 * TOOK[config]


def test_what_is_there_takes_no_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(SMALL)
    plan = make_plan(Path("c.yaml"), write=True)
    paths = Paths(RESULTS, plan["run"])
    whole = running_time(plan, 1)
    for shard in plan["shards"]:
        paths.manifest(shard).parent.mkdir(parents=True, exist_ok=True)
        paths.manifest(shard).touch()
    without_tables = running_time(plan, 1)
    assert Stage.BUILD in whole.stages
    assert without_tables.stages == {
        stage: seconds for stage, seconds in whole.stages.items() if stage is not Stage.BUILD
    }
    paths.found.touch()
    assert running_time(plan, 1) == RunningTime(1, {})


def test_a_result_of_another_order_is_made_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(SMALL + "claims: [claims.yaml]\n")
    Path("claims.yaml").write_text((ROOT / "config" / "claims" / "step2015.yaml").read_text())
    plan = make_plan(Path("c.yaml"), write=True)
    outcome = Paths(RESULTS, plan["run"]).outcome(Stage.CHECK, "a")
    whole = running_time(plan, 1).stages[Stage.CHECK]
    write_record(outcome, {"order": plan["jobs"]["check"]["a"]["order"], "verdicts": []})
    assert running_time(plan, 1).stages[Stage.CHECK] < whole
    write_record(outcome, {"order": "of another plan", "verdicts": []})
    assert running_time(plan, 1).stages[Stage.CHECK] == whole


def test_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(SMALL)
    one, two = (
        json.loads(choco("plan", "c.yaml", "--workers", n, "--json", cwd=tmp_path).stdout)
        for n in ("1", "2")
    )
    assert choco_pipeline.plan("c.yaml", workers=2) == two
    positions = sum(z // k + 1 for k in range(1, 6) for z in range(51))
    assert (one["total"]["tables"], one["total"]["positions"]) == (5, positions)
    assert all(
        found["expected"]["seconds"] > sum(found["expected"]["stages"].values()) > 0
        for found in (one, two)
    )
    assert one["expected"]["seconds"] >= two["expected"]["seconds"]
    Path("config/clusters").mkdir(parents=True)
    Path("config/clusters/big.yaml").write_text(
        "kind: slurm\nminutes: 5\ncores: 2\nmemory: 6 GiB\nmaximum: 3\n"
    )
    found = json.loads(choco("plan", "c.yaml", "--cluster", "big", "--json", cwd=tmp_path).stdout)
    assert (found["workers"], found["memory_per_worker"]) == (6, 3 << 30)
    printed = choco("plan", "c.yaml", "--cluster", "big", cwd=tmp_path).stdout
    assert "6 workers" in " ".join(printed.split())
