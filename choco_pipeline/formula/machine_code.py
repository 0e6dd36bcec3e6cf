"""Formulas as LLVM instructions on integers of 32 or 64 bits, without branches.

The caller proves by interval arithmetic that no part overflows while the values of names lie in their ranges. An operand for
which an operator is undefined is replaced by a stand-in; a fault is recorded if the value is needed. Therefore every part has,
in every cell, a value in its interval: nothing overflows, and no division traps. All operands of a condition are computed in
every cell, so that LLVM can vectorise the loop over cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from choco_pipeline.formula import nodes
from choco_pipeline.formula.interval import Enclosure, Interval
from choco_pipeline.formula.nodes import Node

if TYPE_CHECKING:
    from llvmlite import ir

#: Possible bit widths of integers; with 32 bits, a vector holds twice as many.
WIDTHS = (32, 64)

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "^": "xor", "&": "and_", "|": "or_"}


@dataclass
class MachineFormulas:
    """Emitter of instructions for formulas on one cell.

    The bit `matters` is set in cells where a value is needed. Integers have `bits` bits: the values of `names`, which lie in
    `ranges`, and the constants that `constant` returns. The bit `fault` is set in cells where a needed value does not exist;
    None if all values exist.
    """

    builder: ir.IRBuilder
    constant: Callable[[int], ir.Value]
    bits: int
    names: Mapping[str, ir.Value]
    ranges: Mapping[str, Interval]
    fault: ir.Value | None = None

    def __post_init__(self) -> None:
        self._enclosure = Enclosure("", self.ranges, {}, self.bits)

    def value(self, node: Node, matters: ir.Value) -> ir.Value:
        """Emit the instructions for an integer, or for the bit of a condition."""
        build = self.builder
        match node:
            case nodes.Integer():
                return self.constant(node.value)
            case nodes.Name():
                return self.names[node.name]
            case nodes.Negate():
                return build.neg(self.value(node.operand, matters))
            case nodes.Binary():
                return self._binary(node, matters)
            case nodes.Call():
                return self._call(node, matters)
            case nodes.LogicalNot():
                return build.not_(self.value(node.operand, matters))
            case nodes.Junction():
                # An operand matters where the operands before it do not decide.
                is_or = node.operator == "or"
                result = self.value(node.operands[0], matters)
                for operand in node.operands[1:]:
                    undecided = build.and_(matters, build.not_(result) if is_or else result)
                    further = self.value(operand, undecided)
                    result = build.or_(result, further) if is_or else build.and_(result, further)
                return result
            case nodes.Compare(operators=(sign,), operands=(left, right)):
                return build.icmp_signed(
                    sign, self.value(left, matters), self.value(right, matters)
                )
            case nodes.Compare():
                return self.value(nodes.links(node), matters)

    def _binary(self, node: nodes.Binary, matters: ir.Value) -> ir.Value:
        left, right = self.value(node.left, matters), self.value(node.right, matters)
        match node.operator:
            case "//" | "%":
                return self._division(node, left, right, matters)
            case "<<" | ">>" | "**" as sign:
                low, high = self._enclosure.of(node.right)
                if low < 0:
                    right = self._with_stand_in(right, "<", 0, 0, matters)
                if sign == "**":
                    return self._power(left, right, high)
                return self._shift(sign, left, right, high)
            case sign:
                result: ir.Value = getattr(self.builder, _PLAIN[sign])(left, right)
                return result

    def _division(
        self, node: nodes.Binary, left: ir.Value, right: ir.Value, matters: ir.Value
    ) -> ir.Value:
        """Emit a division that rounds down.

        The machine rounds towards 0. It traps for the divisor 0, and for the least integer divided by −1.
        """
        build, zero = self.builder, self.constant(0)
        is_quotient = node.operator == "//"
        low, high = self._enclosure.of(node.right)
        if low == high and low > 0 and low & (low - 1) == 0:
            if is_quotient:
                return build.ashr(left, self.constant(low.bit_length() - 1))
            return build.and_(left, self.constant(low - 1))
        if low <= 0 <= high:
            # A divisor of the interval, so that the result lies in its proved interval.
            stand_in = high or low or 1
            right = self._with_stand_in(right, "==", 0, stand_in, matters)
        if low >= 0 and self._enclosure.of(node.left)[0] >= 0:
            return build.udiv(left, right) if is_quotient else build.urem(left, right)
        opposite = None
        if low <= -1 <= high:
            opposite = build.icmp_signed("==", right, self.constant(-1))
            right = build.select(opposite, self.constant(1), right)
        quotient = build.sdiv(left, right)
        rest = build.sub(left, build.mul(quotient, right))
        differ = build.icmp_signed("<", build.xor(rest, right), zero)
        off = build.and_(build.icmp_signed("!=", rest, zero), differ)
        if is_quotient:
            result = build.sub(quotient, build.zext(off, left.type))
            return result if opposite is None else build.select(opposite, build.neg(left), result)
        # The remainder is 0 for the divisor −1 and for its stand-in 1.
        return build.add(rest, build.select(off, right, zero))

    def _shift(self, sign: str, left: ir.Value, count: ir.Value, high: int) -> ir.Value:
        """Emit a shift by at most `high`; the machine shifts by less than the width.

        A longer right shift leaves only sign bits, and only 0 can be shifted left by more.
        """
        build, last = self.builder, self.constant(self.bits - 1)
        beyond = None
        if high >= self.bits:
            beyond = build.icmp_signed(">", count, last)
            count = build.select(beyond, last, count)
        if sign == ">>":
            return build.ashr(left, count)
        shifted = build.shl(left, count)
        return shifted if beyond is None else build.select(beyond, self.constant(0), shifted)

    def _power(self, base: ir.Value, exponent: ir.Value, high: int) -> ir.Value:
        """Emit a power with an exponent of at most `high`, by squaring.

        Overflows on the way are harmless, because the result is right modulo 2^width.
        """
        build = self.builder
        result = self.constant(1)
        for digit in range(max(high, 0).bit_length()):
            is_set = build.and_(exponent, self.constant(1 << digit))
            counts = build.icmp_signed("!=", is_set, self.constant(0))
            result = build.mul(result, build.select(counts, base, self.constant(1)))
            base = build.mul(base, base)
        return result

    def _call(self, node: nodes.Call, matters: ir.Value) -> ir.Value:
        build = self.builder
        arguments = [self.value(argument, matters) for argument in node.arguments]
        operand = arguments[0]
        match node.function:
            case "min":
                return reduce(self._smaller, arguments)
            case "max":
                return reduce(self.larger, arguments)
            case "abs":
                return self.larger(operand, build.neg(operand))
            case "log2":
                operand = self._with_stand_in(operand, "<", 1, 1, matters)
                shift = 1
                while shift < self.bits:  # set all bits below the highest one
                    higher = build.lshr(operand, self.constant(shift))
                    operand, shift = build.or_(operand, higher), 2 * shift
                return build.sub(build.ctpop(operand), self.constant(1))
            case _:  # v2: count the bits below the lowest set bit
                operand = self._with_stand_in(operand, "==", 0, 1, matters)
                zeros = build.and_(build.not_(operand), build.sub(operand, self.constant(1)))
                return build.ctpop(zeros)

    def _smaller(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self.builder.select(self.builder.icmp_signed("<", left, right), left, right)

    def larger(self, left: ir.Value, right: ir.Value) -> ir.Value:
        """Return the larger of two integers."""
        return self.builder.select(self.builder.icmp_signed(">", left, right), left, right)

    def _with_stand_in(
        self, operand: ir.Value, sign: str, limit: int, stand_in: int, matters: ir.Value
    ) -> ir.Value:
        """Replace operands with ``operand sign limit`` by a stand-in, and record a fault."""
        bad = self.builder.icmp_signed(sign, operand, self.constant(limit))
        fault = self.builder.and_(bad, matters)
        self.fault = fault if self.fault is None else self.builder.or_(self.fault, fault)
        return self.builder.select(bad, self.constant(stand_in), operand)
