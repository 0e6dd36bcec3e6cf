"""What found statements restate or follow from: claims of the report, and background theorems, which it has no pages for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from choco_pipeline.claims.kinds import PPositions
from choco_pipeline.claims.language.catalogue import load_with_background
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.games.notation import Notation, read


@dataclass(frozen=True)
class RestatedClaim:
    """A claim that a statement restates, or follows from: what it is called, where it stands, and whether the report has it.

    Of a claim that is in neither the report nor the background theorems only the id is known.
    """

    id: str
    number: str = ""
    source: str = ""
    is_in_report: bool = False


@dataclass(frozen=True)
class KnownClaims:
    """Claims by id, and by game the ids of theorems that say of every position whether it is P."""

    claims: Mapping[str, RestatedClaim]
    theorems: Mapping[str, str]

    @classmethod
    def of(cls, ledger_claims: Iterable[LedgerClaim]) -> KnownClaims:
        """Return the claims of a ledger, and the background theorems behind them."""
        claims: dict[str, RestatedClaim] = {}
        theorems: dict[str, str] = {}
        for claim in load_with_background([]).claims.values():
            entry = claim.as_ledger()
            claims[claim.id] = RestatedClaim(claim.id, entry.number, entry.where or "")
            theorems |= _telling(entry)
        for entry in ledger_claims:
            paper = entry.paper.title
            claims[entry.id] = RestatedClaim(entry.id, entry.number, paper, is_in_report=True)
            theorems |= _telling(entry)
        return cls(claims, theorems)

    def named(self, claim_id: str) -> RestatedClaim:
        """Return what is known of a claim."""
        return self.claims.get(claim_id, RestatedClaim(claim_id))

    def telling(self, pattern: Notation) -> RestatedClaim | None:
        """Return the theorem that tells the P-positions of a game, or of all games with parameters; None if none is known."""
        theorem = self.theorems.get(pattern.text)
        return None if theorem is None else self.claims[theorem]


def _telling(claim: LedgerClaim) -> dict[str, str]:
    if claim.status != "theorem" or claim.ruleset is None or claim.kind != PPositions.kind:
        return {}
    formal = Claim.from_json(claim.formal)
    statement = formal.statement
    given = formal.determined
    if given is None or given.where is not None or formal.reach is not None:
        return {}
    if statement.when is not None or statement.every or statement.some:
        return {}
    return {read(claim.ruleset).text: claim.id}
