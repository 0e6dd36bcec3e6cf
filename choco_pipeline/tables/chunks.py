"""Chunks and windows of tables.

A chunk is compressed, checked and read as a unit. Its sides depend neither on the bound nor on the blocks of a large table.
Therefore a table of a larger bound begins with the same chunks, byte for byte. The bytes of a chunk have y as the innermost
dimension, as in the arrays of kernels. Transposing the cells would take as long as compressing them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import google_crc32c
import numpy as np
from numcodecs import Blosc
from numpy.typing import NDArray
from zarr.codecs import BloscCodec, Crc32cCodec

#: Most bytes of an uncompressed chunk: enough to compress well, few enough to read a small part of a table.
CHUNK_BYTES = 8 << 20
#: LZ4 takes a sixth of a fast kernel's time. Zstandard halves the bytes on disk, but takes as long as the kernel. Shuffling
#: bits instead of bytes saves 2 to 31 % of the bytes, but takes up to twice as long to write and three times as long to read.
CODECS = (BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"), Crc32cCodec())
_COMPRESSOR = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)

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
