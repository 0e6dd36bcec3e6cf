"""Tables in memory, and their cost."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from choco_pipeline.errors import ChocoError, LimitError
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.games.rules import Face
from choco_pipeline.tables.bounded_game import BoundedGame, estimated_positions
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import NONE, Quantity, coordinate, variable_of
from choco_pipeline.tables.store import HELD_BYTES, chunk_shape
from choco_pipeline.tables.table_kernels import (
    Block,
    BlockKernel,
    Cells,
    ColumnKernel,
    TableKernel,
    grundy_kernel,
)

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray


#: Most positions of a table: no machine has memory for more, and the estimated cost must fit into a float.
MOST_POSITIONS = 10**100
#: Seconds for the smallest table, mainly for creating its group in the store.
SECONDS_PER_TABLE = 0.012
#: Bytes of a stored cell after compression, and bytes written in a second.
STORED_PER_CELL = 0.4
STORED_PER_SECOND = 500e6
#: A table is large, and built in blocks, if computing it as a whole takes more seconds or bytes than this.
LARGE_SECONDS = 10.0
LARGE_BYTES = 1 << 30
#: Memory of a worker without the table.
WORKER_BYTES = 300 << 20
#: Memory of a reader for its computation on one chunk or on a counterexample.
WINDOW_BYTES = 256 << 20
#: A quick table has this bound, halved until it takes about this many seconds.
QUICK_BOUND, QUICK_SECONDS = 256, 0.1
#: A smaller bound than `SMALLEST` is used only if that table takes more than `MOST_SECONDS`.
SMALLEST, MOST_SECONDS = 15, 10.0


@dataclass(frozen=True)
class Computation:
    """The computation of a table by a kernel."""

    kernel: TableKernel
    #: The table's dimensions.
    dims: tuple[str, ...]
    #: Number of the game's positions for each position of the kernel: the number of sizes of a free heap that it leaves out.
    each: int = 1
    #: Whether the table has 1 for P-positions and 0 for others, from Grundy numbers.
    has_outcomes: bool = False

    @property
    def blocks(self) -> BlockKernel | None:
        """The kernel that computes the table in blocks, if there is one."""
        kernel = self.kernel
        if self.has_outcomes or not isinstance(kernel, BlockKernel) or len(kernel.shape) < 2:
            return None
        return kernel

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        sizes = dict(zip(self.kernel.axes, self.kernel.shape, strict=True))
        return tuple(sizes.get(dim, self.kernel.layers) for dim in self.dims)

    def cells(self) -> Cells:
        """Compute the table's cells."""
        numbers = self.kernel.cells(self.dims)
        if not self.has_outcomes:
            return numbers
        cells: Cells = (numbers == 0).astype(np.int8)
        cells[numbers == NONE] = NONE
        return cells

    @property
    def seconds(self) -> float:
        """Estimated seconds on one core to compute and store the table."""
        stored = math.prod(self.shape) * self.kernel.itemsize
        return SECONDS_PER_TABLE + self.kernel.seconds + stored / STORED_PER_SECOND

    @property
    def memory_whole(self) -> int:
        """Peak memory of a task that computes the whole table."""
        cells = max(math.prod(self.shape), self.kernel.number)
        return WORKER_BYTES + 2 * cells * self.kernel.itemsize + self.kernel.beside

    @property
    def is_large(self) -> bool:
        """Whether the table is built in blocks."""
        return self.blocks is not None and (
            self.kernel.seconds > LARGE_SECONDS or self.memory_whole > LARGE_BYTES
        )

    @property
    def memory(self) -> int:
        """Peak memory of a task: for the whole table, or for a block of a large one."""
        kernel = self.blocks
        if kernel is None or not self.is_large:
            return self.memory_whole
        sides = chunk_shape(self.dims, self.shape, kernel.itemsize)
        chunk = dict(zip(self.dims, sides, strict=True))
        # The last block of a row or column may be a quarter longer than a chunk.
        rows, columns = (range(chunk[axis] * 5 // 4) for axis in kernel.axes[:2])
        block = WORKER_BYTES + kernel.memory(Block(rows, columns))
        return min(self.memory_whole, 2 * block)  # half of it is for frontiers of other blocks


@dataclass(frozen=True, kw_only=True)
class OnFace(Computation):
    """A table of 1 for P-positions and 0 for others on the face of a game.

    The kernel leaves out an independent heap: a position is P if and only if the heap's size is the Grundy number of the rest.
    """

    face: Face
    #: The game's coordinates.
    coordinates: tuple[str, ...]
    #: The heap, if any; without one, P-positions have Grundy number 0.
    heap: str | None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        return (*(self.kernel.layers for _ in self.kernel.game.front), *self.face.sizes.values())

    def cells(self) -> Cells:
        """Return the table's cells."""
        grids = np.ogrid[tuple(slice(1, n + 1) for n in self.face.sizes.values())]
        places = dict(zip(self.face.sizes, grids, strict=True))
        at = dict(zip(self.coordinates, self.face.positions(places), strict=True))
        numbers = self.kernel.cells(self.kernel.names)
        place: Any = (..., *(at[name] for name in self.kernel.axes))
        cells = numbers[place]
        is_p = cells == (0 if self.heap is None else at[self.heap])
        return np.broadcast_to(is_p, self.shape).astype(np.int8)


def computation_of(game: Ruleset, bound: int | None, quantity: Quantity) -> Computation:
    """Return the computation of the table of `game`.

    If the game is a sum with a free heap, each position of the rest has one P-position. The size of its heap is the rest's Grundy
    number, also with passes: both are the mex of the same values, because a position of the sum is terminal only if the heap is
    empty and the rest is terminal. Raises `LimitError` if there are more than `MOST_POSITIONS` positions within the bound.
    """
    dims = variable_of(game, quantity).dims
    bounded, rules = BoundedGame.of(game, bound), game.base.rules
    if math.prod(bounded.sizes.values()) > MOST_POSITIONS:
        raise LimitError(f"{game.notation}: bound {bound} is too large for a table on any machine")
    if quantity == "grundy":
        return Computation(grundy_kernel(bounded), dims)
    if rules.free is not None:
        rest = bounded.without(rules.free)
        return Computation(grundy_kernel(rest), dims, bounded.sizes[rules.free])
    if rules.face is not None:
        heap = next(reversed(bounded.heaps), None)
        rest = BoundedGame(replace(rules, within=None), bound, game.passes, bounded.front)
        kernel = grundy_kernel(rest if heap is None else rest.without(heap))
        face, names = rules.face, rules.coordinates
        return OnFace(kernel, dims, has_outcomes=True, face=face, coordinates=names, heap=heap)
    columns = ColumnKernel.of(bounded)
    if columns is None:
        return Computation(grundy_kernel(bounded), dims, has_outcomes=True)
    return Computation(columns, dims)


@dataclass(frozen=True)
class Cost:
    """The cost of a table."""

    #: Number of positions; exact for bounds up to 512, otherwise estimated.
    positions: int
    #: Peak memory in bytes of one of its tasks, and of a single task that computes the whole table.
    memory: int
    memory_whole: int
    #: Peak memory in bytes of a task that checks or mines the stored table.
    memory_to_read: int
    #: Estimated bytes on disk.
    disk: int
    #: Estimated seconds on one core.
    seconds: float
    #: Whether many tasks build it in blocks; this does not depend on the machine.
    large: bool


def cost_of(game: Ruleset, bound: int, quantity: Quantity) -> Cost:
    """Return the cost of a game's table."""
    computation = computation_of(game, bound, quantity)
    cells = math.prod(computation.shape)
    stored = cells * computation.kernel.itemsize
    return Cost(
        positions=estimated_positions(game, bound),
        memory=computation.memory,
        memory_whole=computation.memory_whole,
        memory_to_read=WORKER_BYTES + min(stored, HELD_BYTES) + WINDOW_BYTES,
        disk=int(2000 + cells * STORED_PER_CELL),
        seconds=computation.seconds,
        large=computation.is_large,
    )


def quick_bound(game: Ruleset, quantity: Quantity) -> int:
    """Return the bound of a quick table, or that of a game with a fixed shape."""
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


def require_memory(
    game: Ruleset, bound: int, needed: int, memory: int, what: str = "its table"
) -> None:
    """Raise `LimitError` if a table needs more than `memory` bytes."""
    if needed > memory:
        raise LimitError(
            f"{game.notation}: bound {bound} is too large: {what} needs {in_bytes(needed)} of memory,"
            f" {in_bytes(memory)} can be used"
        )


def in_bytes(n: float) -> str:
    """Return a number of bytes with its unit, as in ``300 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024:
            return f"{n:.3g} {unit}"
        n /= 1024
    return f"{n:,.0f} PiB"


#: Most dimensions of an array of NumPy 2.
MOST_DIMENSIONS = 64
#: Every machine has this much memory. Its limits are read only for larger tables, because that takes a millisecond.
SMALL_BYTES = WORKER_BYTES + (1 << 24)


def grundy_table(ruleset: Ruleset | str, bound: int | None = None) -> xr.Dataset:
    """Return the Grundy numbers of every position within `bound`.

    Parameters
    ----------
    ruleset
        The game, or its notation.
    bound
        Largest value of every coordinate that the shape itself does not limit: x and z of a solid bar or a strip bar,
        z of a step bar, every heap. It may be omitted for a rectangular bar.

    Returns
    -------
    Dataset
        Variable ``grundy``, signed integers, -1 where there is no position. There is one dimension, with a coordinate
        variable, for each coordinate. With passes, the first one is p, the number of passes left.

    Raises
    ------
    RulesetError, HeightError
        If the bound does not fit the ruleset or its height function.
    LimitError
        If the table needs more memory than is available.

    Examples
    --------
    >>> from choco_pipeline import StepBar, WithPass
    >>> int(grundy_table(StepBar(k=1), 15).grundy.sel(y=5, z=9))  # step2015, Fig 4.2
    12
    >>> int(grundy_table("nim(3)", 5).grundy.sel(a=1, b=2, c=3))
    0
    >>> grundy_table(WithPass(StepBar(k=2)), 6).grundy.dims
    ('p', 'y', 'z')
    """
    return table(as_game(ruleset), bound, "grundy")


def p_table(ruleset: Ruleset | str, bound: int | None = None) -> xr.Dataset:
    """Return the P-positions within `bound`, by columns where possible.

    Parameters
    ----------
    ruleset, bound
        As for `grundy_table`.

    Returns
    -------
    Dataset
        One variable of signed integers. With passes, its first dimension is p, the number of passes left.

        - Solid bar: ``p_y`` (x, z), the y of the P-position in the column, or -1. Step bar: ``p_y`` (z).
        - Free heap, such as a strip: its size in the P-position, which may exceed the bound. Strip bar: ``p_x`` (y, z),
          -1 outside the bar. Three heaps of Nim: ``p_c`` (a, b).
        - Rectangular bar: ``p_cell`` (i, j), 1 if the whole bar with its poisoned cell there is P, else 0.
        - Other games: ``p_position`` over all coordinates, 1 for P, 0 for N, or -1 for no position.

    Examples
    --------
    >>> from choco_pipeline import SolidBar, StripBar
    >>> int(p_table(SolidBar("(x+z)//3"), 14).p_y.sel(x=9, z=10))  # solid2022, Example 2.1
    3
    >>> int(p_table(StripBar(k=4, s=2), 7).p_x.sel(y=2, z=7))
    9
    """
    return table(as_game(ruleset), bound, "p-positions")


def cells_of(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> NDArray[np.integer]:
    """Return the cells of `table`, along the dimensions of its variable."""
    limits = ruleset.limits(bound)  # raises an error if a bound is missing
    if len(limits) > MOST_DIMENSIONS:
        raise LimitError(
            f"{ruleset.notation}: a table has at most {MOST_DIMENSIONS} dimensions, this game {len(limits)} coordinates"
        )
    largest = max(limits) if bound is None else bound
    needed = computation_of(ruleset, largest, quantity).memory_whole
    if needed > SMALL_BYTES:
        require_memory(ruleset, largest, needed, worker_memory(1))
    with ruleset.naming():
        return computation_of(ruleset, bound, quantity).cells()


def table(ruleset: Ruleset, bound: int | None, quantity: Quantity) -> xr.Dataset:
    """Return the `grundy_table` or the `p_table` of a game, by `quantity`."""
    cells = cells_of(ruleset, bound, quantity)
    variable = variable_of(ruleset, quantity)
    attributes: dict[str, str | int] = {"ruleset": ruleset.notation, "quantity": quantity}
    if bound is not None:
        attributes["bound"] = int(bound)
    import xarray as xr  # noqa: PLC0415 -- half a second, which a command that only proves can save

    data = xr.DataArray(
        cells,
        dims=variable.dims,
        coords={
            dim: (dim, *coordinate(dim, variable.first(dim), n))
            for dim, n in zip(variable.dims, cells.shape, strict=True)
        },
        attrs=variable.attributes,
    )
    return xr.Dataset({variable.name: data}, attrs=attributes)
