"""A single digit changed in what a run has written: it is named, made anew, and comes out nowhere."""

import json
import os
import re
import time
from pathlib import Path

import pytest

from choco_pipeline.documents.record import read_record
from choco_pipeline.stages import WORK, Stage
from choco_pipeline.sweep.paths import RESULTS, all_records
from tests.workflow.project import Project

pytestmark = pytest.mark.full


def change_a_number(record: Path) -> None:
    """Change the first number of a record, so that it stays a JSON document."""
    text = record.read_text()
    changed = re.sub(r": (\d)", lambda found: f": {(int(found[1]) + 1) % 10}", text, count=1)
    assert json.loads(changed) != json.loads(text)
    record.write_text(changed)


def without_seconds(value: object) -> object:
    """Return a part of a ledger without what differs from run to run."""
    if isinstance(value, dict):
        return {k: without_seconds(v) for k, v in value.items() if "seconds" not in k}
    return [without_seconds(one) for one in value] if isinstance(value, list) else value


def records(project: Project) -> list[Path]:
    results = project.folder / RESULTS
    return [*all_records(results), *sorted((results / "tables").glob("*.done.json"))]


def test_what_is_damaged_is_named_and_made_anew(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    ledger = without_seconds(project.json("tiny/ledger.json")["rows"])
    folder = project.folder / RESULTS
    kinds = {path.parent.relative_to(folder).as_posix(): path for path in records(project)}
    kinds |= {path.name: path for path in records(project) if path.parent.name == "tiny"}
    words = {work.name for work in WORK.values() if work.stage != Stage.PROVE}
    assert kinds.keys() >= {"shards", "tables", "found.json", "ledger.json"}
    assert kinds.keys() >= {f"tiny/{word}" for word in words}
    assert kinds.keys() >= {f"tiny/orders/{word}" for word in words}
    del kinds["plan.json"]  # with which the rest is written anew before it is looked at
    for path in set(kinds.values()):
        change_a_number(path)
    names = {path.relative_to(project.folder).as_posix() for path in kinds.values()}

    verified = project.choco("verify", code=1)
    said = {line.split(": ")[1] for line in verified.stderr.splitlines() if "damaged" in line}
    assert said == names
    assert f"{len(names)} are damaged" in verified.stdout

    done = project.choco("run", "tiny.yaml")
    said = {line.split(": ")[0] for line in done.stderr.splitlines() if ": damaged: " in line}
    assert said == names
    assert without_seconds(project.json("tiny/ledger.json")["rows"]) == ledger
    for path in records(project):
        read_record(path)
    project.choco("verify")
    # No cluster is started, either: a work order that was written anew, as it was, is no younger than what came of it.
    again = project.choco("run", "tiny.yaml")
    assert again.stderr == "nothing to do: everything is up to date\n"


def test_a_report_of_which_a_part_is_missing_is_made_again_also_if_the_clock_was_set_back(
    tiny, tmp_path
):
    """As it was left where a worker wrote its first page after Snakemake had been interrupted, and had taken the report away.

    Of a report that is older than its ledger Snakemake says that the clocks are wrong, and takes it away.
    """
    project = tiny[0].copy(tmp_path)
    parts = [
        project.folder / "results/tiny/report" / name for name in ("report.json", "found/found.md")
    ]
    for part in parts:
        part.unlink()
    tomorrow = time.time() + 86_400
    for path in (project.folder / RESULTS).rglob("*"):
        os.utime(path, (tomorrow, tomorrow), follow_symlinks=False)
    assert project.run("tiny.yaml")["jobs"] == {"report": 1}
    assert all(part.is_file() for part in parts)


@pytest.mark.parametrize(
    ("rule", "name"), [("ledger", "check"), ("find", "mine"), ("find", "mine_heights")]
)
def test_a_rule_refuses_what_is_damaged(tiny, tmp_path, rule, name):
    """Plain Snakemake looks at nothing before it starts, so that the rule itself must."""
    project = tiny[0].copy(tmp_path)
    change_a_number(path := next((project.folder / "results/tiny" / name).iterdir()))
    refused = project.choco(rule, "results/tiny/plan.json", "--out", "out.json", code=2)
    shown = path.relative_to(project.folder).as_posix()
    assert refused.stderr.splitlines()[-1].startswith(f"choco: {shown}: damaged: its content")
    assert not (project.folder / "out.json").exists()
