"""Bounds of the tables in trials of found statements, also to decide between a statement and a claim.

Idea: a claim that says the same up to some bound alone, or something else far away, names the place where the statement may be
wrong. Whether it is, the game decides: a table that goes so far. Where none can be computed, the statement is not said to hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import xarray as xr

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.errors import HeightError
from choco_pipeline.finding.judge.meaning import Meaning, environment, meaning
from choco_pipeline.finding.judge.sampled_positions import sampled
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Call, Integer, render, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Ruleset
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts
from choco_pipeline.tables.computing.computation import computation_of
from choco_pipeline.tables.computing.cost import seconds_of
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.reading.cells import Truths
from choco_pipeline.tables.specs.position_count import count_positions
from choco_pipeline.tables.specs.schema import Quantity, variable_of

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
#: Most positions at which a formula is evaluated that cannot be solved for the stored coordinate; most positions compared with
#: those of another game, which takes three times as long.
MOST_POSITIONS, MOST_RELATED = 1 << 20, 1 << 18


def bound_of_trial(claim: Claim, game: Ruleset, quantity: Quantity, run: int | None) -> int:
    """Return the bound of the table for the trial of a claim; `run` is the bound of the run's table, or None."""
    wanted = [BOUND] if run is None else [FURTHER * run, BOUND_OF_SEEN]
    wanted.append(PAST * largest_number(game))
    return max(_affordable(claim, game, bound, quantity) for bound in wanted)


@lru_cache(maxsize=1024)
def largest_number(game: Ruleset) -> int:
    """Return the largest number in the rules of a game, where the game may change; 0 if there is none."""
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
    """Yield the values of the constant parts of a formula, and the powers of 2 of its shifts."""
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


def _affordable(claim: Claim, game: Ruleset, bound: int, quantity: Quantity) -> int:
    """Return a bound, halved until its table can be tried or is small."""
    while bound > SMALLEST and not is_quick(claim, game, bound, quantity):
        bound //= 2
    return bound


def is_quick(
    claim: Claim, game: Ruleset, bound: int, quantity: Quantity, seconds: float = SECONDS
) -> bool:
    """Whether a table is computed and compared in about this number of seconds."""
    try:
        if seconds_of(computation_of(game, bound, quantity)) > seconds:
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


def table_of_trial(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    """Return a table, which must not be changed; small ones are kept in memory."""
    is_small = bound <= BOUND and variable_of(game, quantity).stored is not None
    return (_kept_table if is_small else table)(game, bound, quantity)


@lru_cache(maxsize=256)
def _kept_table(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    return table(game, bound, quantity)


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
    """Return the bound of the table for the trial of a claim, and a claim with which it cannot decide, if there is one.

    The bound of the run's table of the game is `run`, None where it has none.
    """
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
    """Yield the claims that say the same up to a size, from `bound` on, beyond which `claim` goes on."""
    for other in catalogue.speaking_of(game):
        reach, own_reach = other.reach, claim.reach
        known, own = environment(other, game), environment(claim, game)
        if reach is None or known is None or own is None:
            continue
        end = int(reach.value(known))
        if end < bound or (other.outcomes is None and other.numbers is None):
            continue
        if own_reach is not None and own_reach.value(own) <= end:
            continue
        differ = _differ(meaning(claim, game), meaning(other, game))
        if differ is not None and not differ.any():
            yield Disputed(other.id, end + 1, f"says so of coordinates up to {end:,} alone")


def _contradicted(claim: Claim, game: str, catalogue: Catalogue) -> Iterator[Disputed]:
    """Yield the claims that contradict a claim at a sampled position, each with the least such position."""
    own, points = meaning(claim, game), sampled(game)
    largest = np.max([values for name, values in points.items() if name != "p"], axis=0)
    for other in catalogue.speaking_of(game):
        differ = _differ(own, meaning(other, game))
        if differ is not None and differ.any():
            place = min(np.flatnonzero(differ).tolist(), key=largest.__getitem__)
            at = ", ".join(str(values[place]) for values in points.values())
            yield Disputed(other.id, int(largest[place]), f"says something else of ({at})")


def _differ(own: Meaning | None, other: Meaning | None) -> Truths | None:
    """Return the positions at which two claims contradict each other; None if they cannot be compared."""
    if own is None or other is None:
        return None
    of = "p" if own.of == "p" else other.of
    ours, theirs = own.about(of), other.about(of)
    if of not in ("p", "grundy") or ours is None or theirs is None:
        return None
    differ: Truths = ours.speaks & theirs.speaks & (ours.values != theirs.values)
    return differ
