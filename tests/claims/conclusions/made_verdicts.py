"""Claims and verdicts made by hand, for tests of what verdicts come to."""

from __future__ import annotations

from typing import Any

from choco_pipeline.claims.conclusions.claim_row import ClaimRow
from choco_pipeline.claims.conclusions.rows import rows
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.claims_file import Paper
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Verdict,
)
from tests.claims.written import entry_from

PAPER = Paper(key="drawn", title="On Nothing", authors=["N. N."], reference="preprint")


OTHER = Paper(key="other", title="On Less", authors=["N. N."], reference="preprint")


TABLE_RULESET = "with-pass(strip-bar(k=k, s=s), passes=1)"


def claim(claim_id: str, paper: Paper = PAPER, **more: Any) -> Claim:
    said = {"id": claim_id, "number": f"Claim {claim_id}", "ruleset": TABLE_RULESET}
    said["check"] = {"kind": "p-positions", "formula": "0 == 0"}
    return entry_from({**said, **more}, paper)


def catalogue(*claims: Claim) -> Catalogue:
    return Catalogue({one.id: one for one in claims})


def verdict(
    of: str,
    outcome: Verdict,
    parameters: dict[str, int] | None = None,
    bound: int | None = 10,
    **evidence: Any,
) -> ClaimVerdict:
    finding = Finding(outcome, evidence)
    found = ClaimVerdict.of(of, parameters or {}, finding, 0.5, table=f"table {bound}")
    return found.model_copy(update={"bound": bound})


def by_proof(
    of: str, outcome: Verdict, parameters: dict[str, int] | None = None, **evidence: Any
) -> ClaimVerdict:
    """Return a verdict that was found on what is proved of a game."""
    found = verdict(of, outcome, parameters, None, **evidence)
    return found.model_copy(update={"table": None, "certificate": "certificates/drawn.json"})


def refuted(*position: int) -> Refuted:
    names = ("x", "y", "z", "p")
    return Refuted(Counterexample("P-position", "N-position", position, names), 7)


def row(of: Claim, *verdicts: ClaimVerdict) -> ClaimRow:
    (found,) = rows(catalogue(of), verdicts)
    return found


PROVED = Proved("certificates/drawn.json")


HELD, FALSE, SILENT = HoldsToBound(5, 10), refuted(0, 0, 1, 0), Undecided("too small")


def a_statement() -> Claim:
    check = {"kind": "integers", "bound": 9, "all": {"k": "1..9", "z": "0..N"}, "holds": "k*z >= z"}
    return claim("a", ruleset=None, check=check)


def by_check(outcome: Verdict) -> ClaimVerdict:
    return verdict("a", outcome).model_copy(update={"table": None})
