"""Rates of the kernels on one core, in all and as multiples of the definition loops: `pytest benchmarks --benchmark-only`.

Tables are touched before the clock starts and compiling is excluded; checking the heights is included. Positions are the
cells of the table that the heights allow, over all numbers of passes left. The rates are those of the best round.
"""

from time import perf_counter

import numpy as np
import pytest

from choco_pipeline import kernels

from . import definition_loops


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    kernels.warm_up()
    definition_loops.grundy_bar(np.zeros(1, np.int32), 0)
    definition_loops.grundy_solid(np.zeros((1, 1), np.int32))
    definition_loops.p_columns(np.zeros((1, 1), np.int32))


def step_heights(bound, k):
    return np.arange(bound + 1, dtype=np.int32) // k


def triangular_heights(bound, k):
    x = np.arange(bound + 1, dtype=np.int32)
    return (x[:, None] + x) // k


def measure(benchmark, kernel, heights, passes, count, unit):
    """Time the kernel into a touched table, note its best rate in millions, return the table and the best seconds."""
    table = kernel(heights, passes)
    benchmark.pedantic(kernel, (heights, passes, table), rounds=7, warmup_rounds=1)
    best = benchmark.stats.stats.min
    benchmark.extra_info[f"million {unit} per second"] = round(count / best / 1e6, 1)
    return table, best


def compare(benchmark, best, table, loop, *arguments):
    """Note how many times faster the kernel was than the loop, and check that both say the same."""
    start = perf_counter()
    expected = loop(*arguments)
    benchmark.extra_info["times the definition loop"] = round((perf_counter() - start) / best, 1)
    np.testing.assert_array_equal(table, expected)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize(("bound", "k"), [(8192, 4), (8192, 3), (16384, 4)])
def test_p_columns(benchmark, bound, k, passes):
    columns = (passes + 1) * (bound + 1) ** 2
    measure(benchmark, kernels.p_columns, triangular_heights(bound, k), passes, columns, "columns")


def test_p_columns_against_definition(benchmark):
    heights = triangular_heights(256, 4)
    table, best = measure(benchmark, kernels.p_columns, heights, 0, heights.size, "columns")
    compare(benchmark, best, table, definition_loops.p_columns, heights)


@pytest.mark.parametrize(("bound", "k"), [(512, 3), (512, 4)])
def test_grundy_solid(benchmark, bound, k):
    heights = triangular_heights(bound, k)
    positions = int(heights.sum(dtype=np.int64)) + heights.size
    measure(benchmark, kernels.grundy_solid, heights, 0, positions, "positions")


def test_grundy_solid_against_definition(benchmark):
    heights = triangular_heights(256, 3)
    positions = int(heights.sum(dtype=np.int64)) + heights.size
    table, best = measure(benchmark, kernels.grundy_solid, heights, 0, positions, "positions")
    compare(benchmark, best, table, definition_loops.grundy_solid, heights)


@pytest.mark.parametrize("k", [4, 3, 1])
def test_grundy_bar_with_a_pass(benchmark, k):
    heights = step_heights(8192, k)
    positions = int(heights.sum(dtype=np.int64)) + heights.size
    _, best = measure(benchmark, kernels.grundy_bar, heights, 1, 2 * positions, "positions")
    without = kernels.grundy_bar(heights)
    seconds = []
    for _ in range(7):
        start = perf_counter()
        kernels.grundy_bar(heights, 0, without)
        seconds.append(perf_counter() - start)
    benchmark.extra_info["million positions per second, p=0 alone"] = round(
        positions / min(seconds) / 1e6, 1
    )
    layer = best - min(seconds)
    benchmark.extra_info["million positions per second, p=1 layer"] = round(
        positions / layer / 1e6, 1
    )


def test_grundy_bar_against_definition(benchmark):
    heights = step_heights(2048, 4)
    positions = 2 * (int(heights.sum(dtype=np.int64)) + heights.size)
    table, best = measure(benchmark, kernels.grundy_bar, heights, 1, positions, "positions")
    compare(benchmark, best, table, definition_loops.grundy_bar, heights, 1)
