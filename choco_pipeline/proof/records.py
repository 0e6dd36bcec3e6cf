"""Work orders for proofs, records of their outcomes, and the cache across runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import ValidationError

from choco_pipeline.claims.language.verdict import ClaimVerdict, VerdictKind, VerdictRecord
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.mining.closed_forms.synthesis import FormulaCase, Length, length
from choco_pipeline.provenance import digest, file_digest


class ClaimToDecide(RecordModel):
    """A claim, by its id, with its parameters."""

    claim: str
    parameters: Mapping[str, int]


class GameToProve(RecordModel):
    """A game and a relation to prove."""

    ruleset: str
    relation: Literal["p", "grundy"]
    #: Limits; memory in GiB.
    seconds: int
    memory: int
    #: The first sweep with this game, and the game's parameters there.
    sweep: str
    parameters: Mapping[str, Any]
    #: Claims to decide on the proved game.
    claims: tuple[ClaimToDecide, ...]


class DecisionOrder(RecordModel):
    """Fields of all orders."""

    #: Digests of the code, so that changed code makes a new order.
    code: str = ""
    checker: str = ""
    #: Folder of certificates.
    certificates: str
    #: JSON data of claims (`Claim.as_json`), by id.
    claims: Mapping[str, Mapping[str, Any]]


class ProofOrder(DecisionOrder):
    """Games to prove."""

    proofs: tuple[GameToProve, ...]


class StatementProofOrder(DecisionOrder):
    """Statements to decide for all integers, or claims for all parameters."""

    #: Limits of each decision; memory in GiB.
    seconds: int
    memory: int
    #: Descriptions of the games of these claims, so that a changed game makes a new order.
    games: Mapping[str, Any] = {}


class PositionCounts(RecordModel):
    """Numbers of positions with one Grundy number in the boxes of side 2^n."""

    #: Passes left.
    passes: int
    #: The Grundy number; 0 for P-positions.
    value: int = 0
    #: The first counts, at least as many as the order of the recurrence.
    first: tuple[int, ...]
    #: The recurrence as text.
    recurrence: str
    #: A closed form, if there is one.
    closed: str | None


class FormulaOfProof(RecordModel):
    """A formula by cases of a proved game."""

    #: All cases with their conditions, on one line.
    text: str
    cases: tuple[FormulaCase, ...]

    @property
    def size(self) -> Length:
        """The length of all formulas and conditions."""
        return length(" ".join(f"{case.formula} {case.where or ''}" for case in self.cases))

    @property
    def rank(self) -> tuple[bool, Length]:
        """The sort key: formulas for all positions first, then by length."""
        is_partial = len(self.cases) == 1 and self.cases[0].where is not None
        return is_partial, self.size


class ProofOutcome(RecordModel):
    """The outcome of a proof search or of a check."""

    ruleset: str | None
    #: None for a proof of a claim, or if unknown.
    relation: Literal["p", "grundy"] | None
    status: VerdictKind
    why: str
    #: States of the automata for 0, 1, … passes left.
    states: tuple[int, ...] = ()
    obligations: int = 0
    #: The engines that confirm the proof, and the reasons of engines without an answer.
    engines: tuple[str, ...] = ()
    no_answer: Mapping[str, str] = {}
    seconds: float
    #: Without an automaton: the numbers of residuals of words of at most 0, 1, 2, … digits.
    growth: tuple[int, ...] = ()
    #: Path of the certificate.
    certificate: str | None = None
    counts: tuple[PositionCounts, ...] = ()
    formula: FormulaOfProof | None = None

    @property
    def is_proved(self) -> bool:
        """Whether a proof was found."""
        return self.status == "proved"

    @classmethod
    def nothing(cls, why: str, seconds: float, **known: str | None) -> ProofOutcome:
        """Return an undecided outcome; `known` may have ruleset, relation, certificate."""
        fields: dict[str, Any] = {"ruleset": None, "relation": None, "certificate": None, **known}
        return cls(status="undecided", why=why, seconds=round(seconds, 4), **fields)


class GameProof(ProofOutcome):
    """The outcome of a search in a run."""

    ruleset: str
    relation: Literal["p", "grundy"]
    #: The first sweep with this game, and the game's parameters there.
    sweep: str
    parameters: Mapping[str, Any]


class ClaimProofOutcome(ProofOutcome):
    """A repeated proof of a claim; `status` and `why` are its verdict."""

    #: The formal statement, and the values of its fixed integers.
    claim: Mapping[str, Any]
    names: Mapping[str, int]
    verdict: VerdictRecord
    evidence: Mapping[str, Any]


# ---- The cache of searches, with a file for each search.

Outcome = TypeVar("Outcome", GameProof, ClaimVerdict)
#: The format of stored outcomes.
FORMAT = 5


@dataclass(frozen=True)
class Question(Generic[Outcome]):
    """The input of a search, and the cache file of its outcome.

    A cached outcome is used only with the same engines. The certificate of a proof must have the recorded digest. It is not checked
    again; for that see ``choco prove --check``. An undecided outcome is used only if the limits are not larger.
    """

    model: type[Outcome]
    #: Folder of certificates.
    folder: Path
    outcomes: Path
    #: The input, as JSON data.
    inputs: tuple[Any, ...]
    engines: Mapping[str, str]
    #: Seconds and GiB of memory.
    limits: Mapping[str, float]

    @property
    def path(self) -> Path:
        """The file of the outcome."""
        return self.outcomes / f"{digest(list(self.inputs))}.json"

    def find(self) -> Outcome | None:
        """Return the cached outcome; None without a valid one."""
        try:
            known = read_record(self.path)
            if known["question"] != self._digest:
                return None
            outcome = self.model.model_validate(known["outcome"])
            certificate = _certificate(outcome)
            if certificate is not None:
                path = Path(certificate)
                is_valid = path.parent == self.folder and known["sha256"] == file_digest(path)
            else:
                is_final = _status(outcome) == "refuted"
                within = all(self.limits[name] <= known["limits"][name] for name in self.limits)
                is_valid = not outcome.is_proved and (within or is_final)
        except (ChocoError, OSError, KeyError, TypeError, ValidationError):
            return None  # a missing or damaged file
        return outcome if is_valid else None

    def add(self, outcome: Outcome) -> None:
        """Store the outcome of a search."""
        certificate = _certificate(outcome)
        known = {
            "question": self._digest,
            "limits": dict(self.limits),
            "sha256": None if certificate is None else file_digest(Path(certificate)),
            "outcome": outcome.model_dump(mode="json", exclude_unset=True),
        }
        write_record(self.path, known)

    @property
    def _digest(self) -> str:
        return digest([FORMAT, list(self.inputs), dict(self.engines)])


def _certificate(outcome: GameProof | ClaimVerdict) -> str | None:
    """Return the certificate of a proof, or of a refutation for every member."""
    if isinstance(outcome, GameProof) or outcome.certificate is not None:
        return outcome.certificate
    every = outcome.false_everywhere
    return None if every is None else every.certificate


def _status(outcome: GameProof | ClaimVerdict) -> str:
    return outcome.status if isinstance(outcome, GameProof) else outcome.verdict
