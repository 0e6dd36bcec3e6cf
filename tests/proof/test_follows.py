"""Claims that follow from others by lemmas: those of the catalogue do, and nothing near them that is false."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from choco_pipeline.claims.conclusions.rows import follows_text
from choco_pipeline.claims.language.claims_file import LemmaName
from choco_pipeline.claims.language.verdict import AllParameters, ClaimVerdict, HoldsToBound
from choco_pipeline.claims.quick_trial import assignments, trials
from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof.follows import settle_following
from choco_pipeline.proof.lemmas import LEMMAS
from choco_pipeline.proof.task import decide_order
from tests.catalogues import catalogue_of
from tests.claims.claims import claim_for_all
from tests.claims.claims import of_p_positions as p

CATALOGUE = catalogue_of()
CLAIMS = CATALOGUE.claims
CHOSEN = [claim for claim in CLAIMS.values() if claim.statement.follows_from is not None]
THEOREM, ODD_PASS, EVEN_PASS = (
    "pass2016-thm-3.1",
    "pass2016-thm-4.1",
    "pass2016-sec-4.2-question",
)
STEP, STRIP = "step-bar(k=k, s=s)", "strip-bar(k=k, s=s)"
ONE_PASS = f"with-pass({STRIP}, passes=1)"
EVEN, ODD = "k % 2 == 0 and s % 2 == 0 and 0 < s < k", "k % 2 == 0 and s % 2 == 1 and 0 < s < k"
NIM_SUM = "(x+s) ^ y ^ (z+s) ^ p"
IS_ODD = f"(x == 0 and y == 0 and z == 0 and p == 1) or {NIM_SUM} == 0"
NUMBERS = "G == (y ^ (z+s)) - s"
HEAP = ["free-heap"]


def a_claim(ruleset, condition, statement, lemmas=None, claims=(THEOREM,)):
    follows = {"claims": list(claims), "lemmas": lemmas or []}
    return claim_for_all(ruleset, condition, statement, follows_from=follows)


def with_pass(condition, statement):
    """Return a claim on the strip bar with one pass, which follows from the claim with its P-positions."""
    premise = EVEN_PASS if condition == EVEN else ODD_PASS
    return a_claim(ONE_PASS, condition, statement, [], (premise,))


def a_premise(ruleset, condition, statement, name=THEOREM):
    return claim_for_all(ruleset, condition, statement, id=name)


def proved(premise):
    condition = premise.statement.for_all
    assert condition is not None
    of = {"parameters": sorted(premise.parameters), "condition": condition.text, "where": ""}
    said = {"claim": premise.id, "table": None, "parameters": {}, "for_all": of, "seconds": 0.0}
    return {**said, "verdict": "proved", "text": "", "evidence": {}, "certificate": None}


def settled(claim, *premises, folder=None):
    """Return the verdict, as if the premises, by default those of the catalogue, were proved."""
    follows = claim.statement.follows_from
    assert follows is not None
    chosen = premises or [CLAIMS[name] for name in follows.claims]
    documents = [one.as_json() for one in chosen]
    known = [proved(one) for one in chosen]
    certificates = None if folder is None else folder.as_posix()
    return settle_following(claim.as_json(), documents, known, 60, certificates)


def test_the_lemmas_are_a_closed_list():
    assert set(LEMMAS) == set(get_args(LemmaName))
    page = Path("docs/lemmas.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in LEMMAS)


@pytest.mark.parametrize("claim", CHOSEN, ids=lambda claim: claim.id)
def test_a_claim_of_the_catalogue_follows_and_is_true_in_tables(claim):
    follows = claim.statement.follows_from
    assert follows is not None
    found = settled(claim, *(CLAIMS[one] for one in follows.claims))
    assert found.verdict == "proved", found.why
    assert found.for_all is not None
    assert found.for_all.condition == claim.statement.for_all.text  # type: ignore[union-attr]
    assert found.evidence["members"] >= 3
    assert claim.statement.sample is not None  # type: ignore[union-attr]
    sample = assignments(claim.statement.sample.parameters, {})  # type: ignore[union-attr]
    given = [one for one in sample if claim.is_for_all(one)]
    assert given
    for trial in trials(claim, {n: given[-1][n] for n in claim.parameters}, 24):
        assert isinstance(trial.finding.verdict, HoldsToBound)


@pytest.mark.full
def test_a_run_decides_the_premises_and_then_what_follows(tmp_path):
    ids = ["pass2016-conj-4.1", "pass2016-cor-4.1-intended", EVEN_PASS, ODD_PASS]
    asked = {"claims": {one: CLAIMS[one].as_json() for one in ids}, "seconds": 60}
    order = {**asked, "memory": 4, "certificates": str(tmp_path / "c")}
    outcome = json.loads(json.dumps(decide_order(order, lambda *_, **__: None)))
    found = map(ClaimVerdict.model_validate, outcome["verdicts"])
    verdicts = {one.claim: one for one in found}
    assert {name: one.verdict for name, one in verdicts.items()} == dict.fromkeys(ids, "proved")
    assert verdicts[ODD_PASS].evidence["conditions"] == 39
    conjecture = verdicts["pass2016-conj-4.1"]
    assert conjecture.for_all == AllParameters(
        parameters=("k", "s"), condition="k%2 == 0 and s%2 == 0 and 0 < s < k", where=""
    )
    chain = conjecture.evidence["follows_from"]
    assert [one["claim"] for one in chain["premises"]] == [EVEN_PASS]
    for step in chain["steps"]:
        assert "own" in step["engines"]
        certificate = json.loads(Path(step["certificate"]).read_text())
        assert certificate["claim"]["id"] not in CLAIMS, "it states something else than the claim"
    assert "checker" in conjecture.evidence["engines"]
    evidence = verdicts["pass2016-cor-4.1-intended"].evidence
    assert follows_text(evidence) == "follows from pass2016-thm-4.1"


ALL_PASSES = IS_ODD.replace("p == 1", "p % 2 == 1").replace("^ p", "^ (p % 2)")


@pytest.mark.parametrize("passes", ["1", "2", "3", "r", "r+1", "2*r"])
def test_what_is_known_of_all_numbers_of_passes_is_known_of_one(passes):
    premise = a_premise(f"with-pass({STRIP}, passes=r)", ODD, p(ALL_PASSES), "all-passes")

    def verdict(statement):
        claim = a_claim(f"with-pass({STRIP}, passes={passes})", ODD, statement, [], ("all-passes",))
        return settled(claim, premise).verdict

    assert verdict(p(ALL_PASSES)) == ("proved" if passes in ("1", "2", "3", "r") else "undecided")
    assert verdict(p(IS_ODD)) == ("proved" if passes == "1" else "undecided")


def test_what_is_known_of_more_passes_is_known_of_fewer():
    for most, fewer, verdict in ((3, "passes=2", "proved"), (2, "passes=3", "undecided")):
        premise = a_premise(f"with-pass({STRIP}, passes={most})", ODD, p(ALL_PASSES), "some-passes")
        ruleset = f"with-pass({STRIP}, {fewer})"
        claim = a_claim(ruleset, ODD, p(ALL_PASSES), [], ("some-passes",))
        assert settled(claim, premise).verdict == verdict
    claim = a_claim(STRIP, ODD, p("(x+s) ^ y ^ (z+s) == 0"), [], (ODD_PASS,))
    assert settled(claim).verdict == "proved"


def test_numbers_with_passes_say_where_a_heap_beside_them_loses():
    number = "max(0, (((y ^ (z+s)) - s - p%2) ^ (p%2)) + p%2)"
    ruleset, numbers = f"with-pass({STEP}, passes=r)", f"G == {number}"
    premise = a_premise(ruleset, "k % 2 == 0 and s < k", numbers, "numbers")
    for ruleset, condition, verdict in (
        (f"with-pass({STRIP}, passes=r)", f"x == {number}", "proved"),
        (f"with-pass({STRIP}, passes=r)", f"x == {number.replace('p%2', 'p')}", "undecided"),
        (ONE_PASS, f"x == {number.replace('p%2', 'p')}", "proved"),
    ):
        claim = a_claim(ruleset, ODD, p(condition), HEAP, ("numbers",))
        assert settled(claim, premise).verdict == verdict


MORE = ["sprague-grundy"]
ZERO, OTHER = "(x+s) ^ y ^ (z+s) == 0", "(x+s) ^ y ^ (z+s) != 0"
ZERO_AFTER, OTHER_AFTER = "(x'+s) ^ y' ^ (z'+s) == 0", "(x'+s) ^ y' ^ (z'+s) != 0"


SET = f"{{{NIM_SUM}: P}}"


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (with_pass("k % 2 == 0 and s % 2 == 0 and 0 <= s < k", f"{SET} == {{v: v >= 0}}"), ""),
        (with_pass(EVEN, f"{SET} == {{v: v == 1 or v >= 0 and v & (v+1) == 0}}"), "not follow"),
        (with_pass(EVEN, f"{SET} <= {{v: v >= 0 and (v+2) & (v+1) == 0}}"), "p = 1"),
        (with_pass(EVEN, f"{SET} == {{v: v >= 0}}"), "not follow"),
        (with_pass(EVEN, f"{SET} >= {{v: v >= 0}}"), "not follow"),
        (with_pass(EVEN, f"{SET} >= {{v: v == 3}}"), "not follow"),
        (with_pass(EVEN, f"{SET} >= {{v: v == -1}}"), "not follow"),
        (with_pass(EVEN, p(IS_ODD)), "not follow for p = 1"),
        (with_pass(ODD, p(f"{NIM_SUM} == 0")), "not follow for p = 1"),
        (with_pass(ODD, p("(x+s+1) ^ y ^ (z+s) ^ p == 0")), "not follow for p = 0"),
        (a_claim(ONE_PASS, ODD, p(IS_ODD), HEAP), "no premise"),
        (a_claim(ONE_PASS, ODD, p(IS_ODD)), "no premise"),
        (with_pass(ODD, NUMBERS), "P-positions are known"),
        (a_claim(ONE_PASS, ODD, "G == 0", MORE), "the passes are for all"),
        (a_claim(STRIP, ODD, p("x == (y ^ (z+s)) - s + 1"), HEAP), "not follow"),
        (a_claim(STRIP, ODD, "G == x ^ y ^ z", MORE), "not follow"),
        (a_claim(STEP, ODD, p("y == 0"), HEAP), "found 0"),
        (a_claim(STEP, ODD, p("y == 0"), MORE), "not a disjunctive sum"),
        (a_claim("solid-bar(f=(x+z+s)//k)", ODD, p("x == 0"), HEAP), "found 0"),
        (a_claim("strip-bar(k=s, s=k)", ODD, p("x == (y ^ (z+k)) - k"), HEAP), ""),
        (a_claim(STRIP, ODD, f"{OTHER} => no option: {ZERO_AFTER}", HEAP), "not follow"),
        (a_claim(STRIP, ODD, f"{ZERO} => no option: {OTHER_AFTER}", HEAP), "not follow"),
        (a_claim(STRIP, ODD, f"{OTHER} => some option: x' > z'", HEAP), "not follow"),
        (a_claim(STRIP, ODD, f"{ZERO} => every option: x' > z'", HEAP), "not follow"),
        (a_claim(STRIP, ODD, f"{OTHER} => some option by x: {ZERO_AFTER}", HEAP), "which moves"),
        (
            a_claim(STRIP, ODD, f"{OTHER} => some option by x, z: y' == y and {ZERO_AFTER}", HEAP),
            "does not follow by lemmas",
        ),
        (
            a_claim(
                *(STRIP, ODD),
                f"{OTHER} and x > 99 => some option by x, z: y' < y and {ZERO_AFTER}",
                HEAP,
            ),
            "does not follow by lemmas",
        ),
        (a_claim(f"sum(with-pass({STEP}), nim(1))", ODD, p("a == 0"), HEAP), "passes"),
        (a_claim(f"with-pass({STRIP}, passes=s)", ODD, p("x == 0")), "no premise"),
    ],
)
def test_what_is_false_or_of_another_game_does_not_follow(claim, why):
    found = settled(claim)
    assert found.verdict == "undecided"
    assert why in found.why


def test_premises_must_speak_of_the_games_and_be_needed():
    claim = a_claim(STRIP, ODD, p(ZERO), HEAP)
    for other, why in (
        (a_premise("step-bar(k=k, s=s+1)", ODD, NUMBERS), "no premise"),
        (a_premise("step-bar(k=k+1, s=s)", ODD, NUMBERS), "no premise"),
        (a_premise("step-bar(k=k, s=1)", "k % 2 == 0", NUMBERS), "no premise"),
        (a_premise("nim(2)", "k == 0", "G == a ^ b"), "no premise"),
        (a_premise(STEP, ODD, p("y == 0 and z == 0")), "P-positions are known"),
        (a_premise(STEP, ODD, f"y == 0 => ({NUMBERS})"), "not determine every position"),
    ):
        found = settled(claim, other)
        assert found.verdict == "undecided"
        assert why in found.why
    bounded = claim_for_all(STEP, ODD, f"size <= k => ({NUMBERS})", id=THEOREM)
    assert "not determine every position" in settled(claim, bounded).why
    twice = a_claim(STRIP, ODD, p(ZERO), HEAP, (THEOREM, "step2015-thm-3.2"))
    found = settled(twice, CLAIMS[THEOREM], a_premise(STEP, ODD, NUMBERS, "step2015-thm-3.2"))
    assert "is not needed" in found.why


def test_a_premise_by_other_names_is_of_the_same_game():
    condition = "s % 2 == 0 and 1 <= k < s"
    premise = a_premise("step-bar(k=s, s=k)", condition, "G == (y ^ (z+k)) - k")
    assert settled(a_claim(STRIP, ODD, p(ZERO), HEAP), premise).verdict == "proved"
    claim = a_claim(
        "strip-bar(k=k, s=1)", "k % 2 == 0 and k > 1", p("(x+1) ^ y ^ (z+1) == 0"), ["free-heap"]
    )
    assert settled(claim).verdict == "proved"


def test_the_verdict_is_no_stronger_than_that_of_a_premise():
    claim, theorem = a_claim(STRIP, ODD, p(ZERO), HEAP), CLAIMS[THEOREM]
    fine = proved(theorem)
    listed = {**fine, "parameters": {"k": 2, "s": 1}}
    del listed["for_all"]
    for verdict in (
        None,
        listed,
        {**fine, "verdict": "undecided", "text": "undecided: time"},
        {**fine, "verdict": "holds-to-bound", "text": "holds"},
        {**listed, "verdict": "refuted", "text": "refuted at (0, 0)"},
        {**fine, "claim": "another"},
        {**fine, "for_all": {"parameters": ["k", "s"], "condition": "k%2 == 0", "where": ""}},
    ):
        found = settle_following(claim.as_json(), [theorem.as_json()], [verdict], 60, None)
        assert found.verdict == "undecided"
        assert THEOREM in found.why


def test_a_false_premise_that_is_called_proved_is_found_out():
    premise = a_premise(STEP, "k % 2 == 1 and s < k", NUMBERS)
    claim = a_claim(STRIP, "k % 2 == 1 and s < k", p("x == (y ^ (z+s)) - s"), HEAP)
    with pytest.raises(
        DisagreementError, match=r"follows by lemmas, and strip-bar.* says: refuted"
    ):
        settled(claim, premise)
