"""Large tables on a real cluster: deaths of workers, and equal bytes."""

import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from distributed import LocalCluster

from choco_pipeline import SolidBar, WithPass
from choco_pipeline.cluster import task
from choco_pipeline.cluster.clusters import DASHBOARD, local_cluster
from choco_pipeline.cluster.connect import (
    SCHEDULER,
    ClusterError,
    Runner,
    Step,
    TaskProgress,
    runner,
)
from choco_pipeline.cluster.task import on_cluster
from choco_pipeline.errors import ChocoError
from choco_pipeline.stages import Stage
from choco_pipeline.tables.wavefront import build_large
from tests.cluster.test_call import TARGETS
from tests.tables.stores import blocks_of, entry_of, order, require_same
from tests.workflow.project import ROOT, wait_for

pytestmark = pytest.mark.full

GAMES = [
    (SolidBar("(x+z)//3"), 8191, "p-positions"),
    (WithPass(SolidBar("(x+z)//4")), 260, "grundy"),
]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with local_cluster(2, 2 << 30, tmp_path_factory.mktemp("dask") / "workers") as cluster:
        yield cluster


@pytest.fixture
def cluster(two_workers, monkeypatch):
    """Two workers, and a process that sends them its steps."""
    monkeypatch.setenv(SCHEDULER, two_workers.address)
    return two_workers


@pytest.fixture
def new_cluster(tmp_path, monkeypatch):
    """Two workers without loaded kernels, so that a build can be disturbed."""
    with local_cluster(2, 2 << 30, tmp_path / "dask") as cluster:
        monkeypatch.setenv(SCHEDULER, cluster.address)
        yield cluster


def finished(manifest):
    """Return how many blocks an unfinished build has finished."""
    return len(list(Path(manifest.removesuffix(".done.json") + ".journal").glob("*x*.json")))


@pytest.mark.parametrize(("game", "bound", "quantity"), GAMES)
def test_workers_and_the_client_may_die(new_cluster, tmp_path, game, bound, quantity):
    spec, manifest = order(tmp_path / "here", game, bound, quantity)
    code = "import sys; from choco_pipeline.tables.wavefront import build_large"
    command = [sys.executable, "-c", f"{code}; build_large(*sys.argv[1:])", spec, manifest]
    for kills_client in (True, False):
        build = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        enough = finished(manifest) + 2
        while finished(manifest) < enough:
            assert build.poll() is None
            time.sleep(0.01)
        if kills_client:
            build.kill()
        else:
            worker = next(iter(new_cluster.client.run(os.getpid).values()))
            os.kill(worker, signal.SIGKILL)
        said = build.communicate()[1]
    assert build.returncode == 0, said
    assert blocks_of(manifest)["kept"] > 0
    require_same(manifest, tmp_path / "whole", game, bound, quantity)


def test_a_build_says_how_far_it_is(cluster, tmp_path, monkeypatch):
    """While it runs, and again what an earlier one has done."""
    monkeypatch.setattr(task, "LOOK", 0.01)
    spec, manifest = order(tmp_path, SolidBar("(x+z)//3"), 8191, "p-positions")
    reports: list[dict] = []
    cluster.listen(reports.append)

    def said():
        tally = TaskProgress()
        for report in reports:
            tally.add(report)
        return tally.totals(Stage.BUILD)

    build_large(spec, manifest)
    number, positions = blocks_of(manifest)["computed"], entry_of(manifest)["positions"]
    wait_for(lambda: "tables" in said(), "the last report")
    assert {
        "all_blocks": number,
        "blocks": number,
        "positions": positions,
    }.items() <= said().items()
    assert len([report for report in reports if report["numbers"].get("positions")]) > 2
    reports.clear()
    Path(manifest).unlink()
    build_large(spec, manifest)
    wait_for(lambda: "tables" in said(), "the last report")
    assert {"blocks": number, "kept_positions": positions}.items() <= said().items()
    assert "positions" not in said()


def test_workers_stay_below_their_limit(tmp_path, monkeypatch):
    """The table alone is larger than what a worker may use."""
    limit = 768 << 20
    game, bound, quantity = SolidBar("(x+z)//3"), 20_500, "p-positions"
    with local_cluster(2, limit, tmp_path / "dask") as cluster:
        monkeypatch.setenv(SCHEDULER, cluster.address)
        spec, manifest = order(tmp_path, game, bound, quantity)
        build_large(spec, manifest)
        peaks = cluster.client.run(peak_memory)
    assert 2 * (bound + 1) ** 2 > limit
    assert all(200 << 20 < peak < limit for peak in peaks.values()), peaks


def peak_memory():
    """Return the most bytes that this process has held, as the kernel counts them."""
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) << 10


def chain(length):
    """Return steps that each double what the one before returns."""
    first = Step("0", f"{TARGETS}:add", (1,))
    rest = [
        Step(str(i), f"{TARGETS}:add", (0,), (str(i - 1), str(i - 1))) for i in range(1, length)
    ]
    return [first, *rest]


def test_steps_get_what_they_need_here_and_on_the_cluster(cluster, tmp_path):
    said = tmp_path / "said"
    steps = [*chain(10), Step("end", f"{TARGETS}:write_sum", (str(said),), ("9", "3"))]
    Runner().run(steps)
    assert said.read_text() == str(2**9 + 2**3)
    said.unlink()
    reports: list[dict] = []
    cluster.listen(reports.append)
    with runner() as run:
        assert run.memory == 2 << 30
        run.run(steps)
        run.report("steps", numbers=5)
    assert said.read_text() == str(2**9 + 2**3)
    wait_for(lambda: len(reports) >= 11, "the reports")
    tally = TaskProgress()
    for report in reports:
        tally.add(report)
    assert tally.totals("steps") == {"numbers": 5 + 10}


@pytest.fixture
def growing(tmp_path):
    """A cluster that has no worker yet, as those in a batch system."""
    with LocalCluster(
        n_workers=0,
        threads_per_worker=1,
        dashboard_address=DASHBOARD,
        local_directory=str(tmp_path / "dask"),
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster


def test_a_cluster_that_grows_with_its_work_is_given_some(growing):
    growing.adapt(minimum=0, maximum=2, interval="100ms")
    with on_cluster(growing.scheduler_address) as run:
        run.run(chain(10))


def test_a_worker_that_comes_later_is_given_lanes(growing, tmp_path):
    growing.scale(1)
    started, go_on, processes = (tmp_path / name for name in ("started", "go-on", "processes"))
    processes.mkdir()
    wait = Step("wait", f"{TARGETS}:wait_until", (str(started), str(go_on)))
    rest = [
        Step(str(i), f"{TARGETS}:note_process", (str(processes),), ("wait",), lane=i)
        for i in range(4)
    ]

    def grow():
        wait_for(started.exists, "the start")
        growing.scale(2)
        growing.wait_for_workers(2)
        go_on.touch()

    with on_cluster(growing.scheduler_address) as run, ThreadPoolExecutor() as pool:
        grown = pool.submit(grow)
        run.run([wait, *rest])
        grown.result()
    assert len(list(processes.iterdir())) == 2


def test_errors_of_steps_arrive_whole(cluster):
    steps = [*chain(2), Step("refuse", f"{TARGETS}:refuse", ("this",))]
    needing = Step("after", f"{TARGETS}:add", (0,), ("refuse", "1"))
    with pytest.raises(ChocoError, match="this is not possible:\nbecause"):
        Runner().run([*steps, needing])
    with runner() as run, pytest.raises(ChocoError, match="this is not possible:\nbecause"):
        run.run([*steps, needing])
    die = [Step("die", f"{TARGETS}:die", ()), Step("after", f"{TARGETS}:add", (0,), ("die",))]
    with runner() as run, pytest.raises(ClusterError, match="3 workers died"):
        run.run(die)
