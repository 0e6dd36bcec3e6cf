"""A results folder that cannot be used is refused in one line."""

import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from choco_pipeline.api.lock import bring_to_now, results_lock
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


def refusal(folder, *options):
    done = choco("run", "c.yaml", *options, cwd=folder)
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
    assert refusal(folder).startswith(f"choco: {name}: ")
    assert os.path.lexists(place), "it is somebody's"


@pytest.mark.parametrize(
    "name", ["results/.run.lock", "results/t/log", ".snakemake"], ids=["folder", "log", "snakemake"]
)
def test_another_kind_of_file_is_named(folder, name):
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.mkdir() if name.endswith("lock") else place.write_text("mine")
    assert name in refusal(folder)


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
        assert name in refusal(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_disk_that_may_not_be_written_to_is_named(folder, options):
    with read_only(folder / "results"):
        assert refusal(folder, *options).endswith("(Read-only file system)")


def test_a_link_to_a_folder_is_as_good_as_the_folder(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    (folder / "results").symlink_to("elsewhere")
    monkeypatch.chdir(folder)
    with results_lock(Path("results")):
        plan = current_plan(Path("c.yaml"))
    assert read_record(folder / "elsewhere/t/plan.json") == plan


def test_files_from_the_future_become_of_one_age_and_others_stay(tmp_path):
    future, past = time.time() + 1e6, 1e9
    names = ("plan.json", "tables/a.done.json", "tables/old.done.json", "tables/a.zarr/c/0")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (past if "old" in name else future,) * 2)
    (tmp_path / "nowhere").symlink_to("nothing")
    assert bring_to_now(tmp_path) == 2
    plan, manifest, old, chunk = ((tmp_path / name).stat().st_mtime for name in names)
    assert plan == manifest <= time.time()
    assert (old, chunk) == (past, future)
    assert bring_to_now(tmp_path) == 0
