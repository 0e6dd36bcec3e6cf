"""Members of a family against the definition: a family that is wrong for one of them is refuted, before anything is searched."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.games import Ruleset
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.tables.computing.in_memory import grundy_table

#: Members with the least parameters, and members with parameters drawn up to a largest one.
FIRST, DRAWN, LARGEST = 12, 8, 60
#: Tuples of parameters that are looked at for members: a condition may hold for few.
MOST_LOOKED_AT = 20_000
#: The bound of the tables is between these, and twice the largest parameter and a bit where that fits; the largest one where
#: positions have a condition, which may be false near its edge alone.
LEAST_BOUND, MOST_BOUND = 20, 130


@dataclass(frozen=True)
class RefutingMember:
    """A member, and its least position where the relation and the definition differ; None where it has no value."""

    parameters: Mapping[str, int]
    position: tuple[int, ...]
    said: int | bool | None
    value: int


def members(family: Family) -> Iterator[dict[str, int]]:
    """Yield values of the parameters that the condition allows, the least ones first, then others drawn by a fixed seed."""
    condition = parse(family.condition)
    names = family.parameters
    number, looked_at, side = 0, 0, 0
    while number < FIRST and side <= LARGEST and looked_at < MOST_LOOKED_AT:
        for values in product(range(side + 1), repeat=len(names)):
            if max(values, default=0) < side:
                continue
            looked_at += 1
            given = dict(zip(names, values, strict=True))
            if _holds(condition, given):
                number += 1
                yield given
        side += 1
    chance = random.Random(0)
    drawn = 0
    for _ in range(MOST_LOOKED_AT // 10):
        given = {name: chance.randint(0, LARGEST) for name in names}
        if drawn < DRAWN and _holds(condition, given):
            drawn += 1
            yield given


def refutation(family: Family, clock: Clock) -> tuple[RefutingMember | None, int]:
    """Return a counterexample among some members, if there is one, and how many were looked at in the time given."""
    looked_at = 0
    for values in members(family):
        if clock.left <= 0:
            break
        try:
            game = family.description.member(values)
            bound = min(max(LEAST_BOUND, 2 * max(values.values(), default=0) + 6), MOST_BOUND)
            bound = MOST_BOUND if family.where else bound
            refuting = disagreement(family, game, values, bound)
        except ChocoError:  # no game, or one that is too large
            continue
        looked_at += 1
        if refuting is not None:
            return refuting, looked_at
    return None, looked_at


def disagreement(
    family: Family, game: Ruleset, values: Mapping[str, int], bound: int
) -> RefutingMember | None:
    """Return the least position within a bound where the relation and the definition differ, or None."""
    grundy = grundy_table(game, bound).grundy.transpose(*game.coordinates).to_numpy()
    grid = np.meshgrid(*map(np.arange, grundy.shape), indexing="ij", sparse=True)
    formula, inside = parse(family.relation), parse(family.where or "0 == 0")
    given: dict[str, ArrayLike] = {**values, **dict(zip(game.coordinates, grid, strict=True))}
    try:
        claimed = np.broadcast_to(
            formula.evaluate({n: given[n] for n in formula.names}), grundy.shape
        )
        is_inside = inside.evaluate({n: given[n] for n in inside.names})
    except FormulaError:
        return None
    is_right = claimed == (grundy == 0 if family.kind == "p-positions" else grundy)
    wrong = np.argwhere((grundy >= 0) & is_inside & ~is_right)
    if not len(wrong):
        return None
    place = min(map(tuple, wrong.tolist()), key=lambda q: (max(q), q))
    return RefutingMember(dict(values), place, claimed[place].item(), int(grundy[place]))


def _holds(condition: Formula, values: Mapping[str, int]) -> bool:
    try:
        return bool(condition.value(values))
    except FormulaError:
        return False
