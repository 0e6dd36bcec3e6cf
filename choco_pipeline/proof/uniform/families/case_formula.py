"""Grundy formulas by cases: sums with quotients, least and largest values, and remainders that choose between them.

Idea: of a quotient with a divisor d ≥ 1 two things are linear: ⌊a/d⌋ ≥ v says a − d·v ≥ 0, and ⌊a/d⌋ ≤ v says a − d·v ≤ d − 1.
So a value v needs no names of its own for quotients, if no two of them are added. Where remainders have been given numbers,
`(1-r)*a - r*b` is one of its two parts; then it is a disjunction of few conjunctions that a formula has the value v.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from itertools import product as choices
from math import prod

from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Integer,
    Name,
    Negate,
    Node,
    render,
    walk,
    with_operands,
)
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, number, product
from choco_pipeline.proof.uniform.families.linear_forms import (
    Conjunction,
    LinearForm,
    LinearFormReader,
    Place,
    is_bent,
)

#: Combinations of all remainders: each is a part of every obligation.
MOST_CHOICES = 16
#: The name of the formula's value in linear forms; no coordinate has it.
VALUE = "value()"

#: Linear forms that are all at least 0.
Forms = tuple[LinearForm, ...]
#: Conditions, one of which holds if and only if a term is at least a linear form; with the sign -1, at most.
Bounds = Callable[[LinearForm, int], list[Forms]]
Term = LinearForm | Bounds


@dataclass(frozen=True)
class RemainderChoice:
    """A formula where certain sums leave certain remainders."""

    #: Sums, with a modulus and a remainder for each.
    remainders: tuple[tuple[LinearForm, int, int], ...]
    #: The formula has the value `VALUE` if and only if one of these conditions holds.
    conditions: tuple[Forms, ...]

    def at(self, place: Place) -> tuple[tuple[Affine, int, int], ...]:
        """Return the sums at a place, with moduli and remainders."""
        return tuple((form.at(place, product), n, r) for form, n, r in self.remainders)

    def equal(self, place: Place, value: Affine) -> list[Conjunction]:
        """Return conditions, one of which holds if and only if the formula has a value at a place."""
        named = {**place, VALUE: value}
        return [tuple(form.at(named, product) for form in forms) for forms in self.conditions]


def is_by_cases(node: Node, coordinates: frozenset[str]) -> bool:
    """Whether a formula has no nim-sum in it, and is no single coordinate plus a number."""
    parts = list(walk(node))
    if any(isinstance(part, Binary) and part.operator in ("^", "&", "|") for part in parts):
        return False
    named = sum(isinstance(part, Name) and part.name in coordinates for part in parts)
    return named > 1 or is_bent(node, coordinates)


def read_choices(reader: LinearFormReader, node: Node) -> tuple[RemainderChoice, ...]:
    """Return a formula for each choice of the remainders of sums of coordinates by integers."""
    remainders = [
        part
        for part in dict.fromkeys(walk(node))
        if isinstance(part, Binary) and part.operator == "%" and is_bent(part, reader.coordinates)
    ]
    moduli = []
    for part in remainders:
        modulus = reader.affine(part.right)
        if not modulus.is_constant or modulus.constant < 1:
            raise FamilyError(f"{render(part)}: a remainder by a positive integer is needed")
        moduli.append(modulus.constant)
    if prod(moduli) > MOST_CHOICES:
        raise FamilyError(f"{render(node)}: more than {MOST_CHOICES} choices of remainders")
    sums = [reader.form(part.left) for part in remainders]
    value = LinearForm({VALUE: number(1)})
    found = []
    for numbers in choices(*map(range, moduli)):
        chosen = dict(zip(remainders, numbers, strict=True))
        bounds = _bounds(_TermReader(reader, chosen).term(node))
        conditions = tuple(a + b for a in bounds(value, 1) for b in bounds(value, -1))
        found.append(RemainderChoice(tuple(zip(sums, moduli, numbers, strict=True)), conditions))
    return tuple(found)


@dataclass(frozen=True)
class _TermReader:
    """Reads a formula in which remainders are numbers."""

    reader: LinearFormReader
    chosen: Mapping[Binary, int]

    def term(self, node: Node) -> Term:
        node = self._with_numbers(node)
        if not is_bent(node, self.reader.coordinates):
            return self.reader.form(node)
        match node:
            case Negate(operand):
                return _sum(LinearForm(), -1, self.term(operand))
            case Binary("+" | "-" as operator, left, right):
                first, sign, second = self.term(left), 1 if operator == "+" else -1, self.term(right)  # fmt: skip
                if isinstance(first, LinearForm):
                    return _sum(first, sign, second)
                if isinstance(second, LinearForm):
                    return _sum(second.times(number(sign)), 1, first)
                raise FamilyError(
                    f"{render(node)}: a sum of two quotients, or of least or largest values"
                )
            case Binary("*", left, right):
                return self._multiple(node, left, right)
            case Binary("//", left, right):
                divisor = self.reader.affine(right)
                if not self.reader.known_sign(divisor - 1):
                    raise FamilyError(f"{render(node)}: a divisor that is at least 1 is needed")
                return _quotient(_bounds(self.term(left)), divisor)
            case Call("min" | "max" as function, arguments):
                return _extreme(function, [_bounds(self.term(part)) for part in arguments])
            case _:
                raise FamilyError(
                    f"{render(node)}: sums, quotients, min, max and remainders are proved"
                )

    def _multiple(self, node: Node, left: Node, right: Node) -> Term:
        """Return a multiple; what is multiplied by 0 need not be a term."""
        for factor, other in ((left, right), (right, left)):
            if is_bent(factor, self.reader.coordinates):
                continue
            form = self.reader.form(factor)
            if form.terms or not form.constant.is_constant:
                break
            if form.constant == ZERO:
                return LinearForm()
            if abs(form.constant.constant) == 1:
                return _sum(LinearForm(), form.constant.constant, self.term(other))
        raise FamilyError(f"{render(node)}: a multiple of a quotient, or of a least or largest value")  # fmt: skip

    def _with_numbers(self, node: Node) -> Node:
        if isinstance(node, Binary) and node in self.chosen:
            return Integer(self.chosen[node])
        return with_operands(node, self._with_numbers)


def _bounds(term: Term) -> Bounds:
    if isinstance(term, LinearForm):
        form = term
        return lambda bound, sign: [((form - bound).times(number(sign)),)]
    return term


def _sum(form: LinearForm, sign: int, term: Term) -> Term:
    """Return a linear form, plus or minus a term."""
    if isinstance(term, LinearForm):
        return form + term.times(number(sign))
    return lambda bound, own: term((bound - form).times(number(sign)), sign * own)


def _quotient(dividend: Bounds, divisor: Affine) -> Bounds:
    def bounds(bound: LinearForm, sign: int) -> list[Forms]:
        rest = LinearForm({}, ZERO if sign > 0 else divisor - 1)
        return dividend(bound.times(divisor, product) + rest, sign)

    return bounds


def _extreme(function: str, parts: list[Bounds]) -> Bounds:
    def bounds(bound: LinearForm, sign: int) -> list[Forms]:
        each = [part(bound, sign) for part in parts]
        if (function == "max") == (sign > 0):  # one of them is enough
            return [forms for part in each for forms in part]
        return [tuple(chain.from_iterable(forms)) for forms in choices(*each)]

    return bounds
