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


def evaluate(
    node: Node,
    text: str,
    values: Mapping[str, ArrayLike],
    tables: Mapping[str, Table],
) -> Integers | Truths:
    """Return the values of `node` with its names broadcast against each other; see `Formula.evaluate`."""
    names = {part.name: part for part in walk(node) if isinstance(part, Name)}
    calls = {part.function: part for part in walk(node) if isinstance(part, Call)}
    given = {name: _as_integers(text, part, values) for name, part in names.items()}
    lookups = {
        function: _as_table(text, part, tables[function])
        for function, part in calls.items()
        if function in tables and function not in FUNCTIONS
    }
    shape = np.broadcast_shapes(*(array.shape for array in given.values()))
    out: Integers | Truths = np.empty(shape, dtype=np.bool_ if is_truth(node) else np.int64)
    if out.size == 0:
        return out
    _prove(node, text, given, {function: _range(table) for function, table in lookups.items()})
    if not shape:
        place = Place(text, {name: int(array) for name, array in given.items()}, lookups)
        out[()] = place.truth(node) if is_truth(node) else place.integer(node)
        return out
    aligned = {
        name: array.reshape((1,) * (len(shape) - array.ndim) + array.shape)
        for name, array in given.items()
    }
    with np.errstate(over="ignore"):  # only in a cell whose value is not used can anything overflow
        for where in _blocks(shape):
            cells = {name: _part(array, where) for name, array in aligned.items()}
            FormulaBlock(text, out[where].shape, cells, lookups).fill(out[where], node)
    return out


def _prove(
    node: Node, text: str, given: Mapping[str, NDArray[np.integer]], tables: Mapping[str, Interval]
) -> None:
    """Refuse `node` unless interval arithmetic proves that nothing in it leaves 64 bits.

    What a narrow dtype can hold is often proof enough; only if not are the arrays read for what they do hold.
    """
    narrow = {name: array for name, array in given.items() if array.dtype.itemsize <= 4}
    ranges = {name: _range(array) for name, array in given.items() if name not in narrow}
    limits = {name: np.iinfo(array.dtype) for name, array in narrow.items()}
    try:
        generous = {name: (int(limit.min), int(limit.max)) for name, limit in limits.items()}
        Enclosure(text, ranges | generous, tables, bits=64).of(node)
    except FormulaError:
        exact = {name: _range(array) for name, array in narrow.items()}
        Enclosure(text, ranges | exact, tables, bits=64).of(node)


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
