"""A position for every member of a family at which a relation is wrong, affine in parameters; found from members, then proved.

Idea: the P-positions of a game are the only relation with which no position is inconsistent (`direct`). So a position that is
inconsistent with a relation, for all parameters of a case, refutes it for all of them: nothing has to be known of what is true.
Such positions of some first members are listed; sums of parameters through one of each list are put to the solver, those
through the least positions first. Where the first few members follow no rule they are cases with a position of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from choco_pipeline.proof.uniform.direct import MOST_VALUES, DirectCase
from choco_pipeline.proof.uniform.families.affine import Affine, factors_of, number
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.families.linear_forms import LinearForm
from choco_pipeline.proof.uniform.families.single_values import with_sums
from choco_pipeline.proof.uniform.powers import Digits, PowerCase
from choco_pipeline.proof.uniform.sentences import by_z3

#: Cells of a table in which positions are looked for: some tenths of a second.
MOST_CELLS = 6_000_000
#: The least positions of a member that are tried, for so many ways to put sums through them.
LEAST, MOST_TRIED = 40, 400
#: Tuples of parameters that are looked at for members, and of how many members each may have a position of its own.
MOST_POINTS, MOST_ALONE = 1000, 4

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
        """The position, and for which parameters: ``(x, y, z) = (4m, 2, 4m+2) for k = 4m+1, m ≥ 0``."""
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
    """Return failures that together are of all members, or nothing if for some case none is found.

    Raises
    ------
    FamilyError
        If inconsistency is no linear condition in this family.
    UndecidedError
        If the time is over.
    """
    kept: list[Failure] = []
    for case in cases:
        find = _of_power_case if case.powers else _of_case
        of_case = find(DirectCase(family, case), clock)
        if not of_case:
            return ()
        kept += of_case
    return tuple(kept)


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
                return _solved(with_sums(case, put, (k for k in kept if not k.is_constant)))
    return case


def _of_case(direct: DirectCase, clock: Clock) -> list[Failure]:
    case, alone = direct.case, list[Failure]()
    while len(alone) <= MOST_ALONE:
        rest, solved = replace(direct, case=case), replace(direct, case=_solved(case))
        points = list(islice(_points(solved.case), 24))
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


def _of_power_case(direct: DirectCase, clock: Clock) -> list[Failure]:
    """Return a failure, through the positions of the same rank among those of some members, if there is one."""
    powers, case = PowerCase(direct.family, direct.case), direct.case
    lists = []
    for point in powers.points():
        values = tuple(point[name] for name in case.names)
        lists.append(list(islice(_not_reaching(direct, values, clock), LEAST)))
    for several in zip(*lists, strict=False):
        clock.require()
        through = {
            name: powers.position_through([position[n] for position in several])
            for n, name in enumerate(direct.coordinates)
        }
        position = {name: value for name, value in through.items() if value is not None}
        digits = powers.digits(position) if len(position) == len(through) else None
        if digits is not None and by_z3(powers.text(position, digits), 1000) == "unsat":
            return [Failure(case, position, digits=digits)]
    return []


def _not_reaching(direct: DirectCase, point: Point, clock: Clock) -> Iterator[Point]:
    """Yield inconsistent positions of one member that are not in the relation."""
    given = dict(zip(direct.case.names, point, strict=True))
    shifts = [direct.case.shift(name).value(given) for name in direct.coordinates]
    for position in inconsistencies(direct, point, clock):
        if reduce(xor, map(add, position, shifts), direct.case.constant.value(given)):
            yield position


def _failure(direct: DirectCase, position: Mapping[str, Affine]) -> Failure:
    largest = direct.largest if direct.case.inside else None
    return Failure(direct.case, position, largest)


def _points(case: FamilyCase) -> Iterator[Point]:
    """Yield values of a case's names, the least first."""
    for given in small_values(case.names, case.holds, MOST_POINTS):
        yield tuple(given.values())


def _through_members(
    direct: DirectCase, points: list[Point], clock: Clock
) -> Iterator[dict[str, Affine]]:
    """Yield positions that are sums of the names, through inconsistent positions at a point and its neighbours."""
    names = direct.case.names
    corners = _corners(points)
    if corners is None:
        return
    lists = [list(islice(inconsistencies(direct, corner, clock), LEAST)) for corner in corners]
    ranked = product(*(enumerate(positions) for positions in lists))
    for chosen in sorted(ranked, key=lambda ranks: sum(rank for rank, _ in ranks)):
        positions = [position for _, position in chosen]
        lines = {}
        for i, coordinate in enumerate(direct.coordinates):
            total = number(positions[0][i])
            for name, last, here in zip(names, corners, corners[1:], strict=False):
                slope = positions[corners.index(here)][i] - positions[corners.index(last)][i]
                at = corners[0][names.index(name)]
                total += (Affine.of(name) - at) * slope
            lines[coordinate] = total
        if all(lines[y].is_constant for y in direct.case.heights):
            yield lines


def _corners(points: list[Point]) -> list[Point] | None:
    """Return a point, and from each to the next one more in one name, in their order."""
    known = set(points)
    for point in points:
        corners = [point]
        for i in range(len(point)):
            last = corners[-1]
            corners.append((*last[:i], last[i] + 1, *last[i + 1 :]))
        if known.issuperset(corners):
            return corners
    return None


def inconsistencies(direct: DirectCase, point: Point, clock: Clock) -> Iterator[Point]:
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


def _inconsistent(direct: DirectCase, point: Point, bound: int) -> np.ndarray | None:
    """Return for all positions within a bound whether they are inconsistent; None if there are too many."""
    case, names = direct.case, direct.coordinates
    given = dict(zip(case.names, point, strict=True))
    corner = {n: number(0 if n in case.heights else bound) for n in names}
    sizes = {
        n: bound + 1
        if n not in case.heights
        else min(_height(case, n, {x: v.constant for x, v in corner.items()}, given), MOST_VALUES)
        + 1
        for n in names
    }
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
    return _number(LinearForm(height.terms, height.constant), at, given) // height.divisor.value(
        given
    )


def _number(form: LinearForm, at: Mapping[str, Any], given: Mapping[str, int]) -> Any:
    total = form.constant.value(given)
    for name, a in form.terms.items():
        total = total + at[name] * a.value(given)
    return total
