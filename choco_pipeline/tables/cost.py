"""What a table costs, known before it is computed: positions, bytes in memory and on disk, seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from choco_pipeline.errors import LimitError
from choco_pipeline.games import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    Ruleset,
    SolidBar,
    StepBar,
    StripBar,
)
from choco_pipeline.tables.schema import Quantity, variable_of

#: Height tables up to this bound are summed exactly, larger ones on a grid of this many points a side.
EXACT_BOUND = 512
#: Cells settled in a second on one core, measured in benchmarks/ on the slower side; "definition" is plain Python.
RATES = {"bar": 150e6, "solid": 90e6, "columns": 140e6, "sum": 100e6, "definition": 2e4}
#: Seconds that the smallest table takes, most of them to make its group in the store.
SECONDS_PER_TABLE = 0.012
#: Bytes of a stored cell after compression, and bytes written in a second.
STORED_PER_CELL = 0.4
STORED_PER_SECOND = 500e6
#: A table is large if its kernel takes more seconds, or computing it whole would hold more bytes. It is then built in blocks.
LARGE_SECONDS = 10.0
LARGE_BYTES = 1 << 30
#: What a worker holds besides the table.
WORKER_BYTES = 300 << 20
#: Chunks of a stored table that a reader keeps, and what it computes with one of them or to explain a counterexample.
HELD_BYTES = 64 << 20
WINDOW_BYTES = 256 << 20


@dataclass(frozen=True)
class Cost:
    """What a table costs.

    Attributes
    ----------
    positions
        Positions settled; exact for bounds up to 512, otherwise estimated.
    memory
        Largest number of bytes that its task holds.
    disk
        Estimated bytes on disk.
    seconds
        Estimated seconds on one core.
    """

    positions: int
    memory: int
    disk: int
    seconds: float


def cost_of(game: Ruleset, bound: int, quantity: Quantity) -> Cost:
    """Return what the table of `game` costs."""
    base, passes = game.base, game.passes
    cells = math.prod(_shape(game, bound, quantity))
    kernel, work, item = _kernel(base, bound, quantity, passes + 1)
    return Cost(
        positions=estimated_positions(game, bound),
        memory=memory_needed(game, bound, quantity),
        disk=int(2000 + cells * STORED_PER_CELL),
        seconds=SECONDS_PER_TABLE + work / RATES[kernel] + cells * item / STORED_PER_SECOND,
    )


def is_large(game: Ruleset, bound: int, quantity: Quantity) -> bool:
    """Whether the table of `game` is built in blocks, by many tasks; that follows from the table, not from the machine."""
    base, passes = game.base, game.passes
    match base, quantity:
        case (
            ((SolidBar() | StripBar()), _)
            | (StepBar(), "grundy")
            | (Nim(2 | 3), "grundy")
            | (Nim(3 | 4), "p-positions")
        ):
            kernel, work, _ = _kernel(base, bound, quantity, passes + 1)
            seconds = work / RATES[kernel]
            return seconds > LARGE_SECONDS or memory_whole(game, bound, quantity) > LARGE_BYTES
        case _:
            return False


def memory_needed(game: Ruleset, bound: int, quantity: Quantity) -> int:
    """Return the bytes that a task holds at most that computes the table of `game`, or a block of it, and stores it."""
    whole = memory_whole(game, bound, quantity)
    if not is_large(game, bound, quantity):
        return whole
    base, passes = game.base, game.passes
    kernel, _, item = _kernel(base, bound, quantity, passes + 1)
    limits = base.limits(bound)
    # Columns of a block of one chunk and a quarter (the last of a table may be so long), cells in each, and what a line
    # reaches or blocks, as `choco_pipeline.tables.block_kernels` has them.
    match kernel:
        case "columns":
            side, depth, bits = 2560, 1, limits[1] + 1
        case "bar":
            side, depth, bits = 2560, 1, _words(sum(limits))
        case _:
            side, depth, bits = 80, limits[1] + 1, (limits[1] + 1) * _words(sum(limits))
    filled = (passes + 1) * (2 * side**2 * depth * item + 4 * side * bits // 8)
    block = WORKER_BYTES + 4 * side**2 + filled
    return min(whole, 2 * block)  # the other half is for what waits to be used


def _words(bits: int) -> int:
    """Return the bits of the words that hold so many, and of those that say which words are full."""
    return bits * 65 // 64 + 128


def memory_to_read(game: Ruleset, bound: int, quantity: Quantity) -> int:
    """Return the bytes that a task holds at most that checks or mines the stored table of `game`, of whatever size."""
    base, passes = game.base, game.passes
    _, _, item = _kernel(base, bound, quantity, passes + 1)
    cells = math.prod(_shape(game, bound, quantity)) * item
    return WORKER_BYTES + min(cells, HELD_BYTES) + WINDOW_BYTES


def memory_whole(game: Ruleset, bound: int, quantity: Quantity) -> int:
    """Return the bytes that computing the table of `game` in one task, and storing it, holds at most."""
    base, passes = game.base, game.passes
    kernel, _, item = _kernel(base, bound, quantity, passes + 1)
    table = math.prod(_shape(game, bound, quantity)) * item
    heights = 4 * (bound + 1) ** 2 if isinstance(base, SolidBar) else 0
    bitsets = (passes + 1) * _bitsets(base, bound) if kernel == "solid" else 0
    return WORKER_BYTES + 2 * table + 2 * heights + bitsets


def count_positions(game: Ruleset, bound: int) -> int:
    """Return how many positions lie within `bound`, exactly.

    Examples
    --------
    >>> from choco_pipeline import SolidBar
    >>> count_positions(SolidBar("(x+z)//3"), 20)  # triangular, Example 8.3: 977 + 2257
    3234
    """
    base, passes = game.base, game.passes
    if isinstance(base, SolidBar):
        side, step = bound + 1, max(1, HELD_BYTES // (4 * (bound + 1)))
        bands = (
            base.f.block(range(x, min(x + step, side)), range(side)) for x in range(0, side, step)
        )
        return (passes + 1) * (sum(int(band.sum(dtype=np.int64)) for band in bands) + side**2)
    return estimated_positions(game, bound)


def estimated_positions(game: Ruleset, bound: int) -> int:
    """Return how many positions lie within `bound`: exactly, but for solid bars with bounds above 512."""
    base, passes = game.base, game.passes
    layers = passes + 1
    match base:
        case StepBar(k, s):
            return layers * (bound + 1 + _floors(bound + s + 1, k) - _floors(s, k))
        case StripBar():
            return layers * (bound + 1) * estimated_positions(base.bar, bound)
        case SolidBar() if bound <= EXACT_BOUND:
            return count_positions(game, bound)
        case SolidBar():
            grid = [int(c) for c in np.linspace(0, bound, 65)]
            heights = [base.f(x, z) + 1 for x in grid for z in grid]
            return layers * (sum(heights) * (bound + 1) ** 2 // len(heights))
        case RectangularBar(m, n):
            return layers * math.comb(m + 1, 2) * math.comb(n + 1, 2)
        case DisjunctiveSum(a, b):
            return layers * estimated_positions(a, bound) * estimated_positions(b, bound)
        case _:
            return layers * math.prod(most + 1 for most in base.limits(bound))


def require_memory(game: Ruleset, bound: int, needed: int, memory: int) -> None:
    """Raise `LimitError`, naming the number that is too large, if a table needs more than `memory` bytes."""
    if needed > memory:
        raise LimitError(
            f"{game.notation}: bound {bound} is too large: its table needs {in_bytes(needed)} of memory,"
            f" {in_bytes(memory)} can be used"
        )


def in_bytes(n: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> in_bytes(300 << 20)
    '300 MiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024:
            return f"{n:.3g} {unit}"
        n /= 1024
    return f"{n:,.0f} PiB"


def _floors(n: int, k: int) -> int:
    """Return the sum of ⌊i/k⌋ for i below n."""
    steps, rest = divmod(n, k)
    return k * steps * (steps - 1) // 2 + rest * steps


def _shape(game: Ruleset, bound: int, quantity: Quantity) -> list[int]:
    base, passes = game.base, game.passes
    if isinstance(base, RectangularBar) and quantity == "p-positions":
        return [passes + 1, base.m, base.n]
    limits = dict(zip(game.coordinates, game.limits(bound), strict=True))
    return [limits[dim] + 1 for dim in variable_of(game, quantity).dims]


def _kernel(base: Ruleset, bound: int, quantity: Quantity, layers: int) -> tuple[str, float, int]:
    """Return which kernel computes the table, the cells it visits, and the bytes of a cell."""
    cells = float(layers * math.prod(most + 1 for most in base.limits(bound)))
    item = 2 if sum(base.limits(bound)) < 1 << 15 else 4
    match base, quantity:
        case StepBar(), _:
            return "bar", cells, item
        case StripBar(), "p-positions":
            return "bar", cells / (bound + 1), item
        case SolidBar(), "p-positions":
            return "columns", float(layers * (bound + 1) ** 2), item
        case ((SolidBar() | StripBar()), _):
            return "solid", cells, item
        case RectangularBar(m, n), "p-positions":
            return "solid", float(layers * max(m, n) ** 3), item
        case Nim(heaps), "p-positions" if heaps <= 4:
            return "solid" if heaps == 4 else "bar", cells / (bound + 1), item
        case Nim(heaps), _ if heaps <= 3:
            return "solid" if heaps == 3 else "bar", cells, item
        case ((Nim() | RectangularBar() | DisjunctiveSum()), _) if layers == 1:
            return "sum", cells, 4
        case _:
            return "definition", cells, 4


def _bitsets(base: Ruleset, bound: int) -> int:
    """Return the bytes of the option sets that a Grundy table of three coordinates carries along."""
    n_x, n_y, n_z = (*(most + 1 for most in base.limits(bound)[:3]), 1, 1)[:3]
    return (n_z + 32) * n_y * (n_x + n_y + n_z) // 8
