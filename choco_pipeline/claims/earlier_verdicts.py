"""Cache of verdicts across runs, so that a claim is checked on a table once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.provenance import digest, library_versions
from choco_pipeline.tables.store import TableEntry

FORMAT = 1


@dataclass
class EarlierVerdicts:
    """The verdicts on one table, or on one statement that needs none: a record of its own in the folder of all runs.

    A verdict is valid for the same checking code and libraries, the same deciding parts of the claim, the same parameters and the
    same cells; the name of its file does not matter. Two kinds are not kept: undecided ones, because time or memory may have been
    short, and those that depend on another game, whose description is no part of the claim.
    """

    #: The record; None to keep none.
    path: Path | None
    #: What the verdicts follow from, beside claims and parameters.
    about: Mapping[str, Any]
    _known: dict[str, Any] = field(default_factory=dict)
    _is_new: bool = False

    def __post_init__(self) -> None:
        """Read the record, if there is one and it is about this."""
        if self.path is None:
            return
        try:
            record = read_record(self.path)
            if record["about"] == self.about:
                self._known = dict(record["verdicts"])
        except (ChocoError, KeyError, TypeError, ValueError):
            pass  # no such file, or nothing that can be read: it is made anew

    @classmethod
    def on_table(
        cls, folder: str | None, code: str, table: str, entry: TableEntry
    ) -> EarlierVerdicts:
        """Return the verdicts on a table, in the folder of those of all runs, None to keep none; its entry's digest is one of all its cells."""
        path = None if folder is None else Path(folder) / f"{table}.json"
        of_table = {
            "ruleset": entry["ruleset"],
            "identity": entry["identity"],
            "bound": entry["bound"],
            "quantity": entry["quantity"],
            "digest": entry["digest"],
        }
        return cls(path, {**_about(code), "table": table, **of_table})

    @classmethod
    def of_statement(cls, folder: str | None, code: str, claim: Claim) -> EarlierVerdicts:
        """Return the verdict on a statement that needs no table, as `on_table`."""
        name = f"{_key(claim, {})}.json"
        path = None if folder is None else Path(folder) / "statements" / name
        return cls(path, {**_about(code), "table": None})

    def find(self, claim: Claim, parameters: Mapping[str, int]) -> ClaimVerdict | None:
        """Return the earlier verdict on a claim; None if there is none."""
        try:
            verdict = ClaimVerdict.model_validate(self._known[_key(claim, parameters)])
        except (KeyError, ValidationError):
            return None
        is_on_this = (verdict.claim, verdict.table, dict(verdict.parameters)) == (
            claim.id,
            self.about["table"],
            dict(parameters),
        )
        return verdict if is_on_this else None

    def add(self, claim: Claim, verdict: ClaimVerdict) -> None:
        """Add a verdict, if it can be used again."""
        # One table gives only a number for a claim that compares several, which stays undecided until then.
        is_decided = verdict.verdict != "undecided" or claim.is_over_tables
        if is_decided and not claim.speaks_of_other_games:
            self._known[_key(claim, verdict.parameters)] = verdict.document()
            self._is_new = True

    def keep(self) -> None:
        """Write the record, if anything was added."""
        if self.path is not None and self._is_new:
            write_record(self.path, {"about": dict(self.about), "verdicts": self._known})


def _about(code: str) -> dict[str, object]:
    return {"format": FORMAT, "code": code, "libraries": library_versions()}


def _key(claim: Claim, parameters: Mapping[str, int]) -> str:
    return digest([claim.as_json(), dict(parameters)])
