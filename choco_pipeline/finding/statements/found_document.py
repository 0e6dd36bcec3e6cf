"""The document ``found.json``: found statements and searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import PlainSerializer, PlainValidator

from choco_pipeline.documents.model import RecordModel
from choco_pipeline.documents.record import read_record_as, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.mining.table_findings import Tried
from choco_pipeline.stages import KILLED


def _statement(given: object) -> FoundStatement:
    if isinstance(given, FoundStatement):
        return given
    if not isinstance(given, dict):
        raise ValueError("a found statement is needed")
    try:
        return FoundStatement.from_json(given)
    except ChocoError as error:
        raise ValueError(str(error)) from error


class Searched(RecordModel):
    """One search: its name, games and number of candidates, and the reason if it found nothing."""

    what: str
    game: str
    tried: Tried
    nothing: bool
    why: str | None = None


def not_reported(statement: FoundStatement, why: str) -> Searched:
    """Return a statement that is not reported as a search that found nothing, with the reason."""
    return Searched(
        what=statement.text, game=statement.ruleset, tried=statement.tried, nothing=True, why=why
    )


class Proposals(NamedTuple):
    """The result of a search."""

    #: What holds on data that was held out, and, with the verdict "refuted", what does not.
    statements: Sequence[FoundStatement] = ()
    #: What too few tables distinguish from chance.
    doubtful: Sequence[FoundStatement] = ()
    #: The searches, with the reason for those that found nothing.
    searches: Sequence[Searched] = ()

    @classmethod
    def merged(cls, parts: Iterable[Proposals]) -> Proposals:
        """Return the proposals of several searches, in their order."""
        several = list(parts)
        return cls(
            [statement for part in several for statement in part.statements],
            [statement for part in several for statement in part.doubtful],
            [search for part in several for search in part.searches],
        )


class FoundDocument(RecordModel):
    """Statements, best first, and all searches."""

    format: Literal[2] = 2
    statements: tuple[
        Annotated[
            FoundStatement, PlainValidator(_statement), PlainSerializer(FoundStatement.as_json)
        ],
        ...,
    ]
    searches: tuple[Searched, ...]
    #: Whether a process that decides was killed from outside: `KILLED`, written only if so.
    killed: bool = False

    @classmethod
    def read(cls, path: Path) -> FoundDocument:
        """Return a document; `StoreError` if it cannot be read, is damaged or is of another version."""
        return read_record_as(cls, path)

    @classmethod
    def of_outcome(cls, outcome: Mapping[str, Any]) -> FoundDocument:
        """Return the statements and searches in the result of a job."""
        return cls.model_validate({key: outcome[key] for key in ("statements", "searches")})

    def write(self, path: Path) -> None:
        """Write it atomically."""
        write_record(path, self.document())

    def document(self) -> dict[str, Any]:
        """Return it as plain data."""
        return self.model_dump(mode="json", exclude=None if self.killed else {KILLED})

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of statements and searches."""
        return {"statements": len(self.statements), "searches": len(self.searches)}
