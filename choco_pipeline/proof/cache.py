"""Cache of proof searches across runs, with a file for each question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.records import GameProof
from choco_pipeline.provenance import digest, file_digest

Outcome = TypeVar("Outcome", GameProof, ClaimVerdict)
#: The format of stored outcomes.
FORMAT = 5


@dataclass(frozen=True)
class Question(Generic[Outcome]):
    """A question to a search, and the place of its outcome.

    An outcome is used only with the same engines. The certificate of a proof must have the recorded digest; it is not decided
    again, which is the task of ``choco prove --check``. An undecided outcome is used for searches with the same limits or less.
    """

    model: type[Outcome]
    #: Folder of its certificates.
    folder: Path
    outcomes: Path
    #: Plain data.
    asked: tuple[Any, ...]
    engines: Mapping[str, str]
    #: Seconds and GiB of memory.
    limits: Mapping[str, float]

    @property
    def path(self) -> Path:
        """The file of the outcome."""
        return self.outcomes / f"{digest(list(self.asked))}.json"

    def find(self) -> Outcome | None:
        """Return the recorded outcome; None if there is none."""
        try:
            known = read_record(self.path)
            if known["question"] != self._digest:
                return None
            outcome = self.model.model_validate(known["outcome"])
            certificate = _certificate(outcome)
            if certificate is not None:
                path = Path(certificate)
                is_valid = path.parent == self.folder and known["sha256"] == file_digest(path)
            elif outcome.is_proved:
                is_valid = False
            else:
                within = all(self.limits[name] <= known["limits"][name] for name in self.limits)
                is_valid = within or _status(outcome) == "refuted"
        except (ChocoError, OSError, KeyError, TypeError, ValidationError):
            return None  # no such file, or an unreadable one
        return outcome if is_valid else None

    def add(self, outcome: Outcome) -> None:
        """Record the outcome of a search."""
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
        return digest([FORMAT, list(self.asked), dict(self.engines)])


def _certificate(outcome: GameProof | ClaimVerdict) -> str | None:
    """Return the certificate of a proof, or of a refutation for every member."""
    if isinstance(outcome, GameProof) or outcome.certificate is not None:
        return outcome.certificate
    every = outcome.false_everywhere
    return None if every is None else every.certificate


def _status(outcome: GameProof | ClaimVerdict) -> str:
    return outcome.status if isinstance(outcome, GameProof) else outcome.verdict
