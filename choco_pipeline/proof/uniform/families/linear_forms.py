"""Formulas of a family as linear forms in coordinates, with coefficients that are affine in parameters.

``c//2`` is affine in c only for one parity of c, ``min(c, k)`` only on one side of c = k. So reading may need the family to
be split: by residues of a parameter, or by the sign of a sum. It says so by an exception, and is tried again on each part.

Relations are read by the same means: shifts of coordinates in a nim-sum, a number in it, and one beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import gcd
from operator import mul

from choco_pipeline.formula.nodes import (
    OPPOSITE,
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    LogicalNot,
    Name,
    Negate,
    Node,
    names_of,
    render,
    walk,
)
from choco_pipeline.proof.arithmetic.terms import xor_parts
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, number, product

#: Alternatives that a condition may have: each is a case with proofs of its own.
MOST_CASES = 64

#: All of these sums are at least 0.
Conjunction = tuple[Affine, ...]
#: A sum for each coordinate.
Place = Mapping[str, Affine]
#: The product of two sums; `mul` refuses one of two names.
Multiplication = Callable[[Affine, Affine], Affine]
#: Whether a sum is never negative (True), always negative (False), or either.
Sign = Callable[[Affine], bool | None]


class ResiduesNeededError(Exception):
    """A formula is affine only on residue classes of a parameter."""

    def __init__(self, parameter: str, modulus: int) -> None:
        super().__init__(parameter, modulus)
        self.parameter, self.modulus = parameter, modulus


class SignNeededError(Exception):
    """A formula is affine only where a sum is never negative, and where it always is; `sum` is that sum."""

    def __init__(self, total: Affine) -> None:
        super().__init__(total)
        self.sum = total


class ValuesNeededError(Exception):
    """A formula is affine only where one of these names has a single value, because they are multiplied."""

    def __init__(self, names: frozenset[str], why: str) -> None:
        super().__init__(names, why)
        self.names, self.why = names, why


@dataclass(frozen=True)
class LinearForm:
    """Σ a·coordinate + constant, where each a and the constant are affine in parameters."""

    terms: Mapping[str, Affine] = field(default_factory=dict)
    constant: Affine = ZERO

    def __add__(self, other: LinearForm) -> LinearForm:
        total = dict(self.terms)
        for name, a in other.terms.items():
            total[name] = total.get(name, ZERO) + a
        return LinearForm(
            {n: a for n, a in total.items() if a != ZERO}, self.constant + other.constant
        )

    def __sub__(self, other: LinearForm) -> LinearForm:
        return self + other.times(number(-1))

    def times(self, factor: Affine, multiplied: Multiplication = mul) -> LinearForm:
        """Return the multiple."""
        scaled = {n: multiplied(a, factor) for n, a in self.terms.items() if factor != ZERO}
        return LinearForm(scaled, multiplied(self.constant, factor))

    def at(self, place: Place, multiplied: Multiplication = mul) -> Affine:
        """Return the value at a place."""
        return sum((multiplied(a, place[n]) for n, a in self.terms.items()), self.constant)

    def substitute(self, values: Mapping[str, Affine]) -> LinearForm:
        """Return the form with sums substituted for parameters."""
        terms = {n: a.substitute(values) for n, a in self.terms.items()}
        return LinearForm(terms, self.constant.substitute(values))


@dataclass(frozen=True)
class LinearFormReader:
    """Reads nodes where parameters have a meaning; all other names are coordinates."""

    #: What stands for each parameter.
    parameters: Mapping[str, Affine]
    #: The names that stay names.
    coordinates: frozenset[str]
    #: Tells the sign of a sum of parameters.
    sign: Sign
    #: What stands for the largest power of 2 that divides a parameter. If there is one, parameters are multiplied.
    powers: Mapping[str, Affine] = field(default_factory=dict)

    def affine(self, node: Node) -> Affine:
        """Return a value without coordinates."""
        form = self.form(node)
        if form.terms:
            raise FamilyError(f"{render(node)}: coordinates cannot stand here, only parameters")
        return form.constant

    def form(self, node: Node) -> LinearForm:
        """Return a value that is linear in coordinates."""
        match node:
            case Integer(value):
                return LinearForm({}, number(value))
            case Name(name):
                if name in self.parameters:
                    return LinearForm({}, self.parameters[name])
                if name in self.coordinates:
                    return LinearForm({name: number(1)})
                known = ", ".join(sorted({*self.parameters, *self.coordinates}))
                raise FamilyError(f"unknown name {name!r}; known here: {known}")
            case Negate(operand):
                return self.form(operand).times(number(-1))
            case Binary("+", left, right):
                return self.form(left) + self.form(right)
            case Binary("-", left, right):
                return self.form(left) - self.form(right)
            case Binary("*", left, right):
                own, other = self.form(left), self.form(right)
                if own.terms and other.terms:
                    raise FamilyError(f"{render(node)} multiplies coordinates")
                form, factor = (own, other.constant) if own.terms else (other, own.constant)
                return self.multiple(form, factor)
            case Binary("&", Name(name), Negate(Name(same))) if name == same in self.powers:
                return LinearForm({}, self.powers[name])
            case Binary("&", left, right):
                return LinearForm({}, self._masked(node, self.affine(left), self.affine(right)))
            case Binary("//" | "%" as operator, left, right):
                return LinearForm({}, self._quotient(node, operator, left, right))
            case Call("min" | "max" as function, arguments):
                return LinearForm(
                    {}, self._extreme(function, [self.affine(part) for part in arguments])
                )
            case Call("abs", (part,)):
                inner = self.affine(part)
                return LinearForm({}, self._extreme("max", [inner, -inner]))
            case _:
                raise FamilyError(f"{render(node)} is not linear in coordinates and parameters")

    def multiple(self, form: LinearForm, factor: Affine) -> LinearForm:
        """Return a form times a sum of parameters."""
        if self.powers:
            return form.times(factor, product)
        try:
            return form.times(factor)
        except FamilyError as error:
            names = factor.names.union(*(a.names for a in (*form.terms.values(), form.constant)))
            raise ValuesNeededError(names, str(error)) from None

    def _quotient(self, node: Node, operator: str, left: Node, right: Node) -> Affine:
        dividend, divisor = self.affine(left), self.affine(right)
        if not divisor.is_constant or divisor.constant < 1:
            raise FamilyError(f"{render(node)}: parameters are divided by positive integers only")
        remainder = _remainder(dividend, divisor.constant)
        return remainder if operator == "%" else dividend // divisor.constant

    def _masked(self, node: Node, left: Affine, right: Affine) -> Affine:
        value, mask = (left, right) if right.is_constant else (right, left)
        if not mask.is_constant or mask.constant < 0:
            raise FamilyError(f"{render(node)}: & of a parameter needs a natural number beside it")
        size = 1 << mask.constant.bit_length()
        return number(_remainder(value, size).constant & mask.constant)

    def _extreme(self, function: str, values: list[Affine]) -> Affine:
        best = values[0]
        for value in values[1:]:
            is_larger = self.known_sign(value - best)
            best = value if is_larger == (function == "max") else best
        return best

    def known_sign(self, total: Affine) -> bool:
        """Return whether a sum is never negative, if it is that or always negative."""
        sign = self.sign(total)
        if sign is None:
            raise SignNeededError(total)
        return sign

    def inequalities(self, node: Node) -> list[LinearForm]:
        """Return a condition on coordinates as linear forms that are not negative."""
        match node:
            case Junction("and", operands):
                return [form for part in operands for form in self.inequalities(part)]
            case Compare(operators, operands) if {*operators} <= {"<", "<=", ">", ">=", "=="}:
                forms, alternatives = [self.form(part) for part in operands], []
                for operator, left, right in zip(operators, forms, forms[1:], strict=False):
                    strict = LinearForm({}, number(-1 if operator in ("<", ">") else 0))
                    alternatives += [right - left + strict] if operator[0] in "<=" else []
                    alternatives += [left - right + strict] if operator[0] in ">=" else []
                return alternatives
            case _:
                raise FamilyError(f"{render(node)}: inequalities, joined by `and`, are needed")

    def alternatives(self, node: Node, *, holds: bool = True) -> list[Conjunction]:
        """Return a condition on parameters as a disjunction of conjunctions."""
        match node:
            case LogicalNot(operand):
                return self.alternatives(operand, holds=not holds)
            case Junction(operator, operands):
                parts = [self.alternatives(part, holds=holds) for part in operands]
                if (operator == "and") == holds:
                    return _product(parts)
                return _few([form for part in parts for form in part])
            case Compare(operators, operands):
                values = [self.affine(part) for part in operands]
                pairs = zip(operators, values, values[1:], strict=False)
                steps = [_compared(o, a, b, holds=holds) for o, a, b in pairs]
                return _product(steps) if holds else _few([form for s in steps for form in s])
            case _:
                raise FamilyError(f"{render(node)} is an integer, a condition is needed")


def is_bent(node: Node, coordinates: frozenset[str]) -> bool:
    """Whether some operation makes a sum of coordinates something else."""
    return any(
        isinstance(part, Call) or (isinstance(part, Binary) and part.operator not in "+-*")
        for part in walk(node)
        if not names_of(part).isdisjoint(coordinates)
    )


def _remainder(value: Affine, modulus: int) -> Affine:
    for name, c in value.terms:
        if c % modulus:
            raise ResiduesNeededError(name, modulus // gcd(c, modulus))
    return number(value.constant % modulus)


def _compared(operator: str, left: Affine, right: Affine, *, holds: bool) -> list[Conjunction]:
    less, more = left - right, right - left
    match operator if holds else OPPOSITE[operator]:
        case "<":
            return [(more - 1,)]
        case "<=":
            return [(more,)]
        case ">":
            return [(less - 1,)]
        case ">=":
            return [(less,)]
        case "==":
            return [(less, more)]
        case _:
            return [(less - 1,), (more - 1,)]


def _product(parts: list[list[Conjunction]]) -> list[Conjunction]:
    joined: list[Conjunction] = [()]
    for part in parts:
        joined = _few([form + other for form in joined for other in part])
    return joined


def _few(conjunctions: list[Conjunction]) -> list[Conjunction]:
    if len(conjunctions) > MOST_CASES:
        raise FamilyError(f"the condition has more than {MOST_CASES} alternatives")
    return conjunctions


def read_relation(
    reader: LinearFormReader, node: Node, *, is_value: bool
) -> tuple[dict[str, Affine], Affine, Affine]:
    """Return the shifts, the constant and the offset of a relation."""
    if is_value:
        terms, constant, added = _nim_sum(reader, node)
        return terms, constant, -added
    if not (isinstance(node, Compare) and node.operators == ("==",)):
        raise FamilyError(f"{render(node)}: one equation with nim-sums is what is proved")
    (first, fixed, add), (second, other, more) = (_nim_sum(reader, n) for n in node.operands)
    if add != ZERO or more != ZERO:  # (nim-sum) + add == term + more
        if len(first) + (fixed != ZERO) == 1 and not second.keys() & first.keys():
            first, fixed, add, second, other, more = second, other, more, first, fixed, add
        if len(second) + (other != ZERO) > 1 or not first:
            raise FamilyError(f"{render(node)}: a sum of two nim-sums and numbers")
        second = {name: shift + more - add for name, shift in second.items()}
        other = ZERO if second else other + more - add
    if first.keys() & second.keys():
        raise FamilyError(f"{render(node)}: a coordinate stands twice")
    return first | second, _nim_constant(fixed, other, node), ZERO


def _nim_sum(reader: LinearFormReader, node: Node) -> tuple[dict[str, Affine], Affine, Affine]:
    """Return a nim-sum's shifts by coordinate, the number in it, and what is added to it."""
    match node:
        case Binary("+" | "-" as operator, left, right) if _has_nim_sum(left):
            terms, constant, added = _nim_sum(reader, left)
            more = reader.affine(right)
            return terms, constant, added + (more if operator == "+" else -more)
        case Binary("+", left, right) if _has_nim_sum(right):
            terms, constant, added = _nim_sum(reader, right)
            return terms, constant, added + reader.affine(left)
    terms, constant = {}, ZERO
    for part in xor_parts(node):
        form = reader.form(part)
        if not form.terms:
            constant = _nim_constant(constant, form.constant, node)
            continue
        ((name, a), *others) = form.terms.items()
        if others or a != number(1):
            raise FamilyError(f"{render(part)}: a coordinate plus a number is needed in a nim-sum")
        if name in terms:
            raise FamilyError(f"{render(node)}: {name} stands twice")
        terms[name] = form.constant
    return terms, constant, ZERO


def _has_nim_sum(node: Node) -> bool:
    return any(isinstance(part, Binary) and part.operator == "^" for part in walk(node))


def _nim_constant(left: Affine, right: Affine, node: Node) -> Affine:
    if left == ZERO or right == ZERO:
        return left + right
    if left == right:
        return ZERO
    if left.is_constant and right.is_constant:
        return number(left.constant ^ right.constant)
    raise FamilyError(f"{render(node)}: two numbers with parameters in one nim-sum")
