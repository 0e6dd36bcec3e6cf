"""What the catalogue says of the five papers' claims, against expectations that were computed without it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import collect_values
from choco_pipeline.claims.conclusions.comparisons import check_across
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
)
from choco_pipeline.tables.cells import BLOCK, Cells
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity
from tests.catalogues import catalogue_of
from tests.claims.written import reworded

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)


def find(claim_id: str, ruleset: str, bound: int, quantity: Quantity) -> Finding:
    """Check a claim of the catalogue, which must fit, on a new table."""
    fitting: Mapping[str, tuple[Claim, dict[str, int]]] = {
        claim.id: (claim, parameters) for claim, parameters in CATALOGUE.fitting(ruleset, quantity)
    }
    claim, parameters = fitting[claim_id]
    game = parse_ruleset(ruleset)
    return check_claim(claim, parameters, game, bound, table(game, bound, quantity))


def fits(claim_id: str, ruleset: str) -> bool:
    return CATALOGUE.claims[claim_id].match(ruleset) is not None


def test_every_claim_has_a_source() -> None:
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        assert claim.id.startswith(f"{entry.paper.key}-")
        assert entry.formula
        assert len(entry.paper.authors) >= 2
    assert {claim.paper.key for claim in CATALOGUE.claims.values() if claim.paper} == set(PAPERS)


@pytest.mark.parametrize("k", [2, 4, 6, 8])
def test_step2015_theorem_2_1(k: int) -> None:
    verdict = find("step2015-thm-2.1", f"step-bar(k={k}, s=0)", 120, "grundy").verdict
    assert isinstance(verdict, HoldsToBound)
    assert not fits("step2015-thm-2.1", f"step-bar(k={k + 1}, s=0)")


def test_step2015_theorem_3_2_speaks_of_the_printed_s() -> None:
    for k in range(1, 13):
        printed = set(range(1, k)) | {
            k * 2**t + m * 2 ** (t + 1) for t in range(9) for m in range(k // 2)
        }
        for s in range(400):
            assert fits("step2015-thm-3.2", f"step-bar(k={k}, s={s})") == (
                k % 2 == 0 and s in printed
            ), (k, s)


def test_step2015_theorem_3_2_is_sharp() -> None:
    claim = CATALOGUE.claims["step2015-thm-3.2"]
    for k in (2, 4, 6):
        for s in range(1, 40):
            game = parse_ruleset(f"step-bar(k={k}, s={s})")
            finding = check_claim(claim, {"k": k, "s": s}, game, 130, table(game, 130, "grundy"))
            expected = HoldsToBound if fits(claim.id, game.notation) else Refuted
            assert isinstance(finding.verdict, expected), (k, s)


def test_step2015_conjecture_4_1() -> None:
    whole = 0
    for part in (1, 2, 3):
        verdict = find(f"step2015-conj-4.1-{part}", "step-bar(k=1, s=0)", 401, "grundy").verdict
        assert isinstance(verdict, HoldsToBound)
        whole += verdict.positions
    assert whole == sum(
        z + 1 for z in range(1, 402, 4)
    )  # every position with z = 4m+1, each in one part


def test_step2015_figure_4_2_is_what_the_conjecture_says() -> None:
    row = [9, 10, 8, 11, 7, 12, 4, 13, 1, 14]  # printed for z = 9
    claims = [CATALOGUE.claims[f"step2015-conj-4.1-{part}"].check for part in (1, 2, 3)]
    for y, printed in enumerate(row):
        said = [c.equals.value({"y": y, "z": 9}) for c in claims if c.where.value({"y": y, "z": 9})]
        assert said == [printed]


@pytest.mark.parametrize(("k", "s"), [(2, 1), (4, 1), (4, 3), (6, 5), (8, 3)])
def test_pass2016_theorem_4_1(k: int, s: int) -> None:
    ruleset = f"with-pass(strip-bar(k={k}, s={s}), passes=1)"
    finding = find("pass2016-thm-4.1", ruleset, 90, "p-positions")
    assert isinstance(finding.verdict, HoldsToBound)
    assert finding.evidence == {"free": "x"}
    assert isinstance(find("pass2016-thm-4.1", ruleset, 20, "grundy").verdict, HoldsToBound)


def test_pass2016_corollary_4_1_is_a_misprint() -> None:
    theorem = CATALOGUE.claims["pass2016-thm-4.1"]
    printed = reworded(theorem, "(x+s) ^ y ^ (z+s) ^ p", "x ^ y ^ z ^ p")
    game = parse_ruleset("with-pass(strip-bar(k=4, s=3), passes=1)")
    verdict = check_claim(
        printed, {"k": 4, "s": 3}, game, 30, table(game, 30, "p-positions")
    ).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position is not None
    least = min(
        (
            position
            for position in game.positions(4)
            for x, y, z, p in [position]
            if game.is_p_position(position) != (position == (0, 0, 0, 1) or x ^ y ^ z ^ p == 0)
        ),
        key=lambda position: (max(position[:3]), position),
    )
    assert verdict.counterexample.position == least


def test_pass2016_conjecture_4_1_as_far_as_printed() -> None:
    finding = find(
        "pass2016-conj-4.1", "with-pass(strip-bar(k=4, s=2), passes=1)", 20, "p-positions"
    )
    assert isinstance(finding.verdict, HoldsToBound)
    assert finding.evidence["values"] == [0, 1, 2, 6, 14, 30]  # Examples 4.1, 4.2
    assert finding.evidence["missing"] == []


@pytest.mark.parametrize(("k", "s"), [(4, 2), (6, 2), (6, 4), (8, 6)])
def test_pass2016_conjecture_4_1(k: int, s: int) -> None:
    finding = find(
        "pass2016-conj-4.1", f"with-pass(strip-bar(k={k}, s={s}), passes=1)", 300, "p-positions"
    )
    assert isinstance(finding.verdict, HoldsToBound)
    assert {2**n - 2 for n in range(1, 9)} <= set(finding.evidence["values"])


def test_pass2016_conjecture_4_2_as_far_as_printed() -> None:
    claim = CATALOGUE.claims["pass2016-conj-4.2"]
    game = parse_ruleset("with-pass(strip-bar(k=4, s=6), passes=1)")
    cells = Cells.of(game, 80, table(game, 80, "p-positions"))
    found = alone(collect_values(claim.check, {"k": 4, "s": 6}, cells, BLOCK))
    printed = [
        106,
        108,
        112,
        113,
        114,
        115,
        116,
        117,
        118,
        119,
        120,
        122,
        123,
        126,
    ]  # how the list for 80 ends
    assert [value for value in found.values.tolist() if value >= 106] == printed


@pytest.mark.parametrize(("k", "s"), [(2, 2), (4, 4), (4, 6), (4, 12), (6, 8)])
def test_pass2016_conjecture_4_2(k: int, s: int) -> None:
    verdict = find(
        "pass2016-conj-4.2", f"with-pass(strip-bar(k={k}, s={s}), passes=1)", 400, "p-positions"
    ).verdict
    assert isinstance(verdict, HoldsToBound)
    assert verdict.sense is not None
    assert "no table can contradict the claim" in verdict.sense


@pytest.mark.parametrize("claim_id", ["triangular-thm-7.3", "solid2022-thm-2"])
@pytest.mark.parametrize("k", [3, 7, 11])
def test_bars_with_k_4m_3(claim_id: str, k: int) -> None:
    ruleset = f"solid-bar(f=(x+z)//{k})"
    assert isinstance(find(claim_id, ruleset, 200, "p-positions").verdict, HoldsToBound)
    assert isinstance(find(claim_id, ruleset, 40, "grundy").verdict, HoldsToBound)
    assert not any(fits(claim_id, f"solid-bar(f=(x+z)//{k + more})") for more in (1, 2, 3))


@pytest.mark.parametrize("k", [1, 5, 9, 13])
def test_bars_with_k_4m_1_are_shifted_down_not_up(k: int) -> None:
    ruleset = f"solid-bar(f=(x+z)//{k})"
    assert isinstance(
        find("triangular-conj-8.1", ruleset, 128, "p-positions").verdict, HoldsToBound
    )
    verdict = find("solid2022-conj-2", ruleset, 128, "p-positions").verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (k - 1, 2, k + 1)


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
        assert verdict.counterexample.claimed == "P-position"
        assert verdict.counterexample.found == f"Grundy number {game.grundy(least)} (N-position)"
        assert verdict.counterexample.option in game.options(least)
        assert game.is_p_position(verdict.counterexample.option)


@pytest.mark.parametrize("a", [0, 1, 2])
@pytest.mark.parametrize("m", [0, 1, 2])
def test_solid2022_conjecture_1_is_decided_by_a_table(a: int, m: int) -> None:
    k = 2 ** (a + 2) * m + 2 ** (a + 1)
    reach = (2 ** (2 * a + 2) - 2 ** (a + 1)) * m + 2 ** (2 * a + 1) - 1
    ruleset = f"solid-bar(f=(x+z)//{k})"
    positions = sum((x + z) // k + 1 for x in range(reach + 1) for z in range(reach + 1))
    assert find("solid2022-conj-1", ruleset, reach, "p-positions").verdict == Exhausted(positions)
    assert find("solid2022-conj-1", ruleset, reach + 3, "p-positions").verdict == Exhausted(
        positions
    )
    assert isinstance(
        find("solid2022-conj-1", ruleset, max(0, reach - 1), "p-positions").verdict, HoldsToBound
    )


def test_triangular_example_8_3() -> None:
    for bound in (20, 33):
        equal = find("triangular-ex-8.3-equal", "solid-bar(f=(x+z)//3)", bound, "grundy")
        different = find("triangular-ex-8.3-different", "solid-bar(f=(x+z)//3)", bound, "grundy")
        assert equal.verdict == different.verdict == Exhausted(977 + 2257)
        assert (equal.evidence["counted"], different.evidence["counted"]) == (977, 2257)
    short = find("triangular-ex-8.3-equal", "solid-bar(f=(x+z)//3)", 19, "grundy").verdict
    assert short == Undecided("the table reaches bound 19, 20 is needed")


def test_patterns() -> None:
    verdicts = []
    for m in range(1, 34):
        ruleset = f"rectangular-bar(m={m}, n={m})"
        assert find("patterns-thm-2.3", ruleset, m, "p-positions").verdict == Exhausted(m * m)
        assert find("patterns-thm-5.4", ruleset, m, "p-positions").verdict == Exhausted(m * m)
        number = find("patterns-lemma-4.1", ruleset, m, "p-positions")
        assert isinstance(number.verdict, Undecided)
        verdicts.append(ClaimVerdict.of("patterns-lemma-4.1", {"m": m}, number, 0.0))
    (lemma,) = check_across(CATALOGUE, verdicts)
    assert lemma.verdict == "holds-to-bound"
    assert lemma.why == "all 33 equations between the tables with m up to 33"
    numbers = [verdict.evidence["p_positions"] for verdict in verdicts]
    assert sum(numbers[:32]) == (4**5 + 6**5) // 2  # Theorem 4.3, n = 5
    assert not fits("patterns-thm-2.3", "rectangular-bar(m=3, n=4)")


@pytest.mark.parametrize("key", ["triangular", "solid2022", "patterns"])
def test_a_bound_that_is_no_largest_integer_is_explained(key: str) -> None:
    # "Up to bound 8" reads as x up to 8; where N is a number of digits the entry says so.
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        if entry.paper.key != key:
            continue
        spans = [span.text for span in claim.integers.values()]
        lengths = {name for name, span in claim.integers.items() if span.text.endswith("..N")} | {
            "N"
        }
        if any(re.search(rf"<< {name}\b", span) for name in lengths for span in spans):
            assert re.search(r"\bN\b.*digits|digits.*\bN\b", entry.note or ""), claim.id
