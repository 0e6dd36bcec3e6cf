"""Printed numbers and lists, numbers of positions, and options, decided on automata as on tables."""

from __future__ import annotations

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Proved,
    Undecided,
    Vacuous,
)
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of
from tests.claims.claims import claim_on
from tests.proof.statements.decided_games import decided, proved


def both(text, relation, statement, printed=None):
    """Return what the automata and what a table say."""
    game = parse_ruleset(text)
    document = {"id": "drawn", "ruleset": text, "statement": statement, "printed": printed or []}
    claim = Claim.from_json(document)
    finding = decide(claim, {}, proved(text, relation), "here")
    quantity = {"p": "p-positions", "grundy": "grundy"}[relation]
    return finding, check_claim(claim, {}, game, 12, table(game, 12, quantity))


ROWS = [[0], [1, 2], [2, 1, 3], [3, 4, 1, 5]]


def test_printed_grundy_numbers():
    def of_rows(rows):
        said = f"z <= {len(rows) - 1} => G == printed(z, y)"
        return both("step-bar(k=1)", "grundy", said, rows)

    finding, on_table = of_rows(ROWS)
    assert finding.verdict == Proved("here", printed=10)
    assert isinstance(on_table.verdict, Exhausted)
    finding, on_table = of_rows([*ROWS[:2], [2, 7, 3], [3, 4, 9, 5]])
    assert finding.verdict.counterexample == on_table.verdict.counterexample
    assert finding.evidence == on_table.evidence
    # A statement speaks of positions alone: what is printed where there is none is not looked at.
    finding, on_table = of_rows([[0], [1, 2, 3]])
    assert finding.verdict == Proved("here", printed=3)
    assert isinstance(on_table.verdict, Exhausted)
    numbers = "G(5, 9) == 12 and G(2, 3) == 1 and G(3, 4) == 2"
    finding, on_table = both("step-bar(k=1)", "grundy", numbers)
    assert finding.verdict.counterexample.position == (3, 4)
    assert finding.verdict.counterexample == on_table.verdict.counterexample


def test_a_printed_number_far_from_any_table():
    far = 10**9
    said = f"G({far}, 0) == {far} and G({far}, 1) == {far}"
    shown = decided("nim(2)", said, "grundy").verdict.counterexample
    assert (shown.position, shown.found, shown.claimed) == (
        (far, 1),
        f"Grundy number {far + 1}",
        f"Grundy number {far}",
    )
    assert shown.option == (1, 1)


PASS = "with-pass(nim(2), passes=1)"
PASS_LIST = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [2, 2, 0], [1, 2, 1], [2, 1, 1]]


@pytest.mark.parametrize(
    ("text", "positions", "at"),
    [
        ("nim(2)", [[0, 0], [1, 1], [2, 2]], None),
        ("nim(2)", [[0, 0], [2, 2]], (1, 1)),
        ("nim(2)", [[0, 0], [1, 1], [2, 2], [1, 2]], (1, 2)),
        # A statement speaks of positions up to a size: what is printed beyond, or is no position, is not looked at.
        ("nim(2)", [[0, 0], [1, 1], [2, 2], [3, 3]], None),
        (PASS, PASS_LIST, None),
        (PASS, PASS_LIST[:-1], (2, 1, 1)),
        (PASS, [*PASS_LIST, [0, 0, 2]], None),
        (PASS, [*PASS_LIST[:-1], [0, 0, 2]], (2, 1, 1)),
        ("step-bar(k=2, s=1)", [[0, 0], [2, 1]], None),
    ],
)
def test_printed_p_positions(text, positions, at):
    names = ", ".join(parse_ruleset(text).coordinates)
    finding, on_table = both(text, "p", f"size <= 2 => (P <=> ({names}) in printed)", positions)
    if at is None:
        assert finding.verdict == Proved("here", reach=2)
        assert isinstance(on_table.verdict, Exhausted)
    else:
        assert finding.verdict.counterexample.position == at
        assert on_table.verdict.counterexample.position == at


@pytest.mark.parametrize("reach", [0, 5, 8])
@pytest.mark.parametrize(
    ("text", "relation", "said"),
    [
        ("nim(2)", "grundy", "G == a+b"),
        ("step-bar(k=1)", "grundy", "y > 1 and G > z"),
        (PASS, "p", "P and (a != b or p == 0)"),
        ("strip-bar(k=2, s=0)", "p", "P and x >= 2"),
        ("step-bar(k=2, s=1)", "grundy", "y > 0"),
    ],
)
def test_numbers_of_positions(text, relation, said, reach):
    count = f"count(position: size <= {reach} and {said}) == "
    _, on_table = both(text, relation, f"{count}0")
    number = on_table.evidence["counted"]
    right, same = both(text, relation, f"{count}{number}")
    is_vacuous = on_table.evidence["among"] == 0
    nothing = isinstance(right.verdict, Vacuous) and isinstance(same.verdict, Vacuous)
    assert nothing if is_vacuous else right.verdict == Proved("here", reach=reach)
    wrong, on_table = both(text, relation, f"{count}{number}+1")
    assert wrong.evidence == {"counted": number, "engines": ["own"]}
    assert wrong.verdict.counterexample == on_table.verdict.counterexample


@pytest.mark.parametrize("said", ["G(0, 0) == 0", "count(position: size <= 3 and G == 1) == 1"])
def test_grundy_numbers_need_a_proof_of_their_own(said):
    verdict = decided("nim(2)", said).verdict
    assert isinstance(verdict, Undecided)
    assert "Grundy numbers are not proved" in verdict.why


def test_choices_of_further_integers_are_counted_on_tables_only():
    said = "count(position, v in a..3: P and size <= 3 and v == b) == 4"
    finding, on_table = both("nim(2)", "p", said)
    assert isinstance(finding.verdict, Undecided)
    assert on_table.verdict == Exhausted(10, "case")


BAR, ZERO, ZERO_AFTER = "solid-bar(f=(x+z)//3)", "x ^ y ^ z == 0", "x' ^ y' ^ z' == 0"


@pytest.mark.parametrize(
    ("text", "statement", "at"),
    [
        (BAR, f"x ^ y ^ z != 0 => some option: {ZERO_AFTER}", None),
        (BAR, f"{ZERO} => no option: {ZERO_AFTER}", None),
        (BAR, f"{ZERO} => every option: {ZERO_AFTER}", (1, 0, 1)),
        (BAR, f"{ZERO} => some option: {ZERO_AFTER}", (0, 0, 0)),
        ("step-bar(k=2, s=1)", "y > 1 => no option by z: y' < y and y' == 1", (2, 3)),
        (PASS, "a == b and a > 0 => no option: a' ^ b' == 0 and p' == 0", (1, 1, 1)),
    ],
)
def test_verdicts_are_those_of_the_table_with_the_same_words(text, statement, at):
    game, finding = parse_ruleset(text), decided(text, statement)
    if at is None:
        assert finding.verdict == Proved("here")
        return
    bound, claim = max(at) + 1, claim_on(game, statement)
    on_table = check_claim(claim, {}, game, bound, table(game, bound, "p-positions")).verdict
    assert finding.verdict.counterexample.position == at
    assert finding.verdict.counterexample == on_table.counterexample


def test_far_counterexamples_are_told_without_listing_options():
    far = 10**6
    for said in ("no option by a: a' == 5", f"some option by a: a' > {far}"):
        finding = decided("nim(2)", f"a == {far} and b == 0 => {said}")
        counterexample = finding.verdict.counterexample
        assert counterexample.position == (far, 0)
        assert counterexample.found == "it is false"


@pytest.mark.parametrize(
    ("claim_id", "text"),
    [
        ("pass2016-lemma-4.2", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("pass2016-lemma-4.2-intended", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("pass2016-lemma-4.1-4", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("solid2022-lemma-8", "solid-bar(f=(x+z)//3)"),
        ("triangular-thm-7.4", "solid-bar(f=(x+z)//3)"),
        ("step2015-lemma-3.7", "strip-bar(k=2, s=2)"),  # with an auxiliary integer
    ],
)
def test_claims_of_the_papers_on_options(claim_id, text):
    claim, game = catalogue_of().claims[claim_id], parse_ruleset(text)
    parameters = claim.match(text)
    on_table = check_claim(claim, parameters, game, 9, table(game, 9, "p-positions")).verdict
    verdict = decide(claim, parameters, proved(text), "here").verdict
    if claim_id == "pass2016-lemma-4.2":
        assert verdict.counterexample == on_table.counterexample
    else:
        assert verdict == Proved("here")
        assert isinstance(on_table, HoldsToBound)
