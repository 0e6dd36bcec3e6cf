"""Stored tables that are looked at chunk by chunk, so that memory does not grow with the table."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import zarr
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset
from choco_pipeline.kernels.heights import Table
from choco_pipeline.tables.computing.cost import HELD_BYTES
from choco_pipeline.tables.specs.chunks import Box, chunk_order, chunks_in, decoded
from choco_pipeline.tables.specs.schema import Variable, variable_of
from choco_pipeline.tables.storage.checked import checked_chunk, place_of, stored_coordinate
from choco_pipeline.tables.storage.location import FAILURES, Location
from choco_pipeline.tables.storage.store import require_computed, require_outline, unreadable

if TYPE_CHECKING:
    import xarray as xr

#: Part of an array: an index or a slice along each dimension; a window has slices only.
Index: TypeAlias = tuple[int | slice, ...]
Window: TypeAlias = tuple[slice, ...]


@dataclass
class _Chunks:
    """The chunks of a stored array; the ones used last are kept, up to `HELD_BYTES`."""

    store: Location
    table_id: str
    entry: Mapping[str, Any]
    order: tuple[int, ...]
    _kept: OrderedDict[tuple[int, ...], Table] = field(default_factory=OrderedDict)

    @property
    def sides(self) -> tuple[int, ...]:
        """Of a chunk."""
        return tuple(self.entry["chunk"])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the cells."""
        dtype: np.dtype[Any] = np.dtype(self.entry["dtype"])
        return dtype

    def __getitem__(self, place: tuple[int, ...]) -> Table:
        """Return the cells of a chunk that the table has, in a view whose order in memory is the stored one."""
        chunk = self._kept.pop(place, None)
        if chunk is None:
            where = place_of(self.store, self.table_id, self.entry)
            try:
                content = checked_chunk(self.store, self.table_id, self.entry, place)
                whole = decoded(content, self.sides, self.order, self.dtype)
            except (*FAILURES, KeyError, ValueError, RuntimeError) as error:
                raise unreadable(where, error) from None
            sides = zip(place, self.sides, self.entry["shape"], strict=True)
            chunk = whole[tuple(slice(min(side, n - i * side)) for i, side, n in sides)]
            require_computed(where, chunk)
            most = max(1, HELD_BYTES // max(1, whole.nbytes))
            while len(self._kept) >= most:
                self._kept.popitem(last=False)
        self._kept[place] = chunk
        return chunk


@dataclass(frozen=True)
class StoredCells:
    """The cells of a stored table, or of a corner of it, read when they are asked for.

    Indexed like an array, by integers and by slices without a step: ``cells[3, 0:2048]``. What is asked for is returned
    whole, so ask for no more than what fits into memory. Chunks are checked against their checksums as they are read.
    """

    #: The variable.
    name: str
    #: Of the table, or of the corner.
    shape: tuple[int, ...]
    _chunks: _Chunks = field(repr=False)

    @classmethod
    def open(cls, store: Location, table_id: str, entry: Mapping[str, Any]) -> StoredCells:
        """Return the cells of a table; arguments and errors as for `read_table`."""
        where = place_of(store, table_id, entry)
        path = f"{table_id}/{entry['variable']}"
        try:
            array = zarr.open_array(store.store(), path=path, mode="r", zarr_format=3)
        except (*FAILURES, KeyError, ValueError, RuntimeError) as error:
            raise unreadable(where, error) from None
        require_outline(where, array, entry)
        chunks = _Chunks(store, table_id, entry, chunk_order(entry["dims"]))
        return cls(entry["variable"], tuple(entry["shape"]), chunks)

    def corner(self, sides: Sequence[int]) -> StoredCells:
        """Return the corner at the origin with at most so many cells along each dimension."""
        shape = tuple(min(n, side) for n, side in zip(self.shape, sides, strict=True))
        return StoredCells(self.name, shape, self._chunks)

    def windows(self) -> Iterator[Window]:
        """Yield parts that lie in one chunk each and together make up the whole."""
        chunk = self._chunks.sides
        for place in chunks_in(tuple((0, n) for n in self.shape), chunk):
            yield tuple(
                slice(i * side, min((i + 1) * side, n))
                for i, side, n in zip(place, chunk, self.shape, strict=True)
            )

    def __getitem__(self, index: Index) -> Table:
        """Return a part of the cells."""
        box = tuple(
            i.indices(n)[:2] if isinstance(i, slice) else (i, i + 1)
            for i, n in zip(index, self.shape, strict=True)
        )
        if any(stop > n for (_, stop), n in zip(box, self.shape, strict=True)):
            raise IndexError(f"{index} lies outside of {self.shape}")
        cells = self._read(box)
        return cells[tuple(slice(None) if isinstance(i, slice) else 0 for i in index)]

    def _read(self, box: Box) -> Table:
        chunk = self._chunks.sides
        places = list(chunks_in(box, chunk))
        cells = np.empty([stop - first for first, stop in box], self._chunks.dtype)
        for place in places:
            source, target = [], []
            for (first, stop), i, side in zip(box, place, chunk, strict=True):
                a, b = max(first, i * side), min(stop, (i + 1) * side)
                source.append(slice(a - i * side, b - i * side))
                target.append(slice(a - first, b - first))
            part = self._chunks[place][tuple(source)]
            if len(places) == 1:
                return part
            cells[tuple(target)] = part
        return cells


def read_table(store: Location, table_id: str, entry: Mapping[str, Any]) -> xr.Dataset:
    """Return a stored table, checked against its manifest entry's shape and dtype and against its chunks' checksums.

    Raises `StoreError` if the store or a chunk of it is missing, damaged, or not what the manifest says.
    """
    import xarray as xr  # noqa: PLC0415 -- half a second, which what only plans a run does without

    stored = StoredCells.open(store, table_id, entry)
    cells = np.array(stored[(slice(None),) * len(stored.shape)], order="C")
    try:
        group = zarr.open_group(store.store(), path=table_id, mode="r", use_consolidated=False)
        arrays = {name: cast("zarr.Array[Any]", group[name]) for name in group.array_keys()}
        attributes = dict(arrays.pop(stored.name).attrs)
        attributes.pop("_FillValue", None)
        coordinates = {
            dim: (dim, stored_coordinate(array), dict(array.attrs)) for dim, array in arrays.items()
        }
        data = xr.DataArray(cells, dims=entry["dims"], coords=coordinates, attrs=attributes)
        return xr.Dataset({stored.name: data}, attrs=dict(group.attrs))
    except (*FAILURES, KeyError, ValueError, RuntimeError) as error:
        raise unreadable(place_of(store, table_id, entry), error) from None


#: The cells of a table, in memory or stored; both have a shape and are indexed alike.
TableCells: TypeAlias = NDArray[np.integer] | StoredCells
#: A table: computed or read whole, or stored.
TableData: TypeAlias = "xr.Dataset | StoredCells"


def cells_of(game: Ruleset, data: TableData) -> tuple[Variable, TableCells]:
    """Return what a table of either quantity holds, and its cells, dimensions as in the variable."""
    if isinstance(data, StoredCells):
        return variable_of(game, "grundy" if data.name == "grundy" else "p-positions"), data
    variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
    return variable, data[variable.name].transpose(*variable.dims).values


def corner_of(cells: TableCells, sides: Sequence[int]) -> TableCells:
    """Return the corner at the origin with at most so many cells along each dimension."""
    if isinstance(cells, StoredCells):
        return cells.corner(sides)
    return cells[tuple(map(slice, sides))]


def windows_of(cells: TableCells) -> Iterator[Window]:
    """Yield parts that fit into memory and together make up the whole: chunks of stored cells, else all."""
    if isinstance(cells, StoredCells):
        yield from cells.windows()
    else:
        yield tuple(slice(0, n) for n in cells.shape)
