"""Interval arithmetic on formulas: an interval of their values, given ranges for the names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from choco_pipeline.formula.exact import (
    exponent_of_2,
    missing_name,
    power_is_too_large,
    table_for,
    too_large,
)
from choco_pipeline.formula.nodes import (
    MAX_BITS,
    OPERATORS,
    Binary,
    Call,
    FormulaError,
    Integer,
    Name,
    Negate,
    Node,
    children,
)

#: A least and a greatest integer, both reached at most: the interval may be too wide, never too narrow.
Interval = tuple[int, int]


class Enclosure:
    """Encloses the values of formulas, wherever they have one.

    Where a formula has no value (a division by zero), there is nothing to enclose, so a divisor is taken to be a nonzero
    one, and a shift count or an exponent a non-negative one. No intermediate result may leave signed integers of `bits` bits.
    """

    def __init__(
        self, text: str, ranges: Mapping[str, Interval], tables: Mapping[str, Interval], bits: int
    ) -> None:
        self._text = text
        self._ranges = ranges
        self._tables = tables
        self._bits = bits

    def of(self, node: Node) -> Interval:
        """Return an interval that holds every value of `node`; (0, 1) for a truth.

        Raises `FormulaError` if an integer inside `node` can leave the allowed number of bits: which, where, and how far it can
        reach.
        """
        match node:
            case Integer():
                return self._allowed(
                    (node.value, node.value), f"integer at column {node.column}", node.column
                )
            case Name():
                if node.name not in self._ranges:
                    raise missing_name(self._text, node, self._ranges)
                return self._allowed(
                    self._ranges[node.name], f'"{node.name}" at column {node.column}', node.column
                )
            case Negate():
                low, high = self.of(node.operand)
                return self._allowed((-high, -low), f'"-" at column {node.column}', node.column)
            case Binary():
                interval = self._binary(node, self.of(node.left), self.of(node.right))
                return self._allowed(
                    interval, f'"{node.operator}" at column {node.column}', node.column
                )
            case Call():
                interval = self._call(node, [self.of(argument) for argument in node.arguments])
                return self._allowed(
                    interval, f'"{node.function}" at column {node.column}', node.column
                )
            case _:
                for child in children(node):
                    self.of(child)
                return (0, 1)

    def _binary(self, node: Binary, left: Interval, right: Interval) -> Interval:
        match node.operator:
            case "+":
                return left[0] + right[0], left[1] + right[1]
            case "-":
                return left[0] - right[1], left[1] - right[0]
            case "*":
                return _hull(node.operator, left, right)
            case "//":
                return _span([_hull("//", left, part) for part in _divisors(right)])
            case "%":
                return _span([_remainder(left, part) for part in _divisors(right)])
            case "<<":
                counts = max(right[0], 0), max(right[1], 0)
                if left == (0, 0):
                    return left
                if max(map(int.bit_length, left)) + counts[1] > MAX_BITS:
                    raise too_large(self._text, "<<", node.column)
                return _hull("<<", left, counts)
            case ">>":
                return _hull(">>", left, (max(right[0], 0), max(right[1], 0)))
            case "**":
                exponents = max(right[0], 0), max(right[1], 0)
                if any(power_is_too_large(base, exponents[1]) for base in left):
                    raise too_large(self._text, "**", node.column)
                return _power(left, exponents)
            case _:
                return _bitwise(node.operator, left, right)

    def _call(self, node: Call, arguments: list[Interval]) -> Interval:
        low, high = arguments[0]
        match node.function:
            case "min":
                return min(low for low, _ in arguments), min(high for _, high in arguments)
            case "max":
                return max(low for low, _ in arguments), max(high for _, high in arguments)
            case "abs":
                return max(low, -high, 0), max(-low, high)
            case "v2":
                if low == high != 0:
                    return exponent_of_2(low), exponent_of_2(low)
                return 0, max(max(-low, high).bit_length() - 1, 0)
            case "log2":
                return max(low, 1).bit_length() - 1, max(high, 1).bit_length() - 1
            case _:
                return table_for(self._text, node, self._tables)

    def _allowed(self, interval: Interval, what: str, column: int) -> Interval:
        low, high = interval
        if low < -(1 << self._bits - 1) or high >= 1 << self._bits - 1:
            reach = f"can reach {_short(low)}..{_short(high)}"
            raise FormulaError(
                f"{what} {reach}, outside signed integers of {self._bits} bits", self._text, column
            )
        return interval


def _hull(sign: str, left: Interval, right: Interval) -> Interval:
    """Return the span of the four corners, for an operator that is monotone in each operand."""
    values = [OPERATORS[sign](a, b) for a, b in product(left, right)]
    return min(values), max(values)


def _span(parts: list[Interval]) -> Interval:
    return min(low for low, _ in parts), max(high for _, high in parts)


def _divisors(interval: Interval) -> list[Interval]:
    """Return the negative and the positive part of `interval`; 1 for zero alone, by which nothing is divided."""
    low, high = interval
    parts = [(low, min(high, -1))] if low < 0 else []
    parts += [(max(low, 1), high)] if high > 0 else []
    return parts or [(1, 1)]


def _remainder(left: Interval, divisor: Interval) -> Interval:
    low, high = left
    if low == high and divisor[0] == divisor[1]:
        return low % divisor[0], low % divisor[0]
    if divisor[1] < 0:
        return (max(low, divisor[0] + 1) if high <= 0 else divisor[0] + 1), 0
    return 0, (min(high, divisor[1] - 1) if low >= 0 else divisor[1] - 1)


def _power(bases: Interval, exponents: Interval) -> Interval:
    """Return the exact span. An even power is least at 0; below 0 signs alternate, so two exponents count."""
    least, most = exponents
    nearest_to_0 = max(bases[0], min(0, bases[1]))
    places = product({*bases, nearest_to_0}, {least, max(least, most - 1), most})
    values = [base**exponent for base, exponent in places]
    return min(values), max(values)


def _bitwise(sign: str, left: Interval, right: Interval) -> Interval:
    if left[0] == left[1] and right[0] == right[1]:
        value = OPERATORS[sign](left[0], right[0])
        return value, value
    bits = max((n if n >= 0 else ~n).bit_length() for n in (*left, *right))
    full = -(1 << bits), (1 << bits) - 1
    match sign, left[0] >= 0, right[0] >= 0:
        case "&", True, True:
            return 0, min(left[1], right[1])
        case "&", True, False:
            return 0, left[1]
        case "&", False, True:
            return 0, right[1]
        case "|", True, True:
            return max(left[0], right[0]), full[1]
        case "^", True, True:
            return 0, full[1]
        case _:
            return full


def _short(n: int) -> str:
    if n.bit_length() <= 80:
        return str(n)
    return f"{'-' if n < 0 else ''}2**{n.bit_length() - 1}"
