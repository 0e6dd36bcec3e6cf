"""A formula on one block of cells, all at once, with the same values and errors as at each place alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula.exact import exponent_of_2, undefined
from choco_pipeline.formula.nodes import (
    COMPARISONS,
    OPERATORS,
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    walk,
)

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

_ARRAY_OPERATORS: dict[str, Callable[..., Integers]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "^": np.bitwise_xor,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "<<": np.left_shift,
    ">>": np.right_shift,
}

_ARRAY_COMPARISONS: dict[str, Callable[..., Truths]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class FormulaBlock:
    """A block of cells of this shape; a name with one value there is a Python integer, by which numpy divides much faster.

    What `cells` holds for each name broadcasts to the shape; arrays have as many dimensions. ``tables["g"][n]`` is g(n).

    `open_` marks the cells in which a value matters: None is all of them, and it is never all False. Elsewhere an
    operator may meet what it is not defined for. It then computes with a stand-in, of which nothing is used.
    """

    def __init__(
        self,
        text: str,
        shape: tuple[int, ...],
        cells: Mapping[str, int | Integers],
        tables: Mapping[str, Integers],
    ) -> None:
        self._text = text
        self._shape = shape
        self._cells = cells
        self._tables = tables

    def fill(self, out: Integers | Truths, node: Node) -> None:
        """Write the values of `node` to `out`; the last operator writes there itself."""
        match node:
            case Binary():
                left, right = self._operands(node, None)
                _ARRAY_OPERATORS[node.operator](left, right, out=out)
            case Compare(operators=(sign,), operands=(first, second)):
                _ARRAY_COMPARISONS[sign](
                    self.integers(first, None), self.integers(second, None), out=out
                )
            case Compare() | LogicalNot() | Junction():
                out[...] = self.truths(node, None)
            case _:
                out[...] = self.integers(node, None)

    def integers(self, node: Node, open_: Truths | None) -> int | Integers:
        """Return the values of `node`, an integer."""
        match node:
            case Integer():
                return node.value
            case Name():
                return self._cells[node.name]
            case Negate():
                return -self.integers(node.operand, open_)
            case Binary():
                value: int | Integers = OPERATORS[node.operator](*self._operands(node, open_))
                return value
            case Call():
                return self._call(
                    node, [self.integers(argument, open_) for argument in node.arguments], open_
                )
            case Compare() | LogicalNot() | Junction():
                raise TypeError(f"not an integer: {node}")

    def truths(self, node: Node, open_: Truths | None) -> bool | Truths:
        """Return the values of `node`, a truth; as in `Place.truth`, what is decided is not looked at further."""
        match node:
            case LogicalNot():
                operand = self.truths(node.operand, open_)
                return not operand if isinstance(operand, bool) else ~operand
            case Junction():
                return _until(
                    node.operator == "or",
                    (partial(self.truths, part) for part in node.operands),
                    open_,
                )
            case Compare():
                return _until(False, self._links(node, open_), open_)
            case Integer() | Name() | Negate() | Binary() | Call():
                raise TypeError(f"not a truth: {node}")

    def _links(
        self, node: Compare, open_: Truths | None
    ) -> Iterator[Callable[[Truths | None], bool | Truths]]:
        """Yield each comparison of a chain, every operand computed once."""
        operand = self.integers(node.operands[0], open_)

        def link(sign: str, following: Node, still_open: Truths | None) -> bool | Truths:
            nonlocal operand
            left, operand = operand, self.integers(following, still_open)
            holds: bool | Truths = COMPARISONS[sign](left, operand)
            return holds

        for sign, following in zip(node.operators, node.operands[1:], strict=True):
            yield partial(link, sign, following)

    def _operands(
        self, node: Binary, open_: Truths | None
    ) -> tuple[int | Integers, int | Integers]:
        left, right = self.integers(node.left, open_), self.integers(node.right, open_)
        if node.operator in ("//", "%"):
            right = self._defined(right, right == 0, 1, open_, "division by zero", node)
        elif node.operator in ("<<", ">>"):
            right = self._defined(right, right < 0, 0, open_, "shift by a negative count", node)
        elif node.operator == "**":
            problem = "power with a negative exponent"
            right = self._defined(right, right < 0, 0, open_, problem, node)
        return left, right

    def _call(
        self, node: Call, arguments: list[int | Integers], open_: Truths | None
    ) -> int | Integers:
        argument = arguments[0]
        match node.function:
            case "min" | "max" as name:
                integers = [one for one in arguments if isinstance(one, int)]
                if len(integers) == len(arguments):
                    return min(integers) if name == "min" else max(integers)
                extreme = np.minimum if name == "min" else np.maximum
                chosen: Integers = reduce(extreme, map(np.asarray, arguments))
                return chosen
            case "abs":
                return abs(argument) if isinstance(argument, int) else np.absolute(argument)
            case "v2":
                argument = self._defined(argument, argument == 0, 1, open_, "v2(0)", node)
                if isinstance(argument, int):
                    return exponent_of_2(argument)
                zeros = ~argument & (argument - 1)  # a one for each zero below the lowest one
                counts: Integers = np.bitwise_count(zeros).astype(np.int64)
                return counts
            case "log2":
                problem = "log2 of a number below 1"
                argument = self._defined(argument, argument < 1, 1, open_, problem, node)
                if isinstance(argument, int):
                    return argument.bit_length() - 1
                for shift in (1, 2, 4, 8, 16, 32):  # ones in all places below the highest one
                    argument = argument | argument >> shift
                digits: Integers = np.bitwise_count(argument).astype(np.int64)
                return digits - 1
            case _:
                pass
        table = self._tables[node.function]
        problem = f"{node.function} is known for 0..{table.size - 1}, asked"
        argument = self._defined(
            argument, (argument < 0) | (argument >= table.size), 0, open_, problem, node
        )
        values: Integers = table[argument]
        return int(values) if isinstance(argument, int) else values

    def _defined(
        self,
        operand: int | Integers,
        bad: bool | Truths,
        stand_in: int,
        open_: Truths | None,
        problem: str,
        node: Binary | Call,
    ) -> int | Integers:
        """Return `operand` with a stand-in where it is bad, which must be in no open cell."""
        if not np.any(bad):
            return operand
        faults = np.broadcast_to(bad if open_ is None else bad & open_, self._shape)
        if not faults.any():
            return np.where(bad, stand_in, operand)
        fault = np.unravel_index(int(faults.argmax()), self._shape)
        values = {
            part.name: self._cells[part.name] for part in walk(node) if isinstance(part, Name)
        }
        place = {
            name: int(np.broadcast_to(value, self._shape)[fault]) for name, value in values.items()
        }
        raise undefined(self._text, problem, node, place)


def _until(
    decided: bool, steps: Iterable[Callable[[Truths | None], bool | Truths]], open_: Truths | None
) -> bool | Truths:
    """Return the `or` (if `decided` is True) or the `and` of the steps, each told which cells are still open."""
    result: bool | Truths = not decided
    for step in steps:
        if isinstance(result, bool):
            if result == decided:
                return result
            result = step(open_)
            continue
        undecided = ~result if decided else result
        if open_ is not None:
            undecided = undecided & open_
        if not undecided.any():
            return result
        result = result | step(undecided) if decided else result & step(undecided)
    return result
