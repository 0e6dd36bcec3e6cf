"""What the catalogue says of the five papers' claims, against expectations that were computed without it."""

from __future__ import annotations

import re

import pytest

from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.conclusions.comparisons import check_across
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Exhausted,
    Finding,
    HoldsToBound,
    Refuted,
)
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity
from tests.catalogues import catalogue_of

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)


def find(claim_id: str, ruleset: str, bound: int, quantity: Quantity) -> Finding:
    """Check a claim of the catalogue, which must fit, on a new table."""
    fitting = {claim.id: (claim, given) for claim, given in CATALOGUE.fitting(ruleset, quantity)}
    claim, parameters = fitting[claim_id]
    game = parse_ruleset(ruleset)
    return check_claim(claim, parameters, game, bound, table(game, bound, quantity))


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


@pytest.mark.parametrize(("k", "s"), [(2, 2), (4, 4), (4, 12)])
def test_pass2016_conjecture_4_2(k: int, s: int) -> None:
    ruleset = f"with-pass(strip-bar(k={k}, s={s}), passes=1)"
    verdict = find("pass2016-conj-4.2", ruleset, 400, "p-positions").verdict
    assert isinstance(verdict, HoldsToBound)
    assert verdict.sense is not None


@pytest.mark.parametrize("k", [1, 5])
def test_the_least_counterexample_to_solid2022_conjecture_2_by_definition(k: int) -> None:
    game, bound = SolidBar(f"(x+z)//{k}"), k + 1
    wrong = [
        (x, y, z)
        for x, y, z in game.positions(bound)
        if game.is_p_position((x, y, z)) != ((x + 1) ^ y ^ (z + 1) == 0)
    ]
    least = min(wrong, key=lambda position: (max(position), position))
    for quantity in ("grundy", "p-positions"):
        verdict = find("solid2022-conj-2", game.notation, 32, quantity).verdict
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position == least
        assert verdict.counterexample.option in game.options(least)
        assert game.is_p_position(verdict.counterexample.option)


@pytest.mark.parametrize(("a", "m"), [(0, 0), (0, 2), (1, 0), (1, 1), (2, 1)])
def test_solid2022_conjecture_1_is_decided_by_a_table(a: int, m: int) -> None:
    k = 2 ** (a + 2) * m + 2 ** (a + 1)
    reach = (2 ** (2 * a + 2) - 2 ** (a + 1)) * m + 2 ** (2 * a + 1) - 1
    ruleset = f"solid-bar(f=(x+z)//{k})"
    positions = sum((x + z) // k + 1 for x in range(reach + 1) for z in range(reach + 1))
    for bound, expected in ((reach, Exhausted), (reach + 3, Exhausted), (reach - 1, HoldsToBound)):
        verdict = find("solid2022-conj-1", ruleset, max(0, bound), "p-positions").verdict
        assert isinstance(verdict, expected)
        assert expected is HoldsToBound or verdict == Exhausted(positions)


def test_patterns_lemma_4_1_and_theorem_4_3() -> None:
    verdicts = []
    for m in range(1, 34):
        number = find("patterns-lemma-4.1", f"rectangular-bar(m={m}, n={m})", m, "p-positions")
        verdicts.append(ClaimVerdict.of("patterns-lemma-4.1", {"m": m}, number, 0.0))
    (lemma,) = check_across(CATALOGUE, verdicts)
    assert lemma.verdict == "holds-to-bound"
    numbers = [verdict.evidence["p_positions"] for verdict in verdicts]
    assert sum(numbers[:32]) == (4**5 + 6**5) // 2  # n = 5


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
