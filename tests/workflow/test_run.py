"""Whole runs: results, reuse, and agreement with plain Snakemake."""

import base64
import json
import os
import re
import shutil

import pytest

from choco_pipeline import SolidBar
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.report.run_crate import faults_of_crate
from choco_pipeline.tables.shard import build_shard
from tests.tables.stores import order
from tests.workflow.project import Project

pytestmark = pytest.mark.full


def verdicts(project):
    found = []
    for path in (project.folder / "results/tiny/check").glob("*.json"):
        for verdict in project.json(f"tiny/check/{path.name}")["verdicts"]:
            found.append(json.dumps({**verdict, "seconds": None}, sort_keys=True))
    return sorted(found)


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def results_of(project):
    """Return the verdict on each claim."""
    return {row["claim"]: row["verdict"] for row in project.json("tiny/ledger.json")["rows"]}


REPORT = "results/tiny/report/index.html"
VERDICTS = {
    "tiny-thm-1": "holds-to-bound",
    "tiny-cor-2-printed": "refuted",
    "tiny-cor-2": "holds-to-bound",
    "tiny-conj-3": "unchecked",
    "tiny-conj-4": "undecided",
    "tiny-lemma-5": "holds-to-bound",
    "tiny-lemma-6": "refuted",
}


def test_a_run_ends_with_the_path_of_its_report(tiny):
    project, done = tiny
    assert done.stdout.endswith(f"\nreport: {REPORT}\n")
    assert max(map(len, done.stdout.splitlines())) <= 120
    assert (project.folder / REPORT).stat().st_size > 0
    assert "dashboard" not in done.stderr
    for progress in ("build 9/9", "check 10/10: done", "find 3/3: done"):
        assert progress in done.stderr
    assert "\r" not in done.stderr
    assert project.processes() == []
    assert not (project.folder / "results" / ".dask").exists()


def test_a_run_says_what_it_has_found_of_each_claim_before_the_report(tiny):
    project, done = tiny
    assert results_of(project) == VERDICTS
    # The summary names the open conjectures, with the place of a formula that has no value.
    assert "claims.yaml:37:5" in done.stdout
    assert "tiny Conjecture 3" in done.stdout
    ledger = project.json("tiny/ledger.json")
    assert [(p["kind"], p["right"]) for p in ledger["pairs"]] == [("misprint", "intended")]
    statements = [v for v in ledger["verdicts"] if v["table"] is None]
    assert [(v["claim"], v["parameters"], v["bound"]) for v in statements] == [
        ("tiny-lemma-5", {}, 12),
        ("tiny-lemma-6", {}, 12),
    ]


def test_height_functions_are_classified_by_a_job_of_their_own(tiny):
    project = tiny[0]
    plan, found = project.json("tiny/plan.json"), project.json("tiny/found.json")
    said = [s["text"] for s in found["statements"] if s["kind"] == "heights"]
    assert plan["jobs"]["mine"]["without_tables"]["amount"] == 3
    assert said == [s["text"] for s in project.json("tiny/mine/without_tables.json")["statements"]]
    assert any("of the 6 monotone f from {0..1}² to {0..1}, 2 have G" in text for text in said)


def test_a_terminal_shows_a_finished_run_in_colours_and_wraps_nothing(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    shown, code = project.on_a_terminal("run", "tiny.yaml").to_the_end()
    assert code == 0
    assert "\x1b[33m?" in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
    assert tiny[1].stdout in plain


def test_a_changed_statement_alone_is_checked_again(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    claims = project.folder / "claims.yaml"
    parts = project.folder / "results/tiny/parts"
    before = {path: path.stat().st_mtime_ns for path in parts.iterdir()}
    claims.write_text(claims.read_text().replace("x ^ y == x+y", "x | y <= x+y"))
    changed = project.run("tiny.yaml")
    # What is found names the claims that say the same.
    assert changed["jobs"] == {"check": 1, "find": 1, "ledger": 1, "pages": 1, "report": 1}
    assert changed["claims"] == {
        "refuted": 1,
        "undecided": 1,
        "unchecked": 1,
        "holds-to-bound": 4,
    }
    assert changed["ledger"] == "results/tiny/ledger.json"
    # The new part takes the place of one old part, and the rest is as it was.
    after = {path: path.stat().st_mtime_ns for path in parts.iterdir()}
    assert len(before.items() - after.items()) == len(after.items() - before.items()) == 1
    assert results_of(project) == VERDICTS | {"tiny-lemma-6": "holds-to-bound"}


def test_a_second_run_does_nothing_and_a_third_only_what_a_change_asks_for(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    again = project.run("tiny.yaml")
    assert (again["status"], again["reused"], again["recomputed"]) == ("nothing to do", 9, 0)
    assert again["report"] == REPORT

    config = project.folder / "tiny.yaml"
    config.write_text(config.read_text().replace("k: 3..5", "k: 3..6"))
    before = project.digests()
    changed = project.run("tiny.yaml")
    assert (changed["status"], changed["reused"], changed["recomputed"]) == ("done", 9, 1)
    assert changed["jobs"]["build"] == 1
    assert before.items() < project.digests().items()


def test_plain_snakemake_makes_the_same_tables_and_verdicts(tiny, project):
    config = project.folder / "tiny.yaml"
    # Each job loads everything anew, for seconds, and neither tables nor verdicts come of these.
    config.write_text(re.sub("^height_functions:.*\n", "", config.read_text(), flags=re.MULTILINE))
    project.snakemake("--cores", "2", "--config", "choco=tiny.yaml")
    assert project.digests() == tiny[0].digests()
    assert len(project.digests()) == 9
    assert verdicts(project) == verdicts(tiny[0]) != []
    # `choco run` takes the results of plain Snakemake as they are.
    assert project.run("tiny.yaml")["status"] == "nothing to do"


def test_plain_snakemake_makes_a_plan_of_another_version_anew(project):
    project.choco("write-plan", "tiny.yaml")
    plan = project.folder / "results/tiny/plan.json"
    sound = read_record(plan)
    write_record(plan, {**sound, "made_from": "another"})
    project.snakemake("--cores", "1", "--config", "choco=tiny.yaml", "--until", "plan")
    assert read_record(plan) == sound


def test_a_dry_run_says_what_would_run_and_runs_nothing(project):
    shown = project.run("tiny.yaml", "--dry-run")
    jobs = {
        "build": 2,
        "check": 3,
        "mine": 2,
        "find": 1,
        "ledger": 1,
        "pages": 1,
        "report": 1,
    }
    assert shown["jobs"] == jobs
    assert shown["work"] == {"build": 9, "check": 10, "mine": 6}
    folders = {name.split("/")[-2] for name in files(project.folder / "results")}
    assert folders == {"tiny", "shards", "check", "mine"}
    assert not (project.folder / "results/tiny/ledger.json").exists()


def test_statements_whose_code_has_changed_are_not_taken_for_done(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    name = base64.b64encode(b"results/tiny/found.json").decode()
    record = project.folder / ".snakemake/metadata" / name
    known = json.loads(record.read_text())
    record.write_text(json.dumps({**known, "params": ["code that is no more"]}))
    assert project.run("tiny.yaml", "--dry-run")["jobs"] == {"find": 1, "report": 1}


def test_snakemakes_report_holds_what_was_found_and_the_crate_says_so(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    project.snakemake("--config", "choco=tiny.yaml", "--report", "report.html")
    page = (tmp_path / "report.html").read_text()
    for name in ("index.html", "ledger.csv", "verdicts.csv", "found.html", "found.tex"):
        assert name in page
    assert list(faults_of_crate(tmp_path / "results/tiny/ro-crate")) == []


def test_a_failing_job_is_named_with_its_error_and_its_log(tiny, tmp_path):
    """The damaged files have an old date, so that only jobs look at them."""
    project = tiny[0].copy(tmp_path)
    (project.folder / "results/tiny/mine/triangles.json").unlink()
    shutil.rmtree(project.folder / "results/tiny/parts")
    for path in (project.folder / "results/tables").rglob("*"):
        if path.is_file() and "/c/" in path.as_posix():
            path.write_bytes(b"damaged")
            os.utime(path, (0, 0))
    failed = project.run("tiny.yaml", code=1)
    assert (failed["status"], failed["report"]) == ("failed", None)
    (failure,) = failed["failures"]
    assert failure["rule"] == "mine"
    assert failure["error"].startswith("choco: table ")
    assert failure["log"] == "results/tiny/log/mine/triangles.log"
    assert project.processes() == []


def test_a_mistake_in_the_configuration_and_a_missing_cluster_are_one_line(project):
    config = project.folder / "tiny.yaml"
    asked = ("run", "tiny.yaml", "--scheduler", "tcp://127.0.0.1:9")
    (line,) = project.choco(*asked, code=2).stderr.splitlines()
    assert line.startswith("choco: no Dask scheduler answers at tcp://127.0.0.1:9")
    config.write_text(config.read_text().replace("bound: 48", "bund: 48"))
    refused = project.choco("run", "tiny.yaml", code=2).stderr
    assert refused.startswith("choco: tiny.yaml:")
    assert "bund" in refused
    assert "Traceback" not in refused
    assert project.manifests() == {}


EXTENDED = """
run: extended
sweeps:
  columns: {ruleset: solid-bar(f=(x+z)//3), bound: 8192, quantity: p-positions, claims: none}
"""


def test_a_run_says_how_many_blocks_it_has_taken_from_a_smaller_table(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "larger.yaml").write_text(EXTENDED)
    spec, manifest = order(tmp_path / "results", SolidBar("(x+z)//3"), 4096, "p-positions")
    build_shard(spec, manifest, ignore)
    done = project.choco("run", "larger.yaml", "--json")
    (entry,) = (
        entry
        for one in project.manifests().values()
        for entry in one["tables"].values()
        if entry["bound"] == 8192
    )
    number, reused = entry["blocks"]["rows"] * entry["blocks"]["columns"], entry["blocks"]["reused"]
    assert 0 < reused < number
    assert json.loads(done.stdout)["blocks"] == {"all": number, "reused": reused}
