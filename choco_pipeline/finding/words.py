"""Checks of statements in words: randomised bars, and searches in larger tables.

A statement that is right for many randomised bars says nothing about the game. In a randomised bar, heights are moved up or down by 1
at random places, about once for each step of the heights. Consequences of slopes and size remain: for example that z ≥ y at the
P-positions of low bars, or that high bars are Nim. Consequences of the exact places of the steps are lost.

A rule on pictures says that the number of P-positions among some cells is even. In a large box few cells are P-positions, so only their
neighbourhoods are examined. Each P-position is moved by each step of the rule. The rule is wrong at the cells that are reached an odd
number of times. Cost: sorting as many numbers as there are P-positions times steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.trial import BOUND_OF_SEEN, FURTHER, PAST, largest_number
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games import Ruleset, WithPass, parse_ruleset
from choco_pipeline.games.height import Height
from choco_pipeline.games.rules import Limit, Rules
from choco_pipeline.mining.counts import MOST_TERMS
from choco_pipeline.mining.picture_rules import mine_blocks, mine_cellular
from choco_pipeline.mining.pictures import SIDE
from choco_pipeline.mining.recurrences import DIGIT_FUNCTIONS
from choco_pipeline.mining.table_findings import (
    MOST_NAMED,
    BlocksFinding,
    CellularFinding,
    CountFinding,
    Finding,
    IntegerSequence,
    TermRelation,
)
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.cells import Cells, Ints, Truths, are_positions
from choco_pipeline.tables.computing import cost_of
from choco_pipeline.tables.spec import Quantity, quantity_for

#: Number of randomised bars for a game, and number of them for which a reported statement must not be right.
BARS, MANY = 8, 4
#: Bounds of their tables, by the number of coordinates.
BOUNDS = {2: 80, 3: 40}
#: The searches whose results may be words, by the kind of result.
SEARCHES: dict[str, str] = {"count": "counts", "cellular": "cellular", "blocks": "blocks"}


@dataclass(frozen=True, eq=False)
class HeightByChance(Height):
    """A height function with random steps, constant beyond its array."""

    heights: Ints
    name: str

    @property
    def notation(self) -> str:
        """The notation of its bar."""
        return self.name

    def __call__(self, *at: int) -> int:
        """Return one height."""
        return int(self._values([range(n, n + 1) for n in at]).item())

    def _values(self, ranges: Sequence[range]) -> Ints:
        last = len(self.heights) - 1
        places = [np.minimum(np.arange(r.start, r.stop), last) for r in ranges]
        values: Ints = self.heights[np.ix_(*places)]
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
        rules, random = self.like.rules, np.random.default_rng(self.seed)
        ((up, limit),) = rules.limits.items()
        shape = [self.size] * len(limit.of)
        heights = limit.height.table(*shape).astype(np.int64)
        steps = max(1, int(heights.max() - heights.min()))
        rate = min(1.0, steps / sum(shape))
        moves = random.integers(-1, 2, shape) * (random.random(shape) < rate)
        heights = np.maximum(heights + moves, 0)
        for axis in range(len(shape)):
            heights = np.maximum.accumulate(heights, axis=axis)
        return replace(rules, limits={up: Limit(HeightByChance(heights, self.notation), limit.of)})

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
    """Return the number of randomised bars for which a statement is right, or None.

    It is the smaller number of the first and the last game. It is exact only if it is at least `MANY`.
    """
    claims = statement.claims
    if not claims and statement.pattern.names:
        return None
    if any(claim.related is not None or claim.is_over_tables for claim in claims):
        return None
    # A bounded statement may be right for all bars up to a small bound.
    if any(claim.reach is not None for claim in claims):
        return None
    of = games if claims else [statement.ruleset]
    least = None
    for game in dict.fromkeys([*of[:1], *of[-1:]]):
        bars, wrong = bars_by_chance(game), 0
        for bar in bars:
            wrong += not _is_right(statement, game, bar)
            if wrong > BARS - MANY:  # the usual case
                return BARS - wrong
        if bars:
            least = BARS - wrong if least is None else min(least, BARS - wrong)
    return least


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
    cells, cases = _table(bar, quantity), claim.cases(claim.match(game) or {})
    verdicts = [alone(pass_of_claim(claim, case, cells, explains=False)).verdict for case in cases]
    return bool(verdicts) and all(isinstance(v, Exhausted | HoldsToBound) for v in verdicts)


@lru_cache(maxsize=64)
def _table(bar: Ruleset, quantity: Quantity) -> Cells:
    return Cells.computed(bar, BOUNDS[len(bar.base.coordinates)], quantity)


@lru_cache(maxsize=256)
def _mined(bar: Ruleset, search: str) -> Sequence[Finding]:
    return mine_table([search], _table(bar, "p-positions"))


def says(findings: Sequence[Finding], statement: FoundStatement) -> bool:
    """Whether a statement is among the results of a search."""
    source = statement.source
    return source is not None and any(_is_same(finding, source.finding) for finding in findings)


def _is_same(finding: Finding, own: Finding) -> bool:
    if isinstance(finding, CountFinding) and isinstance(own, CountFinding):
        return _has_relations(own, finding.sequence)
    return not finding.nothing and finding.equals(own)


def _has_relations(finding: CountFinding, sequence: IntegerSequence | None) -> bool:
    """Whether a sequence of another table has the relations of a finding."""
    own = finding.sequence
    if sequence is None or own is None or own.what != sequence.what:
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
    relations = finding.relations
    return bool(relations) and not any(fails(one, n) for one in relations for n in places)


#: Most seconds for a larger table.
SECONDS = 0.5
#: Side of larger pictures; solving for their rules takes some seconds.
LARGER_SIDE = 2 * SIDE
#: Longest step of a rule.
_MARGIN = 8
#: Most columns of a table; they take about a second.
MOST_COLUMNS = 1 << 20
_PICTURES: Mapping[str, Callable[..., Sequence[Finding]]] = {
    "cellular": mine_cellular,
    "blocks": mine_blocks,
}


def searched_again(statement: FoundStatement, tables: Tables) -> tuple[bool, str]:
    """Whether a larger table confirms a statement in words, with a text or ""."""
    source = statement.source
    if source is None or statement.pattern.names:
        return True, ""
    own = (
        (quantity, bound)
        for (name, quantity), bound in tables.bounds.items()
        if name == source.ruleset
    )
    quantity, bound = next(own, (None, 0))
    if quantity is None:
        return True, ""
    game, search = parse_ruleset(source.ruleset), SEARCHES[statement.kind]
    number, mine_pictures = largest_number(game), _PICTURES.get(search)
    larger = _larger(game, bound, quantity, FURTHER * bound)
    if statement.kind == "count":  # no more terms are used
        larger = min(larger, MOST_TERMS - 1)
    may_change = f"the game may change at {number:,}, a number in its rules, and it was searched to bound {larger:,}"
    if number >= larger:
        return False, may_change
    if larger <= bound and (mine_pictures is None or bound <= SIDE):
        return True, ""  # it would be the same search again
    if isinstance(source.finding, CellularFinding | BlocksFinding):
        farther = _farther(source.finding, larger)
        if farther is not None:
            return farther
    where = f"a table to bound {larger:,}"
    if mine_pictures is not None:
        where = f"pictures of side {LARGER_SIDE}"
    try:
        cells = Cells.computed(game, larger, quantity)
        again = mine_pictures(cells, LARGER_SIDE) if mine_pictures else mine_table([search], cells)
    except ChocoError:
        again = []
    if not says(again, statement):
        return False, f"right to bound {bound:,}, and not found in {where}"
    if PAST * number > larger:  # a change may become visible only farther out
        return False, may_change
    return True, f"the same search finds it in {where}"


def _farther(finding: CellularFinding | BlocksFinding, bound: int) -> tuple[bool, str] | None:
    game = parse_ruleset(finding.ruleset)
    bound = _larger(game, bound, "p-positions", max(bound, BOUND_OF_SEEN - 1))
    while (bound + 1) ** 2 > MOST_COLUMNS:
        bound //= 2
    is_right = is_right_to(finding, bound)
    if is_right is None:
        return None
    return is_right, f"it is {'right' if is_right else 'wrong'} in a table to bound {bound:,}"


def _larger(game: Ruleset, bound: int, quantity: Quantity, larger: int) -> int:
    """Return the bound of a larger table that is computed quickly, or the same bound."""
    while larger > bound:
        try:
            if cost_of(game, larger, quantity).seconds <= SECONDS:
                return larger
        except ChocoError:  # heights from a file end earlier
            pass
        larger //= 2
    return bound


def is_right_to(finding: CellularFinding | BlocksFinding, bound: int) -> bool | None:
    """Whether a rule on 3-coordinate pictures is right to a bound; None if unknown."""
    game = parse_ruleset(finding.ruleset)
    if isinstance(finding, CellularFinding):
        terms: Sequence[tuple[int, ...]] = finding.terms
    else:
        terms = [term for relation in finding.relations for term in relation.terms]
    if not terms or any(len(term) != len(game.base.coordinates) for term in terms):
        return None
    rows: list[Ints] = []
    for points in Cells.computed(game, bound, "p-positions").p_positions():
        cells = np.column_stack([points[axis] for axis in finding.axes])
        chosen = (cells <= bound).all(axis=1)
        if finding.passes is not None and "p" in points:
            chosen &= points["p"] == finding.passes
        rows.append(cells[chosen])
    p: Ints = np.concatenate(rows)
    if isinstance(finding, CellularFinding):
        return not any(map(len, _wrong_sums(finding, game, p, bound)))
    return not any(map(len, _wrong_halves(finding, game, p, bound)))


def _wrong_sums(finding: CellularFinding, game: Ruleset, p: Ints, bound: int) -> Iterator[Ints]:
    steps = np.array([(0, 0, 0), *finding.terms])
    odd = _odd_rows([p + step for step in steps], bound)
    wrong: Ints = odd[(odd - steps.min(axis=0) <= bound).all(axis=1)]
    for step in steps if finding.inside else ():
        wrong = wrong[_legal(finding, game, wrong - step)]
    named = finding.exceptions
    if named is None or len(named) > MOST_NAMED:  # then the text does not list all of them
        yield wrong[wrong[:, 0] >= finding.begins]
    else:
        yield wrong[[tuple(cell) not in named for cell in wrong.tolist()]]


def _wrong_halves(finding: BlocksFinding, game: Ruleset, p: Ints, bound: int) -> Iterator[Ints]:
    """Yield cells at which the relation to half the coordinates is wrong, by residue."""
    for relation in finding.relations:
        residue = np.array(relation.residue)
        own = p[((p - residue) % 2 == 0).all(axis=1)]
        halves = [(own - residue) // 2, *(p - np.array(step) for step in relation.terms)]
        cells = 2 * _odd_rows(halves, bound) + residue
        cells = cells[(cells <= bound).all(axis=1) & (cells[:, 0] >= finding.begins)]
        yield cells[_legal(finding, game, cells)]


def _odd_rows(parts: Sequence[Ints], bound: int) -> Ints:
    """Return the rows in an odd number of arrays, each with distinct rows."""
    side = bound + 2 * _MARGIN + 1
    rows = np.concatenate(parts) + _MARGIN
    keys, numbers = np.unique(
        (rows[:, 0] * side + rows[:, 1]) * side + rows[:, 2], return_counts=True
    )
    odd = keys[numbers % 2 == 1]
    return np.column_stack([odd // (side * side), odd // side % side, odd % side]) - _MARGIN


def _legal(finding: CellularFinding | BlocksFinding, game: Ruleset, cells: Ints) -> Truths:
    legal: Truths = np.all(cells >= 0, axis=1)
    legal[legal] = are_positions(game.base, dict(zip(finding.axes, cells[legal].T, strict=True)))
    return legal
