"""Grundy formulas by cases: sums with quotients, least and largest values, and remainders that choose between them.

Idea: of a quotient with a divisor d ≥ 1 two things are linear: ⌊a/d⌋ ≥ v says a − d·v ≥ 0, and ⌊a/d⌋ ≤ v says a − d·v ≤ d − 1.
So a value v needs no names of its own for quotients, if no two of them are added. Where remainders have been given numbers,
`(1-r)*a - r*b` is one of its two parts; then it is a disjunction of few conjunctions that a formula has the value v.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product as choices
from math import prod

from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Integer,
    Name,
    Negate,
    Node,
    names_of,
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
)

#: Ways to choose all remainders: each is a part of every obligation.
MOST_CHOICES = 16

Place = Mapping[str, Affine]


@dataclass(frozen=True)
class QuotientTerm:
    """⌊dividend/divisor⌋."""

    dividend: CaseTerm
    divisor: Affine


@dataclass(frozen=True)
class ExtremeTerm:
    """The least or the largest of some terms."""

    is_largest: bool
    terms: tuple[CaseTerm, ...]


@dataclass(frozen=True)
class ShiftedTerm:
    """A linear form, plus or minus one term that is none."""

    form: LinearForm
    sign: int
    term: QuotientTerm | ExtremeTerm


CaseTerm = LinearForm | QuotientTerm | ExtremeTerm | ShiftedTerm


@dataclass(frozen=True)
class RemainderChoice:
    """What a formula is where certain sums leave certain remainders."""

    #: Sums, with a modulus and a remainder for each.
    remainders: tuple[tuple[LinearForm, int, int], ...]
    #: The formula there.
    term: CaseTerm

    def at(self, place: Place) -> tuple[tuple[Affine, int, int], ...]:
        """Return the sums at a place, with moduli and remainders."""
        return tuple((value_at(form, place), n, r) for form, n, r in self.remainders)

    def equal(self, place: Place, value: Affine) -> list[Conjunction]:
        """Return when the formula has a value: one of these, sums that are all not negative."""
        least, most = (bounded(self.term, place, value, sign) for sign in (1, -1))
        return _both(least, most)


def is_by_cases(node: Node, coordinates: frozenset[str]) -> bool:
    """Whether a formula has no nim-sum in it, and is no single coordinate plus a number."""
    parts = list(walk(node))
    if any(isinstance(part, Binary) and part.operator in ("^", "&", "|") for part in parts):
        return False
    return (
        sum(isinstance(part, Name) and part.name in coordinates for part in parts) > 1
        or any(_bends(part, coordinates) for part in parts)
    )  # fmt: skip


def read_choices(reader: LinearFormReader, node: Node) -> tuple[RemainderChoice, ...]:
    """Return what a formula is, for each choice of remainders of sums of coordinates by integers."""
    remainders = [
        part
        for part in dict.fromkeys(walk(node))
        if isinstance(part, Binary) and part.operator == "%" and _bends(part, reader.coordinates)
    ]
    moduli = [_modulus(reader, part) for part in remainders]
    if prod(moduli) > MOST_CHOICES:
        raise FamilyError(f"{render(node)}: more than {MOST_CHOICES} choices of remainders")
    sums = [reader.form(part.left) for part in remainders]
    choices_read = []
    for numbers in choices(*map(range, moduli)):
        chosen = dict(zip(remainders, numbers, strict=True))
        term = _TermReader(reader, chosen).term(node)
        choices_read.append(RemainderChoice(tuple(zip(sums, moduli, numbers, strict=True)), term))
    return tuple(choices_read)


def value_at(form: LinearForm, place: Place) -> Affine:
    """Return the value of a linear form, in which products of names are names."""
    total = form.constant
    for name, a in form.terms.items():
        total += product(a, place[name])
    return total


def bounded(term: CaseTerm, place: Place, value: Affine, sign: int) -> list[Conjunction]:
    """Return when a term is at least a value, or at most that for the sign -1: one of these, sums that are all not negative."""
    match term:
        case LinearForm():
            return [((value_at(term, place) - value) * sign,)]
        case ShiftedTerm(form, own, inner):
            return bounded(inner, place, (value - value_at(form, place)) * own, sign * own)
        case QuotientTerm(dividend, divisor):
            rest = ZERO if sign > 0 else divisor - 1
            return bounded(dividend, place, product(divisor, value) + rest, sign)
        case ExtremeTerm(is_largest, terms):
            parts = [bounded(part, place, value, sign) for part in terms]
            return _joined(parts, some=is_largest == (sign > 0))


@dataclass(frozen=True)
class _TermReader:
    """Reads a formula in which remainders are numbers."""

    reader: LinearFormReader
    chosen: Mapping[Binary, int]

    def term(self, node: Node) -> CaseTerm:
        node = self._with_numbers(node)
        if not any(_bends(part, self.reader.coordinates) for part in walk(node)):
            return self.reader.form(node)
        match node:
            case Negate(operand):
                return _plus(LinearForm(), -1, self.term(operand))
            case Binary("+" | "-" as sign, left, right):
                return self._sum(node, self.term(left), 1 if sign == "+" else -1, self.term(right))
            case Binary("*", left, right):
                return self._multiple(node, left, right)
            case Binary("//", left, right):
                divisor = self.reader.affine(right)
                if not self.reader.known_sign(divisor - 1):
                    raise FamilyError(f"{render(node)}: a divisor that is at least 1 is needed")
                return QuotientTerm(self.term(left), divisor)
            case Call("min" | "max" as function, arguments):
                return ExtremeTerm(function == "max", tuple(map(self.term, arguments)))
            case _:
                raise FamilyError(
                    f"{render(node)}: sums, quotients, min, max and remainders are proved"
                )

    def _sum(self, node: Node, left: CaseTerm, sign: int, right: CaseTerm) -> CaseTerm:
        if isinstance(left, LinearForm):
            return _plus(left, sign, right)
        if isinstance(right, LinearForm):
            return _plus(right.times(number(sign)), 1, left)
        raise FamilyError(f"{render(node)}: a sum of two quotients, or of least or largest values")

    def _multiple(self, node: Node, left: Node, right: Node) -> CaseTerm:
        """Return a multiple; what is multiplied by 0 need not be a term."""
        for factor, other in ((left, right), (right, left)):
            if any(_bends(part, self.reader.coordinates) for part in walk(factor)):
                continue
            form = self.reader.form(factor)
            if form.terms or not form.constant.is_constant:
                break
            if form.constant == ZERO:
                return LinearForm()
            if abs(form.constant.constant) == 1:
                return _plus(LinearForm(), form.constant.constant, self.term(other))
        raise FamilyError(f"{render(node)}: a multiple of a quotient, or of a least or largest value")  # fmt: skip

    def _with_numbers(self, node: Node) -> Node:
        if isinstance(node, Binary) and node in self.chosen:
            return Integer(self.chosen[node])
        return with_operands(node, self._with_numbers)


def _modulus(reader: LinearFormReader, node: Binary) -> int:
    modulus = reader.affine(node.right)
    if not modulus.is_constant or modulus.constant < 1:
        raise FamilyError(f"{render(node)}: a remainder by a positive integer is needed")
    return modulus.constant


def _bends(node: Node, coordinates: frozenset[str]) -> bool:
    """Whether this is an operation that makes a sum of coordinates something else."""
    is_bent = isinstance(node, Call) or (isinstance(node, Binary) and node.operator not in "+-*")
    return is_bent and not names_of(node).isdisjoint(coordinates)


def _plus(form: LinearForm, sign: int, term: CaseTerm) -> CaseTerm:
    """Return a linear form, plus or minus a term."""
    match term:
        case LinearForm():
            return form + term.times(number(sign))
        case ShiftedTerm(inner, other, rest):
            return ShiftedTerm(form + inner.times(number(sign)), sign * other, rest)
        case _:
            return ShiftedTerm(form, sign, term)


def _both(left: list[Conjunction], right: list[Conjunction]) -> list[Conjunction]:
    return [a + b for a in left for b in right]


def _joined(parts: list[list[Conjunction]], *, some: bool) -> list[Conjunction]:
    if some:
        return [conjunction for part in parts for conjunction in part]
    joined: list[Conjunction] = [()]
    for part in parts:
        joined = _both(joined, part)
    return joined
