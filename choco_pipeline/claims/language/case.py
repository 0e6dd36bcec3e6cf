"""A claim with its parameters and the table that it is checked on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Undecided,
    Vacuous,
    Verdict,
)
from choco_pipeline.tables.cells import BLOCK, Cells


@dataclass(frozen=True)
class Finding:
    """A verdict, and plain data that supports it."""

    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def with_evidence(self, more: Mapping[str, Any]) -> Finding:
        """Return it with more evidence, or other."""
        return Finding(self.verdict, {**self.evidence, **more})


@dataclass(frozen=True)
class ClaimCase:
    """A claim with its parameters, and the table it is checked on."""

    #: The claim, and its parameters as `Claim.match` returns them.
    claim: Claim
    parameters: Mapping[str, int]
    #: The table.
    cells: Cells
    #: Cells compared together; no finding depends on it.
    block: int = BLOCK
    #: Whether a counterexample says which options show its outcome; that may cost more than the check.
    explains: bool = True

    @cached_property
    def environment(self) -> dict[str, int]:
        """Integers for all names except coordinates."""
        return self.claim.environment(self.parameters)

    @property
    def bound(self) -> int:
        """Bound of the table."""
        return self.cells.bound

    @cached_property
    def reach(self) -> int | None:
        """The largest coordinate that the statement is about; None for any."""
        reach = self.claim.reach
        return None if reach is None else int(reach.value(self.environment))

    @property
    def is_complete(self) -> bool:
        """Whether the table holds every case of the statement."""
        return self.cells.is_whole or (self.reach is not None and self.bound >= self.reach)

    def nothing(self, what: str) -> Verdict:
        """Return the verdict if no position, in words `what`, satisfies the premise."""
        if self.is_complete:
            return Vacuous(f"no {what} satisfies its premise")
        return Undecided(f"no {what} up to bound {self.bound:,} satisfies its premise")

    def agreement(self, settled: int) -> Verdict:
        """Return the verdict if all `settled` positions of this table agree."""
        if self.is_complete:
            return Exhausted(settled)
        return HoldsToBound(settled, self.bound)
