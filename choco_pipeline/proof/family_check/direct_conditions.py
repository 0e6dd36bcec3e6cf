"""The conditions of a case whose limited coordinates are numbers, written anew (docs/families.md, "Few values").

A place gives each coordinate a sum. Whether it is in the relation, and whether it has an option that is, are conditions on
integers; a place is consistent if exactly one of them holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from choco_pipeline.proof.family_check.stated_family import ONE, ZERO, StatedHeight
from choco_pipeline.proof.family_check.sums import IntegerSum, conjunction, disjunction
from choco_pipeline.proof.family_check.verification_conditions import StatedGame
from choco_pipeline.proof.proof_errors import UndecidedError

#: A limited coordinate with more values has too many conditions.
MOST_VALUES = 64
#: The lowered coordinate of an option. A case that had a number of this name could choose which options are looked at.
LOWERED = "lowered()"

Place = Mapping[str, IntegerSum]


@dataclass(frozen=True)
class Direct:
    """The game and the relation on a case, and where it is claimed: sums of coordinates that are not negative."""

    game: StatedGame
    inside: Sequence[StatedHeight]

    def __post_init__(self) -> None:
        """Refuse relations whose nim-sum is not one of two sums and a number."""
        relation, heights = self.game.relation, self.game.heights
        if self.game.is_grundy or relation.shifts.keys() != set(self.game.coordinates):
            raise UndecidedError("only P-positions, by all coordinates, have such conditions")
        if not all(relation.shifts[y].is_number for y in heights):
            raise UndecidedError("a parameter is added to a limited coordinate")
        if any(height.terms.get(y) for height in heights.values() for y in heights):
            # Lowering y would let others fall, and only free coordinates are looked at for that.
            raise UndecidedError("a height depends on a limited coordinate")
        if not relation.constant.is_number or len(self._free) > 2:
            raise UndecidedError("a nim-sum of more than two sums of names")

    @property
    def _free(self) -> list[str]:
        return [x for x in self.game.coordinates if x not in self.game.heights]

    def consistent(self, largest: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Yield that a place inside is not consistent, for each choice of limited coordinates."""
        for name, place in self._places(largest):
            inside, reaches = self._is_related(place), disjunction(self._related(place))
            # Written out, which takes z3 half of the time of (not (xor …)).
            both = f"(or (and {inside} {reaches}) (and (not {inside}) (not {reaches})))"
            yield f"consistent-{name}", f"(and {self._is_here(place)} {both})"

    def failure(self, place: Place) -> str:
        """Return that for some parameters a place is no position, or is one that is consistent."""
        if place.keys() != set(self.game.coordinates):
            raise UndecidedError("the position has other coordinates than the game")
        if not all(
            place[y].is_number and 0 <= place[y].number <= MOST_VALUES for y in self.game.heights
        ):
            raise UndecidedError("a limited coordinate of the position is no small number")
        consistent = f"(xor {self._is_related(place)} {disjunction(self._related(place))})"
        return f"(or (not {self._is_here(place)}) {consistent})"

    def closure(self, largest: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Yield that a limited coordinate is larger inside, and that an option of a position inside is not."""
        if largest.keys() != self.game.heights.keys():
            raise UndecidedError("not the limited coordinates have a largest value")
        if any(not 0 <= most <= MOST_VALUES for most in largest.values()):
            raise UndecidedError("a largest value is no small number")
        free = {x: IntegerSum.name(f"at({x})") for x in self._free}
        bounds = [p for p in self.inside if {x for x, a in p.terms.items() if a} <= free.keys()]
        for y, most in largest.items():
            more = self._above(y, IntegerSum(most + 1), free)
            known = [
                *(v.is_natural for v in free.values()),
                *(_value(p, free).is_natural for p in bounds),
            ]
            yield f"largest-{y}", conjunction([*known, more.is_natural])
        for name, place in self._places(largest):
            left = []
            for x in self.game.clips:
                for fallen in self._fallen(place, x):
                    option = {**fallen, x: IntegerSum.name(LOWERED)}
                    outside = (
                        f"(not {conjunction(_value(p, option).is_natural for p in self.inside)})"
                    )
                    left.append(conjunction([self._is_move(place, option, x), outside]))
            yield f"inside-{name}", f"(and {self._is_here(place)} {disjunction(left)})"

    def places(self, largest: Mapping[str, int]) -> Iterator[str]:
        """Yield that a place is inside, for each choice of limited coordinates."""
        for _, place in self._places(largest):
            yield self._is_here(place)

    def _places(self, largest: Mapping[str, int]) -> Iterator[tuple[str, Place]]:
        free = {x: IntegerSum.name(f"at({x})") for x in self._free}
        for values in product(*(range(most + 1) for most in largest.values())):
            limited = dict(zip(largest, map(IntegerSum, values), strict=True))
            yield "-".join(map(str, values)), {**free, **limited}

    def _is_here(self, place: Place) -> str:
        conditions = [value.is_natural for value in place.values()]
        conditions += [self._above(y, place[y], place).is_natural for y in self.game.heights]
        return conjunction([*conditions, *(_value(p, place).is_natural for p in self.inside)])

    def _above(self, y: str, value: IntegerSum, place: Place) -> IntegerSum:
        """Return what is not negative exactly if the height of y is at least a value."""
        height = self.game.heights[y]
        return _value(height, place) - height.divisor * value

    def _fallen(self, place: Place, x: str) -> Iterator[Place]:
        """Yield the place with others where a move of x may leave them."""
        others = self.game.changed(x)[1:]
        clips = self.game.clips[x]
        ranges = [range(0 if clips else place[y].number, place[y].number + 1) for y in others]
        for values in product(*ranges):
            yield {**place, **dict(zip(others, map(IntegerSum, values), strict=True))}

    def _is_move(self, place: Place, option: Place, x: str) -> str:
        """Return that x is lowered, and each other coordinate is the largest that it may be, or was."""
        conditions = [option[x].is_natural, (place[x] - option[x] - ONE).is_natural]
        for y in self.game.changed(x)[1:]:
            conditions.append(self._above(y, option[y], option).is_natural)
            if option[y].number < place[y].number:
                conditions.append(f"(not {self._above(y, option[y] + ONE, option).is_natural})")
        return conjunction(conditions)

    def _related(self, place: Place) -> Iterator[str]:
        """Yield the conditions of which one holds exactly if an option is in the relation."""
        for x in self.game.clips:
            if x in self.game.heights:
                for lower in range(place[x].number):
                    option = {**place, x: IntegerSum(lower)}
                    yield conjunction([self._is_move(place, option, x), self._is_related(option)])
                continue
            for fallen in self._fallen(place, x):
                for when, value in self._solutions(fallen, x):
                    yield f"(and {when} {self._is_move(place, {**fallen, x: value}, x)})"

    def _is_related(self, place: Place) -> str:
        x = (self._free or self.game.coordinates)[0]
        solved = self._solutions(place, x)
        return disjunction(f"(and {when} {(place[x] - value).is_zero})" for when, value in solved)

    def _solutions(self, place: Place, x: str) -> Iterator[tuple[str, IntegerSum]]:
        """Yield for which value of x the nim-sum is 0, as conditions with sums: at any place exactly one applies."""
        number, other = self.game.relation.constant.number, None
        for name in self.game.coordinates:
            if name == x:
                continue
            value = place[name] + self.game.shift(name)
            if value.is_number:
                number ^= value.number
            else:
                assert other is None
                other = value
        if other is None:
            yield "true", IntegerSum(number) - self.game.shift(x)
            return
        size = 2
        while not -size <= number < size:
            size *= 2
        for rest in range(size):
            # The digits above are those of the other one, all of them changed if the number is negative.
            high = other - IntegerSum(rest) if number >= 0 else IntegerSum(rest - size) - other
            value = high + IntegerSum((rest ^ number) % size) - self.game.shift(x)
            yield f"(= (mod {other.text} {size}) {rest})", value


def _value(form: StatedHeight, place: Place) -> IntegerSum:
    total = form.constant
    for x, a in form.terms.items():
        total += a * place[x] if a else ZERO
    return total
