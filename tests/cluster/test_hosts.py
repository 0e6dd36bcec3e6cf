"""A run on several hosts completes although one of them is cut off."""

import json
import sys

import pytest

from tests.cluster.conftest import new_project
from tests.cluster.hosts import hosts, what_is_missing
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full

# What docs/clusters.md tells whoever starts a cluster to set; shorter, so that the test does not take longer.
SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2",
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "15s",
}
ASK = """
import json, sys
from distributed import Client
with Client(sys.argv[1], timeout=20) as client:
    tasks = client.processing()
    print(json.dumps({"workers": len(tasks), "busy": sum(map(bool, tasks.values()))}))
"""


@pytest.fixture(scope="module")
def heaps(tmp_path_factory):
    """Return the digests of the tables of heaps.yaml, by plain Snakemake."""
    project = new_project(tmp_path_factory.mktemp("heaps"))
    project.snakemake("--cores", "2", "--config", "choco=heaps.yaml")
    return project.digests()


@pytest.fixture
def network():
    if missing := what_is_missing():
        pytest.skip(missing)
    with hosts(3) as made:
        yield made


def start(project, host, name, *arguments):
    command = [sys.executable, *arguments]
    return host.start(command, project.folder, {**project.environment, **SETTINGS}, name)


@pytest.mark.slow
def test_a_host_that_is_cut_off_in_mid_build_does_not_matter(network, project, heaps):
    first, *others = network
    address = f"tcp://{first.address}:8786"
    start(project, first, "scheduler", "-m", "dask", "scheduler", "--host", first.address)
    for host in others:
        options = ["--nthreads", "1", "--nworkers", "1", "--host", host.address, "--no-dashboard"]
        start(project, host, host.name, "-m", "dask", "worker", address, *options)

    def number(key):
        asked = start(project, first, "asked", "-c", ASK, address)
        asked.wait()
        printed = (project.folder / "asked.out").read_text()
        return int(json.loads(printed)[key]) if asked.returncode == 0 else 0

    text = f"kind: running\nscheduler: {address}\n"
    (project.folder / "config" / "clusters" / "far.yaml").write_text(text)
    wait_for(lambda: number("workers") == 2, "the arrival of both workers", 180)
    command = ["-m", "choco_pipeline", "run", "heaps.yaml", "--cluster", "far", "--json"]
    run = start(project, first, "run", *command)
    wait_for(lambda: number("busy") == 2 or run.poll() is not None, "work for both workers", 180)
    assert run.poll() is None, (project.folder / "run.err").read_text()
    assert number("busy") == 2
    others[1].cut_off()
    assert run.wait() == 0, (project.folder / "run.err").read_text()
    assert json.loads((project.folder / "run.out").read_text())["status"] == "done"
    assert number("workers") == 1
    assert project.digests() == heaps
    project.choco("verify")
