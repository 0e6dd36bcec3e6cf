"""Work orders of proofs: games to prove, with the claims that are decided on them, and statements to decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from choco_pipeline.documents.model import RecordModel

#: The key of what comes of an order where a proof was killed by somebody else: it is no answer, and the next run asks again.
KILLED = "killed"


class ClaimToDecide(RecordModel):
    """A claim, by its id, with its parameters."""

    claim: str
    parameters: Mapping[str, int]


class GameToProve(RecordModel):
    """What is to be proved of a game."""

    ruleset: str
    relation: Literal["p", "grundy"]
    #: The limits; the memory in GiB.
    seconds: int
    memory: int
    #: The first that asks for it, and the game's parameters in it.
    sweep: str
    parameters: Mapping[str, Any]
    #: That are decided if it is proved.
    claims: tuple[ClaimToDecide, ...]


class DecisionOrder(RecordModel):
    """What all orders have to decide claims with."""

    work: str = ""
    #: Of what comes of it.
    format: int
    #: Digests of what decides: an order for other code is another one.
    code: str = ""
    checker: str = ""
    #: The folder.
    certificates: str
    #: By their ids, as `Claim.as_json` wrote them.
    claims: Mapping[str, Mapping[str, Any]]


class ProofOrder(DecisionOrder):
    """Games to prove."""

    proofs: tuple[GameToProve, ...]


class StatementProofOrder(DecisionOrder):
    """Statements on integers to decide for all integers, or claims for all parameters at once."""

    #: Limits of each; the memory in GiB.
    seconds: int
    memory: int
    #: Descriptions of the games of these claims, so that they are decided anew when one has changed.
    games: Mapping[str, Any] = {}
