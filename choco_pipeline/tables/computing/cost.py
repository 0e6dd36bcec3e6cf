"""Estimated cost of a table: positions, memory, disk, seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

from choco_pipeline.errors import ChocoError, LimitError
from choco_pipeline.games import Ruleset
from choco_pipeline.tables.computing.computation import Computation, computation_of
from choco_pipeline.tables.computing.table_kernel import Block
from choco_pipeline.tables.specs.chunks import chunk_shape
from choco_pipeline.tables.specs.position_count import estimated_positions
from choco_pipeline.tables.specs.schema import Quantity

#: Seconds that the smallest table takes, most of them to make its group in the store.
SECONDS_PER_TABLE = 0.012
#: Bytes of a stored cell after compression, and bytes written in a second.
STORED_PER_CELL = 0.4
STORED_PER_SECOND = 500e6
#: A table with more seconds or bytes than this, computed as a whole, is large. It is built in blocks.
LARGE_SECONDS = 10.0
LARGE_BYTES = 1 << 30
#: Bytes that a worker holds besides the table.
WORKER_BYTES = 300 << 20
#: Bytes of the chunks that a reader keeps, and of its computation with one of them or on a counterexample.
HELD_BYTES = 64 << 20
WINDOW_BYTES = 256 << 20
#: A quick table has this bound, halved until it takes about this many seconds.
QUICK_BOUND, QUICK_SECONDS = 256, 0.1
#: Smaller bounds show little. They are used only if a table would take more than this many seconds.
SMALLEST, MOST_SECONDS = 15, 10.0


@dataclass(frozen=True)
class Cost:
    """The cost of a table."""

    #: Positions settled; exact for bounds up to 512, otherwise estimated.
    positions: int
    #: Most bytes of one of its tasks, and of a single task that computes the whole table.
    memory: int
    memory_whole: int
    #: Most bytes of a task that checks or mines the stored table.
    memory_to_read: int
    #: Estimated bytes on disk.
    disk: int
    #: Estimated seconds on one core.
    seconds: float
    #: Whether it is built in blocks by many tasks, on any machine.
    large: bool


def cost_of(game: Ruleset, bound: int, quantity: Quantity) -> Cost:
    """Return the cost of a game's table."""
    computation = computation_of(game, bound, quantity)
    cells = math.prod(computation.shape)
    stored = cells * computation.kernel.itemsize
    return Cost(
        positions=estimated_positions(game, bound),
        memory=memory_of(computation),
        memory_whole=memory_whole(computation),
        memory_to_read=WORKER_BYTES + min(stored, HELD_BYTES) + WINDOW_BYTES,
        disk=int(2000 + cells * STORED_PER_CELL),
        seconds=seconds_of(computation),
        large=_is_large(computation),
    )


def quick_bound(game: Ruleset, quantity: Quantity) -> int:
    """Return the bound of a quick table; a game with a fixed shape has only one."""
    try:
        return max(game.base.limits(None))
    except ChocoError:
        pass
    size = QUICK_BOUND
    while size > 1 and cost_of(game, size, quantity).seconds > (
        QUICK_SECONDS if size > SMALLEST else MOST_SECONDS
    ):
        size //= 2
    return size


def seconds_of(computation: Computation) -> float:
    """Return the seconds on one core to compute and store a table."""
    stored = math.prod(computation.shape) * computation.kernel.itemsize
    return SECONDS_PER_TABLE + computation.kernel.seconds + stored / STORED_PER_SECOND


def _is_large(computation: Computation) -> bool:
    return computation.blocks is not None and (
        computation.kernel.seconds > LARGE_SECONDS or memory_whole(computation) > LARGE_BYTES
    )


def memory_of(computation: Computation) -> int:
    """Return the most bytes of a task for a table, or for one of its blocks."""
    whole, kernel = memory_whole(computation), computation.blocks
    if kernel is None or not _is_large(computation):
        return whole
    sides = chunk_shape(computation.dims, computation.shape, kernel.itemsize)
    chunk = dict(zip(computation.dims, sides, strict=True))
    # A block of one chunk and a quarter: the last of a table may be so long.
    rows, columns = (range(chunk[axis] * 5 // 4) for axis in kernel.axes[:2])
    block = WORKER_BYTES + kernel.memory(Block(rows, columns))
    return min(whole, 2 * block)  # the other half is for what waits to be used


def memory_whole(computation: Computation) -> int:
    """Return the memory in bytes of a task that computes a whole table."""
    kernel = computation.kernel
    cells = max(math.prod(computation.shape), kernel.number)
    return WORKER_BYTES + 2 * cells * kernel.itemsize + kernel.beside


def require_memory(game: Ruleset, bound: int, needed: int, memory: int) -> None:
    """Raise `LimitError` if a table needs more than `memory` bytes."""
    if needed > memory:
        raise LimitError(
            f"{game.notation}: bound {bound} is too large: its table needs {in_bytes(needed)} of memory,"
            f" {in_bytes(memory)} can be used"
        )


def in_bytes(n: float) -> str:
    """Return a number of bytes with its unit.

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
