"""Statements on integers: against plain loops over the same ranges, with values one by one."""

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks import evaluation
from choco_pipeline.claims.checks.check import check_standing
from choco_pipeline.claims.checks.evaluation import Evaluation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    VerdictRecord,
)
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula import FormulaError
from tests.claims.claims import conditions, integer_formulas, on_integers
from tests.claims.oracle_of_integers import cases_of
from tests.claims.verdict_documents import verdict_document


def by_definition(claim, bound, fixed):
    """Return how many cases there are, and which contradict the statement; None if it has no meaning."""
    try:
        truths = dict(cases_of(claim.proposition, bound, fixed))
    except FormulaError:
        return None
    return len(truths), [at for at, is_true in truths.items() if not is_true]


@st.composite
def statements(draw):
    """Draw a statement, most often a wrong one."""
    spans = {"a": draw(st.sampled_from(["0..N", "-N..N", "1..7 step 2", "N", "-1..1", "3..N"]))}
    more = ["a..N", "0..a", "-a..N-a", "a ^ 1", "N-a..N+a step 3", "0..3 step N+1"]
    spans["b"] = draw(st.sampled_from(more))
    if draw(st.booleans()):
        spans["d"] = draw(st.sampled_from([*more, "a*b..a+2", "min(a, b)..b"]))
    names = list(spans)
    let = {}
    if draw(st.booleans()):
        let["q"] = draw(integer_formulas(names))
        names.append("q")
        if draw(st.booleans()):
            let["r"] = "q//2 - a"
            names.append("r")
    claimed = conditions(names)
    check: dict[str, Any] = {"all": spans, "let": let}
    check["where"] = draw(st.lists(conditions(names), max_size=2))
    key = draw(st.sampled_from(["holds", "any", "equivalent", "number", "all of them"]))
    if key in ("holds", "all of them"):
        check["holds"] = draw(st.lists(claimed, min_size=1, max_size=2) | claimed)
    if key in ("any", "all of them"):
        check["any"] = draw(st.lists(claimed, min_size=1, max_size=3))
    if key in ("equivalent", "all of them"):
        check["equivalent"] = draw(st.lists(claimed, min_size=2, max_size=3))
    if key in ("number", "all of them"):
        of = {"x": draw(st.sampled_from(["0..N", "a..b", "-1..2"]))}
        if draw(st.booleans()):
            of["y"] = "x..x+b"
        such = draw(conditions([*names, *of, "w"]))
        how = draw(st.sampled_from(["least", "exactly"]))
        many = draw(st.sampled_from(["0", "1", "a", "max(b, 0)"]))
        check["number"] = {"of": of, "let": {"w": "x ^ a"}, "such": such, how: many}
    return on_integers(**check)


def order(position):
    return max(map(abs, position)), position


@settings(deadline=None)
@given(statements(), st.integers(0, 6), st.sampled_from([1, 5, 1 << 16]), st.data())
def test_statements_are_checked_as_by_definition(claim, bound, block, data):
    fixed = data.draw(st.dictionaries(st.sampled_from(sorted(claim.integers)), st.integers(-1, 6)))
    expected = by_definition(claim, bound, fixed)
    with mock.patch.object(evaluation, "BLOCK", block):
        finding = check_standing(claim, bound, fixed)
    document = VerdictRecord.model_validate(verdict_document(finding.verdict))
    assert document.as_verdict == finding.verdict
    if expected is None:
        assert isinstance(finding.verdict, Undecided)
        return
    cases, wrong = expected
    match finding.verdict:
        case Refuted(counterexample, positions):
            assert counterexample.position == min(wrong, key=order)
            assert counterexample.coordinates == tuple(claim.integers)
            assert finding.evidence == {"failures": len(wrong)}
            assert positions == cases
        case HoldsToBound(positions, to, None, "case"):
            assert (positions, to, wrong) == (cases, bound, [])
            assert cases
        case Exhausted(positions, "case"):
            assert (positions, wrong, claim.is_finite) == (cases, [], True)
            assert cases
        case Vacuous():
            assert (cases, claim.is_finite) == (0, True)
        case Undecided(why):
            assert cases == 0
            assert fixed or not claim.is_finite
            assert f"up to bound {bound}" in why
        case other:
            pytest.fail(f"{other}")


def test_a_statement_is_finite_if_it_is_the_same_for_every_bound():
    square = on_integers(all={"a": "0..9", "b": "0..9"}, holds="a*b < 82")
    assert check_standing(square, 0, {}).verdict == Exhausted(100, "case")
    assert check_standing(square, 6, {"a": 3}).verdict == HoldsToBound(10, 6, unit="case")
    never = on_integers(all={"a": "0..9"}, where="a > 9", holds="a == 3")
    assert check_standing(never, 6, {}).verdict == Vacuous("no case satisfies its premise")


@pytest.mark.parametrize(
    "more",
    [
        {"all": {"x": "0..N"}},
        {"all": {"n": "0..N", "x": "0..n"}},
        {"all": {"x": "0..99"}, "where": "x <= N"},
        {"all": {"x": "0..99"}, "let": {"n": "N+1"}, "where": "x < n"},
    ],
)
def test_what_a_bound_cuts_off_is_never_exhausted(more):
    check = on_integers(bound=20, holds="x != 21", **more)
    verdict = check_standing(check, 20, {}).verdict
    assert isinstance(verdict, HoldsToBound)
    assert verdict.bound == 20
    assert isinstance(check_standing(check, 21, {}).verdict, Refuted)


def test_a_value_outside_its_range_is_no_case():
    check = on_integers(all={"a": "0..N step 2", "b": "0..a"}, holds="a+b < 0")
    for value in (-2, 3, 8):
        assert isinstance(check_standing(check, 6, {"a": value}).verdict, Undecided)
    with pytest.raises(ConfigError, match="'q'"):
        check_standing(check, 6, {"q": 1})


@pytest.mark.parametrize(
    "more",
    [
        {"where": "6 % (a-3) < 9"},
        {"holds": ["a >= 0", "6 % (a-3) < 9"]},
        {"let": {"q": "6 % (a-3)"}, "holds": "q >= 0"},
        {"number": {"of": {"b": "0..2"}, "such": "6 % (a-3) < b", "least": "0"}},
    ],
)
def test_what_has_no_value_is_undecided(more):
    check = {"all": {"a": "0..N"}, "holds": "a >= 0"}
    assert isinstance(check_standing(on_integers(**check | more), 6, {}).verdict, Undecided)


def test_integers_beyond_64_bits_are_undecided():
    check = on_integers(all={"a": "0..N"}, holds="2**a > a")
    assert check_standing(check, 62, {}).verdict == HoldsToBound(63, 62, unit="case")
    verdict = check_standing(check, 63, {}).verdict
    assert isinstance(verdict, Undecided)
    assert "outside signed integers of 64 bits" in verdict.why


def test_too_many_choices_are_undecided():
    number = {"of": {"x": "0..N", "y": "0..N"}, "such": "x == y", "least": "1"}
    counted = on_integers(all={"a": "0..9"}, number=number)
    few = Evaluation(None, 9999, {"N": 9999}, points_left=1 << 20)
    assert isinstance(judge(counted.proposition, few).verdict, Undecided)


@pytest.mark.parametrize(
    "text",
    [
        "for a in 0..N: count(n in 0..3, b in 0..a: b == a and n < b) == min(a, 4)",
        "for a in 0..N: (every b in 0..a, c in b..a: let d = c-b, e = a//d: b > 0 and d > 0 => e > 1)",
        "for a in 1..N: (some b in 0..a, c in 0..a: c == b+a and b > 0) or a < 9",
        "for a in 1..N: (no b in 2..a-1: a % b == 0) <=> count(b in 1..a: a % b == 0) == 2",
        "for a in 0..N, b in 0..N: let c = a-b, d = 6//c: a > b => (d > 0 or c > 6)",
        "for a in 0..N, b in a..N: let c = 6//(b-a): b == a or c >= 0",
        "for a in 0..N, b in a..N: let c = 6//(b-a): a > 2 => (b == a+1 => c == 6)",
    ],
)
def test_premises_that_are_evaluated_early_change_nothing(text):
    claim = Claim.from_json({"id": "a", "statement": text, "bound": 9})
    cases, wrong = by_definition(claim, 9, {})
    finding = check_standing(claim, 9)
    assert finding.verdict.positions == cases
    assert finding.evidence.get("failures", 0) == len(wrong)


def test_a_range_that_lists_some_integers_is_not_all_that_a_statement_speaks_of():
    said: dict[str, Any] = {"all": {"k": "2..6 step 2", "x": "0..k"}, "holds": "x <= k"}
    assert check_standing(on_integers(**said), 4, {}).verdict == Exhausted(15, "case")
    listed = on_integers(**said, listed=["k"])
    sense = "for k from 2 to 6 in steps of 2 alone"
    assert check_standing(listed, 4, {}).verdict == HoldsToBound(15, 4, sense, "case")
    assert check_standing(listed, 4, {"k": 4}).verdict == HoldsToBound(5, 4, None, "case")
    nothing = on_integers(**said, listed=["k"], where="x > k")
    assert isinstance(check_standing(nothing, 4, {}).verdict, Undecided)
