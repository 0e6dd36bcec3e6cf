"""Clusters on this machine start beside each other, whatever else listens here."""

import subprocess
import sys
import threading
import time
import urllib.request

import psutil
import pytest
from distributed.process import AsyncProcess

from choco_pipeline.cluster.clusters import local_cluster
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full


def test_two_clusters_at_once_show_their_dashboards_on_ports_of_their_own(tmp_path):
    """Dask's warning of a taken port would be an error here."""
    with (
        local_cluster(1, 1 << 30, tmp_path / "a", dashboard=True) as one,
        local_cluster(1, 1 << 30, tmp_path / "b", dashboard=True) as two,
    ):
        assert one.dashboard != two.dashboard
        for cluster in (one, two):
            assert cluster.dashboard.startswith("http://127.0.0.1:")
            assert cluster.workers == 1
            assert cluster.dashboard is not None
            with urllib.request.urlopen(cluster.dashboard) as page:
                assert page.status == 200


def test_a_worker_that_is_killed_while_it_starts_is_started_again(tmp_path):
    killed = []

    def kill_one():
        while not killed:
            for child in psutil.Process().children(recursive=True):
                if "spawn_main" in " ".join(child.cmdline()):
                    child.kill()
                    killed.append(child.pid)
                    return
            time.sleep(0.005)

    killer = threading.Thread(target=kill_one)
    killer.start()
    with local_cluster(1, 1 << 30, tmp_path) as cluster:
        killer.join()
        assert cluster.client.submit(sum, [1, 2]).result() == 3
    assert len(killed) == 1


def test_a_cluster_ends_also_where_dask_stumbles_over_a_dead_worker(tmp_path, monkeypatch):
    """It happened after the kill of a worker: "can only join a started process"."""
    stumbles = []

    async def join(process, timeout=None):
        if not stumbles:
            stumbles.append(process)
            raise AssertionError("can only join a started process")
        return await real(process, timeout)

    real = AsyncProcess.join
    before = set(psutil.Process().children(recursive=True))
    with local_cluster(2, 1 << 30, tmp_path / "dask") as cluster:
        assert cluster.client.submit(sum, [1, 2]).result() == 3
        monkeypatch.setattr(AsyncProcess, "join", join)
    assert len(stumbles) == 1
    left = set(psutil.Process().children(recursive=True)) - before
    wait_for(
        lambda: not [p for p in left if "spawn_main" in command_of(p)], "the end of both workers"
    )


def command_of(process):
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


TRACKER_IS_KILLED = """
from pathlib import Path
import multiprocessing
import psutil
from choco_pipeline.cluster.clusters import local_cluster
def make_semaphore():
    multiprocessing.kept = multiprocessing.get_context("spawn").RLock()
def drop_semaphore():
    del multiprocessing.kept
if __name__ == "__main__":
    with local_cluster(1, 1 << 30, Path("dask")) as cluster:
        cluster.client.submit(make_semaphore).result()
        for child in psutil.Process().children():
            if "resource_tracker import main" in " ".join(child.cmdline()):
                child.kill()
                child.wait()
                print("killed", flush=True)
        cluster.client.submit(drop_semaphore).result()
"""


def test_nobody_complains_where_the_process_that_counts_semaphores_is_killed(tmp_path):
    """A new counter would print a traceback for each unknown semaphore."""
    script = tmp_path / "killed.py"
    script.write_text(TRACKER_IS_KILLED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "killed\n", "")
