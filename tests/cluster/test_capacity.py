"""Capacity of workers: known before a run, and larger tables are refused."""

import json
import socket
import threading
from contextlib import closing
from pathlib import Path

import pytest

from choco_pipeline.api.workers import capacity_of
from choco_pipeline.cluster.cluster_file import Local, Running, SlurmJobs, SlurmWorkers
from choco_pipeline.cluster.clusters import existing_cluster
from choco_pipeline.cluster.connect import ClusterError
from choco_pipeline.errors import LimitError
from choco_pipeline.sweep.run_plan import Capacity, current_plan
from choco_pipeline.tables.machine import cores, worker_memory

CONFIG = """
run: large
sweeps:
  columns: {ruleset: solid-bar(f=(x+z)//4), bound: [200, 8191], quantity: p-positions}
"""


def test_each_kind_of_cluster_says_what_a_worker_may_use():
    file = "config/clusters/mine.yaml"
    own_cores = cores()
    own = "this machine"
    assert capacity_of(Local(), None) == Capacity(own_cores, worker_memory(own_cores), own)
    assert capacity_of(Local(workers=3), "mine") == Capacity(3, worker_memory(3), own)
    assert capacity_of(Local(workers=3, memory="2 GiB"), "mine") == Capacity(3, 2 << 30, file)
    slurm = SlurmWorkers(minutes=5, cores=4, memory="6 GiB", maximum=3)
    assert capacity_of(slurm, "mine") == Capacity(12, (6 << 30) // 4, file)
    jobs = capacity_of(SlurmJobs(minutes=5, maximum=7), "mine")
    assert (jobs.workers, jobs.memory) == (7, None)


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("large.yaml").write_text(CONFIG)
    return Path("large.yaml")


def test_what_does_not_fit_into_these_workers_is_refused_also_if_the_plan_is_known(config):
    small = Capacity(2, 500 << 20, "config/clusters/small.yaml")
    said = r"bound 8191 is too large: .* a worker has 500 MiB \(config/clusters/small.yaml\)"
    with pytest.raises(LimitError, match=said):
        current_plan(config, capacity=small)
    assert not Path("results").exists()
    plan = current_plan(config, capacity=Capacity(2, None, "each job asks for what it needs"))
    with pytest.raises(LimitError, match=said):
        current_plan(config, capacity=small)
    # What is finished need not be computed, wherever that was.
    for shard in plan["shards"]:
        Path(f"results/tables/{shard}.done.json").parent.mkdir(exist_ok=True)
        Path(f"results/tables/{shard}.done.json").write_text(json.dumps({}))
    assert current_plan(config, capacity=small) == plan


@pytest.fixture(params=["", "HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["silent", "a dashboard"])
def other(request):
    """Return the address of a server that is silent or speaks HTTP."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        taken = []

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                taken.append(connection)
                connection.sendall(request.param.encode())

        thread = threading.Thread(target=serve)
        thread.start()
        yield "tcp://{}:{}".format(*server.getsockname())
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in taken:
            connection.close()


def test_a_scheduler_file_that_is_not_there_is_named_and_waited_for_only_on_request(capsys):
    for wait_s, said in ((0, ""), (1, "waiting up to 1 s for the scheduler file no file.json\n")):
        with pytest.raises(ClusterError, match=r"^no file\.json: no such scheduler file"):
            capacity_of(Running(scheduler="no file.json"), "far", wait_s)
        assert capsys.readouterr().err == said


@pytest.mark.full
def test_what_is_no_scheduler_is_said_to_be_none(other):
    with (
        pytest.raises(ClusterError, match=f"no Dask scheduler answers at {other}"),
        existing_cluster(other),
    ):
        pass
