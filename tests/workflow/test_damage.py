"""A changed digit in a run's results is named and repaired."""

import json
import os
import re
import time

import pytest

from choco_pipeline.documents.record import read_record
from choco_pipeline.sweep.run_files import RESULTS, all_records
from tests.workflow.kept import STAGES, new_project, said, without_seconds

pytestmark = pytest.mark.full


def change_a_number(record):
    """Change the first number of a record, so that it stays a JSON document."""
    text = record.read_text()
    changed = re.sub(
        r': ("?)(\d)', lambda found: f": {found[1]}{(int(found[2]) + 1) % 10}", text, count=1
    )
    assert json.loads(changed) != json.loads(text)
    record.write_text(changed)


def records(project):
    results = project.folder / RESULTS
    return [*all_records(results), *sorted((results / "tables").glob("*.done.json"))]


@pytest.mark.slow
def test_what_is_damaged_is_named_and_made_anew(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    ledger = without_seconds(project.json("tiny/ledger.json")["rows"])
    folder = project.folder / RESULTS
    kinds = {path.parent.relative_to(folder).as_posix(): path for path in records(project)}
    kinds |= {path.name: path for path in records(project) if path.parent.name == "tiny"}
    assert kinds.keys() >= {"shards", "tables", "found.json", "ledger.json", "tiny/parts"}
    assert kinds.keys() >= {f"tiny/{stage}" for stage in ("build", "check", "mine")}
    assert kinds.keys() >= {f"tiny/orders/{stage}" for stage in ("check", "mine")}
    del kinds["plan.json"]  # with which the rest is written anew before it is looked at
    for path in set(kinds.values()):
        change_a_number(path)
    names = {path.relative_to(project.folder).as_posix() for path in kinds.values()}

    verified = project.choco("verify", code=1)
    said = {line.split(": ")[1] for line in verified.stderr.splitlines() if "damaged" in line}
    assert said == names

    done = project.choco("run", "tiny.yaml")
    said = {line.split(": ")[0] for line in done.stderr.splitlines() if ": damaged: " in line}
    assert said == names
    assert without_seconds(project.json("tiny/ledger.json")["rows"]) == ledger
    for path in records(project):
        read_record(path)
    project.choco("verify")
    # An order that was written anew has the same digest.
    assert project.run("tiny.yaml")["status"] == "nothing to do"


def test_a_report_of_which_a_part_is_missing_is_made_again_also_if_the_clock_was_set_back(
    tiny, tmp_path
):
    """As a worker leaves it after Snakemake was interrupted.

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
    assert project.run("tiny.yaml")["jobs"] == {"pages": 1, "report": 1}
    assert all(part.is_file() for part in parts)


@pytest.mark.parametrize(
    ("rule", "name"),
    [("ledger", "check/triangles"), ("find", "mine/without_tables")],
)
def test_a_rule_refuses_what_is_damaged(tiny, tmp_path, rule, name):
    project = tiny[0].copy(tmp_path)
    change_a_number(path := project.folder / f"results/tiny/{name}.json")
    refused = project.choco(rule, "results/tiny/plan.json", "--out", "out.json", code=2)
    shown = path.relative_to(project.folder).as_posix()
    assert refused.stderr.splitlines()[-1].startswith(f"choco: {shown}: damaged: ")
    assert not (project.folder / "out.json").exists()


#: A claim for all parameters, so that there is the certificate of a family.
FAMILY = """\
  - id: tiny-thm-7
    number: Theorem 7
    status: theorem
    words: For k = 4m+3 the P-positions of triangular bars are those of nim-sum 0.
    ruleset: solid-bar(f=(x+z)//k)
    when: k % 4 == 3
    for_all: k % 4 == 3
    statement: P <=> x ^ y ^ z == 0
"""
#: Files that are damaged together: where one is made again, no other one is made again beside it for another reason.
TOGETHER = {
    "tables": r"\.zarr/",
    "certificates": r"^certificates/(?!outcomes)",
    "pages": r"^stages/.*report/(claims|families|explore)|^stages/ro-crate/(?!ro-crate-metadata)",
    "ledger": r"^stages/ledger.json",
    "documents": r"^(?!tables/.*zarr|certificates|stages/(ledger.json|log|.*report/|ro-crate))",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a project with a finished run that has every kind of stage."""
    project = new_project(tmp_path_factory.mktemp("finished"))
    claims = project.folder / "claims.yaml"
    claims.write_text(claims.read_text() + FAMILY)
    project.run(STAGES)
    return project


def files_of(project):
    """Return the files of all runs, except logs, by their names."""
    results = project.folder / RESULTS
    paths = {path.relative_to(results).as_posix(): path for path in results.rglob("*")}
    return {
        name: path.read_bytes()
        for name, path in paths.items()
        if path.is_file() and "/log/" not in name and not name.startswith(".")
    }


@pytest.mark.parametrize("removed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "group",
    [
        "tables",
        "documents",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("certificates", "pages", "ledger")
        ),
    ],
)
def test_every_kind_of_file_of_a_finished_run_is_made_again(finished, tmp_path, group, removed):
    """Every other kind is removed, the rest has one bit flipped."""
    project = finished.copy(tmp_path)
    before = files_of(project)
    names = [name for name in before if re.search(TOGETHER[group], name)]
    kinds = {re.sub(r"[0-9a-f]{8,}|tiny-[^/]*|case-.*", "#", name): name for name in names}
    assert kinds
    damaged = {}
    for i, name in enumerate(kinds.values()):
        path, content = project.folder / RESULTS / name, before[name]
        path.unlink()
        if i % 2 != removed:
            middle = len(content) // 2
            damaged[name] = bytes([*content[:middle], content[middle] ^ 1, *content[middle + 1 :]])
            path.write_bytes(damaged[name])
    project.choco("run", STAGES)
    after = files_of(project)
    cached = {
        name for name in before if re.match(r"verdicts/|certificates/outcomes/|stages/parts/", name)
    }
    assert before.keys() - cached <= after.keys() <= before.keys()
    assert [name for name in damaged if after.get(name) == damaged[name]] == []
    assert {name: one for name, one in said(project).items() if name not in cached} == {
        name: one for name, one in said(finished).items() if name not in cached
    }
    assert project.run(STAGES)["status"] == "nothing to do"
