"""Rates of the kernels on one core, and what they are measured against: `./choco bench -k kernels`.

Against are the definition loops, compiled by numba and by a C++ compiler, the best loop over bitsets in C++, and the time
that it takes to write the table once. Compiling is excluded; computing and checking the heights is included. Positions are the cells of the table that the heights allow, over all numbers of passes left. The rates
are those of the best round.
"""

from time import perf_counter

import numpy as np
import pytest

from choco_pipeline import CutGame, Nim, SolidBar, StepBar, WithPass, kernels
from choco_pipeline.tables.bounded_game import BoundedGame
from choco_pipeline.tables.table_kernels import ColumnKernel, GenericKernel, grundy_kernel

from . import cpp_loops, definition_loops

ROUNDS = 7
#: Places at which the options of a game are counted.
SAMPLED = 300


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


def triangular(bound, k, passes=0):
    """Return a solid bar within a bound."""
    game = SolidBar(f"(x+z)//{k}")
    return BoundedGame.of(WithPass(game, passes) if passes else game, bound)


def steps(bound, k, passes=0):
    """Return a step bar within a bound."""
    return BoundedGame.of(WithPass(StepBar(k), passes) if passes else StepBar(k), bound)


def count(heights):
    return int(heights.sum(dtype=np.int64)) + heights.size


def fastest(function, *arguments, rounds=ROUNDS):
    """Return the seconds of the fastest call, and what the last one returned."""
    seconds, result = [], None
    for _ in range(rounds):
        start = perf_counter()
        result = function(*arguments)
        seconds.append(perf_counter() - start)
    return min(seconds), result


def measure(benchmark, kernel, settled, unit):
    """Record the best rate of a kernel, and its time as a multiple of one writing of the table."""
    table = benchmark.pedantic(kernel.whole, rounds=ROUNDS, warmup_rounds=1)
    best = benchmark.stats.stats.min
    benchmark.extra_info[f"million {unit} per second"] = round(settled / best / 1e6, 1)
    benchmark.extra_info["times one writing of the table"] = round(
        best / fastest(np.empty_like(table).fill, -1)[0], 1
    )
    return table, best


def compare(benchmark, best, table, name, loop, *arguments, rounds=1):
    """Note how many times faster the kernel was than the loop, and check that both say the same."""
    seconds, expected = fastest(loop, *arguments, rounds=rounds)
    benchmark.extra_info[f"times faster than {name}"] = round(seconds / best, 2)
    np.testing.assert_array_equal(table, expected)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize(("bound", "k"), [(8192, 4), (8192, 3), (16384, 3)])
def test_p_columns(benchmark, bound, k, passes):
    columns = (passes + 1) * (bound + 1) ** 2
    measure(benchmark, ColumnKernel.of(triangular(bound, k, passes)), columns, "columns")


def test_p_columns_against_definition(benchmark):
    heights = triangular_heights(256, 4)
    kernel = ColumnKernel.of(triangular(256, 4))
    table, best = measure(benchmark, kernel, heights.size, "columns")
    compare(benchmark, best, table, "the definition", definition_loops.p_columns, heights)
    compare(benchmark, best, table, "the definition in C++", cpp_loops.p_columns, heights)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize(("bound", "k"), [(512, 3), (512, 4)])
def test_grundy_solid(benchmark, bound, k, passes):
    positions = (passes + 1) * count(triangular_heights(bound, k))
    measure(benchmark, grundy_kernel(triangular(bound, k, passes)), positions, "positions")


def test_grundy_solid_against_definition(benchmark):
    heights = triangular_heights(256, 3)
    kernel = grundy_kernel(triangular(256, 3))
    table, best = measure(benchmark, kernel, count(heights), "positions")
    compare(benchmark, best, table, "the definition", definition_loops.grundy_solid, heights)
    compare(benchmark, best, table, "the definition in C++", cpp_loops.grundy_solid, heights)


@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize("k", [4, 3, 1])
def test_grundy_bar(benchmark, k, passes):
    heights = step_heights(8192, k)
    positions = (passes + 1) * count(heights)
    kernel = grundy_kernel(steps(8192, k, passes))
    table, best = measure(benchmark, kernel, positions, "positions")
    bitsets = cpp_loops.grundy_bar_bitsets
    compare(benchmark, best, table, "bitsets in C++", bitsets, heights, passes, rounds=3)


def test_grundy_bar_against_definition(benchmark):
    heights = step_heights(2048, 4)
    positions = 2 * count(heights)
    kernel = grundy_kernel(steps(2048, 4, 1))
    table, best = measure(benchmark, kernel, positions, "positions")
    compare(benchmark, best, table, "the definition", definition_loops.grundy_bar, heights, 1)
    compare(benchmark, best, table, "the definition in C++", cpp_loops.grundy_bar, heights, 1)


GENERIC = {
    "Wythoff": (
        CutGame(
            ["a", "b"], [{"lower": ["a"]}, {"lower": ["b"]}, {"lower": ["a", "b"], "by": "same"}]
        ),
        400,
    ),
    "subtraction of 1, 3, 4, 7, 9": (
        CutGame(["a", "b"], [{"lower": [n], "by": [1, 3, 4, 7, 9]} for n in "ab"]),
        700,
    ),
    "Moore, 2 of 3 heaps": (
        CutGame(["a", "b", "c"], [{"lower": list(n), "by": "any"} for n in ("ab", "ac", "bc")]),
        40,
    ),
    "two heights": (
        CutGame(["x", "y", "z"], [{"lower": [n]} for n in "xyz"], {"y": "z//2", "x": "z//3"}),
        120,
    ),
    "four heaps with a pass": (WithPass(Nim(4)), 15),
}


@pytest.mark.parametrize("name", GENERIC)
def test_generic(benchmark, name):
    game, bound = GENERIC[name]
    generic = GenericKernel.of(BoundedGame.of(game, bound))
    table = benchmark.pedantic(generic.whole, rounds=ROUNDS, warmup_rounds=1)
    best = benchmark.stats.stats.min
    limits = game.limits(bound)
    options = sum(1 for place in sampled(game, limits) for _ in game.rules.options(place))
    visits = options * table.size / SAMPLED
    benchmark.extra_info["million options per second"] = round(visits / best / 1e6, 1)
    benchmark.extra_info["estimated seconds / seconds"] = round(generic.seconds / best, 2)


def sampled(game, limits):
    """Yield the positions among some random places in the box of a game."""
    random = np.random.default_rng(1)
    for place in random.integers(0, np.array(limits) + 1, (SAMPLED, len(limits))).tolist():
        if game.is_position(place):
            yield tuple(place)


def fold(benchmark, fold_block, table, fill_seconds, settled, unit, start):
    """Time the folding of a filled table, which begins anew with ``start()`` in each round."""
    benchmark.pedantic(fold_block, setup=lambda: ((*start(), table), {}), rounds=ROUNDS)
    best = benchmark.stats.stats.min
    benchmark.extra_info[f"million {unit} per second"] = round(settled / best / 1e6, 1)
    benchmark.extra_info["times faster than filling"] = round(fill_seconds / best, 2)


def test_fold_columns(benchmark):
    heights = triangular_heights(4096, 3)
    seconds, table = fastest(ColumnKernel.of(triangular(4096, 3)).whole)

    def start():
        return (kernels.BlockedHeights.start(lines=4097, layers=1, n_y=2731) for _ in range(2))

    def fold_block(by_x, by_z, table):
        kernels.fold_columns(heights, by_x, by_z, table)

    fold(benchmark, fold_block, table, seconds, heights.size, "columns", start)


def test_fold_solid(benchmark):
    heights = triangular_heights(256, 3)
    seconds, table = fastest(grundy_kernel(triangular(256, 3)).whole)

    def start():
        return (kernels.OptionSets.start(257, 1, 256 + 256 + 170, 171) for _ in range(2))

    def fold_block(by_x, by_z, table):
        kernels.fold_solid(heights, by_x, by_z, table)

    fold(benchmark, fold_block, table, seconds, count(heights), "positions", start)


def test_fold_bar(benchmark):
    heights = step_heights(4096, 3)
    seconds, table = fastest(grundy_kernel(steps(4096, 3)).whole)
    largest = 4096 + 1365

    def start():
        return (
            kernels.BelowSets.start(4097, 1, largest),
            kernels.OptionSets.start(1, 1, largest, 1366),
        )

    def fold_block(by_y, by_z, table):
        kernels.fold_bar(heights, by_z, by_y, table)

    fold(benchmark, fold_block, table, seconds, count(heights), "positions", start)
