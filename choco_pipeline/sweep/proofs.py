"""Proofs in a plan: which games are to be proved for all positions, what is then decided, and who does which of them."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.games.notation import read
from choco_pipeline.proof.games.membership import QUANTITIES
from choco_pipeline.proof.proof_orders import ClaimToDecide, GameToProve
from choco_pipeline.provenance import digest
from choco_pipeline.stages import PROVE, PROVE_STATEMENTS, Work
from choco_pipeline.sweep.config import Prove
from choco_pipeline.sweep.expand import Planned

#: Proofs are shared out among about so many work orders, so that several workers share them and end together.
PARTS = 12
#: Whatever their number is, each has at least so many expected seconds of work, beside which starting its processes costs
#: little, and at most so many, for a cluster's sake.
LEAST_SECONDS, MOST_SECONDS = 15.0, 120.0
#: A proof is expected to take 0.3 s and (n/this)² s, where n is the largest number in its ruleset: measured, roughly.
GRUNDY, WITH_PASSES, OTHERS = 3.0, 6.0, 25.0
#: Statements that need no table are shared out among so many work orders.
STATEMENT_PARTS = 4
#: To decide one and to ask the checker takes two seconds, so that an order of fewer hardly pays for its processes.
LEAST_STATEMENTS = 20

Proofs = Sequence[GameToProve]


@dataclass(frozen=True)
class StatementPart:
    """Statements that one job decides."""

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


def shared_out(chosen: Proofs) -> Mapping[str, Proofs]:
    """Return the proofs in parts of about the same work, by a name that follows from what is in it.

    The most expensive go first, each to the part that has least.
    """
    if not chosen:
        return {}
    total = sum(map(expected_seconds, chosen))
    number = math.ceil(total / min(MOST_SECONDS, max(LEAST_SECONDS, total / PARTS)))
    parts: list[list[GameToProve]] = [[] for _ in range(min(number, len(chosen)))]
    loads = [(0.0, i) for i in range(len(parts))]
    for proof in sorted(chosen, key=expected_seconds, reverse=True):
        seconds, i = heapq.heappop(loads)
        parts[i].append(proof)
        heapq.heappush(loads, (seconds + expected_seconds(proof), i))
    return {
        digest({PROVE.name: [[proof.ruleset, proof.relation] for proof in part]}): part
        for part in parts
    }


def statements(wanted: Proofs, catalogue: Catalogue) -> dict[str, StatementPart]:
    """Return which statements on integers are decided for all integers, and which claims for all parameters at once.

    Of a run that proves games, all that are not finite, in parts, and all claims with `for_all`, which may follow from each
    other, in one; each with the largest limits of any game, by a name that follows from what is in it.
    """
    if not wanted:
        return {}
    limits = (max(proof.seconds for proof in wanted), max(proof.memory for proof in wanted))
    claims = sorted(catalogue.claims.values(), key=lambda claim: claim.id)
    on_integers = [claim.id for claim in claims if claim.is_about_integers and not claim.is_finite]
    for_all = [claim.id for claim in claims if claim.statement.for_all is not None]
    number = min(STATEMENT_PARTS, math.ceil(len(on_integers) / LEAST_STATEMENTS))
    parts = {
        part: StatementPart(ids, *limits)
        for part, ids in in_parts(on_integers, PROVE_STATEMENTS, number).items()
    }
    if for_all:
        # The games are part of the order, so that they are decided anew when a file that describes one has changed.
        games = dict(
            item for claim_id in for_all for item in catalogue.claims[claim_id].documents.items()
        )
        parts[digest({"for all": for_all})] = StatementPart(for_all, *limits, games)
    return parts


def in_parts(ids: Iterable[str], work: Work, number: int) -> dict[str, list[str]]:
    """Return ids in at most so many parts of a work, each by a name that follows from what is in it.

    An id's part follows from itself alone, so that one more moves no other.
    """
    parts: dict[int, list[str]] = defaultdict(list)
    for claim_id in ids:
        parts[int(digest(claim_id), 16) % number].append(claim_id)
    return {digest({work.name: sorted(chosen)}): chosen for _, chosen in sorted(parts.items())}


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
