"""Bitsets in words of 64 bits, and the option sets of Grundy kernels.

A mex is found in the first word that is full in none of the sets of options. Which words are not full is itself kept as a
bitset (the *open* words), so that the search jumps over every word that one of the sets fills: in tables near the nim-sum
this finds the right word at once, however large the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros
from numcodecs import Blosc
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

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
    pieces = (content[i : i + PIECE] for i in range(0, content.size, PIECE))
    return [bytes(_COMPRESSOR.encode(piece)) for piece in pieces]


def _array(packed: Packed) -> NDArray[Any]:
    dtype, shape, pieces = packed
    array = np.empty(shape, dtype)
    content = array.reshape(-1).view(np.uint8)
    for i, piece in enumerate(pieces):
        _COMPRESSOR.decode(piece, out=content[i * PIECE : (i + 1) * PIECE])
    return array


WORD_BITS = 64
EMPTY = np.uint64(0)
ONE = np.uint64(1)
FULL = np.uint64(2**64 - 1)


def words_for(values: int) -> int:
    """Return the number of words for the numbers 0 .. values-1."""
    return -(-values // WORD_BITS)


Index: TypeAlias = int | np.int64  # numba computes in int64 where Python would in int


# An intrinsic's declared type is that of its code generator, not that of the call in compiled code.
_trailing_zeros = cast("Callable[[np.uint64], np.uint64]", trailing_zeros)


@kernel
def first_of(word: np.uint64) -> np.int64:
    """Return the index of the lowest set bit: one machine instruction."""
    return np.int64(_trailing_zeros(word))


@kernel
def bit_of(number: Index) -> np.uint64:
    """Return the word in which only this number's bit is set."""
    return ONE << np.uint64(number & 63)


class OptionSets(NamedTuple):
    """The Grundy numbers that moves along one axis reach, line by line.

    All positions (y, .) of a line that are above its heights so far are clipped to the same positions, so they share one
    set, the *top*. A y becomes a row of its own when the line first reaches its height.
    """

    #: uint64 [lines, passes+1, words, n_y]. Bit g of row y: some position the line has passed, clipped from y, has Grundy
    #: number g. Words are before y in the layout since neighbouring y look at the same word. 0 for y not below ``rows``.
    used: NDArray[np.uint64]
    #: uint64 [lines, passes+1, summary words, n_y]. Bit i: word i of ``used`` is not full. 0 for y not below ``rows``.
    open_words: NDArray[np.uint64]
    #: uint64 [lines, passes+1, words]. The same as ``used`` for every y not below ``rows``.
    top: NDArray[np.uint64]
    #: int64 [lines]. How many y have a set of their own.
    rows: NDArray[np.int64]

    @classmethod
    def start(cls, lines: int, layers: int, largest: int, n_y: int) -> OptionSets:
        """Return the sets of lines that have passed no position yet."""
        words = words_for(largest + 1)
        return cls(
            used=np.zeros((lines, layers, words, n_y), np.uint64),
            open_words=np.zeros((lines, layers, words_for(words), n_y), np.uint64),
            top=np.zeros((lines, layers, words), np.uint64),
            rows=np.zeros(lines, np.int64),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the arrays compressed."""
        return unpack, (type(self), pack(self))


class BelowSets(NamedTuple):
    """Grundy numbers that moves along y reach below a block, for each z."""

    #: uint64 [lines, passes+1, words]. Bit g: some position (v, z) below the block has Grundy number g.
    used: NDArray[np.uint64]
    #: uint64 [lines, passes+1, summary words]. Bit i: word i of ``used`` is not full.
    open_words: NDArray[np.uint64]
    #: int32 [lines, passes+1]. The Grundy number of the highest position (v, z) below the block. Where the bar ends below the
    #: block, moves along z to this z are clipped to that position.
    last: NDArray[np.int32]

    @classmethod
    def start(cls, lines: int, layers: int, largest: int) -> BelowSets:
        """Return the sets of lines with no position below."""
        words = words_for(largest + 1)
        return cls(
            used=np.zeros((lines, layers, words), np.uint64),
            open_words=np.full((lines, layers, words_for(words)), FULL),
            last=np.full((lines, layers), -1, np.int32),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the arrays compressed."""
        return unpack, (type(self), pack(self))


@kernel
def raise_line(sets: OptionSets, line: Index, height: Index) -> None:
    """Give every y up to this height a set of its own, which begins as the top's."""
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
    """Add the Grundy numbers of the positions (0, .), (1, .), … of a line."""
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
    """Add the Grundy numbers of the positions of one z, from below to above."""
    used = sets.used[line, p]
    for y in range(len(numbers)):
        used[np.int64(numbers[y]) >> 6] |= bit_of(np.int64(numbers[y]))
    for i in range(len(used)):
        if used[i] == FULL:
            sets.open_words[line, p, i >> 6] &= ~bit_of(i)
    sets.last[line, p] = numbers[-1]
