"""Formulas as LLVM instructions on integers of 32 or 64 bits, without branches.

Interval arithmetic has to show beforehand that no part can leave these bits while the values of names lie in their ranges. An
operand for which an operator is undefined is replaced by a stand-in. A fault is noted if the value matters. So every part has, in
every cell, a value in the interval that encloses it: nothing overflows, and no division stops the process.
All operands of a condition are computed in every cell, so that a loop over cells becomes one over vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from choco_pipeline.formula import nodes
from choco_pipeline.formula.interval import Enclosure, Interval
from choco_pipeline.formula.nodes import Node

if TYPE_CHECKING:
    from llvmlite import ir

#: Widths of integers that formulas are computed in; the narrower one fills vectors with twice as many.
WIDTHS = (32, 64)

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "^": "xor", "&": "and_", "|": "or_"}


class MachineFormulas:
    """Writes instructions for formulas on the names of one cell.

    A truth that is given with a formula is true in the cells where its value matters. Integers have `bits` bits: those of
    `names`, which lie in `ranges`, and those that `constant` returns, the same in all cells. `fault` is
    whether a value that matters does not exist; None if all do.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        constant: Callable[[int], ir.Value],
        bits: int,
        names: Mapping[str, ir.Value],
        ranges: Mapping[str, Interval],
    ) -> None:
        self._builder = builder
        self.constant = constant
        self._bits = bits
        self._names = names
        self._enclosure = Enclosure("", ranges, {}, bits)
        self.fault: ir.Value | None = None

    def integer(self, node: Node, matters: ir.Value) -> ir.Value:
        """Write the instructions for an integer and return it."""
        match node:
            case nodes.Integer():
                return self.constant(node.value)
            case nodes.Name():
                return self._names[node.name]
            case nodes.Negate():
                return self._builder.neg(self.integer(node.operand, matters))
            case nodes.Binary():
                return self._binary(node, matters)
            case nodes.Call():
                return self._call(node, matters)
            case nodes.Compare() | nodes.LogicalNot() | nodes.Junction():
                raise TypeError(f"not an integer: {node}")

    def truth(self, node: Node, matters: ir.Value) -> ir.Value:
        """Write the instructions for a truth and return it, a bit."""
        build = self._builder
        match node:
            case nodes.LogicalNot():
                return build.not_(self.truth(node.operand, matters))
            case nodes.Junction():
                # An operand matters where those before it have not decided.
                is_or = node.operator == "or"
                result = self.truth(node.operands[0], matters)
                for operand in node.operands[1:]:
                    undecided = build.and_(matters, build.not_(result) if is_or else result)
                    further = self.truth(operand, undecided)
                    result = build.or_(result, further) if is_or else build.and_(result, further)
                return result
            case nodes.Compare(operators=(sign,), operands=(left, right)):
                sides = self.integer(left, matters), self.integer(right, matters)
                return build.icmp_signed(sign, *sides)
            case nodes.Compare():
                return self.truth(nodes.links(node), matters)
            case nodes.Integer() | nodes.Name() | nodes.Negate() | nodes.Binary() | nodes.Call():
                raise TypeError(f"not a truth: {node}")

    def _binary(self, node: nodes.Binary, matters: ir.Value) -> ir.Value:
        left, right = self.integer(node.left, matters), self.integer(node.right, matters)
        match node.operator:
            case "//" | "%":
                return self._divided(node, left, right, matters)
            case "<<" | ">>":
                return self._shifted(node, left, right, matters)
            case "**":
                return self._power(node, left, right, matters)
            case sign:
                result: ir.Value = getattr(self._builder, _PLAIN[sign])(left, right)
                return result

    def _divided(
        self, node: nodes.Binary, left: ir.Value, right: ir.Value, matters: ir.Value
    ) -> ir.Value:
        """Divide and round down.

        The machine rounds to 0, and traps at 0 and at the least integer by −1.
        """
        build, zero = self._builder, self.constant(0)
        is_quotient = node.operator == "//"
        low, high = self._enclosure.of(node.right)
        if low == high and low > 0 and low & (low - 1) == 0:
            if is_quotient:
                return build.ashr(left, self.constant(low.bit_length() - 1))
            return build.and_(left, self.constant(low - 1))
        if low <= 0 <= high:
            # One of the divisors that there are, so that the result lies where it is proved to lie.
            stand_in = high or low or 1
            right = self._defined(right, build.icmp_signed("==", right, zero), stand_in, matters)
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
        # Divided by 1 in place of −1, the rest is 0 in both cases.
        return build.add(rest, build.select(off, right, zero))

    def _shifted(
        self, node: nodes.Binary, left: ir.Value, count: ir.Value, matters: ir.Value
    ) -> ir.Value:
        """Shift by less than the width.

        Beyond it all digits are the sign, and only 0 is shifted left.
        """
        build, last = self._builder, self.constant(self._bits - 1)
        low, high = self._enclosure.of(node.right)
        if low < 0:
            negative = build.icmp_signed("<", count, self.constant(0))
            count = self._defined(count, negative, 0, matters)
        beyond = None
        if high >= self._bits:
            beyond = build.icmp_signed(">", count, last)
            count = build.select(beyond, last, count)
        if node.operator == ">>":
            return build.ashr(left, count)
        shifted = build.shl(left, count)
        return shifted if beyond is None else build.select(beyond, self.constant(0), shifted)

    def _power(
        self, node: nodes.Binary, base: ir.Value, exponent: ir.Value, matters: ir.Value
    ) -> ir.Value:
        """Multiply squares by the digits of the exponent.

        An overflow on the way is right modulo 2 to the width.
        """
        build = self._builder
        low, high = self._enclosure.of(node.right)
        if low < 0:
            negative = build.icmp_signed("<", exponent, self.constant(0))
            exponent = self._defined(exponent, negative, 0, matters)
        result = self.constant(1)
        for digit in range(max(high, 0).bit_length()):
            is_set = build.and_(exponent, self.constant(1 << digit))
            counts = build.icmp_signed("!=", is_set, self.constant(0))
            result = build.mul(result, build.select(counts, base, self.constant(1)))
            base = build.mul(base, base)
        return result

    def _call(self, node: nodes.Call, matters: ir.Value) -> ir.Value:
        build = self._builder
        arguments = [self.integer(argument, matters) for argument in node.arguments]
        operand = arguments[0]
        match node.function:
            case "min":
                return reduce(self.smaller, arguments)
            case "max":
                return reduce(self.larger, arguments)
            case "abs":
                return self.larger(operand, build.neg(operand))
            case "log2":
                is_below = build.icmp_signed("<", operand, self.constant(1))
                operand = self._defined(operand, is_below, 1, matters)
                shift = 1
                while shift < self._bits:  # ones in all places below the highest one
                    higher = build.lshr(operand, self.constant(shift))
                    operand, shift = build.or_(operand, higher), 2 * shift
                return build.sub(build.ctpop(operand), self.constant(1))
            case _:  # v2: a one for each zero below the lowest one
                is_zero = build.icmp_signed("==", operand, self.constant(0))
                operand = self._defined(operand, is_zero, 1, matters)
                zeros = build.and_(build.not_(operand), build.sub(operand, self.constant(1)))
                return build.ctpop(zeros)

    def smaller(self, left: ir.Value, right: ir.Value) -> ir.Value:
        """Return the smaller of two integers."""
        return self._builder.select(self._builder.icmp_signed("<", left, right), left, right)

    def larger(self, left: ir.Value, right: ir.Value) -> ir.Value:
        """Return the larger of two integers."""
        return self._builder.select(self._builder.icmp_signed(">", left, right), left, right)

    def _defined(
        self, operand: ir.Value, bad: ir.Value, stand_in: int, matters: ir.Value
    ) -> ir.Value:
        """Return an operand with a stand-in where it is bad; note the fault."""
        fault = self._builder.and_(bad, matters)
        self.fault = fault if self.fault is None else self._builder.or_(self.fault, fault)
        return self._builder.select(bad, self.constant(stand_in), operand)
