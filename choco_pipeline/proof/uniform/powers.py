"""A position at which a relation is wrong for every member of a family that has powers of 2 in it, such as ``k & -k``.

Idea: let the base B be the power. A position is wanted that is not in the relation, and of which no option is. Each of its
shifted coordinates is B·high + low, 0 ≤ low < B. Where the limited coordinate has a number for its high part, and free ones
have numbers for their low parts, the nim-sum is 0 only if a free coordinate is a sum of the others, by the remainders of high
and low parts modulo small powers of 2: that B is a power of 2 enters there, and nowhere else.

Sums are polynomials then. For solvers a product of names is a name, so that texts are linear; what they need of products is
written beside: that a product is not negative if both factors are not. True sentences, so that nothing is lost by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.direct import DirectCase, leaves_remainder
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine, divided_by, number
from choco_pipeline.proof.uniform.families.affine import product as times
from choco_pipeline.proof.uniform.families.family import POWER, Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import (
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
    text,
)

#: The low part of a limited coordinate of an option, any number below the base; no parameter has such a name.
LOW = "low()"
#: The powers of which members are looked at: sums are of degree 2 in the power.
POWERS = (1, 2, 4)
#: Products (a - i)(b - j), which are not negative where the factors are not, are told to solvers for these i and j.
FIRST, SECOND = range(3), range(5)


@dataclass(frozen=True)
class Digits:
    """A number as base·high + low."""

    high: Affine
    low: Affine


Written = Mapping[str, Digits]


@dataclass(frozen=True)
class PowerCase:
    """A case of a family with powers of 2.

    Raises `FamilyError` if the game or the relation is of another kind than what is decided here.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        """Refuse what has not one limited coordinate, without a shift, and at most two free ones."""
        DirectCase(self.family, self.case)  # refuses what is not linear in coordinates
        plain = len(self.case.heights) == 1 and len(self.free) <= 2
        if self.base == ZERO:
            raise FamilyError("a parameter is 0, which every power of 2 divides")
        factors = [a for form in self.case.inside for a in form.terms.values()]
        if not all(a.is_constant and a.constant <= 0 for a in factors):
            raise FamilyError("a condition on positions that options may not satisfy")
        if not plain or self.case.shift(self.limited) != ZERO or self.case.constant != ZERO:
            raise FamilyError(
                "one limited coordinate without a shift, and at most two others, are needed"
            )

    @property
    def limited(self) -> str:
        """The coordinate with a largest value."""
        return next(iter(self.case.heights))

    @property
    def free(self) -> list[str]:
        """The others."""
        return [x for x in self.family.description.coordinates if x != self.limited]

    @property
    def base(self) -> Affine:
        """The power of 2."""
        (power,) = self.case.powers.values()
        return power

    def points(self) -> list[dict[str, int]]:
        """Return values of the case's names: for some powers of 2 the same others, each with one more in a name than the last."""
        others = [name for name in self.case.names if name != POWER]
        has_power = not self.base.is_constant
        for total in range(12):
            for least in product(range(total + 1), repeat=len(others)):
                corners = [dict(zip(others, least, strict=True))]
                for name in others:
                    corners.append({**corners[-1], name: corners[-1][name] + 1})
                every = [{**c, POWER: p} for p in (POWERS if has_power else (1,)) for c in corners]
                if sum(least) == total and all(
                    c.value(v) >= 0 for c in self.case.conditions for v in every
                ):
                    return every
        return []

    def position_through(self, values: list[int]) -> Affine | None:
        """Return the sum with these values at the points, of degree 2 in the power and 1 in other names; None for fractions."""
        others = [name for name in self.case.names if name != POWER]
        points = self.points()
        rows = [values[n : n + len(others) + 1] for n in range(0, len(values), len(others) + 1)]
        sums = []
        for row in rows:  # affine in the other names
            total = number(row[0])
            for name, last, here in zip(others, row, row[1:], strict=False):
                total += (Affine.of(name) - points[0][name]) * (here - last)
            sums.append(total)
        if len(sums) == 1:
            return sums[0]
        at1, at2, at4 = sums
        six_squares = at4 - at2 - (at2 - at1) * 2
        square = _divided(six_squares, 6)
        if square is None:
            return None
        power, linear = Affine.of(POWER), at2 - at1 - square * 3
        return at1 - linear - square + times(power, linear) + times(times(power, power), square)

    def digits(self, position: Mapping[str, Affine]) -> Written | None:
        """Return high and low parts; None if they are not of the kind that is decided."""
        parts = {}
        for name, value in position.items():
            total, high, low = value + self.case.shift(name), ZERO, ZERO
            for term, c in total.terms:
                rest = divided_by(term, POWER)
                if self.base == number(1):
                    high += Affine.of(term) * c
                elif rest is not None and c % 2 == 0:
                    high += rest * (c // 2)
                else:
                    return None
            if self.base == number(1):
                high += total.constant
            elif total.constant < 0:
                high, low = high - 1, self.base + total.constant
            else:
                low = number(total.constant)
            if not (high if name == self.limited else low).is_constant:
                return None
            parts[name] = Digits(high, low)
        return parts if parts[self.limited].high.constant >= 0 else None

    def text(self, position: Mapping[str, Affine], digits: Written) -> str:
        """Return the text that asks for a member of which the position is none, or not outside of the relation, or has an option in it."""
        y, own = position[self.limited], digits[self.limited].low
        low = Affine.of(LOW)
        wrong = [
            *(negation(at_least_0(value)) for value in (own, self.base - own - 1)),
            *(negation(at_least_0(value)) for value in position.values()),
            negation(at_least_0(self._room(position, y))),
            *(
                negation(at_least_0(_at(form.terms, form.constant, position)))
                for form in self.case.inside
            ),
            negation(at_least_0(self.base - (1 << self._bits(digits)))),
            self._in_relation(digits, digits[self.limited]),
            *(
                option
                for move in self.family.description.moves
                for option in self._options(position, digits, *move)
            ),
        ]
        divisor = self.case.heights[self.limited].only.divisor
        hints = [_hint(y - low - i, divisor - j) for i in FIRST for j in SECOND] + [
            _hint(low - y, divisor)
        ]
        if not self.base.is_constant:
            names = {term for value in (divisor, *position.values()) for term, _ in value.terms}
            hints += [_hint(Affine.of(POWER) - 1, Affine.of(name)) for name in sorted(names)]
            hints += [at_least_0(Affine.of(name)) for name in sorted(names)]
        body = all_of([*hints, at_least_0(low), at_least_0(self.base - low - 1), any_of(wrong)])
        conditions = [*self.case.conditions, *map(Affine.of, self.case.names)]
        known = " ".join(map(at_least_0, conditions))
        return text(sorted(names_in(body + known)), conditions, body)

    def _room(self, at: Mapping[str, Affine], value: Affine) -> Affine:
        """Return what is not negative exactly if the limited coordinate may have a value."""
        height = self.case.heights[self.limited].only
        return _at(height.terms, height.constant, at) - times(height.divisor, value)

    def _bits(self, digits: Written) -> int:
        """Return how many of their last digits the low parts that are numbers have."""
        return max(digits[x].low.constant.bit_length() for x in self.free)

    def _solutions(
        self, digits: Written, solved: str, limited: Digits
    ) -> Iterator[tuple[str, Affine]]:
        """Yield the shifted values of a free coordinate that make the nim-sum 0, each with its condition."""
        other = next((digits[x] for x in self.free if x != solved), Digits(ZERO, ZERO))
        change, low = limited.high.constant, other.low.constant
        highs, lows = 1 << change.bit_length(), 1 << low.bit_length()
        for above, below in product(range(highs), range(lows)):
            guards = [
                leaves_remainder(other.high, highs, above),
                leaves_remainder(limited.low, lows, below),
            ]
            high = other.high + ((above ^ change) - above)
            yield all_of(guards), times(self.base, high) + limited.low + ((below ^ low) - below)

    def _in_relation(self, digits: Written, limited: Digits) -> str:
        """Return that the nim-sum is 0 where the limited coordinate is this."""
        x = self.free[0]
        value = times(self.base, digits[x].high) + digits[x].low
        return any_of(
            all_of([guard, is_0(value - solution)])
            for guard, solution in self._solutions(digits, x, limited)
        )

    def _smaller(self, digits: Written) -> Iterator[tuple[Digits, Affine]]:
        """Yield what the limited coordinate may be in an option, as digits and as a sum."""
        for high in range(digits[self.limited].high.constant + 1):
            yield Digits(number(high), Affine.of(LOW)), self.base * high + Affine.of(LOW)

    def _options(
        self,
        at: Mapping[str, Affine],
        digits: Written,
        lowered: str,
        others: tuple[str, ...],
        clips: bool,
    ) -> Iterator[str]:
        """Yield, for each way in which the limited coordinate falls, that an option by this move is in the relation."""
        y = at[self.limited]
        if lowered == self.limited:
            for fallen, value in self._smaller(digits):
                yield all_of([at_least_0(y - value - 1), self._in_relation(digits, fallen)])
            return
        changes = [(digits[self.limited], y), *(self._smaller(digits) if others and clips else [])]
        for fallen, value in changes:
            for guard, solution in self._solutions(digits, lowered, fallen):
                x = solution - self.case.shift(lowered)
                option = {**at, lowered: x}
                is_move = [guard, at_least_0(x), at_least_0(at[lowered] - x - 1)]
                if others:
                    is_move.append(at_least_0(self._room(option, value)))
                if value != y:
                    is_largest = at_least_0(-self._room(option, value + 1) - 1)
                    is_move += [at_least_0(y - value - 1), is_largest]
                yield all_of(is_move)


def _at(terms: Mapping[str, Affine], constant: Affine, at: Mapping[str, Affine]) -> Affine:
    return sum((times(a, at[name]) for name, a in terms.items()), constant)


def _hint(left: Affine, right: Affine) -> str:
    """Return that a product is not negative if its factors are not."""
    return any_of([at_least_0(-left - 1), at_least_0(-right - 1), at_least_0(times(left, right))])


def _divided(total: Affine, divisor: int) -> Affine | None:
    parts = [*(c for _, c in total.terms), total.constant]
    if any(part % divisor for part in parts):
        return None
    return total // divisor
