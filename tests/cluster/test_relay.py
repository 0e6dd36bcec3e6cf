"""Tasks that a run takes from its jobs: answers, errors, and lost ends."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.api.workers import WITH_KERNELS, priority_of
from choco_pipeline.cli.jobs import run_job_command
from choco_pipeline.cluster.connect import (
    SCHEDULER,
    SOCKET,
    ClusterError,
    GivenUpError,
    Relay,
    RelayedError,
    call,
    call_each,
    ignore,
    resolve,
)
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.sweep.run_plan import make_plan
from tests.workflow.project import ROOT, wait_for

TARGETS = "tests.cluster.targets"


class Run:
    """A run's end; tasks with ``wait`` in their names last until the job is gone."""

    def __init__(self, folder):
        self.begun: list[str] = []
        self.given_up: list[str] = []
        self.relay = Relay(folder)
        self.relay.serve(self.run_all)

    def run_all(self, target, arguments, is_gone):
        """Run tasks."""
        self.begun.append(target)
        while "wait" in target:
            if is_gone():
                self.given_up.append(target)
                raise GivenUpError
            time.sleep(0.02)
        return [resolve(target)(*each, ignore) for each in arguments]


@pytest.fixture
def run(tmp_path, monkeypatch):
    # The path of a socket is at most a hundred bytes, so that it is a relative one, as in runs.
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv(SCHEDULER, "scheduler.json")
    run = Run(Path())
    yield run
    run.relay.close()


def job(code):
    """Start a process as the rules do."""
    code = f"from choco_pipeline.cluster.connect import call\n{code}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE, text=True
    )


def test_a_job_gets_what_its_task_returns_and_imports_no_cluster(run):
    code = (
        "import sys\n"
        f"sys.exit(str([call('{TARGETS}:double', 21)['double'],"
        " [name for name in ('distributed', 'dask', 'numpy') if name in sys.modules]]))"
    )
    assert job(code).communicate()[1].strip() == "[42, []]"
    assert run.begun == [f"{TARGETS}:double"]


def test_jobs_at_the_same_time_get_their_own_answers(run):
    found: dict[int, int] = {}

    def ask(number):
        found[number] = call(f"{TARGETS}:double", number)["double"]

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: 2 * n for n in range(40)}
    run.begun.clear()
    answers = call_each(f"{TARGETS}:double", [(n,) for n in range(5)])
    assert [answer["double"] for answer in answers] == [0, 2, 4, 6, 8]
    assert call_each(f"{TARGETS}:double", []) == []
    assert run.begun == [f"{TARGETS}:double"], "one question for all, none for none"


def test_a_job_that_asks_before_the_run_listens_is_answered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(SCHEDULER, "scheduler.json")
    relay = Relay(Path())
    waiting = job(f"assert call('{TARGETS}:double', 1)['double'] == 2")
    time.sleep(1)
    assert waiting.poll() is None
    relay.serve(lambda target, arguments, is_gone: [resolve(target)(*arguments[0], ignore)])
    assert waiting.communicate()[1] == ""
    assert waiting.returncode == 0
    relay.close()


def test_errors_arrive_as_what_they_are(run):
    with pytest.raises(ChocoError, match=r"^this is not possible:\nbecause$"):
        call(f"{TARGETS}:refuse", "this")
    with pytest.raises(DisagreementError) as two:
        call(f"{TARGETS}:contradict", "one and another")
    assert two.value.args == ("one and another",)
    with pytest.raises(RelayedError, match=r"(?s)targets.py.*ZeroDivisionError: in the target"):
        call(f"{TARGETS}:fail")


def test_a_task_is_given_up_when_its_job_has_gone(run):
    waiting = job(f"call('{TARGETS}:wait_long', 'started')")
    wait_for(lambda: run.begun, "the question")
    waiting.kill()
    waiting.communicate()
    wait_for(lambda: run.given_up, "the end of the task")
    assert call(f"{TARGETS}:double", 4)["double"] == 8


def test_half_a_question_is_none(run, monkeypatch):
    """As of a job that was killed while it asked."""
    unhandled: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unhandled.append)
    for asked in (b"", b'["target'):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(SOCKET)
            connection.sendall(asked)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b"", "it was answered"
    assert call(f"{TARGETS}:double", 4)["double"] == 8
    assert (run.begun, unhandled) == ([f"{TARGETS}:double"], [])
    with pytest.raises(FileNotFoundError):
        Relay(Path("missing"))


def test_a_run_that_goes_away_ends_its_jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = (
        "import time; from pathlib import Path; from choco_pipeline.cluster.connect import Relay\n"
        "relay = Relay(Path())\n"
        "relay.serve(lambda *_: (Path('begun').touch(), time.sleep(600)))\n"
        "time.sleep(600)"
    )
    monkeypatch.setenv(SCHEDULER, "scheduler.json")
    owner = job(code)
    wait_for(Path(SOCKET).exists, "the socket")
    waiting = job(f"call('{TARGETS}:double', 1)")
    wait_for(Path("begun").exists, "the question")
    owner.kill()
    owner.communicate()
    error = waiting.communicate()[1]
    assert "the run ended before the tasks were done" in error.splitlines()[-1]
    # What it has left is no run: the scheduler's own file is asked for, which is not there either.
    Path("scheduler.json").write_text("{}")
    with pytest.raises(ClusterError, match="not a Dask scheduler file"):
        call(f"{TARGETS}:double", 1)


PLAN = """
run: t
sweeps:
  a: {ruleset: "step-bar(k=2)", bound: 9, quantity: grundy, mine: [formulas], prove: [p]}
"""


def test_tasks_of_jobs_wait_for_kernels_and_come_in_the_order_of_their_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(PLAN)
    plan = make_plan(Path("c.yaml"), write=True)
    monkeypatch.setenv(SCHEDULER, "scheduler.json")
    asked: list[tuple[str, Any]] = []

    def refuse(target, arguments, *_):
        asked.append((target, arguments))
        raise ChocoError("asked")

    relay = Relay(Path())
    relay.serve(refuse)
    file = f"results/{plan['run']}/plan.json"
    for words in (
        ["job", "prove", file, "a"],
        ["job", "mine", file, "a"],
        ["job", "build", file, "a"],
        ["ledger", file, "--out", "out.json"],
        ["report", file, "--out", "out.json"],
    ):
        with pytest.raises(ChocoError, match=r"^asked$"):
            run_job_command(words)
    relay.close()
    with_kernels = [target.startswith(WITH_KERNELS) for target, _ in asked]
    assert with_kernels == [False, False, True, False, False]
    priorities = [priority_of(target, arguments[0]) for target, arguments in asked]
    assert priorities[3] == priorities[4]
    assert sorted(set(priorities)) == priorities[:4]
