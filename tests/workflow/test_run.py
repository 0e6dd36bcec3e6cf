"""Whole runs: what is made, what is kept, what is recomputed, and that Dask and plain Snakemake agree."""

import json
from pathlib import Path

import pytest

from tests.workflow.project import Project


def digests(project: Project) -> dict[str, str]:
    return {
        table: entry["digest"]
        for document in project.manifests().values()
        for table, entry in document["tables"].items()
    }


def verdicts(project: Project) -> list[str]:
    found = []
    for path in (project.folder / "results/tiny/verdicts").iterdir():
        for verdict in project.json(f"tiny/verdicts/{path.name}")["verdicts"]:
            found.append(json.dumps({**verdict, "seconds": None}, sort_keys=True))
    return sorted(found)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


REPORT = "results/tiny/report/index.html"


def test_a_run_ends_with_the_path_of_its_report(tiny):
    project, done = tiny
    assert done.stdout == f"report: {REPORT}\n"
    assert (project.folder / REPORT).stat().st_size > 0
    assert "Dask dashboard: http://127.0.0.1:" in done.stderr
    assert "tables 9/9" in done.stderr
    assert "\r" not in done.stderr
    assert project.processes() == []
    assert not (project.folder / "results" / ".dask").exists()


def test_a_second_run_does_nothing_and_a_third_only_what_a_change_asks_for(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    again = project.run("tiny.yaml")
    assert (again["status"], again["reused"], again["recomputed"]) == ("nothing to do", 9, 0)
    assert again["report"] == REPORT

    config = project.folder / "tiny.yaml"
    config.write_text(config.read_text().replace("k: 3..5", "k: 3..6"))
    before = digests(project)
    changed = project.run("tiny.yaml")
    assert (changed["status"], changed["reused"], changed["recomputed"]) == ("done", 9, 1)
    assert changed["jobs"]["build"] == 1
    assert before.items() < digests(project).items()


def test_plain_snakemake_makes_the_same_tables_and_verdicts(tiny, project):
    project.snakemake("--cores", "2", "--config", "choco=tiny.yaml")
    assert digests(project) == digests(tiny[0])
    assert len(digests(project)) == 9
    assert verdicts(project) == verdicts(tiny[0]) != []
    # What plain Snakemake has made, choco run takes as it is.
    assert project.run("tiny.yaml")["status"] == "nothing to do"


def test_a_dry_run_says_what_would_run_and_runs_nothing(project):
    shown = project.run("tiny.yaml", "--dry-run")
    assert shown["jobs"] == {"build": 1, "check": 1, "mine": 1, "ledger": 1, "report": 1}
    assert shown["work"]["build"] == 9
    assert shown["work"]["mine"] == 3
    folders = {name.split("/")[-2] for name in files(project.folder / "results")}
    assert folders == {"tiny", "shards", "checks", "mines"}
    assert not (project.folder / "results/tiny/ledger.json").exists()
    assert "build: 1 job, 9 tables" in project.choco("run", "tiny.yaml", "-n").stdout


def test_a_failing_job_is_named_with_its_error_and_its_log(tiny, tmp_path):
    project = tiny[0].copy(tmp_path)
    (findings,) = (project.folder / "results/tiny/mining").iterdir()
    findings.unlink()
    for path in (project.folder / "results/tables").rglob("c/*"):
        if path.is_file():
            path.write_bytes(b"damaged")
        for chunk in path.rglob("*"):
            if chunk.is_file():
                chunk.write_bytes(b"damaged")
    failed = project.run("tiny.yaml", code=1)
    assert (failed["status"], failed["report"]) == ("failed", None)
    (failure,) = failed["failures"]
    assert failure["rule"] == "mine"
    assert failure["error"].startswith("choco: table ")
    assert failure["log"] == f"results/tiny/log/mine/{findings.stem}.log"
    assert project.processes() == []


@pytest.mark.parametrize("option", [(), ("--dry-run",)])
def test_a_mistake_in_the_configuration_is_one_line(project, option):
    config = project.folder / "tiny.yaml"
    config.write_text(config.read_text().replace("bound: 48", "bund: 48"))
    refused = project.choco("run", "tiny.yaml", *option, code=2)
    assert refused.stderr.startswith("choco: tiny.yaml:")
    assert "bund" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert project.manifests() == {}


def test_no_cluster_at_the_address(project):
    refused = project.choco("run", "tiny.yaml", "--scheduler", "tcp://127.0.0.1:9", code=2)
    assert refused.stderr.startswith("choco: no Dask scheduler answers at tcp://127.0.0.1:9")
    assert len(refused.stderr.splitlines()) == 1
