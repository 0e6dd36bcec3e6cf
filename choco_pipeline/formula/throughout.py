"""Whether a condition on one integer holds throughout an interval, which may have no end.

The idea is interval arithmetic with infinite ends: each part of the formula is enclosed by an interval that holds all its
values, and a comparison of two intervals that do not overlap is decided for all integers at once. What is known is never
wrong; an enclosure may be too wide, so that nothing is known where a shorter interval would be decided. An interval of one
integer is decided by `Place`, exactly. The cost is one step for each part of the formula.

R. E. Moore, Interval Analysis, 1966, for finite ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import inf

from choco_pipeline.formula.exact import Place, power_is_too_large
from choco_pipeline.formula.nodes import (
    COMPARISONS,
    MAX_BITS,
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
)

#: An integer, or `inf` or `-inf`, which no integer is compared with but by its sign: integers may exceed every float.
End = int | float
#: The ends of an interval that holds every value of a formula.
Span = tuple[End, End]

#: Products with more bits are not enclosed, so that nested powers take no time and no memory.
_MOST_BITS = 1 << 16


class _NotEnclosedError(Exception):
    """A part of a formula may have no value somewhere in the interval, or its values are not known well enough."""


def truth_throughout(node: Node, text: str, name: str, low: End, high: End) -> bool | None:
    """Return whether `node` is true for all integers from `low` to `high`, or false for all; see `Formula.throughout`."""
    if low == high:
        return Place(text, {name: int(low)}, {}).truth(node)
    try:
        return _truth(node, (low, high))
    except _NotEnclosedError:
        return None


def _truth(node: Node, span: Span) -> bool | None:
    match node:
        case LogicalNot():
            inner = _truth(node.operand, span)
            return None if inner is None else not inner
        case Junction():
            parts = (_truth(part, span) for part in node.operands)
            return _first_that_decides(node.operator == "or", parts)
        case Compare():
            return _first_that_decides(False, _comparisons(node, span))
        case _:
            raise TypeError(f"not a truth: {node}")


def _first_that_decides(deciding: bool, truths: Iterator[bool | None]) -> bool | None:
    """Return `deciding` if a part is that throughout, the opposite if all parts are; stop at a decision."""
    all_known = True
    for truth in truths:
        if truth is deciding:
            return deciding
        all_known &= truth is not None
    return (not deciding) if all_known else None


def _comparisons(node: Compare, span: Span) -> Iterator[bool | None]:
    before = node.operands[0]
    left = _enclosed(before, span)
    for sign, operand in zip(node.operators, node.operands[1:], strict=True):
        right = _enclosed(operand, span)
        same = before == operand  # equal wherever it is, though enclosures of it overlap
        yield COMPARISONS[sign](0, 0) if same else _compared(sign, left, right)
        before, left = operand, right


def _compared(sign: str, left: Span, right: Span) -> bool | None:
    match sign:
        case "<":
            return True if left[1] < right[0] else False if left[0] >= right[1] else None
        case "<=":
            return True if left[1] <= right[0] else False if left[0] > right[1] else None
        case ">" | ">=":
            return _compared({">": "<", ">=": "<="}[sign], right, left)
        case "==":
            if left == right and left[0] == left[1]:
                return True
            return False if left[1] < right[0] or right[1] < left[0] else None
        case _:
            equal = _compared("==", left, right)
            return None if equal is None else not equal


def _enclosed(node: Node, span: Span) -> Span:
    """Return an interval that holds every value of an integer."""
    match node:
        case Integer():
            return node.value, node.value
        case Name():
            return span
        case Negate():
            low, high = _enclosed(node.operand, span)
            return -high, -low
        case Binary():
            return _binary(node, _enclosed(node.left, span), _enclosed(node.right, span))
        case Call():
            return _call(node, [_enclosed(argument, span) for argument in node.arguments])
        case _:
            raise TypeError(f"not an integer: {node}")


def _binary(node: Binary, left: Span, right: Span) -> Span:
    match node.operator:
        case "+":
            return _plus(left[0], right[0]), _plus(left[1], right[1])
        case "-":
            return _plus(left[0], -right[1]), _plus(left[1], -right[0])
        case "*":
            return _corners(_times, left, right)
        case "//":
            return _quotient(left, right)
        case "%":
            return _remainder(left, right)
        case "<<":
            return _corners(_times, left, _power_of_2(right))
        case ">>":
            return _quotient(left, _power_of_2(right))
        case "**":
            return _power(left, right)
        case _:
            return _bitwise(node.operator, left, right)


def _call(node: Call, arguments: list[Span]) -> Span:
    lows, highs = zip(*arguments, strict=True)
    match node.function:
        case "min":
            return min(lows), min(highs)
        case "max":
            return max(lows), max(highs)
        case "abs":
            return max(lows[0], -highs[0], 0), max(-lows[0], highs[0])
        case _:
            raise _NotEnclosedError


def _corners(act: Callable[[End, End], End], left: Span, right: Span) -> Span:
    """Return the span of the four corners, for an operator that is monotone in each operand."""
    values = [act(a, b) for a, b in product(left, right)]
    return min(values), max(values)


def _plus(a: End, b: End) -> End:
    if isinstance(a, float):
        return a
    return b if isinstance(b, float) else a + b


def _times(a: End, b: End) -> End:
    if isinstance(a, float) or isinstance(b, float):
        return 0 if 0 in (a, b) else inf if (a > 0) == (b > 0) else -inf
    if a.bit_length() + b.bit_length() > _MOST_BITS:
        raise _NotEnclosedError
    return a * b


def _over(a: End, b: End) -> End:
    """Return a // b at a corner, b > 0; for two infinite ends another corner decides."""
    if isinstance(b, float):
        return 0 if a >= 0 else -1
    return a if isinstance(a, float) else a // b


def _quotient(left: Span, right: Span) -> Span:
    if right[1] < 0:
        left, right = (-left[1], -left[0]), (-right[1], -right[0])
    if right[0] <= 0:
        raise _NotEnclosedError
    return _corners(_over, left, right)


def _remainder(left: Span, right: Span) -> Span:
    if right[1] < 0:
        low, high = _remainder((-left[1], -left[0]), (-right[1], -right[0]))
        return -high, -low
    if right[0] <= 0:
        raise _NotEnclosedError
    quotients = _quotient(left, right)
    if right[0] == right[1] and quotients[0] == quotients[1]:
        whole = -_times(quotients[0], right[0])
        return _plus(left[0], whole), _plus(left[1], whole)
    return 0, min(_plus(right[1], -1), left[1]) if left[0] >= 0 else _plus(right[1], -1)


def _power_of_2(exponent: Span) -> Span:
    """Return 2 to a known power; shifts by other counts are not enclosed."""
    low, high = exponent
    if low != high or not 0 <= low <= MAX_BITS:
        raise _NotEnclosedError
    return 1 << int(low), 1 << int(low)


def _power(base: Span, exponent: Span) -> Span:
    """Return the span of a power; an even one is least at the base that is nearest to 0."""
    low, high = exponent
    if low != high or low < 0:
        raise _NotEnclosedError
    nearest_to_0 = max(base[0], min(0, base[1]))
    ends = [_raised(end, int(low)) for end in (*base, nearest_to_0)]
    return min(ends), max(ends)


def _raised(base: End, exponent: int) -> End:
    if isinstance(base, float):
        return 1 if exponent == 0 else base if exponent % 2 else inf
    if power_is_too_large(base, exponent):
        raise _NotEnclosedError
    raised: int = OPERATORS["**"](base, exponent)
    return raised


def _bitwise(sign: str, left: Span, right: Span) -> Span:
    """Return the interval that follows from the signs and the leading digits that an interval shares."""
    parts = [_of_one_sign(sign, a, b) for a in _by_sign(left) for b in _by_sign(right)]
    return min(low for low, _ in parts), max(high for _, high in parts)


def _by_sign(span: Span) -> list[Span]:
    low, high = span
    negative = [(low, min(high, -1))] if low < 0 else []
    return [*negative, (max(low, 0), high)] if high >= 0 else negative


def _of_one_sign(sign: str, left: Span, right: Span) -> Span:
    if not any(isinstance(end, float) for end in (*left, *right)):
        a, b, c, d = map(int, (*left, *right))
        free = max((a ^ b).bit_length(), (c ^ d).bit_length())  # digits that are not shared
        first = OPERATORS[sign](a, c) >> free << free
        return first, first + (1 << free) - 1
    # ~n = -n-1 flips every digit: what is said of natural numbers says the rest.
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
