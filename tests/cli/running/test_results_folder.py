"""A results folder that cannot be used is said in one line before anything runs; a link to one is as good as a folder."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from choco_pipeline.cli.running.lock import results_lock
from choco_pipeline.documents.record import read_record
from choco_pipeline.sweep.run_plan import current_plan
from tests.cli.command import choco

CONFIG = """
run: t
sweeps:
  a: {ruleset: "solid-bar(f=(x+z)//3)", bound: 8, quantity: grundy}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "c.yaml").write_text(CONFIG)
    return tmp_path


def refusal(folder, *command):
    done = choco(*command, cwd=folder)
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("name", ["results", "results/tables", "results/shards"])
@pytest.mark.parametrize("kind", ["file", "link that leads nowhere"])
def test_what_stands_where_a_folder_belongs_is_named(folder, name, kind):
    place = folder / name
    place.parent.mkdir(exist_ok=True)
    if kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(folder / "nowhere")
    assert refusal(folder, "run", "c.yaml") == f"choco: {name}: no folder, and one is needed there"
    assert os.path.lexists(place), "it is somebody's"


def test_a_folder_where_a_file_belongs_is_named(folder):
    (folder / "results/.run.lock").mkdir(parents=True)
    line = refusal(folder, "run", "c.yaml")
    assert line == f"choco: {folder}/results/.run.lock: cannot be used (Is a directory)"


def test_a_file_in_the_place_of_the_folder_of_logs_is_named(folder):
    (folder / "results/t").mkdir(parents=True)
    (folder / "results/t/log").write_text("mine")
    assert refusal(folder, "run", "c.yaml") == "choco: results/t/log: cannot be used (File exists)"


def test_a_file_in_the_place_of_snakemakes_folder_is_named(folder):
    (folder / ".snakemake").write_text("mine")
    line = refusal(folder, "run", "c.yaml")
    assert line == "choco: .snakemake: no folder, and Snakemake needs one there"


@contextmanager
def read_only(place):
    place.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("name", [".snakemake", ".snakemake/incomplete"])
def test_a_folder_of_snakemakes_that_may_not_be_written_to_is_named(folder, name):
    with read_only(folder / name):
        line = refusal(folder, "run", "c.yaml")
    assert line == f"choco: {name}: Snakemake cannot write there; it belongs to user 0"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("command", [("run", "c.yaml"), ("run", "c.yaml", "--dry-run")])
def test_a_disk_that_may_not_be_written_to_is_named(folder, command):
    results = folder / "results"
    with read_only(results):
        line = refusal(folder, *command)
    assert line.startswith(("choco: results", f"choco: {results}"))
    assert line.endswith("(Read-only file system)")


def test_a_link_to_a_folder_is_as_good_as_the_folder(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    (folder / "results").symlink_to("elsewhere")
    monkeypatch.chdir(folder)
    with results_lock(Path("results"), unlock=lambda: None):
        plan = current_plan(Path("c.yaml"))
    assert read_record(folder / "elsewhere/t/plan.json") == plan
