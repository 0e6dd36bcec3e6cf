"""A family's game and relation, read from the texts in a certificate for given values of the parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from choco_pipeline.formula.nodes import Binary, Compare, Junction, Name, Node, names_of, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.description import described
from choco_pipeline.games.notation import OWN, GameName, Notation
from choco_pipeline.games.rules import Rules
from choco_pipeline.proof.family_check.sums import POWER, IntegerSum, SumReader
from choco_pipeline.proof.proof_errors import UndecidedError

Numbers = Mapping[str, IntegerSum]
#: The heights of the papers' bars, as the papers print them; `f` stands for a formula that is given.
HEIGHTS = {
    "step-bar": {"y": "(z+s)//k"},
    "strip-bar": {"y": "(z+s)//k"},
    "solid-bar": {"y": "f"},
    "nim": {},
}
ZERO, ONE = IntegerSum(0), IntegerSum(1)


@dataclass(frozen=True)
class StatedHeight:
    """A largest value ⌊(Σ a·x + c)/d⌋."""

    terms: Numbers
    constant: IntegerSum
    divisor: IntegerSum


@dataclass(frozen=True)
class StatedNimSum:
    """⊕(x + σ) ⊕ C + the offset, over coordinates x with their shifts σ."""

    shifts: Numbers
    constant: IntegerSum = ZERO
    offset: IntegerSum = ZERO

    def plus(self, number: IntegerSum) -> StatedNimSum:
        """Return the sum with a number, which stands beside a single term and outside of several."""
        if not self.shifts:
            return StatedNimSum({}, self.constant + self.offset + number)
        if len(self.shifts) == 1 and not self.constant:
            ((name, shift),) = self.shifts.items()
            return StatedNimSum({name: shift + self.offset + number})
        return StatedNimSum(self.shifts, self.constant, self.offset + number)

    def __xor__(self, other: StatedNimSum) -> StatedNimSum:
        if self.offset or other.offset:
            raise UndecidedError("a nim-sum of what is a sum of a nim-sum")
        if self.shifts.keys() & other.shifts.keys():
            raise UndecidedError("a coordinate stands twice in the relation")
        constants = [c for c in (self.constant, other.constant) if c]
        if len(constants) == 2:
            if not all(constant.is_number for constant in constants):
                raise UndecidedError("two numbers in a nim-sum")
            constants = [IntegerSum.of((), constants[0].number ^ constants[1].number)]
        return StatedNimSum({**self.shifts, **other.shifts}, *constants)


@dataclass(frozen=True)
class StatedFamily:
    """What a certificate says is proved: three texts, and of a description the coordinates and moves."""

    #: The ruleset, the condition on its parameters, and what is said of the members.
    notation: Notation
    condition: Node
    kind: str
    relation: Node
    #: A member's; every member has its coordinates and its moves.
    rules: Rules
    #: The descriptions of games of one's own.
    games: Mapping[str, Any]
    #: The condition on positions; None for all.
    where: Node | None = None

    def __post_init__(self) -> None:
        """Refuse moves that words do not describe."""
        lowered = [move.lowers for move in self.rules.moves]
        for move in self.rules.moves:
            if not move.is_of_one_heap:
                raise UndecidedError(
                    "only moves that lower one coordinate, by any amount, can be checked"
                )
        if len(set(lowered)) < len(lowered) or self.rules.within is not None:
            raise UndecidedError("two moves of one coordinate, or a condition on all positions")
        if self.notation.names & set(self.coordinates):
            raise UndecidedError("a parameter has a coordinate's name")
        if self.notation.name == "nim" and self.notation.names:
            raise UndecidedError("members have other coordinates than others")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Their names."""
        return self.rules.coordinates

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """All names that are no coordinates."""
        return parameters_of(
            self.notation, (self.condition, self.relation, self.where), self.coordinates
        )

    @cached_property
    def with_power(self) -> str | None:
        """The parameter of which the largest power of 2 that divides it is used; None if there is none."""
        arguments = (
            str(value) for _, value in self.notation.arguments if not isinstance(value, GameName)
        )
        texts = [parse_nodes(text) for text in arguments]
        nodes = [
            self.condition,
            self.relation,
            *([] if self.where is None else [self.where]),
            *texts,
        ]
        exponents = {
            part.left.name
            for node in nodes
            for part in walk(node)
            if isinstance(part, Binary) and part.operator == "&" and isinstance(part.left, Name)
        }
        if len(exponents) > 1 or not exponents <= {*self.parameters} - {POWER}:
            raise UndecidedError(
                "powers of 2 that divide several parameters, a coordinate, or a parameter of their name"
            )
        return next(iter(exponents), None)

    def heights(self, reader: SumReader, values: Numbers) -> dict[str, StatedHeight]:
        """Return the largest values of coordinates that have one, where the parameters have these values."""
        arguments = dict(self.notation.arguments)
        game = arguments.pop(OWN, None)
        if isinstance(game, GameName):
            written = {
                y: str(f)
                for y, f in (described(game.name, Path(), self.games).file.heights or {}).items()
            }
        elif self.notation.name in HEIGHTS:
            written = HEIGHTS[self.notation.name]
        else:
            raise UndecidedError(f"{self.notation.name} cannot be checked for all parameters")
        given = {key: parse_nodes(str(value)) for key, value in arguments.items()}
        if "f" in given:
            names, written = dict(values), {y: str(arguments["f"]) for y in written}
        else:
            names = {key: reader.sum(node, values) for key, node in given.items()}
        heights = {y: self._height(parse_nodes(f), reader, names) for y, f in written.items()}
        if heights.keys() != self.rules.limits.keys():
            raise UndecidedError("the members have other heights than the family")
        return heights

    def nim_sum(self, reader: SumReader, values: Numbers) -> StatedNimSum:
        """Return the relation: the nim-sum that is 0, or whose value is the Grundy number."""
        root = self.relation
        if self.kind == "grundy":
            return self._nim_sum(root, reader, values)
        if not (isinstance(root, Compare) and root.operators == ("==",)):
            raise UndecidedError("P-positions need one equation")
        left, right = (self._nim_sum(node, reader, values) for node in root.operands)
        if len(right.shifts) + bool(right.constant) > 1:
            left, right = right, left
        if len(right.shifts) + bool(right.constant) <= 1:  # n + e == x + e' is n == x + (e' - e)
            right, left = (
                right.plus(left.offset.times(-1)),
                StatedNimSum(left.shifts, left.constant),
            )
        return left ^ right

    def inside(self, reader: SumReader, values: Numbers) -> Iterator[StatedHeight]:
        """Yield sums of coordinates that are not negative where the relation is claimed."""
        parts = [] if self.where is None else [self.where]
        while parts:
            match parts.pop():
                case Junction("and", operands):
                    parts += operands
                case Compare(signs, operands):
                    for sign, *sides in zip(signs, operands, operands[1:], strict=False):
                        a, b = (self._linear(side, reader, values) for side in sides)
                        if sign not in ("<", "<=", "==", ">=", ">"):
                            raise UndecidedError("a condition on positions with another sign")
                        least = ONE if sign in ("<", ">") else ZERO
                        yield from [_difference(b, a, least)] if sign[0] in "<=" else []
                        yield from [_difference(a, b, least)] if sign[0] in "=>" else []
                case _:
                    raise UndecidedError("a condition on positions that is no inequality")

    def _height(self, node: Node, reader: SumReader, names: Numbers) -> StatedHeight:
        if isinstance(node, Binary) and self._has_coordinates(node):
            left, right = node.left, node.right
            if node.operator == "//" and not self._has_coordinates(right):
                above = self._linear(left, reader, names)
                return StatedHeight(above.terms, above.constant, reader.sum(right, names))
            if node.operator == "+" and self._has_quotient(right):
                left, right = right, left
            if node.operator in ("+", "-") and self._has_quotient(left):
                quotient, more = (
                    self._height(left, reader, names),
                    self._linear(right, reader, names),
                )
                d = quotient.divisor.times(1 if node.operator == "+" else -1)
                terms = {
                    x: quotient.terms.get(x, ZERO) + more.terms.get(x, ZERO) * d
                    for x in self.coordinates
                }
                return StatedHeight(terms, quotient.constant + more.constant * d, quotient.divisor)
        return self._linear(node, reader, names)

    def _linear(self, node: Node, reader: SumReader, names: Numbers) -> StatedHeight:
        """Return a sum of coordinates, as a height with the divisor 1."""
        if not self._has_coordinates(node):
            return StatedHeight({}, reader.sum(node, names), ONE)
        match node:
            case Name(name):
                return StatedHeight({name: ONE}, ZERO, ONE)
            case Binary("+" | "-" | "*" as operator, left, right):
                a, b = self._linear(left, reader, names), self._linear(right, reader, names)
                if operator == "*":
                    a, factor = (a, b.constant) if a.terms else (b, a.constant)
                    if self._has_coordinates(left) and self._has_coordinates(right):
                        raise UndecidedError("coordinates are multiplied")
                    return StatedHeight(
                        {x: t * factor for x, t in a.terms.items()}, a.constant * factor, ONE
                    )
                sign = 1 if operator == "+" else -1
                terms = {
                    x: a.terms.get(x, ZERO) + b.terms.get(x, ZERO).times(sign)
                    for x in (*a.terms, *(x for x in b.terms if x not in a.terms))
                }
                return StatedHeight(terms, a.constant + b.constant.times(sign), ONE)
            case _:
                raise UndecidedError("a height is no sum of coordinates, divided or not")

    def _nim_sum(self, node: Node, reader: SumReader, values: Numbers) -> StatedNimSum:
        if not self._has_coordinates(node):
            return StatedNimSum({}, reader.sum(node, values))
        match node:
            case Name(name):
                return StatedNimSum({name: ZERO})
            case Binary("^", left, right):
                return self._nim_sum(left, reader, values) ^ self._nim_sum(right, reader, values)
            case Binary("+", left, right) if not self._has_coordinates(left):
                return self._nim_sum(right, reader, values).plus(reader.sum(left, values))
            case Binary("+" | "-" as sign, left, right) if not self._has_coordinates(right):
                number = reader.sum(right, values).times(1 if sign == "+" else -1)
                return self._nim_sum(left, reader, values).plus(number)
            case _:
                raise UndecidedError("the relation is no nim-sum of shifted coordinates")

    def _has_coordinates(self, node: Node) -> bool:
        return not names_of(node).isdisjoint(self.coordinates)

    def _has_quotient(self, node: Node) -> bool:
        return any(
            isinstance(part, Binary) and part.operator == "//" and self._has_coordinates(part)
            for part in walk(node)
        )


def _difference(more: StatedHeight, less: StatedHeight, least: IntegerSum) -> StatedHeight:
    """Return the sum that is not negative where `more` is at least `less` + `least`."""
    terms = {
        x: more.terms.get(x, ZERO) - less.terms.get(x, ZERO) for x in {*more.terms, *less.terms}
    }
    return StatedHeight(terms, more.constant - less.constant - least, ONE)


def parameters_of(
    notation: Notation, nodes: Iterable[Node | None], coordinates: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the names of all of them that are no coordinates of the game."""
    names = set(notation.names)
    for node in nodes:
        if node is not None:
            names |= names_of(node)
    return tuple(sorted(names - set(coordinates)))
