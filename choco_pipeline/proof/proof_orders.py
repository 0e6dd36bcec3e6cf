"""Work orders of proofs: games to prove, with the claims that are decided on them, and statements to decide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from choco_pipeline.documents.model import RecordModel


class ClaimToDecide(RecordModel):
    """A claim, by its id, with its parameters."""

    claim: str
    parameters: Mapping[str, int]


class GameToProve(RecordModel):
    """What is to be proved of a game.

    Attributes
    ----------
    seconds, memory
        The limits; the memory in GiB.
    sweep, parameters
        The first that asks for it, and the game's parameters in it.
    claims
        That are decided if it is proved.
    """

    ruleset: str
    relation: Literal["p", "grundy"]
    seconds: int
    memory: int
    sweep: str
    parameters: Mapping[str, Any]
    claims: tuple[ClaimToDecide, ...]


def to_prove(
    ruleset: str,
    relation: Literal["p", "grundy"],
    seconds: float,
    memory: float,
    parameters: Mapping[str, int] = MappingProxyType({}),
) -> GameToProve:
    """Return what is to be proved for a person, whom no sweep asks for."""
    return GameToProve(
        ruleset=ruleset,
        relation=relation,
        seconds=seconds,
        memory=memory,
        sweep="",
        parameters=parameters,
        claims=(),
    )


class DecisionOrder(RecordModel):
    """What all orders have to decide claims with.

    Attributes
    ----------
    format
        Of what comes of it.
    code, checker
        Digests of what decides: an order for other code is another one.
    certificates
        The folder.
    claims
        By their ids, as `Claim.as_json` wrote them.
    """

    work: str = ""
    format: int
    code: str = ""
    checker: str = ""
    certificates: str
    claims: Mapping[str, Mapping[str, Any]]


class ProofOrder(DecisionOrder):
    """Games to prove."""

    proofs: tuple[GameToProve, ...]


class StatementProofOrder(DecisionOrder):
    """Statements on integers to decide for all integers, or claims for all parameters at once.

    Attributes
    ----------
    seconds, memory
        Limits of each; the memory in GiB.
    games
        Descriptions of the games of these claims, so that they are decided anew when one has changed.
    """

    seconds: int
    memory: int
    games: Mapping[str, Any] = {}
