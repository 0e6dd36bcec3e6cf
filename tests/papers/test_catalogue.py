"""What the catalogue says of the five papers' claims, against expectations that were computed without it."""

from __future__ import annotations

import re

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import (
    HoldsToBound,
    Refuted,
)
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)


def test_every_claim_has_a_source() -> None:
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        assert claim.id.startswith(f"{entry.paper.key}-")
        assert entry.formula
        assert len(entry.paper.authors) >= 2
    assert {claim.paper.key for claim in CATALOGUE.claims.values() if claim.paper} == set(PAPERS)


def test_step2015_theorem_3_2_is_sharp() -> None:
    claim = CATALOGUE.claims["step2015-thm-3.2"]
    for k in (2, 4, 6):
        printed = {k * 2**t + m * 2 ** (t + 1) for t in range(6) for m in range(k // 2)}
        for s in range(1, 25):
            game = parse_ruleset(f"step-bar(k={k}, s={s})")
            finding = check_claim(claim, {"k": k, "s": s}, game, 90, table(game, 90, "grundy"))
            assert claim.speaks_of({"k": k, "s": s}) == (s < k or s in printed), (k, s)
            expected = HoldsToBound if s < k or s in printed else Refuted
            assert isinstance(finding.verdict, expected), (k, s)


@pytest.mark.parametrize("key", ["triangular", "solid2022", "patterns"])
def test_a_bound_that_is_no_largest_integer_is_explained(key: str) -> None:
    # "Up to bound 8" reads as x up to 8; where N is a number of digits the entry says so.
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        if entry.paper.key != key:
            continue
        spans = [span.text for span in claim.integers.values()]
        ends = (name for name, span in claim.integers.items() if span.text.endswith("..N"))
        if any(re.search(rf"<< {name}\b", span) for name in (*ends, "N") for span in spans):
            assert re.search(r"\bN\b.*digits|digits.*\bN\b", entry.note or ""), claim.id
