"""Formulas of a family as sums that are linear in the coordinates.

``c//2`` is affine in c only for one parity of c, and ``min(c, k)`` only on one side of c = k. So the family may have to be split by
residues of a parameter, or by the sign of a sum. The reader then raises an exception, and each part is read again.

This module also reads relations: the shifts of coordinates in a nim-sum, the number in it, and the number added to it. It also reads
formulas by cases, with quotients, minima, maxima, and remainders that choose between them.

Idea: for a divisor d ≥ 1, two conditions on a quotient are linear: ⌊a/d⌋ ≥ v is a − d·v ≥ 0, and ⌊a/d⌋ ≤ v is a − d·v ≤ d − 1. So
quotients need no names unless two of them are added. If remainders are replaced by numbers, `(1-r)*a - r*b` becomes one of its two
terms. Then "the formula has the value v" is a disjunction of few conjunctions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from itertools import product as choices
from math import gcd, prod

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
    nim_terms,
    operators_of,
    render,
    walk,
    with_operands,
)
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.affine import (
    EXPONENTIAL,
    TIMES,
    ZERO,
    Affine,
    Place,
    factors_of,
    number,
    variable,
)

#: Limit of alternatives of a condition. Each is a case with its own proofs.
MOST_CASES = 64

#: The largest n in 2**(t+n).
MOST_DOUBLED = 64

#: The condition that all these sums are at least 0.
Conjunction = tuple[Affine, ...]
#: A function that returns whether a sum is never negative (True), always negative (False), or neither (None).
Sign = Callable[[Affine], bool | None]


@dataclass(frozen=True)
class AffineQuotient:
    """⌊dividend/divisor⌋, with natural coefficients, and divisor at least 1."""

    dividend: Affine
    divisor: Affine

    @cached_property
    def split(self) -> tuple[dict[str, Affine], Affine]:
        """The coefficients of coordinates in the dividend, and the rest of the dividend."""
        return self.dividend.split()

    @property
    def naturals(self) -> tuple[Affine, ...]:
        """Sums that must be natural: the coefficients, the constant, and divisor - 1."""
        multiples, constant = self.split
        return (*multiples.values(), constant, self.divisor - 1)

    def substitute(self, values: Mapping[str, Affine]) -> AffineQuotient:
        """Substitute sums for some names."""
        return AffineQuotient(self.dividend.substitute(values), self.divisor.substitute(values))

    def room(self, place: Place, value: Affine) -> Affine:
        """Return a sum that is natural exactly if the quotient is at least `value`."""
        return self.dividend.at(place) - self.divisor * value


class ResiduesNeededError(Exception):
    """A formula is affine only on residue classes of a parameter."""

    def __init__(self, parameter: str, modulus: int) -> None:
        super().__init__(parameter, modulus)
        self.parameter, self.modulus = parameter, modulus


class SignNeededError(Exception):
    """A formula is affine only if a certain sum has constant sign."""

    def __init__(self, total: Affine) -> None:
        super().__init__(total)
        self.sum = total


class ValuesNeededError(Exception):
    """A formula multiplies names, so one of them must have a single value."""

    def __init__(self, names: frozenset[str], why: str) -> None:
        super().__init__(names, why)
        self.names, self.why = names, why


@dataclass(frozen=True)
class LinearFormReader:
    """Reads formulas as sums; parameters are substituted and coordinates remain."""

    #: Substitution for the parameters.
    parameters: Mapping[str, Affine]
    coordinates: frozenset[str]
    #: Sign of a sum of parameters.
    sign: Sign
    #: Substitution for ``k & -k``. If it is not empty, products of parameters are allowed.
    powers: Mapping[str, Affine] = field(default_factory=dict)
    #: Substitution for the parameter t, where 2**t is `EXPONENTIAL`.
    exponent: Affine | None = None

    def affine(self, node: Node) -> Affine:
        """Read a formula without coordinates."""
        total = self.form(node)
        if not total.names.isdisjoint(map(variable, self.coordinates)):
            raise FamilyError(f"{render(node)}: coordinates are not allowed here, only parameters")
        return total

    def form(self, node: Node) -> Affine:
        """Read a formula that is linear in the coordinates."""
        match node:
            case Integer(value):
                return number(value)
            case Name(name):
                if name in self.parameters:
                    return self.parameters[name]
                if name in self.coordinates:
                    return Affine.of(variable(name))
                known = ", ".join(sorted({*self.parameters, *self.coordinates}))
                raise FamilyError(f"unknown name {name!r}; known here: {known}")
            case Negate(operand):
                return -self.form(operand)
            case Binary("+", left, right):
                return self.form(left) + self.form(right)
            case Binary("-", left, right):
                return self.form(left) - self.form(right)
            case Binary("*", left, right):
                return self.multiplied(self.form(left), self.form(right))
            case Binary("&", Name(name), Negate(Name(same))) if name == same in self.powers:
                return self.powers[name]
            case Binary("**", Integer(2), right) if self.exponent is not None:
                total = self.affine(right)
                power = number(1) if total.is_constant else Affine.of(EXPONENTIAL)
                more = total if total.is_constant else total - self.exponent
                if not more.is_constant or not 0 <= more.constant <= MOST_DOUBLED:
                    raise FamilyError(
                        f"{render(node)}: only 2**(t+n) is supported, with one t and a number n"
                    )
                return power * (1 << more.constant)
            case Binary("&", left, right):
                whole, mask = self.affine(left), self.affine(right)
                whole, mask = (whole, mask) if mask.is_constant else (mask, whole)
                if not mask.is_constant or mask.constant < 0:
                    raise FamilyError(f"{render(node)}: one operand of & must be a natural number")  # fmt: skip
                size = 1 << mask.constant.bit_length()
                return number(_remainder(whole, size).constant & mask.constant)
            case Binary("//" | "%" as operator, left, right):
                dividend, divisor = self.affine(left), self.affine(right)
                if not divisor.is_constant or divisor.constant < 1:
                    raise FamilyError(f"{render(node)}: parameters can only be divided by positive integers")  # fmt: skip
                remainder = _remainder(dividend, divisor.constant)
                return remainder if operator == "%" else dividend // divisor.constant
            case Call("min" | "max" as function, arguments):
                return self._extreme(function, [self.affine(part) for part in arguments])
            case Call("abs", (part,)):
                inner = self.affine(part)
                return self._extreme("max", [inner, -inner])
            case _:
                raise FamilyError(f"{render(node)} is not linear in coordinates and parameters")

    def multiplied(self, left: Affine, right: Affine) -> Affine:
        """Return a product; products of parameters are allowed only with a power of 2."""
        coordinates = {*map(variable, self.coordinates)}
        found = left * right
        for name, _ in found.terms:
            own = [factor for factor in factors_of(name) if factor not in coordinates]
            if len(factors_of(name)) > len(own) + 1:
                raise FamilyError(f"({left})*({right}) multiplies coordinates")
            is_multiple = len(own) == 1 + own.count(EXPONENTIAL) < 3
            if len(own) > 1 and not is_multiple and not self.powers:
                why = f"{TIMES.join(own)} multiplies parameters: only multiples by a constant are linear"
                raise ValuesNeededError((left.names | right.names) - coordinates, why)
        return found

    def _extreme(self, function: str, values: list[Affine]) -> Affine:
        best = values[0]
        for value in values[1:]:
            is_larger = self.known_sign(value - best)
            best = value if is_larger == (function == "max") else best
        return best

    def known_sign(self, total: Affine) -> bool:
        """Return the sign of a sum; raise `SignNeededError` if it is not constant."""
        sign = self.sign(total)
        if sign is None:
            raise SignNeededError(total)
        return sign

    def inequalities(self, node: Node) -> list[Affine]:
        """Read a condition on coordinates as sums that must be natural."""
        match node:
            case Junction("and", operands):
                return [form for part in operands for form in self.inequalities(part)]
            case Compare(operators, _) if "!=" not in operators:
                (sums,) = self.alternatives(node)
                return [*sums]
            case _:
                raise FamilyError(f"{render(node)}: inequalities, joined by `and`, are needed")

    def alternatives(self, node: Node, *, holds: bool = True) -> list[Conjunction]:
        """Read a condition (its negation unless `holds`) as alternatives."""
        match node:
            case LogicalNot(operand):
                return self.alternatives(operand, holds=not holds)
            case Junction(operator, operands):
                parts = [self.alternatives(part, holds=holds) for part in operands]
                if (operator == "and") == holds:
                    return _product(parts)
                return _few([form for part in parts for form in part])
            case Compare(operators, operands):
                values = [self.form(part) for part in operands]
                pairs = zip(operators, values, values[1:], strict=False)
                steps = [_compared(o, a, b, holds=holds) for o, a, b in pairs]
                return _product(steps) if holds else _few([form for s in steps for form in s])
            case _:
                raise FamilyError(f"{render(node)} is an integer, a condition is needed")


def is_bent(node: Node, coordinates: frozenset[str]) -> bool:
    """Whether a formula applies a nonlinear operation to coordinates."""
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
    ways: dict[str, list[Conjunction]] = {
        "<": [(more - 1,)],
        "<=": [(more,)],
        ">": [(less - 1,)],
        ">=": [(less,)],
        "==": [(less, more)],
        "!=": [(less - 1,), (more - 1,)],
    }
    return ways[operator if holds else OPPOSITE[operator]]


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
    """Return the shifts, the constant and the offset of a relation with nim-sums."""
    if is_value:
        terms, constant, added = _nim_sum(reader, node)
        return terms, constant, -added
    if not (isinstance(node, Compare) and node.operators == ("==",)):
        raise FamilyError(f"{render(node)}: only one equation with nim-sums is supported")
    (first, fixed, add), (second, other, more) = (_nim_sum(reader, n) for n in node.operands)
    if add != ZERO or more != ZERO:  # (nim-sum) + add == term + more
        if len(first) + (fixed != ZERO) == 1 and not second.keys() & first.keys():
            first, fixed, add, second, other, more = second, other, more, first, fixed, add
        if len(second) + (other != ZERO) > 1 or not first:
            raise FamilyError(f"{render(node)}: two nim-sums with numbers added are not supported")
        second = {name: shift + more - add for name, shift in second.items()}
        other = ZERO if second else other + more - add
    if first.keys() & second.keys():
        raise FamilyError(f"{render(node)}: a coordinate occurs twice")
    return first | second, _nim_constant(fixed, other, node), ZERO


def _nim_sum(reader: LinearFormReader, node: Node) -> tuple[dict[str, Affine], Affine, Affine]:
    """Return the shifts in a nim-sum, the number in it, and the number added to it."""
    if isinstance(node, Binary) and node.operator in "+-":
        left, right, sign = node.left, node.right, -1 if node.operator == "-" else 1
        if sign > 0 and "^" in operators_of(right):
            left, right = right, left
        if "^" in operators_of(left):
            terms, constant, added = _nim_sum(reader, left)
            return terms, constant, added + reader.affine(right) * sign
    terms, constant = {}, ZERO
    for part in nim_terms(node):
        multiples, shift = reader.form(part).split()
        if not multiples:
            constant = _nim_constant(constant, shift, node)
            continue
        ((name, a), *others) = multiples.items()
        if others or a != number(1):
            raise FamilyError(f"{render(part)}: a coordinate plus a number is needed in a nim-sum")
        if name in terms:
            raise FamilyError(f"{render(node)}: {name} occurs twice")
        terms[name] = shift
    return terms, constant, ZERO


def _nim_constant(left: Affine, right: Affine, node: Node) -> Affine:
    if left == ZERO or right == ZERO:
        return left + right
    if left == right:
        return ZERO
    if left.is_constant and right.is_constant:
        return number(left.constant ^ right.constant)
    raise FamilyError(f"{render(node)}: two numbers with parameters in one nim-sum")


#: Limit of combinations of remainders. Each is a part of every obligation.
MOST_CHOICES = 16
#: Names for the value of the formula, and for the amount of a move.
VALUE, AMOUNT = "value()", "amount()"
#: Names of quotients that become further coordinates.
FLOORS = tuple(map(str, range(8)))


@dataclass(frozen=True)
class RemainderChoice:
    """A formula under the condition that certain sums have certain remainders."""

    #: Triples of sum, modulus and remainder.
    remainders: tuple[tuple[Affine, int, int], ...]
    #: The formula has the value `VALUE` if and only if one of these conjunctions is true.
    conditions: tuple[Conjunction, ...]

    def at(self, place: Place) -> tuple[tuple[Affine, int, int], ...]:
        """Return `remainders` with the sums at a place."""
        return tuple((total.at(place), n, r) for total, n, r in self.remainders)

    def equal(self, place: Place, value: Affine) -> list[Conjunction]:
        """Return the alternatives for "the formula has this value at this place"."""
        return [
            tuple(s.at(place).substitute({VALUE: value}) for s in sums) for sums in self.conditions
        ]


def as_equations(node: Node) -> Node:
    """Replace a ^ b == 0 by a == b in a formula."""
    match node:
        case Compare(("==",), (Binary("^", left, right), Integer(0))):
            return replace(node, operands=(left, right))
        case _:
            return with_operands(node, as_equations)


@dataclass(frozen=True)
class FloorReader:
    """Replaces quotients and remainders by further coordinates."""

    reader: LinearFormReader
    #: The further coordinates. A dividend may contain earlier ones.
    floors: dict[str, AffineQuotient] = field(default_factory=dict)

    def read(self, node: Node, *, is_sum: bool) -> Node:
        """Replace quotients by names: all if `is_sum`, otherwise if necessary."""
        coordinates = self.reader.coordinates
        match node:
            case Binary("//" | "%" as operator, left, right) if is_bent(node, coordinates):
                by = self.reader.affine(right)
                is_named = is_sum or (operator == "%" and not by.is_constant)
                left = self.read(left, is_sum=is_named or operator == "%")
                if not is_named:
                    return replace(node, left=left)
                if not self.reader.known_sign(by - 1):
                    raise FamilyError(f"{render(node)}: a divisor that is at least 1 is needed")
                floor = self._named(AffineQuotient(self.reader.form(left), by))
                if operator == "//":
                    return floor
                return Binary("-", left, Binary("*", right, floor))
            case Binary("*" | "+" | "-" as operator, left, right) if not is_sum:
                ends = [self.read(part, is_sum=False) for part in (left, right)]
                bent = [is_bent(part, coordinates) for part in ends]
                factors = [self.reader.form(p) for p, b in zip(ends, bent, strict=True) if not b]
                is_sign = any(factor in (number(1), number(-1), ZERO) for factor in factors)
                if all(bent) or (operator == "*" and any(bent) and not is_sign):
                    ends = [self.read(part, is_sum=True) for part in ends]
                return replace(node, left=ends[0], right=ends[1])
            case _:
                return with_operands(node, lambda part: self.read(part, is_sum=is_sum))

    def _named(self, quotient: AffineQuotient) -> Name:
        known = {floor: name for name, floor in self.floors.items()}
        name = known.get(quotient, str(len(self.floors)))
        self.floors[name] = quotient
        if len(self.floors) > len(FLOORS):
            raise FamilyError(f"more than {len(FLOORS)} quotients are compared or multiplied")
        return Name(name)


def read_amounts(
    reader: LinearFormReader, listed: Sequence[Node] | None, most: Node | None
) -> tuple[Conjunction, ...]:
    """Return the alternatives for "`AMOUNT` is a legal amount"."""
    amount = Affine.of(AMOUNT)
    ways: list[Conjunction] = [()]
    if listed is not None:
        values = [reader.affine(node) for node in listed]
        ways = [(amount - value, value - amount) for value in values]
    limits = [()] if most is None else _bounds(reader, most, amount, 1)
    return tuple(one + other for one in ways for other in limits)


def read_choices(floors: FloorReader, node: Node) -> tuple[RemainderChoice, ...]:
    """Read a formula for each choice of remainders of sums of coordinates."""
    reader = floors.reader
    remainders = [
        part
        for part in dict.fromkeys(walk(node))
        if isinstance(part, Binary) and part.operator == "%" and is_bent(part, reader.coordinates)
    ]
    remainders = [part for part in remainders if reader.affine(part.right).is_constant]
    moduli = [reader.affine(part.right).constant for part in remainders]
    if any(modulus < 1 for modulus in moduli):
        raise FamilyError(f"{render(node)}: a remainder by a positive integer is needed")
    if prod(moduli) > MOST_CHOICES:
        raise FamilyError(f"{render(node)}: more than {MOST_CHOICES} choices of remainders")
    sums = [reader.form(floors.read(part.left, is_sum=True)) for part in remainders]
    value = Affine.of(VALUE)
    found = []
    for numbers in choices(*map(range, moduli)):
        chosen = dict(zip(remainders, numbers, strict=True))
        term = floors.read(_with_numbers(reader, node, chosen), is_sum=False)
        least, most = (_bounds(reader, term, value, sign) for sign in (1, -1))
        conditions = tuple(a + b for a in least for b in most)
        found.append(RemainderChoice(tuple(zip(sums, moduli, numbers, strict=True)), conditions))
    return tuple(found)


def _with_numbers(reader: LinearFormReader, node: Node, chosen: Mapping[Binary, int]) -> Node:
    """Substitute numbers for remainders, and 0 for multiples of 0."""
    if isinstance(node, Binary) and node in chosen:
        return Integer(chosen[node])
    node = with_operands(node, lambda part: _with_numbers(reader, part, chosen))
    if isinstance(node, Binary) and node.operator == "*":
        parts = [p for p in (node.left, node.right) if names_of(p).isdisjoint(reader.coordinates)]
        if any(reader.form(part) == ZERO for part in parts):
            return Integer(0)
    return node


def _bounds(reader: LinearFormReader, node: Node, bound: Affine, sign: int) -> list[Conjunction]:
    """Return alternatives for ``node >= bound``, or ``<=`` if `sign` is -1."""

    def is_sum(part: Node) -> bool:
        return not is_bent(part, reader.coordinates)

    match node:
        case _ if is_sum(node):
            return [((reader.form(node) - bound) * sign,)]
        case Negate(operand):
            return _bounds(reader, operand, -bound, -sign)
        case Binary("+", left, right) if is_sum(left):
            return _bounds(reader, right, bound - reader.form(left), sign)
        case Binary("-", left, right) if is_sum(left):
            return _bounds(reader, right, reader.form(left) - bound, -sign)
        case Binary("+" | "-" as operator, left, right) if is_sum(right):
            more = reader.form(right)
            return _bounds(reader, left, bound - more if operator == "+" else bound + more, sign)
        case Binary("*", left, right):
            factor, part = (left, right) if is_sum(left) else (right, left)
            times = reader.form(factor) if is_sum(factor) else ZERO
            if times in (number(1), number(-1)):
                return _bounds(reader, part, bound * times, sign * times.constant)
            raise FamilyError(f"{render(node)}: multiples of quotients, minima or maxima are not supported")  # fmt: skip
        case Binary("//", left, right):
            divisor = reader.affine(right)
            if not reader.known_sign(divisor - 1):
                raise FamilyError(f"{render(node)}: a divisor that is at least 1 is needed")
            rest = ZERO if sign > 0 else divisor - 1
            return _bounds(reader, left, bound * divisor + rest, sign)
        case Call("min" | "max" as function, arguments):
            each = [_bounds(reader, part, bound, sign) for part in arguments]
            if (function == "max") == (sign > 0):  # one of them suffices
                return [one for part in each for one in part]
            return [tuple(chain.from_iterable(several)) for several in choices(*each)]
        case Binary("+" | "-"):
            raise FamilyError(f"{render(node)}: sums of two quotients, minima or maxima are not supported")  # fmt: skip
        case _:
            raise FamilyError(f"{render(node)}: only sums, quotients, min, max and remainders are supported")  # fmt: skip
