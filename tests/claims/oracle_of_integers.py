"""What claims that no one table decides come to by definition: on integers, on height functions, on numbers of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from choco_pipeline.claims.kinds import Counts, HeightFunctions, Sections
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.formula import FormulaError
from choco_pipeline.statements.meaning import World
from choco_pipeline.statements.tree import Proposition, integers_in_front
from tests.claims.oracle import Outcome, premise_of, section
from tests.definition import grundy_of_heights, monotone


def cases_of(
    said: Proposition, bound: int, fixed: Mapping[str, int] | None = None
) -> Iterator[tuple[tuple[int, ...], bool]]:
    """Yield the integers that a statement speaks of, with whether it is true of them."""
    ranges, body = integers_in_front(said)
    premise = premise_of(body)
    for known in assignments({one.name: one.span for one in ranges}, {"N": bound}):
        world = World(values=known)
        if known.items() >= (fixed or {}).items() and world.holds(premise):
            yield tuple(known[one.name] for one in ranges), world.holds(body)


def outcome_of_integers(said: Proposition, bound: int) -> Outcome:
    """Return what a statement on integers comes to: every case, one by one."""
    truths = dict(cases_of(said, bound))
    failures = [at for at, is_true in truths.items() if not is_true]
    least = min(failures, key=lambda at: (max(map(abs, at), default=0), at), default=None)
    return Outcome(bool(failures), least, not truths)


def outcome_of_sections(check: Sections, bound: int) -> Outcome:
    """Return what a statement on sections comes to: from all centres of small octahedra, square by square."""
    failures, cases = [], 0
    for env in assignments(dict(check.all), {"N": bound}):
        for name, formula in check.let.items():
            env[name] = int(formula.value(env))
        given = tuple(env[name] for name in check.all)
        order = int(check.order.value(env))
        if check.pieces is not None:
            cases += 1
            if len(centres_of(order)) != check.pieces.value(env):
                failures.append(given)
            continue
        assert check.level is not None
        squares = section(order, int(check.level.value(env)), check.halves)
        for i, j in product(range(1, max(i for i, _ in squares) + 1), repeat=2):
            here = {**env, "i": i, "j": j}
            case = next((c for c in check.cases if c.where is None or c.where.value(here)), None)
            if case is None:
                continue
            cases += 1
            said = False
            if case.like is not None:
                n, m, row, column = (int(part.value(here)) for part in case.like)
                said = (row, column) in section(n, m, False)
            if said != ((i, j) in squares):
                failures.append((*given, i, j))
    return Outcome(bool(failures), min(failures, default=None), cases == 0)


@cache
def centres_of(order: int) -> frozenset[tuple[int, int, int]]:
    if order == 0:
        return frozenset({(0, 0, 0)})
    step = 2 ** (order - 1)
    moves = [(s, 0, 0) for s in (step, -step)]
    moves += [(0, s, 0) for s in (step, -step)] + [(0, 0, s) for s in (step, -step)]
    return frozenset(
        (x + a, y + b, z + c) for x, y, z in centres_of(order - 1) for a, b, c in moves
    )


def outcome_of_heights(check: HeightFunctions, bound: int) -> Outcome:
    """Return what a statement on height functions comes to: every monotone one in the box."""
    height = int(check.height.value({"N": bound}))
    for f in monotone(1 if check.arguments == 1 else bound + 1, bound + 1, height):
        has = all(
            check.condition.value(env, {"f": [h for row in f for h in row]})
            for env in assignments(dict(check.all), {"N": bound})
            if check.where is None or check.where.value(env)
        )
        grundy = grundy_of_heights(f)
        right = all(
            grundy(x, y, z) == check.grundy.value({"x": x, "y": y, "z": z})
            for x, row in enumerate(f)
            for z, most in enumerate(row)
            for y in range(most + 1)
        )
        if {"exactly": has != right, "if": has and not right, "only-if": right and not has}[
            check.relation
        ]:
            return Outcome(True)
    return Outcome(False)


def outcome_of_counts(check: Counts, parameter: str, numbers: Mapping[int, int]) -> Outcome:
    """Return what relations between numbers of P-positions come to, as far as the numbers go."""
    largest = max(numbers)
    g: list[Any] = [numbers.get(n) for n in range(largest + 1)]  # None where there is no table
    functions: dict[str, list[Any]] = {"g": g}
    for name, summand in check.sums.items():
        sums = [0]
        for n in range(1, largest + 1):
            try:
                term = int(summand.value({parameter: n}, {"g": g}))
            except (FormulaError, TypeError):  # beyond the last number, or g(0), which is None
                break
            sums.append(sums[-1] + term)
        functions[name] = sums
    looked = 0
    for n in range(1, largest + 1):
        for relation in check.conditions:
            if parameter not in relation.names and n > 1:
                continue
            try:
                truth = relation.value({parameter: n}, functions)
            except (FormulaError, TypeError):  # beyond the last number, or g(0), which is None
                continue
            looked += 1
            if not truth:
                return Outcome(True)
    return Outcome(False, None, not looked)
