"""A large table of the run as a whole, of which searches have looked at a corner, and what was checked on it already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import HoldsToBound
from choco_pipeline.formula import Formula
from choco_pipeline.games import Ruleset
from choco_pipeline.tables.reading.windows import TableData

#: What a claim says of the positions of one game: equal for claims that say the same, whatever they are called.
Said: TypeAlias = tuple[Any, ...]


@dataclass
class WholeTable:
    """A table of the run.

    What a claim is found to be is kept by what it says: statements are narrowed, and say the same of the games that are left; claims
    of the catalogue are found again, which the run has checked on all cells of all its tables.
    """

    bound: int
    data: TableData
    #: What holds, to the table's bound; of what does not, a counterexample is told in a claim's own words.
    holding: dict[Said, Finding] = field(default_factory=dict)

    def find(self, claim: Claim, case: Mapping[str, int], game: Ruleset) -> Finding:
        """Return what the table says of a claim, all its cells looked at."""
        meant = what_is_said(claim, case)
        finding = None if meant is None else self.holding.get(meant)
        if finding is None:
            finding = check_claim(claim, case, game, self.bound, self.data)
            if meant is not None and isinstance(finding.verdict, HoldsToBound):
                self.holding[meant] = finding
        return finding


def holding_among(checked: Iterable[tuple[Claim, ClaimVerdict]]) -> dict[Said, Finding]:
    """Return what holds of claims that were checked on a table."""
    holding = (
        (claim, verdict) for claim, verdict in checked if verdict.verdict == "holds-to-bound"
    )
    meanings = (
        (what_is_said(claim, verdict.parameters), verdict.finding) for claim, verdict in holding
    )
    return {meant: finding for meant, finding in meanings if meant is not None}


def what_is_said(claim: Claim, case: Mapping[str, int]) -> Said | None:
    """Return what a claim says of a game with these parameters; None of kinds that are not compared."""
    check = claim.outcomes or claim.numbers or claim.value_set
    if check is None:
        return None
    integers, reach = claim.environment(case), claim.reach
    parts = (
        (name, part.substitute(integers).text if isinstance(part, Formula) else part)
        for name, part in vars(check).items()
    )
    return None if reach is None else int(reach.value(integers)), check.kind, *parts
