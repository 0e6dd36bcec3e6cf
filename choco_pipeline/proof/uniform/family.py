"""A statement about a family of games, and its cases, which are affine.

Parameters are natural numbers. A case substitutes ``modulus*m + residue``, with a natural number m, for each parameter. Its
conditions are that certain sums are natural. Parameters without a valid game (a divisor 0, a negative height) have no member of the
family; they are also excluded by conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product as product_of
from typing import Literal

from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Junction,
    Name,
    Negate,
    Node,
    names_of,
    operators_of,
    render,
    walk,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.trial import RelationKind, Statement
from choco_pipeline.proof.uniform.affine import (
    EXPONENTIAL,
    ZERO,
    Affine,
    number,
)
from choco_pipeline.proof.uniform.forms import (
    FLOORS,
    MOST_CASES,
    AffineQuotient,
    Conjunction,
    FloorReader,
    LinearFormReader,
    RemainderChoice,
    ResiduesNeededError,
    SignNeededError,
    ValuesNeededError,
    as_equations,
    is_bent,
    read_amounts,
    read_choices,
    read_relation,
)
from choco_pipeline.proof.uniform.parametric_rules import ParametricRules, describe
from choco_pipeline.proof.uniform.passes import without_passes
from choco_pipeline.proof.uniform.sentences import all_values, independent, is_possible, sign_of
from choco_pipeline.proof.uniform.solved_parameter import exponents, without_solved

#: The name of an arbitrary power of 2. No parameter may have this name.
POWER = "p_2"
#: Largest modulus of a split by residues (a mask such as ``k & 1000`` needs the next power of 2), and limit of examined parts.
LARGEST_MODULUS, MOST_PARTS = 1024, 4000
#: Limit of values of one of two parameters that are multiplied.
MOST_VALUES = 16

Joined = Literal["min", "max", "sum"]


@dataclass(frozen=True)
class AffineHeight:
    """A height function: one quotient, or the minimum, maximum or sum of several."""

    parts: tuple[AffineQuotient, ...]
    function: Joined = "min"

    @property
    def only(self) -> AffineQuotient:
        """The only part; raise `FamilyError` if there are several."""
        if len(self.parts) > 1:
            raise FamilyError(
                "a height that is a sum of quotients: supported only for P-positions with a bound"
                if self.function == "sum"
                else f"a height that is a {self.function} of several: supported only in proofs by digits"
            )
        return self.parts[0]


@dataclass(frozen=True)
class FamilyCase:
    """A part of the family in which everything is affine in the parameters."""

    #: Substitution for the parameters of the family.
    parameters: Mapping[str, Affine]
    #: Natural sums: they define the case and make the ruleset valid.
    conditions: tuple[Affine, ...]
    #: The heights of limited coordinates.
    heights: Mapping[str, AffineHeight]
    #: For each coordinate in the nim-sum, the number added to it.
    shifts: Mapping[str, Affine]
    #: A further number in the nim-sum.
    constant: Affine
    #: The Grundy number is the nim-sum minus this number.
    offset: Affine
    #: The condition on positions: sums that are natural.
    inside: tuple[Affine, ...] = ()
    #: The largest power of 2 that divides a parameter, if a formula uses it.
    power: Affine | None = None
    #: The formula, if it is one by cases instead of a nim-sum.
    choices: tuple[RemainderChoice, ...] = ()
    #: The further coordinates in `choices`.
    floors: Mapping[str, AffineQuotient] = field(default_factory=dict)
    #: For coordinates with restricted amounts: alternatives for `AMOUNT`.
    amounts: Mapping[str, tuple[Conjunction, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters of the case."""
        return tuple(sorted({name for value in self.parameters.values() for name in value.names}))

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether parameters satisfy the conditions, and `POWER` is a power of 2."""
        is_natural = all(condition.value(values) >= 0 for condition in self.conditions)
        return is_natural and values.get(POWER, 1).bit_count() == 1

    def shift(self, coordinate: str) -> Affine:
        """Return the number added to a coordinate in the nim-sum."""
        return self.shifts.get(coordinate, ZERO)

    def substitute(self, values: Mapping[str, Affine], conditions: Iterable[Affine]) -> FamilyCase:
        """Substitute sums for some names, and replace the conditions."""
        heights = {
            y: replace(height, parts=tuple(part.substitute(values) for part in height.parts))
            for y, height in self.heights.items()
        }
        return replace(
            self,
            parameters=_substituted(self.parameters, values),
            conditions=tuple(conditions),
            heights=heights,
            shifts=_substituted(self.shifts, values),
            constant=self.constant.substitute(values),
            offset=self.offset.substitute(values),
            inside=tuple(total.substitute(values) for total in self.inside),
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
        """Read a family; raise `FamilyError` if it is not supported.

        A parameter s with ``s == u*2**t`` in the condition is eliminated.
        """
        ruleset, condition, relation, where = without_solved(ruleset, condition, relation, where)
        texts = (parse(condition).text, parse(relation).text, kind, where and parse(where).text)
        family = cls(ruleset, *texts, describe(ruleset))
        rules = family.description
        mistake = family.mistake((*rules.coordinates, *rules.passes))
        if mistake is not None:
            raise FamilyError(mistake)
        limited = {*rules.heights, *(y for node in rules.heights.values() for y in names_of(node))}
        if rules.passes and kind == "p-positions" and limited.issuperset(rules.coordinates):
            raise FamilyError(f"{ruleset}: P-positions with passes need a heap beside the game")
        if rules.is_limited and (where or not family.is_by_cases):
            raise FamilyError(
                f"{ruleset}: a move takes only some amounts; this is supported only with formulas by cases"
                " for all positions, without nim-sums"
            )
        if rules.is_limited and rules.passes:
            raise FamilyError(f"{ruleset}: passes in a game where a move takes only some amounts")
        return family

    @cached_property
    def without_passes(self) -> str:
        """The relation of the game without passes."""
        node = parse_nodes(self.relation)
        for name in self.description.passes:
            node = without_passes(node, name)
        return render(node)

    @cached_property
    def exponent(self) -> str | None:
        """The parameter t, if a height or the relation contains 2**t."""
        names = exponents([parse_nodes(self.relation), *self.description.heights.values()])
        if len(names) > 1:
            raise FamilyError(
                f"powers with the exponents {names[0]} and {names[1]}: only one is supported"
            )
        if names and (self.where or self.is_by_cases or self.description.passes):
            raise FamilyError(
                f"2**{names[0]} with passes, a condition on positions, or in a formula by cases"
            )
        return names[0] if names else None

    @property
    def is_by_cases(self) -> bool:
        """Whether the relation is a formula by cases instead of a nim-sum.

        Such a formula is more than a coordinate plus a number, and as a condition more than an equation of sums.
        """
        coordinates = frozenset(self.coordinates)
        formula = as_equations(parse_nodes(self.without_passes))
        if not operators_of(formula).isdisjoint("^&|"):
            return False
        if self.description.is_limited or is_bent(formula, coordinates):
            return True
        if self.kind == "p-positions":
            return not (isinstance(formula, Compare) and formula.operators == ("==",))
        return sum(isinstance(n, Name) and n.name in coordinates for n in walk(formula)) > 1

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates of the game, without the passes left."""
        return self.description.coordinates

    def cases(self) -> Iterator[FamilyCase]:
        """Yield the cases; together they contain all members.

        If the condition as a whole has too many cases, its disjuncts are read one by one, and residues that contradict a disjunct are
        skipped immediately.
        """
        condition = parse_nodes(self.condition)
        try:
            yield from [*self._cases([condition])]
        except _TooManyCasesError:
            yield from self._cases(_disjuncts(condition), skips_excluded=True)

    def _cases(
        self, conditions: Iterable[Node], *, skips_excluded: bool = False
    ) -> Iterator[FamilyCase]:
        own = {name: Affine.of(name) for name in self.parameters}
        starts = (_FamilyPart(own, tuple(own.values()), condition) for condition in conditions)
        todo = [part for start in starts for part in start.by_powers(self._powers())]
        examined = count = 0
        while todo:
            part = todo.pop(0)
            if not is_possible(part.conditions):
                continue
            examined += 1
            if examined > MOST_PARTS or count > MOST_CASES:
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
                parts = part.by_residues(needed)
                todo = [*(p for p in parts if not (skips_excluded and self._is_excluded(p))), *todo]
            except SignNeededError as needed:
                if EXPONENTIAL in needed.sum.names:
                    raise FamilyError(f"{needed.sum}: a number with 2**t, of either sign") from None
                signs = (needed.sum, -needed.sum - 1)
                todo = [*(part.substitute({}, (total,)) for total in signs), *todo]
            except ValuesNeededError as needed:
                known = [ways[0] for ways in self._conjuncts(self._reader(part), part) if len(ways) == 1]  # fmt: skip
                todo = [*part.by_values(needed, sum(known, part.conditions)), *todo]

    @staticmethod
    def _conjuncts(reader: LinearFormReader, part: _FamilyPart) -> Iterator[list[Conjunction]]:
        """Yield the alternatives of each conjunct that needs no further split."""
        todo = [] if part.is_read else [part.condition]
        while todo:
            node = todo.pop(0)
            if isinstance(node, Junction) and node.operator == "and":
                todo = [*node.operands, *todo]
                continue
            with suppress(FamilyError, ResiduesNeededError, SignNeededError, ValuesNeededError):
                yield reader.alternatives(node)

    def _is_excluded(self, part: _FamilyPart) -> bool:
        """Whether the condition is false for a part by constants only."""
        reader = replace(
            self._reader(part), sign=lambda s: s.constant >= 0 if s.is_constant else None
        )
        return any(
            all(any(c.is_constant and c.constant < 0 for c in one) for one in ways)
            for ways in self._conjuncts(reader, part)
        )

    def _powers(self) -> list[str]:
        """Return the parameters k with ``k & -k`` in a formula."""
        texts = [self.condition, self.relation, *([self.where] if self.where else [])]
        nodes = [*map(parse_nodes, texts), *self.description.heights.values()]
        parts = {part for root in nodes for part in walk(root)}
        power = {name: Binary("&", Name(name), Negate(Name(name))) for name in self.parameters}
        return [name for name in self.parameters if power[name] in parts]

    def _reader(self, part: _FamilyPart) -> LinearFormReader:
        return LinearFormReader(
            part.parameters,
            frozenset(self.coordinates),
            lambda total: sign_of(total, part.conditions),
            part.powers,
        )

    def _alternatives(self, part: _FamilyPart) -> list[_FamilyPart]:
        every = self._reader(part).alternatives(part.condition)
        parts = [replace(part, conditions=part.conditions + more, is_read=True) for more in every]
        for earlier in parts[:-1]:  # remove a part that another contains
            others = [other for other in parts if other is not earlier]
            if any(all(sign_of(c, earlier.conditions) for c in o.conditions) for o in others):
                parts = others
        return parts

    def _case(self, part: _FamilyPart) -> FamilyCase:
        reader = self._reader(part)
        if self.exponent is not None:
            reader = replace(reader, exponent=part.parameters[self.exponent])
        heights = {n: _height(reader, node) for n, node in self.description.heights.items()}
        parts = [part for height in heights.values() for part in height.parts]
        if any(EXPONENTIAL in a.names for p in parts for a in (p.divisor, *p.split[0].values())):
            raise FamilyError(f"{self.ruleset}: 2**t in a divisor, or multiplied by a coordinate")
        if not all(reader.known_sign(total) for part in parts for total in part.naturals):
            raise _NoMemberError
        amounts = self._amounts(reader)
        formula, is_value = parse_nodes(self.without_passes), self.kind == "grundy"
        choices: tuple[RemainderChoice, ...] = ()
        floors = FloorReader(replace(reader, coordinates=reader.coordinates | {*FLOORS}))
        terms, constant, offset = dict[str, Affine](), ZERO, ZERO
        if not self.is_by_cases:
            terms, constant, offset = read_relation(reader, formula, is_value=is_value)
        elif is_value:
            choices = read_choices(floors, formula)
        else:
            formula = floors.read(as_equations(formula), is_sum=True)
            choices = (RemainderChoice((), tuple(floors.reader.alternatives(formula))),)
        for shift in [*terms.values(), constant]:
            if EXPONENTIAL not in shift.names:
                reader.known_sign(shift)
        has_bound = self.where and not self.description.passes
        inside = tuple(reader.inequalities(parse_nodes(self.where))) if has_bound else ()
        conditions = independent(part.conditions)
        power = next(iter(part.powers.values()), None)
        read = (heights, terms, constant, offset, inside, power, choices)
        return FamilyCase(part.parameters, conditions, *read, floors.floors, amounts)

    def _amounts(self, reader: LinearFormReader) -> dict[str, tuple[Conjunction, ...]]:
        listed, most = self.description.listed, self.description.most
        fixed = [node for nodes in listed.values() for node in nodes]
        fixed += [node for node in most.values() if names_of(node).isdisjoint(reader.coordinates)]
        if not all(reader.known_sign(reader.affine(node) - 1) for node in fixed):
            raise _NoMemberError
        return {x: read_amounts(reader, listed.get(x), most.get(x)) for x in {**listed, **most}}


class _NoMemberError(Exception):
    """A part of the family has no valid game."""


class _TooManyCasesError(FamilyError):
    """A family has too many cases."""


def _disjuncts(condition: Node) -> list[Node]:
    """Return the disjuncts of a condition in disjunctive normal form."""
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
    """Members with these parameters under these conditions."""

    parameters: Mapping[str, Affine]
    conditions: tuple[Affine, ...]
    #: The family's condition; if `is_read`, it is included in `conditions`.
    condition: Node
    is_read: bool = False
    powers: Mapping[str, Affine] = field(default_factory=dict)

    def by_powers(self, names: Collection[str]) -> list[_FamilyPart]:
        """Split by the power of 2 in a parameter: 0, odd, and 2·p_2·(2n+1)."""
        if not names:
            return [self]
        name, *others = names
        if POWER in self.parameters:
            raise FamilyError(
                f"{POWER} is the name of a power of 2, so a parameter needs another name"
            )
        if others:
            raise FamilyError(
                f"the powers of 2 that divide {name} and {others[0]}: only one is supported"
            )
        power, new = Affine.of(POWER), f"n_{name}"
        while new in self.parameters:
            new += "_"
        rest = Affine.of(new)
        odd, even = rest * 2 + 1, (rest, power - 1, power * rest)
        return [
            replace(self.substitute({name: value}, more), powers={name: largest})
            for value, largest, more in (
                (ZERO, ZERO, ()),
                (odd, number(1), (rest,)),
                (power * 2 * odd, power * 2, even),
            )
        ]

    def by_residues(self, needed: ResiduesNeededError) -> list[_FamilyPart]:
        """Split by the residues of a parameter."""
        name, modulus = needed.parameter, needed.modulus
        if self.powers and POWER in name:
            raise FamilyError(f"a remainder modulo {modulus} of powers of 2")
        if modulus > LARGEST_MODULUS:
            raise FamilyError(f"residues modulo {modulus}: at most {LARGEST_MODULUS} is supported")
        new = name
        if name in self.parameters:  # not split before
            new = f"m_{name}"
            used = {*self.parameters, *(n for a in self.parameters.values() for n in a.names)}
            while new in used:
                new += "_"
        return [self.substitute({name: Affine.of(new) * modulus + r}, (Affine.of(new),)) for r in range(modulus)]  # fmt: skip

    def by_values(
        self, needed: ValuesNeededError, conditions: tuple[Affine, ...]
    ) -> list[_FamilyPart]:
        """Split by the values of a parameter that is multiplied."""
        listed = {name: all_values(name, conditions, MOST_VALUES) for name in sorted(needed.names)}
        few = {name: values for name, values in listed.items() if values is not None}
        if not few:
            limit = f"unless one of them has at most {MOST_VALUES} values under --for"
            raise FamilyError(f"{needed.why}, {limit}")
        name = min(few, key=lambda name: len(few[name]))
        return [self.substitute({name: number(value)}, ()) for value in few[name]]

    def substitute(self, values: Mapping[str, Affine], more: tuple[Affine, ...]) -> _FamilyPart:
        """Substitute sums for names of parameters, and add conditions."""
        parameters = _substituted(self.parameters, values)
        conditions = tuple(c.substitute(values) for c in self.conditions)
        trivial = {c for c in conditions + more if c.is_constant and c.constant >= 0}
        kept = tuple(c for c in dict.fromkeys(conditions + more) if c not in trivial)
        return replace(self, parameters=parameters, conditions=kept)


def _height(reader: LinearFormReader, node: Node) -> AffineHeight:
    """Read a height function: quotients joined by a function, plus a linear form."""
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
                raise FamilyError(f"height {render(node)}: a sum of minima or maxima")
            return AffineHeight(tuple(p for height in several for p in height.parts), "sum")
        case Binary("+" | "-" as operator, left, right) if is_bent(left, coordinates):
            height = _height(reader, left)
            added = reader.form(right) * (1 if operator == "+" else -1)
        case Binary("+", left, right) if is_bent(right, coordinates):
            height, added = _height(reader, right), reader.form(left)
        case _ if is_bent(node, coordinates):
            raise FamilyError(
                f"height {render(node)}: only a quotient of linear forms is supported"
            )
        case _:
            return AffineHeight((AffineQuotient(reader.form(node), number(1)),))
    # A sum of quotients grows with one of them, a minimum or maximum with all.
    size = 1 if height.function == "sum" else len(height.parts)
    grown = (
        replace(part, dividend=part.dividend + reader.multiplied(added, part.divisor))
        for part in height.parts[:size]
    )
    return replace(height, parts=(*grown, *height.parts[size:]))
