"""A supervised command ends with its parent and its own processes."""

import signal
import subprocess
import sys

import psutil
import pytest

from choco_pipeline.api.supervise import GRACE, Supervised
from tests.workflow.project import ROOT, wait_for

# A command that starts another process; with "deaf", both ignore the polite signal.
COMMAND = """
import signal, subprocess, sys, time
if sys.argv[1] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
time.sleep(100)
"""
PARENT = """
import os, sys, time
from choco_pipeline.api.supervise import Supervised
child = Supervised([sys.executable, "-c", *sys.argv[1:]], sys.stderr.buffer, os.environ)
print(child.pid, flush=True)
time.sleep(100)
"""


def family(pid):
    launcher = psutil.Process(pid)
    wait_for(lambda: len(launcher.children(recursive=True)) == 2, "the start of the command")
    return [launcher, *launcher.children(recursive=True)]


def are_gone(processes):
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


@pytest.mark.parametrize(
    ("manners", "seconds"),
    [("polite", 2.0), pytest.param("deaf", GRACE + 2.0, marks=pytest.mark.full)],
)
def test_the_command_ends_when_its_parent_is_killed(manners, seconds):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, COMMAND, manners],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        processes = family(int(parent.stdout.readline()))
        parent.kill()
        wait_for(lambda: are_gone(processes), "the end of the command", seconds)


def test_the_exit_code_is_the_commands(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        child = Supervised([sys.executable, "-c", "print('seen'); raise SystemExit(3)"], log, {})
        wait_for(lambda: child.poll() is not None, "the end of the command")
        assert child.poll() == 3
        child.close()
    assert (tmp_path / "log").read_text() == "seen\n"


def test_closing_ends_what_still_runs(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        child = Supervised([sys.executable, "-c", COMMAND, "polite"], log, {})
        processes = family(child.pid)
        child.close()
    wait_for(lambda: are_gone(processes), "the end of the command", 2)


@pytest.mark.parametrize("victim", ["the command", "the launcher"])
def test_what_a_killed_command_has_started_ends(tmp_path, victim):
    with (tmp_path / "log").open("wb") as log:
        child = Supervised([sys.executable, "-c", COMMAND, "deaf"], log, {})
        launcher, *others = processes = family(child.pid)
        (command,) = launcher.children()
        (command if victim == "the command" else launcher).kill()
        wait_for(lambda: child.poll() is not None, "the end of the launcher", 5)
        assert child.poll() == -signal.SIGKILL
        if victim == "the command":
            wait_for(lambda: are_gone(others), "the end of the others", 2)
        child.close()
    assert are_gone(processes)


def test_killing_ends_everything_at_once(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        child = Supervised([sys.executable, "-c", COMMAND, "deaf"], log, {})
        processes = family(child.pid)
        child.kill()
        assert are_gone(processes)
        child.close()
