"""What claims come to by definition: plain loops over positions and integers, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from math import lcm
from typing import assert_never

from choco_pipeline.claims import kinds
from choco_pipeline.claims.checks.judgement import depends_on_position
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games import Position, RectangularBar, Ruleset, StepBar, StripBar
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError, World
from choco_pipeline.tables.spec import Quantity
from tests.claims.claims import domain, holds, key_of

Env = dict[str, int]


@dataclass(frozen=True)
class Outcome:
    """What is the case."""

    #: Whether the statement is false on what was looked at.
    is_false: bool
    #: The least place that shows it, where the statement is about single places.
    least: tuple[int, ...] | None = None
    #: Whether there was nothing to look at.
    is_empty: bool = False
    #: Number of positions that it is about, and of those that contradict it.
    settled: int = 0
    failures: int = 0


def outcome(
    claim: Claim, parameters: Mapping[str, int], game: Ruleset, bound: int, quantity: Quantity
) -> Outcome:
    """Return what a claim on positions within `bound` comes to.

    Raises `FormulaError` if one of its formulas has no value where it is needed.
    """
    check, env = claim.check, claim.environment(parameters)
    reach = None if claim.reach is None else int(claim.reach.value(env))
    match check:
        case kinds.PPositions() | kinds.GrundyNumbers() | kinds.Evaluated() | kinds.Related():
            return _of_positions(claim, env, game, bound, reach)
        case kinds.Values():
            places = _places(game, bound, quantity, env, check.where, reach)
            p_places = [(at, names) for at, names in places if _is_p(game, at)]
            found = {int(check.of.value(names)) for _, names in p_places}
            failures = [
                at
                for at, names in p_places
                if check.relation != "contains-all"
                and not check.values.value(env | {"v": int(check.of.value(names))})
            ]
            if p_places and reach is not None and bound >= reach and not failures:
                candidates = range(-(1 << 12), 1 << 12)
                members = {v for v in candidates if check.values.value(env | {"v": v})}
                if check.relation != "within" and members - found:
                    return Outcome(True)
            return _least_of(game, failures, p_places)
        case kinds.Count():
            world = _world(claim, env, game, bound)
            places = _within(world, reach)
            return Outcome(not world.holds(claim.proposition), None, not places)
        case kinds.Cellular():
            assert isinstance(game, RectangularBar)
            cells = generation_by_definition(check, int(check.generation.value(env)))
            wrong = [
                base
                for i, j, base in _cells(game)
                if (cells.get((i, j), 0) != 0) != _is_p(game, base)
            ]
            outside = any(
                value and not (1 <= i <= game.m and 1 <= j <= game.n)
                for (i, j), value in cells.items()
            )
            if outside and not wrong:
                return Outcome(True)
            return _least_of(game, wrong, [(base, {}) for _, _, base in _cells(game)])
        case kinds.Octahedron():
            assert isinstance(game, RectangularBar)
            return Outcome(not _is_section(check, game, env))
        case kinds.Columns():
            return Outcome(
                any(
                    not game.is_position(tuple(e.position))
                    or _columns(game, e.position) != list(e.columns)
                    for e in check.examples
                )
            )
        case kinds.PrintedNumbers():
            wrong = [at for at, number in check.numbers if game.grundy(at) != number]
            return _least_of(game, wrong, [((), {})])
        case kinds.Listing():
            places = _places(game, bound, quantity, env, check.where, reach)
            order = [game.coordinates.index(name) for name in check.order]
            p_places = [(at, names) for at, names in places if _is_p(game, at)]
            p_places.sort(key=lambda place: [place[0][i] for i in order])
            values = [int(check.of.value(names)) for _, names in p_places]
            begins = values[: len(check.begins)] == list(check.begins)
            ends = not check.ends or values[-len(check.ends) :] == list(check.ends)
            long = check.length in (None, len(values))
            return Outcome(not (begins and ends and long), None, not values)
        case kinds.Counts() | kinds.HeightFunctions() | kinds.Sections():
            raise ValueError(f"{check.kind} is not decided by one table")
        case _:
            assert_never(check)


def _of_positions(claim: Claim, env: Env, game: Ruleset, bound: int, reach: int | None) -> Outcome:
    """Return what the meaning of a statement comes to at all positions."""
    said, is_evaluated = claim.parts.rest, isinstance(claim.check, kinds.Evaluated)
    world = _world(claim, env, game, bound)
    places = _within(world, reach)
    if is_evaluated and not depends_on_position(said, claim.coordinates):
        places = places[:1]
    premise = premise_of(said)
    if (
        isinstance(said, tree.Implies)
        and isinstance(said.conclusion, tree.Implies)
        and not is_evaluated
    ):
        premise = tree.joined("and", [said.premise, said.conclusion.premise])
    spoken = [at for at in places if world.holds(premise, at)]
    wrong = [at for at in spoken if not _holds(world, said, at, claim)]
    if is_evaluated:  # by the poisoned cell, not by the heaps
        wrong = sorted(map(world.coordinates, wrong), key=lambda at: (world.size(at), at))
    else:
        wrong.sort(key=lambda at: key_of(game, at))
    some = some_option_of(said)
    is_empty = not (spoken if some is None else [at for at in spoken if world.holds(some, at)])
    return Outcome(bool(wrong), next(iter(wrong), None), is_empty, len(spoken), len(wrong))


def _world(claim: Claim, env: Env, game: Ruleset, bound: int) -> World:
    printed, is_whole = claim.statement.printed, claim.is_of_whole_bars
    return World(remembering(game), bound, env, printed, of_whole_bars=is_whole)


def _within(world: World, reach: int | None) -> list[Position]:
    sized = ((at, world.size(world.coordinates(at))) for at in world.positions())
    return [at for at, size in sized if reach is None or size <= reach]


def _holds(world: World, said: tree.Proposition, at: Position, claim: Claim) -> bool:
    """Return whether a statement holds; one that relates two games is false where there is no related position."""
    try:
        return world.holds(said, at)
    except UndefinedError:
        if isinstance(claim.check, kinds.Related):
            return False
        raise


def _places(
    game: Ruleset,
    bound: int,
    quantity: Quantity,
    env: Mapping[str, int],
    where: Formula | None,
    reach: int | None,
) -> list[tuple[Position, Env]]:
    found = []
    for at, names in _domain(game, bound, quantity):
        full = {**env, **names}
        if (reach is None or key_of(game, at)[0] <= reach) and holds(where, full):
            found.append((at, full))
    return found


@lru_cache(64)
def _domain(game: Ruleset, bound: int, quantity: Quantity) -> list[tuple[Position, Env]]:
    return list(domain(game, bound, quantity))


def _least_of(
    game: Ruleset, failures: list[Position], places: list[tuple[Position, Env]]
) -> Outcome:
    least = min(failures, key=lambda at: key_of(game, at), default=None)
    return Outcome(bool(failures), least, not places, len(places), len(failures))


@cache
def remembering(game: Ruleset) -> Ruleset:
    """Return the first of games that are equal, which remembers the Grundy numbers that it was asked for."""
    return game


def _is_p(game: Ruleset, at: Position) -> bool:
    return remembering(game).is_p_position(at)


def _cells(bar: RectangularBar) -> Iterator[tuple[int, int, Position]]:
    for i in range(1, bar.m + 1):
        for j in range(1, bar.n + 1):
            yield i, j, bar.whole(i, j)


def premise_of(proposition: tree.Proposition) -> tree.Proposition:
    """Return what satisfies the premise of some implication of which a statement consists."""
    if isinstance(proposition, tree.Let):
        return replace(proposition, body=premise_of(proposition.body))
    parts = tree.conjuncts(proposition)
    if not all(isinstance(part, tree.Implies) for part in parts):
        return tree.Expression(parse("0 == 0"))
    return tree.joined("or", [part.premise for part in parts])


def some_option_of(proposition: tree.Proposition) -> tree.Proposition | None:
    """Return that there is an option of which a statement about every option speaks; None if it is about anything else."""
    match proposition:
        case tree.Let():
            body = some_option_of(proposition.body)
            return None if body is None else replace(proposition, body=body)
        case tree.Implies(_, conclusion):
            return some_option_of(conclusion)
        case tree.Quantified("every", (tree.OfOption(),) as bindings, body):
            return tree.Quantified("some", bindings, premise_of(body))
        case _:
            return None


def generation_by_definition(check: kinds.Cellular, generation: int) -> dict[tuple[int, int], int]:
    given = {n for n, _, _, _ in check.start}
    grids: dict[int, dict[tuple[int, int], int]] = {}
    for n in range(min(given), generation + 1):
        grid: dict[tuple[int, int], int] = {}
        for at, i, j, value in check.start:
            if at == n:
                grid[i, j] = value
        if n > max(given):
            for dn, di, dj in check.terms:
                for (i, j), value in grids.get(n - dn, {}).items():
                    grid[i + di, j + dj] = grid.get((i + di, j + dj), 0) + value
        grids[n] = {c: v % check.modulo for c, v in grid.items() if v % check.modulo}
    return grids.get(generation, {})


@cache
def section(order: int, level: int, halves: bool) -> frozenset[tuple[int, int]]:
    """Return the squares of a section, from (1, 1), by the octahedra that are near enough; `IndexError` if there are none."""
    at_half = halves and level % 2 == 1
    if halves:
        level //= 2
    low, high = 2**order - level - at_half, 2**order - level
    centres = {(0, 0, 0)} if order >= 0 else set()
    for i in range(order):
        step = 2 ** (order - 1 - i)
        moves = [(s, 0, 0) for s in (step, -step)]
        moves += [(0, s, 0) for s in (step, -step)] + [(0, 0, s) for s in (step, -step)]
        centres = {(x + a, y + b, z + c) for x, y, z in centres for a, b, c in moves}
        centres = {(x, y, z) for x, y, z in centres if low - step <= z <= high + step}
    squares = {(x + y, x - y) for x, y, z in centres if low <= z <= high}
    if not squares:
        raise IndexError((order, level))
    step = 1 if at_half else 2
    corner = min(u for u, _ in squares)
    return frozenset(((u - corner) // step + 1, (v - corner) // step + 1) for u, v in squares)


def _is_section(check: kinds.Octahedron, bar: RectangularBar, env: Env) -> bool:
    """Whether the section, scaled, is the P-cells of a bar."""
    order, level = int(check.order.value(env)), int(check.level.value(env))
    cells = section(order, level, check.halves)
    common = lcm(max(i for i, _ in cells), bar.m)
    is_p = {(i, j) for i, j, base in _cells(bar) if _is_p(bar, base)}
    return _divided(cells, common) == _divided(is_p, common)


def _divided(cells: Set[tuple[int, int]], side: int) -> set[tuple[int, int]]:
    """Return cells of a square, which has cells in its last row, as cells of its division into `side` rows."""
    k = side // max(i for i, _ in cells)
    return {(i * k - a, j * k - b) for i, j in cells for a, b in product(range(k), repeat=2)}


def _columns(game: Ruleset, position: list[int]) -> list[int]:
    base = game.base
    assert isinstance(base, StepBar | StripBar)
    y, z = position[-2:] if isinstance(base, StepBar) else position[1:3]
    return [min(y, (i + base.s) // base.k) + 1 for i in range(z + 1)]
