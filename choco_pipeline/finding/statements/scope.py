"""Of which games a statement speaks: those of a run that it was seen for, and others to try it on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import lcm
from pathlib import Path

import numpy as np

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.whole_table import WholeTable
from choco_pipeline.formula.nodes import Binary, Integer, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import build
from choco_pipeline.tables.specs.schema import Quantity

#: A statement is tried on so many games of its family that it was not seen for.
UNSEEN = 12
#: Of several parameters so many more, the nearest to those that it was seen for: s ≥ k, where s < k alone was shown.
NEAREST = 12
#: And so many that are as far as can be from all others: those chosen at even distances in a list of pairs may all have k > c.
APART = 6
#: They reach so far beyond those that it was seen for at least: a residue modulo 4 is met four times.
FARTHER = 16
#: Of so many combinations of parameters they are chosen.
COMBINATIONS = 4000

Parameters = Mapping[str, int]


@dataclass(frozen=True)
class Tables:
    """What a run knows of games."""

    #: For each game and quantity, the largest bound of its tables.
    bounds: Mapping[tuple[str, Quantity], int]
    #: For each game that is proved, its certificates: Grundy numbers first.
    certificates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Returns the run's own table of a game if searches have looked at a corner of it alone, else None.
    whole: Callable[[str, Quantity], WholeTable | None] = lambda game, quantity: None

    @property
    def games(self) -> list[str]:
        """All games, each once."""
        return list(dict.fromkeys(game for game, _ in self.bounds))


def games_of(statement: FoundStatement, tables: Tables) -> dict[str, dict[str, int]]:
    """Return the games of a run for which a statement that is a claim was seen, each with its parameters."""
    games = {}
    for game in tables.games:
        parameters = statement.claims[0].match(game)
        if parameters is not None and _was_seen_for(statement, parameters):
            games[game] = parameters
    return games


def _was_seen_for(statement: FoundStatement, parameters: Parameters) -> bool:
    if statement.seen:
        return tuple(parameters[name] for name in statement.parameters) in statement.seen
    return all(value in statement.parameters[name] for name, value in parameters.items())


def between(statement: FoundStatement) -> list[dict[str, int]]:
    """Return all parameters between the smallest and the largest that a statement was seen for, at most `COMBINATIONS`."""
    names = list(statement.parameters)
    ranges = [range(min(values), max(values) + 1) for values in statement.parameters.values()]
    chosen = islice(product(*ranges), COMBINATIONS)
    return [dict(zip(names, values, strict=True)) for values in chosen]


def speaking_of(statement: FoundStatement, tables: Tables) -> list[str]:
    """Return the games that a statement speaks of: those of its family with parameters that it was seen for; none if it is no claim."""
    if not statement.claims:
        return []
    names, claim = list(statement.parameters), statement.claims[0]
    if not statement.pattern.names:
        return list(games_of(statement, tables))
    values = (sorted(set(statement.parameters[name])) for name in names)
    choices = islice(product(*values), COMBINATIONS)
    games = (game_of(claim, dict(zip(names, choice, strict=True))) for choice in choices)
    return [game.notation for game in games if game is not None]


def members(statement: FoundStatement) -> list[str]:
    """Return the games of a statement that need be no claim: its own one, or those of its family with parameters that it was seen for."""
    values = (sorted(set(several)) for several in statement.parameters.values())
    choices = islice(product(*values), COMBINATIONS)
    points = (dict(zip(statement.parameters, choice, strict=True)) for choice in choices)
    return [build(statement.pattern, point, Path()).notation for point in points]


def unseen(
    statement: FoundStatement, tables: Tables, used: Sequence[Parameters] = ()
) -> list[dict[str, int]]:
    """Return parameters that the statement speaks of and was not seen for, none of those that were used already.

    First come those that the run has tables for, all of them: a narrower condition, or one that few games share, was not
    learnt from these. Others are chosen among those that it was seen for, below them and beyond; half of them where a
    condition is about to end: there a wrong one shows.
    """
    if not statement.pattern.names:
        return []
    claim = statement.claims[0]
    ranges = []
    for values in statement.parameters.values():
        low, high = min(values), max(values)
        more = max(FARTHER, (high - low) // 2)
        ranges.append(range(max(0, low - more), high + more + 1))
    seen = games_of(statement, tables).values()
    spoken = [known for game in tables.games if (known := claim.match(game)) is not None]
    in_run = [known for known in spoken if known not in seen and known not in map(dict, used)]
    taken = [*spoken, *map(dict, used)]
    choices = (dict(zip(statement.parameters, values, strict=True)) for values in product(*ranges))
    if len(ranges) == 1:
        ((name, values),) = statement.parameters.items()
        taken += [{name: value} for value in values]
    fresh = [
        parameters
        for parameters in islice(choices, COMBINATIONS)
        if parameters not in taken and game_of(claim, parameters) is not None
    ]
    near = []
    if len(ranges) > 1:
        shown = [*map(dict, seen)]
        near = sorted(fresh, key=lambda p: _distance(p, shown))[:NEAREST]
    fresh = [p for p in fresh if p not in near]
    step = _step(statement.when)
    ends = _spread([p for p in fresh if _is_at_an_end(p, claim, step)], UNSEEN // 2)
    others = _spread([p for p in fresh if p not in ends], UNSEEN - len(ends))
    apart = _apart(fresh, [*taken, *near, *ends, *others], APART) if len(ranges) > 1 else []
    chosen = [*near, *ends, *others, *apart]
    return in_run + sorted(chosen, key=lambda parameters: tuple(parameters.values()))


def further_games(statement: FoundStatement, tables: Tables) -> list[str]:
    """Return games that a statement speaks of and was not seen for, as `unseen` chooses them."""
    asked = (game_of(statement.claims[0], known) for known in unseen(statement, tables))
    return [game.notation for game in asked if game is not None]


def _distance(parameters: Parameters, others: Sequence[Parameters]) -> int:
    """Return how far parameters are from the nearest of others, coordinate by coordinate."""
    distances = (sum(abs(n - other[name]) for name, n in parameters.items()) for other in others)
    return min(distances, default=0)


def _spread(chosen: list[dict[str, int]], most: int) -> list[dict[str, int]]:
    """Return at most so many parameters, the first and the last and others between."""
    if len(chosen) <= most:
        return chosen
    return [chosen[round(i * (len(chosen) - 1) / (most - 1))] for i in range(most)]


def _apart(
    choices: Sequence[dict[str, int]], others: Sequence[Parameters], most: int
) -> list[dict[str, int]]:
    """Return at most so many of some parameters, one after the other the farthest from others and from those before."""
    if not choices:
        return []
    points = np.array([[*point.values()] for point in choices])
    distances = np.full(len(points), np.iinfo(points.dtype).max)
    chosen: list[dict[str, int]] = []
    places = [[other[name] for name in choices[0]] for other in others]
    while len(chosen) < most:
        for place in places:
            np.minimum(distances, np.abs(points - place).sum(axis=1), out=distances)
        farthest = int(distances.argmax())
        if not distances[farthest]:
            break
        chosen.append(choices[farthest])
        places = [points[farthest]]
    return chosen


def _is_at_an_end(parameters: Parameters, claim: Claim, step: int) -> bool:
    """Whether the condition on the parameters fails one step away."""
    moved = (
        {**parameters, name: value + way * step}
        for name, value in parameters.items()
        for way in (-1, 1)
    )
    return any(min(point.values()) >= 0 and not claim.speaks_of(point) for point in moved)


def _step(when: str) -> int:
    """Return how far a parameter may be moved so that all remainders in a condition stay."""
    moduli = []
    for part in walk(parse_nodes(when)) if when else ():
        match part:
            case Binary("%", _, Integer(modulus)):
                moduli.append(modulus)
            case _:
                pass
    return lcm(*moduli)


def game_of(claim: Claim, parameters: Parameters) -> Ruleset | None:
    """Return the game with these parameters, if there is one and the claim speaks of it."""
    assert claim.pattern is not None
    try:
        game = build(claim.pattern, dict(parameters), Path())
        return game if claim.speaks_of(parameters) else None
    except ChocoError:
        return None
