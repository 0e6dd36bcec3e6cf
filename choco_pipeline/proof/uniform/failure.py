"""Search for an affine position that refutes a relation for every member.

A position is *inconsistent* if it is in the relation together with one of its options, or if neither it nor any option is. The set of
P-positions is the only relation without inconsistent positions. So an inconsistent position refutes the relation, and the P-positions
need not be known.

Idea:

1. List the inconsistent positions of the first few members.
2. Choose one position of each list, least positions first, and interpolate: find affine sums of the parameters through them.
3. Keep the first sums that are inconsistent for further members.
4. If there are none, the first member becomes a case with its own position. Continue with the others.

In families with powers of 2, such as ``k & -k``, the checker needs each shifted coordinate as B·high + low with 0 ≤ low < B, for the
power B.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    factors_of,
    number,
    variable,
)
from choco_pipeline.proof.uniform.family import POWER, Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import is_possible

#: Limit of values of a limited coordinate. More values would need thousands of conditions.
MOST_VALUES = 64
#: Limit of cells of a table: some tenths of a second.
MOST_CELLS = 6_000_000
#: Number of listed positions of a member, and limit of tried interpolations.
LEAST, MOST_TRIED = 40, 400
#: Limit of tried parameter tuples, number of members for a test, and limit of members with their own position.
MOST_POINTS, MEMBERS, MOST_ALONE = 1000, 24, 4
#: The powers of 2 of listed members. Three powers determine a sum of degree 2 in the power.
POWERS = (1, 2, 4)

Point = tuple[int, ...]
#: Integers for the names of a case.
Member = Mapping[str, int]
#: High and low part of each coordinate.
Digits = Mapping[str, tuple[Affine, Affine]]


@dataclass(frozen=True)
class FewValues:
    """A case in which limited coordinates have few values.

    Raises `FamilyError` for relations and heights that the checker does not support then.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        case, limited = self.case, self.case.heights.keys()
        if self.family.kind == "grundy":
            raise FamilyError("Grundy numbers are not decided with integers for coordinates")
        if case.shifts.keys() != {*self.family.coordinates}:
            raise FamilyError("every coordinate is needed in the relation")
        if not all(case.shift(n).is_constant for n in limited):
            raise FamilyError("a limited coordinate with a parameter added to it")
        if not case.constant.is_constant or len(self.free) > 2:
            raise FamilyError("parameters, or three coordinates without a bound, in one nim-sum")
        parts = (part for height in case.heights.values() for part in height.parts)
        if any(part.split[0].keys() & limited for part in parts):
            raise FamilyError("a height that depends on a limited coordinate")

    @property
    def free(self) -> tuple[str, ...]:
        """The coordinates without a height."""
        return tuple(n for n in self.family.coordinates if n not in self.case.heights)

    @cached_property
    def largest(self) -> Mapping[str, int]:
        """The largest values of limited coordinates under the condition on positions."""
        free = [*map(variable, self.free)]
        inside = (s for s in self.case.inside if s.names <= {*free, *self.case.names})
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
        """Yield alternatives for y >= `value`: in one of them, all sums are natural."""
        height = self.case.heights[y]
        parts = height.parts if height.function == "sum" else (height.only,)
        for shares in product(range(value + 1), repeat=len(parts)):
            if sum(shares) == value:
                yield [q.room({}, number(n)) for q, n in zip(parts, shares, strict=True)]


@dataclass(frozen=True)
class Failure:
    """A case, and a position of each member that contradicts the relation.

    If the statement has a condition on positions, `largest` has the largest values of limited coordinates under it. In a family with
    powers of 2, `digits` has the coordinates instead.
    """

    case: FamilyCase
    position: Mapping[str, Affine]
    largest: Mapping[str, int] | None = None
    digits: Digits | None = None

    @property
    def text(self) -> str:
        """The position, as in ``(x, y, z) = (4m, 2, 4m+2) for k = 4m+1, m ≥ 0``."""
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
    """Return failures that cover all members; empty if a case has none.

    Raises
    ------
    FamilyError
        If inconsistency is not a linear condition for this family.
    UndecidedError
        If the time is over.
    """
    kept: list[Failure] = []
    for case in cases:
        of_case = _case_failures(FewValues(family, case), clock)
        if not of_case:
            return ()
        kept += of_case
    return tuple(kept)


def _case_failures(direct: FewValues, clock: Clock) -> list[Failure]:
    case, individual = direct.case, list[Failure]()
    if case.power is not None:
        _require_powers(case)
    while len(individual) <= MOST_ALONE:
        solved = replace(direct, case=_solved(case) if case.power is None else case)
        every = small_values(solved.case.names, solved.case.holds, MOST_POINTS)
        members = [*islice(every, MEMBERS)]
        if not members:
            return individual
        rest = replace(direct, case=case)
        for position in islice(_interpolations(solved, clock), MOST_TRIED):
            digits = None if case.power is None else _digits(case, case.power, position)
            is_written = case.power is None or digits is not None
            if is_written and _is_wrong(solved, position, members):
                return [*individual, _failure(rest, position, digits)]
        if case.power is not None or len(case.names) != 1:
            break
        m, least = Affine.of(case.names[0]), members[0][case.names[0]]
        part = replace(case, conditions=(*case.conditions, m - least, -m + least))
        wrong = next(iter(inconsistencies(direct, members[0], clock)), None)
        if wrong is None:
            break
        at = dict(zip(direct.family.coordinates, map(number, wrong), strict=True))
        individual.append(_failure(replace(direct, case=part), at))
        case = replace(case, conditions=(*case.conditions, m - least - 1))
    return []


def _require_powers(case: FamilyCase) -> None:
    """Raise `FamilyError` if the checker does not support the powers of 2 in a case."""
    limited = [*case.heights]
    multiples = [a for total in case.inside for a in total.split()[0].values()]
    if case.power == ZERO:
        raise FamilyError("a parameter is 0, which has no largest power of 2")
    if not all(a.is_constant and a.constant <= 0 for a in multiples):
        raise FamilyError("a condition on positions that options may violate")
    if len(limited) != 1 or case.shift(limited[0]) != ZERO or case.constant != ZERO:
        raise FamilyError("one limited coordinate without a shift is needed")


def _is_wrong(direct: FewValues, position: Mapping[str, Affine], members: Iterable[Member]) -> bool:
    """Whether a position is inconsistent in all members that have small tables."""
    for member in members:
        at = {name: value.value(member) for name, value in position.items()}
        if min(at.values()) < 0:
            return False
        table = _inconsistency_table(direct, member, at)
        if table is not None and not table[tuple(slice(n, n + 1) for n in at.values())].any():
            return False
    return True


def _failure(
    direct: FewValues, position: Mapping[str, Affine], digits: Digits | None = None
) -> Failure:
    largest = direct.largest if direct.case.inside and digits is None else None
    return Failure(direct.case, position, largest, digits)


def _solved(case: FamilyCase) -> FamilyCase:
    """Eliminate names that the conditions determine; the members remain the same."""
    for condition in case.conditions:
        if -condition not in case.conditions:
            continue
        divisor = gcd(*(c for _, c in condition.terms))
        for name, c in condition.terms:
            if abs(c) == divisor and condition.constant % divisor == 0 and len(condition.terms) > 1:
                solution = {name: (Affine.of(name) * c - condition) // c}
                kept = (other.substitute(solution) for other in case.conditions)
                return _solved(case.substitute(solution, (k for k in kept if not k.is_constant)))
    return case


def _interpolations(direct: FewValues, clock: Clock) -> Iterator[dict[str, Affine]]:
    """Yield affine positions through inconsistent positions of members, least first."""
    case = direct.case
    names = [name for name in case.names if name != POWER]
    powers = POWERS if POWER in case.names else (1,)

    def near(least: Member) -> list[Member]:
        steps = _steps(tuple(least.values()))
        return [dict(zip(names, step, strict=True)) | {POWER: p} for p in powers for step in steps]

    small = small_values(names, lambda least: all(map(case.holds, near(least))), MOST_POINTS)
    least = next(small, None)
    if least is None:
        return
    listed = inconsistencies if case.power is None else _unreached
    lists = [list(islice(listed(direct, member, clock), LEAST)) for member in near(least)]
    first, size = tuple(least.values()), len(names) + 1

    constant = {*case.heights} if case.power is None else set()

    def are_listed(ranks: Mapping[str, int]) -> bool:
        return all(rank < len(lists[int(n)]) for n, rank in ranks.items())

    for ranks in small_values(list(map(str, range(len(lists)))), are_listed):
        clock.require()
        several = [lists[int(n)][rank] for n, rank in ranks.items()]
        position = {}
        for name, values in zip(direct.family.coordinates, zip(*several, strict=True), strict=True):
            rows = [values[n : n + size] for n in range(0, len(values), size)]
            total = _through_powers([_affine_through(names, first, row) for row in rows])
            if total is not None and (name not in constant or total.is_constant):
                position[name] = total
        if len(position) == len(direct.family.coordinates):
            yield position


def _steps(point: Point) -> list[Point]:
    """Return a point, then for each n the point plus 1 in its first n coordinates."""
    return [tuple(p + (n < i) for n, p in enumerate(point)) for i in range(len(point) + 1)]


def _affine_through(names: Sequence[str], first: Point, values: Sequence[int]) -> Affine:
    """Return the affine sum with these values at the `_steps` of `first`."""
    total = number(values[0])
    for name, at, last, here in zip(names, first, values, values[1:], strict=False):
        total += (Affine.of(name) - at) * (here - last)
    return total


def _digits(case: FamilyCase, power: Affine, position: Mapping[str, Affine]) -> Digits | None:
    """Return the parts of shifted coordinates; None unless small parts are constant."""
    digits = {}
    for name, value in position.items():
        parts = _parts(value + case.shift(name), power)
        small = None if parts is None else parts[name not in case.heights]
        if parts is None or small is None or not small.is_constant or small.constant < 0:
            return None
        digits[name] = parts
    return digits


def _parts(total: Affine, base: Affine) -> tuple[Affine, Affine] | None:
    """Return high and low with high·base + low = total; None if there are none."""
    if base == number(1):
        return total, ZERO
    twice = total.multiple_of(POWER)
    high, rest = twice // 2, total - Affine.of(POWER) * twice
    if not rest.is_constant or high * 2 != twice:
        return None
    if total.constant < 0:
        return high - 1, base + total.constant
    return high, number(total.constant)


def _through_powers(sums: list[Affine]) -> Affine | None:
    """Interpolate values at `POWERS` by a quadratic sum; None if not integral."""
    if len(sums) == 1:
        return sums[0]
    at1, at2, at4 = sums
    six_squares = at4 - at2 - (at2 - at1) * 2
    if any(c % 6 for c in (*dict(six_squares.terms).values(), six_squares.constant)):
        return None
    square, power = six_squares // 6, Affine.of(POWER)
    linear = at2 - at1 - square * 3
    return at1 - linear - square + power * linear + power * power * square


def _unreached(direct: FewValues, member: Member, clock: Clock) -> Iterator[Point]:
    """Yield the inconsistent positions of one member that are not in the relation."""
    shifts = [direct.case.shift(name).value(member) for name in direct.family.coordinates]
    for position in inconsistencies(direct, member, clock):
        if reduce(xor, map(add, position, shifts), direct.case.constant.value(member)):
            yield position


def inconsistencies(direct: FewValues, member: Member, clock: Clock) -> Iterator[Point]:
    """Yield the inconsistent positions of one member, least first."""
    bound = 16
    known = np.zeros((0, len(direct.family.coordinates)), dtype=np.int64)
    while not len(known):
        clock.require()
        table = _inconsistency_table(direct, member, dict.fromkeys(direct.free, bound))
        if table is None:
            return
        known, bound = np.argwhere(table), bound * 2
    larger = _inconsistency_table(direct, member, dict.fromkeys(direct.free, bound))
    known = known if larger is None else np.argwhere(larger)
    yield from sorted(map(tuple, known.tolist()), key=lambda q: (max(q), q))


def _inconsistency_table(
    direct: FewValues, member: Member, bounds: Mapping[str, int]
) -> npt.NDArray[np.bool_] | None:
    """Return a mask of inconsistent positions; None if it would be too large."""
    case, names = direct.case, direct.family.coordinates

    def known(place: Mapping[str, Any]) -> dict[str, Any]:
        return {**member, **{variable(n): value for n, value in place.items()}}

    def heights_at(place: Mapping[str, Any]) -> dict[str, Any]:
        at, heights = known(place), {y: height.only for y, height in case.heights.items()}
        return {y: h.dividend.value(at) // h.divisor.value(at) for y, h in heights.items()}

    corner = {n: 0 if n in case.heights else bounds[n] for n in names}
    most = heights_at(corner)
    sizes = {n: min(most[n], MOST_VALUES) + 1 if n in most else corner[n] + 1 for n in names}
    if np.prod(list(sizes.values()), dtype=np.int64) > MOST_CELLS:
        return None
    at = dict(zip(names, np.ogrid[tuple(slice(sizes[n]) for n in names)], strict=True))
    heights = heights_at(at)
    is_position = np.ones(tuple(sizes.values()), dtype=bool)
    for y, height in heights.items():
        is_position &= at[y] <= height
    for total in case.inside:
        is_position &= total.value(known(at)) >= 0
    numbers = (at[n] + case.shift(n).value(member) for n in names)
    related = is_position & (reduce(xor, numbers, case.constant.value(member)) == 0)
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
    return np.asarray(is_position & (related == reaches))
