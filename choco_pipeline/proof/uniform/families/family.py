"""A statement on a family of games, split into cases in which all is affine in parameters.

Parameters are natural numbers. A case puts ``parameter = modulus*m + residue`` for each, with a natural number m, and has
conditions that sums of these are not negative. Where a ruleset's values make no game (a divisor 0, a negative height) the
family has no member: that becomes a condition, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product as product_of
from operator import mul
from typing import Literal

from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Integer,
    Junction,
    Name,
    Negate,
    Node,
    names_of,
    render,
    walk,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.trial import RelationKind, Statement
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, number, product
from choco_pipeline.proof.uniform.families.case_formula import (
    RemainderChoice,
    is_by_cases,
    read_choices,
)
from choco_pipeline.proof.uniform.families.linear import (
    all_values,
    independent,
    is_possible,
    sign_of,
)
from choco_pipeline.proof.uniform.families.linear_forms import (
    MOST_CASES,
    LinearForm,
    LinearFormReader,
    Multiplication,
    Place,
    ResiduesNeededError,
    SignNeededError,
    ValuesNeededError,
    is_bent,
    read_relation,
)
from choco_pipeline.proof.uniform.families.parametric_rules import (
    ParametricRules,
    describe,
)

#: The name of a power of 2 that is any; a parameter beside it may not have it.
POWER = "p_2"
#: Residues that a parameter may be split by at once, and parts of a family that are looked at for cases.
#: A mask such as ``k & 1000`` needs the next power of 2.
LARGEST_MODULUS, MOST_PARTS = 1024, 4000
#: Of two parameters that are multiplied, one may have at most this number of values.
MOST_VALUES = 16

Joined = Literal["min", "max", "sum"]


@dataclass(frozen=True)
class AffineQuotient:
    """⌊dividend/divisor⌋, where no coefficient is negative and the divisor is at least 1."""

    dividend: LinearForm
    divisor: Affine

    def room(self, place: Place, value: Affine, multiplied: Multiplication = mul) -> Affine:
        """Return a sum that is at least 0 if and only if the quotient is at least a value."""
        return self.dividend.at(place, multiplied) - multiplied(self.divisor, value)

    def plus(self, form: LinearForm, reader: LinearFormReader) -> AffineQuotient:
        """Return the quotient with a linear form added."""
        return replace(self, dividend=self.dividend + reader.multiple(form, self.divisor))

    def substitute(self, values: Mapping[str, Affine]) -> AffineQuotient:
        """Return the quotient with sums substituted for parameters."""
        return AffineQuotient(self.dividend.substitute(values), self.divisor.substitute(values))


@dataclass(frozen=True)
class AffineHeight:
    """A largest value: one quotient, or the least, the largest or the sum of several."""

    parts: tuple[AffineQuotient, ...]
    function: Joined = "min"

    @property
    def only(self) -> AffineQuotient:
        """The only part; `FamilyError` if there are several."""
        if len(self.parts) > 1:
            raise FamilyError(
                "a height that is a sum of quotients: decided for P-positions with a bound alone"
                if self.function == "sum"
                else f"a height that is a {self.function} of several: decided by words alone"
            )
        return self.parts[0]


@dataclass(frozen=True)
class FamilyCase:
    """A part of the family in which everything is affine in parameters."""

    #: What stands for each parameter of the family.
    parameters: Mapping[str, Affine]
    #: Sums that are not negative: those that make the case, and what makes the ruleset a game.
    conditions: tuple[Affine, ...]
    #: For each coordinate with a largest value.
    heights: Mapping[str, AffineHeight]
    #: For each coordinate in the relation, what is added to it before nim-sums are taken.
    shifts: Mapping[str, Affine]
    #: A further number in the nim-sum.
    constant: Affine
    #: For Grundy numbers: the value is the nim-sum minus this.
    offset: Affine
    #: Linear forms that are not negative at the positions that the relation is of.
    inside: tuple[LinearForm, ...] = ()
    #: By parameter, the largest power of 2 that divides it, where a formula uses that.
    powers: Mapping[str, Affine] = field(default_factory=dict)
    #: The Grundy number, where it is a formula by cases and no nim-sum.
    choices: tuple[RemainderChoice, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters of the case."""
        return tuple(sorted({name for value in self.parameters.values() for name in value.names}))

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether integers for its parameters satisfy its conditions."""
        return all(condition.value(values) >= 0 for condition in self.conditions)

    def shift(self, coordinate: str) -> Affine:
        """Return the number that is added to a coordinate; 0 for one that is not in the relation."""
        return self.shifts.get(coordinate, ZERO)

    def legal_from(self, coordinate: str, part: AffineQuotient) -> Affine:
        """Return from where on the counter Σ a·track − divisor·track says that a coordinate is at most a part of its height."""
        shifts = {name: self.shift(name) for name in part.dividend.terms}
        return part.room(shifts, self.shift(coordinate)) - part.dividend.constant * 2

    def substitute(self, values: Mapping[str, Affine], conditions: Iterable[Affine]) -> FamilyCase:
        """Return the case with sums substituted for some of its names, and with these conditions."""
        return replace(
            self,
            parameters=_substituted(self.parameters, values),
            conditions=tuple(conditions),
            heights={
                y: replace(height, parts=tuple(part.substitute(values) for part in height.parts))
                for y, height in self.heights.items()
            },
            shifts=_substituted(self.shifts, values),
            constant=self.constant.substitute(values),
            offset=self.offset.substitute(values),
            inside=tuple(form.substitute(values) for form in self.inside),
        )


def _substituted(totals: Mapping[str, Affine], values: Mapping[str, Affine]) -> dict[str, Affine]:
    return {name: total.substitute(values) for name, total in totals.items()}


@dataclass(frozen=True)
class Family(Statement):
    """A ruleset with parameters, a condition on them, and a relation."""

    description: ParametricRules

    @classmethod
    def read(
        cls, ruleset: str, condition: str, relation: str, kind: RelationKind, where: str = ""
    ) -> Family:
        """Read a family; what cannot be said raises a named error."""
        texts = (parse(condition).text, parse(relation).text, kind, where and parse(where).text)
        family = cls(ruleset, *texts, describe(ruleset))
        mistake = family.mistake(family.description.coordinates)
        if mistake is not None:
            raise FamilyError(mistake)
        return family

    @property
    def is_by_cases(self) -> bool:
        """Whether it says of Grundy numbers that they are a formula by cases, and no nim-sum."""
        coordinates = frozenset(self.description.coordinates)
        return self.kind == "grundy" and is_by_cases(parse_nodes(self.relation), coordinates)

    def cases(self) -> Iterator[FamilyCase]:
        """Yield the cases; together they are all members.

        Alternatives of the condition are read together, unless that makes too many cases. Then each is read alone, and
        remainders that are false by themselves are left out at once.
        """
        condition = parse_nodes(self.condition)
        try:
            yield from [*self._cases([condition], self._all_parts)]
        except _TooManyCasesError:
            yield from self._cases(_disjuncts(condition), self._parts_without_excluded)

    def _cases(
        self,
        conditions: Iterable[Node],
        parts: Callable[[_FamilyPart, ResiduesNeededError], list[_FamilyPart]],
    ) -> Iterator[FamilyCase]:
        natural = tuple(map(Affine.of, self.parameters))
        todo, looked_at, count = list[_FamilyPart](), 0, 0
        for condition in conditions:
            start = _FamilyPart({n: Affine.of(n) for n in self.parameters}, natural, condition)
            todo += start.by_powers(self._powers())
        while todo:
            part = todo.pop(0)
            if not is_possible(part.conditions):
                continue
            looked_at += 1
            if looked_at > MOST_PARTS or count > MOST_CASES:
                raise _TooManyCasesError(f"the family has more than {MOST_CASES} cases")
            try:
                if part.is_read:
                    case = self._case(part)
                    count += 1
                    yield case
                else:
                    todo += self._alternatives(part)
            except _NoMemberError:
                continue
            except ResiduesNeededError as needed:
                todo = [*parts(part, needed), *todo]
            except SignNeededError as needed:
                todo = [*part.by_sign(needed.sum), *todo]
            except ValuesNeededError as needed:
                todo = [*part.by_values(needed, self._known_conditions(part)), *todo]

    @staticmethod
    def _all_parts(part: _FamilyPart, needed: ResiduesNeededError) -> list[_FamilyPart]:
        return part.by_residues(needed)

    def _parts_without_excluded(
        self, part: _FamilyPart, needed: ResiduesNeededError
    ) -> list[_FamilyPart]:
        return [other for other in part.by_residues(needed) if not self._is_excluded(other)]

    def _known_conditions(self, part: _FamilyPart) -> tuple[Affine, ...]:
        """Return sums that are not negative in a part, also where the condition is not read yet."""
        known = part.conditions
        for conjunct in () if part.is_read else _conjuncts(part.condition):
            with suppress(FamilyError, ResiduesNeededError, SignNeededError, ValuesNeededError):
                alternatives = self._reader(part).alternatives(conjunct)
                known += alternatives[0] if len(alternatives) == 1 else ()
        return known

    def _is_excluded(self, part: _FamilyPart) -> bool:
        """Whether a comparison in the condition is false for all members of a part, by its constants alone."""
        reader = replace(
            self._reader(part), sign=lambda s: s.constant >= 0 if s.is_constant else None
        )
        for conjunct in () if part.is_read else _conjuncts(part.condition):
            try:
                alternatives = reader.alternatives(conjunct)
            except (FamilyError, ResiduesNeededError, SignNeededError, ValuesNeededError):
                continue
            if all(any(c.is_constant and c.constant < 0 for c in one) for one in alternatives):
                return True
        return False

    def _powers(self) -> list[str]:
        """Return the parameters whose largest power of 2 stands in a formula."""
        texts = [self.condition, self.relation, *([self.where] if self.where else [])]
        nodes = [*map(parse_nodes, texts), *self.description.heights.values()]
        powers = [
            name
            for root in nodes
            for node in walk(root)
            if isinstance(node, Binary)
            and node.operator == "&"
            and isinstance(node.left, Name)
            and node.right == Negate(Name(name := node.left.name))
        ]
        return sorted(set(powers) & set(self.parameters))

    def _reader(self, part: _FamilyPart) -> LinearFormReader:
        return LinearFormReader(
            part.parameters,
            frozenset(self.description.coordinates),
            lambda total: sign_of(total, part.conditions),
            part.powers,
        )

    def _alternatives(self, part: _FamilyPart) -> list[_FamilyPart]:
        every = self._reader(part).alternatives(part.condition)
        parts = [replace(part, conditions=part.conditions + more, is_read=True) for more in every]
        for earlier in parts[:-1]:  # which a later one may be larger than
            if any(other.includes(earlier) for other in parts if other is not earlier):
                parts = [other for other in parts if other is not earlier]
        return parts

    def _case(self, part: _FamilyPart) -> FamilyCase:
        reader = self._reader(part)
        heights = {n: _height(reader, node) for n, node in self.description.heights.items()}
        parts = [part for height in heights.values() for part in height.parts]
        needed = [a for part in parts for a in part.dividend.terms.values()]
        needed += [part.dividend.constant for part in parts]
        needed += [part.divisor - 1 for part in parts]
        for sum_ in needed:
            if not reader.known_sign(sum_):
                raise _NoMemberError
        formula = parse_nodes(self.relation)
        choices = read_choices(reader, formula) if self.is_by_cases else ()
        nim_sum = Integer(0) if self.is_by_cases else formula
        terms, constant, offset = read_relation(reader, nim_sum, is_value=self.kind == "grundy")
        for shift in [*terms.values(), constant]:
            reader.known_sign(shift)
        inside = tuple(reader.inequalities(parse_nodes(self.where))) if self.where else ()
        conditions = independent(part.conditions)
        read = (heights, terms, constant, offset, inside, part.powers, choices)
        return FamilyCase(part.parameters, conditions, *read)


class _NoMemberError(Exception):
    """Nothing in this part of the family is a game."""


class _TooManyCasesError(FamilyError):
    """A family has more cases than are decided."""


def _conjuncts(condition: Node) -> list[Node]:
    """Return the parts of a condition that are joined by `and`."""
    match condition:
        case Junction("and", operands):
            return [part for operand in operands for part in _conjuncts(operand)]
        case _:
            return [condition]


def _disjuncts(condition: Node) -> list[Node]:
    """Return conditions without `or`, at least one of which holds if and only if the condition does."""
    match condition:
        case Junction("or", operands):
            return [part for operand in operands for part in _disjuncts(operand)]
        case Junction("and", operands):
            several = product_of(*map(_disjuncts, operands))
            return [Junction("and", chosen) for chosen in several]
        case _:
            return [condition]


@dataclass(frozen=True)
class _FamilyPart:
    """Some of a family's members: those whose parameters are these forms, under these conditions."""

    parameters: Mapping[str, Affine]
    conditions: tuple[Affine, ...]
    #: What remains to be read of the family's condition, unless `is_read`.
    condition: Node
    is_read: bool = False
    powers: Mapping[str, Affine] = field(default_factory=dict)

    def includes(self, other: _FamilyPart) -> bool:
        """Whether all parameters of another part are in this one."""
        return all(sign_of(c, other.conditions) for c in self.conditions)

    def by_powers(self, names: Collection[str]) -> list[_FamilyPart]:
        """Return the parts in which the one parameter is 0, in which it is odd, and in which it is 2·p_2·(2n+1)."""
        if not names:
            return [self]
        name, *others = names
        if POWER in self.parameters:
            raise FamilyError(
                f"{POWER} is what a power of 2 is called: a parameter needs another name"
            )
        if others:
            raise FamilyError(f"the powers of 2 that divide {name} and {others[0]}: of one alone")
        power, new = Affine.of(POWER), f"n_{name}"
        while new in self.parameters:
            new += "_"
        rest = Affine.of(new)
        odd, even = rest * 2 + 1, (rest, power - 1, product(power, rest))
        return [
            replace(self._put({name: value}, more), powers={name: largest})
            for value, largest, more in (
                (ZERO, ZERO, ()),
                (odd, number(1), (rest,)),
                (product(power * 2, odd), power * 2, even),
            )
        ]

    def by_residues(self, needed: ResiduesNeededError) -> list[_FamilyPart]:
        """Return the parts for each residue of a parameter."""
        name, modulus = needed.parameter, needed.modulus
        if self.powers and POWER in name:
            raise FamilyError(f"a remainder modulo {modulus} of powers of 2")
        if modulus > LARGEST_MODULUS:
            raise FamilyError(f"residues modulo {modulus}: at most {LARGEST_MODULUS} is split by")
        new = name
        if name in self.parameters:  # not split before
            new = f"m_{name}"
            used = {*self.parameters, *(n for a in self.parameters.values() for n in a.names)}
            while new in used:
                new += "_"
        return [self._put({name: Affine.of(new) * modulus + r}, (Affine.of(new),)) for r in range(modulus)]  # fmt: skip

    def by_values(
        self, needed: ValuesNeededError, conditions: tuple[Affine, ...]
    ) -> list[_FamilyPart]:
        """Return the parts in which a parameter that is multiplied with another has a single value."""
        listed = {name: all_values(name, conditions, MOST_VALUES) for name in sorted(needed.names)}
        few = {name: values for name, values in listed.items() if values is not None}
        if not few:
            limit = f"unless one of them has at most {MOST_VALUES} values under --for"
            raise FamilyError(f"{needed.why}, {limit}")
        name = min(few, key=lambda name: len(few[name]))
        return [self._put({name: number(value)}, ()) for value in few[name]]

    def by_sign(self, total: Affine) -> list[_FamilyPart]:
        """Return the part in which a sum is not negative, and the other one."""
        return [self._put({}, (total,)), self._put({}, (-total - 1,))]

    def _put(self, values: Mapping[str, Affine], more: tuple[Affine, ...]) -> _FamilyPart:
        parameters = _substituted(self.parameters, values)
        conditions = tuple(c.substitute(values) for c in self.conditions)
        trivial = {c for c in conditions + more if c.is_constant and c.constant >= 0}
        kept = tuple(c for c in dict.fromkeys(conditions + more) if c not in trivial)
        return replace(self, parameters=parameters, conditions=kept)


def _height(reader: LinearFormReader, node: Node) -> AffineHeight:
    """Read a height: a quotient, or the least, the largest or the sum of several, possibly with a linear form added."""
    coordinates = reader.coordinates
    moves = not names_of(node).isdisjoint(coordinates)
    match node:
        case Call("min" | "max" as function, arguments) if moves:
            parts = [_height(reader, argument).only for argument in arguments]
            return AffineHeight(tuple(parts), function)
        case Binary("//", left, right) if moves:
            above, by = _height(reader, left), reader.affine(right)
            if above.function == "sum" or not all(p.divisor == number(1) for p in above.parts):
                raise FamilyError(f"height {render(node)}: a quotient of quotients")
            return replace(above, parts=tuple(replace(part, divisor=by) for part in above.parts))
        case Binary("+", left, right) if is_bent(left, coordinates) and is_bent(right, coordinates):
            several = [_height(reader, left), _height(reader, right)]
            if any(height.function != "sum" and len(height.parts) > 1 for height in several):
                raise FamilyError(f"height {render(node)}: a sum of least or largest values")
            return AffineHeight(tuple(p for height in several for p in height.parts), "sum")
        case Binary("+" | "-" as operator, left, right) if is_bent(left, coordinates):
            height = _height(reader, left)
            added = reader.form(right).times(number(1 if operator == "+" else -1))
        case Binary("+", left, right) if is_bent(right, coordinates):
            height, added = _height(reader, right), reader.form(left)
        case _ if is_bent(node, coordinates):
            raise FamilyError(
                f"height {render(node)}: one quotient of linear forms is what is proved"
            )
        case _:
            return AffineHeight((AffineQuotient(reader.form(node), number(1)),))
    first, *others = height.parts
    if height.function != "sum":
        others = [part.plus(added, reader) for part in others]
    return replace(height, parts=(first.plus(added, reader), *others))
