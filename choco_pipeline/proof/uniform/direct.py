"""A relation on positions whose limited coordinates have few values: proved without words of digits.

Idea: where y is one of 0, …, B, all products d·y are affine, and so is the nim-sum: x ⊕ y ⊕ z is 0 exactly if x is z with
some of the last n digits changed, 2^n > B, and which ones the remainder of z modulo 2^n says. What an option needs is then a
disjunction of linear conditions, since the coordinate that a move lowers follows from the others. So the relation is right if
no position is *inconsistent* with it: in the relation and with an option in it, or neither. Each such sentence is one of
integers without quantifiers, which solvers decide; no invariant is needed.

Cost: a text for each choice of limited coordinates; in each, B·2^n conditions for each move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import Affine, number
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.families.linear import is_possible
from choco_pipeline.proof.uniform.families.linear_forms import LinearForm
from choco_pipeline.proof.uniform.sentences import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    at_least_0,
    is_0,
    negation,
    term,
    text,
)

#: A limited coordinate with more values would make some thousand conditions.
MOST_VALUES = 64

Position = Mapping[str, Affine]
Names = tuple[str, ...]


@dataclass(frozen=True)
class DirectCase:
    """A case of a family, in which limited coordinates are integers, and others are sums of names.

    Raises `FamilyError` if heights or the relation are such that more than linear conditions would be needed.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        """Refuse what is not linear then."""
        case, limited = self.case, self.case.heights.keys()
        if self.family.kind == "grundy":
            raise FamilyError("Grundy numbers are not decided with integers for coordinates")
        if case.shifts.keys() != {*self.coordinates}:
            raise FamilyError("every coordinate is needed in the relation")
        if not all(n in case.shifts and case.shift(n).is_constant for n in limited):
            raise FamilyError("a limited coordinate with a parameter added to it")
        if not case.constant.is_constant:
            raise FamilyError("a number with parameters in the nim-sum")
        if any(height.only.terms.keys() & limited for height in case.heights.values()):
            raise FamilyError("a height that depends on a limited coordinate")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All coordinates."""
        return self.family.description.coordinates

    @property
    def free(self) -> tuple[str, ...]:
        """Those without a largest value."""
        return tuple(n for n in self.coordinates if n not in self.case.heights)

    # Sentences on one position.

    def is_inside(self, at: Position) -> str:
        """Return that a position is one that the relation is of."""
        return all_of(at_least_0(_value(form, at)) for form in self.case.inside)

    def is_position(self, at: Position) -> str:
        """Return that no coordinate is negative or above its largest value."""
        natural = [at_least_0(at[name]) for name in self.coordinates]
        rooms = (self._room(at, y, at[y]) for y in self.case.heights)
        return all_of([*natural, *map(at_least_0, rooms)])

    def is_inconsistent(self, at: Position) -> str:
        """Return that a position is in the relation with an option in it, or is not, without one."""
        inside, reaches = self.is_in_relation(at), self.has_option_in_relation(at)
        return any_of([all_of([inside, reaches]), all_of([negation(inside), negation(reaches)])])

    def is_in_relation(self, at: Position) -> str:
        """Return that the nim-sum is 0."""
        name = next((n for n in self.free if not at[n].is_constant), self.coordinates[0])
        return any_of(
            all_of([guard, is_0(at[name] - value)]) for guard, value in self._solutions(at, name)
        )

    def has_option_in_relation(self, at: Position) -> str:
        """Return that some option has the nim-sum 0."""
        return any_of(is_one for move in self._moves for is_one in self._options(at, *move))

    @property
    def _moves(self) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
        return self.family.description.moves

    def _options(self, at: Position, lowered: str, others: Names, clips: bool) -> Iterator[str]:
        """Yield, for each way in which others fall, that this move makes an option with the nim-sum 0."""
        if lowered in self.case.heights:
            for lower in range(at[lowered].value({})):
                yield self.is_in_relation({**at, lowered: number(lower)})
            return
        for after in self._after(at, others, clips):
            for guard, value in self._solutions(after, lowered):
                yield all_of(
                    [guard, self._is_option({**after, lowered: value}, at, lowered, others)]
                )

    def _after(self, at: Position, others: Names, clips: bool) -> Iterator[Position]:
        """Yield a position with what other coordinates can be after a move."""
        kept = [at[name].value({}) for name in others]
        for values in product(*(range(v + 1) if clips else (v,) for v in kept)):
            yield {**at, **dict(zip(others, map(number, values), strict=True))}

    def _is_option(self, option: Position, at: Position, lowered: str, others: Names) -> str:
        """Return that a coordinate is lowered, and others are the smaller of what they were and their largest value."""
        conditions = [at_least_0(option[lowered]), at_least_0(at[lowered] - option[lowered] - 1)]
        for name in others:
            room = self._room(option, name, option[name])
            conditions.append(at_least_0(room))
            if option[name] != at[name]:
                conditions.append(at_least_0(self.case.heights[name].only.divisor - 1 - room))
        return all_of(conditions)

    def _room(self, at: Position, name: str, value: Affine) -> Affine:
        """Return what is not negative exactly if a coordinate may have a value."""
        height = self.case.heights[name].only
        return _value(LinearForm(height.terms, height.constant), at) - height.divisor * value

    def _solutions(self, at: Position, name: str) -> Iterator[tuple[str, Affine]]:
        """Yield the values of a coordinate that make the nim-sum 0, each with the condition under which it is that."""
        rest, moving = self.case.constant.constant, []
        for other in self.coordinates:
            shifted = at[other] + self.case.shift(other)
            if other == name:
                continue
            if shifted.is_constant:
                rest ^= shifted.constant
            else:
                moving.append(shifted)
        if len(moving) > 1:
            raise FamilyError("three coordinates without a bound in one nim-sum")
        shift = self.case.shift(name)
        if not moving:
            yield TRUE, number(rest) - shift
            return
        sign, change = (1, rest) if rest >= 0 else (-1, ~rest)
        size = 1 << change.bit_length()
        for remainder in range(size):
            value = moving[0] + ((remainder ^ change) - remainder)
            value = value if sign > 0 else -value - 1
            yield leaves_remainder(moving[0], size, remainder), value - shift

    @cached_property
    def largest(self) -> Mapping[str, int]:
        """The largest value of each limited coordinate inside."""
        at = self._anywhere
        known = [*self.case.conditions, *at.values(), *self._bounds(at)]
        largest = {}
        for name in self.case.heights:
            least = 0
            while is_possible([*known, self._room(at, name, number(least + 1))]):
                least += 1
                if least == MOST_VALUES:
                    raise FamilyError(f"{name} is not bounded by {MOST_VALUES} for all parameters")
            largest[name] = least
        return largest

    def failure_text(self, at: Position) -> str:
        """Return the text that must be unsatisfiable for a position to show of every member that the relation is wrong."""
        wrong = [self.is_position(at), self.is_inside(at), self.is_inconsistent(at)]
        names = [*self.case.names, *map(variable, self.free)]
        return text(names, self.case.conditions, negation(all_of(wrong)))

    @property
    def _anywhere(self) -> dict[str, Affine]:
        return {name: Affine.of(variable(name)) for name in self.free}

    def _bounds(self, at: Position) -> list[Affine]:
        """Return the conditions inside that speak of these coordinates alone."""
        return [_value(form, at) for form in self.case.inside if form.terms.keys() <= at.keys()]


def variable(coordinate: str) -> str:
    """Return the name of a coordinate in texts, which no parameter has."""
    return f"position({coordinate})"


def _value(form: LinearForm, at: Position) -> Affine:
    return sum((a * at[name] for name, a in form.terms.items()), form.constant)


def leaves_remainder(total: Affine, size: int, remainder: int) -> str:
    """Return that a sum divided by a power of 2 leaves a remainder."""
    if all(c % size == 0 for _, c in total.terms):
        return TRUE if total.constant % size == remainder else FALSE
    return f"(= (mod {term(total)} {size}) {remainder})"
