"""Formulas of a family as sums, linear in coordinates.

``c//2`` is affine in c only for one parity of c, ``min(c, k)`` only on one side of c = k. So reading may need the family to
be split: by residues of a parameter, or by the sign of a sum. It says so by an exception, and is tried again on each part.

Relations are read by the same means: shifts of coordinates in a nim-sum, a number in it, and one beside it. So are Grundy
formulas by cases, with quotients, least and largest values, and remainders that choose between them. Idea: of a quotient with
a divisor d ≥ 1 two things are linear: ⌊a/d⌋ ≥ v says a − d·v ≥ 0, and ⌊a/d⌋ ≤ v says a − d·v ≤ d − 1. So a value v needs no
names of its own for quotients, if no two of them are added. Where remainders have been given numbers, `(1-r)*a - r*b` is one of
its two parts; then it is a disjunction of few conjunctions that a formula has the value v.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    product,
    variable,
)

#: Alternatives that a condition may have: each is a case with proofs of its own.
MOST_CASES = 64

#: The largest n in 2**(t+n).
MOST_DOUBLED = 64

#: All of these sums are at least 0.
Conjunction = tuple[Affine, ...]
#: Whether a sum is never negative (True), always negative (False), or either.
Sign = Callable[[Affine], bool | None]


class ResiduesNeededError(Exception):
    """A formula is affine only on residue classes of a parameter."""

    def __init__(self, parameter: str, modulus: int) -> None:
        super().__init__(parameter, modulus)
        self.parameter, self.modulus = parameter, modulus


class SignNeededError(Exception):
    """A formula is affine only where a sum has one sign."""

    def __init__(self, total: Affine) -> None:
        super().__init__(total)
        self.sum = total


class ValuesNeededError(Exception):
    """A formula multiplies names, of which one needs a single value."""

    def __init__(self, names: frozenset[str], why: str) -> None:
        super().__init__(names, why)
        self.names, self.why = names, why


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
    #: What stands for the parameter t, where 2**t is `EXPONENTIAL`.
    exponent: Affine | None = None

    def affine(self, node: Node) -> Affine:
        """Return a value without coordinates."""
        total = self.form(node)
        if any(map(total.names.__contains__, map(variable, self.coordinates))):
            raise FamilyError(f"{render(node)}: coordinates cannot stand here, only parameters")
        return total

    def form(self, node: Node) -> Affine:
        """Return a value that is linear in coordinates."""
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
                        f"{render(node)}: 2**(t+n) is read, with one t and a number n"
                    )
                return power * (1 << more.constant)
            case Binary("&", left, right):
                whole, mask = self.affine(left), self.affine(right)
                whole, mask = (whole, mask) if mask.is_constant else (mask, whole)
                if not mask.is_constant or mask.constant < 0:
                    raise FamilyError(f"{render(node)}: & of a parameter needs a natural number beside it")  # fmt: skip
                size = 1 << mask.constant.bit_length()
                return number(_remainder(whole, size).constant & mask.constant)
            case Binary("//" | "%" as operator, left, right):
                dividend, divisor = self.affine(left), self.affine(right)
                if not divisor.is_constant or divisor.constant < 1:
                    raise FamilyError(f"{render(node)}: parameters are divided by positive integers only")  # fmt: skip
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
        """Return a product; parameters are multiplied only with a power of 2."""
        coordinates = {*map(variable, self.coordinates)}
        found = product(left, right)
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
        """Return the sign of a sum; `SignNeededError` if it has both."""
        sign = self.sign(total)
        if sign is None:
            raise SignNeededError(total)
        return sign

    def inequalities(self, node: Node) -> list[Affine]:
        """Return a condition on coordinates as sums that are not negative."""
        match node:
            case Junction("and", operands):
                return [form for part in operands for form in self.inequalities(part)]
            case Compare(operators, _) if "!=" not in operators:
                (sums,) = self.alternatives(node)
                return [*sums]
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
                values = [self.form(part) for part in operands]
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
    """Return a nim-sum's shifts, the number in it, and the number added to it."""
    if isinstance(node, Binary) and node.operator in "+-":
        left, right, sign = node.left, node.right, -1 if node.operator == "-" else 1
        if sign > 0 and any(isinstance(p, Binary) and p.operator == "^" for p in walk(right)):
            left, right = right, left
        if any(isinstance(part, Binary) and part.operator == "^" for part in walk(left)):
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
            raise FamilyError(f"{render(node)}: {name} stands twice")
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


#: Combinations of all remainders: each is a part of every obligation.
MOST_CHOICES = 16
#: The names of the formula's value, and of the amount that a move takes.
VALUE, AMOUNT = "value()", "amount()"
#: The names of quotients that are read as further coordinates of a place.
FLOORS = tuple(map(str, range(8)))


@dataclass(frozen=True)
class RemainderChoice:
    """A formula where certain sums leave certain remainders."""

    #: Sums, with a modulus and a remainder for each.
    remainders: tuple[tuple[Affine, int, int], ...]
    #: The formula has the value `VALUE` if and only if one of these conditions holds.
    conditions: tuple[Conjunction, ...]

    def at(self, place: Place) -> tuple[tuple[Affine, int, int], ...]:
        """Return the sums at a place, with moduli and remainders."""
        return tuple((total.at(place), n, r) for total, n, r in self.remainders)

    def equal(self, place: Place, value: Affine) -> list[Conjunction]:
        """Return alternatives for the formula having a value at a place."""
        return [
            tuple(s.at(place).substitute({VALUE: value}) for s in sums) for sums in self.conditions
        ]


def as_equations(node: Node) -> Node:
    """Return a formula with a == b for a ^ b == 0."""
    match node:
        case Compare(("==",), (Binary("^", left, right), Integer(0))):
            return replace(node, operands=(left, right))
        case _:
            return with_operands(node, as_equations)


@dataclass(frozen=True)
class FloorReader:
    """Reader of remainders and quotients as further coordinates."""

    reader: LinearFormReader
    #: Their dividends, with the coordinates before them, and their divisors.
    floors: list[tuple[Affine, Affine]] = field(default_factory=list)

    def read(self, node: Node, *, is_sum: bool) -> Node:
        """Return a formula with names for quotients; all of them, if it must be a sum."""
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
                floor = self._named(self.reader.form(left), by)
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

    def _named(self, dividend: Affine, divisor: Affine) -> Name:
        if (dividend, divisor) not in self.floors:
            self.floors.append((dividend, divisor))
        if len(self.floors) > len(FLOORS):
            raise FamilyError(f"more than {len(FLOORS)} quotients that are compared or multiplied")
        return Name(FLOORS[self.floors.index((dividend, divisor))])


def read_amounts(
    reader: LinearFormReader, listed: Sequence[Node] | None, most: Node | None
) -> tuple[Conjunction, ...]:
    """Return alternatives for `AMOUNT` being one that a move may take."""
    amount = Affine.of(AMOUNT)
    ways: list[Conjunction] = [()]
    if listed is not None:
        values = [reader.affine(node) for node in listed]
        ways = [(amount - value, value - amount) for value in values]
    limits = [()] if most is None else _bounds(reader, most, amount, 1)
    return tuple(one + other for one in ways for other in limits)


def is_by_cases(node: Node, coordinates: frozenset[str], *, is_value: bool = True) -> bool:
    """Whether a formula has no nim-sum, and is not a coordinate plus a number.

    A condition is one by cases if it is also no equation of sums.
    """
    parts = list(walk(node))
    if any(isinstance(part, Binary) and part.operator in ("^", "&", "|") for part in parts):
        return False
    if not is_value:
        is_equation = isinstance(node, Compare) and node.operators == ("==",)
        return not is_equation or is_bent(node, coordinates)
    named = sum(isinstance(part, Name) and part.name in coordinates for part in parts)
    return named > 1 or is_bent(node, coordinates)


def read_choices(floors: FloorReader, node: Node) -> tuple[RemainderChoice, ...]:
    """Return a formula for each choice of remainders of sums of coordinates."""
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
    """Return a formula with numbers for remainders, and 0 for multiples of 0."""
    if isinstance(node, Binary) and node in chosen:
        return Integer(chosen[node])
    node = with_operands(node, lambda part: _with_numbers(reader, part, chosen))
    if isinstance(node, Binary) and node.operator == "*":
        parts = [p for p in (node.left, node.right) if names_of(p).isdisjoint(reader.coordinates)]
        if any(reader.form(part) == ZERO for part in parts):
            return Integer(0)
    return node


def _bounds(reader: LinearFormReader, node: Node, bound: Affine, sign: int) -> list[Conjunction]:
    """Return alternatives for a term ≥ bound (≤ with the sign -1)."""

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
            raise FamilyError(f"{render(node)}: a multiple of a quotient, or of a least or largest value")  # fmt: skip
        case Binary("//", left, right):
            divisor = reader.affine(right)
            if not reader.known_sign(divisor - 1):
                raise FamilyError(f"{render(node)}: a divisor that is at least 1 is needed")
            rest = ZERO if sign > 0 else divisor - 1
            return _bounds(reader, left, product(bound, divisor) + rest, sign)
        case Call("min" | "max" as function, arguments):
            each = [_bounds(reader, part, bound, sign) for part in arguments]
            if (function == "max") == (sign > 0):  # one of them is enough
                return [one for part in each for one in part]
            return [tuple(chain.from_iterable(several)) for several in choices(*each)]
        case Binary("+" | "-"):
            raise FamilyError(f"{render(node)}: a sum of two quotients, or of least or largest values")  # fmt: skip
        case _:
            raise FamilyError(f"{render(node)}: sums, quotients, min, max and remainders are proved")  # fmt: skip
