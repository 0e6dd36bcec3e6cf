"""Runs that are killed at random moments, or fill the disk."""

import json
import os
import random
import shutil
import subprocess
import sys

import pytest

from tests.workflow.kept import CONFIG, OPTIONS, Kept, Undisturbed, new_project, stored, stores
from tests.workflow.kills import KINDS, Victim
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return Undisturbed.by(tmp_path_factory.mktemp("undisturbed"), CONFIG)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 50])
def test_a_run_that_is_killed_again_and_again_makes_what_an_undisturbed_one_makes(
    tmp_path, undisturbed, seed, kills
):
    victim = Victim(tmp_path, undisturbed, random.Random(seed))
    try:
        for _ in range(kills):
            victim.kill(victim.chance.choice([*KINDS]))
        victim.require_done()
    finally:
        victim.end()
    assert len(victim.history) == kills


@pytest.fixture
def disk(tmp_path):
    """A project whose results lie on a disk of their own."""
    project = new_project(tmp_path)
    results = tmp_path / "results"
    results.mkdir()
    if os.geteuid() != 0:
        pytest.skip("a disk of its own needs root")
    command = ["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", str(results)]
    mounted = subprocess.run(command, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield project
    project.kill_all()
    wait_for(lambda: project.processes() == [], "the end of all processes", 30)
    subprocess.run(["umount", str(results)], check=True)


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_a_full_disk_is_said_in_one_line_and_loses_nothing(disk, undisturbed, seed, times):
    chance = random.Random(seed)
    results = disk.folder / "results"
    disk.choco("run", CONFIG, "--dry-run")  # the plan asks for room; then the room is taken away
    for _ in range(times):
        filler = results / "filler"
        left = undisturbed.bytes - stored(disk)
        room = chance.randrange(left // 10, left * 8 // 10)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(results).free - room)
        before = Kept.of(disk)
        done = subprocess.run(
            [sys.executable, "-m", "choco_pipeline", "run", CONFIG, *OPTIONS],
            cwd=disk.folder,
            env=disk.environment,
            capture_output=True,
            text=True,
        )
        filler.unlink()
        assert done.returncode in (1, 2), (room, done.stderr)
        assert "Traceback" not in done.stderr
        failures = json.loads(done.stdout).get("failures") or [json.loads(done.stdout)]
        for failure in failures:
            assert "bytes are free" in failure["error"], (room, failure)
            assert str(results) in failure["error"]
        before.require_all_in(Kept.of(disk), disk)
        assert disk.processes() == []
    before = Kept.of(disk)
    disk.choco("run", CONFIG, *OPTIONS)
    before.require_all_in(Kept.of(disk), disk)
    assert stores(disk) == undisturbed.stores
