"""Claims that compare tables."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.conclusions.rows import check_counts
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import math_text
from tests.catalogues import catalogue_of

CATALOGUE = catalogue_of("patterns")


def counts_claim(*relations, **sums):
    check: dict[str, Any] = {"kind": "counts", "relations": list(relations), "sums": sums}
    return Claim.from_json({"id": "drawn", "ruleset": "rectangular-bar(m=m, n=m)", "check": check})


@given(st.dictionaries(st.integers(1, 12), st.integers(0, 3), max_size=12))
def test_relations_are_checked_wherever_their_tables_are(counts):
    verdict = check_counts(counts_claim("g(2*m) == g(m)", "g(1) == 1"), counts)
    pairs = [m for m in range(1, 13) if m in counts and 2 * m in counts]
    wrong = [m for m in pairs if counts[2 * m] != counts[m]]
    first_is_wrong = 1 in counts and counts[1] != 1
    if not pairs and 1 not in counts:
        assert isinstance(verdict, Undecided)
    elif wrong or first_is_wrong:
        assert isinstance(verdict, Refuted)
        least = 1 if first_is_wrong else wrong[0]
        assert verdict.counterexample.claimed.endswith(f"m = {least}")
    else:
        assert isinstance(verdict, HoldsToBound)
        assert (verdict.positions, verdict.bound) == (sum(counts.values()), max(counts))


@given(
    st.dictionaries(st.integers(1, 9), st.integers(0, 3), min_size=1, max_size=9),
    st.sampled_from([("g(m)", 1, 0), ("g(2*m-1)", 2, -1), ("g(m)*g(m)", 1, 0)]),
    st.sampled_from([("total(m)", 1, 0), ("total(2*m)", 2, 0), ("total(m-1)", 1, -1)]),
    st.integers(0, 5),
)
def test_sums_end_where_a_table_is_missing(counts, summand, used, most):
    text, factor, shift = summand
    call, times, plus = used
    verdict = check_counts(counts_claim(f"{call} <= {most}", total=text), counts)
    sums = [0]
    while len(sums) <= max(counts) and factor * len(sums) + shift in counts:
        term = counts[factor * len(sums) + shift]
        sums.append(sums[-1] + (term * term if "*g" in text else term))
    known = [m for m in range(1, max(counts) + 1) if times * m + plus < len(sums)]
    wrong = [m for m in known if sums[times * m + plus] > most]
    if wrong:
        assert isinstance(verdict, Refuted)
        n, said = times * wrong[0] + plus, math_text(parse(call, functions=["total"]))
        assert verdict.counterexample.found == f"total({n}) = {sums[n]:,}"
        assert verdict.counterexample.claimed == f"{said} ≤ {most}, here with m = {wrong[0]}"
        assert verdict.positions == known.index(wrong[0]) + 1
    elif known:
        assert isinstance(verdict, HoldsToBound)
        how_many = "the one equation" if len(known) == 1 else f"all {len(known)} equations"
        assert verdict.sense == f"{how_many} between the tables with m up to {max(counts)}"
    else:
        assert isinstance(verdict, Undecided)


def test_what_has_no_value_is_no_equation():
    claim = counts_claim("g(m)//(m-2) >= -1", "g(1 << 5000) == 1")
    assert isinstance(check_counts(claim, {1: 1, 2: 4, 3: 5}), HoldsToBound)
    assert isinstance(check_counts(claim, {2: 4}), Undecided)
