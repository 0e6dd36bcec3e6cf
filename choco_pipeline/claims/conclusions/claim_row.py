"""The rows of a ledger, one for each claim, and its pairs of claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from choco_pipeline.claims.conclusions.conclusion import Outcome
from choco_pipeline.documents.model import RecordModel

PairKind = Literal["misprint", "disagreement"]
Right = Literal["intended", "printed", "neither", "both", "open"]


class Decided(RecordModel):
    """Where the counterexample is that decides: in which table, for which parameters, at which position, if at any."""

    table: str | None
    parameters: Mapping[str, int]
    coordinates: tuple[str, ...]
    position: tuple[int, ...] | None


class EngineAgreement(RecordModel):
    """Which engines agree on some proofs."""

    engines: tuple[str, ...]
    #: On how many.
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
    #: Those of the checks, in short.
    parameters: str
    #: The parameters for which it is proved, "" where it has none or none is.
    proved_for: str
    #: The domain in which it is proved at once, as "all k with …", or "".
    for_all: str
    #: The claims and lemmas that it then follows from in words, or "".
    follows_from: str
    engines: tuple[EngineAgreement, ...]
    #: The least and the greatest of the tables, or None.
    bound: tuple[int, int] | None
    #: Each counted once however many tables hold it.
    positions: int
    #: In all.
    seconds: float
    #: The least counterexample, or None.
    decided: Decided | None
    #: The command that checks it.
    check: str
    #: What repeats the proofs where there are any, else the check.
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
