"""Verdicts that cannot both be right: what is proved for all parameters at once, and what is found for single ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from choco_pipeline.claims.conclusions.outcomes import Cases
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.errors import DisagreementError
from choco_pipeline.formula.written.math_text import math_text


def require_agreement(catalogue: Catalogue, verdicts: Iterable[ClaimVerdict]) -> None:
    """Return if no verdict on a claim that is decided for all parameters at once contradicts another one on it.

    Raises `DisagreementError` if the claim is proved for all parameters of a kind, and refuted for some of them; or if it is
    refuted for some, and a proof, or a table that holds the counterexample, says of the same parameters that it is true.
    """
    of_claim: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        if catalogue.claims[verdict.claim].statement.for_all is not None:
            of_claim[verdict.claim].append(verdict)
    for claim_id, several in of_claim.items():
        claim = catalogue.claims[claim_id]
        cases = Cases(claim, several)
        for given, group in cases.by_parameters.items():
            refuted = [verdict for verdict in group if verdict.verdict == "refuted"]
            if not refuted:
                continue
            counterexample = (
                f"{claim_id}: {refuted[0].text}, for {dict(given)} ({_source(refuted[0])})"
            )
            if cases.is_among_all(given):
                condition = math_text(claim.statement.for_all or "")
                raise DisagreementError(f"{counterexample}; proved for all {condition}")
            for verdict in group:
                if any(_contradicts(verdict, other) for other in refuted):
                    raise DisagreementError(
                        f"{counterexample}; {verdict.text} ({_source(verdict)})"
                    )


def _contradicts(verdict: ClaimVerdict, refuted: ClaimVerdict) -> bool:
    """Whether a verdict says that a claim is true at the position where another one says that it is false."""
    if verdict.verdict in ("proved", "exhausted"):
        return True
    position = None if refuted.counterexample is None else refuted.counterexample.position
    within = position is not None and max(position) <= (verdict.bound or -1)
    return verdict.verdict == "holds-to-bound" and within


def _source(verdict: ClaimVerdict) -> str:
    if verdict.table is not None:
        return f"table {verdict.table}"
    return "by proof" if verdict.is_by_proof else "by a check"
