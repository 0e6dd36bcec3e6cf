"""Clusters on this machine start beside each other, whatever else listens here."""

import threading
import time
import urllib.request

import psutil

from choco_pipeline.cluster.local import local_cluster


def test_two_clusters_at_once_show_their_dashboards_on_ports_of_their_own(tmp_path):
    """Without Dask's warning of a port that is taken, too, which is an error in tests."""
    with (
        local_cluster(1, 1 << 30, tmp_path / "a") as one,
        local_cluster(1, 1 << 30, tmp_path / "b") as two,
    ):
        assert one.dashboard != two.dashboard
        for cluster in (one, two):
            assert cluster.dashboard.startswith("http://127.0.0.1:")
            assert cluster.threads == 1
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
