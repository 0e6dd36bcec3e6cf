"""How the cells of a table are cut into chunks: the same for every table of a kind, whoever writes them.

A chunk is what is compressed, checked and read as one. Its sides do not depend on the bound, so that a table of a larger
bound begins with the same chunks, byte for byte; nor on the blocks that a large table is built in. In its bytes y is the
innermost dimension, as it is in what kernels fill: turning the cells around would take as long as compressing them.
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
from zarr.codecs import BloscCodec, Crc32cCodec, TransposeCodec

#: Uncompressed bytes in a chunk at most: large enough to compress well, small enough to read a part of a table.
CHUNK_BYTES = 8 << 20
#: LZ4 takes a sixth of the time of a fast kernel, Zstandard as long as the kernel for half the bytes on disk. Shuffling
#: bits instead of bytes takes up to twice the time to write and three times the time to read for 2 to 31 % fewer bytes.
CODECS = (BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"), Crc32cCodec())
_COMPRESSOR = Blosc(cname="lz4", clevel=5, shuffle=Blosc.SHUFFLE)

#: A part of a table: first and stop along each dimension.
Box = tuple[tuple[int, int], ...]


def chunk_shape(dims: Sequence[str], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the sides of a chunk, powers of two: along p 1, else as long as `CHUNK_BYTES` allow for equal sides.

    Of three dimensions or more the innermost is four times as long, so that blocks, which cut the others, can be small.
    A shorter dimension is rounded up to a power of two.

    Examples
    --------
    >>> chunk_shape(("p", "x", "z"), (2, 4097, 1025), itemsize=2)
    (1, 2048, 2048)
    >>> chunk_shape(("x", "y", "z"), (701, 467, 701), itemsize=2)
    (64, 256, 64)
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
    """Return which dimensions the bytes of a chunk go along, outermost first: as they are named, but y last.

    Examples
    --------
    >>> chunk_order(("p", "x", "y", "z"))
    (0, 1, 3, 2)
    """
    return tuple(sorted(range(len(dims)), key=lambda axis: dims[axis] == "y"))


def turned(dims: Sequence[str]) -> tuple[TransposeCodec, ...]:
    """Return what tells readers of the `chunk_order`."""
    order = chunk_order(dims)
    return () if order == tuple(range(len(dims))) else (TransposeCodec(order=order),)


def chunks_in(box: Box, chunk: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the places of the chunks that a box touches, in the order of the grid."""
    sides = zip(box, chunk, strict=True)
    yield from product(*(range(first // side, -(-stop // side)) for (first, stop), side in sides))


def chunk_name(place: Sequence[int]) -> str:
    """Return the name of a chunk below its array, as Zarr writes it."""
    return "/".join(["c", *map(str, place)])


def encoded(cells: NDArray[Any], chunk: Sequence[int], order: Sequence[int], fill: int) -> bytes:
    """Return the bytes of a stored chunk, as Zarr would write them by `turned` and `CODECS`, in less than half its time.

    Cells at the end of the table may be less than a chunk: `fill` stands beyond. The order is the `chunk_order`.
    """
    ordered = cells.transpose(order)
    sides = tuple(chunk[axis] for axis in order)
    dtype = cells.dtype.newbyteorder("<")
    if ordered.shape == sides:
        whole = np.ascontiguousarray(ordered, dtype)
    else:
        whole = np.full(sides, fill, dtype)
        whole[tuple(map(slice, ordered.shape))] = ordered
    content = bytes(_COMPRESSOR.encode(whole))
    return content + int(google_crc32c.value(content)).to_bytes(4, "little")


def decoded(
    content: bytes, chunk: Sequence[int], order: Sequence[int], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return the cells of a stored chunk, with what stands beyond the end of the table.

    Zarr would turn them around, which takes ten times as long as uncompressing them: this is a view of them as they lie.

    The bytes have the digest that they should have; chunk and order are as for `encoded`. Raises `ValueError` or `RuntimeError`
    if it is no such chunk.
    """
    cells = np.frombuffer(_COMPRESSOR.decode(content[:-4]), dtype.newbyteorder("<"))
    ordered = cells.reshape([chunk[axis] for axis in order])
    return ordered.transpose(np.argsort(order))


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of a stored chunk's bytes."""
    return hashlib.sha256(content).hexdigest()


def table_digest(
    shape: Sequence[int], dtype: str, chunk: Sequence[int], digests: Mapping[str, str]
) -> str:
    """Return the SHA-256 of a table's shape, dtype and chunk sides, and of its chunks' digests, by `chunk_name`, in the order of the grid."""
    digest = hashlib.sha256(f"{dtype};{list(shape)};{list(chunk)};".encode())
    for place in chunks_in(tuple((0, n) for n in shape), chunk):
        digest.update(bytes.fromhex(digests[chunk_name(place)]))
    return digest.hexdigest()
