"""Large tables of the run, of which searches read a corner, with the checks of claims on them."""

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
from choco_pipeline.tables.reading.cells import TableData

#: A key that is equal for claims with the same content on one game.
Said: TypeAlias = tuple[Any, ...]


@dataclass
class WholeTable:
    """A table of the run.

    What a claim is found to be is kept by what it says: statements are narrowed, and say the same of the games that are left; claims
    of the catalogue are found again, which the run has checked on all cells of all its tables.
    """

    bound: int
    data: TableData
    #: The claims that hold in the table.
    holding: dict[Said, Finding] = field(default_factory=dict)

    def find(self, claim: Claim, case: Mapping[str, int], game: Ruleset) -> Finding:
        """Return the verdict of the whole table on a claim."""
        meant = what_is_said(claim, case)
        finding = None if meant is None else self.holding.get(meant)
        if finding is None:
            finding = check_claim(claim, case, game, self.bound, self.data)
            if meant is not None and isinstance(finding.verdict, HoldsToBound):
                self.holding[meant] = finding
        return finding


def holding_among(checked: Iterable[tuple[Claim, ClaimVerdict]]) -> dict[Said, Finding]:
    """Return the claims that hold in a table, from the checks of the run."""
    holding = (
        (claim, verdict) for claim, verdict in checked if verdict.verdict == "holds-to-bound"
    )
    meanings = (
        (what_is_said(claim, verdict.parameters), verdict.finding) for claim, verdict in holding
    )
    return {meant: finding for meant, finding in meanings if meant is not None}


def what_is_said(claim: Claim, case: Mapping[str, int]) -> Said | None:
    """Return the key of a claim for a game with these parameters; None for kinds that are not compared."""
    check = claim.outcomes or claim.numbers or claim.value_set
    if check is None:
        return None
    integers, reach = claim.environment(case), claim.reach
    parts = (
        (name, part.substitute(integers).text if isinstance(part, Formula) else part)
        for name, part in vars(check).items()
    )
    return None if reach is None else int(reach.value(integers)), check.kind, *parts
