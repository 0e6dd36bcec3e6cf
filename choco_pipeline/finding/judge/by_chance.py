"""Bars whose heights are about those of a game, and otherwise drawn: what is so in many of them says nothing of the game.

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
from choco_pipeline.finding.statements.statement_line import Kind, StatementLine, parsed
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games import Ruleset, WithPass, parse_ruleset
from choco_pipeline.games.height import Height
from choco_pipeline.games.rules import Limit, Rules
from choco_pipeline.mining.number_sequences.binary_digits import DIGIT_FUNCTIONS
from choco_pipeline.mining.table_findings import (
    CountFinding,
    Finding,
    IntegerSequence,
)
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.schema import Quantity, variable_of

#: So many bars are drawn for a game, and where a statement is right in so many of them it says nothing.
BARS, MANY = 8, 4
#: Bounds of their tables, by the number of coordinates: large enough that chance is seldom right, and quick.
BOUNDS = {2: 80, 3: 40}
#: The searches that find statements which no claim can say.
SEARCHES: dict[Kind, str] = {
    "count": "counts",
    "cellular": "cellular",
    "blocks": "blocks",
}


@dataclass(frozen=True, eq=False)
class HeightByChance(Height):
    """A height with steps up and down drawn into it; beyond `size` it is that of the last place."""

    like: Height
    arguments: int
    seed: int
    size: int

    @property
    def notation(self) -> str:
        """What it is like, and which of those that are drawn."""
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
    """A bar with other heights, drawn; the rest of its rules is that of the bar it is like."""

    like: Ruleset
    seed: int
    size: int = field(default=0, compare=False)

    @cached_property
    def rules(self) -> Rules:
        """The rules with the drawn heights."""
        rules = self.like.rules
        ((up, limit),) = rules.limits.items()
        height = HeightByChance(limit.height, len(limit.of), self.seed, self.size)
        return replace(rules, limits={up: Limit(height, limit.of)})

    @property
    def notation(self) -> str:
        """What it is like, and which of those that are drawn."""
        return f"chance({self.like.notation}, {self.seed})"


def bars_by_chance(game: str) -> tuple[Ruleset, ...]:
    """Return bars about as high as that of a game, with as many passes; none if it is no bar."""
    ruleset = parse_ruleset(game)
    base = ruleset.base
    if base.rules.bar is None:
        return ()
    size = BOUNDS[len(base.coordinates)] + 1
    drawn = [BarByChance(base, seed, size) for seed in range(BARS)]
    return tuple(WithPass(bar, ruleset.passes) if ruleset.passes else bar for bar in drawn)


def right_by_chance(statement: FoundStatement, games: Sequence[str]) -> int | None:
    """Return in how many drawn bars a statement is right, the fewest of the games that it was found for; None if that cannot be tried."""
    claims = statement.claims
    if not claims and statement.pattern.names:
        return None
    if any(claim.related is not None or claim.is_over_tables for claim in claims):
        return None
    # Up to a bound is said where no further is meant, too; and with a small bound, or low bars, drawn ones are right so far.
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
            return _is_said(statement, bar)
        return all(_holds(claim, game, bar) for claim in statement.claims)
    except ChocoError:  # no value, or a table that cannot be computed
        return False


def _holds(claim: Claim, game: str, bar: Ruleset) -> bool:
    usable = [q for q in claim.quantities if variable_of(bar, q).dims]
    quantity: Quantity = "p-positions" if "p-positions" in usable else "grundy"
    bound, data = _table(bar, quantity)
    cases = claim.cases(claim.match(game) or {})
    verdicts = [check_claim(claim, case, bar, bound, data).verdict for case in cases]
    return bool(verdicts) and all(isinstance(v, Exhausted | HoldsToBound) for v in verdicts)


@lru_cache(maxsize=64)
def _table(bar: Ruleset, quantity: Quantity) -> tuple[int, xr.Dataset]:
    """Return a bound and a drawn bar's table."""
    bound = BOUNDS[len(bar.base.coordinates)]
    return bound, table(bar, bound, quantity)


@lru_cache(maxsize=256)
def _mined(bar: Ruleset, search: str) -> Sequence[Finding]:
    """Return what a search finds in a drawn bar's table."""
    bound, data = _table(bar, "p-positions")
    return mine_table([search], bar, bound, "p-positions", data)


def _is_said(statement: FoundStatement, bar: Ruleset) -> bool:
    """Whether the search that found a statement says the same of a drawn bar."""
    search, source = SEARCHES.get(statement.kind), statement.source
    return search is not None and source is not None and says(_mined(bar, search), statement)


def says(findings: Sequence[Finding], statement: FoundStatement) -> bool:
    """Whether one of the findings of a search says what a statement does that the same search found in another table."""
    source = statement.source
    return source is not None and any(
        _has_relations(statement, finding.sequence)
        if isinstance(finding, CountFinding)
        else not finding.nothing and finding.says_as(source.finding)
        for finding in findings
    )


def _has_relations(statement: FoundStatement, sequence: IntegerSequence | None) -> bool:
    """Whether numbers of positions of a drawn bar satisfy the relations that a statement has between those of a game."""
    if sequence is None or (statement.picture or {}).get("what") != sequence.what:
        return False
    terms = [0] * sequence.first + list(sequence.terms)
    every = range(len(terms))
    looked_up = {"g": terms} | {name: list(map(f, every)) for name, f in DIGIT_FUNCTIONS.items()}

    def fails(line: StatementLine, n: int) -> bool:
        at = {sequence.index: n}
        if line.where and not parse(line.where).value(at):
            return False
        try:
            return not parsed(line.formula).value(at, looked_up)
        except FormulaError:  # beyond the terms that are known
            return False

    places = range(sequence.first, len(terms))
    return bool(statement.formulas) and not any(
        fails(line, n) for line in statement.formulas for n in places
    )
