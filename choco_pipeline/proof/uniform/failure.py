"""Guesses of a position, affine in parameters, where every member is wrong.

A place is *inconsistent* if it and an option of it are in the relation, or neither. The P-positions of a game are the only
relation without inconsistent positions. So a position that is inconsistent with a relation, for all parameters of a case, refutes
it for all of them: nothing has to be known of the P-positions. Such positions of some first members are listed; of the sums of
parameters through one of each list, those through the least positions first, one is taken that is inconsistent in further
members. Where the first few members follow no rule they are cases with a position of their own.

In families with powers of 2, such as ``k & -k``, each shifted coordinate is B·high + low with 0 ≤ low < B for the power B: the
checker needs these parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import islice, product
from math import gcd
from operator import add, xor
from typing import Any

import numpy as np
import numpy.typing as npt

from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.trial import small_values
from choco_pipeline.proof.uniform.affine import (
    ZERO,
    Affine,
    divided_by,
    factors_of,
    number,
    variable,
)
from choco_pipeline.proof.uniform.affine import product as times
from choco_pipeline.proof.uniform.family import POWER, Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import is_possible

#: A limited coordinate with more values would make some thousand conditions.
MOST_VALUES = 64
#: Cells of a table in which positions are looked for: some tenths of a second.
MOST_CELLS = 6_000_000
#: The number of least positions of a member that are tried, and of sums through them.
LEAST, MOST_TRIED = 40, 400
#: Tuples of parameters that are tried for members, members of a trial, and members with a position of their own.
MOST_POINTS, MEMBERS, MOST_ALONE = 1000, 24, 4
#: The powers of the members in tables: sums are of degree 2 in the power.
POWERS = (1, 2, 4)

Point = tuple[int, ...]
#: Integers for the names of a case.
Member = Mapping[str, int]
#: For each coordinate its high and its low part.
Digits = Mapping[str, tuple[Affine, Affine]]


@dataclass(frozen=True)
class FewValues:
    """A case in which limited coordinates are small integers.

    Raises `FamilyError` for relations and heights that the checker does not decide then.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        """Refuse other relations."""
        case, limited = self.case, self.case.heights.keys()
        if self.family.kind == "grundy":
            raise FamilyError("Grundy numbers are not decided with integers for coordinates")
        if case.shifts.keys() != {*self.coordinates}:
            raise FamilyError("every coordinate is needed in the relation")
        if not all(case.shift(n).is_constant for n in limited):
            raise FamilyError("a limited coordinate with a parameter added to it")
        if not case.constant.is_constant or len(self.free) > 2:
            raise FamilyError("parameters, or three coordinates without a bound, in one nim-sum")
        parts = (part for height in case.heights.values() for part in height.parts)
        if any(part.split[0].keys() & limited for part in parts):
            raise FamilyError("a height that depends on a limited coordinate")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All coordinates."""
        return self.family.description.coordinates

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates without a largest value."""
        return tuple(n for n in self.coordinates if n not in self.case.heights)

    @cached_property
    def largest(self) -> Mapping[str, int]:
        """The largest value of each limited coordinate inside."""
        free = {*map(variable, self.free)}
        inside = (s for s in self.case.inside if s.names <= free | {*self.case.names})
        known = [*self.case.conditions, *map(Affine.of, free), *inside]
        largest = {}
        for name in self.case.heights:
            least = 0
            while any(is_possible([*known, *sums]) for sums in self._rooms(name, least + 1)):
                least += 1
                if least == MOST_VALUES:
                    raise FamilyError(f"{name} is not bounded by {MOST_VALUES} for all parameters")
            largest[name] = least
        return largest

    def _rooms(self, y: str, value: int) -> Iterator[list[Affine]]:
        """Yield alternatives, sums that are natural where a coordinate may be a value."""
        height = self.case.heights[y]
        parts = height.parts if height.function == "sum" else (height.only,)
        for shares in product(range(value + 1), repeat=len(parts)):
            if sum(shares) == value:
                yield [q.room({}, number(n)) for q, n in zip(parts, shares, strict=True)]


@dataclass(frozen=True)
class Failure:
    """A case, and a position of each member that contradicts the relation.

    Where positions have a condition, also the `largest` values of limited coordinates inside; in a family with powers of 2,
    instead, the coordinates as `digits`.
    """

    case: FamilyCase
    position: Mapping[str, Affine]
    largest: Mapping[str, int] | None = None
    digits: Digits | None = None

    @property
    def text(self) -> str:
        """The position: ``(x, y, z) = (4m, 2, 4m+2) for k = 4m+1, m ≥ 0``."""
        at = ", ".join(math_text(str(value)) for value in self.position.values())
        named = [
            f"{name} = {math_text(str(value))}"
            for name, value in self.case.parameters.items()
            if str(value) != name
        ]
        own = (c for c in self.case.conditions if all(len(factors_of(n)) == 1 for n, _ in c.terms))
        named += [math_text(f"{condition} >= 0") for condition in own]
        return f"({', '.join(self.position)}) = ({at}) for {', '.join(named)}"


def failures(family: Family, cases: list[FamilyCase], clock: Clock) -> tuple[Failure, ...]:
    """Return failures of all members; empty if some case has none.

    Raises
    ------
    FamilyError
        If inconsistency is no linear condition in this family.
    UndecidedError
        If the time is over.
    """
    kept: list[Failure] = []
    for case in cases:
        of_case = _of_case(FewValues(family, case), clock)
        if not of_case:
            return ()
        kept += of_case
    return tuple(kept)


def _of_case(direct: FewValues, clock: Clock) -> list[Failure]:
    case, alone = direct.case, list[Failure]()
    if case.powers:
        _require_powers(case)
    while len(alone) <= MOST_ALONE:
        solved = replace(direct, case=case if case.powers else _solved(case))
        every = small_values(solved.case.names, _is_member(solved.case), MOST_POINTS)
        members = [*islice(every, MEMBERS)]
        if not members:
            return alone
        rest = replace(direct, case=case)
        for position in islice(_through_members(solved, clock), MOST_TRIED):
            digits = _digits(case, position) if case.powers else None
            if (case.powers and digits is None) or not _is_wrong(solved, position, members):
                continue
            return [*alone, _failure(rest, position, digits)]
        if case.powers or len(case.names) != 1:
            break
        m, least = Affine.of(case.names[0]), members[0][case.names[0]]
        part = replace(case, conditions=(*case.conditions, m - least, -m + least))
        wrong = next(iter(inconsistencies(direct, members[0], clock)), None)
        if wrong is None:
            break
        at = dict(zip(direct.coordinates, map(number, wrong), strict=True))
        alone.append(_failure(replace(direct, case=part), at))
        case = replace(case, conditions=(*case.conditions, m - least - 1))
    return []


def _require_powers(case: FamilyCase) -> None:
    """Refuse powers of 2 for which the checker has no conditions."""
    (base,), limited = case.powers.values(), [*case.heights]
    multiples = [a for total in case.inside for a in total.split()[0].values()]
    if base == ZERO:
        raise FamilyError("a parameter is 0, which every power of 2 divides")
    if not all(a.is_constant and a.constant <= 0 for a in multiples):
        raise FamilyError("a condition on positions that options may not satisfy")
    if len(limited) != 1 or case.shift(limited[0]) != ZERO or case.constant != ZERO:
        raise FamilyError("one limited coordinate without a shift is needed")


def _is_member(case: FamilyCase) -> Callable[[Member], bool]:
    return lambda values: values.get(POWER, 1).bit_count() == 1 and case.holds(values)


def _is_wrong(direct: FewValues, position: Mapping[str, Affine], members: Iterable[Member]) -> bool:
    """Whether a position is inconsistent in all members with small tables."""
    for member in members:
        at = {name: value.value(member) for name, value in position.items()}
        if min(at.values()) < 0:
            return False
        table = _inconsistent(direct, member, at)
        if table is not None and not table[tuple(slice(n, n + 1) for n in at.values())].any():
            return False
    return True


def _failure(
    direct: FewValues, position: Mapping[str, Affine], digits: Digits | None = None
) -> Failure:
    largest = direct.largest if direct.case.inside and digits is None else None
    return Failure(direct.case, position, largest, digits)


def _solved(case: FamilyCase) -> FamilyCase:
    """Return the same members, with equations solved for names."""
    for condition in case.conditions:
        if -condition not in case.conditions:
            continue
        divisor = gcd(*(c for _, c in condition.terms))
        for name, c in condition.terms:
            if abs(c) == divisor and condition.constant % divisor == 0 and len(condition.terms) > 1:
                put = {name: (Affine.of(name) * c - condition) // c}
                kept = (other.substitute(put) for other in case.conditions)
                return _solved(case.substitute(put, (k for k in kept if not k.is_constant)))
    return case


def _through_members(direct: FewValues, clock: Clock) -> Iterator[dict[str, Affine]]:
    """Yield sums of parameters through inconsistent positions, the least first."""
    case = direct.case
    names = [name for name in case.names if name != POWER]
    powers = POWERS if POWER in case.names else (1,)

    def near(least: Member) -> list[Member]:
        steps = _steps(tuple(least.values()))
        return [dict(zip(names, step, strict=True)) | {POWER: p} for p in powers for step in steps]

    def are_members(least: Member) -> bool:
        return all(map(case.holds, near(least)))

    least = next(small_values(names, are_members, MOST_POINTS), None)
    if least is None:
        return
    listed = _unreached if case.powers else inconsistencies
    lists = [list(islice(listed(direct, member, clock), LEAST)) for member in near(least)]
    first, size = tuple(least.values()), len(names) + 1

    def are_listed(ranks: Mapping[str, int]) -> bool:
        return all(rank < len(lists[int(n)]) for n, rank in ranks.items())

    for ranks in small_values(list(map(str, range(len(lists)))), are_listed):
        clock.require()
        several = [lists[int(n)][rank] for n, rank in ranks.items()]
        position = {}
        for name, values in zip(direct.coordinates, zip(*several, strict=True), strict=True):
            rows = [values[n : n + size] for n in range(0, len(values), size)]
            total = _through_powers([_affine_through(names, first, row) for row in rows])
            if total is not None and (case.powers or name not in case.heights or total.is_constant):
                position[name] = total
        if len(position) == len(direct.coordinates):
            yield position


def _steps(point: Point) -> list[Point]:
    """Return a point, then the points with one more in the first n names."""
    return [tuple(p + (n < i) for n, p in enumerate(point)) for i in range(len(point) + 1)]


def _affine_through(names: Sequence[str], first: Point, values: Sequence[int]) -> Affine:
    """Return the affine sum of names with these values at the `_steps` of a point."""
    total = number(values[0])
    for name, at, last, here in zip(names, first, values, values[1:], strict=False):
        total += (Affine.of(name) - at) * (here - last)
    return total


def _digits(case: FamilyCase, position: Mapping[str, Affine]) -> Digits | None:
    """Return the parts of shifted coordinates; None if a small part is none."""
    (base,), found = case.powers.values(), {}
    for name, value in position.items():
        parts = _parts(value + case.shift(name), base)
        small = None if parts is None else parts[name not in case.heights]
        if parts is None or small is None or not small.is_constant or small.constant < 0:
            return None
        found[name] = parts
    return found


def _parts(total: Affine, base: Affine) -> tuple[Affine, Affine] | None:
    """Return high and low with high·base + low = total."""
    if base == number(1):
        return total, ZERO
    halves = [(divided_by(name, POWER), c) for name, c in total.terms]
    if any(rest is None or c % 2 for rest, c in halves):
        return None
    high = sum((rest * (c // 2) for rest, c in halves if rest is not None), ZERO)
    if total.constant < 0:
        return high - 1, base + total.constant
    return high, number(total.constant)


def _through_powers(sums: list[Affine]) -> Affine | None:
    """Return the sum of degree 2 in the power through values at `POWERS`."""
    if len(sums) == 1:
        return sums[0]
    at1, at2, at4 = sums
    six_squares = at4 - at2 - (at2 - at1) * 2
    if any(c % 6 for c in (*dict(six_squares.terms).values(), six_squares.constant)):
        return None
    square, power = six_squares // 6, Affine.of(POWER)
    linear = at2 - at1 - square * 3
    return at1 - linear - square + times(power, linear) + times(times(power, power), square)


def _unreached(direct: FewValues, member: Member, clock: Clock) -> Iterator[Point]:
    """Yield inconsistent positions of one member that are not in the relation."""
    shifts = [direct.case.shift(name).value(member) for name in direct.coordinates]
    for position in inconsistencies(direct, member, clock):
        if reduce(xor, map(add, position, shifts), direct.case.constant.value(member)):
            yield position


def inconsistencies(direct: FewValues, member: Member, clock: Clock) -> Iterator[Point]:
    """Yield inconsistent positions of one member, the least first."""
    bound = 16
    known = np.zeros((0, len(direct.coordinates)), dtype=np.int64)
    while not len(known):
        clock.require()
        table = _inconsistent(direct, member, dict.fromkeys(direct.free, bound))
        if table is None:
            return
        known, bound = np.argwhere(table), bound * 2
    larger = _inconsistent(direct, member, dict.fromkeys(direct.free, bound))
    known = known if larger is None else np.argwhere(larger)
    yield from sorted(map(tuple, known.tolist()), key=lambda q: (max(q), q))


def _inconsistent(
    direct: FewValues, member: Member, bounds: Mapping[str, int]
) -> npt.NDArray[np.bool_] | None:
    """Return a table of inconsistent positions; None if it would be too large."""
    case, names = direct.case, direct.coordinates

    def known(place: Mapping[str, Any]) -> dict[str, Any]:
        return {**member, **{variable(n): value for n, value in place.items()}}

    corner = {n: 0 if n in case.heights else bounds[n] for n in names}
    most = {y: _height(case, y, known(corner)) for y in case.heights}
    sizes = {n: min(most[n], MOST_VALUES) + 1 if n in most else corner[n] + 1 for n in names}
    if np.prod(list(sizes.values()), dtype=np.int64) > MOST_CELLS:
        return None
    at = dict(zip(names, np.ogrid[tuple(slice(sizes[n]) for n in names)], strict=True))
    heights = {y: _height(case, y, known(at)) for y in case.heights}
    is_one = np.ones(tuple(sizes.values()), dtype=bool)
    for y, height in heights.items():
        is_one &= at[y] <= height
    for total in case.inside:
        is_one &= total.value(known(at)) >= 0
    numbers = (at[n] + case.shift(n).value(member) for n in names)
    related = is_one & (reduce(xor, numbers, case.constant.value(member)) == 0)
    reaches = np.zeros_like(related)
    for lowered, others, clips in direct.family.description.moves:
        fallen = dict(at)
        for y in others if clips else ():
            fallen[y] = np.minimum(at[y], heights[y])
        options = related[tuple(fallen[n] for n in names)]
        axis = names.index(lowered)
        before = np.roll(np.logical_or.accumulate(options, axis=axis), 1, axis=axis)
        before[(slice(None),) * axis + (0,)] = False
        reaches |= before
    return np.asarray(is_one & (related == reaches))


def _height(case: FamilyCase, name: str, known: Mapping[str, Any]) -> Any:
    height = case.heights[name].only
    return height.dividend.value(known) // height.divisor.value(known)
