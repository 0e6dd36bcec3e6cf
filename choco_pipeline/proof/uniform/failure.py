"""A position for every member of a family at which a relation is wrong, affine in parameters; found from members, then proved.

Idea: the P-positions of a game are the only relation without inconsistent positions (`places`). So a position that is
inconsistent with a relation, for all parameters of a case, refutes it for all of them: nothing has to be known of the P-positions.
Such positions of some first members are listed; sums of parameters through one of each list are put to the solver, those
through the least positions first. Where the first few members follow no rule they are cases with a position of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product
from math import gcd
from operator import add, xor
from typing import Any

import numpy as np

from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.trial import small_values
from choco_pipeline.proof.uniform.families.affine import Affine, factors_of, number
from choco_pipeline.proof.uniform.families.affine import product as times
from choco_pipeline.proof.uniform.families.family import POWER, Family, FamilyCase
from choco_pipeline.proof.uniform.families.linear_forms import LinearForm
from choco_pipeline.proof.uniform.places import MOST_VALUES, Digits, FewValues, PowerValues
from choco_pipeline.proof.uniform.sentences import by_z3

#: Cells of a table in which positions are looked for: some tenths of a second.
MOST_CELLS = 6_000_000
#: The number of least positions of a member that are tried, and of sums through them.
LEAST, MOST_TRIED = 40, 400
#: Tuples of parameters that are tried for members, and the number of members with a position of their own.
MOST_POINTS, MOST_ALONE = 1000, 4
#: The powers of the members in tables: sums are of degree 2 in the power.
POWERS = (1, 2, 4)

Point = tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """A case, and a position of each of its members that is inconsistent with the relation.

    Where positions have a condition, also the `largest` values of limited coordinates inside; in a family with powers of 2,
    instead, the coordinates as `digits`.
    """

    case: FamilyCase
    position: Mapping[str, Affine]
    largest: Mapping[str, int] | None = None
    digits: Mapping[str, Digits] | None = None

    @property
    def text(self) -> str:
        """The position, with its parameters: ``(x, y, z) = (4m, 2, 4m+2) for k = 4m+1, m ≥ 0``."""
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
    """Return failures that together are of all members; empty if none is found for some case.

    Raises
    ------
    FamilyError
        If inconsistency is no linear condition in this family.
    UndecidedError
        If the time is over.
    """
    kept: list[Failure] = []
    for case in cases:
        if case.powers:
            of_case = _of_power_case(PowerValues(family, case), clock)
        else:
            of_case = _of_case(FewValues(family, case), clock)
        if not of_case:
            return ()
        kept += of_case
    return tuple(kept)


def _of_case(direct: FewValues, clock: Clock) -> list[Failure]:
    case, alone = direct.case, list[Failure]()
    while len(alone) <= MOST_ALONE:
        rest, solved = replace(direct, case=case), replace(direct, case=_solved(case))
        given = islice(small_values(solved.case.names, solved.case.holds, MOST_POINTS), 24)
        points = [tuple(values.values()) for values in given]
        if not points:
            return alone
        for position in islice(_through_members(solved, points, clock), MOST_TRIED):
            clock.require()
            if by_z3(rest.failure_text(position), 1000) == "unsat":
                return [*alone, _failure(rest, position)]
        if len(case.names) != 1:
            break
        m, first = Affine.of(case.names[0]), points[0][0]
        part = replace(case, conditions=(*case.conditions, m - first, -m + first))
        wrong = next(iter(inconsistencies(direct, points[0], clock)), None)
        if wrong is None:
            break
        at = dict(zip(direct.coordinates, map(number, wrong), strict=True))
        alone.append(_failure(replace(direct, case=part), at))
        case = replace(case, conditions=(*case.conditions, m - first - 1))
    return []


def _failure(direct: FewValues, position: Mapping[str, Affine]) -> Failure:
    return Failure(direct.case, position, direct.largest if direct.case.inside else None)


def _solved(case: FamilyCase) -> FamilyCase:
    """Return the same members with a name less for each equation that is among the conditions."""
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


def _through_members(
    direct: FewValues, points: list[Point], clock: Clock
) -> Iterator[dict[str, Affine]]:
    """Yield positions that are sums of the names, through inconsistent positions at a point and its neighbours."""
    names = direct.case.names
    corners = _corners(points)
    if corners is None:
        return
    lists = [list(islice(inconsistencies(direct, corner, clock), LEAST)) for corner in corners]
    ranked = product(*(enumerate(positions) for positions in lists))
    for chosen in sorted(ranked, key=lambda ranks: sum(rank for rank, _ in ranks)):
        values = zip(*(position for _, position in chosen), strict=True)
        lines = {
            coordinate: _affine_through(names, corners[0], of_coordinate)
            for coordinate, of_coordinate in zip(direct.coordinates, values, strict=True)
        }
        if all(lines[y].is_constant for y in direct.case.heights):
            yield lines


def _corners(points: list[Point]) -> list[Point] | None:
    """Return a point, and from each to the next one more in one name, in their order."""
    known = set(points)
    for point in points:
        corners = _steps(point)
        if known.issuperset(corners):
            return corners
    return None


def _steps(point: Point) -> list[Point]:
    """Return a point, the point with one more in the first name, with one more in the first two, and so on."""
    return [tuple(p + (n < i) for n, p in enumerate(point)) for i in range(len(point) + 1)]


def _affine_through(names: Sequence[str], first: Point, values: Sequence[int]) -> Affine:
    """Return the affine sum of names with these values at the `_steps` of a point."""
    total = number(values[0])
    for name, at, last, here in zip(names, first, values, values[1:], strict=False):
        total += (Affine.of(name) - at) * (here - last)
    return total


def _of_power_case(powers: PowerValues, clock: Clock) -> list[Failure]:
    """Return a failure, through the positions of the same rank among those of some members, if there is one."""
    case, lists = powers.case, []
    others = [name for name in case.names if name != POWER]
    first, points = _power_points(powers, others)
    for given in points:
        lists.append(list(islice(_unreached(powers, tuple(given[n] for n in case.names), clock), LEAST)))  # fmt: skip
    for several in zip(*lists, strict=False):
        clock.require()
        position = {}
        for name, values in zip(powers.coordinates, zip(*several, strict=True), strict=True):
            size = len(others) + 1
            rows = [values[n : n + size] for n in range(0, len(values), size)]
            value = _through_powers([_affine_through(others, first, row) for row in rows])
            if value is None:
                break
            position[name] = value
        digits = powers.digits(position) if len(position) == len(powers.coordinates) else None
        if digits is not None and by_z3(powers.failure_text(position), 1000) == "unsat":
            return [Failure(case, position, digits=digits)]
    return []


def _power_points(powers: PowerValues, others: list[str]) -> tuple[Point, list[dict[str, int]]]:
    """Return the least values of the names except the power, and their `_steps` for each of some powers."""
    chosen = (1,) if powers.base.is_constant else POWERS
    for total in range(12):
        for least in product(range(total + 1), repeat=len(others)):
            steps = [dict(zip(others, step, strict=True)) for step in _steps(least)]
            every = [{**step, POWER: power} for power in chosen for step in steps]
            if sum(least) == total and all(map(powers.case.holds, every)):
                return least, every
    return (), []


def _through_powers(sums: list[Affine]) -> Affine | None:
    """Return the sum of degree 2 in the power with these values at `POWERS`; None for fractions."""
    if len(sums) == 1:
        return sums[0]
    at1, at2, at4 = sums
    six_squares = at4 - at2 - (at2 - at1) * 2
    if any(c % 6 for c in (*dict(six_squares.terms).values(), six_squares.constant)):
        return None
    square, power = six_squares // 6, Affine.of(POWER)
    linear = at2 - at1 - square * 3
    return at1 - linear - square + times(power, linear) + times(times(power, power), square)


def _unreached(direct: FewValues, point: Point, clock: Clock) -> Iterator[Point]:
    """Yield inconsistent positions of one member that are not in the relation."""
    given = dict(zip(direct.case.names, point, strict=True))
    shifts = [direct.case.shift(name).value(given) for name in direct.coordinates]
    for position in inconsistencies(direct, point, clock):
        if reduce(xor, map(add, position, shifts), direct.case.constant.value(given)):
            yield position


def inconsistencies(direct: FewValues, point: Point, clock: Clock) -> Iterator[Point]:
    """Yield positions of one member that are inconsistent with the relation, the least first, in a table that holds some."""
    bound = 16
    known = np.zeros((0, len(direct.coordinates)), dtype=np.int64)
    while not len(known):
        clock.require()
        table = _inconsistent(direct, point, bound)
        if table is None:
            return
        known, bound = np.argwhere(table), bound * 2
    larger = _inconsistent(direct, point, bound)
    known = known if larger is None else np.argwhere(larger)
    yield from sorted(map(tuple, known.tolist()), key=lambda q: (max(q), q))


def _inconsistent(direct: FewValues, point: Point, bound: int) -> np.ndarray | None:
    """Return for all positions within a bound whether they are inconsistent; None if there are too many."""
    case, names = direct.case, direct.coordinates
    given = dict(zip(case.names, point, strict=True))
    corner = {n: 0 if n in case.heights else bound for n in names}
    largest = corner | {y: min(_height(case, y, corner, given), MOST_VALUES) for y in case.heights}
    sizes = {n: largest[n] + 1 for n in names}
    if np.prod(list(sizes.values()), dtype=np.int64) > MOST_CELLS:
        return None
    at = dict(zip(names, np.ogrid[tuple(slice(sizes[n]) for n in names)], strict=True))
    is_one = np.ones(tuple(sizes.values()), dtype=bool)
    for y in case.heights:
        is_one &= at[y] <= _height(case, y, at, given)
    for form in case.inside:
        is_one &= _number(form, at, given) >= 0
    numbers = (at[n] + case.shift(n).value(given) for n in names)
    related = is_one & (reduce(xor, numbers, case.constant.value(given)) == 0)
    reaches = np.zeros_like(related)
    for lowered, others, clips in direct.family.description.moves:
        fallen = dict(at)
        for y in others if clips else ():
            fallen[y] = np.minimum(at[y], _height(case, y, at, given))
        options = related[tuple(fallen[n] for n in names)]
        axis = names.index(lowered)
        before = np.roll(np.logical_or.accumulate(options, axis=axis), 1, axis=axis)
        before[(slice(None),) * axis + (0,)] = False
        reaches |= before
    return np.asarray(is_one & (related == reaches))


def _height(case: FamilyCase, name: str, at: Mapping[str, Any], given: Mapping[str, int]) -> Any:
    height = case.heights[name].only
    return _number(height.dividend, at, given) // height.divisor.value(given)


def _number(form: LinearForm, at: Mapping[str, Any], given: Mapping[str, int]) -> Any:
    total = form.constant.value(given)
    for name, a in form.terms.items():
        total = total + at[name] * a.value(given)
    return total
