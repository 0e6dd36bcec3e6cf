"""Access to the cells of a table: by position, in blocks, or as rows.

A block stores the coordinates of its cells as flat arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.documents.record import read_record
from choco_pipeline.formula import Formula
from choco_pipeline.games import Position, Ruleset, as_game, parse_ruleset
from choco_pipeline.games.listing import evaluate_at as evaluate_at
from choco_pipeline.games.listing import holds_at as holds_at
from choco_pipeline.kernels.dtypes import Table
from choco_pipeline.tables.bounded_game import heights_over
from choco_pipeline.tables.computing import cells_of, p_table
from choco_pipeline.tables.location import Location
from choco_pipeline.tables.spec import NONE, Quantity, Variable, variable_of
from choco_pipeline.tables.store import (
    StoredTable,
    Window,
    chunks_in,
    store_of,
    stored_tables,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

#: The cells of a table, in memory or stored; both have a shape and are indexed alike.
TableCells: TypeAlias = NDArray[np.integer] | StoredTable
#: A table: computed or read whole, or stored.
TableData: TypeAlias = "xr.Dataset | StoredTable"
Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
#: Points in columns: one array of values for each coordinate, all of the same length.
Points = dict[str, Ints]

#: Number of cells in a block; their coordinates take a few megabytes.
BLOCK = 1 << 18


@dataclass(frozen=True)
class CellBlock:
    """The cells of a part of a table that represent a position or a column, in order."""

    #: The coordinates that index the cells.
    points: Points
    #: The content of the cells.
    values: Ints
    #: Largest legal value of the stored coordinate, or the bound if it has no limit; None if no coordinate is stored.
    tops: Ints | None

    def __len__(self) -> int:
        return self.values.size

    def chosen(self, keep: Truths) -> CellBlock:
        """Return the cells where `keep` is true."""
        tops = None if self.tops is None else self.tops[keep]
        return CellBlock(select(self.points, keep), self.values[keep], tops)

    def within(self, where: Formula | None) -> CellBlock:
        """Return the cells whose coordinates satisfy a condition; None keeps all."""
        return self if where is None else self.chosen(holds_at(where, self.points))


@dataclass(frozen=True)
class Slab:
    """A box of a table's cells."""

    #: The first value of each dimension's coordinate.
    starts: tuple[int, ...]
    #: The content of all cells, including those without a position or column.
    cells: NDArray[np.integer]
    #: As in `CellBlock`, of the same shape as `cells`.
    tops: NDArray[np.int32] | None


@dataclass(frozen=True)
class Cells:
    """The cells of one table."""

    game: Ruleset
    bound: int
    #: The meaning of the cells.
    variable: Variable
    #: The values, with the dimensions of `variable`.
    cells: TableCells

    @classmethod
    def of(cls, game: Ruleset, bound: int, data: TableData) -> Cells:
        """Return the cells of a table of either quantity."""
        if isinstance(data, StoredTable):
            quantity: Quantity = "grundy" if data.name == "grundy" else "p-positions"
            return cls(game, bound, variable_of(game, quantity), data)
        variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
        return cls(game, bound, variable, data[variable.name].transpose(*variable.dims).values)

    @classmethod
    def open(cls, store: Location, table_id: str, entry: Mapping[str, Any]) -> Cells:
        """Open a stored table; arguments and errors as for `read_table`."""
        stored = StoredTable.open(store, table_id, entry)
        return cls.of(parse_ruleset(entry["ruleset"]), int(entry["bound"]), stored)

    @classmethod
    def computed(cls, game: Ruleset, bound: int, quantity: Quantity) -> Cells:
        """Compute the table of a game."""
        return cls(game, bound, variable_of(game, quantity), cells_of(game, bound, quantity))

    def corner(self, bound: int) -> Cells:
        """Return the part within `bound`, or the whole table if `bound` is larger."""
        rules = self.game.base.rules
        if bound >= self.bound or not rules.unbounded:
            return self
        largest = dict(zip(rules.coordinates, self.game.limits(bound), strict=False))
        sides = [
            min(largest.get(name, n) + 1, n)
            for name, n in zip(self.variable.dims, self.cells.shape, strict=True)
        ]
        if isinstance(self.cells, StoredTable):
            cells: TableCells = self.cells.corner(sides)
        else:
            cells = self.cells[tuple(map(slice, sides))]
        return Cells(self.game, bound, self.variable, cells)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        return self.cells.shape

    @property
    def array(self) -> NDArray[np.integer]:
        """All cells, in memory."""
        return self.cells[tuple(map(slice, self.shape))]

    @property
    def is_whole(self) -> bool:
        """Whether the game is finite, so that the table holds all its positions."""
        return not self.game.base.rules.unbounded

    @property
    def free(self) -> str | None:
        """The stored coordinate, if it has no limit: a strip or a heap of any size."""
        return None if self.variable.stored in self.game.base.rules.limits else self.variable.stored

    def slabs(self, size: int = BLOCK) -> Iterator[Slab]:
        """Yield the table in boxes of at most `size` cells, read chunk by chunk."""
        cells = self.cells
        chunk = cells.entry["chunk"] if isinstance(cells, StoredTable) else cells.shape
        for _, window in chunks_in(whole(cells.shape), chunk):
            part = cells[window]
            for where in _slabs(part, size):
                box = tuple(
                    slice(at.start + side.start, at.start + min(side.stop, n))
                    for at, side, n in zip(window, where, part.shape, strict=True)
                )
                dims = zip(self.variable.dims, box, strict=True)
                starts = tuple(side.start + self.variable.first(name) for name, side in dims)
                yield Slab(starts, part[where], self._tops(box))

    def blocks(self, size: int = BLOCK) -> Iterator[CellBlock]:
        """Yield the cells that represent a position or a column, block by block."""
        return map(self.block_of, self.slabs(size))

    def block_of(self, slab: Slab) -> CellBlock:
        """Return the cells of a slab that represent a position or a column."""
        exists = self._exists(slab.cells)
        tops = None if slab.tops is None else _chosen(slab.tops, exists).astype(np.int64)
        values = _chosen(slab.cells, exists).astype(np.int64)
        return CellBlock(self._points(slab.starts, exists), values, tops)

    def first_of(self, slab: Slab) -> Position:
        """Return lower bounds of the coordinates of all positions in a slab."""
        starts = dict(zip(self.variable.dims, slab.starts, strict=True))
        return tuple(starts.get(name, 0) for name in self.game.coordinates)

    def part_within(self, slab: Slab, size: int) -> Slab:
        """Return the part of a slab with coordinates up to `size`; it must not be empty."""
        heaps = self.game.base.coordinates
        sides = zip(self.variable.dims, slab.starts, strict=True)
        part = tuple(slice(size + 1 - a) if name in heaps else slice(None) for name, a in sides)
        return Slab(slab.starts, slab.cells[part], None if slab.tops is None else slab.tops[part])

    def p_positions(self, size: int = BLOCK) -> Iterator[Points]:
        """Yield the coordinates of the P-positions, block by block."""
        return map(self.p_positions_of, self.slabs(size))

    def all_p_positions(self, reach: int | None = None) -> Points:
        """Return the coordinates of all P-positions of size up to `reach`."""
        parts = [self.within_reach(points, reach) for points in self.p_positions()]
        names = self.game.coordinates
        return {name: np.concatenate([part[name] for part in parts]) for name in names}

    def p_positions_of(self, slab: Slab) -> Points:
        """Return all coordinates of the P-positions in a slab."""
        keep = self.holds_p(slab.cells)
        points = self._points(slab.starts, keep)
        if self.variable.stored is not None:
            points[self.variable.stored] = _chosen(slab.cells, keep).astype(np.int64)
        return points

    def holds_p(self, values: NDArray[np.integer]) -> Truths:
        """Return a mask of the cells with a P-position, from their values."""
        is_p = 0 if self.variable.name == "grundy" else 1
        held: Truths = values == is_p if self.variable.stored is None else values != NONE
        return held

    def positions(self, points: Points) -> Ints:
        """Return points as an array of positions, one in each row."""
        return np.stack(self._columns(points), axis=1)

    def sizes(self, points: Points) -> Ints:
        """Return the largest coordinate of each point, except passes."""
        return reduce(np.maximum, self._columns(points)[: len(self.game.base.coordinates)])

    def size(self, position: Position) -> int:
        """Return the largest coordinate of a position, except passes."""
        return max(position[: len(self.game.base.coordinates)])

    def _columns(self, points: Points) -> list[Ints]:
        face = self.variable.face
        columns = [] if face is None else [*face.positions(points)]
        return [*columns, *(points[name] for name in self.game.coordinates[len(columns) :])]

    def within_reach(self, points: Points, reach: int | None) -> Points:
        """Return the points of size up to `reach`; None keeps all."""
        return points if reach is None else select(points, self.sizes(points) <= reach)

    def covers(self, position: Position) -> bool:
        """Whether the table has the outcome of this legal position."""
        face = self.variable.face
        if face is not None:
            return face.holds(position[: len(face.position)])
        index = self._index(position)
        return all(i < n for i, n in zip(index, self.cells.shape, strict=True))

    def grundy(self, position: Position) -> int:
        """Return the Grundy number of a covered position, from a table of Grundy numbers."""
        if self.variable.name != "grundy":
            raise ValueError(f"a table of {self.variable.name} holds no Grundy numbers")
        return int(self.cells[self._index(position)])

    def is_p_position(self, position: Position) -> bool:
        """Whether a covered position is a P-position."""
        value, stored = self.cells[self._index(position)], self.variable.stored
        is_p = bool(self.holds_p(np.asarray(value)))
        return is_p and (stored is None or int(value) == self.named(position)[stored])

    def stored(self, position: Position) -> int | None:
        """Return the stored coordinate of the P-position in a position's column, if any."""
        value = int(self.cells[self._index(position)])
        return None if self.variable.stored is None or value == NONE else value

    def named(self, position: Position) -> dict[str, int]:
        """Return the coordinates of a position by their names in formulas."""
        face = self.variable.face
        split = 0 if face is None else len(face.position)
        named = dict(zip(self.game.coordinates[split:], position[split:], strict=True))
        return named if face is None else face.place(position[:split]) | named

    def _index(self, position: Position) -> tuple[int, ...]:
        named = self.named(position)
        return tuple(named[dim] - self.variable.first(dim) for dim in self.variable.dims)

    def _points(self, starts: tuple[int, ...], keep: Truths) -> Points:
        if keep.all():  # as for the columns of every solid bar
            grid: tuple[Ints, ...] = np.indices(keep.shape, np.int64, sparse=True)
            points = [
                np.broadcast_to(ramp + a, keep.shape).reshape(-1)
                for ramp, a in zip(grid, starts, strict=True)
            ]
        else:
            points = [index + a for index, a in zip(np.nonzero(keep), starts, strict=True)]
        return dict(zip(self.variable.dims, points, strict=True))

    def _exists(self, part: NDArray[np.integer]) -> Truths:
        """Return a mask of the cells that represent a position or a column."""
        if self.variable.stored is not None and self.free is None:
            return np.ones(part.shape, np.bool_)
        exists: Truths = part != NONE
        return exists

    def _tops(self, box: Window) -> NDArray[np.int32] | None:
        """Return the largest legal values of the stored coordinate, if any, in a box."""
        stored, dims = self.variable.stored, self.variable.dims
        if stored is None:
            return None
        shape = [side.stop - side.start for side in box]
        if self.free is not None:
            return np.broadcast_to(np.array(self.bound, np.int32), shape)
        sides = {dim: range(at.start, at.stop) for dim, at in zip(dims, box, strict=True)}
        return heights_over(self.game.base.rules.limits[stored], sides)


def are_positions(game: Ruleset, points: Points) -> Truths:
    """Return a mask of the points, of natural numbers, that are positions."""
    rules = game.rules
    inside = np.ones(points[rules.coordinates[0]].size, np.bool_)
    for name, limit in rules.limits.items():
        inside &= points[name] <= limit.height.at_points(*(points[other] for other in limit.of))
    for condition in (rules.within, rules.legal):
        if condition is not None:
            inside[inside] = holds_at(condition, select(points, inside))
    return inside


def select(points: Points, keep: Truths) -> Points:
    """Return the points where `keep` is true."""
    if keep.all():
        return points
    rows = np.flatnonzero(keep)  # indexing by row numbers is faster than by a mask
    return {name: values[rows] for name, values in points.items()}


def select_where(points: Points, where: Formula | None) -> Points:
    """Return the points that satisfy a condition; None keeps all."""
    return points if where is None else select(points, holds_at(where, points))


def _chosen(values: NDArray[Any], keep: Truths) -> NDArray[Any]:
    flat = values.reshape(-1)
    return flat if keep.all() else flat[np.flatnonzero(keep)]


def _slabs(cells: NDArray[np.integer], size: int) -> Iterator[tuple[slice, ...]]:
    """Yield boxes of at most `size` cells, longest along adjacent cells in memory."""
    sides, room = [1] * cells.ndim, size
    for axis in sorted(range(cells.ndim), key=lambda axis: (cells.strides[axis], -axis)):
        sides[axis] = max(1, min(cells.shape[axis], room))
        room //= max(1, cells.shape[axis])
    starts = [range(0, n, side) for n, side in zip(cells.shape, sides, strict=True)]
    for corner in product(*starts):
        yield tuple(slice(at, at + side) for at, side in zip(corner, sides, strict=True))


def growing_bounds(bound: int) -> list[int]:
    """Return bounds that double up to `bound`, at most six of them."""
    steps = [bound]
    while steps[-1] // 2 >= 16 and len(steps) < 6:
        steps.append(steps[-1] // 2)
    return steps[::-1]


def find_table(
    folder: Path, game: Ruleset, quantity: Quantity, positions: Collection[Position]
) -> Cells | None:
    """Return a stored table of `game` that covers legal positions, if any.

    Tables computed by other versions of the code are ignored. Raises `StoreError` if the store cannot be opened. Access to a
    damaged chunk of the result raises it, too.
    """
    for stored, spec in stored_tables(folder):
        if (spec.identity, spec.quantity) == (game.identity, quantity):
            table = Cells.open(stored.store, stored.table_id, stored.entry)
            if all(map(table.covers, positions)):
                return table
    return None


def stored_table(results: Path, entry: Mapping[str, Any]) -> StoredTable:
    """Open a stored table.

    `results` is the folder with ``tables/``. `entry` is from a ledger: the manifest's entry with id and shard. Errors are as for
    `read_table`.
    """
    manifest = results / "tables" / f"{entry['shard']}.done.json"
    written = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    return StoredTable.open(_store(manifest, written), entry["id"], entry)


def stored_corner(results: Path, entry: Mapping[str, Any], sides: Sequence[int]) -> Table:
    """Read the corner of a stored table, at most `sides` cells along each dimension."""
    cells = stored_table(results, entry).corner(sides)
    return cells[(slice(None),) * len(cells.shape)]


@lru_cache(maxsize=64)
def _store(manifest: Path, written: int) -> Location:
    """Return the store of a manifest; `written` invalidates the cache after a change."""
    return store_of(manifest, read_record(manifest))


def p_positions(game: Ruleset | str, bound: int | None = None) -> pd.DataFrame:
    """Return the P-positions of a game, one in each row, sorted.

    Arguments are as for `choco_pipeline.p_table`.

    There is a column of integers for each coordinate. The size of a free heap, such as a strip, may exceed the bound.

    Examples
    --------
    >>> from choco_pipeline import Nim, p_positions
    >>> p_positions("nim(2)", 2).equals(p_positions(Nim(2), 2))
    True
    >>> p_positions(Nim(2), 2).values.tolist()
    [[0, 0], [1, 1], [2, 2]]
    """
    game = as_game(game)
    largest = max(game.limits(bound))
    return p_position_rows(Cells.of(game, largest, p_table(game, bound)))


def p_position_rows(cells: Cells) -> pd.DataFrame:
    """Return the P-positions of a table, in the form of `p_positions`."""
    import pandas as pd  # noqa: PLC0415 -- a third of a second, which most commands can save

    names = list(cells.game.coordinates)
    blocks = [cells.positions(points) for points in cells.p_positions()]
    rows = np.concatenate([np.empty((0, len(names)), np.int64), *blocks])
    return pd.DataFrame(rows, columns=names).sort_values(names, ignore_index=True)
