"""What was mined, with the table that it was found in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from choco_pipeline.mining.table_findings import Finding


@dataclass(frozen=True)
class Mined:
    """A finding and the table that it was found in."""

    #: The table: of which game, of what, and how far.
    ruleset: str
    quantity: str
    bound: int
    #: The family that the table's game belongs to, with the names of its parameters, and their values.
    family: str
    parameters: Mapping[str, int]
    #: What a search says of the table.
    finding: Finding

    @property
    def search(self) -> tuple[str, str]:
        """Which family was searched, and for what."""
        return self.family, self.finding.kind

    @property
    def found_nothing(self) -> bool:
        """Whether the search ended with nothing."""
        return self.finding.nothing
