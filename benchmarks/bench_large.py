"""What building a table in blocks costs: beside the same table in memory, on two workers beside one, and up to which bound.

What two workers can gain at most is taken beside it: both running the same kernel in memory, each for itself, against one of
them. The time in memory is what `choco_pipeline.p_table` or `grundy_table` takes, heights and all; that of its kernel alone is
noted too. In blocks, cells are compressed, written and their digests taken. Every way is taken once in each round, so
that all of them meet the same load; of each the best round counts. A curve is computed by one process, in blocks at every
bound; ``--to-bound 65536`` draws it further than to 16384.
"""

import sys
from time import perf_counter

import pytest
from distributed import Client, wait

from choco_pipeline import SolidBar
from choco_pipeline.cluster.connect import SCHEDULER
from choco_pipeline.cluster.local import local_cluster
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.kernels import grundy_solid, p_columns, warm_up
from choco_pipeline.tables.building.wavefront import build_large
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.spec import Shard, TableSpec

ROUNDS = 4
MEMORY = 4 << 30
GAME = SolidBar("(x+z)//3")
KERNELS = {"p-positions": p_columns, "grundy": grundy_solid}
BOUNDS = [2**i for i in range(8, 17)]

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
    start = perf_counter()
    function(*arguments)
    return perf_counter() - start


def gain_of_two(address, bound, quantity):
    """Return how much more two workers do than one where each runs a kernel of its own and they share nothing."""
    with Client(address) as client:
        heights = {
            worker: client.submit(GAME.f.table, bound + 1, bound + 1, workers=[worker], pure=False)
            for worker in client.scheduler_info(n_workers=-1)["workers"]
        }
        wait(list(heights.values()))

        def run(workers):
            kernel = KERNELS[quantity]
            wait([client.submit(kernel, heights[w], workers=[w], pure=False) for w in workers])

        alone = [seconds(run, [worker]) for worker in heights for _ in range(ROUNDS)]
        return 2 * min(alone) / min(seconds(run, heights) for _ in range(ROUNDS))


@pytest.mark.parametrize(
    ("bound", "quantity"),
    [(16384, "p-positions"), (700, "grundy"), (1000, "grundy")],
)
def test_workers(benchmark, tmp_path_factory, monkeypatch, clusters, capsys, bound, quantity):
    heights = GAME.f.table(bound + 1, bound + 1)
    taken = {"kernel": [], "memory": [], 1: [], 2: []}

    def on(workers):
        monkeypatch.setenv(SCHEDULER, clusters[workers])
        return seconds(build, tmp_path_factory.mktemp("built"), bound, quantity)

    def others():
        taken["kernel"].append(seconds(KERNELS[quantity], heights))
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
            start = perf_counter()
            entry = build(tmp_path_factory.mktemp("built"), bound, "p-positions")
            taken, settled = perf_counter() - start, entry["positions"]
            values = (taken, settled / taken / 1e6, entry["bytes"] / settled * 1e6)
            for curve, value in zip(curves.values(), values, strict=True):
                better = max if curve is curves["million positions per second by bound"] else min
                curve[bound] = better(curve.get(bound, value), value)

    benchmark.pedantic(build_all, rounds=ROUNDS)
    benchmark.extra_info |= curves
