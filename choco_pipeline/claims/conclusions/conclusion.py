"""Outcomes of claims and found statements, and rows of a ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from choco_pipeline.documents.model import RecordModel

#: The outcome of all verdicts on a statement, worst first. Documents and the style sheet of pages use the same names.
Outcome = Literal[
    "refuted",
    "undecided",
    "unchecked",
    "vacuous",
    "holds-to-bound",
    "exhausted",
    "proved-for-listed",
    "proved",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
STRONGEST_FIRST = OUTCOMES[::-1]

#: Sign and words of each outcome. Colour is never the only mark, and a bound never looks like a proof.
SIGNS: Mapping[Outcome, tuple[str, str]] = {
    "refuted": ("✗", "refuted"),
    "undecided": ("?", "undecided"),
    "unchecked": ("–", "not checked"),
    "vacuous": ("∅", "vacuous"),
    "holds-to-bound": ("◐", "holding to the bound"),
    "exhausted": ("●", "checked in all cases"),
    "proved-for-listed": ("◧", "proved for listed parameters"),
    "proved": ("∎", "proved"),
}
#: The answers to a question in its formal reading, which is often only a part of the question. Other outcomes give no
#: answer.
ANSWERS: Mapping[Outcome, str] = {
    "refuted": "no, in our formal reading",
    "holds-to-bound": "open; yes as far as checked, in our formal reading",
    "exhausted": "yes, in our formal reading",
    "proved-for-listed": "yes for listed parameters, in our formal reading",
    "proved": "yes, in our formal reading",
}


@dataclass(frozen=True)
class Conclusion:
    """The outcome of a found statement; a claim has a `ClaimRow`, with more."""

    #: "unchecked" if the claim language cannot express the statement, so that only a search has tested it.
    verdict: Outcome
    #: One line.
    text: str
    #: Certificate files. If it is proved for all parameters, the first file is the proof of the family of games.
    certificates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict not in OUTCOMES:
            raise ValueError(f"{self.verdict!r}: one of {', '.join(OUTCOMES)} is needed")


def tally(outcomes: Iterable[Outcome], order: Sequence[Outcome] = OUTCOMES) -> dict[Outcome, int]:
    """Count the outcomes that occur.

    Examples
    --------
    >>> tally(["proved", "refuted", "proved"], STRONGEST_FIRST)
    {'proved': 2, 'refuted': 1}
    """
    counts = Counter(outcomes)
    return {outcome: counts[outcome] for outcome in order if counts[outcome]}


def words_of(status: str, outcome: Outcome) -> str:
    """Return the words for an outcome, of a question or of any other statement.

    Examples
    --------
    >>> words_of("question", "refuted"), words_of("conjecture", "refuted")
    ('no, in our formal reading', 'refuted')
    """
    words = SIGNS[outcome][1]
    return ANSWERS.get(outcome, words) if status == "question" else words


PairKind = Literal["misprint", "disagreement"]
Right = Literal["intended", "printed", "neither", "both", "open"]


class Decided(RecordModel):
    """The place of the deciding counterexample."""

    table: str | None
    parameters: Mapping[str, int]
    coordinates: tuple[str, ...]
    position: tuple[int, ...] | None


class EngineAgreement(RecordModel):
    """A set of engines, and the number of proofs on which they agree."""

    engines: tuple[str, ...]
    proofs: int
    #: For each other engine, the first reason why it gave no answer.
    no_answer: Mapping[str, str]


class ClaimRow(RecordModel):
    """The conclusion from all verdicts on a claim."""

    #: The id of the claim.
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
