"""What of a formula is linear: sums of multiples of variables, of either sign, read off its nodes.

An automaton decides sums of constant multiples, and nothing that multiplies two coordinates: so whoever writes a formula as a
sentence asks here first, and `NotDefinableError` says which part of it no automaton can decide. Variables are tracks of automata,
natural numbers; the sums of `proof/uniform/families/affine.py` are of parameters, and may hold products of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from choco_pipeline.automata.dfa import Variable
from choco_pipeline.formula.exact import Place
from choco_pipeline.formula.nodes import (
    FUNCTIONS,
    Binary,
    Call,
    Integer,
    Name,
    Negate,
    Node,
    is_truth,
    render,
    walk,
)
from choco_pipeline.proof.arithmetic.logic import Linear, Relation, linear
from choco_pipeline.proof.proof_errors import NotDefinableError


@dataclass(frozen=True)
class Sum:
    """Σ c·x + constant, an integer of either sign."""

    coefficients: Mapping[Variable, int]
    constant: int = 0

    @classmethod
    def of(cls, name: Variable) -> Sum:
        """Return the sum that is this variable."""
        return cls({name: 1})

    def __add__(self, other: Sum) -> Sum:
        names = [*self.coefficients, *(n for n in other.coefficients if n not in self.coefficients)]
        total = {n: self.coefficients.get(n, 0) + other.coefficients.get(n, 0) for n in names}
        return Sum({n: c for n, c in total.items() if c}, self.constant + other.constant)

    def __sub__(self, other: Sum) -> Sum:
        return self + other.times(-1)

    def plus(self, constant: int) -> Sum:
        """Return the sum with `constant` added."""
        return Sum(self.coefficients, self.constant + constant)

    def times(self, factor: int) -> Sum:
        """Return the multiple."""
        scaled = {n: c * factor for n, c in self.coefficients.items() if factor}
        return Sum(scaled, self.constant * factor)

    def compared(self, relation: Relation) -> Linear:
        """Return that the sum stands in the relation to 0."""
        return linear(self.coefficients, self.constant, relation)

    @property
    def never_negative(self) -> bool:
        """Whether the sum is surely not negative, its variables being natural numbers."""
        return self.constant >= 0 and min(self.coefficients.values(), default=0) >= 0

    @property
    def variable(self) -> Variable | None:
        """The name, if this is one variable and nothing else."""
        if self.constant == 0 and list(self.coefficients.values()) == [1]:
            return next(iter(self.coefficients))
        return None


@dataclass(frozen=True)
class TermReader:
    """Reads the nodes of one formula."""

    #: The formula, for errors.
    text: str
    #: What stands for names of the formula; others stand for themselves.
    names: Mapping[str, Sum]

    def linear(self, node: Node) -> Sum | None:
        """Return the value of `node` as a sum of multiples of variables, if it is one."""
        if self.is_constant(node):
            return Sum({}, self._integer(node))
        match node:
            case Name():
                return self._of(node)
            case Negate():
                value = self.linear(node.operand)
                return None if value is None else value.times(-1)
            case Binary("+" | "-"):
                left, right = self.linear(node.left), self.linear(node.right)
                if left is None or right is None:
                    return None
                return left + right if node.operator == "+" else left - right
            case Binary("*" | "<<"):
                factor, other = self.factor(node)
                value = self.linear(other)
                return None if value is None else value.times(factor)
            case _:
                return None

    def never_negative(self, node: Node) -> bool:
        """Whether the value of `node` is surely not negative, variables being natural numbers."""
        match node:
            case Integer():
                return node.value >= 0
            case Name():
                return self._of(node).never_negative
            case Binary("+" | "*" | "^" | "|", left, right):
                return self.never_negative(left) and self.never_negative(right)
            case Binary("&", left, right):
                return self.never_negative(left) or self.never_negative(right)
            case Binary("//" | ">>" | "<<", left, right):
                return self.never_negative(left) and self.never_negative(right)
            case Binary("%", _, right):
                return self.never_negative(right)
            case Call("min", arguments):
                return all(map(self.never_negative, arguments))
            case Call("max", arguments):
                return any(map(self.never_negative, arguments))
            case Call("abs"):
                return True
            case _:
                return False

    def factor(self, node: Binary) -> tuple[int, Node]:
        """Return the constant that a product or a shift to the left multiplies by, and what it multiplies."""
        if self.is_constant(node.right):
            return self._constant(node), node.left
        if node.operator == "*" and self.is_constant(node.left):
            return self._integer(node.left), node.right
        raise self.not_definable(node)

    def divisor(self, node: Binary) -> int:
        """Return the constant that a quotient, a remainder or a shift to the right divides by."""
        if not self.is_constant(node.right):
            raise self.not_definable(node)
        return self._constant(node)

    def is_constant(self, node: Node) -> bool:
        """Whether `node` has the same value everywhere, known without tables."""
        return not any(
            isinstance(part, Name) or (isinstance(part, Call) and part.function not in FUNCTIONS)
            for part in walk(node)
        )

    def not_definable(self, node: Node) -> NotDefinableError:
        """Return the error that says why `node` is not in the logic."""
        if is_truth(node):
            why = "is true or false, an integer is needed"
        elif isinstance(node, Binary):
            why = {
                "*": "multiplies two coordinates, and only multiples by a constant are linear",
                "**": "is a power, which is not linear",
            }.get(node.operator, f"has a right operand of {node.operator} that is not a constant")
        elif isinstance(node, Call) and node.function in ("v2", "log2"):
            why = "is an exponent, which no automaton can compare with a number"
        else:
            why = "looks up a table, which ends"
        return NotDefinableError(f"{self.text}: {render(node)} {why}")

    def _of(self, name: Name) -> Sum:
        return self.names.get(name.name, Sum.of(name.name))

    def _constant(self, node: Binary) -> int:
        """Return what `node` multiplies or divides by; a shift is by a power of 2, no larger than formulas may hold."""
        if node.operator in ("<<", ">>"):
            return self._integer(replace(node, operator="<<", left=Integer(1)))
        return self._integer(node.right)

    def _integer(self, node: Node) -> int:
        return Place(self.text, {}, {}).integer(node)
