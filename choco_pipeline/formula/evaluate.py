"""Evaluation of a formula on arrays, with the values that `exact` defines.

First, interval arithmetic proves how many bits suffice for every intermediate result, at most 64. Then the arrays are computed block
by block, in integers of this width.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.formula import nodes
from choco_pipeline.formula.exact import PROBLEMS, Table, exponent_of_2, missing_name, undefined
from choco_pipeline.formula.interval import Enclosure, Interval
from choco_pipeline.formula.nodes import FormulaError, Node

Integers = NDArray[np.signedinteger]
Truths = NDArray[np.bool_]
#: The values of a node: one for all cells, or an array. Those of a condition are truths.
Values = int | NDArray[Any]
DType = np.dtype[Any]

#: Cells computed at once: the temporaries of a block (at most 512 KiB each) stay in the caches.
BLOCK = 1 << 16


@dataclass(slots=True)
class FormulaBlock:
    """Evaluator of formulas on a block of cells of one shape.

    The values in `cells` broadcast to the shape. A name with one value is a Python integer, because numpy divides
    much faster by these. ``tables["g"][n]`` is g(n).

    `open_` is a mask of the cells in which a value is needed, at least one; None means all cells. In other cells, invalid
    operands (such as a divisor 0) are replaced by a stand-in, and the result is not used.
    """

    text: str
    shape: tuple[int, ...]
    cells: Mapping[str, int | Integers]
    tables: Mapping[str, Integers]

    def values(self, node: Node, open_: Truths | None) -> Values:
        """Return the values of a node, as `Place.value` does."""
        result: Values
        match node:
            case nodes.Integer():
                return node.value
            case nodes.Name():
                return self.cells[node.name]
            case nodes.Negate():
                return -self.values(node.operand, open_)
            case nodes.Binary():
                return self._binary(node, open_)
            case nodes.Call():
                arguments = [self.values(argument, open_) for argument in node.arguments]
                return self._call(node, arguments, open_)
            case nodes.LogicalNot():
                result = self.values(node.operand, open_)
                return not result if isinstance(result, bool) else ~result
            case nodes.Junction():
                return self._junction(node, open_)
            case nodes.Compare(operators=(sign,), operands=(left, right)):
                result = nodes.COMPARISONS[sign](
                    self.values(left, open_), self.values(right, open_)
                )
                return result
            case nodes.Compare():
                return self.values(nodes.links(node), open_)

    def _binary(self, node: nodes.Binary, open_: Truths | None) -> Values:
        left, right = self.values(node.left, open_), self.values(node.right, open_)
        if node.operator in PROBLEMS:
            is_division = node.operator in ("//", "%")
            bad = right == 0 if is_division else right < 0
            problem = PROBLEMS[node.operator]
            right = self._with_stand_in(right, bad, int(is_division), open_, problem, node)
        result: Values = nodes.OPERATORS[node.operator](left, right)
        return result

    def _junction(self, node: nodes.Junction, open_: Truths | None) -> Values:
        is_or = node.operator == "or"
        result: Values = not is_or
        for operand in node.operands:
            if isinstance(result, int):
                if result == is_or:
                    return result
                result = self.values(operand, open_)
                continue
            undecided: Truths = ~result if is_or else result
            if open_ is not None:
                undecided = undecided & open_
            if not undecided.any():
                return result
            following = self.values(operand, undecided)
            result = result | following if is_or else result & following
        return result

    def _call(self, node: nodes.Call, arguments: list[Values], open_: Truths | None) -> Values:
        argument = arguments[0]
        match node.function:
            case "min" | "max" as name:
                # Integers last: beside an array they do not widen it.
                parts: list[Any] = sorted(arguments, key=lambda one: isinstance(one, int))
                both: tuple[Any, Any] = (min, np.minimum) if name == "min" else (max, np.maximum)
                chosen: Values = reduce(both[not isinstance(parts[0], int)], parts)
                return chosen
            case "abs":
                return abs(argument) if isinstance(argument, int) else np.absolute(argument)
            case "v2":
                argument = self._with_stand_in(argument, argument == 0, 1, open_, "v2(0)", node)
                if isinstance(argument, int):
                    return exponent_of_2(argument)
                zeros = ~argument & (argument - 1)  # the bits below the lowest set bit
                counts: Integers = np.bitwise_count(zeros).astype(argument.dtype)
                return counts
            case "log2":
                problem = "log2 of a number below 1"
                argument = self._with_stand_in(argument, argument < 1, 1, open_, problem, node)
                if isinstance(argument, int):
                    return argument.bit_length() - 1
                for shift in (1, 2, 4, 8, 16, 32):  # set all bits below the highest one
                    argument = argument | argument >> shift
                return np.bitwise_count(argument).astype(argument.dtype) - 1
            case function:
                table = self.tables[function]
                problem = f"argument of {function} outside 0..{table.size - 1}"
                outside = (argument < 0) | (argument >= table.size)
                argument = self._with_stand_in(argument, outside, 0, open_, problem, node)
                values: Integers = table[argument]
                return int(values) if isinstance(argument, int) else values

    def _with_stand_in(
        self,
        operand: Values,
        bad: Values,
        stand_in: int,
        open_: Truths | None,
        problem: str,
        node: nodes.Binary | nodes.Call,
    ) -> Values:
        """Replace bad operands by a stand-in; raise an error for one in an open cell."""
        if not np.any(bad):
            return operand
        faults = np.broadcast_to(bad if open_ is None else bad & open_, self.shape)
        if not faults.any():
            return np.where(bad, stand_in, operand)
        fault = np.unravel_index(int(faults.argmax()), self.shape)
        place = {
            name: int(np.broadcast_to(self.cells[name], self.shape)[fault])
            for name in nodes.names_of(node)
        }
        raise undefined(self.text, problem, node, place)


class Evaluator:
    """Evaluator of one formula on arrays; errors quote its text."""

    def __init__(self, node: Node, text: str) -> None:
        self._node, self._text = node, text
        self._is_truth = nodes.is_truth(node)
        self._names = {part.name: part for part in nodes.walk(node) if isinstance(part, nodes.Name)}
        calls = {part.function: part for part in nodes.walk(node) if isinstance(part, nodes.Call)}
        self._calls = {name: part for name, part in calls.items() if name not in nodes.FUNCTIONS}
        #: Cache: for ranges of the names, the dtypes of the result and of all intermediate results.
        self._dtypes: dict[tuple[Interval, ...], tuple[DType, DType]] = {}

    def evaluate(
        self, values: Mapping[str, ArrayLike], tables: Mapping[str, Table]
    ) -> Integers | Truths:
        """Return the values with the names broadcast; see `Formula.evaluate_narrow`."""
        node, text = self._node, self._text
        given = {name: _as_integers(text, part, values) for name, part in self._names.items()}
        known = ((name, call) for name, call in self._calls.items() if name in tables)
        lookups = {name: _as_table(text, call, tables[name]) for name, call in known}
        shapes = {array.shape for array in given.values()}
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        if 0 in shape:
            return np.empty(shape, np.bool_ if self._is_truth else np.int64)
        of_result, of_parts = self._narrowest(given, lookups)
        out: Integers | Truths = np.empty(shape, of_result)
        lookups = {name: table.astype(of_parts) for name, table in lookups.items()}
        ones = (1,) * len(shape)
        aligned = {name: a.reshape(ones[a.ndim :] + a.shape) for name, a in given.items()}
        # Only cells whose values are not used can overflow.
        with np.errstate(over="ignore"):
            for where in [()] if out.size <= BLOCK else _blocks(shape):
                cells = {name: _part(array, where, of_parts) for name, array in aligned.items()}
                block = FormulaBlock(text, out[where].shape, cells, lookups)
                out[where] = block.values(node, None)
        return out

    def _narrowest(
        self, given: Mapping[str, NDArray[np.integer]], tables: Mapping[str, Integers]
    ) -> tuple[DType, DType]:
        """Return the narrowest dtypes of the result and of intermediate results.

        First, wide ranges are tried: those of narrow dtypes, or up to powers of 2. Later arrays often have the same ones. If they need
        more than 64 bits, the exact ranges are tried. Raises `FormulaError` if these need more, too.
        """
        wider = {name: _wide_range(array) for name, array in given.items()}
        of_tables = {function: _range(table) for function, table in tables.items()}
        key = (*wider.values(), *of_tables.values())
        if key not in self._dtypes:
            try:
                self._dtypes[key] = self._dtypes_for(wider, of_tables)
            except FormulaError:
                exact = {name: _range(array) for name, array in given.items()}
                return self._dtypes_for(exact, of_tables)
        return self._dtypes[key]

    def _dtypes_for(
        self, ranges: Mapping[str, Interval], tables: Mapping[str, Interval]
    ) -> tuple[DType, DType]:
        enclosure = Enclosure(self._text, ranges, tables, bits=64)
        of_result = narrowest(*enclosure.of(self._node))
        of_parts = narrowest(-(1 << enclosure.widest), 0)
        return np.dtype(np.bool_) if self._is_truth else of_result, of_parts


def _blocks(shape: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Yield blocks of at most `BLOCK` cells, in the order of the cells."""
    room, sides = BLOCK, []
    for length in reversed(shape):
        sides.append(min(length, max(room, 1)))
        room //= length
    starts = [range(0, length, side) for length, side in zip(shape, reversed(sides), strict=True)]
    for corner in product(*starts):
        yield tuple(slice(at, at + side) for at, side in zip(corner, reversed(sides), strict=True))


def narrowest(low: int, high: int) -> DType:
    """Return the narrowest dtype for integers in a range."""
    return np.min_scalar_type(high if low >= 0 and high < 1 << 16 else min(low, ~high))


def _part(array: NDArray[np.integer], where: tuple[slice, ...], dtype: DType) -> int | Integers:
    if array.size == 1:
        return int(array.item())
    sides = zip(where, array.shape, strict=False)  # without sides: the whole array
    part = array[tuple(side if length > 1 else slice(None) for side, length in sides)]
    return int(part.item()) if part.size == 1 else part.astype(dtype, copy=False)


def _wide_range(array: NDArray[np.integer]) -> Interval:
    """Return a wide range of all elements: that of the dtype, or up to powers of 2."""
    if array.dtype.itemsize <= 4:
        limits = np.iinfo(array.dtype)
        return int(limits.min), int(limits.max)
    ones = int(np.bitwise_or.reduce(array, axis=None))  # twice as fast as both extremes
    low, high = (0, ones) if ones >= 0 else _range(array)
    return -(1 << (-low).bit_length()) if low < 0 else 0, (1 << max(high, 0).bit_length()) - 1


def _range(array: NDArray[np.integer]) -> Interval:
    return int(array.min()), int(array.max())


def _as_integers(
    text: str, node: nodes.Name, values: Mapping[str, ArrayLike]
) -> NDArray[np.integer]:
    if node.name not in values:
        raise missing_name(text, node, values)
    array = np.asarray(values[node.name])
    if array.dtype.kind not in "iu":
        problem = f'"{node.name}" at column {node.column} is given as {array.dtype}: 64-bit integers are needed'
        raise FormulaError(problem, text, node.column)
    return array


def _as_table(text: str, node: nodes.Call, table: Table) -> Integers:
    array = np.asarray(table)
    if array.dtype.kind not in "iu" or array.ndim != 1 or array.size == 0:
        given = f"{array.dtype} of shape {array.shape}"
        problem = f'table of "{node.function}" at column {node.column} is {given}: a row of 64-bit integers is needed'
        raise FormulaError(problem, text, node.column)
    return array.astype(np.int64, copy=False)
