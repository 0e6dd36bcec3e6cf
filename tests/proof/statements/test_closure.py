"""Claims on options, decided for all positions, against the definition, option by option."""

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import HoldsToBound, Proved
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of
from tests.claims.claims import claim_on
from tests.proof.statements.decided_games import proved


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
