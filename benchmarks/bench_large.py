"""What building a table in blocks costs: beside the same table in memory, on two workers beside one, and up to which bound.

What two workers can gain at most is taken beside it: both running the same kernel in memory, each for itself, against one of
them. The time in memory is what `choco_pipeline.p_table` or `grundy_table` takes, heights and all; that of its kernel alone is
noted too. In blocks, cells are compressed, written and their digests taken. Every way is taken once in each round, so
that all of them meet the same load; of each the best round counts. A curve is computed by one process, in blocks at every
bound; ``--to-bound 65536`` draws it further than to 16384.

How busy two workers keep two cores is the CPU of all processes over twice the time on the clock. *Steps* are the threads of
workers that compute and store; what is left is Dask: its loops in workers, the scheduler, and the client, which also makes
the table's array and manifest. ``--to-bound 131072`` adds a table of 1.7·10¹⁰ columns, built once.
"""

import resource
import sys
import time
from dataclasses import dataclass
from threading import enumerate as threads

import psutil
import pytest
from distributed import Client, wait

from choco_pipeline import SolidBar
from choco_pipeline.cluster.clusters import local_cluster
from choco_pipeline.cluster.connect import SCHEDULER
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.kernels import warm_up
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Shard, TableSpec
from choco_pipeline.tables.table_kernels import ColumnKernel, grundy_kernel
from choco_pipeline.tables.wavefront import build_large

ROUNDS = 4
MEMORY = 4 << 30
GAME = SolidBar("(x+z)//3")
BOUNDS = [2**i for i in range(8, 17)]
#: Threads of a worker that run steps, by what their names contain: Dask's pool, and Zarr's loop and pool.
STEPS = ("Dask-Default-Threads", "zarr", "asyncio")
#: Percent: two workers should keep both cores at least so busy, with at most so much of the CPU outside of steps.
BUSY, OUTSIDE = 90, 15
#: Of a core: what else may run beside two workers that have all cores, for the goal to be judged.
OTHERS = 0.1
#: What psutil counts that is no work, or counts twice.
IDLE = ("idle", "iowait", "guest", "guest_nice")

# distributed leaves a socket open where a dashboard's port is taken, as that of the second cluster is
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    warm_up()


@pytest.fixture
def clusters(tmp_path):
    """Return the addresses of clusters of one and of two workers, which have loaded what they compute with."""
    with (
        local_cluster(1, MEMORY, tmp_path / "one") as one,
        local_cluster(2, MEMORY, tmp_path / "two") as two,
    ):
        for cluster in (one, two):
            cluster.client.run(warm_up)
        yield {1: one.address, 2: two.address}


def build(folder, bound, quantity):
    """Build the table in blocks, on the cluster that the environment names, and return its entry in the manifest."""
    spec, manifest = folder / "s.json", folder / "tables" / "s.done.json"
    of = TableSpec.of(GAME, bound, quantity)
    write_record(spec, Shard("s", (of,), large=True).as_json())
    build_large(str(spec), str(manifest))
    return read_record(manifest)["tables"][of.table_id]


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def kernel_of(bound, quantity):
    """Return the kernel of the table."""
    game = BoundedGame.of(GAME, bound)
    return grundy_kernel(game) if quantity == "grundy" else ColumnKernel.of(game)


def gain_of_two(address, bound, quantity):
    """Return how much more two workers do than one where each runs a kernel of its own and they share nothing."""
    whole = kernel_of(bound, quantity).whole
    with Client(address) as client:
        workers = list(client.scheduler_info(n_workers=-1)["workers"])

        def run(chosen):
            wait([client.submit(whole, workers=[w], pure=False) for w in chosen])

        alone = [seconds(run, [worker]) for worker in workers for _ in range(ROUNDS)]
        return 2 * min(alone) / min(seconds(run, workers) for _ in range(ROUNDS))


@pytest.mark.parametrize(
    ("bound", "quantity"),
    [(16384, "p-positions"), (700, "grundy"), (1000, "grundy")],
)
def test_workers(benchmark, tmp_path_factory, monkeypatch, clusters, capsys, bound, quantity):
    taken = {"kernel": [], "memory": [], 1: [], 2: []}

    def on(workers):
        monkeypatch.setenv(SCHEDULER, clusters[workers])
        return seconds(build, tmp_path_factory.mktemp("built"), bound, quantity)

    def others():
        taken["kernel"].append(seconds(kernel_of(bound, quantity).whole))
        taken["memory"].append(seconds(table, GAME, bound, quantity))
        taken[1].append(on(1))

    def on_two():
        taken[2].append(on(2))

    benchmark.pedantic(on_two, setup=others, rounds=ROUNDS)
    gain = gain_of_two(clusters[2], bound, quantity)
    best = {way: min(rounds) for way, rounds in taken.items()}
    ratios = {
        "times faster on two workers than on one": round(best[1] / best[2], 2),
        "times slower on one worker than in memory": round(best[1] / best["memory"], 2),
        "times more by two kernels that share nothing": round(gain, 2),
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{quantity}, bound {bound}: {ratios}\n")
    benchmark.extra_info |= {
        **ratios,
        "times slower on one worker than its kernel": round(best[1] / best["kernel"], 2),
        **{f"seconds, {way}": round(best[way], 2) for way in ("kernel", "memory")},
        "seconds, one worker": round(best[1], 2),
    }


def test_cost_of_columns(benchmark, tmp_path_factory, monkeypatch, request):
    monkeypatch.delenv(SCHEDULER, raising=False)
    bounds = [bound for bound in BOUNDS if bound <= request.config.getoption("--to-bound")]
    curves = {
        f"{what} by bound": {}
        for what in (
            "seconds",
            "million positions per second",
            "bytes on disk per million positions",
        )
    }

    def build_all():
        for bound in bounds:
            start = time.perf_counter()
            entry = build(tmp_path_factory.mktemp("built"), bound, "p-positions")
            taken, settled = time.perf_counter() - start, entry["positions"]
            values = (taken, settled / taken / 1e6, entry["bytes"] / settled * 1e6)
            for curve, value in zip(curves.values(), values, strict=True):
                better = max if curve is curves["million positions per second by bound"] else min
                curve[bound] = better(curve.get(bound, value), value)

    benchmark.pedantic(build_all, rounds=ROUNDS)
    benchmark.extra_info |= curves


@dataclass(frozen=True)
class CpuTime:
    """Seconds of CPU: of a build's processes together, of these in steps, and of everything that runs on the machine."""

    build: float
    steps: float
    machine: float

    @classmethod
    def now(cls, client):
        """Return what was used so far; this process is the scheduler and the client."""
        machine = psutil.cpu_times()._asdict().items()
        everything, steps = zip(used_here(), *client.run(used_here).values(), strict=True)
        used = sum(spent for kind, spent in machine if kind not in IDLE)
        return cls(sum(everything), sum(steps), used)

    def __sub__(self, before):
        """Return what was used since."""
        return CpuTime(
            self.build - before.build, self.steps - before.steps, self.machine - before.machine
        )


def used_here():
    """Return the seconds of CPU of the process that this runs in, and of these the seconds in steps."""
    names = {thread.native_id: thread.name for thread in threads()}
    steps = 0.0
    for thread in psutil.Process().threads():
        if any(part in names.get(thread.id, "") for part in STEPS):
            steps += thread.user_time + thread.system_time
    return time.process_time(), steps


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@pytest.mark.parametrize(
    ("bound", "quantity"), [(32768, "p-positions"), (1000, "grundy"), (131072, "p-positions")]
)
def test_both_cores(
    benchmark, tmp_path, tmp_path_factory, monkeypatch, capsys, request, bound, quantity
):
    is_largest = bound > max(BOUNDS)
    if is_largest and bound > request.config.getoption("--to-bound"):
        pytest.skip(f"takes minutes: --to-bound {bound} asks for it")
    clock, used, entries = [], [], []

    def build_on_both(cluster):
        before, start = CpuTime.now(cluster.client), time.perf_counter()
        entries.append(build(tmp_path_factory.mktemp("built"), bound, quantity))
        clock.append(time.perf_counter() - start)
        used.append(CpuTime.now(cluster.client) - before)

    with local_cluster(2, MEMORY, tmp_path) as cluster:
        cluster.client.run(warm_up)
        monkeypatch.setenv(SCHEDULER, cluster.address)
        build(tmp_path_factory.mktemp("small"), bound // 8, quantity)  # so that all is imported
        rounds = 1 if is_largest else ROUNDS
        benchmark.pedantic(build_on_both, args=[cluster], rounds=rounds)
        memory = max(cluster.client.run(peak_memory).values())
    seconds_used = sum(one.build for one in used)
    busy = 100 * seconds_used / (2 * sum(clock))
    outside = 100 * (1 - sum(one.steps for one in used) / seconds_used)
    others = (sum(one.machine for one in used) - seconds_used) / sum(clock)
    goal = "met" if busy >= BUSY and outside <= OUTSIDE else "not met"
    if others > psutil.cpu_count() - 2 + OTHERS:
        goal = f"cannot be judged, since others used {others:.1f} of {psutil.cpu_count()} cores"
    with capsys.disabled():
        sys.stdout.write(
            f"\n{quantity}, bound {bound}: two workers keep both cores {busy:.0f} % busy (goal: at least {BUSY} %),"
            f" {outside:.0f} % of the CPU is not in steps (goal: at most {OUTSIDE} %): {goal}\n"
        )
    benchmark.extra_info |= {
        "goal": goal,
        "both cores busy, percent": round(busy, 1),
        "CPU not in steps, percent": round(outside, 1),
        "cores that others used": round(others, 2),
        "seconds of CPU, mean": round(seconds_used / len(used), 2),
        "MB of memory, a worker at most": round(memory / 1e6),
        "MB on disk": round(entries[0]["bytes"] / 1e6, 1),
        "positions": entries[0]["positions"],
    }
