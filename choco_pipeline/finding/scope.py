"""Games of a statement: games of the run, and further games for trials."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import islice, product
from math import lcm
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Finding, HoldsToBound
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import Formula
from choco_pipeline.formula.nodes import Binary, Integer, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import Notation, build, match, read
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.spec import Quantity

#: Number of further games of a family for a trial.
UNSEEN = 12
#: With several parameters: number of further games nearest to those seen, such as s ≥ k if only s < k was seen.
NEAREST = 12
#: With several parameters: number of games as far as possible from all others. Evenly spread choices may all have k > c.
APART = 6
#: Further parameters reach at least this far beyond those seen: each residue modulo 4 occurs four times.
FARTHER = 16
#: Most combinations of parameters from which further games are chosen.
COMBINATIONS = 4000
#: Claims are compared for at most this number of games.
GAMES = 8

#: A game, or its parameters.
Item = TypeVar("Item")
Parameters = Mapping[str, int]


@dataclass(frozen=True)
class Tables:
    """Tables and certificates of a run."""

    #: For each game and quantity, the largest bound of its tables.
    bounds: Mapping[tuple[str, Quantity], int]
    #: For each game that is proved, its certificates: Grundy numbers first.
    certificates: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Returns the run's own table of a game if searches read only a corner of it, else None.
    whole: Callable[[str, Quantity], WholeTable | None] = lambda game, quantity: None

    def matching(self, claim: Claim) -> dict[str, dict[str, int]]:
        """Return the games that a claim is about, with their parameters."""
        pattern = claim.pattern
        assert pattern is not None
        if pattern not in self._matching:
            games = self._games[pattern.name].items()
            matched = ((game, match(pattern, notation)) for game, notation in games)
            self._matching[pattern] = {game: own for game, own in matched if own is not None}
        known = self._matching[pattern]
        return {game: dict(own) for game, own in known.items() if claim.is_about(own)}

    @cached_property
    def _games(self) -> Mapping[str, Mapping[str, Notation]]:
        """The games with their notations, by the name of the ruleset."""
        games: defaultdict[str, dict[str, Notation]] = defaultdict(dict)
        for game, _ in self.bounds:
            notation = read(game)
            games[notation.name][game] = notation
        return games

    @cached_property
    def _matching(self) -> dict[Notation, dict[str, dict[str, int]]]:
        """Cache of matching games by pattern: hundreds of statements share a family."""
        return {}


def games_of(statement: FoundStatement, tables: Tables) -> dict[str, dict[str, int]]:
    """Return the run's games for which a statement was seen, with parameters."""

    def was_seen_for(parameters: Parameters) -> bool:
        if statement.seen:
            return tuple(parameters[name] for name in statement.parameters) in statement.seen
        return all(value in statement.parameters[name] for name, value in parameters.items())

    known = tables.matching(statement.claims[0])
    return {game: own for game, own in known.items() if was_seen_for(own)}


def choices(spans: Mapping[str, Iterable[int]]) -> list[dict[str, int]]:
    """Return the combinations of parameters, at most `COMBINATIONS`."""
    chosen = islice(product(*spans.values()), COMBINATIONS)
    return [dict(zip(spans, values, strict=True)) for values in chosen]


def between(statement: FoundStatement) -> list[dict[str, int]]:
    """Return all parameters between the smallest and the largest values seen."""
    seen = statement.parameters.items()
    return choices({name: range(min(values), max(values) + 1) for name, values in seen})


def choices_seen(statement: FoundStatement) -> list[dict[str, int]]:
    """Return all combinations of the values seen."""
    return choices({name: sorted(set(values)) for name, values in statement.parameters.items()})


def covered_games(statement: FoundStatement, tables: Tables) -> list[str]:
    """Return the games with the condition for which a statement was seen."""
    if not statement.claims:
        return []
    if not statement.pattern.names:
        return list(games_of(statement, tables))
    games = (game_of(statement.claims[0], point) for point in choices_seen(statement))
    return [game.notation for game in games if game is not None]


def new_parameters(
    statement: FoundStatement, tables: Tables, used: Sequence[Parameters] = ()
) -> list[dict[str, int]]:
    """Return further parameters that satisfy a statement's condition, without `used`.

    Games with tables of the run come first, because the condition may not have been learned from them. The others lie between, below
    and above the parameters seen. Half of them are at the ends of the condition, where a wrong condition is most likely to fail.
    """
    if not statement.pattern.names:
        return []
    claim, pattern = statement.claims[0], statement.pattern
    ranges = {}
    for name, values in statement.parameters.items():
        low, high = min(values), max(values)
        more = max(FARTHER, (high - low) // 2)
        ranges[name] = range(max(0, low - more), high + more + 1)
    seen = games_of(statement, tables).values()
    matching = [*tables.matching(claim).values()]
    in_run = [known for known in matching if known not in seen and known not in map(dict, used)]
    taken = [*matching, *map(dict, used)]
    names = list(statement.parameters)

    @cache
    def is_meant(values: tuple[int, ...]) -> bool:
        try:
            return claim.is_about(dict(zip(names, values, strict=True)))
        except ChocoError:  # the condition has no value
            return False

    if len(ranges) == 1:
        ((name, values),) = statement.parameters.items()
        taken += [{name: value} for value in values]
    keys = {tuple(known[name] for name in names) for known in taken}
    fresh = [
        parameters
        for parameters in choices(ranges)
        if (point := tuple(parameters.values())) not in keys
        and is_meant(point)
        and _exists(pattern, tuple(parameters.items()))
    ]
    near: list[dict[str, int]] = []
    if len(ranges) > 1 and fresh:
        points = np.array([[*parameters.values()] for parameters in fresh])
        shown = np.array([[other[name] for name in names] for other in seen]).reshape(
            -1, len(names)
        )
        distances = np.abs(points[:, None] - shown).sum(axis=2).min(axis=1, initial=1 << 40)
        near = [fresh[i] for i in np.argsort(distances, kind="stable")[:NEAREST]]
        fresh = [p for p in fresh if p not in near]
    moduli = (
        part.right.value
        for part in (walk(parse_nodes(statement.when)) if statement.when else ())
        if isinstance(part, Binary) and part.operator == "%" and isinstance(part.right, Integer)
    )
    step = lcm(*moduli)  # a move of a parameter by this keeps all residues

    def is_at_an_end(parameters: Parameters) -> bool:
        """Whether the condition on the parameters fails one step away."""
        values = tuple(parameters.values())
        moved = (
            (*values[:i], values[i] + way * step, *values[i + 1 :])
            for i in range(len(values))
            for way in (-1, 1)
        )
        return any(min(other) >= 0 and not is_meant(other) for other in moved)

    ends = spread([p for p in fresh if is_at_an_end(p)], UNSEEN // 2)
    others = spread([p for p in fresh if p not in ends], UNSEEN - len(ends))
    apart = _farthest(fresh, [*taken, *near, *ends, *others], APART) if len(ranges) > 1 else []
    chosen = [*near, *ends, *others, *apart]
    return in_run + sorted(chosen, key=lambda parameters: tuple(parameters.values()))


def further_games(statement: FoundStatement, tables: Tables) -> list[str]:
    """Return the games with `new_parameters`."""
    asked = (game_of(statement.claims[0], known) for known in new_parameters(statement, tables))
    return [game.notation for game in asked if game is not None]


def spread(items: Sequence[Item], most: int = GAMES) -> list[Item]:
    """Return at most `most` of the items, evenly spread from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def _farthest(
    possible: Sequence[dict[str, int]], others: Sequence[Parameters], most: int
) -> list[dict[str, int]]:
    """Return parameters, each the farthest from `others` and from the earlier ones."""
    if not possible:
        return []
    points = np.array([[*point.values()] for point in possible])
    distances = np.full(len(points), np.iinfo(points.dtype).max)
    chosen: list[dict[str, int]] = []
    places = [[other[name] for name in possible[0]] for other in others]
    while len(chosen) < most:
        for place in places:
            np.minimum(distances, np.abs(points - place).sum(axis=1), out=distances)
        farthest = int(distances.argmax())
        if not distances[farthest]:
            break
        chosen.append(possible[farthest])
        places = [points[farthest]]
    return chosen


def game_of(claim: Claim, parameters: Parameters) -> Ruleset | None:
    """Return the game with parameters, if it exists and satisfies the condition."""
    assert claim.pattern is not None
    try:
        is_meant = claim.is_about(parameters)
    except ChocoError:  # the condition has no value
        return None
    return _build(claim.pattern, tuple(parameters.items())) if is_meant else None


@lru_cache(maxsize=1 << 17)
def _exists(pattern: Notation, parameters: tuple[tuple[str, int], ...]) -> bool:
    """Whether the game exists; cached, because it is called thousands of times."""
    return _build(pattern, parameters) is not None


@lru_cache(maxsize=1 << 12)
def _build(pattern: Notation, parameters: tuple[tuple[str, int], ...]) -> Ruleset | None:
    try:
        return build(pattern, dict(parameters), Path())
    except ChocoError:
        return None


#: A key that is equal for claims with the same content on one game.
ContentKey: TypeAlias = tuple[Any, ...]


@dataclass
class WholeTable:
    """A table of the run, with a cache of verdicts by the content of claims.

    A narrowed statement has the same content for its remaining games. Some statements have the content of claims that the run has
    already checked on all cells of its tables.
    """

    cells: Cells
    #: The findings of claims that hold in the table, by content.
    holding: dict[ContentKey, Finding] = field(default_factory=dict)

    def find(self, claim: Claim, case: Mapping[str, int]) -> Finding:
        """Return the verdict of the whole table on a claim."""
        key = content_key(claim, case)
        finding = None if key is None else self.holding.get(key)
        if finding is None:
            finding = alone(pass_of_claim(claim, case, self.cells))
            if key is not None and isinstance(finding.verdict, HoldsToBound):
                self.holding[key] = finding
        return finding


def content_key(claim: Claim, case: Mapping[str, int]) -> ContentKey | None:
    """Return the key of a claim's content for a game; None for kinds without one."""
    check = claim.outcomes or claim.numbers or claim.value_set
    if check is None:
        return None
    integers, reach = claim.environment(case), claim.reach
    parts = (
        (name, part.substitute(integers).text if isinstance(part, Formula) else part)
        for name, part in vars(check).items()
    )
    return None if reach is None else int(reach.value(integers)), check.kind, *parts
