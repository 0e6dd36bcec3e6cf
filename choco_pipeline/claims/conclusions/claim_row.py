"""What a run says of each claim, and of claims that disagree: the rows and the pairs of a ledger."""

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
    """Which engines agree on some proofs.

    Attributes
    ----------
    proofs
        On how many.
    no_answer
        Of the others that were asked, the first reason why they say nothing.
    """

    engines: tuple[str, ...]
    proofs: int
    no_answer: Mapping[str, str]


class ClaimRow(RecordModel):
    """What all verdicts on a claim come to.

    Attributes
    ----------
    claim
        Its id.
    text
        One line.
    checks, counts
        The number of verdicts, and of each kind.
    parameters
        Those of the checks, in short.
    proved_for
        The parameters for which it is proved, "" where it has none or none is.
    for_all
        Those among them for all of which it is proved at once, as "all k with …", or "".
    follows_from
        The claims and lemmas that it then follows from in words, or "".
    bound
        The least and the greatest of the tables, or None.
    positions
        Each counted once however many tables hold it.
    seconds
        In all.
    decided
        The least counterexample, or None.
    check
        The command that checks it.
    command
        What repeats the proofs where there are any, else the check.
    """

    claim: str
    verdict: Outcome
    text: str
    checks: int
    counts: Mapping[Outcome, int]
    parameters: str
    proved_for: str
    for_all: str
    follows_from: str
    engines: tuple[EngineAgreement, ...]
    bound: tuple[int, int] | None
    positions: int
    seconds: float
    decided: Decided | None
    check: str
    command: str


class ClaimPair(RecordModel):
    """A claim that corrects a printed one, or contradicts one of another paper.

    Attributes
    ----------
    printed, intended
        The ids.
    right
        Which of them is not refuted; ``both`` if they are not told apart so far, ``open`` if one of them is unchecked,
        undecided or vacuous.
    text
        A sentence.
    decided
        The least counterexample, or None.
    """

    kind: PairKind
    printed: str
    intended: str
    right: Right
    text: str
    decided: Decided | None
