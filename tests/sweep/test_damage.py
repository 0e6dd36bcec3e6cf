"""Damaged records are removed before a run, and made again."""

from pathlib import Path

import pytest

from choco_pipeline.documents.files import write_text
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.sweep.damage import damaged, plan_without_damage
from choco_pipeline.sweep.run_files import all_records, write_file_list
from tests.sweep.planned import orders

CONFIG = """
run: t
sweeps:
  a: {ruleset: "solid-bar(f=(x+z)//k)", parameters: {k: 2..3}, bound: 20, quantity: grundy, mine: [formulas]}
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CONFIG)
    return Path("c.yaml")


def plan_of(config):
    said = []
    return plan_without_damage(config, capacity=None, say=said.append), said


def test_nothing_is_said_of_a_sound_run(config):
    plan, said = plan_of(config)
    assert said == []
    written = {path: path.stat().st_mtime_ns for path in all_records(Path("results"))}
    assert {path.parent.name for path in written} == {"shards", "t", "mine"}
    assert plan_of(config) == (plan, [])
    assert {path: path.stat().st_mtime_ns for path in written} == written


@pytest.mark.parametrize("kind", ["shards", "t", "mine"])
def test_a_damaged_record_of_the_plan_is_named_and_written_anew(config, kind):
    plan, _ = plan_of(config)
    (path,) = [path for path in all_records(Path("results")) if path.parent.name == kind]
    sound = path.read_text()
    path.write_text(sound.replace("a", "b", 1))
    ((found, why),) = damaged(all_records(Path("results")))
    assert found == path
    assert plan_of(config) == (plan, [why])
    assert why.startswith(f"{path}: damaged: ")
    assert path.read_text() == sound


def test_a_damaged_result_is_named_and_removed_and_a_file_of_somebody_else_is_not(config):
    (shard,) = plan_of(config)[0]["shards"]
    results = [Path(f"results/tables/{shard}.done.json"), Path("results/t/mine/a.json")]
    results.append(Path("results/tables/old.partial.jsonl"))  # of an earlier version
    other = [Path("results/tables/other.done.json"), Path("results/other/mine/a.json")]
    for path in [*results, *other]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"verdicts": []}')
    _, said = plan_of(config)
    assert sorted(line.split(": ")[0] for line in said) == sorted(map(str, results))
    assert not any(path.exists() for path in results)
    assert all(path.exists() for path in other)


@pytest.mark.parametrize("killed", ["prove/a.json", "found.json"])
def test_a_killed_proof_is_no_answer(config, killed):
    config.write_text(CONFIG.replace("mine: [formulas]", "prove: [p]"))
    plan, _ = plan_of(config)
    killed = Path("results/t") / killed
    done = {"order": plan["jobs"]["prove"]["a"]["order"], "verdicts": []}
    write_record(killed, {**done, "killed": True})
    assert plan_of(config) == (plan, [f"{killed}: a proof was killed; it is searched for again"])
    assert not killed.exists()
    write_record(killed, {**done, "killed": False})
    assert plan_of(config) == (plan, [])
    assert killed.exists()


def test_results_of_another_plan_are_removed(config):
    plan, _ = plan_of(config)
    order = plan["jobs"]["mine"]["a"]["order"]
    files = {Path(f"results/t/mine/{sweep}.json"): sweep == "a" for sweep in ("a", "b")}
    for path in files:
        write_record(path, {"order": order, "findings": []})
    assert plan_of(config) == (plan, [])
    assert {path: path.exists() for path in files} == files
    config.write_text(CONFIG.replace("2..3", "2..4"))
    plan_of(config)
    assert not any(path.exists() for path in files)


def test_a_plan_without_an_order_is_made_anew(config):
    plan, _ = plan_of(config)
    before = orders("mine")
    Path("results/t/orders/mine/a.json").unlink()
    assert plan_of(config) == (plan, [])
    assert orders("mine") == before
    write_record(Path("results/t/orders/mine/a.json"), {"parts": []})
    assert plan_of(config) == (plan, [])
    assert orders("mine") == before


def test_a_list_of_files_has_no_unfinished_file(tmp_path):
    report = tmp_path / "report"
    write_text(report / "claims" / "a.html", "a")
    unfinished = report / "claims" / ".b.html.4711.partial"
    unfinished.touch()
    write_file_list(report)
    listed = read_record(tmp_path / "report-files.json")["files"]
    assert [entry["path"] for entry in listed] == ["report/claims/a.html"]
    assert not unfinished.exists()
