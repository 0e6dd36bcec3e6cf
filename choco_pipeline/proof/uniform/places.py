"""Obligations without words: sentences on integers without quantifiers, in which products have names.

A *place* gives each coordinate a sum. That it is a position, and that another one is an option of it, are linear conditions on
these sums. So is the relation where limited coordinates have few values:

Idea: where y is one of 0, …, B, the nim-sum x ⊕ y ⊕ z is 0 exactly if x is z with some of the last n digits changed, 2^n > B,
and which ones the remainder of z modulo 2^n says. An option in the relation is then a disjunction of linear conditions, because
the coordinate that a move lowers follows from the others. A place is *inconsistent* if it and an option of it are in the
relation, or neither. The P-positions of a game are the only relation without inconsistent positions.

In families with powers of 2, such as ``k & -k``, each shifted coordinate is B·high + low with 0 ≤ low < B for the power B. Where
the limited coordinate has a number for its high part, and free ones have numbers for their low parts, the same holds of high
and low parts each: that B is a power of 2 enters there, and nowhere else.

Cost: for each place, B·2^n conditions for each move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from itertools import product as choices

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.families.affine import (
    ZERO,
    Affine,
    divided_by,
    number,
    product,
)
from choco_pipeline.proof.uniform.families.family import (
    POWER,
    AffineHeight,
    AffineQuotient,
    Family,
    FamilyCase,
)
from choco_pipeline.proof.uniform.families.linear import is_possible
from choco_pipeline.proof.uniform.families.linear_forms import Place
from choco_pipeline.proof.uniform.sentences import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
    term,
    text,
)

#: A limited coordinate with more values would make some thousand conditions.
MOST_VALUES = 64
#: The low part of a limited coordinate of an option, any number below the base; no parameter has such a name.
LOW = "low()"
#: Products (a - i)(b - j), which are at least 0 where the factors are, are stated to solvers for these i and j.
FIRST, SECOND = range(3), range(5)


def variable(coordinate: str) -> str:
    """Return the name of a coordinate in texts, which no parameter has."""
    return f"position({coordinate})"


def leaves_remainder(total: Affine, size: int, remainder: int) -> str:
    """Return the condition that a sum leaves a remainder when it is divided."""
    if all(c % size == 0 for _, c in total.terms):
        return TRUE if total.constant % size == remainder else FALSE
    return f"(= (mod {term(total)} {size}) {remainder})"


@dataclass(frozen=True)
class CaseGame:
    """The game of a case.

    Raises `FamilyError` if a largest value depends on a coordinate that has one.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        """Refuse games whose moves change more than limited coordinates."""
        limited = self.case.heights.keys()
        parts = chain.from_iterable(self._parts_of(height) for height in self.case.heights.values())
        if any(part.dividend.terms.keys() & limited for part in parts):
            raise FamilyError("a height that depends on a limited coordinate")

    def _parts_of(self, height: AffineHeight) -> tuple[AffineQuotient, ...]:
        """Return the quotients of a height; `FamilyError` if there are more than can be used."""
        return (height.only,)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All coordinates."""
        return self.family.description.coordinates

    @property
    def moves(self) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
        """For each move the coordinate that it lowers, others that may fall, and whether they do."""
        return self.family.description.moves

    def multiplied(self, left: Affine, right: Affine) -> Affine:
        """Return a product of sums."""
        return product(left, right)

    def room(self, place: Place, y: str, value: Affine) -> Affine:
        """Return a sum that is at least 0 if and only if a coordinate may have a value."""
        return self.case.heights[y].only.room(place, value, self.multiplied)

    def position_sums(self, place: Place) -> tuple[Affine, ...]:
        """Return the sums that are at least 0 if and only if a place is a position."""
        rooms = (self.room(place, y, place[y]) for y in self.case.heights)
        return (*(place[x] for x in self.coordinates), *rooms)

    def option_sums(
        self, place: Place, option: Place, changed: Sequence[str]
    ) -> tuple[Affine, ...]:
        """Return the sums that are at least 0 if and only if a move leads from a position to an option.

        The move lowers the first of the `changed` coordinates; the others fall to their largest values.
        """
        sums = [option[x] for x in changed]
        sums += [place[x] - option[x] - 1 for x in changed]
        others = next(falling for x, falling, _ in self.moves if x == changed[0])
        for y in others:
            room = self.room(option, y, option[y])
            sums.append(room)
            if y in changed:
                sums.append(self.case.heights[y].only.divisor - 1 - room)
        return tuple(sums)


@dataclass(frozen=True)
class FewValues(CaseGame):
    """A case in which limited coordinates are integers, and others are sums of names.

    Raises `FamilyError` if heights or the relation would need more than linear conditions.
    """

    def __post_init__(self) -> None:
        """Refuse relations that are not linear then."""
        case, limited = self.case, self.case.heights.keys()
        if self.family.kind == "grundy":
            raise FamilyError("Grundy numbers are not decided with integers for coordinates")
        if case.shifts.keys() != {*self.coordinates}:
            raise FamilyError("every coordinate is needed in the relation")
        if not all(case.shift(n).is_constant for n in limited):
            raise FamilyError("a limited coordinate with a parameter added to it")
        if not case.constant.is_constant:
            raise FamilyError("a number with parameters in the nim-sum")
        super().__post_init__()

    def multiplied(self, left: Affine, right: Affine) -> Affine:
        """Return a multiple of a sum; `FamilyError` for a product of names."""
        return left * right

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates without a largest value."""
        return tuple(n for n in self.coordinates if n not in self.case.heights)

    @cached_property
    def largest(self) -> Mapping[str, int]:
        """The largest value of each limited coordinate inside."""
        place = {name: Affine.of(variable(name)) for name in self.free}
        inside = (form for form in self.case.inside if form.terms.keys() <= place.keys())
        known = [*self.case.conditions, *place.values(), *(form.at(place) for form in inside)]
        largest = {}
        for name in self.case.heights:
            least = 0
            while any(is_possible([*known, *sums]) for sums in self._rooms(place, name, least + 1)):
                least += 1
                if least == MOST_VALUES:
                    raise FamilyError(f"{name} is not bounded by {MOST_VALUES} for all parameters")
            largest[name] = least
        return largest

    def _parts_of(self, height: AffineHeight) -> tuple[AffineQuotient, ...]:
        return height.parts if height.function == "sum" else (height.only,)

    def _rooms(self, place: Place, y: str, value: int) -> Iterator[list[Affine]]:
        """Yield sums; all of some are at least 0 if and only if a coordinate may have a natural number as its value."""
        parts = self._parts_of(self.case.heights[y])
        for shares in choices(range(value + 1), repeat=len(parts)):
            if sum(shares) == value:
                yield [q.room(place, number(n)) for q, n in zip(parts, shares, strict=True)]

    def failure_text(self, place: Place) -> str:
        """Return the text that asks for a member in which a place is no inconsistent position inside."""
        wrong = [self.is_inside(place), self.is_inconsistent(place)]
        names = [*self.case.names, *map(variable, self.free)]
        return text(names, self.case.conditions, negation(all_of(wrong)))

    def is_inside(self, place: Place) -> str:
        """Return the condition that a place is a position to which the statement applies."""
        inside = (form.at(place, self.multiplied) for form in self.case.inside)
        return all_of(map(at_least_0, (*self.position_sums(place), *inside)))

    def is_inconsistent(self, place: Place) -> str:
        """Return the condition that a place is in the relation with an option in it, or is not, without one."""
        related, reaches = self.is_related(place), self.has_related_option(place)
        return any_of([all_of([related, reaches]), all_of([negation(related), negation(reaches)])])

    def is_related(self, place: Place) -> str:
        """Return the condition that the nim-sum is 0."""
        name = next((n for n in self.free if not place[n].is_constant), self.coordinates[0])
        solutions = self._solutions(place, name)
        return any_of(all_of([guard, is_0(place[name] - value)]) for guard, value in solutions)

    def has_related_option(self, place: Place) -> str:
        """Return the condition that some option has the nim-sum 0."""
        return any_of(self._related_options(place))

    def _related_options(self, place: Place) -> Iterator[str]:
        for lowered, others, clips in self.moves:
            if lowered in self.case.heights:
                for value in self._smaller(place, lowered):
                    is_smaller = at_least_0(place[lowered] - value - 1)
                    yield all_of([is_smaller, self.is_related({**place, lowered: value})])
                continue
            ways = ((place[y], *(self._smaller(place, y) if clips else ())) for y in others)
            for values in choices(*ways):
                fallen = dict(zip(others, values, strict=True))
                changed = [lowered, *(y for y in others if fallen[y] != place[y])]
                for guard, value in self._solutions({**place, **fallen}, lowered):
                    option = {**place, **fallen, lowered: value}
                    sums = self.option_sums(place, option, changed)
                    yield all_of([guard, *map(at_least_0, sums)])

    def _smaller(self, place: Place, y: str) -> Iterator[Affine]:
        """Yield the values of a limited coordinate below that at a place."""
        yield from map(number, range(place[y].value({})))

    def _solutions(self, place: Place, name: str) -> Iterator[tuple[str, Affine]]:
        """Yield the values of a coordinate for which the nim-sum is 0, each with its condition."""
        rest, moving = self.case.constant.constant, []
        for other in self.coordinates:
            shifted = place[other] + self.case.shift(other)
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


@dataclass(frozen=True)
class Digits:
    """A number as base·high + low."""

    high: Affine
    low: Affine


@dataclass(frozen=True)
class PowerValues(FewValues):
    """A case of a family with powers of 2, with one limited coordinate, without a shift, and at most two free ones.

    Sums are polynomials then. Texts say that products of factors that are at least 0 are, too: these sentences are true,
    so that no counterexample is lost.
    """

    def __post_init__(self) -> None:
        """Refuse other games and relations."""
        super().__post_init__()
        if self.base == ZERO:
            raise FamilyError("a parameter is 0, which every power of 2 divides")
        factors = [a for form in self.case.inside for a in form.terms.values()]
        if not all(a.is_constant and a.constant <= 0 for a in factors):
            raise FamilyError("a condition on positions that options may not satisfy")
        plain = len(self.case.heights) == 1 and len(self.free) <= 2
        if not plain or self.case.shift(self.limited) != ZERO or self.case.constant != ZERO:
            raise FamilyError(
                "one limited coordinate without a shift, and at most two others, are needed"
            )

    def multiplied(self, left: Affine, right: Affine) -> Affine:
        """Return a product of sums."""
        return product(left, right)

    @property
    def limited(self) -> str:
        """The coordinate with a largest value."""
        return next(iter(self.case.heights))

    @property
    def base(self) -> Affine:
        """The power of 2."""
        (power,) = self.case.powers.values()
        return power

    def digits(self, place: Place) -> Mapping[str, Digits] | None:
        """Return high and low parts of the shifted coordinates; None if a part that must be a number is none."""
        parts = {}
        for name, value in place.items():
            digits = self._parts(value + self.case.shift(name))
            if (
                digits is None
                or not (digits.high if name == self.limited else digits.low).is_constant
            ):
                return None
            parts[name] = digits
        return parts if parts[self.limited].high.constant >= 0 else None

    def _parts(self, total: Affine) -> Digits | None:
        high, low, is_one = ZERO, ZERO, self.base == number(1)
        for name, c in total.terms:
            rest = divided_by(name, POWER)
            if name == LOW:
                low += Affine.of(LOW) * c
            elif is_one:
                high += Affine.of(name) * c
            elif rest is not None and c % 2 == 0:
                high += rest * (c // 2)
            else:
                return None
        if is_one:
            return Digits(high + total.constant, low)
        if total.constant < 0:
            return Digits(high - 1, low + self.base + total.constant)
        return Digits(high, low + total.constant)

    def failure_text(self, place: Place) -> str:
        """Return the text that asks for a member in which a place is no position outside the relation without options in it.

        The place has `digits`.
        """
        own, low = self._digits_of(place, self.limited).low, Affine.of(LOW)
        # The low parts that are numbers are digits below the base.
        bits = max(self._digits_of(place, x).low.constant.bit_length() for x in self.free)
        digits = (own, self.base - own - 1, self.base - (1 << bits))
        wrong = [
            *(negation(at_least_0(value)) for value in digits),
            negation(self.is_inside(place)),
            self.is_related(place),
            *self._related_options(place),
        ]
        divisor = self.case.heights[self.limited].only.divisor
        fallen = place[self.limited] - low
        hints = [_hint(fallen - i, divisor - j) for i in FIRST for j in SECOND]
        hints.append(_hint(-fallen, divisor))
        if not self.base.is_constant:
            names = sorted({name for s in (divisor, *place.values()) for name, _ in s.terms})
            hints += [_hint(Affine.of(POWER) - 1, Affine.of(name)) for name in names]
            hints += [at_least_0(Affine.of(name)) for name in names]
        body = all_of([*hints, at_least_0(low), at_least_0(self.base - low - 1), any_of(wrong)])
        conditions = [*self.case.conditions, *map(Affine.of, self.case.names)]
        known = " ".join(map(at_least_0, conditions))
        return text(sorted(names_in(body + known)), conditions, body)

    def is_related(self, place: Place) -> str:
        """Return the condition that the nim-sum is 0."""
        x = self.free[0]
        solutions = self._solutions(place, x)
        return any_of(all_of([guard, is_0(place[x] - value)]) for guard, value in solutions)

    def _digits_of(self, place: Place, x: str) -> Digits:
        digits = self._parts(place[x] + self.case.shift(x))
        assert digits is not None
        return digits

    def _smaller(self, place: Place, y: str) -> Iterator[Affine]:
        """Yield the values of the limited coordinate whose high part is not larger."""
        for high in range(self._digits_of(place, y).high.constant + 1):
            yield self.base * high + Affine.of(LOW)

    def _solutions(self, place: Place, name: str) -> Iterator[tuple[str, Affine]]:
        """Yield the values of a free coordinate for which the nim-sum is 0, each with its condition."""
        other, limited = Digits(ZERO, ZERO), self._digits_of(place, self.limited)
        for x in self.free:
            if x != name:
                other = self._digits_of(place, x)
        change, low = limited.high.constant, other.low.constant
        highs, lows = 1 << change.bit_length(), 1 << low.bit_length()
        for above, below in choices(range(highs), range(lows)):
            guards = [
                leaves_remainder(other.high, highs, above),
                leaves_remainder(limited.low, lows, below),
            ]
            high = other.high + ((above ^ change) - above)
            value = product(self.base, high) + limited.low + ((below ^ low) - below)
            yield all_of(guards), value - self.case.shift(name)


def _hint(left: Affine, right: Affine) -> str:
    """Return the sentence that a product is at least 0 if its factors are."""
    parts = (-left - 1, -right - 1, product(left, right))
    return any_of(map(at_least_0, parts))
