"""Chunks compared with their manifest whenever they are read: what is damaged is named, and never taken for numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray

from choco_pipeline.errors import StoreError
from choco_pipeline.tables.specs.chunks import chunk_name, content_digest, table_digest
from choco_pipeline.tables.specs.schema import NOT_COMPUTED, coordinate_values
from choco_pipeline.tables.storage.location import FAILURES, Location, reason

#: What zarr writes of every group whose metadata is gathered, but for its attributes and for what is gathered.
GROUP = {
    "zarr_format": 3,
    "node_type": "group",
    "consolidated_metadata": {"kind": "inline", "must_understand": False},
}


def place_of(store: Location, table_id: str, entry: Mapping[str, Any]) -> str:
    """Return which table it is and where it lies, as errors say it."""
    return f"table {table_id} ({entry['ruleset']}, bound {entry['bound']}) in {store}"


def fault_of_chunk(
    store: Location, table_id: str, entry: Mapping[str, Any], name: str, content: bytes | None
) -> str | None:
    """Return what is wrong with the bytes that a chunk of a table has, None for no file, in one line; or None if nothing is."""
    if content is None:
        what = "is missing"
    elif content_digest(content) != entry["chunks"][name]:
        what = "is not the one that the manifest's digest was taken of"
    else:
        return None
    file = f"{store}/{table_id}/{entry['variable']}/{name}"
    return f"{place_of(store, table_id, entry)}: chunk {name} {what} ({file})"


def checked_chunk(
    store: Location, table_id: str, entry: Mapping[str, Any], place: Sequence[int]
) -> bytes:
    """Return the bytes of a chunk; `StoreError`, which names the table, the chunk and its file, if they are not those of the manifest."""
    name = chunk_name(place)
    content = store.read_if_there(f"{table_id}/{entry['variable']}/{name}")
    fault = fault_of_chunk(store, table_id, entry, name, content)
    if fault is not None or content is None:
        raise StoreError(f"{fault}; `choco repair` rebuilds it")
    return content


def faults_of_chunks(
    store: Location, table_id: str, entry: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield name and fault of every damaged chunk of a stored table; arguments as for `fault_of_chunk`.

    Raises `StoreError` if the entry's digests contradict each other, so that nobody knows which chunks are right.
    """
    try:
        expected = table_digest(entry["shape"], entry["dtype"], entry["chunk"], entry["chunks"])
    except (KeyError, TypeError, ValueError):  # one is missing, or is no digest
        expected = None
    if expected != entry["digest"]:
        where = place_of(store, table_id, entry)
        raise StoreError(f"{where}: the manifest's digests contradict each other")
    array = store.child(f"{table_id}/{entry['variable']}")
    for name in entry["chunks"]:
        content = array.read_if_there(name)
        fault = fault_of_chunk(store, table_id, entry, name, content)
        if fault is not None:
            yield name, fault


def require_digests(store: Location, table_id: str, entry: Mapping[str, Any]) -> None:
    """Raise `StoreError` unless every stored chunk has the digest that the manifest says, and the table the one of all."""
    for _, fault in faults_of_chunks(store, table_id, entry):
        raise StoreError(fault)


def fault_of_metadata(
    store: Location, table_id: str, entry: Mapping[str, Any], kernels: str
) -> str | None:
    """Return what is wrong with a finished table's metadata and coordinates, in one line, or None if nothing is.

    The digest `kernels` is that of the code that built it, as the manifest says.
    """
    where = place_of(store, table_id, entry)
    try:
        root, group = (json.loads(store.read(f"{at}zarr.json")) for at in ("", f"{table_id}/"))
        gathered = root["consolidated_metadata"]["metadata"]
        inside = group["consolidated_metadata"]["metadata"]
        arrays = {name: json.loads(store.read(f"{table_id}/{name}/zarr.json")) for name in inside}
        outside = {f"{table_id}/{name}": array for name, array in arrays.items()}
        expected = group["attributes"]
        array = arrays[entry["variable"]]
        is_gathered = inside == arrays and all(gathered[path] == outside[path] for path in outside)
        is_gathered &= _is_group(root, root["attributes"])
        is_gathered &= _is_group(group, expected) and _is_group(gathered[table_id], expected)
        outline = [array["shape"], array["data_type"], array["fill_value"]]
        for name in arrays.keys() - {entry["variable"]}:
            stored_coordinate(zarr.open_array(store.store(), path=f"{table_id}/{name}", mode="r"))
    except StoreError as error:
        return f"{where}: {error}"
    except (*FAILURES, AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
        return f"{where}: its metadata or coordinates are damaged ({reason(error)})"
    asked = {key: entry[key] for key in ("ruleset", "bound", "quantity")} | {"kernels": kernels}
    for key, value in asked.items():
        if expected.get(key) != value:
            return f"{where}: the store belongs to another build: its {key} is {expected.get(key)}, the manifest says {value}"
    if not is_gathered or outline != [entry["shape"], entry["dtype"], NOT_COMPUTED]:
        return f"{where}: its metadata contradicts itself or the manifest"
    return None


def stored_coordinate(array: zarr.Array[Any]) -> NDArray[np.integer]:
    """Return the values of a stored coordinate variable; `ValueError` unless they are consecutive, from 0 or 1."""
    values = np.asarray(array)
    first = int(values[0])
    if first not in (0, 1) or not np.array_equal(values, coordinate_values(first, len(values))):
        raise ValueError(f"the values of {array.basename} are not those of a coordinate")
    return values


def _is_group(document: Mapping[str, Any], attributes: object) -> bool:
    """Return whether this is what zarr writes of a group with these attributes, whatever it has gathered of what is inside."""
    gathered = {k: v for k, v in document["consolidated_metadata"].items() if k != "metadata"}
    return {**document, "consolidated_metadata": gathered} == {"attributes": attributes, **GROUP}
