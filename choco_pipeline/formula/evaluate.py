"""The values of a formula on whole arrays: proved to stay in 64 bits, then computed block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.formula.block import FormulaBlock, Integers, Truths
from choco_pipeline.formula.exact import Place, Table, missing_name
from choco_pipeline.formula.formula_errors import FormulaError
from choco_pipeline.formula.interval import Enclosure, Interval
from choco_pipeline.formula.nodes import FUNCTIONS, Call, Name, Node, is_truth, walk

#: Cells computed at once: the temporaries of a block (512 KiB each) stay in the caches.
BLOCK = 1 << 16


class Evaluator:
    """Computes the values of one formula, whose text is for errors, on arrays, again and again."""

    def __init__(self, node: Node, text: str) -> None:
        self._node, self._text = node, text
        self._is_truth = is_truth(node)
        self._names = {part.name: part for part in walk(node) if isinstance(part, Name)}
        calls = {part.function: part for part in walk(node) if isinstance(part, Call)}
        self._calls = {name: part for name, part in calls.items() if name not in FUNCTIONS}
        # Ranges in which nothing leaves 64 bits: what lies within needs no proof of its own.
        self._sound: dict[str, Interval] | None = None

    def evaluate(
        self, values: Mapping[str, ArrayLike], tables: Mapping[str, Table]
    ) -> Integers | Truths:
        """Return the values with the names broadcast against each other; see `Formula.evaluate`."""
        node, text = self._node, self._text
        given = {name: _as_integers(text, part, values) for name, part in self._names.items()}
        lookups = {
            function: _as_table(text, part, tables[function])
            for function, part in self._calls.items()
            if function in tables
        }
        shape = np.broadcast_shapes(*(array.shape for array in given.values()))
        out: Integers | Truths = np.empty(shape, dtype=np.bool_ if self._is_truth else np.int64)
        if out.size == 0:
            return out
        self._prove(given, {function: _range(table) for function, table in lookups.items()})
        if not shape:
            place = Place(text, {name: int(array) for name, array in given.items()}, lookups)
            out[()] = place.truth(node) if self._is_truth else place.integer(node)
            return out
        aligned = {
            name: array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
            for name, array in given.items()
        }
        # Only in a cell whose value is not used can anything overflow.
        with np.errstate(over="ignore"):
            for where in _blocks(shape):
                cells = {name: _part(array, where) for name, array in aligned.items()}
                FormulaBlock(text, out[where].shape, cells, lookups).fill(out[where], node)
        return out

    def _prove(
        self, given: Mapping[str, NDArray[np.integer]], tables: Mapping[str, Interval]
    ) -> None:
        """Refuse the formula unless interval arithmetic proves that nothing in it leaves 64 bits.

        What a narrow dtype can hold is often proof enough, and ranges that reach to powers of 2, in which later arrays lie,
        too; only if not are the ranges proved as they are.
        """
        narrow = {name: array for name, array in given.items() if array.dtype.itemsize <= 4}
        ranges = {name: _range(array) for name, array in given.items() if name not in narrow}
        limits = {name: np.iinfo(array.dtype) for name, array in narrow.items()}
        generous = {name: (int(limit.min), int(limit.max)) for name, limit in limits.items()}
        sound = self._sound
        if sound is not None and all(
            sound[name][0] <= low and high <= sound[name][1]
            for name, (low, high) in (ranges | generous).items()
        ):
            return
        wider = {name: _wider(interval) for name, interval in ranges.items()} | generous
        try:
            self._enclose(wider, tables)
        except FormulaError:
            exact = {name: _range(array) for name, array in narrow.items()}
            self._enclose(ranges | exact, tables)
        else:
            self._sound = None if tables else wider

    def _enclose(self, ranges: Mapping[str, Interval], tables: Mapping[str, Interval]) -> None:
        Enclosure(self._text, ranges, tables, bits=64).of(self._node)


def _wider(interval: Interval) -> Interval:
    """Return an interval around another one that begins at 0 or at minus a power of 2, and ends before a power of 2."""
    low, high = interval
    return (-(1 << (-low).bit_length()) if low < 0 else 0), (1 << max(high, 0).bit_length()) - 1


def _blocks(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Cut an array of this shape into blocks of at most `BLOCK` cells, in the order in which the cells lie."""
    room, sides = BLOCK, []
    for length in reversed(shape):
        sides.append(min(length, max(room, 1)))
        room //= length
    starts = [range(0, length, side) for length, side in zip(shape, reversed(sides), strict=True)]
    for corner in product(*starts):
        yield tuple(slice(at, at + side) for at, side in zip(corner, reversed(sides), strict=True))


def _part(array: NDArray[np.integer], where: tuple[slice, ...]) -> int | Integers:
    part = array[
        tuple(
            side if length > 1 else slice(None)
            for side, length in zip(where, array.shape, strict=True)
        )
    ]
    return int(part.item()) if part.size == 1 else part.astype(np.int64, copy=False)


def _range(array: NDArray[np.integer]) -> Interval:
    """Return the least and the greatest element, reading a large array once."""
    if array.size <= BLOCK or not array.flags.c_contiguous:
        return int(array.min()), int(array.max())
    flat = array.reshape(-1)
    pieces = [flat[at : at + BLOCK] for at in range(0, flat.size, BLOCK)]
    ends = [(int(piece.min()), int(piece.max())) for piece in pieces]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _as_integers(text: str, node: Name, values: Mapping[str, ArrayLike]) -> NDArray[np.integer]:
    if node.name not in values:
        raise missing_name(text, node, values)
    array = np.asarray(values[node.name])
    if array.dtype.kind not in "iu":
        problem = f'"{node.name}" at column {node.column} is given as {array.dtype}: 64-bit integers are needed'
        raise FormulaError(problem, text, node.column)
    return array


def _as_table(text: str, node: Call, table: Table) -> Integers:
    array = np.asarray(table)
    if array.dtype.kind not in "iu" or array.ndim != 1 or array.size == 0:
        given = f"{array.dtype} of shape {array.shape}"
        problem = f'table of "{node.function}" at column {node.column} is {given}: a row of 64-bit integers is needed'
        raise FormulaError(problem, text, node.column)
    return array.astype(np.int64, copy=False)
