"""About how long a run takes, as `choco plan` says it, beside what runs took on two idle cores."""

import json
from pathlib import Path

import pytest

from choco_pipeline.cli.running_time import RunningTime, running_time
from choco_pipeline.documents.record import write_record
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.run_files import RESULTS, Paths
from choco_pipeline.sweep.run_plan import make_plan
from tests.cli.command import ROOT, choco

#: Half of the seconds of CPU of all processes of a run on two workers, or those on the clock of a quiet machine (docs/performance.md).
TOOK = {"config/config.yaml": 319, "config/sweeps/large.yaml": 245, "tests/workflow/tiny.yaml": 25}
SMALL = "run: t\nsweeps:\n  a: {ruleset: step-bar(k=k), parameters: {k: 1..5}, bound: 50, quantity: grundy}\n"


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(name, marks=() if name.startswith("tests/") else pytest.mark.full)
        for name in TOOK
    ],
)
def test_it_is_right_within_a_factor_of_two(config, monkeypatch) -> None:
    path = ROOT / config
    monkeypatch.chdir(path.parent if "tests" in config else ROOT)
    monkeypatch.setattr("choco_pipeline.cli.running_time.RESULTS", Path("no-results"))
    plan = make_plan(Path(path.name if "tests" in config else config), Path("none"), write=False)
    assert TOOK[config] / 2 < running_time(plan, 2).seconds < 2 * TOOK[config]


def test_what_is_there_takes_no_time(tmp_path, monkeypatch) -> None:
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
    assert str(running_time(plan, 1)) == "everything is there already"


def test_a_result_of_another_order_is_made_again(tmp_path, monkeypatch) -> None:
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


def test_it_is_printed_for_all_workers_and_as_numbers(tmp_path) -> None:
    (tmp_path / "c.yaml").write_text(SMALL)
    printed = " ".join(choco("plan", "c.yaml", "--workers", "1", cwd=tmp_path).stdout.split())
    assert "The run: about " in printed
    assert " on 1 worker, if nothing else runs there (build " in printed
    expected = [
        json.loads(choco("plan", "c.yaml", "--workers", n, "--json", cwd=tmp_path).stdout)[
            "expected"
        ]
        for n in ("1", "2")
    ]
    assert all(one["seconds"] > sum(one["stages"].values()) > 0 for one in expected)
    assert expected[0]["seconds"] >= expected[1]["seconds"]
