"""What storing costs: rates of writing and reading a table of P-positions by codec, and milliseconds for each small table.

Files are written to the machine's temporary folder and read back while the system still holds them, so the rates are those
of the codecs and of Zarr, not of a disk. MB are 10^6 bytes before compression.
"""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import yaml
import zarr
from zarr.codecs import BloscCodec, Crc32cCodec

from choco_pipeline import SolidBar, StepBar, grundy_table
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.shard import Journal, build_shard
from choco_pipeline.tables.spec import NOT_COMPUTED, Shard, TableSpec
from choco_pipeline.tables.store import CODECS, chunk_shape, read_table, store_of
from choco_pipeline.tables.table_kernels import ColumnKernel

ROOT = Path(__file__).parents[1]
MEGABYTES = 256
#: What closes a chunk, and before it nothing, or Blosc: a compressor at a level, and what is shuffled before it.
COMPRESSORS = {
    "as stored": CODECS,
    "none": (Crc32cCodec(),),
    **{
        f"{name} {level}, {shuffle}": (
            BloscCodec(cname=name, clevel=level, shuffle=shuffle),
            Crc32cCodec(),
        )
        for name, level, shuffle in (
            ("lz4", 1, "shuffle"),
            ("lz4", 5, "bitshuffle"),
            ("zstd", 1, "bitshuffle"),
            ("zstd", 3, "bitshuffle"),
        )
    },
}
#: A hundred bars, each of some dozen positions.
SMALL = [StepBar(k, s) for k in range(1, 15) for s in range(k)][:100]
BOUND = 8


@pytest.fixture(scope="module")
def cells():
    """Return p_y of a solid bar, f = (x+z)//3, on as many columns as fill the megabytes."""
    bound = 63
    while (table := columns(bound)).nbytes < MEGABYTES * 10**6 / 4:
        bound = 2 * bound + 1
    return columns(int((bound + 1) * (MEGABYTES * 10**6 / table.nbytes) ** 0.5) - 1)


def columns(bound):
    return ColumnKernel.of(BoundedGame.of(SolidBar("(x+z)//3"), bound)).whole()[0]


def empty(folder, cells, codecs):
    return zarr.create_array(
        Location.local(folder).store(),
        shape=cells.shape,
        dtype=cells.dtype,
        chunks=chunk_shape(("x", "z"), cells.shape, cells.itemsize),
        compressors=codecs,
        fill_value=NOT_COMPUTED,
        overwrite=True,
    )


def note_rate(benchmark, cells):
    rate = cells.nbytes / benchmark.stats.stats.min / 1e6
    benchmark.extra_info["MB per second"] = round(rate, 1)


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_writing(benchmark, tmp_path, cells, compressor):
    def write(array):
        array[:] = cells

    def fresh():
        return (empty(tmp_path, cells, COMPRESSORS[compressor]),), {}

    benchmark.pedantic(write, setup=fresh, rounds=3)
    note_rate(benchmark, cells)
    stored = sum(size for _, size in Location.local(tmp_path).files())
    benchmark.extra_info["times smaller"] = round(cells.nbytes / stored, 2)


@pytest.mark.parametrize("compressor", COMPRESSORS)
def test_reading(benchmark, tmp_path, cells, compressor):
    array = empty(tmp_path, cells, COMPRESSORS[compressor])
    array[:] = cells
    read = benchmark.pedantic(lambda: array[:], rounds=3, warmup_rounds=1)
    note_rate(benchmark, cells)
    np.testing.assert_array_equal(read, cells)


def test_small_tables_in_one_process(benchmark, tmp_path):
    """Compute and store a hundred small tables: what a worker does for a shard."""
    specs = tuple(TableSpec.of(bar, BOUND, "grundy") for bar in SMALL)
    spec, manifest = tmp_path / "s.json", tmp_path / "s.done.json"
    write_record(spec, Shard("s", specs).as_json())

    def build():
        return build_shard(str(spec), str(manifest), lambda *_, **__: None)

    def anew():
        Journal.of(manifest).clear()

    found = benchmark.pedantic(build, setup=anew, rounds=3, warmup_rounds=1)
    assert found["computed"] == len(SMALL)
    note_each(benchmark, benchmark.stats.stats.min)
    document = read_record(manifest)
    start = perf_counter()
    for table_id, entry in document["tables"].items():
        read_table(store_of(manifest, document), table_id, entry)
    benchmark.extra_info["ms per table to read"] = ms_each(perf_counter() - start)


def test_small_tables_in_a_run(benchmark, tmp_path):
    """Do a whole ``choco run``: plan, Snakemake, Dask workers, tables, ledger and report; then one with nothing to do."""
    sweep = {
        "ruleset": "step-bar(k=k, s=s)",
        "parameters": {"k": "1..14", "s": "0..k-1"},
        "where": f"k * (k - 1) // 2 + s < {len(SMALL)}",
        "bound": BOUND,
        "quantity": "grundy",
    }
    config = tmp_path / "small.yaml"
    config.write_text(yaml.safe_dump({"run": "small", "sweeps": {"bars": sweep}}))
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])

    def run():
        command = [sys.executable, "-m", "choco_pipeline", "run", config.name]
        environment = {**os.environ, "PYTHONPATH": path}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)

    benchmark.pedantic(run, rounds=1)
    manifests = (tmp_path / "results" / "tables").glob("*.done.json")
    assert sum(len(read_record(manifest)["tables"]) for manifest in manifests) == len(SMALL)
    note_each(benchmark, benchmark.stats.stats.min)
    start = perf_counter()
    run()
    benchmark.extra_info["seconds with nothing to do"] = round(perf_counter() - start, 2)


def note_each(benchmark, seconds):
    """Note the milliseconds of each table in all, and those of its kernel and its dataset, without any store."""
    benchmark.extra_info["ms per table"] = ms_each(seconds)
    start = perf_counter()
    for bar in SMALL:
        grundy_table(bar, BOUND)
    benchmark.extra_info["ms per table in memory"] = ms_each(perf_counter() - start)


def ms_each(seconds):
    return round(1000 * seconds / len(SMALL), 3)
