"""How far tables must go to decide between a found statement and the claims of a catalogue.

Idea: a claim that says the same up to some bound alone, or something else far away, names the place where the statement may be
wrong. Whether it is, the game decides: a table that goes so far. Where none can be computed, the statement is not said to hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from choco_pipeline.claims.kinds import GrundyNumbers, PPositions
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.finding.judge.bounds import bound_of_trial, is_quick
from choco_pipeline.finding.judge.meaning import Meaning, environment, meaning
from choco_pipeline.finding.judge.sampled_positions import sampled
from choco_pipeline.games import Ruleset
from choco_pipeline.tables.reading.cells import Truths
from choco_pipeline.tables.specs.schema import Quantity

#: A table that decides a dispute is computed in about so many seconds at most.
SECONDS = 0.5


@dataclass(frozen=True)
class Disputed:
    """A claim of the catalogue that ends where a statement goes on, or says something else."""

    #: Its id.
    claim: str
    #: A table that goes so far has the place.
    bound: int
    #: What the claim says, as words with it for a subject.
    why: str


def bound_and_dispute(
    claim: Claim, game: Ruleset, quantity: Quantity, run: int | None, catalogue: Catalogue
) -> tuple[int, Disputed | None]:
    """Return how large the table is on which a claim is tried, and a dispute that it leaves open, if it does.

    Parameters
    ----------
    claim
        What was found.
    game, quantity
        The table.
    run
        The bound of the run's table of the game; None where it has none.
    catalogue
        The claims that are known.
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
        if not is_quick(claim, game, dispute.bound, quantity, SECONDS):
            return bound, dispute
        bound = dispute.bound
    return bound, None


def _ended(claim: Claim, game: str, catalogue: Catalogue, bound: int) -> Iterator[Disputed]:
    """Yield the claims that say the same of a game, and that only up to coordinates, from `bound` on, beyond which `claim` goes."""
    for other in catalogue.speaking_of(game):
        reach, own_reach = other.statement.reach, claim.statement.reach
        known, own = environment(other, game), environment(claim, game)
        if reach is None or known is None or own is None:
            continue
        end = int(reach.value(known))
        if end < bound or not isinstance(other.check, PPositions | GrundyNumbers):
            continue
        if own_reach is not None and own_reach.value(own) <= end:
            continue
        differ = _differ(meaning(claim, game), meaning(other, game))
        if differ is not None and not differ.any():
            yield Disputed(other.id, end + 1, f"says so of coordinates up to {end:,} alone")


def _contradicted(claim: Claim, game: str, catalogue: Catalogue) -> Iterator[Disputed]:
    """Yield the claims that say something else of a sampled position, each with the least such position."""
    own, points = meaning(claim, game), sampled(game)
    largest = np.max([values for name, values in points.items() if name != "p"], axis=0)
    for other in catalogue.speaking_of(game):
        differ = _differ(own, meaning(other, game))
        if differ is not None and differ.any():
            place = min(np.flatnonzero(differ).tolist(), key=largest.__getitem__)
            at = ", ".join(str(values[place]) for values in points.values())
            yield Disputed(other.id, int(largest[place]), f"says something else of ({at})")


def _differ(own: Meaning | None, other: Meaning | None) -> Truths | None:
    """Return at which positions two claims contradict each other; None if they do not speak of the same."""
    if own is None or other is None:
        return None
    of = "p" if own.of == "p" else other.of
    ours, theirs = own.about(of), other.about(of)
    if of not in ("p", "grundy") or ours is None or theirs is None:
        return None
    differ: Truths = ours.speaks & theirs.speaks & (ours.values != theirs.values)
    return differ
