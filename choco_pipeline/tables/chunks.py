"""How the cells of a table are cut into chunks: the same for every table of a kind, whoever writes them.

A chunk is what is compressed, checked and read as one. Its sides do not depend on the bound, so that a table of a larger
bound begins with the same chunks, byte for byte; nor on the blocks that a large table is built in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import BloscCodec, Crc32cCodec

#: Uncompressed bytes in a chunk at most: large enough to compress well, small enough to read a part of a table.
CHUNK_BYTES = 8 << 20
#: LZ4 takes a sixth of the time of a fast kernel, Zstandard as long as the kernel for half the bytes on disk. Shuffling
#: bits instead of bytes takes up to twice the time to write and three times the time to read for 2 to 31 % fewer bytes.
CODECS = (BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"), Crc32cCodec())
#: A worker has one thread, so a task compresses and writes on one; and no cell is the fill value, so none is asked.
WRITING = {"async.concurrency": 1, "array.write_empty_chunks": True}

#: A part of a table: first and stop along each dimension.
Box = tuple[tuple[int, int], ...]


def chunk_shape(dims: Sequence[str], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the sides of a chunk, powers of two: along p 1, else as long as `CHUNK_BYTES` allow for equal sides.

    A shorter dimension is rounded up to a power of two.

    Examples
    --------
    >>> chunk_shape(("p", "x", "z"), (2, 4097, 1025), itemsize=2)
    (1, 2048, 2048)
    """
    axes = len([dim for dim in dims if dim != "p"])
    side = 1
    while (2 * side) ** max(axes, 1) * itemsize <= CHUNK_BYTES:
        side *= 2
    return tuple(
        1 if dim == "p" else min(side, 1 << (max(n, 1) - 1).bit_length())
        for dim, n in zip(dims, shape, strict=True)
    )


def chunks_in(box: Box, chunk: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the places of the chunks that a box touches, in the order of the grid."""
    sides = zip(box, chunk, strict=True)
    yield from product(*(range(first // side, -(-stop // side)) for (first, stop), side in sides))


def chunk_name(place: Sequence[int]) -> str:
    """Return the name of a chunk below its array, as Zarr writes it."""
    return "/".join(["c", *map(str, place)])


def write_cells(array: zarr.Array[Any], box: Box, cells: NDArray[np.integer]) -> None:
    """Write the cells of a box that begins and ends where chunks do, one chunk after the other."""
    with zarr.config.set(WRITING):
        array[tuple(slice(*side) for side in box)] = cells


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of a stored chunk's bytes."""
    return hashlib.sha256(content).hexdigest()


def table_digest(
    shape: Sequence[int], dtype: str, chunk: Sequence[int], digests: Mapping[str, str]
) -> str:
    """Return the SHA-256 of a table's shape, dtype and chunk sides, and of its chunks' digests in the order of the grid.

    Parameters
    ----------
    shape, dtype, chunk
        Of the stored array.
    digests
        `content_digest` of every chunk, by `chunk_name`.
    """
    found = hashlib.sha256(f"{dtype};{list(shape)};{list(chunk)};".encode())
    for place in chunks_in(tuple((0, n) for n in shape), chunk):
        found.update(bytes.fromhex(digests[chunk_name(place)]))
    return found.hexdigest()
