"""Chunks and windows of tables.

A chunk is compressed, checked and read as one. Its sides do not depend on the bound, so that a table of a larger bound
begins with the same chunks, byte for byte. They do not depend on the blocks of a large table either. In its bytes y is
the innermost dimension, as in the arrays of kernels: transposing the cells would take as long as compressing them.
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

#: Uncompressed bytes in a chunk at most: large enough to compress well, small enough to read a part of a table.
CHUNK_BYTES = 8 << 20
#: LZ4 takes a sixth of the time of a fast kernel, Zstandard as long as the kernel for half the bytes on disk. Shuffling
#: bits instead of bytes takes up to twice the time to write and three times the time to read for 2 to 31 % fewer bytes.
CODECS = (BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"), Crc32cCodec())
_COMPRESSOR = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)

#: A part of an array: a slice with start and stop, without a step, along each dimension.
Window = tuple[slice, ...]


def chunk_shape(dims: Sequence[str], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the sides of a chunk, which are powers of two.

    They are 1 along p, and otherwise equal and as long as `CHUNK_BYTES` allow. Of three dimensions or more the innermost is
    four times as long, so that blocks, which cut the others, can be small. A shorter dimension is rounded up to a power of
    two.
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
    """Yield place and window of every chunk in a window, in the order of the grid."""
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
    """Return the name of a chunk below its array, as Zarr writes it."""
    return "/".join(["c", *map(str, place)])


def encoded(cells: NDArray[Any], chunk: Sequence[int], order: Sequence[int], fill: int) -> bytes:
    """Return the bytes of a stored chunk, as Zarr writes them.

    This takes less than half of Zarr's time. A chunk at the end of the table is padded with `fill`. `order` is the
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

    The result is a view of the bytes in their order. Zarr would transpose them, which takes ten times as long as decompressing.
    Raises `ValueError` or `RuntimeError` if the bytes are not such a chunk.
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
