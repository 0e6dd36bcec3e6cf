"""The condition that a relation is wrong at a place, for all powers of 2, written anew (docs/families.md, "Powers of 2").

A certificate gives the coordinates of the place in two parts, above and below a base that is a power of 2. Products of names are
names here. What is said of them in `_products` is true of all products, so that it rules out no numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from choco_pipeline.proof.family_check.stated_family import ONE, ZERO, StatedHeight
from choco_pipeline.proof.family_check.sums import (
    NEW,
    POWER,
    IntegerSum,
    conjunction,
    disjunction,
    multiplied,
)
from choco_pipeline.proof.family_check.verification_conditions import StatedGame
from choco_pipeline.proof.proof_errors import UndecidedError

#: A part that is a number is at most this.
MOST = 64
#: The lower part of the limited coordinate of an option: any number below the base.
BELOW = "below()"

#: The upper and the lower part of a number.
Parts = tuple[IntegerSum, IntegerSum]
Place = Mapping[str, IntegerSum]


@dataclass(frozen=True)
class PowerPlace:
    """A place of a game with one limited coordinate, for a base that is a power of 2."""

    #: The game and the relation, and where it is claimed.
    game: StatedGame
    inside: Sequence[StatedHeight]
    #: The power of 2.
    base: IntegerSum
    #: A sum for each coordinate, and what the certificate says of it with its shift: upper·base + lower.
    place: Place
    parts: Mapping[str, Parts]

    def __post_init__(self) -> None:
        """Refuse games and parts for which the nim-sum has no such condition."""
        game, coordinates = self.game, set(self.game.coordinates)
        relation = game.relation
        if game.is_grundy or relation.constant or relation.shifts.keys() != coordinates:
            raise UndecidedError(
                "only P-positions, by the nim-sum of all coordinates, are looked at"
            )
        if len(game.heights) != 1 or len(self.free) not in (1, 2) or relation.shifts[self.limited]:
            raise UndecidedError(
                "one limited coordinate without a shift, and two others, are needed"
            )
        if not all(
            a.is_number and a.number <= 0 for form in self.inside for a in form.terms.values()
        ):
            raise UndecidedError("an option may be where nothing is claimed")
        if self.place.keys() != coordinates or self.parts.keys() != coordinates:
            raise UndecidedError("the position has other coordinates than the game")
        numbers = [self.parts[self.limited][0], *(self.parts[x][1] for x in self.free)]
        if not all(n.is_number and 0 <= n.number <= MOST for n in numbers):
            raise UndecidedError("a part of a coordinate that must be a small number is none")

    @property
    def limited(self) -> str:
        """The coordinate with a height."""
        (y,) = self.game.heights
        return y

    @property
    def free(self) -> list[str]:
        """The others."""
        return [x for x in self.game.coordinates if x not in self.game.heights]

    def failure(self) -> str:
        """Return that for some member the place is none, or in the relation, or has an option that is."""
        y = self.place[self.limited]
        below = IntegerSum.name(BELOW)
        here = [value.is_natural for value in self.place.values()]
        here += [self._room(self.place, y).is_natural]
        here += [_value(form, self.place).is_natural for form in self.inside]
        for x, (upper, lower) in self.parts.items():
            whole = multiplied(self.base, upper) + lower
            here += [(self.place[x] + self.game.shift(x) - whole).is_zero]
            here += [lower.is_natural, (self.base - ONE - lower).is_natural]
        here += [(self.base - IntegerSum(self._size)).is_natural]
        is_low = [below.is_natural, (self.base - ONE - below).is_natural]
        related = disjunction([self._is_related(self.parts[self.limited]), *self._related()])
        wrong = disjunction([f"(not {conjunction(here)})", related])
        return conjunction([*self._products(y - below), *is_low, wrong])

    @property
    def _size(self) -> int:
        """A power of 2 above the lower parts that are numbers."""
        return 1 << max(self.parts[x][1].number for x in self.free).bit_length()

    def _products(self, drop: IntegerSum) -> Iterator[str]:
        """Yield that some products are not negative where their factors are not."""
        divisor = self.game.heights[self.limited].divisor
        pairs = [
            (drop - IntegerSum(i), divisor - IntegerSum(j)) for i in range(3) for j in range(5)
        ]
        pairs.append((drop.times(-1), divisor))
        names = sorted({n for s in (divisor, *self.place.values()) for n in s.multiples})
        power = IntegerSum.name(POWER)
        pairs += [(power - ONE, IntegerSum.name(n)) for n in names]
        # Every name of a case is natural, and so is every product of them; a quotient in a divisor may be negative.
        yield from (IntegerSum.name(n).is_natural for n in names if NEW not in n)
        for a, b in pairs:
            both = conjunction([a.is_natural, b.is_natural])
            yield f"(=> {both} {multiplied(a, b).is_natural})"

    def _room(self, place: Place, value: IntegerSum) -> IntegerSum:
        """Return what is not negative exactly if the height is at least a value."""
        height = self.game.heights[self.limited]
        return _value(height, place) - multiplied(height.divisor, value)

    def _balanced(self, x: str, limited: Parts) -> Iterator[tuple[str, IntegerSum]]:
        """Yield for which place of x the nim-sum is 0, the other free coordinate being where it is; exactly one applies."""
        upper, lower = next((self.parts[o] for o in self.free if o != x), (ZERO, ZERO))
        digits = limited[0].number
        above, below = 1 << digits.bit_length(), 1 << lower.number.bit_length()
        for r, t in product(range(above), range(below)):
            when = (
                f"(and (= (mod {upper.text} {above}) {r}) (= (mod {limited[1].text} {below}) {t}))"
            )
            up = upper + IntegerSum((r ^ digits) - r)
            low = limited[1] + IntegerSum((t ^ lower.number) - t)
            yield when, multiplied(self.base, up) + low - self.game.shift(x)

    def _is_related(self, limited: Parts) -> str:
        x = self.free[0]
        balanced = self._balanced(x, limited)
        return disjunction(f"(and {when} {(self.place[x] - at).is_zero})" for when, at in balanced)

    def _related(self) -> Iterator[str]:
        """Yield the conditions of which one holds if an option is in the relation."""
        y = self.limited
        now = self.place[y]
        below = IntegerSum.name(BELOW)
        lower = [
            ((IntegerSum(n), below), self.base.times(n) + below)
            for n in range(self.parts[y][0].number + 1)
        ]
        for moved, clips in self.game.clips.items():
            if moved == y:
                for parts, value in lower:
                    yield f"(and {(now - value - ONE).is_natural} {self._is_related(parts)})"
                continue
            falls = y in self.game.changed(moved)
            for parts, value in [(self.parts[y], now), *(lower if falls and clips else [])]:
                for when, at in self._balanced(moved, parts):
                    option = {**self.place, moved: at}
                    conditions = [when, at.is_natural, (self.place[moved] - at - ONE).is_natural]
                    conditions += [self._room(option, value).is_natural] if falls else []
                    if parts is not self.parts[y]:
                        conditions.append((now - value - ONE).is_natural)
                        conditions.append(f"(not {self._room(option, value + ONE).is_natural})")
                    yield conjunction(conditions)


def _value(form: StatedHeight, place: Place) -> IntegerSum:
    total = form.constant
    for x, a in form.terms.items():
        total += multiplied(a, place[x])
    return total


def power_in(value: IntegerSum) -> IntegerSum:
    """Return the largest power of 2 that divides 2n+1, or 2·p_2·(2n+1), which all numbers but 0 are."""
    power = IntegerSum.name(POWER)
    for n in value.names - {POWER}:
        odd = IntegerSum.name(n).times(2) + ONE
        for base in (ONE, power.times(2)):
            if value == multiplied(base, odd):
                return base
    raise UndecidedError("a parameter with a power of 2 is neither 2n+1 nor 2·p_2·(2n+1)")
