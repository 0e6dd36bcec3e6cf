"""The outcomes of claims and of found statements, with their signs and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

#: The outcome of all verdicts on a statement, worst first: a kind of verdict, one that only a statement with parameters has, or none.
#: Documents and the style sheet of pages call it so, too.
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

#: Sign and words of each, wherever it is written: colour is never alone, and a bound never looks like a proof.
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
#: The answer that an outcome gives to a question. Only its formal reading is true or not, which is often a part of the question or an
#: answer that somebody proposes. None of the outcomes that are not here says anything.
ANSWERS: Mapping[Outcome, str] = {
    "refuted": "no, as read here",
    "holds-to-bound": "open; yes as far as checked, as read here",
    "exhausted": "yes, as read here",
    "proved-for-listed": "yes for listed parameters, as read here",
    "proved": "yes, as read here",
}


@dataclass(frozen=True)
class Conclusion:
    """The outcome of a found statement; a claim has a `ClaimRow`, with more."""

    #: The outcome; "unchecked" where the claim language cannot say the statement, so that nothing but a search has looked at it.
    verdict: Outcome
    #: One line.
    text: str
    #: Of a family that is proved for all parameters the first is the proof of a family of games.
    certificates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict not in OUTCOMES:
            raise ValueError(f"{self.verdict!r}: one of {', '.join(OUTCOMES)} is needed")


def tally(outcomes: Iterable[Outcome], order: Sequence[Outcome] = OUTCOMES) -> dict[Outcome, int]:
    """Return how often each outcome occurs, of those that do.

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
    ('no, as read here', 'refuted')
    """
    words = SIGNS[outcome][1]
    return ANSWERS.get(outcome, words) if status == "question" else words
