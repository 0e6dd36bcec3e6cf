"""The conditions of a Grundy formula by cases, written anew (docs/families.md, "Formulas by cases").

A certificate says which options are tried, and of which sums lemmas on products are told; nothing else of it is used. Every name is
an integer, and a name a*b is the product of a and b: what a text says of products is true of all integers, so that no
numbers are ruled out by it, whatever sums a certificate has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod

from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Integer,
    Name,
    Negate,
    Node,
    names_of,
    walk,
    with_operands,
)
from choco_pipeline.proof.family_check.document import FormulaText, SumText
from choco_pipeline.proof.family_check.stated_family import ONE, ZERO, Numbers, StatedHeight
from choco_pipeline.proof.family_check.sums import (
    TIMES,
    IntegerSum,
    SumReader,
    conjunction,
    disjunction,
    multiplied,
)
from choco_pipeline.proof.proof_errors import UndecidedError

#: Choices of remainders: each has its own part in every condition.
MOST_CHOICES = 64
VALUE, TARGET = "value()", "target()"
_NAME = re.compile(r"\|([^|]+)\|")

Place = Mapping[str, IntegerSum]


@dataclass(frozen=True)
class StatedFormula:
    """A formula in coordinates and parameters, and conditions on its value where coordinates are sums."""

    #: The formula.
    node: Node
    #: Their names.
    coordinates: tuple[str, ...]
    #: What reads sums of parameters, and the values of these.
    reader: SumReader
    values: Numbers

    def is_value(self, place: Place, value: IntegerSum) -> str:
        """Return that the formula has a value at a place: exactly one choice of remainders is there."""
        return disjunction(
            conjunction([*when, *(self._compared(node, place, value, sign) for sign in (1, -1))])
            for when, node in self._choices(place)
        )

    def divisors(self) -> list[IntegerSum]:
        """Return what sums with coordinates are divided by: it must be at least 1."""
        return [
            self.reader.sum(part.right, self.values)
            for part in walk(self.node)
            if isinstance(part, Binary) and part.operator == "//" and self._moves(part)
        ]

    def _choices(self, place: Place) -> Iterator[tuple[list[str], Node]]:
        """Yield the formula with numbers for remainders, and which remainders these are."""
        remainders = list(self._remainders)
        if prod(self._remainders.values()) > MOST_CHOICES:
            raise UndecidedError(f"more than {MOST_CHOICES} choices of remainders")
        for numbers in product(*(range(n) for n in self._remainders.values())):
            chosen = dict(zip(remainders, numbers, strict=True))

            def put(node: Node, chosen: Mapping[Node, int] = chosen) -> Node:
                if node in chosen:
                    return Integer(chosen[node])
                changed = with_operands(node, put)
                return Integer(0) if self._is_none(changed) else changed

            when = [
                f"(= (mod {self._sum(part.left, place).text} {self._remainders[part]}) {number})"
                for part, number in chosen.items()
                if isinstance(part, Binary)
            ]
            yield when, put(self.node)

    @cached_property
    def _remainders(self) -> dict[Node, int]:
        remainders: dict[Node, int] = {}
        for part in walk(self.node):
            if isinstance(part, Binary) and part.operator == "%" and self._moves(part):
                by = self.reader.sum(part.right, self.values)
                if not by.is_number or by.number < 1:
                    raise UndecidedError("a remainder by what is no positive number")
                remainders[part] = by.number
        return remainders

    def _is_none(self, node: Node) -> bool:
        """Whether it is a product with the number 0."""
        return (
            isinstance(node, Binary)
            and node.operator == "*"
            and any(
                not self._moves(part) and self.reader.sum(part, self.values) == ZERO
                for part in (node.left, node.right)
            )
        )

    def _moves(self, node: Node) -> bool:
        return not names_of(node).isdisjoint(self.coordinates)

    def _sum(self, node: Node, place: Place) -> IntegerSum:
        """Return a value that is a sum, with at most one factor of each product made of coordinates."""
        if not self._moves(node):
            return self.reader.sum(node, self.values)
        match node:
            case Name(name):
                return place[name]
            case Negate(inner):
                return self._sum(inner, place).times(-1)
            case Binary("+", left, right):
                return self._sum(left, place) + self._sum(right, place)
            case Binary("-", left, right):
                return self._sum(left, place) - self._sum(right, place)
            case Binary("*", left, right) if not (self._moves(left) and self._moves(right)):
                return multiplied(self._sum(left, place), self._sum(right, place))
            case _:
                raise UndecidedError("a part of the formula is no sum")

    def _is_sum(self, node: Node) -> bool:
        return not any(
            self._moves(part)
            and (
                isinstance(part, Call)
                or (isinstance(part, Binary) and part.operator not in ("+", "-", "*"))
            )
            for part in walk(node)
        )

    def _compared(self, node: Node, place: Place, bound: IntegerSum, sign: int) -> str:
        """Return that a part is at least a sum; with the sign -1 that it is at most that."""
        if self._is_sum(node):
            return (self._sum(node, place) - bound).times(sign).is_natural
        match node:
            case Negate(inner):
                return self._compared(inner, place, bound.times(-1), -sign)
            case Binary("+", left, right) if self._is_sum(left):
                return self._compared(right, place, bound - self._sum(left, place), sign)
            case Binary("+", left, right) if self._is_sum(right):
                return self._compared(left, place, bound - self._sum(right, place), sign)
            case Binary("-", left, right) if self._is_sum(left):
                return self._compared(right, place, self._sum(left, place) - bound, -sign)
            case Binary("-", left, right) if self._is_sum(right):
                return self._compared(left, place, bound + self._sum(right, place), sign)
            case Binary("*", left, right):
                number, inner = (right, left) if self._moves(left) else (left, right)
                if self._moves(number):
                    raise UndecidedError("a product of what is no number")
                factor = self.reader.sum(number, self.values)
                if factor not in (ONE, ZERO - ONE):
                    raise UndecidedError("a multiple of what is no sum")
                return self._compared(
                    inner, place, bound.times(factor.number), sign * factor.number
                )
            case Binary("//", left, right):
                divisor = self.reader.sum(right, self.values)
                rest = ZERO if sign > 0 else divisor - ONE
                return self._compared(left, place, multiplied(divisor, bound) + rest, sign)
            case Call("min" | "max" as function, parts):
                join = disjunction if (function == "max") == (sign > 0) else conjunction
                return join(self._compared(part, place, bound, sign) for part in parts)
            case _:
                raise UndecidedError("a part of the formula that cannot be compared with a sum")


@dataclass(frozen=True)
class FormulaConditions:
    """A game on one case, a formula that is said to be its Grundy number, and what a certificate has for it."""

    formula: StatedFormula
    heights: Mapping[str, StatedHeight]
    clips: Mapping[str, bool]
    names: frozenset[str]
    written: FormulaText

    def conditions(self) -> Iterator[tuple[str, str]]:
        """Yield what no numbers may satisfy, for the formula to be the Grundy number of every position."""
        positive = conjunction((d - ONE).is_natural for d in self.formula.divisors())
        yield "divisors", conjunction([f"(not {positive})", *self.formula.reader.definitions])
        value, target = IntegerSum.name(VALUE), IntegerSum.name(TARGET)
        here = conjunction([self._is_position, self.formula.is_value(self._position, value)])
        bodies = {"value": conjunction([here, f"(not {value.is_natural})"])}
        for lowered, fallen in self._moves:
            changed = {x: IntegerSum.name(f"option({x})") for x in (lowered, *fallen)}
            same = self.formula.is_value({**self._position, **changed}, value)
            option = self._is_option(lowered, changed)
            bodies["-".join(["exclusion", *changed])] = conjunction([here, option, same])
        smaller = [target.is_natural, (value - target - ONE).is_natural]
        tried = [f"(not {option})" for option in self._options(target)]
        bodies["option"] = conjunction([here, *smaller, *self._quotients, *tried])
        if self.written.lemmas.keys() != bodies.keys():
            raise UndecidedError("lemmas of other conditions than there are")
        for name, body in bodies.items():
            lemmas = [self._lemma(text) for text in self.written.lemmas[name]]
            sentence = conjunction([*lemmas, body])
            defined = self.formula.reader.definitions
            yield name, conjunction([sentence, *self._of_products(sentence), *defined])

    @cached_property
    def _position(self) -> Place:
        return {x: IntegerSum.name(f"position({x})") for x in self.formula.coordinates}

    @property
    def _is_position(self) -> str:
        conditions = [value.is_natural for value in self._position.values()]
        return conjunction(
            [*conditions, *(self._room(y, self._position).is_natural for y in self.heights)]
        )

    @property
    def _moves(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the lowered coordinate and those that fall with it: all choices of those that may."""
        for lowered, clips in self.clips.items():
            falling = self._falling(lowered)
            for count in range(len(falling) + 1 if clips else 1):
                yield from ((lowered, fallen) for fallen in combinations(falling, count))

    def _falling(self, lowered: str) -> list[str]:
        return [y for y, height in self.heights.items() if height.terms.get(lowered)]

    def _room(self, y: str, place: Place) -> IntegerSum:
        """Return what is not negative exactly if the height of y is at least the place's y."""
        height = self.heights[y]
        room = height.constant - multiplied(height.divisor, place[y])
        for x, a in height.terms.items():
            room += multiplied(a, place[x])
        return room

    def _is_option(self, lowered: str, changed: Place) -> str:
        """Return that a move lowers the first one, and that others are what they were or their heights, if these are less."""
        option = {**self._position, **changed}
        conditions = [option[lowered].is_natural]
        conditions += [(self._position[x] - value - ONE).is_natural for x, value in changed.items()]
        for y in self._falling(lowered):
            room = self._room(y, option)
            conditions.append(room.is_natural)
            if y in changed:
                conditions.append((self.heights[y].divisor - ONE - room).is_natural)
        return conjunction(conditions)

    @cached_property
    def _numbers(self) -> list[str]:
        return [f"number({place})" for place, _ in enumerate(self.written.quotients, start=1)]

    @property
    def _quotients(self) -> Iterator[str]:
        """Yield which numbers the certificate's quotients are, where their divisors are positive; elsewhere they are any."""
        for place, quotient in enumerate(self.written.quotients):
            dividend = self._read(quotient.dividend, place)
            divisor = IntegerSum.read(quotient.divisor, self.names)
            rest = dividend - multiplied(divisor, IntegerSum.name(self._numbers[place]))
            inside = conjunction([rest.is_natural, (divisor - ONE - rest).is_natural])
            yield f"(=> {(divisor - ONE).is_natural} {inside})"

    def _read(self, written: SumText, quotients: int) -> IntegerSum:
        """Return a sum in parameters, the position, the smaller value, and the first so many quotients."""
        known = {*self.names, *(f"position({x})" for x in self._position), TARGET}
        return IntegerSum.read(written, {*known, *self._numbers[:quotients]})

    def _options(self, target: IntegerSum) -> Iterator[str]:
        """Yield for each option of the certificate that it is one, and has the smaller value."""
        for option in self.written.options:
            if (option.move, tuple(option.fallen)) not in set(self._moves):
                raise UndecidedError("an option by a move that there is not")
            if option.changed.keys() != {option.move, *option.fallen}:
                raise UndecidedError("an option does not say what the move changes")
            changed = {x: self._read(s, len(self._numbers)) for x, s in option.changed.items()}
            is_value = self.formula.is_value({**self._position, **changed}, target)
            yield conjunction([self._is_option(option.move, changed), is_value])

    @cached_property
    def _factor(self) -> IntegerSum:
        factor = self.written.factor
        if factor not in self.names:
            raise UndecidedError("lemmas on products with what is no parameter of the case")
        return IntegerSum.name(factor)

    def _lemma(self, written: SumText) -> str:
        """Return what is true of a sum d and its product D with a natural number m: D ≥ m, D ≤ -m or D = 0."""
        places = self._position
        known = {*self.names, *self._numbers, VALUE, TARGET}
        known |= {f"{kind}({x})" for kind in ("position", "option") for x in places}
        d = IntegerSum.read(written, known)
        whole = multiplied(self._factor, d)
        up = f"(=> {(d - ONE).is_natural} {(whole - self._factor).is_natural})"
        down = (
            f"(=> {(d.times(-1) - ONE).is_natural} {(whole.times(-1) - self._factor).is_natural})"
        )
        return conjunction([up, down, f"(=> {d.is_zero} {whole.is_zero})"])

    def _of_products(self, text: str) -> Iterator[str]:
        """Yield what products of two names are where a parameter among them is 0 or 1."""
        for name in sorted(set(_NAME.findall(text))):
            factors = name.split(TIMES)
            if len(factors) != 2:
                continue
            whole = IntegerSum.name(name)
            for m, other in (factors, factors[::-1]):
                if m in self.names:
                    yield f"(=> (= |{m}| 0) {whole.is_zero})"
                    yield f"(=> (= |{m}| 1) {(whole - IntegerSum.name(other)).is_zero})"
