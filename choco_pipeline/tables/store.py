"""Tables on disk: one Zarr v3 store for each shard of a sweep, one group for each table, checksums on every chunk."""

from __future__ import annotations

import hashlib
import math
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import xarray as xr
import zarr
from numpy.typing import NDArray
from zarr.codecs import BloscCodec, Crc32cCodec
from zarr.errors import ZarrUserWarning

from choco_pipeline.errors import StoreError
from choco_pipeline.provenance import TABLE_CODE, code_digest, commit, package_version
from choco_pipeline.tables.schema import NOT_COMPUTED
from choco_pipeline.tables.spec import FORMAT, TableSpec

#: Uncompressed bytes in a chunk: large enough to compress well, small enough to read a part of a table.
CHUNK_BYTES = 8 << 20


def store_path(manifest: Path) -> Path:
    """Return the store that belongs to a manifest ``….done.json``."""
    return manifest.with_name(manifest.name.removesuffix(".done.json") + ".zarr")


def write_table(store: Path, spec: TableSpec, data: xr.Dataset) -> dict[str, Any]:
    """Write one table as a group of `store`, in place of what an interrupted run may have left there.

    Parameters
    ----------
    store
        The shard's Zarr store; made if missing. Only one process may write to it.
    spec
        What the table is; its id names the group.
    data
        The table, as `choco_pipeline.tables.compute.table` returns it.

    Returns
    -------
    dict
        The table's entry in the manifest.
    """
    (name,) = (str(n) for n in data.data_vars)
    cells = np.asarray(
        data[name].values, order="C"
    )  # which leaves a single cell without dimensions
    if (store / spec.table_id).exists():
        shutil.rmtree(store / spec.table_id)
    root = zarr.open_group(store, mode="a", zarr_format=3, use_consolidated=False)
    group = root.create_group(spec.table_id, attributes=attributes_of(spec))
    codecs = (BloscCodec(cname="zstd", clevel=3, shuffle="bitshuffle"), Crc32cCodec())
    for dim, coordinate in data.coords.items():
        group.create_array(
            str(dim), data=coordinate.values, dimension_names=(str(dim),), compressors=codecs
        )
    group.create_array(
        name,
        data=cells,
        chunks=chunk_shape(cells.shape, cells.itemsize),
        dimension_names=[str(d) for d in data[name].dims],
        fill_value=NOT_COMPUTED,
        compressors=codecs,
        attributes=dict(data[name].attrs),
    )
    files = [f for f in (store / spec.table_id).rglob("*") if f.is_file()]
    return {
        "ruleset": spec.ruleset,
        "identity": spec.identity,
        "bound": spec.bound,
        "quantity": spec.quantity,
        "variable": name,
        "dims": [str(d) for d in data[name].dims],
        "shape": list(cells.shape),
        "dtype": str(cells.dtype),
        "bytes": sum(f.stat().st_size for f in files),
        "digest": values_digest(cells),
    }


def finish_store(store: Path, table_ids: Sequence[str]) -> None:
    """Add consolidated metadata to a store that will not change again, so that xarray opens it without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ZarrUserWarning
        )  # that the Zarr 3 standard has no word for it yet
        for table_id in table_ids:
            zarr.consolidate_metadata(store, path=table_id)
        zarr.consolidate_metadata(store)


def read_table(
    store: Path, table_id: str, entry: Mapping[str, Any], corner: Sequence[int] | None = None
) -> xr.Dataset:
    """Return a stored table, checked against its manifest entry's shape and dtype and against its chunks' checksums.

    Parameters
    ----------
    store, table_id, entry
        Where it is, and what the manifest says of it.
    corner
        Read only so many cells along each dimension, from the origin; chunks beyond are neither read nor checked.

    Raises
    ------
    StoreError
        If the store or a chunk of it is missing, damaged, or not what the manifest says.
    """
    name = str(entry["variable"])
    where = f"table {table_id} ({entry['ruleset']}, bound {entry['bound']}) in {store}"
    window = {
        dim: slice(0, n)
        for dim, n in zip(
            entry["dims"], corner if corner is not None else entry["shape"], strict=True
        )
    }
    try:
        group = zarr.open_group(store, path=table_id, mode="r", use_consolidated=False)
        arrays = {key: cast("zarr.Array[Any]", group[key]) for key in group.array_keys()}
        found = f"{arrays[name].dtype}{arrays[name].shape}"
        cells = np.asarray(arrays[name][tuple(window.values())])
        coordinates = {
            key: np.asarray(array[window[key]]) for key, array in arrays.items() if key != name
        }
        attributes = dict(arrays[name].attrs)
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise StoreError(
            f"{where}: cannot be read ({error}); `choco run` rebuilds it once its manifest is removed"
        ) from error
    if found != f"{entry['dtype']}{tuple(entry['shape'])}":
        raise StoreError(
            f"{where}: {found} is stored, the manifest says {entry['dtype']}{tuple(entry['shape'])}"
        )
    if cells.size and int(cells.min()) == NOT_COMPUTED:
        raise StoreError(f"{where}: a chunk is missing, some cells were never written")
    data = xr.DataArray(cells, dims=entry["dims"], coords=coordinates, attrs=attributes)
    return xr.Dataset({name: data}, attrs=dict(group.attrs))


def values_digest(cells: NDArray[np.integer]) -> str:
    """Return the SHA-256 of the shape and the values as little-endian integers, whatever the layout in memory."""
    found = hashlib.sha256(f"{cells.dtype.itemsize}:{','.join(map(str, cells.shape))};".encode())
    found.update(np.ascontiguousarray(cells, cells.dtype.newbyteorder("<")).data)
    return found.hexdigest()


def chunk_shape(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return a chunk of at most `CHUNK_BYTES`: whole trailing dimensions, and as many of the leading ones as fit."""
    chunk = [max(1, n) for n in shape]
    for axis in range(len(chunk)):
        if math.prod(chunk) * itemsize <= CHUNK_BYTES:
            break
        rest = math.prod(chunk[axis + 1 :]) * itemsize
        chunk[axis] = max(1, CHUNK_BYTES // rest)
    return tuple(chunk)


def attributes_of(spec: TableSpec) -> dict[str, Any]:
    """Return what a stored group says of itself."""
    return {
        "ruleset": spec.ruleset,
        "bound": spec.bound,
        "quantity": spec.quantity,
        "format": FORMAT,
        "package_version": package_version(),
        "commit": commit(),
        "kernels": code_digest(TABLE_CODE),
    }
