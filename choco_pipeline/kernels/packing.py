"""What kernels carry on, as it is sent to another process: compressed, since most of its words are empty or full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numcodecs import Blosc
from numpy.typing import NDArray

#: Bytes that are compressed together.
PIECE = 64 << 20
_COMPRESSOR = Blosc(cname="lz4", clevel=1, shuffle=Blosc.NOSHUFFLE)

#: Dtype, shape and compressed bytes of an array.
Packed: TypeAlias = tuple[str, tuple[int, ...], list[bytes]]


def pack(arrays: Iterable[NDArray[Any]]) -> list[Packed]:
    """Return arrays as `unpack` takes them."""
    return [(array.dtype.str, array.shape, _pieces(array)) for array in arrays]


def unpack(kind: type[Any], packed: list[Packed]) -> Any:
    """Return the tuple of arrays of this kind that `pack` was given."""
    return kind(*map(_array, packed))


def _pieces(array: NDArray[Any]) -> list[bytes]:
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return [
        bytes(_COMPRESSOR.encode(content[i : i + PIECE])) for i in range(0, content.size, PIECE)
    ]


def _array(packed: Packed) -> NDArray[Any]:
    dtype, shape, pieces = packed
    array = np.empty(shape, dtype)
    content = array.reshape(-1).view(np.uint8)
    for i, piece in enumerate(pieces):
        _COMPRESSOR.decode(piece, out=content[i * PIECE : (i + 1) * PIECE])
    return array
