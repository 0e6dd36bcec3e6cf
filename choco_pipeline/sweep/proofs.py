"""Proofs in a plan: the games to prove for all positions, the claims to decide, and their parts."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.games.notation import read
from choco_pipeline.proof.games.guess import QUANTITIES
from choco_pipeline.proof.records import ClaimToDecide, GameToProve
from choco_pipeline.provenance import digest
from choco_pipeline.sweep.config import Prove
from choco_pipeline.sweep.expand import Planned

#: The proofs of a sweep are cut into parts of about this many expected seconds, so that several workers share them.
PART_SECONDS = 15.0
#: A proof is expected to take 0.3 s and (n/this)² s, where n is the largest number in its ruleset: measured, roughly.
GRUNDY, WITH_PASSES, OTHERS = 3.0, 6.0, 25.0
#: Most parts of the statements that need no table, and the fewest statements that are worth a part: starting its processes takes
#: as long as deciding one.
STATEMENT_PARTS, LEAST_STATEMENTS = 4, 20

Proofs = Sequence[GameToProve]


@dataclass(frozen=True)
class StatementPart:
    """Statements that are decided together."""

    #: Their ids.
    claims: Sequence[str]
    #: The limits; the memory in GiB.
    seconds: int
    memory: int
    #: Descriptions of their games.
    games: Mapping[str, object] = field(default_factory=dict)


def proofs(tables: Sequence[Planned], catalogue: Catalogue) -> Proofs:
    """Return what is to be proved of which game, each once, in the order of the tables."""
    asked: dict[tuple[str, Prove], list[Planned]] = defaultdict(list)
    for planned in tables:
        for relation in planned.prove:
            asked[planned.spec.ruleset, relation].append(planned)
    return [
        GameToProve(
            ruleset=ruleset,
            relation=relation,
            seconds=max(planned.prove_seconds for planned in several),
            memory=max(planned.prove_memory for planned in several),
            sweep=several[0].proving[0],
            parameters=several[0].parameters,
            claims=tuple(
                _claims(
                    ruleset,
                    relation,
                    several,
                    catalogue,
                    by_p=relation == "grundy" and (ruleset, "p") in asked,
                )
            ),
        )
        for (ruleset, relation), several in asked.items()
    ]


def shared_out(chosen: Proofs) -> list[list[GameToProve]]:
    """Return proofs in parts of about the same work.

    The most expensive go first, each to the part that has least.
    """
    number = math.ceil(sum(map(expected_seconds, chosen)) / PART_SECONDS)
    parts: list[list[GameToProve]] = [[] for _ in range(min(number, len(chosen)))]
    loads = [(0.0, i) for i in range(len(parts))]
    for proof in sorted(chosen, key=expected_seconds, reverse=True):
        seconds, i = heapq.heappop(loads)
        parts[i].append(proof)
        heapq.heappush(loads, (seconds + expected_seconds(proof), i))
    return parts


def statements(wanted: Proofs, catalogue: Catalogue) -> list[StatementPart]:
    """Return the claims that a run with proofs decides for all integers or for all parameters, in parts.

    The first part has all claims with `for_all`, because they may follow from each other, and takes longest. The others have the
    claims on integers that are not finite. The limits are the largest of any game.
    """
    if not wanted:
        return []
    limits = (max(proof.seconds for proof in wanted), max(proof.memory for proof in wanted))
    claims = sorted(catalogue.claims.values(), key=lambda claim: claim.id)
    on_integers = [claim.id for claim in claims if claim.is_about_integers and not claim.is_finite]
    for_all = [claim.id for claim in claims if claim.statement.for_all is not None]
    number = min(STATEMENT_PARTS, math.ceil(len(on_integers) / LEAST_STATEMENTS))
    parts = [StatementPart(ids, *limits) for ids in in_parts(on_integers, number)]
    if for_all:
        # Without the games in its order, the part would not be repeated when a file that describes one has changed.
        games = dict(
            item for claim_id in for_all for item in catalogue.claims[claim_id].documents.items()
        )
        parts.insert(0, StatementPart(for_all, *limits, games))
    return parts


def in_parts(ids: Iterable[str], number: int) -> list[list[str]]:
    """Return ids in at most `number` parts. The part of an id follows from the id alone, so one more id moves no other."""
    parts: dict[int, list[str]] = defaultdict(list)
    for claim_id in ids:
        parts[int(digest(claim_id), 16) % number].append(claim_id)
    return [parts[key] for key in sorted(parts)]


def expected_seconds(proof: GameToProve) -> float:
    """Return about how long a proof takes, at most what it may take."""
    ruleset = read(proof.ruleset)
    largest = max(map(abs, ruleset.integers), default=0)
    if proof.relation == "grundy":
        unit = GRUNDY
    else:
        unit = WITH_PASSES if "with-pass" in names_of(ruleset) else OTHERS
    return min(proof.seconds, 0.3 + (largest / unit) ** 2)


def _claims(
    ruleset: str,
    relation: Prove,
    several: Sequence[Planned],
    catalogue: Catalogue,
    *,
    by_p: bool,
) -> Iterator[ClaimToDecide]:
    """Yield the claims that a proof decides, each with its parameters; `by_p` if another one has the P-positions."""
    for claim, parameters in catalogue.fitting(ruleset, QUANTITIES[relation]):
        wanted = any(planned.claims is None or claim.id in planned.claims for planned in several)
        if not (wanted and claim.is_decidable):
            continue
        if not (by_p and "p-positions" in claim.quantities):
            yield ClaimToDecide(claim=claim.id, parameters=parameters)
