"""Search results with their tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from choco_pipeline.mining.table_findings import Finding, StatementFinding


@dataclass(frozen=True)
class Mined:
    """A search result and its table."""

    #: The table: game, quantity and bound.
    ruleset: str
    quantity: str
    bound: int
    #: The family of the game, and the values of its parameters.
    family: str
    parameters: Mapping[str, int]
    #: The search result.
    finding: Finding

    @property
    def search(self) -> tuple[str, str]:
        """The family and the name of the search."""
        finding = self.finding
        name = finding.search if isinstance(finding, StatementFinding) else finding.kind
        return self.family, name
