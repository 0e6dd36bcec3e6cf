"""`call` on a real cluster: equal answers, whole errors, quick failures."""

import gc
import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from choco_pipeline.api.workers import capacity_of
from choco_pipeline.cluster import task
from choco_pipeline.cluster.cluster_file import Running
from choco_pipeline.cluster.clusters import (
    existing_cluster,
    local_cluster,
    write_scheduler_file,
)
from choco_pipeline.cluster.connect import SCHEDULER, ClusterError, TaskProgress, call, call_each
from choco_pipeline.errors import ChocoError
from choco_pipeline.sweep.run_plan import Capacity
from tests.workflow.project import ROOT, wait_for

pytestmark = pytest.mark.full

TARGETS = "tests.cluster.targets"
MEMORY = 1 << 30


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask") / "workers"
    with local_cluster(2, MEMORY, folder) as cluster:
        yield cluster
    assert not folder.exists()


@pytest.fixture
def on_cluster(cluster, monkeypatch):
    monkeypatch.setenv(SCHEDULER, cluster.address)
    return cluster


def in_new_process(code, scheduler):
    """Run code in a process as the rules start them."""
    environment = {**os.environ, SCHEDULER: scheduler}
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)


def test_without_a_cluster_the_target_runs_here(monkeypatch):
    monkeypatch.delenv(SCHEDULER, raising=False)
    assert call(f"{TARGETS}:double", 21) == {"double": 42, "process": os.getpid()}


def test_tasks_run_on_workers_at_the_same_time_and_are_answered_in_their_order(on_cluster):
    answers = call_each(f"{TARGETS}:slow_double", [(n,) for n in range(6)])
    assert [answer["double"] for answer in answers] == [2 * n for n in range(6)]
    processes = {answer["process"] for answer in answers}
    assert len(processes) == 2
    assert processes <= {child.pid for child in psutil.Process().children(recursive=True)}


def test_tasks_that_have_not_begun_are_given_up_when_one_fails(on_cluster, tmp_path):
    numbers = [-1, *range(40)]
    with pytest.raises(ZeroDivisionError):
        call_each(f"{TARGETS}:slow_double", [(n, str(tmp_path)) for n in numbers])
    time.sleep(1)
    done = len(list(tmp_path.iterdir()))
    time.sleep(1)
    assert len(list(tmp_path.iterdir())) == done < 40
    assert call(f"{TARGETS}:double", 1)["double"] == 2


def test_the_waiting_process_imports_no_kernels(on_cluster):
    code = (
        "import sys; from choco_pipeline.cluster.connect import call;"
        f"call('{TARGETS}:double', 1);"
        "sys.exit(str([m for m in ('numba', 'zarr', 'xarray', 'tests') if m in sys.modules]))"
    )
    assert in_new_process(code, on_cluster.address).communicate()[1].strip() == "[]"


def test_a_scheduler_file_is_waited_for(cluster, tmp_path, monkeypatch):
    path = tmp_path / "scheduler.json"
    code = f"from choco_pipeline.cluster.connect import call; call('{TARGETS}:double', 1)"
    waiting = in_new_process(code, str(path))
    time.sleep(1.5)
    assert waiting.poll() is None
    write_scheduler_file(cluster, path)
    assert waiting.communicate()[1] == ""
    assert waiting.returncode == 0


def test_a_scheduler_that_a_file_names_is_given_longer_to_answer(tmp_path, monkeypatch):
    """On a machine with too many processes, jobs failed after five seconds."""
    path, given = tmp_path / "scheduler.json", []
    path.write_text(json.dumps({"address": "tcp://127.0.0.1:9"}))

    def noting(address, seconds=task.ANSWER):
        given.append((address, seconds))
        raise ClusterError("nobody is asked")

    monkeypatch.setattr(task, "cluster_at", noting)
    for scheduler in ("tcp://127.0.0.1:9", str(path)):
        with pytest.raises(ClusterError):
            task.connection(scheduler)
        with pytest.raises(ClusterError), task.on_cluster(scheduler):
            pass
    short, long = [("tcp://127.0.0.1:9", n) for n in (task.ANSWER, task.LOADED_ANSWER)]
    assert given == [short, short, long, long]
    assert task.ANSWER < task.LOADED_ANSWER < task.START


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"addres": "tcp://127.0.0.1:1"})])
def test_a_file_that_is_no_scheduler_file_is_refused(text, tmp_path, monkeypatch):
    path = tmp_path / "scheduler.json"
    path.write_text(text)
    monkeypatch.setenv(SCHEDULER, str(path))
    with pytest.raises(ClusterError, match="not a Dask scheduler file"):
        call(f"{TARGETS}:double", 1)


def test_a_users_mistake_arrives_with_the_same_message(on_cluster, monkeypatch):
    with pytest.raises(ChocoError) as there:
        call(f"{TARGETS}:refuse", "this")
    monkeypatch.delenv(SCHEDULER)
    with pytest.raises(ChocoError) as here:
        call(f"{TARGETS}:refuse", "this")
    assert str(there.value) == str(here.value) == "this is not possible:\nbecause"


def test_another_error_arrives_with_the_line_where_it_happened(on_cluster):
    with pytest.raises(ZeroDivisionError, match="in the target") as error:
        call(f"{TARGETS}:fail")
    assert any(str(entry.path).endswith("targets.py") for entry in error.traceback)


def test_a_task_that_kills_its_workers_is_given_up(on_cluster):
    with pytest.raises(ClusterError, match=r"die: 3 workers died"):
        call(f"{TARGETS}:die")


def test_reports_of_an_attempt_that_died_are_forgotten(on_cluster, tmp_path):
    tally = TaskProgress()
    on_cluster.listen(tally.add)
    assert call(f"{TARGETS}:die_once", str(tmp_path / "marker")) > 0
    wait_for(lambda: tally.totals("dying") == {"tables": 3}, "the reports")
    assert call(f"{TARGETS}:double", 5)["double"] == 10
    wait_for(lambda: tally.totals("doubling") == {"numbers": 2, "positions": 5}, "the reports")


def test_reports_in_quick_succession_are_sent_as_sums(on_cluster):
    tally, events = TaskProgress(), []
    on_cluster.listen(lambda event: (events.append(event), tally.add(event)))
    call(f"{TARGETS}:report_often")
    wait_for(lambda: tally.totals("counting") == {"steps": 1000, "sum": 499_500}, "the reports")
    assert len(events) < 100


def test_nobody_at_the_address(monkeypatch):
    monkeypatch.setenv(SCHEDULER, "tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        call(f"{TARGETS}:double", 1)


def test_a_worker_in_another_folder_refuses(on_cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ChocoError, match=f"start it in the folder of the run, {tmp_path}"):
        call(f"{TARGETS}:double", 1)


def test_a_cluster_that_goes_away_ends_the_wait(tmp_path):
    path, started = tmp_path / "scheduler.json", tmp_path / "started"
    owner = subprocess.Popen([sys.executable, "-m", "tests.cluster.owner", str(path)], cwd=ROOT)
    code = f"from choco_pipeline.cluster.connect import call; call('{TARGETS}:wait_long', {str(started)!r})"
    waiting = in_new_process(code, str(path))
    wait_for(started.exists, "the start of the task")
    workers = psutil.Process(owner.pid).children(recursive=True)
    assert len(workers) > 1
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    error = waiting.communicate(timeout=120)[1]
    assert waiting.returncode == 1
    assert "was lost before the task was done" in error.splitlines()[-1]
    wait_for(
        lambda: not any(w.is_running() and w.status() != "zombie" for w in workers),
        "the end of the workers",
    )


def test_an_existing_cluster_can_be_used_and_is_left_alone(cluster):
    with existing_cluster(cluster.address) as again:
        assert again.workers == 2
        assert again.dashboard.startswith("http://127.0.0.1:")
    whose = f"the cluster at {cluster.address}"
    assert capacity_of(Running(scheduler=cluster.address), "far") == Capacity(2, MEMORY, whose)
    assert cluster.workers == 2


def count_tasks(dask_scheduler):
    return len(dask_scheduler.tasks)


def test_a_task_that_is_carried_out_is_nobodys_any_more(cluster, tmp_path):
    """A traceback held its future, so that Dask repeated it after the run's end."""
    (tmp_path / "marker").touch()
    wait_for(lambda: cluster.client.run_on_scheduler(count_tasks) == 0, "the end of other tasks")
    gc.disable()
    try:
        target, marker = f"{TARGETS}:die_once", str(tmp_path / "marker")
        cluster.run_each(target, [[marker]])
        wait_for(lambda: cluster.client.run_on_scheduler(count_tasks) == 0, "its end", 60)
    finally:
        gc.enable()
