"""Tables in Zarr v3 stores.

Each shard of a sweep has a store, and each table a group in it. A chunk is compressed, checked and read as a unit: readers compare
its bytes with their digest in the manifest. Its sides depend neither on the bound nor on the blocks of a large table. Therefore a
table of a larger bound begins with the same chunks, byte for byte. The bytes of a chunk have y as the innermost dimension, as in the
arrays of kernels. Transposing the cells would take as long as compressing them.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

import google_crc32c
import numpy as np
import zarr
from numcodecs import Blosc
from numpy.typing import NDArray
from zarr.codecs import BloscCodec, Crc32cCodec, TransposeCodec
from zarr.core.buffer import Buffer
from zarr.errors import ZarrUserWarning
from zarr.storage import MemoryStore

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.kernels.dtypes import Table
from choco_pipeline.provenance import TABLE_CODE, code_digest, commit, package_version
from choco_pipeline.tables.location import Location, failures, reason
from choco_pipeline.tables.spec import (
    FORMAT,
    NOT_COMPUTED,
    Quantity,
    TableSpec,
    Variable,
    coordinate,
    variable_of,
)

if TYPE_CHECKING:
    import xarray as xr


#: Most bytes of an uncompressed chunk: enough to compress well, few enough to read a small part of a table.
CHUNK_BYTES = 8 << 20
#: LZ4 takes a sixth of a fast kernel's time. Zstandard halves the bytes on disk, but takes as long as the kernel. Shuffling
#: bits instead of bytes saves 2 to 31 % of the bytes, but takes up to twice as long to write and three times as long to read.
CODECS = (BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"), Crc32cCodec())
_COMPRESSOR = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)

#: Memory of a reader for cached chunks.
HELD_BYTES = 64 << 20

#: A part of an array: a slice with start and stop, without a step, along each dimension.
Window = tuple[slice, ...]


def chunk_shape(dims: Sequence[str], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the sides of a chunk, which are powers of two.

    The side along p is 1. The other sides are equal, and as long as `CHUNK_BYTES` allows. If there are three or more of them,
    the innermost is four times as long: blocks cut only the others, and can then be small. A side is at most the dimension,
    rounded up to a power of two.
    """
    axes = len([dim for dim in dims if dim != "p"])
    longer = 4 if axes >= 3 else 1
    side = 1
    while (2 * side) ** max(axes, 1) * longer * itemsize <= CHUNK_BYTES:
        side *= 2
    sides = [1 if dim == "p" else side for dim in dims]
    if axes:
        sides[chunk_order(dims)[-1]] *= longer
    return tuple(
        min(side, 1 << (max(n, 1) - 1).bit_length()) for side, n in zip(sides, shape, strict=True)
    )


def chunk_order(dims: Sequence[str]) -> tuple[int, ...]:
    """Return the order of the dimensions in the bytes of a chunk: y is last."""
    return tuple(sorted(range(len(dims)), key=lambda axis: dims[axis] == "y"))


def whole(shape: Sequence[int]) -> Window:
    """Return the window of all cells."""
    return tuple(slice(0, n) for n in shape)


def within(part: Window, origin: Sequence[int]) -> Window:
    """Return a window relative to another origin."""
    sides = zip(part, origin, strict=True)
    return tuple(slice(side.start - at, side.stop - at) for side, at in sides)


def chunks_in(window: Window, chunk: Sequence[int]) -> Iterator[tuple[tuple[int, ...], Window]]:
    """Yield the grid index and the window of every chunk in a window, in grid order."""
    sides = list(zip(window, chunk, strict=True))
    ranges = (range(part.start // side, -(-part.stop // side)) for part, side in sides)
    for place in product(*ranges):
        yield (
            place,
            tuple(
                slice(max(part.start, i * side), min(part.stop, (i + 1) * side))
                for i, (part, side) in zip(place, sides, strict=True)
            ),
        )


def chunk_name(place: Sequence[int]) -> str:
    """Return Zarr's name of a chunk, relative to its array."""
    return "/".join(["c", *map(str, place)])


def encoded(cells: NDArray[Any], chunk: Sequence[int], order: Sequence[int], fill: int) -> bytes:
    """Return the bytes of a stored chunk, as Zarr writes them.

    This takes less than half of Zarr's time. A chunk at the end of the table is padded with `fill`. `order` is from
    `chunk_order`.
    """
    ordered = cells.transpose(order)
    sides = tuple(chunk[axis] for axis in order)
    dtype = cells.dtype.newbyteorder("<")
    if ordered.shape == sides:
        padded = np.ascontiguousarray(ordered, dtype)
    else:
        padded = np.full(sides, fill, dtype)
        padded[tuple(map(slice, ordered.shape))] = ordered
    content = bytes(_COMPRESSOR.encode(padded))
    return content + int(google_crc32c.value(content)).to_bytes(4, "little")


def decoded(
    content: bytes, chunk: Sequence[int], order: Sequence[int], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return the cells of a stored chunk, with padding at the end of the table.

    The result is a view of the decompressed bytes. Zarr would copy them in transposed order, which takes ten times as long as
    decompressing. Raises `ValueError` or `RuntimeError` if the bytes are not a chunk of this shape and type.
    """
    cells = np.frombuffer(_COMPRESSOR.decode(content[:-4]), dtype.newbyteorder("<"))
    ordered = cells.reshape([chunk[axis] for axis in order])
    return ordered.transpose(np.argsort(order))


def table_digest(
    shape: Sequence[int], dtype: str, chunk: Sequence[int], digests: Mapping[str, str]
) -> str:
    """Return the SHA-256 of shape, dtype, chunk sides and all chunks' digests."""
    digest = hashlib.sha256(f"{dtype};{list(shape)};{list(chunk)};".encode())
    for place, _ in chunks_in(whole(shape), chunk):
        digest.update(bytes.fromhex(digests[chunk_name(place)]))
    return digest.hexdigest()


def store_of(manifest: Path, document: Mapping[str, Any]) -> Location:
    """Return the store that a manifest names: a folder beside it, or a URL."""
    try:
        name = str(document["store"])
    except KeyError:
        raise StoreError(f"{manifest}: it does not say where its store is") from None
    if "://" in name:
        return Location.of_url(name)
    return Location.local(manifest.parent).child(name)


class TableEntry(TypedDict, total=False):
    """A table's entry in a manifest: spec, array, digests, and cost of the build."""

    ruleset: str
    identity: str
    bound: int
    quantity: Quantity
    variable: str
    dims: list[str]
    shape: list[int]
    dtype: str
    chunk: list[int]
    #: Size of its arrays, without the group's metadata, which grows when the store is finished.
    bytes: int
    #: Digest of the table, and digests of its chunks by name.
    digest: str
    chunks: dict[str, str]
    #: Number of positions, and the seconds of the build.
    positions: int
    seconds: float
    seconds_to_store: float
    #: Only for a large table: numbers of rows and columns of blocks, and of blocks by origin.
    blocks: Mapping[str, int]


@dataclass(frozen=True)
class Outline:
    """The array of a table, without its cells."""

    spec: TableSpec
    variable: Variable
    #: Shape and dtype of the cells.
    shape: tuple[int, ...]
    dtype: str

    @property
    def chunk(self) -> tuple[int, ...]:
        """The sides of a chunk."""
        return chunk_shape(self.variable.dims, self.shape, np.dtype(self.dtype).itemsize)

    def create(self, store: Location) -> zarr.Array[Any]:
        """Create the group and the array of the table; replace an unfinished one.

        Only one process at a time may do so in a store. Then several processes may write cells, but only one each chunk.
        """
        spec, variable = self.spec, self.variable
        store.remove(spec.table_id)
        root = zarr.open_group(store.store(), mode="a", zarr_format=3, use_consolidated=False)
        attributes = {
            "ruleset": spec.ruleset,
            "bound": spec.bound,
            "quantity": spec.quantity,
            "format": FORMAT,
            "package_version": package_version(),
            "commit": commit(),
            "kernels": code_digest(TABLE_CODE),
        }
        group = root.create_group(spec.table_id, attributes=attributes)
        self.write_coordinates(store)
        order = chunk_order(variable.dims)
        return group.create_array(
            variable.name,
            shape=self.shape,
            dtype=self.dtype,
            chunks=self.chunk,
            dimension_names=variable.dims,
            fill_value=NOT_COMPUTED,
            filters=() if order == tuple(sorted(order)) else (TransposeCodec(order=order),),
            compressors=CODECS,
            attributes=variable.attributes | {"_FillValue": NOT_COMPUTED},
        )

    def write_coordinates(self, store: Location) -> None:
        """Write or overwrite the coordinate variables of the table."""
        for dim, n in zip(self.variable.dims, self.shape, strict=True):
            for name, content in _coordinate(dim, self.variable.first(dim), n).items():
                store.write(f"{self.spec.table_id}/{dim}/{name}", content)

    def write(self, store: Location, window: Window, cells: NDArray[np.integer]) -> dict[str, str]:
        """Write the cells of a window of whole chunks; return the chunks' digests."""
        array = store.child(f"{self.spec.table_id}/{self.variable.name}")
        order, origin = chunk_order(self.variable.dims), [side.start for side in window]
        digests = {}
        for place, part in chunks_in(window, self.chunk):
            content = encoded(cells[within(part, origin)], self.chunk, order, NOT_COMPUTED)
            name = chunk_name(place)
            array.write(name, content)
            digests[name] = hashlib.sha256(content).hexdigest()
        return digests

    def entry(self, chunks: Mapping[str, str]) -> TableEntry:
        """Return the manifest's entry of the table, with the digests of some chunks."""
        return {
            "ruleset": self.spec.ruleset,
            "identity": self.spec.identity,
            "bound": self.spec.bound,
            "quantity": self.spec.quantity,
            "variable": self.variable.name,
            "dims": list(self.variable.dims),
            "shape": list(self.shape),
            "dtype": self.dtype,
            "chunk": list(self.chunk),
            "chunks": dict(chunks),
        }

    def whole_entry(self, store: Location, chunks: Mapping[str, str]) -> TableEntry:
        """Return the manifest's entry of the stored table, without the cost of its build."""
        group = self.spec.table_id
        sizes = (size for name, size in store.files(group) if name != f"{group}/{METADATA}")
        digest = table_digest(self.shape, self.dtype, self.chunk, chunks)
        return {**self.entry(chunks), "bytes": sum(sizes), "digest": digest}


@cache  # Zarr takes 10 ms for an array, half of a small table's time; the tables of a sweep share coordinates
def _coordinate(dim: str, first: int, length: int) -> dict[str, bytes]:
    files: dict[str, Buffer] = {}
    values, attributes = coordinate(dim, first, length)
    zarr.create_array(
        MemoryStore(files),
        data=values,
        chunks=(length,),
        dimension_names=(dim,),
        fill_value=NOT_COMPUTED,
        compressors=CODECS,
        attributes={**attributes},
    )
    return {name: content.to_bytes() for name, content in files.items()}


def write_table(store: Location, spec: TableSpec, cells: NDArray[np.integer]) -> TableEntry:
    """Write a table as a group of `store`; return its `Outline.whole_entry`.

    A missing store is created. Only one process may write to it.
    """
    # `ascontiguousarray` would add a dimension to a single cell.
    cells = np.asarray(cells, order="C")
    variable = variable_of(spec.game(), spec.quantity)
    outline = Outline(spec, variable, cells.shape, str(cells.dtype))
    what = f"table {spec.table_id} ({spec.ruleset}) cannot be written"
    with store.failures(what, cells.nbytes):
        outline.create(store)
        digests = outline.write(store, whole(cells.shape), cells)
    return outline.whole_entry(store, digests)


def finish_store(store: Location, table_ids: Sequence[str]) -> None:
    """Add consolidated metadata to a finished store.

    Without it xarray warns when it opens the store. Unfinished files of killed processes are removed; an object store has none.
    """
    with store.failures("unfinished files cannot be removed"):
        for file in store.folder.rglob("*.partial") if store.folder is not None else ():
            file.unlink(missing_ok=True)
    with store.failures("its metadata cannot be consolidated"), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ZarrUserWarning
        )  # it is not part of the Zarr 3 standard yet
        for table_id in table_ids:
            zarr.consolidate_metadata(store.store(), path=table_id)
        zarr.consolidate_metadata(store.store())


#: Part of an array: an index or a slice along each dimension.
Index: TypeAlias = tuple[int | slice, ...]
#: Name of Zarr's metadata files.
METADATA = "zarr.json"
#: Zarr's metadata of a group with consolidated metadata, without attributes and members.
GROUP = {
    "zarr_format": 3,
    "node_type": "group",
    "consolidated_metadata": {"kind": "inline", "must_understand": False},
}


def reading_errors(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exception types of a failed read from a store, and those in `more`."""
    return (*failures(), KeyError, ValueError, RuntimeError, *more)


@dataclass(frozen=True)
class StoredTable:
    """A stored table, or a corner of it, with its entry in the manifest.

    It is indexed like an array, by integers and by slices without a step: ``cells[3, 0:2048]``. Chunks are read on demand. The
    result must fit into memory.
    """

    store: Location
    table_id: str
    entry: Mapping[str, Any]
    #: The sides of the corner; None for the whole table.
    sides: tuple[int, ...] | None = None
    #: Cache of recently used chunks up to `HELD_BYTES`, least recent first.
    _held: dict[tuple[int, ...], Table] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def open(cls, store: Location, table_id: str, entry: Mapping[str, Any]) -> StoredTable:
        """Open a stored table; errors are as for `read_table`."""
        table = cls(store, table_id, entry)
        path = f"{table_id}/{entry['variable']}"
        try:
            array = zarr.open_array(store.store(), path=path, mode="r", zarr_format=3)
        except reading_errors() as error:
            raise table.unreadable(error) from None
        found, expected = f"{array.dtype}{array.shape}", f"{entry['dtype']}{tuple(entry['shape'])}"
        if found != expected:
            raise StoreError(f"{table}: {found} is stored, the manifest says {expected}")
        return table

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension, of the table or of the corner."""
        return tuple(self.entry["shape"]) if self.sides is None else self.sides

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the cells."""
        dtype: np.dtype[Any] = np.dtype(self.entry["dtype"])
        return dtype

    @property
    def name(self) -> str:
        """The name of the variable."""
        return str(self.entry["variable"])

    def corner(self, sides: Sequence[int]) -> StoredTable:
        """Return the corner at the origin with at most these sides."""
        return replace(self, sides=tuple(map(min, self.shape, sides)))

    def __getitem__(self, index: Index) -> Table:
        """Return a part of the cells."""
        window = tuple(
            slice(*i.indices(n)[:2]) if isinstance(i, slice) else slice(i, i + 1)
            for i, n in zip(index, self.shape, strict=True)
        )
        if any(side.stop > n for side, n in zip(window, self.shape, strict=True)):
            raise IndexError(f"{index} lies outside of {self.shape}")
        cells = self.read(window)
        return cells[tuple(slice(None) if isinstance(i, slice) else 0 for i in index)]

    def __str__(self) -> str:
        entry = self.entry
        return f"table {self.table_id} ({entry['ruleset']}, bound {entry['bound']}) in {self.store}"

    def faults(self, kernels: str | None = None) -> dict[str, str]:
        """Return a message for each damaged chunk, by name, and for damaged `METADATA`.

        `kernels` is the manifest's digest of the code that built the table. Without it, metadata is not checked. Raises
        `StoreError` if the entry's digests contradict each other, because the correct chunks are then unknown.
        """
        entry = self.entry
        expected = None
        with suppress(KeyError, TypeError, ValueError):  # a digest is missing or malformed
            expected = table_digest(entry["shape"], entry["dtype"], entry["chunk"], entry["chunks"])
        if expected != entry["digest"]:
            raise StoreError(f"{self}: the manifest's digests contradict each other")
        faults = {name: self._fault(name, self._content(name)) for name in entry["chunks"]}
        if kernels is not None:
            faults[METADATA] = self._fault_of_metadata(kernels)
        return {name: fault for name, fault in faults.items() if fault is not None}

    def _fault_of_metadata(self, kernels: str) -> str | None:
        """Return the fault of a finished table's metadata and coordinates, if any."""
        store, table_id, entry = self.store, self.table_id, self.entry
        expected = {key: entry[key] for key in ("ruleset", "bound", "quantity")} | {
            "kernels": kernels
        }
        try:
            root, group = (json.loads(store.read(at + METADATA)) for at in ("", f"{table_id}/"))
            consolidated = root["consolidated_metadata"]["metadata"]
            inside = group["consolidated_metadata"]["metadata"]
            arrays = {n: json.loads(store.read(f"{table_id}/{n}/{METADATA}")) for n in inside}
            stored, array = group["attributes"], arrays[entry["variable"]]
            is_consistent = (
                inside == arrays == {name: consolidated[f"{table_id}/{name}"] for name in arrays}
                and _is_group(root, root["attributes"])
                and _is_group(group, stored)
                and _is_group(consolidated[table_id], stored)
                and [array["shape"], array["data_type"]] == [entry["shape"], entry["dtype"]]
                and array["fill_value"] == NOT_COMPUTED
            )
            for name in arrays.keys() - {entry["variable"]}:
                path = f"{table_id}/{name}"
                stored_coordinate(zarr.open_array(store.store(), path=path, mode="r"))
            for key, value in expected.items():
                if stored.get(key) != value:
                    return (
                        f"{self}: the store belongs to another build: its {key} is {stored.get(key)},"
                        f" the manifest says {value}"
                    )
        except StoreError as error:
            return f"{self}: {error}"
        except reading_errors(AttributeError, TypeError) as error:
            return f"{self}: its metadata or coordinates are damaged ({reason(error)})"
        return None if is_consistent else f"{self}: its metadata contradicts itself or the manifest"

    def chunk(self, place: tuple[int, ...]) -> Table:
        """Return the cells of a chunk, possibly from the cache."""
        cells = self._held.pop(place, None)
        if cells is None:
            cells = self.read_chunk(place)
            size = int(np.prod(self.entry["chunk"])) * cells.itemsize
            while len(self._held) >= max(1, HELD_BYTES // max(1, size)):
                del self._held[next(iter(self._held))]
        self._held[place] = cells
        return cells

    def read_chunk(self, place: tuple[int, ...]) -> Table:
        """Read a chunk; raise `StoreError` if it does not match the manifest."""
        entry = self.entry
        try:
            name = chunk_name(place)
            content = self._content(name)
            fault = self._fault(name, content)
            if fault is not None or content is None:
                raise StoreError(f"{fault}; `choco repair` rebuilds it")
            order = chunk_order(entry["dims"])
            cells = decoded(content, entry["chunk"], order, self.dtype)
        except reading_errors() as error:
            raise self.unreadable(error) from None
        sides = zip(place, entry["chunk"], entry["shape"], strict=True)
        cells = cells[tuple(slice(min(side, n - i * side)) for i, side, n in sides)]
        if cells.size and int(cells.min()) == NOT_COMPUTED:
            raise StoreError(f"{self}: a chunk is missing, some cells were never written")
        return cells

    def read(self, window: Window) -> Table:
        """Return the cells in a window, which must fit into memory."""
        places = list(chunks_in(window, self.entry["chunk"]))
        cells = np.empty([side.stop - side.start for side in window], self.dtype)
        for place, part in places:
            chunk = self.chunk(place)
            origin = [i * side for i, side in zip(place, self.entry["chunk"], strict=True)]
            found = chunk[within(part, origin)]
            if len(places) == 1:
                return found
            cells[within(part, [side.start for side in window])] = found
        return cells

    def unreadable(self, error: Exception) -> StoreError:
        """Return the error for a table that cannot be read."""
        return StoreError(f"{self}: cannot be read ({reason(error)}); `choco repair` rebuilds it")

    def _content(self, name: str) -> bytes | None:
        return self.store.read_if_there(f"{self.table_id}/{self.name}/{name}")

    def _fault(self, name: str, content: bytes | None) -> str | None:
        """Return the fault of a chunk, if any; `content` is None for a missing file."""
        what = "is missing"
        if content is not None:
            if hashlib.sha256(content).hexdigest() == self.entry["chunks"][name]:
                return None
            what = "is damaged: it does not match the manifest's digest"
        file = f"{self.store}/{self.table_id}/{self.name}/{name}"
        return f"{self}: chunk {name} {what} ({file})"


def stored_tables(folder: Path) -> Iterator[tuple[StoredTable, TableSpec]]:
    """Yield the finished tables in a folder that this version of the code computed."""
    for path in sorted(folder.glob("*.done.json")):
        try:
            manifest = read_record(path)
            if manifest["kernels"] == code_digest(TABLE_CODE):
                store = store_of(path, manifest)
                tables = manifest["tables"].items()
                found = [(StoredTable(store, i, e), TableSpec.of_entry(e)) for i, e in tables]
                yield from found
        except (StoreError, KeyError, TypeError, AttributeError):
            continue  # damaged, or no manifest


def read_table(store: Location, table_id: str, entry: Mapping[str, Any]) -> xr.Dataset:
    """Read a stored table, and check it against its manifest entry.

    Raises `StoreError` if the store or a chunk is missing or damaged, or if shape, dtype or digests differ from the manifest.
    """
    import xarray as xr  # noqa: PLC0415 -- half a second, which planning a run need not spend

    stored = StoredTable.open(store, table_id, entry)
    cells = np.array(stored[whole(stored.shape)], order="C")
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
    except reading_errors() as error:
        raise stored.unreadable(error) from None


def stored_coordinate(array: zarr.Array[Any]) -> NDArray[np.integer]:
    """Read a coordinate variable; raise `ValueError` unless it counts from 0 or 1."""
    values = np.asarray(array)
    first = int(values[0])
    if first not in (0, 1) or not np.array_equal(values, np.arange(first, first + len(values))):
        raise ValueError(f"the values of {array.basename} are not those of a coordinate")
    return values


def _is_group(document: Mapping[str, Any], attributes: object) -> bool:
    """Whether this is Zarr's metadata of a group with these attributes."""
    consolidated = {k: v for k, v in document["consolidated_metadata"].items() if k != "metadata"}
    group = {**document, "consolidated_metadata": consolidated}
    return group == {"attributes": attributes, **GROUP}
