"""Which options of many suffice for small members of a case, with numbers for parameters and positions.

Nothing of this is believed: that some option always has the smaller value is a sentence for solvers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product as choices

import numpy as np
import numpy.typing as npt

from choco_pipeline.formula import parse
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.by_cases.case_obligations import (
    TARGET,
    CaseObligations,
    NamedQuotient,
    SoughtOption,
)
from choco_pipeline.proof.uniform.by_cases.derived_options import Quotients
from choco_pipeline.proof.uniform.direct import variable
from choco_pipeline.proof.uniform.families.affine import Affine, factors_of

#: Members of a case that options are chosen by: those with the least parameters; positions up to a bound; and values in each.
MEMBERS, BOUND, DRAWN = 9, 26, 1500
#: Parameters of these members are at most this.
LARGEST = 9

Integers = npt.NDArray[np.int64]


def chosen_options(
    game: CaseObligations, options: Sequence[SoughtOption], quotients: Quotients, clock: Clock
) -> tuple[list[SoughtOption], list[NamedQuotient]]:
    """Return few options that suffice for small members, and the quotients in them.

    Raises
    ------
    UndecidedError
        If some value of some member is had by none of them.
    """
    works = np.concatenate(
        [_works(game, options, quotients, values, clock) for values in _members(game)], axis=1
    )
    if not works.any(axis=0).all():
        raise UndecidedError("an option with some smaller value is none of those that are found")
    names = [_names(option, quotients) for option in options]
    left = np.ones(works.shape[1], dtype=bool)
    chosen: list[int] = []
    known: set[str] = set()
    while left.any():
        gains = works[:, left].sum(axis=1)
        # A new quotient makes products that lemmas are needed for, so that an option with one must be worth it.
        worth = [g / (1 + 2 * len(n - known)) for g, n in zip(gains, names, strict=True)]
        best = int(np.argmax(worth))
        chosen.append(best)
        known |= names[best]
        left &= ~works[best]
    for option in list(chosen):
        others = [other for other in chosen if other != option]
        if works[others].any(axis=0).all():
            chosen = others
    needed = set().union(*(names[i] for i in chosen))
    return _numbered([options[i] for i in chosen], [q for q in quotients.found if q.name in needed])


def _numbered(
    options: Sequence[SoughtOption], quotients: Sequence[NamedQuotient]
) -> tuple[list[SoughtOption], list[NamedQuotient]]:
    """Return the same with names of quotients from 1 on."""
    new = {q.name: Affine.of(f"number({place})") for place, q in enumerate(quotients, start=1)}

    def renamed(totals: Mapping[str, Affine]) -> dict[str, Affine]:
        return {x: total.substitute(new) for x, total in totals.items()}

    return [replace(option, changed=renamed(option.changed)) for option in options], [
        NamedQuotient(str(new[q.name]), q.dividend.substitute(new), q.divisor) for q in quotients
    ]


def _names(option: SoughtOption, quotients: Quotients) -> set[str]:
    """Return the quotients that an option is made of."""
    names = {name for total in option.changed.values() for name in total.names}
    for known in reversed(quotients.found):
        if known.name in names:
            names |= known.dividend.names
    return names & {known.name for known in quotients.found}


def _members(game: CaseObligations) -> Iterator[dict[str, int]]:
    """Yield small values for the names of the case."""
    names, number = game.case.names, 0
    for values in sorted(choices(range(LARGEST + 1), repeat=len(names)), key=lambda v: (sum(v), v)):
        given = dict(zip(names, values, strict=True))
        if number < MEMBERS and all(c.value(given) >= 0 for c in game.case.conditions):
            number += 1
            yield given


def _works(
    game: CaseObligations,
    options: Sequence[SoughtOption],
    quotients: Quotients,
    member: Mapping[str, int],
    clock: Clock,
) -> npt.NDArray[np.bool_]:
    """Return for each option, and each of some positions with a smaller value, whether the option has that value."""
    values = {name: np.asarray(value, dtype=np.int64) for name, value in member.items()}
    shape = (BOUND + 1,) * len(game.coordinates)
    grid = np.indices(shape, dtype=np.int64).reshape(len(shape), -1)
    values |= {variable(x): line for x, line in zip(game.coordinates, grid, strict=True)}
    is_position = np.all([_value(s, values) >= 0 for s in game.given], axis=0)
    grid = grid[:, is_position]
    value = _formula(
        game, member, {x: line for x, line in zip(game.coordinates, grid, strict=True)}
    )
    place = np.repeat(np.arange(grid.shape[1], dtype=np.int64), np.maximum(value, 0))
    target = np.arange(len(place), dtype=np.int64) - np.searchsorted(place, place)
    taken = np.array(sorted(random.Random(0).sample(range(len(place)), min(DRAWN, len(place)))), dtype=np.int64)  # fmt: skip
    place, target = place[taken], target[taken]
    values |= {variable(x): line[place] for x, line in zip(game.coordinates, grid, strict=True)}
    values[TARGET] = target
    for quotient in quotients.found:
        divisor = _value(quotient.divisor, values)
        values[quotient.name] = _value(quotient.dividend, values) // np.maximum(divisor, 1)
    works = np.zeros((len(options), len(place)), dtype=bool)
    for row, option in enumerate(options):
        clock.require()
        after = game.option_place(option.part, option.changed)
        at = {x: np.broadcast_to(_value(s, values), place.shape) for x, s in after.items()}
        rules = [_value(s, values) >= 0 for s in game.is_option(option.part, after)]
        works[row] = _formula(game, member, at) == target
        for rule in rules:
            works[row] &= rule
    return works


def _formula(
    game: CaseObligations, member: Mapping[str, int], at: Mapping[str, Integers]
) -> Integers:
    """Return what is said of the Grundy numbers at some places."""
    parameters = {n: total.value(member) for n, total in game.case.parameters.items()}
    formula = parse(game.family.relation)
    given: dict[str, npt.ArrayLike] = {**parameters, **at}
    shape = next(iter(at.values())).shape
    values = np.asarray(formula.evaluate({n: given[n] for n in formula.names}), dtype=np.int64)
    return np.broadcast_to(values, shape)


def _value(total: Affine, values: Mapping[str, Integers]) -> Integers:
    """Return the values of a sum where names have these."""
    numbers: Integers = np.asarray(total.constant, dtype=np.int64)
    for term, c in total.terms:
        factors = [values[n] for n in factors_of(term)]
        numbers = np.asarray(numbers + reduce(np.multiply, factors) * c)
    return numbers
