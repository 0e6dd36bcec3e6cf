"""Sums of named integers, as values of formulas in parameters and as terms of SMT-LIB 2."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from choco_pipeline.formula.nodes import (
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
from choco_pipeline.proof.proof_errors import UndecidedError

#: The name of a power of 2 that is any, and what stands between the names of a product, which are sorted.
POWER, TIMES = "p_2", "*"
#: What begins a name that no certificate can write.
NEW = "!"
#: Integers of a certificate, and what is computed from them, need no more bits: solvers stay quick.
MOST_BITS = 256
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]{0,60}")
_FOLDED: dict[str, Callable[[int, int], int]] = {
    "^": int.__xor__,
    "&": int.__and__,
    "|": int.__or__,
}


@dataclass(frozen=True)
class IntegerSum:
    """A number plus multiples of named integers."""

    #: The number.
    number: int = 0
    #: By name, never 0.
    multiples: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[tuple[str, int]], number: int = 0) -> IntegerSum:
        """Return a number plus multiples, of which some may have the same name or be 0."""
        multiples: dict[str, int] = {}
        for name, multiple in parts:
            multiples[name] = multiples.get(name, 0) + multiple
        if any(abs(value) >> MOST_BITS for value in (number, *multiples.values())):
            raise UndecidedError(f"a number has more than {MOST_BITS} bits")
        return cls(number, {name: multiple for name, multiple in multiples.items() if multiple})

    @classmethod
    def name(cls, name: str) -> IntegerSum:
        """Return one named integer."""
        return cls(0, {name: 1})

    @classmethod
    def read(cls, written: Any, names: Collection[str] | None = None) -> IntegerSum:
        """Return what a certificate writes, in these names only."""
        if not isinstance(written, dict):
            raise UndecidedError(f"a sum is needed, found {type(written).__name__}")
        for name, multiple in written.items():
            if type(multiple) is not int:
                raise UndecidedError("a sum has integers only")
            factors = name.split(TIMES)
            known = all(
                f == POWER or NAME.fullmatch(f) if names is None else f in names for f in factors
            )
            if name != "1" and not (known and factors == sorted(factors)):
                raise UndecidedError(f"unknown name {name[:60]!r} in a sum")
        return cls.of(((n, m) for n, m in written.items() if n != "1"), written.get("1", 0))

    @property
    def names(self) -> set[str]:
        """The names in it, alone or in products."""
        return {factor for name in self.multiples for factor in name.split(TIMES)}

    @property
    def is_number(self) -> bool:
        """Whether no name is in it."""
        return not self.multiples

    def __bool__(self) -> bool:
        return bool(self.number or self.multiples)

    def __add__(self, other: IntegerSum) -> IntegerSum:
        return IntegerSum.of(
            [*self.multiples.items(), *other.multiples.items()], self.number + other.number
        )

    def __sub__(self, other: IntegerSum) -> IntegerSum:
        return self + other.times(-1)

    def times(self, factor: int) -> IntegerSum:
        """Return a multiple."""
        return IntegerSum.of(
            ((n, m * factor) for n, m in self.multiples.items()), self.number * factor
        )

    def __mul__(self, other: IntegerSum) -> IntegerSum:
        if self.is_number:
            return other.times(self.number)
        if other.is_number:
            return self.times(other.number)
        if POWER in self.names | other.names:
            return multiplied(self, other)
        raise UndecidedError("parameters are multiplied with each other")

    def put(self, values: Mapping[str, IntegerSum]) -> IntegerSum:
        """Return this with sums for some names."""
        total = IntegerSum(self.number)
        for name, multiple in self.multiples.items():
            factors = [values.get(factor, IntegerSum.name(factor)) for factor in name.split(TIMES)]
            total += reduce(multiplied, factors).times(multiple)
        return total

    @property
    def text(self) -> str:
        """As SMT-LIB 2 writes it."""
        parts = [f"(* {_integer(m)} |{name}|)" for name, m in sorted(self.multiples.items())]
        if not parts:
            return _integer(self.number)
        return f"(+ {' '.join(parts)} {_integer(self.number)})"

    @property
    def is_natural(self) -> str:
        """The condition that it is at least 0."""
        return f"(>= {self.text} 0)"

    @property
    def is_zero(self) -> str:
        """The condition that it is 0."""
        return f"(= {self.text} 0)"


def _integer(n: int) -> str:
    return str(n) if n >= 0 else f"(- {-n})"


def multiplied(left: IntegerSum, right: IntegerSum) -> IntegerSum:
    """Return a product, in which products of names are names."""
    parts = [
        (TIMES.join(sorted([*a.split(TIMES), *b.split(TIMES)])), p * q)
        for a, p in left.multiples.items()
        for b, q in right.multiples.items()
    ]
    parts += [(a, p * right.number) for a, p in left.multiples.items()]
    parts += [(b, q * left.number) for b, q in right.multiples.items()]
    return IntegerSum.of(parts, left.number * right.number)


def power_of(parameter: str) -> str:
    """Return what the largest power of 2 that divides a parameter is called among the values of names."""
    return f"{parameter} & -{parameter}"


def conjunction(conditions: Iterable[str]) -> str:
    """Return that all hold."""
    return f"(and true {' '.join(conditions)})"


def disjunction(conditions: Iterable[str]) -> str:
    """Return that one holds."""
    return f"(or false {' '.join(conditions)})"


class SumReader:
    """Values of formulas in parameters. What is no sum, as ⌊m/2⌋, gets a name of its own, and a definition."""

    def __init__(self) -> None:
        """Begin without definitions."""
        #: What says which numbers those names are: there are such numbers, and no others, whatever the parameters are.
        self.definitions: list[str] = []

    def sum(self, node: Node, names: Mapping[str, IntegerSum]) -> IntegerSum:
        """Return an integer's value, where the names have these."""
        match node:
            case Integer(value):
                return IntegerSum.of((), value)
            case Name(name):
                if name not in names:
                    raise UndecidedError(f"{name!r} cannot stand in it")
                return names[name]
            case Negate(operand):
                return self.sum(operand, names).times(-1)
            case Binary("&", Name(a), Negate(Name(b))) if a == b and power_of(a) in names:
                return names[power_of(a)]
            case Binary(operator, left, right):
                return self._binary(operator, self.sum(left, names), self.sum(right, names))
            case Call("abs" | "min" | "max" as function, operands):
                values = [self.sum(operand, names) for operand in operands]
                if function == "abs":
                    values.append(values[0].times(-1))
                return self._least(values, 1 if function == "min" else -1)
            case _:
                raise UndecidedError(f"a formula with {type(node).__name__} cannot be read here")

    def truth(self, node: Node, names: Mapping[str, IntegerSum]) -> str:
        """Return a condition as SMT-LIB 2 writes it."""
        match node:
            case LogicalNot(operand):
                return f"(not {self.truth(operand, names)})"
            case Junction(operator, operands):
                join = conjunction if operator == "and" else disjunction
                return join(self.truth(operand, names) for operand in operands)
            case Compare(operators, operands):
                values = [self.sum(operand, names).text for operand in operands]
                return conjunction(
                    f"(distinct {a} {b})"
                    if sign == "!="
                    else f"({sign.replace('==', '=')} {a} {b})"
                    for sign, a, b in zip(operators, values, values[1:], strict=False)
                )
            case _:
                raise UndecidedError("a condition is needed, found an integer")

    def _binary(self, operator: str, left: IntegerSum, right: IntegerSum) -> IntegerSum:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "//" | "%" if right.is_number and right.number > 0:
                quotient = self.quotient(left, right.number)
                return quotient if operator == "//" else left - quotient.times(right.number)
            case "^" | "&" | "|" if left.is_number and right.is_number:
                return IntegerSum.of((), _FOLDED[operator](left.number, right.number))
            case "**" if left.is_number and right.is_number and 0 <= right.number < MOST_BITS:
                return IntegerSum.of((), left.number**right.number)
            case _:
                raise UndecidedError(f"{operator} of parameters cannot be read here")

    def quotient(self, value: IntegerSum, divisor: int) -> IntegerSum:
        """Return the value divided by a number that is at least 1, rounded down."""
        if all(multiple % divisor == 0 for multiple in value.multiples.values()):
            parts = ((name, m // divisor) for name, m in value.multiples.items())
            return IntegerSum.of(parts, value.number // divisor)
        quotient = self._new()
        rest = value - quotient.times(divisor)
        self.definitions += [rest.is_natural, (IntegerSum(divisor - 1) - rest).is_natural]
        return quotient

    def _least(self, values: list[IntegerSum], sign: int) -> IntegerSum:
        """Return the least of the values, or the largest if the sign is -1."""
        least, *others = values
        for value in others:
            more = (value - least).times(sign)
            if more.is_number:
                least = least if more.number >= 0 else value
                continue
            chosen = self._new()
            self.definitions.append(
                f"(= {chosen.text} (ite {more.is_natural} {least.text} {value.text}))"
            )
            least = chosen
        return least

    def _new(self) -> IntegerSum:
        """Return an integer with a name that no certificate can write."""
        return IntegerSum.name(f"{NEW}{len(self.definitions)}")
