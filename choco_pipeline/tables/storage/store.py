"""Tables in Zarr v3 stores.

There is one store for each shard of a sweep, one group for each table, and a checksum for every chunk.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import TransposeCodec
from zarr.core.buffer import Buffer
from zarr.errors import ZarrUserWarning
from zarr.storage import MemoryStore

from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, commit, package_version
from choco_pipeline.tables.specs.chunks import (
    CODECS,
    Window,
    chunk_name,
    chunk_order,
    chunk_shape,
    chunks_in,
    content_digest,
    encoded,
    table_digest,
    whole,
    within,
)
from choco_pipeline.tables.specs.schema import (
    NOT_COMPUTED,
    Quantity,
    Variable,
    coordinate_attributes,
    coordinate_values,
    variable_of,
)
from choco_pipeline.tables.specs.spec import FORMAT, TableSpec
from choco_pipeline.tables.storage.location import Location

if TYPE_CHECKING:
    import xarray as xr


def store_of(manifest: Path, document: Mapping[str, Any]) -> Location:
    """Return the store that a manifest names: a folder beside it, or a URL."""
    try:
        name = str(document["store"])
    except KeyError:
        raise StoreError(f"{manifest}: it does not say where its store is") from None
    if "://" in name:
        return Location.of_url(name)
    return Location.local(manifest.parent).child(name)


class TableEntry(TypedDict):
    """A table's entry in a manifest: spec, array, size, digests of chunks."""

    ruleset: str
    identity: str
    bound: int
    quantity: Quantity
    variable: str
    dims: list[str]
    shape: list[int]
    dtype: str
    bytes: int
    digest: str
    chunk: list[int]
    chunks: dict[str, str]


class BlockCounts(TypedDict):
    """The blocks of a large table: their numbers by origin."""

    rows: int
    columns: int
    computed: int
    kept: int
    reused: int


class BuiltTable(TableEntry):
    """An entry with the number of settled positions, and the seconds of the build."""

    positions: int
    seconds: float
    seconds_to_store: float


class BuiltInBlocks(BuiltTable):
    """The entry of a large table."""

    blocks: BlockCounts


@dataclass(frozen=True)
class Outline:
    """The array of a table, without its cells."""

    variable: Variable
    #: Shape and dtype of the cells.
    shape: tuple[int, ...]
    dtype: str

    @property
    def chunk(self) -> tuple[int, ...]:
        """The sides of a chunk."""
        return chunk_shape(self.variable.dims, self.shape, np.dtype(self.dtype).itemsize)


def create_table(store: Location, spec: TableSpec, outline: Outline) -> zarr.Array[Any]:
    """Create the group and the array of a table, after removal of an unfinished one.

    Only one process may do so in a store at a time; the cells may then be written by many, each chunk by one.
    """
    store.remove(spec.table_id)
    root = zarr.open_group(store.store(), mode="a", zarr_format=3, use_consolidated=False)
    attributes: dict[str, Any] = {
        "ruleset": spec.ruleset,
        "bound": spec.bound,
        "quantity": spec.quantity,
        "format": FORMAT,
        "package_version": package_version(),
        "commit": commit(),
        "kernels": code_digest(TABLE_CODE),
    }
    group = root.create_group(spec.table_id, attributes=attributes)
    write_coordinates(store, spec.table_id, outline)
    order = chunk_order(outline.variable.dims)
    return group.create_array(
        outline.variable.name,
        shape=outline.shape,
        dtype=outline.dtype,
        chunks=outline.chunk,
        dimension_names=outline.variable.dims,
        fill_value=NOT_COMPUTED,
        filters=() if order == tuple(sorted(order)) else (TransposeCodec(order=order),),
        compressors=CODECS,
        attributes=outline.variable.attributes | {"_FillValue": NOT_COMPUTED},
    )


def write_coordinates(store: Location, table_id: str, outline: Outline) -> None:
    """Write, or rewrite, the coordinate variables of a table."""
    for dim, n in zip(outline.variable.dims, outline.shape, strict=True):
        for name, content in _coordinate(dim, outline.variable.first(dim), n).items():
            store.write(f"{table_id}/{dim}/{name}", content)


@cache  # zarr takes 10 ms for an array, as long as for all else of a small table; those of a sweep have the same few
def _coordinate(dim: str, first: int, length: int) -> dict[str, bytes]:
    files: dict[str, Buffer] = {}
    zarr.create_array(
        MemoryStore(files),
        data=coordinate_values(first, length),
        chunks=(length,),
        dimension_names=(dim,),
        fill_value=NOT_COMPUTED,
        compressors=CODECS,
        attributes={**coordinate_attributes(dim)},
    )
    return {name: content.to_bytes() for name, content in files.items()}


def write_cells(
    store: Location, table_id: str, outline: Outline, window: Window, cells: NDArray[np.integer]
) -> dict[str, str]:
    """Write the cells of a window of whole chunks; return the chunks' digests."""
    array = store.child(f"{table_id}/{outline.variable.name}")
    order, chunk = chunk_order(outline.variable.dims), outline.chunk
    origin = [side.start for side in window]
    digests = {}
    for place, part in chunks_in(window, chunk):
        content = encoded(cells[within(part, origin)], chunk, order, NOT_COMPUTED)
        name = chunk_name(place)
        array.write(name, content)
        digests[name] = content_digest(content)
    return digests


def write_table(store: Location, spec: TableSpec, data: xr.Dataset) -> TableEntry:
    """Write a table as a group of `store`, after removal of an unfinished one.

    The shard's store is created if missing; only one process may write to it. Return the entry of the table in the manifest,
    without the costs of the build.
    """
    (name,) = (str(n) for n in data.data_vars)
    cells = np.asarray(
        data[name].values, order="C"
    )  # which leaves a single cell without dimensions
    outline = Outline(
        variable_of(spec.game(), spec.quantity),
        cells.shape,
        str(cells.dtype),
    )
    what = f"table {spec.table_id} ({spec.ruleset}) cannot be written"
    with store.failures(what, cells.nbytes):
        create_table(store, spec, outline)
        digests = write_cells(store, spec.table_id, outline, whole(cells.shape), cells)
    return entry_of(store, spec, outline, digests)


def entry_of(
    store: Location, spec: TableSpec, outline: Outline, digests: Mapping[str, str]
) -> TableEntry:
    """Return the manifest's entry of a table whose chunks have these digests.

    Its bytes are those of its arrays: the group's own document grows when the store is finished.
    """
    files = store.files(spec.table_id)
    return {
        "ruleset": spec.ruleset,
        "identity": spec.identity,
        "bound": spec.bound,
        "quantity": spec.quantity,
        "variable": outline.variable.name,
        "dims": list(outline.variable.dims),
        "shape": list(outline.shape),
        "dtype": outline.dtype,
        "bytes": sum(size for name, size in files if name != f"{spec.table_id}/zarr.json"),
        "digest": table_digest(outline.shape, outline.dtype, outline.chunk, digests),
        "chunk": list(outline.chunk),
        "chunks": dict(digests),
    }


def finish_store(store: Location, table_ids: Sequence[str]) -> None:
    """Add consolidated metadata to a finished store.

    With it xarray opens the store without a warning. Files that a killed process has begun are removed.
    """
    store.remove_partial()
    with store.failures("its metadata cannot be gathered"), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ZarrUserWarning
        )  # that the Zarr 3 standard has no word for it yet
        for table_id in table_ids:
            zarr.consolidate_metadata(store.store(), path=table_id)
        zarr.consolidate_metadata(store.store())
