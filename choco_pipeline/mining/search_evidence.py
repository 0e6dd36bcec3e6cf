"""What every finding has: its table, what was tried, on what it was found, and on what else it then held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import JsonValue, SerializerFunctionWrapHandler, model_serializer

from choco_pipeline.documents.model import RecordModel

#: What a claim on a game or a family would say, as a file of claims holds it; without a ruleset it is on the table's game.
ClaimContent = Mapping[str, JsonValue]


class AsGiven(RecordModel):
    """A model of which a document holds what it was given."""

    @model_serializer(mode="wrap")
    def _as_given(self, written: SerializerFunctionWrapHandler) -> Mapping[str, Any]:
        given = self.model_fields_set | {"kind"}
        return {name: value for name, value in written(self).items() if name in given}


class Seen(RecordModel):
    """On how much of a table something was found, or then held, and on which part."""

    positions: int
    what: str


class Candidates(RecordModel):
    """How many candidates a search looked at, and which."""

    candidates: int
    what: str


class SearchOutcome(AsGiven):
    """What all findings have."""

    #: The fields that hold what a finding says, whichever game it says it of.
    SAYS: ClassVar[tuple[str, ...]] = ()

    #: The id of the table, in a run.
    table: str = ""
    #: Of the search.
    kind: str
    #: That the search took, in a run.
    seconds: float = 0.0
    #: What it comes to, in words, and on how much that was found and then held.
    text: str = ""
    found_on: Seen | None = None
    held_on: Seen | None = None
    #: Whether it found nothing.
    nothing: bool = False

    def says_as(self, other: SearchOutcome) -> bool:
        """Whether another finding says the same, of the same game or of another."""
        own = [getattr(self, name) for name in self.SAYS]
        return (
            bool(own)
            and self.kind == other.kind
            and own == [getattr(other, name) for name in self.SAYS]
        )
