"""Interval arithmetic: intervals that contain all values of a formula.

Each part of a formula has an interval that contains all its values, for given ranges of the names. It may be too wide, but never
too narrow. A comparison of intervals that do not overlap is decided. The cost is one step for each part.
Reference, for finite ends: R. E. Moore, Interval Analysis, 1966.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import inf
from typing import cast

from choco_pipeline.formula import nodes
from choco_pipeline.formula.exact import (
    exponent_of_2,
    missing_name,
    power_is_too_large,
    table_for,
    too_large,
)
from choco_pipeline.formula.nodes import FormulaError, Node

#: A least and a greatest integer.
Interval = tuple[int, int]
#: An integer, `inf` or `-inf`. Integers are compared with these, but never added to them: they may exceed every float.
End = int | float
Span = tuple[End, End]

#: Limit of bits for conditions on infinite ranges, so that nested powers take little time and memory.
MOST_BITS = 1 << 16


@dataclass(slots=True)
class Enclosure:
    """Computes intervals that contain all existing values of formulas.

    Places without a value are ignored: divisors are assumed to be nonzero, shift counts and exponents to be non-negative. With
    `is_total`, a formula that may have no value somewhere is refused, and ranges may be infinite. Every intermediate result
    must fit into signed integers of `bits` bits.
    """

    text: str
    ranges: Mapping[str, Span]
    tables: Mapping[str, Interval]
    bits: int
    is_total: bool = False
    #: The largest number of bits, sign not counted, of an integer in the enclosed formulas.
    widest: int = 0

    def of(self, node: Node) -> Interval:
        """Return an interval that contains all values of `node`; (0, 1) for a condition.

        Raises `FormulaError` if an integer inside `node` may exceed the allowed bits, with its column and its interval.
        """
        return cast("Interval", self._span(node))

    def truth(self, node: Node) -> bool | None:
        """Return the value of a condition if it is the same everywhere, or None."""
        match node:
            case nodes.LogicalNot():
                inner = self.truth(node.operand)
                return None if inner is None else not inner
            case nodes.Junction():
                return _decided_by(node.operator == "or", map(self.truth, node.operands))
            case nodes.Compare():
                return _decided_by(False, self._comparisons(node))
            case _:
                raise TypeError(f"not a truth: {node}")

    def _comparisons(self, node: nodes.Compare) -> Iterator[bool | None]:
        for sign, (left, right) in zip(node.operators, pairwise(node.operands), strict=True):
            spans = self._span(left), self._span(right)
            # identical operands are equal, though their intervals overlap
            yield nodes.COMPARISONS[sign](0, 0) if left == right else _compare_spans(sign, *spans)

    def _span(self, node: Node) -> Span:
        span: Span
        match node:
            case nodes.Integer(value):
                span, what = (value, value), "integer"
            case nodes.Name(name):
                if name not in self.ranges:
                    raise missing_name(self.text, node, self.ranges)
                span, what = self.ranges[name], f'"{name}"'
            case nodes.Negate(operand):
                span, what = _negated(self._span(operand)), '"-"'
            case nodes.Binary(operator, left, right):
                span = self._binary(node, self._span(left), self._span(right))
                what = f'"{operator}"'
            case nodes.Call(function, arguments):
                span, what = self._call(node, [*map(self._span, arguments)]), f'"{function}"'
            case _:
                for child in nodes.children(node):
                    self._span(child)
                return (0, 1)
        finite = [end if end >= 0 else ~end for end in span if isinstance(end, int)]
        width = max(map(int.bit_length, finite), default=0)
        self.widest = max(self.widest, width)
        if width >= self.bits:
            reach = f"can reach {_short(span[0])}..{_short(span[1])}"
            problem = f"{what} at column {node.column} {reach}, outside signed integers of {self.bits} bits"
            raise FormulaError(problem, self.text, node.column)
        return span

    def _binary(self, node: nodes.Binary, left: Span, right: Span) -> Span:
        match node.operator:
            case "+":
                return _plus(left[0], right[0]), _plus(left[1], right[1])
            case "-":
                return _plus(left[0], -right[1]), _plus(left[1], -right[0])
            case "*":
                return _corners(_times, left, right)
            case "//" | "%" as sign:
                self._require(not right[0] <= 0 <= right[1], node)
                act = _quotient if sign == "//" else _remainder
                # if 0 is the only divisor, there is no value: 1 is as good as any
                parts = [part for part in _by_sign(right, without_0=True)] or [(1, 1)]
                return _hull([act(left, part) for part in parts])
            case "<<" | ">>" | "**":
                self._require(right[0] >= 0, node)
                return self._shift_or_power(node, left, (max(right[0], 0), max(right[1], 0)))
            case sign:
                pairs = product(_by_sign(left), _by_sign(right))
                return _hull([_of_one_sign(sign, *pair) for pair in pairs])

    def _shift_or_power(self, node: nodes.Binary, left: Span, by: Span) -> Span:
        """Return the span of shifts and powers by natural numbers."""
        if node.operator == ">>":
            return _corners(_shifted, left, by)
        ends = [end for end in left if isinstance(end, int)]
        least, most = by
        if left == (0, 0) and node.operator == "<<":
            return left
        if isinstance(most, float) or isinstance(least, float):
            raise too_large(self.text, node.operator, node.column)
        if node.operator == "<<":
            if max(map(int.bit_length, ends), default=0) + most > nodes.MAX_BITS:
                raise too_large(self.text, "<<", node.column)
            return _corners(_times, left, (1 << least, 1 << most))
        if any(power_is_too_large(base, most) for base in ends):
            raise too_large(self.text, "**", node.column)
        # The exact span. An even power is least at 0; signs of negative powers alternate, so two exponents count.
        nearest_to_0 = max(left[0], min(0, left[1]))
        places = product({*left, nearest_to_0}, {least, max(least, most - 1), most})
        values = [_power(base, exponent) for base, exponent in places]
        return min(values), max(values)

    def _call(self, node: nodes.Call, arguments: list[Span]) -> Span:
        low, high = arguments[0]
        lows, highs = zip(*arguments, strict=True)
        self._require(node.function in ("min", "max", "abs"), node)
        match node.function:
            case "min":
                return min(lows), min(highs)
            case "max":
                return max(lows), max(highs)
            case "abs":
                return max(low, -high, 0), max(-low, high)
            case "v2" if low == high != 0:
                return exponent_of_2(int(low)), exponent_of_2(int(low))
            case "v2":
                return 0, max(int(max(-low, high)).bit_length() - 1, 0)
            case "log2":
                return int(max(low, 1)).bit_length() - 1, int(max(high, 1)).bit_length() - 1
            case _:
                return table_for(self.text, node, self.tables)

    def _require(self, has_value: bool, node: nodes.Binary | nodes.Call) -> None:
        """Raise `FormulaError` for a part that may have no value, if `is_total`."""
        if self.is_total and not has_value:
            raise FormulaError("a part may have no value", self.text, node.column)


def _decided_by(deciding: bool, truths: Iterator[bool | None]) -> bool | None:
    """Return `deciding` if a truth has this value, its negation if none can, or None."""
    all_known = True
    for truth in truths:
        if truth is deciding:
            return deciding
        all_known &= truth is not None
    return (not deciding) if all_known else None


def _compare_spans(sign: str, left: Span, right: Span) -> bool | None:
    at_ends = {nodes.COMPARISONS[sign](a, b) for a, b in product(left, right)}
    overlap = left[0] <= right[1] and right[0] <= left[1]
    if sign in ("==", "!=") and overlap and len({*left, *right}) > 1:
        return None  # some integers between the ends are equal, others are not
    return at_ends.pop() if len(at_ends) == 1 else None


def _hull(parts: list[Span]) -> Span:
    return min(low for low, _ in parts), max(high for _, high in parts)


def _corners(act: Callable[[End, End], End], left: Span, right: Span) -> Span:
    """Return the span of an operator that is monotone in each operand."""
    values = [act(a, b) for a, b in product(left, right)]
    return min(values), max(values)


def _negated(span: Span) -> Span:
    return -span[1], -span[0]


def _plus(a: End, b: End) -> End:
    if isinstance(a, float):
        return a
    return b if isinstance(b, float) else a + b


def _times(a: End, b: End) -> End:
    if isinstance(a, float) or isinstance(b, float):
        return 0 if 0 in (a, b) else inf if (a > 0) == (b > 0) else -inf
    return a * b


def _over(a: End, b: End) -> End:
    """Return ``a // b`` for b > 0; for an infinite b, the limit 0 or −1."""
    if isinstance(b, float):
        return 0 if a >= 0 else -1
    return a if isinstance(a, float) else a // b


def _shifted(a: End, n: End) -> End:
    if isinstance(n, float):
        return 0 if a >= 0 else -1
    return a if isinstance(a, float) else a >> n


def _power(base: End, exponent: int) -> End:
    if isinstance(base, float):
        return 1 if exponent == 0 else base if exponent % 2 else inf
    return cast("int", base**exponent)


def _quotient(left: Span, right: Span) -> Span:
    """Return the span of quotients by divisors of one sign."""
    if right[1] < 0:
        left, right = _negated(left), _negated(right)
    return _corners(_over, left, right)


def _remainder(left: Span, right: Span) -> Span:
    """Return the span of remainders by divisors of one sign."""
    if right[1] < 0:
        return _negated(_remainder(_negated(left), _negated(right)))
    quotients = _quotient(left, right)
    if right[0] == right[1] and quotients[0] == quotients[1]:
        whole = -_times(quotients[0], right[0])
        return _plus(left[0], whole), _plus(left[1], whole)
    return 0, min(_plus(right[1], -1), left[1]) if left[0] >= 0 else _plus(right[1], -1)


def _by_sign(span: Span, *, without_0: bool = False) -> list[Span]:
    """Split a span into its negative and its non-negative integers."""
    low, high = span
    least = 1 if without_0 else 0
    negative = [(low, min(high, -1))] if low < 0 else []
    return [*negative, (max(low, least), high)] if high >= least else negative


def _of_one_sign(sign: str, left: Span, right: Span) -> Span:
    """Return the span of a bitwise operator on two spans, each of one sign."""
    low, high = _by_rule(sign, left, right)
    if any(isinstance(end, float) for end in (*left, *right)):
        return low, high
    a, b, c, d = map(int, (*left, *right))
    free = max((a ^ b).bit_length(), (c ^ d).bit_length())  # the low bits in which the ends differ
    first = nodes.OPERATORS[sign](a, c) >> free << free
    return max(low, first), min(high, first + (1 << free) - 1)


def _by_rule(sign: str, left: Span, right: Span) -> Span:
    # ~n = -n-1 flips every digit, so the rule for natural numbers gives the rule for negative ones.
    match sign, left[0] < 0, right[0] < 0:
        case "&", False, False:
            return 0, min(left[1], right[1])
        case "|", False, False:
            return max(left[0], right[0]), _plus(left[1], right[1])
        case "^", False, False:
            apart = max(_plus(left[0], -right[1]), _plus(right[0], -left[1]), 0)
            return apart, _plus(left[1], right[1])
        case "^", True, True:
            return _of_one_sign("^", _flipped(left), _flipped(right))
        case "^", True, False:
            return _flipped(_of_one_sign("^", _flipped(left), right))
        case "^", False, True:
            return _flipped(_of_one_sign("^", left, _flipped(right)))
        case "&", True, True:
            return _flipped(_of_one_sign("|", _flipped(left), _flipped(right)))
        case "&", True, False:
            return _of_one_sign("&", right, left)
        case "&", False, True:  # a & b = a - (a & ~b)
            return max(_plus(left[0], -_flipped(right)[1]), 0), left[1]
        case _:  # a | b = ~(~a & ~b), where one is negative
            return _flipped(_of_one_sign("&", _flipped(left), _flipped(right)))


def _flipped(span: Span) -> Span:
    return _plus(-span[1], -1), _plus(-span[0], -1)


def _short(n: End) -> str:
    if isinstance(n, float) or n.bit_length() <= 80:
        return str(n)
    return f"{'-' if n < 0 else ''}2**{n.bit_length() - 1}"
