"""Orders of proofs: games to prove, with the claims that are decided on them, and statements to decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from choco_pipeline.documents.model import RecordModel


class ClaimToDecide(RecordModel):
    """A claim, by its id, with its parameters."""

    claim: str
    parameters: Mapping[str, int]


class GameToProve(RecordModel):
    """A game and a relation to prove."""

    ruleset: str
    relation: Literal["p", "grundy"]
    #: Limits; the memory in GiB.
    seconds: int
    memory: int
    #: The first sweep that asks for it, and the game's parameters there.
    sweep: str
    parameters: Mapping[str, Any]
    #: Claims to decide on the proved game.
    claims: tuple[ClaimToDecide, ...]


class DecisionOrder(RecordModel):
    """The common part of orders."""

    #: Digests of the deciding code, so that an order for other code is a new order.
    code: str = ""
    checker: str = ""
    #: Folder of certificates.
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
