"""What the catalogue says of the five papers' claims, against expectations that were computed without it."""

from __future__ import annotations

import re

import pytest

from tests.catalogues import catalogue_of

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)


def test_every_claim_has_a_source():
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        assert claim.id.startswith(f"{entry.paper.key}-")
        assert entry.formula
        assert len(entry.paper.authors) >= 2
    assert {claim.paper.key for claim in CATALOGUE.claims.values() if claim.paper} == set(PAPERS)


@pytest.mark.parametrize("key", ["triangular", "solid2022", "patterns"])
def test_a_bound_that_is_no_largest_integer_is_explained(key):
    # "Up to bound 8" reads as x up to 8; where N is a number of digits the entry says so.
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        if entry.paper.key != key:
            continue
        spans = [span.text for span in claim.integers.values()]
        ends = (name for name, span in claim.integers.items() if span.text.endswith("..N"))
        if any(re.search(rf"<< {name}\b", span) for name in (*ends, "N") for span in spans):
            assert re.search(r"\bN\b.*digits|digits.*\bN\b", entry.note or ""), claim.id
