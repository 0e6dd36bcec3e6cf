"""What came of a search for the proof of a game: what a run writes of it, and what a ledger and a page read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from choco_pipeline.claims.language.verdict import VerdictKind, VerdictRecord
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.mining.closed_forms.atoms import Length, length
from choco_pipeline.mining.closed_forms.cases import FormulaCase


class PositionCounts(RecordModel):
    """How many positions with one Grundy number have all coordinates below 2^n, for n from 0 on."""

    #: That are left.
    passes: int
    #: The Grundy number; 0 for P-positions.
    value: int = 0
    #: The first of the counts; as many as the recurrence needs, or more.
    first: tuple[int, ...]
    #: As text.
    recurrence: str
    #: A closed form, if there is one.
    closed: str | None


class FormulaOfProof(RecordModel):
    """A formula for what is proved, by cases; one case alone may be of a part of the positions."""

    #: All of it in one line, each case with its condition.
    text: str
    cases: tuple[FormulaCase, ...]

    @property
    def size(self) -> Length:
        """How long it is."""
        return length(" ".join(f"{case.formula} {case.where or ''}" for case in self.cases))

    @property
    def rank(self) -> tuple[bool, Length]:
        """What formulas are compared by: first those for all positions, the shortest of them first."""
        is_partial = len(self.cases) == 1 and self.cases[0].where is not None
        return is_partial, self.size


class ProofOutcome(RecordModel):
    """A proof, found or not."""

    ruleset: str | None
    #: None for the proof of a claim, or where it is not known.
    relation: Literal["p", "grundy"] | None
    status: VerdictKind
    why: str
    #: One number for each number of passes left, 0 first.
    states: tuple[int, ...] = ()
    obligations: int = 0
    #: The judges that agree, and why another gives no answer.
    engines: tuple[str, ...] = ()
    no_answer: Mapping[str, str] = {}
    seconds: float
    #: Of a game that did not close, the number of residuals of words of at most 0, 1, 2, … digits.
    growth: tuple[int, ...] = ()
    #: A file.
    certificate: str | None = None
    counts: tuple[PositionCounts, ...] = ()
    formula: FormulaOfProof | None = None

    @property
    def is_proved(self) -> bool:
        """Whether it was found."""
        return self.status == "proved"

    @classmethod
    def nothing(
        cls,
        why: str,
        seconds: float,
        ruleset: str | None = None,
        relation: Literal["p", "grundy"] | None = None,
        certificate: str | None = None,
    ) -> ProofOutcome:
        """Return what there is to say where nothing was found."""
        return cls(
            ruleset=ruleset,
            relation=relation,
            status="undecided",
            why=why,
            seconds=round(seconds, 4),
            certificate=certificate,
        )


class GameProof(ProofOutcome):
    """What came of a search that a run has asked for."""

    ruleset: str
    relation: Literal["p", "grundy"]
    #: Which asked for it first.
    sweep: str
    #: The game's, in that sweep.
    parameters: Mapping[str, Any]


class ClaimProofOutcome(ProofOutcome):
    """The proof of a claim, made again from its certificate; `status` and `why` are the verdict's name and its text."""

    #: The formal statement, and the integers for which it is decided.
    claim: Mapping[str, Any]
    names: Mapping[str, int]
    verdict: VerdictRecord
    evidence: Mapping[str, Any]
