"""Bounds of the tables on which found statements are tried, and the outcomes.

A claim that ends at some bound, or contradicts a statement far away, names the place where the statement may be wrong. Only a
table of the game up to that place decides between the two. Without such a table the statement is not accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

import numpy as np

from choco_pipeline.claims.checks.evidence import Pass, alone
from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.kinds import Evaluated, PPositions
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    verdict_text,
)
from choco_pipeline.errors import HeightError
from choco_pipeline.finding.comparison import Meaning, environment, meaning, sampled
from choco_pipeline.finding.scope import Parameters
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Call, Integer, render, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.games import Ruleset
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts
from choco_pipeline.mining.table_findings import Evidence
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.cells import Cells, Truths
from choco_pipeline.tables.computing import computation_of
from choco_pipeline.tables.spec import Quantity, variable_of

#: Bound of the table of a game seen: this multiple of the run's bound, or this number;
#: nim-sums end at powers of 2, and formulas with them end at the third or fourth one that is larger than a slope.
FURTHER, BOUND_OF_SEEN = 4, 1024
#: Bound of the table of another game, halved until it takes about `SECONDS` to compute.
BOUND, SECONDS = 256, 0.05
SMALLEST = 12
#: Most seconds for a table that decides between a statement and a claim.
DECIDING_SECONDS = 0.5
#: Heights and moves may change at a number in their formulas: bound as a multiple of the largest number.
PAST = 2
#: A shift by more places makes every coordinate 0.
MOST_PLACES = 64
#: Most positions at which a formula is evaluated if it cannot be solved for the stored coordinate. Most positions that are compared
#: with those of another game, which takes three times as long.
MOST_POSITIONS, MOST_RELATED = 1 << 20, 1 << 18


def bound_of_trial(claim: Claim, game: Ruleset, quantity: Quantity, run: int | None) -> int:
    """Return the bound of a claim's trial table; `run` is that of the run's table."""
    wanted = [BOUND] if run is None else [FURTHER * run, BOUND_OF_SEEN]
    wanted.append(PAST * largest_number(game))
    least = SMALLEST
    if run is not None and claim.check.kind == Evaluated.kind:
        least = run  # a statement may count the positions of a whole table
    for i, bound in enumerate(wanted):
        while bound > least and not is_quick(claim, game, bound, quantity):
            bound = max(bound // 2, least)
        wanted[i] = bound
    return max(wanted)


@lru_cache(maxsize=1024)
def largest_number(game: Ruleset) -> int:
    """Return the largest number in a game's rules, where it may change, or 0."""
    rules = game.base.rules
    heights = (limit.height for limit in rules.limits.values())
    formulas = [height.formula for height in heights if isinstance(height, FormulaHeight)]
    for move in rules.moves:
        parts = [move.at_most, move.unless]
        parts += [*move.by.taken, move.by.where] if isinstance(move.by, Amounts) else []
        formulas += [formula for formula in parts if formula is not None]
    formulas += [] if rules.legal is None else [rules.legal]
    taken = (n for move in rules.moves if isinstance(move.by, tuple) for n in move.by)
    return max((*chain(*map(_numbers, formulas)), *taken), default=0)


def _numbers(formula: Formula) -> Iterator[int]:
    """Yield values of the constant parts of a formula, and powers of 2 of its shifts."""
    for part in walk(parse_nodes(formula.text, None, formula.functions)):
        match part:
            case Binary("<<" | ">>", _, Integer(places)) if places < MOST_PLACES:
                yield 1 << places
            case Integer() | Binary() | Call():
                constant = parse(render(part), functions=formula.functions)
                if not constant.names:
                    with suppress(FormulaError):
                        yield int(constant.value({}))
            case _:
                pass


def is_quick(
    claim: Claim, game: Ruleset, bound: int, quantity: Quantity, seconds: float = SECONDS
) -> bool:
    """Whether a table is computed and compared in about this number of seconds."""
    try:
        if computation_of(game, bound, quantity).seconds > seconds:
            return False
        stored = variable_of(game, quantity).stored
        if stored is not None and claim.related is not None:
            heap = claim.related.moved.get(stored)
            if heap is None or (stored == game.base.rules.free and heap.names <= {stored}):
                return True
            return count_positions(game, bound) <= MOST_RELATED
        if stored is None or claim.outcomes is None:
            return True
        formula, where = claim.outcomes.formula, claim.outcomes.where
        if formula.solve(stored) is not None and (where is None or stored not in where.names):
            return True
        return count_positions(game, bound) <= MOST_POSITIONS
    except HeightError:  # a table of heights that ends before
        return False


def table_of_trial(game: Ruleset, bound: int, quantity: Quantity) -> Cells:
    """Return a table, which must not be changed; small ones are kept in memory."""
    is_small = bound <= BOUND and variable_of(game, quantity).stored is not None
    return (_kept_table if is_small else Cells.computed)(game, bound, quantity)


_kept_table = lru_cache(maxsize=256)(Cells.computed)


@dataclass(frozen=True)
class Disputed:
    """A claim of the catalogue that ends before a statement does, or contradicts it."""

    #: Id of the claim.
    claim: str
    #: Bound of a table that decides.
    bound: int
    #: The contradiction in words, without the subject.
    why: str


def bound_and_dispute(
    claim: Claim, game: Ruleset, quantity: Quantity, run: int | None, catalogue: Catalogue
) -> tuple[int, Disputed | None]:
    """Return the bound of a claim's trial table, and a claim still disputed or None."""
    if claim.shape in RECTANGULAR:  # its table holds all positions
        return max(game.limits(None)), None
    bound = bound_of_trial(claim, game, quantity, run)
    disputes = list(_ended(claim, game.notation, catalogue, bound))
    if run is not None:  # positions are sampled for few games: that takes as long as a trial
        disputes += _contradicted(claim, game.notation, catalogue)
    for dispute in sorted(disputes, key=lambda disputed: disputed.bound):
        if dispute.bound <= bound:
            continue
        if not is_quick(claim, game, dispute.bound, quantity, DECIDING_SECONDS):
            return bound, dispute
        bound = dispute.bound
    return bound, None


def _ended(claim: Claim, game: str, catalogue: Catalogue, bound: int) -> Iterator[Disputed]:
    """Yield claims that say the same up to a size from `bound` on, and no further."""
    own = environment(claim, game)
    if own is None:
        return
    own_end = None if claim.reach is None else int(claim.reach.value(own))
    for other in catalogue.speaking_of(game):
        if other.reach is None or other.determined is None:
            continue
        known = environment(other, game)
        if known is None:
            continue
        end = int(other.reach.value(known))
        if end < bound or (own_end is not None and own_end <= end):
            continue
        differ = _differ(meaning(claim, game), meaning(other, game))
        if differ is not None and not differ.any():
            yield Disputed(other.id, end + 1, f"says so of coordinates up to {end:,} alone")


def _contradicted(claim: Claim, game: str, catalogue: Catalogue) -> Iterator[Disputed]:
    """Yield claims that contradict a claim, each with the least sampled position."""
    own, points = meaning(claim, game), sampled(game)
    largest = np.max([values for name, values in points.items() if name != "p"], axis=0)
    for other in catalogue.speaking_of(game):
        differ = _differ(own, meaning(other, game))
        if differ is not None and differ.any():
            place = min(np.flatnonzero(differ).tolist(), key=largest.__getitem__)
            at = ", ".join(str(values[place]) for values in points.values())
            yield Disputed(other.id, int(largest[place]), f"says something else of ({at})")


def _differ(own: Meaning | None, other: Meaning | None) -> Truths | None:
    """Return positions where two claims contradict each other, None if incomparable."""
    if own is None or other is None:
        return None
    of = "p" if own.of == "p" else other.of
    ours, theirs = own.about(of), other.about(of)
    if of not in ("p", "grundy") or ours is None or theirs is None:
        return None
    differ: Truths = ours.speaks & theirs.speaks & (ours.values != theirs.values)
    return differ


@dataclass(frozen=True)
class MissingMember:
    """A small member of a value set that does not occur: not refuted nor reported."""

    member: int


@dataclass(frozen=True)
class NoValue:
    """A formula without a value for some parameters, such as a%k for k = 0."""


def lacks_values(claim: Claim, case: Parameters) -> bool:
    """Whether the formula of a claim has no value for some parameters, at two places tried."""
    formulas = [
        check.formula if isinstance(check, PPositions) else check.equals
        for check in (claim.outcomes, claim.numbers)
        if check is not None
    ]
    formulas += [] if claim.value_set is None else [claim.value_set.values]
    known = claim.environment(case)

    def has_value(formula: Formula, at: int) -> bool:
        with suppress(FormulaError):
            formula.value(dict.fromkeys(formula.names, at) | known)
            return True
        return False

    return any(not any(has_value(one, at) for at in (0, 1)) for one in formulas)


@dataclass(frozen=True)
class TableTrial:
    """The outcome of a trial on one table."""

    parameters: Parameters
    bound: int
    verdict: (
        Exhausted
        | HoldsToBound
        | Refuted
        | Undecided
        | Vacuous
        | MissingMember
        | NoValue
        | Disputed
    )
    #: The bound of the run's own table of the game; None if the statement was not seen for it.
    run: int | None
    #: Whether it is the whole table of the run, if searches read only a corner of it.
    is_own: bool = False
    #: Repeats a check that refuted the statement, with an explanation of the counterexample.
    explained: Callable[[], Pass[Finding]] | None = field(default=None, compare=False)

    @property
    def is_against(self) -> bool:
        """Whether it contradicts a statement for these parameters."""
        return isinstance(self.verdict, Refuted | MissingMember | NoValue | Disputed)

    @property
    def positions(self) -> int:
        """The number of positions if the statement was right on all of them, else 0."""
        match self.verdict:
            case Exhausted(positions) | HoldsToBound(positions):
                return positions
            case _:
                return 0


def with_trials(before: Evidence, held: Sequence[TableTrial]) -> Evidence:
    """Return the evidence with the trials on further games added.

    A larger table of a game of the run adds nothing.
    """
    new = [trial for trial in held if trial.run is None]
    if not new:
        return before
    positions = sum(trial.positions for trial in new)
    what = f"{before.what}; then {_where(new)}"
    return Evidence(before.positions + positions, what, before.tables + len(new))


def agreement(held: Sequence[TableTrial]) -> str:
    """Return the text for the tables on which a statement was right."""

    def counted(some: Sequence[TableTrial]) -> str:
        tables = f"{len(some)} tables" if len(some) > 1 else "a table"
        return f"all {sum(trial.positions for trial in some):,} positions of {tables}"

    computed = [trial for trial in held if not trial.is_own]
    own = [trial for trial in held if trial.is_own]
    parts = []
    if computed:
        parts.append(f"{counted(computed)} computed to test it: {_where(computed)}")
    if own:
        parts.append(f"{counted(own)} of the run, as a whole, {_bounds(own)}")
    return f"holds for {'; and for '.join(parts)}"


def _where(held: Sequence[TableTrial]) -> str:
    new = [trial for trial in held if trial.run is None]
    further = [trial for trial in held if trial.run is not None and trial.bound > trial.run]
    again = [trial for trial in held if trial.run is not None and trial.bound <= trial.run]
    parts = []
    if new:
        named = all_listed([trial.parameters for trial in new])
        which = f"{named}, not seen before" if named else "a table of the game"
        parts.append(f"{which}, {_bounds(new)}")
    if further:
        larger = "larger tables" if len(further) > 1 else "a larger table"
        parts.append(f"{larger}, {_bounds(further)}")
    if again:
        parts.append(f"a part of what it was found on again, {_bounds(again)}")
    return " and ".join(parts)


def _bounds(held: Sequence[TableTrial]) -> str:
    least, most = (choose(trial.bound for trial in held) for choose in (min, max))
    return f"to bound {most:,}" if least == most else f"to bounds from {least:,} to {most:,}"


def verdict_against(against: Sequence[TableTrial]) -> Conclusion:
    """Return the verdict of trials that contradict a statement."""
    refuting = [trial for trial in against if isinstance(trial.verdict, Refuted)]
    deciding = (refuting or against)[0]
    match deciding.verdict:
        case MissingMember(member):
            text = f"no P-position up to bound {deciding.bound:,} has the value {member:,}"
        case NoValue():
            text = "it has no value"
        case Disputed(claim, _, why):
            text = f"right to bound {deciding.bound:,}, but {claim} {why}"
        case verdict:
            text = verdict_text(
                alone(deciding.explained()).verdict if deciding.explained else verdict
            )
    where = all_listed([deciding.parameters])
    return Conclusion("refuted" if refuting else "undecided", f"{where}: {text}" if where else text)
