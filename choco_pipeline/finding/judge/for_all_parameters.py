"""Found statements on families that are handed to the prover of families: proved for all parameters, or false for some.

A statement for which tables, and proofs of single games, speak is at most proved for the games that are named. What its condition
says is of infinitely many; `choco_pipeline.proof.for_all` decides that, and says "proved" only if the check of the certificate,
which shares no code with the search, says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from choco_pipeline.claims.kinds import GrundyNumbers, PPositions
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.finding.statements.entries import claims_of
from choco_pipeline.finding.statements.statement import FoundStatement, StatementError, Verdict
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import math_text

#: Seconds for one statement, and for all of a run: what claims asked before is known, and costs nothing.
ONE_SECONDS, ALL_SECONDS = 14.0, 28.0
#: Only these are worth the time: what is refuted, or on one game, is not asked.
ASKED = ("holds", "proved-for-listed")

#: Decides a claim with `for_all`, within so many seconds: the verdict, as `settle_for_all` returns it.
DecideForAll = Callable[[Claim, float], ClaimVerdict]


@dataclass
class ForAllParameters:
    """Who decides statements for all parameters, within the time that is left of a run's."""

    decide: DecideForAll
    spent: float = field(default=0.0)

    def decided(self, statement: FoundStatement) -> FoundStatement:
        """Return a statement with the verdict on all parameters, if there is one; else as it is, with why there is none."""
        claim = claim_for_all(statement)
        seconds = min(ONE_SECONDS, ALL_SECONDS - self.spent)
        if claim is None or seconds <= 0:
            return statement
        start = time.monotonic()
        found = self.decide(claim, seconds)
        self.spent += time.monotonic() - start
        return statement.with_verdict(_verdict(statement, claim, found))


def claim_for_all(statement: FoundStatement) -> Claim | None:
    """Return the claim that a statement on a family is for all parameters; None if it is no such statement.

    Its formula must speak of all positions, or of those up to a bound: without exceptions or cases.
    """
    if not statement.pattern.names or statement.verdict.status not in ASKED:
        return None
    try:
        claims = claims_of(statement)
    except StatementError:
        return None
    if len(claims) != 1 or statement.exceptions:
        return None
    (claim,) = claims
    said, check = claim.statement, claim.check
    if not isinstance(check, PPositions | GrundyNumbers) or check.where is not None:
        return None
    if said.let or said.every or said.some:
        return None
    everything = " and ".join(f"{name} >= 0" for name in sorted(statement.pattern.names))
    condition = said.when or parse(everything)
    return replace(claim, statement=said.model_copy(update={"for_all": condition}))


def _verdict(statement: FoundStatement, claim: Claim, found: ClaimVerdict) -> Verdict:
    before = statement.verdict
    if found.for_all is None:  # then it is refuted for single ones
        where = ", ".join(f"{name} = {value}" for name, value in found.parameters.items())
        return Verdict("refuted", f"{where}: {found.text}")
    of = found.for_all.text
    if not found.is_proved or found.certificate is None:
        return replace(before, text=f"{before.text}; not decided for {of} at once: {found.why}")
    kept: tuple[str, ...] = (found.certificate,)
    reach = claim.statement.reach
    if reach is not None:
        of = f"{of}, for coordinates up to {math_text(reach.text)}"
        # "and no further" is a statement of its own: that every member has a failure just beyond the bound
        beyond = found.false_everywhere
        if beyond is None or beyond.certificate is None:
            text = f"{before.text}; proved for {of}, but not that it fails beyond them"
            return replace(before, text=text, certificates=(*before.certificates, *kept))
        of, kept = f"{of}, and false for each just beyond them", (*kept, beyond.certificate)
    engines = " and by ".join(found.evidence["engines"])
    text = f"proved for {of}: all conditions, written anew from the game, are unsatisfiable by {engines}"
    return Verdict("proved", text, kept)
