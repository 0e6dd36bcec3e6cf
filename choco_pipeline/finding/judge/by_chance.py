"""Randomised bars: a statement that is right for many of them says nothing about the game.

The heights of a game are moved up or down by 1 here and there, about once for each step that they make. Slopes and
size stay, and whatever follows from these alone stays true: that z ≥ y at the P-positions of low bars, say, or that
high bars are Nim. What follows from where the steps are does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games import Ruleset, WithPass, parse_ruleset
from choco_pipeline.games.height import Height
from choco_pipeline.games.rules import Limit, Rules
from choco_pipeline.mining.recurrences import DIGIT_FUNCTIONS
from choco_pipeline.mining.table_findings import (
    CountFinding,
    Finding,
    IntegerSequence,
    TermRelation,
)
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity, quantity_for

#: Number of randomised bars for a game, and number of them for which a reported statement must not be right.
BARS, MANY = 8, 4
#: Bounds of their tables, by the number of coordinates.
BOUNDS = {2: 80, 3: 40}
#: The searches whose results may be words, by the kind of result.
SEARCHES: dict[str, str] = {
    "count": "counts",
    "cellular": "cellular",
    "blocks": "blocks",
}


@dataclass(frozen=True, eq=False)
class HeightByChance(Height):
    """A height function with random steps up and down; beyond `size` it is constant."""

    like: Height
    arguments: int
    seed: int
    size: int

    @property
    def notation(self) -> str:
        """The notation of the original, and the seed."""
        return f"chance({self.like.notation}, {self.seed})"

    def __call__(self, *at: int) -> int:
        """Return one height."""
        return int(self._drawn[tuple(min(n, self.size - 1) for n in at)])

    @cached_property
    def _drawn(self) -> NDArray[np.int64]:
        random = np.random.default_rng(self.seed)
        heights = self.like.table(*[self.size] * self.arguments).astype(np.int64)
        steps = max(1, int(heights.max() - heights.min()))
        rate = min(1.0, steps / (self.size * self.arguments))
        moved = heights + random.integers(-1, 2, heights.shape) * (
            random.random(heights.shape) < rate
        )
        moved = np.maximum(moved, 0)
        for axis in range(self.arguments):
            moved = np.maximum.accumulate(moved, axis=axis)
        return moved

    def _values(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        places = [np.minimum(np.arange(r.start, r.stop), self.size - 1) for r in ranges]
        values: NDArray[np.int64] = self._drawn[np.ix_(*places)]
        return values


@dataclass(frozen=True)
class BarByChance(Ruleset):
    """A bar with randomised heights and the other rules of the original."""

    like: Ruleset
    seed: int
    size: int = field(default=0, compare=False)

    @cached_property
    def rules(self) -> Rules:
        """The rules with the randomised heights."""
        rules = self.like.rules
        ((up, limit),) = rules.limits.items()
        height = HeightByChance(limit.height, len(limit.of), self.seed, self.size)
        return replace(rules, limits={up: Limit(height, limit.of)})

    @property
    def notation(self) -> str:
        """The notation of the original, and the seed."""
        return f"chance({self.like.notation}, {self.seed})"


def bars_by_chance(game: str) -> tuple[Ruleset, ...]:
    """Return the randomised bars of a game; none if it is no bar."""
    ruleset = parse_ruleset(game)
    base = ruleset.base
    if base.rules.bar is None:
        return ()
    size = BOUNDS[len(base.coordinates)] + 1
    drawn = [BarByChance(base, seed, size) for seed in range(BARS)]
    return tuple(WithPass(bar, ruleset.passes) if ruleset.passes else bar for bar in drawn)


def right_by_chance(statement: FoundStatement, games: Sequence[str]) -> int | None:
    """Return the number of randomised bars for which a statement is right, the least over its games; None if it has no bars."""
    claims = statement.claims
    if not claims and statement.pattern.names:
        return None
    if any(claim.related is not None or claim.is_over_tables for claim in claims):
        return None
    # A bounded statement may be right for all bars up to a small bound.
    if any(claim.reach is not None for claim in claims):
        return None
    of = games if claims else [statement.ruleset]
    numbers = [
        sum(_is_right(statement, game, bar) for bar in bars)
        for game in dict.fromkeys([*of[:1], *of[-1:]])
        if (bars := bars_by_chance(game))
    ]
    return min(numbers, default=None)


def _is_right(statement: FoundStatement, game: str, bar: Ruleset) -> bool:
    try:
        if not statement.claims:
            search = SEARCHES.get(statement.kind)
            return search is not None and says(_mined(bar, search), statement)
        return all(_holds(claim, game, bar) for claim in statement.claims)
    except ChocoError:  # no value, or a table that cannot be computed
        return False


def _holds(claim: Claim, game: str, bar: Ruleset) -> bool:
    quantity = quantity_for(bar, claim.quantities)
    bound, data = _table(bar, quantity)
    cases = claim.cases(claim.match(game) or {})
    verdicts = [
        check_claim(claim, case, bar, bound, data, explains=False).verdict for case in cases
    ]
    return bool(verdicts) and all(isinstance(v, Exhausted | HoldsToBound) for v in verdicts)


@lru_cache(maxsize=64)
def _table(bar: Ruleset, quantity: Quantity) -> tuple[int, xr.Dataset]:
    """Return a bound and the table of a randomised bar."""
    bound = BOUNDS[len(bar.base.coordinates)]
    return bound, table(bar, bound, quantity)


@lru_cache(maxsize=256)
def _mined(bar: Ruleset, search: str) -> Sequence[Finding]:
    """Return the results of a search in the table of a randomised bar."""
    bound, data = _table(bar, "p-positions")
    return mine_table([search], bar, bound, "p-positions", data)


def says(findings: Sequence[Finding], statement: FoundStatement) -> bool:
    """Whether one of the results of a search is the same statement."""
    source = statement.source
    return source is not None and any(
        _has_relations(statement, finding.sequence)
        if isinstance(finding, CountFinding)
        else not finding.nothing and finding.says_as(source.finding)
        for finding in findings
    )


def _has_relations(statement: FoundStatement, sequence: IntegerSequence | None) -> bool:
    """Whether the numbers of P-positions of a randomised bar satisfy the relations of a statement."""
    source = statement.source
    if sequence is None or source is None or not isinstance(source.finding, CountFinding):
        return False
    own = source.finding.sequence
    if own is None or own.what != sequence.what:
        return False
    terms = [0] * sequence.first + list(sequence.terms)
    every = range(len(terms))
    looked_up = {"g": terms} | {name: list(map(f, every)) for name, f in DIGIT_FUNCTIONS.items()}

    def fails(relation: TermRelation, n: int) -> bool:
        if n < relation.start:
            return False
        try:
            formula = parse(relation.formula, functions=looked_up)
            return not formula.value({sequence.index: n}, looked_up)
        except FormulaError:  # beyond the terms that are known
            return False

    places = range(sequence.first, len(terms))
    relations = source.finding.relations
    return bool(relations) and not any(fails(one, n) for one in relations for n in places)
