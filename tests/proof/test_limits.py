"""Functions in a child process: what breaks a limit is ended with all that it has started, and the next call is answered."""

import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest

from choco_pipeline.cluster.connect import PROCESS
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof import limits
from choco_pipeline.proof.clock import computed
from choco_pipeline.proof.limits import FailedError, Limited, OverLimitError, limited
from choco_pipeline.proof.proof_errors import UndecidedError
from tests.proof import limited as limited_functions

HERE = "tests.proof.limited"


@pytest.fixture
def child(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    with Limited(f"{HERE}:prepare") as child:
        yield child


def call(child, name, *arguments, seconds=60.0, memory=4.0):
    limits = {"what": "the proof", "seconds": seconds, "memory": memory}
    return child.call(getattr(limited_functions, name), *arguments, **limits)


def is_gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_until_gone(pid):
    while not is_gone(pid):
        time.sleep(0.05)


def test_one_child_answers_all_calls(child):
    numbers = [call(child, "pid") for _ in range(3)]
    assert len(set(numbers)) == 1
    assert numbers[0] != os.getpid()
    assert call(child, "echo", [1, {"ä": None}], "\n") == [[1, {"ä": None}], "\n"]
    assert call(child, "echo", "x" * 300_000, 0) == ["x" * 300_000, 0], "more than a pipe holds"
    assert call(child, "says_something") == "answered"


@pytest.mark.parametrize("how", ["sleep", "spin", pytest.param("multiply", marks=pytest.mark.full)])
def test_time_is_limited_inside_of_one_long_step(child, how, monkeypatch):
    if how == "sleep":  # which is no computing: the clock ends it
        monkeypatch.setattr(limits, "MOST_CROWDED", 1.0)
    pid = call(child, "pid")
    with pytest.raises(OverLimitError, match=r"^the proof took more than 0.5 seconds$"):
        call(child, how, seconds=0.5)
    assert is_gone(pid)
    assert call(child, "pid") != pid, "another child answers"


def test_time_in_which_others_compute_does_not_count(child):
    """A child that is stopped stands for one that other processes leave no core."""
    stopped = psutil.Process(call(child, "pid"))

    def stop_for_a_while():
        stopped.suspend()
        time.sleep(3.0)  # on the clock longer than the limit and its grace together
        stopped.resume()

    others = threading.Thread(target=stop_for_a_while)
    others.start()
    assert call(child, "compute_while_stopped", 0.2, seconds=0.5) == "answered"
    others.join()


def test_memory_is_limited_and_children_count(child):
    call(child, "fill", 100)
    with pytest.raises(OverLimitError, match=r"^the proof took more than 0.5 GiB of memory$"):
        call(child, "fill", 900, memory=0.5)
    with pytest.raises(OverLimitError, match="memory"):
        call(child, "fill_in_a_child", 900, memory=0.5)


def test_what_the_child_has_started_ends_with_it(child, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_CROWDED", 1.0)
    file = tmp_path / "pid"
    with pytest.raises(OverLimitError):
        call(child, "start_and_wait", str(file), seconds=1.0)
    wait_until_gone(int(file.read_text()))


def test_what_is_raised_arrives(child):
    with pytest.raises(ChocoError, match=r"^a mistake in what was given$"):
        call(child, "mistake")
    with pytest.raises(FailedError, match=r"^KeyError: 'given nothing'$"):
        call(child, "failure")
    with pytest.raises(OverLimitError, match=r"^the proof took more memory than there is$"):
        call(child, "allocate")
    with pytest.raises(DisagreementError) as caught:
        call(child, "contradict", "right by one, wrong by another")
    assert caught.value.args == ("right by one, wrong by another",), "the advice stands there once"
    with pytest.raises(FailedError, match="exit code 3"):
        call(child, "leave")
    with pytest.raises(UndecidedError, match=r"killed \(SIGKILL\); is there too little memory"):
        call(child, "die")
    assert child.was_killed
    assert call(child, "echo", 1, 2) == [1, 2]


def test_a_child_that_is_killed_once_is_asked_again(child, tmp_path):
    """What it was asked may be decided all the same; twice is said."""
    marker = tmp_path / "first"
    assert call(child, "die_once", str(marker)) == "alive"
    assert not child.was_killed
    assert marker.is_file()


def test_a_function_without_a_name_is_refused(child):
    with pytest.raises(FailedError, match=r"has no attribute .*lambda"):
        child.call(lambda: None, what="the proof", seconds=60.0, memory=4.0)


def test_a_child_that_was_killed_in_between_is_replaced(child):
    pid = call(child, "pid")
    psutil.Process(pid).kill()
    time.sleep(0.1)
    assert call(child, "pid") != pid


@pytest.fixture
def worker(monkeypatch):
    """Make this process a worker, whose children end with the test."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setattr(PROCESS, "is_worker", True)
    kept = defaultdict(list)
    monkeypatch.setattr(limits, "_kept", kept)
    yield
    for child in (child for children in kept.values() for child in children):
        with child:
            pass


def pid_of_task(*, most=0):
    with limited(f"{HERE}:prepare") as child:
        if most:
            call(child, "keep", most)
        return call(child, "pid")


@pytest.mark.usefixtures("worker")
def test_the_child_of_a_worker_waits_for_its_next_task():
    first = pid_of_task()
    assert pid_of_task() == first
    with limited(f"{HERE}:prepare") as child, limited(f"{HERE}:prepare") as other:
        assert call(child, "pid") == first
        second = call(other, "pid")
        assert second != first, "a child serves one task at a time"
    assert {pid_of_task(), pid_of_task()} <= {first, second}


@pytest.mark.full
@pytest.mark.usefixtures("worker")
def test_the_child_of_a_task_that_fails_or_has_become_large_is_not_kept():
    first = pid_of_task()
    with pytest.raises(ChocoError), limited(f"{HERE}:prepare") as child:
        call(child, "mistake")
    assert is_gone(first)
    large = pid_of_task(most=600)
    assert is_gone(large)
    assert pid_of_task() != large


def test_elsewhere_each_task_has_a_child_of_its_own(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    first = pid_of_task()
    assert is_gone(first)
    assert pid_of_task() != first


def test_a_child_never_outlives_its_parent(tmp_path):
    file = tmp_path / "pid"
    parent = subprocess.Popen(
        [sys.executable, "-m", HERE, str(file)], cwd=Path(__file__).parents[2]
    )
    while not (file.exists() and file.read_text()):
        assert parent.poll() is None
        time.sleep(0.05)
    pid = int(file.read_text())
    assert not is_gone(pid)
    parent.kill()
    parent.wait()
    wait_until_gone(pid)
    wait_until_gone(int(file.with_suffix(".child").read_text()))


BUSY = """
import time
while time.process_time() < 0.5:
    pass
"""


def test_what_children_compute_counts_and_waiting_does_not():
    before = computed()
    time.sleep(0.5)
    waited = computed()
    assert waited - before < 0.25
    subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert computed() - waited >= 0.5
