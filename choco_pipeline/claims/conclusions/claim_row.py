"""Rows of a ledger, one for each claim, and pairs of claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from choco_pipeline.claims.conclusions.conclusion import Outcome
from choco_pipeline.documents.model import RecordModel

PairKind = Literal["misprint", "disagreement"]
Right = Literal["intended", "printed", "neither", "both", "open"]


class Decided(RecordModel):
    """The place of the deciding counterexample."""

    table: str | None
    parameters: Mapping[str, int]
    coordinates: tuple[str, ...]
    position: tuple[int, ...] | None


class EngineAgreement(RecordModel):
    """The engines that agree on some proofs."""

    engines: tuple[str, ...]
    #: Number of these proofs.
    proofs: int
    #: The first reason why each other engine gave no answer.
    no_answer: Mapping[str, str]


class ClaimRow(RecordModel):
    """The conclusion from all verdicts on a claim."""

    #: Its id.
    claim: str
    verdict: Outcome
    #: One line.
    text: str
    #: The number of verdicts, and of each kind.
    checks: int
    counts: Mapping[Outcome, int]
    #: The parameters of the checks, abbreviated.
    parameters: str
    #: The parameters for which it is proved, or "".
    proved_for: str
    #: The domain for which it is proved at once, as "all k with …", or "".
    for_all: str
    #: The premises and lemmas of that proof in words, or "".
    follows_from: str
    engines: tuple[EngineAgreement, ...]
    #: The least and the greatest bound of the tables, or None.
    bound: tuple[int, int] | None
    #: Distinct positions.
    positions: int
    #: Sum over all verdicts.
    seconds: float
    #: The least counterexample, or None.
    decided: Decided | None
    #: The command that checks it.
    check: str
    #: The command that repeats the proofs, or the check if there are none.
    command: str


class ClaimPair(RecordModel):
    """A claim that corrects a printed one, or contradicts one of another paper."""

    kind: PairKind
    #: The ids of both claims.
    printed: str
    intended: str
    #: The one that is not refuted; ``both`` if no verdict distinguishes them, ``open`` if one of them is unchecked,
    #: undecided or vacuous.
    right: Right
    #: A sentence.
    text: str
    #: The least counterexample, or None.
    decided: Decided | None
