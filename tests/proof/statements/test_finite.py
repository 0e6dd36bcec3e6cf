"""Printed numbers and lists, numbers of positions, and options, decided on automata as on tables."""

from __future__ import annotations

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
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
from tests.claims.written import claim_from
from tests.proof.statements.decided_games import proved


def both(text, relation, check, reach=None):
    """Return what the automata and what a table say."""
    game = parse_ruleset(text)
    document = {"id": "drawn", "ruleset": text, "check": check}
    claim = claim_from(document if reach is None else {**document, "reach": reach})
    finding = decide(claim, {}, proved(text, relation), "here")
    quantity = {"p": "p-positions", "grundy": "grundy"}[relation]
    return finding, check_claim(claim, {}, game, 12, table(game, 12, quantity))


ROWS = [[0], [1, 2], [2, 1, 3], [3, 4, 1, 5]]


def test_printed_grundy_numbers() -> None:
    check = {"kind": "grundy-table", "down": "z", "across": "y", "rows": ROWS}
    finding, on_table = both("step-bar(k=1)", "grundy", check)
    assert finding.verdict == Proved("here", printed=10)
    assert isinstance(on_table.verdict, Exhausted)
    wrong = {**check, "rows": [*ROWS[:2], [2, 7, 3], [3, 4, 9, 5]]}
    finding, on_table = both("step-bar(k=1)", "grundy", wrong)
    assert finding.verdict.counterexample == on_table.verdict.counterexample
    assert finding.evidence == on_table.evidence
    # A statement speaks of positions alone: what is printed where there is none is not looked at.
    finding, on_table = both("step-bar(k=1)", "grundy", {**check, "rows": [[0], [1, 2, 3]]})
    assert finding.verdict == Proved("here", printed=3)
    assert isinstance(on_table.verdict, Exhausted)
    numbers = {"kind": "grundy-list", "numbers": [[5, 9, 12], [2, 3, 1], [3, 4, 2]]}
    finding, on_table = both("step-bar(k=1)", "grundy", numbers)
    assert finding.verdict.counterexample.position == (3, 4)
    assert finding.verdict.counterexample == on_table.verdict.counterexample


def test_a_printed_number_far_from_any_table() -> None:
    far = 10**9
    check = {"kind": "grundy-list", "numbers": [[far, 0, far], [far, 1, far]]}
    claim = claim_from({"id": "drawn", "ruleset": "nim(2)", "check": check})
    verdict = decide(claim, {}, proved("nim(2)", "grundy"), "here").verdict
    shown = verdict.counterexample
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
def test_printed_p_positions(text, positions, at) -> None:
    finding, on_table = both(text, "p", {"kind": "p-list", "positions": positions}, "2")
    if at is None:
        assert finding.verdict == Proved("here", reach=2)
        assert isinstance(on_table.verdict, Exhausted)
    else:
        assert finding.verdict.counterexample.position == at
        assert on_table.verdict.counterexample.position == at


@pytest.mark.parametrize("reach", ["0", "5", "8"])
@pytest.mark.parametrize(
    ("text", "relation", "check"),
    [
        ("nim(2)", "grundy", {"of": "grundy == a+b"}),
        ("step-bar(k=1)", "grundy", {"of": "grundy > z", "where": "y > 1"}),
        (PASS, "p", {"over": "p-positions", "of": "a != b or p == 0"}),
        ("strip-bar(k=2, s=0)", "p", {"over": "p-positions", "of": "x >= 2"}),
        ("step-bar(k=2, s=1)", "grundy", {"of": "y > 0"}),
    ],
)
def test_numbers_of_positions(text, relation, check, reach) -> None:
    check = {"kind": "count", **check}
    _, on_table = both(text, relation, {**check, "equals": "0"}, reach)
    number = on_table.evidence["counted"]
    right, same = both(text, relation, {**check, "equals": str(number)}, reach)
    is_vacuous = on_table.evidence["among"] == 0
    nothing = isinstance(right.verdict, Vacuous) and isinstance(same.verdict, Vacuous)
    assert nothing if is_vacuous else right.verdict == Proved("here", reach=int(reach))
    wrong, on_table = both(text, relation, {**check, "equals": f"{number}+1"}, reach)
    assert wrong.evidence == {"counted": number, "engines": ["own"]}
    assert wrong.verdict.counterexample == on_table.verdict.counterexample


@pytest.mark.parametrize(
    "check",
    [
        {"kind": "grundy-list", "numbers": [[0, 0, 0]]},
        {"kind": "count", "of": "grundy == 1", "equals": "1"},
    ],
)
def test_grundy_numbers_need_a_proof_of_their_own(check) -> None:
    document = {"id": "drawn", "ruleset": "nim(2)", "check": check}
    more = {"reach": "3"} if check["kind"] == "count" else {}
    claim = claim_from({**document, **more})
    verdict = decide(claim, {}, proved("nim(2)"), "here").verdict
    assert isinstance(verdict, Undecided)
    assert "Grundy numbers are not proved" in verdict.why


def test_choices_of_further_integers_are_counted_on_tables_only() -> None:
    check = {"kind": "count", "over": "p-positions", "beside": {"v": "a..3"}, "of": "v == b"}
    finding, on_table = both("nim(2)", "p", {**check, "equals": 4}, reach=3)
    assert isinstance(finding.verdict, Undecided)
    assert on_table.verdict == Exhausted(10, "case")


def decided(text, **check):
    game = parse_ruleset(text)
    claim = claim_on(game, kind="options", **check)
    return claim, decide(claim, {}, proved(text), "here")


@pytest.mark.parametrize(
    ("text", "check", "at"),
    [
        ("solid-bar(f=(x+z)//3)", {"have": "some", "of": "x ^ y ^ z != 0"}, None),
        ("solid-bar(f=(x+z)//3)", {"have": "no", "of": "x ^ y ^ z == 0"}, None),
        ("solid-bar(f=(x+z)//3)", {"have": "every", "of": "x ^ y ^ z == 0"}, (1, 0, 1)),
        ("solid-bar(f=(x+z)//3)", {"have": "some", "of": "x ^ y ^ z == 0"}, (0, 0, 0)),
        (
            "step-bar(k=2, s=1)",
            {"have": "no", "of": "y > 1", "by": ["z"], "beside": "lowered"},
            (2, 3),
        ),
        ("with-pass(nim(2), passes=1)", {"have": "no", "of": "a == b and a > 0"}, (1, 1, 1)),
    ],
)
def test_verdicts_are_those_of_the_table_with_the_same_words(text, check, at) -> None:
    game = parse_ruleset(text)
    nim_sum = " ^ ".join(c for c in game.coordinates if c != "p")
    to = {"step-bar(k=2, s=1)": "y == 1", "with-pass(nim(2), passes=1)": "a ^ b == 0 and p == 0"}
    claim, finding = decided(text, to=to.get(text, f"{nim_sum} == 0"), **check)
    if at is None:
        assert finding.verdict == Proved("here")
        return
    bound = max(at) + 1
    on_table = check_claim(claim, {}, game, bound, table(game, bound, "p-positions")).verdict
    assert finding.verdict.counterexample.position == at
    assert finding.verdict.counterexample == on_table.counterexample


def test_far_counterexamples_are_told_without_listing_options() -> None:
    far = 10**6
    of = f"a == {far} and b == 0"
    for have, to in (("no", "a == 5"), ("some", f"a > {far}")):
        _, finding = decided("nim(2)", of=of, to=to, have=have, by=["a"])
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
def test_claims_of_the_papers_on_options(claim_id, text) -> None:
    claim, game = catalogue_of().claims[claim_id], parse_ruleset(text)
    parameters = claim.match(text)
    on_table = check_claim(claim, parameters, game, 9, table(game, 9, "p-positions")).verdict
    verdict = decide(claim, parameters, proved(text), "here").verdict
    if claim_id == "pass2016-lemma-4.2":
        assert verdict.counterexample == on_table.counterexample
    else:
        assert verdict == Proved("here")
        assert isinstance(on_table, HoldsToBound)
