"""Bitsets in words of 64 bits, and the option sets of Grundy kernels.

The mex of several option sets lies in the first word where their union is not full. A second bitset marks the *open* words, which
are not full. The search skips each word that is full in one of the sets. In tables close to the nim-sum, it finds the right word at
once, even for large numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros
from numcodecs import Blosc
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

#: Bytes per compressed piece.
PIECE = 64 << 20
_COMPRESSOR = Blosc(cname="lz4", clevel=1, shuffle=Blosc.NOSHUFFLE)

#: Dtype, shape and compressed bytes of each array of a named tuple.
Packed: TypeAlias = list[tuple[str, tuple[int, ...], list[bytes]]]


def pack(arrays: Iterable[NDArray[Any]]) -> Packed:
    """Compress arrays for `unpack`."""
    packed = []
    for array in arrays:
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        pieces = (content[i : i + PIECE] for i in range(0, content.size, PIECE))
        compressed = [bytes(_COMPRESSOR.encode(piece)) for piece in pieces]
        packed.append((array.dtype.str, array.shape, compressed))
    return packed


def unpack(packed: Packed) -> Iterator[NDArray[Any]]:
    """Yield the arrays that `pack` has compressed."""
    for dtype, shape, pieces in packed:
        array = np.empty(shape, dtype)
        content = array.reshape(-1).view(np.uint8)
        for i, piece in enumerate(pieces):
            _COMPRESSOR.decode(piece, out=content[i * PIECE : (i + 1) * PIECE])
        yield array


WORD_BITS = 64
EMPTY = np.uint64(0)
ONE = np.uint64(1)
FULL = np.uint64(2**64 - 1)


def words_for(values: int) -> int:
    """Return the number of words for the numbers 0 .. values-1."""
    return -(-values // WORD_BITS)


Index: TypeAlias = int | np.int64  # numba uses int64 where Python uses int


# Numba declares the type of the code generator, not of the call in compiled code.
_trailing_zeros = cast("Callable[[np.uint64], np.uint64]", trailing_zeros)


@kernel
def first_of(word: np.uint64) -> np.int64:
    """Return the index of the lowest set bit, in one machine instruction."""
    return np.int64(_trailing_zeros(word))


@kernel
def bit_of(number: Index) -> np.uint64:
    """Return a word with only the bit of this number set."""
    return ONE << np.uint64(number & 63)


class OptionSets(NamedTuple):
    """Grundy numbers of the options along one axis, for each line.

    A y above all heights of the line so far is clipped to the same positions as any other such y. These y share one set, the *top*.
    A y gets its own row when a height of the line first reaches it.
    """

    #: uint64 [lines, passes+1, words, n_y]. Bit g of row y: an earlier position of the line, clipped from y, has Grundy number g.
    #: Words precede y in the layout because neighbouring y usually need the same word. 0 for y not below ``rows``.
    used: NDArray[np.uint64]
    #: uint64 [lines, passes+1, summary words, n_y]. Bit i: word i of ``used`` is not full. 0 for y not below ``rows``.
    open_words: NDArray[np.uint64]
    #: uint64 [lines, passes+1, words]. Like ``used``, for every y not below ``rows``.
    top: NDArray[np.uint64]
    #: int64 [lines]. Number of y with their own row.
    rows: NDArray[np.int64]

    @classmethod
    def start(cls, lines: int, layers: int, largest: int, n_y: int) -> OptionSets:
        """Return empty option sets."""
        words = words_for(largest + 1)
        return cls(
            used=np.zeros((lines, layers, words, n_y), np.uint64),
            open_words=np.zeros((lines, layers, words_for(words), n_y), np.uint64),
            top=np.zeros((lines, layers, words), np.uint64),
            rows=np.zeros(lines, np.int64),
        )


class BelowSets(NamedTuple):
    """Grundy numbers of the positions below a block, for each z."""

    #: uint64 [lines, passes+1, words]. Bit g: a position (v, z) below the block has Grundy number g.
    used: NDArray[np.uint64]
    #: uint64 [lines, passes+1, summary words]. Bit i: word i of ``used`` is not full.
    open_words: NDArray[np.uint64]
    #: int32 [lines, passes+1]. The Grundy number of the highest position (v, z) below the block. If the bar ends below the block
    #: at this z, moves to this z are clipped to that position.
    last: NDArray[np.int32]

    @classmethod
    def start(cls, lines: int, layers: int, largest: int) -> BelowSets:
        """Return the sets for a block with no position below it."""
        words = words_for(largest + 1)
        return cls(
            used=np.zeros((lines, layers, words), np.uint64),
            open_words=np.full((lines, layers, words_for(words)), FULL),
            last=np.full((lines, layers), -1, np.int32),
        )


@kernel
def raise_line(sets: OptionSets, line: Index, height: Index) -> None:
    """Give every y up to this height its own row, initially a copy of the top."""
    first = sets.rows[line]
    if first > height:
        return
    for p in range(sets.top.shape[1]):
        sets.open_words[line, p, :, first : height + 1] = FULL
        for i in range(sets.top.shape[2]):
            word = sets.top[line, p, i]
            sets.used[line, p, i, first : height + 1] = word
            if word == FULL:
                for y in range(first, height + 1):
                    sets.open_words[line, p, i >> 6, y] &= ~bit_of(i)
    sets.rows[line] = height + 1


@kernel
def fold_line(sets: OptionSets, line: Index, p: Index, numbers: NDArray[np.integer]) -> None:
    """Add the Grundy numbers of positions with y = 0, 1, … to a line."""
    used = sets.used[line, p]
    open_words = sets.open_words[line, p]
    for y in range(len(numbers)):
        i = np.int64(numbers[y]) >> 6
        used[i, y] |= bit_of(np.int64(numbers[y]))
        if used[i, y] == FULL:
            open_words[i >> 6, y] &= ~bit_of(i)
    highest = np.int64(numbers[-1])
    sets.top[line, p, highest >> 6] |= bit_of(highest)


@kernel
def fold_below(sets: BelowSets, line: Index, p: Index, numbers: NDArray[np.integer]) -> None:
    """Add the Grundy numbers of the positions of one z, y ascending."""
    used = sets.used[line, p]
    for y in range(len(numbers)):
        used[np.int64(numbers[y]) >> 6] |= bit_of(np.int64(numbers[y]))
    for i in range(len(used)):
        if used[i] == FULL:
            sets.open_words[line, p, i >> 6] &= ~bit_of(i)
    sets.last[line, p] = numbers[-1]
