"""Statements on integers: against plain loops over the same ranges, with values one by one."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.evidence import choices as choices_module
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.language.mistakes import mistakes_in
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    VerdictRecord,
    verdict_text,
)
from choco_pipeline.claims.standalone.integers import find_integers
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.ranges import Range
from tests.claims.claims import conditions, integer_formulas
from tests.claims.verdict_documents import verdict_document
from tests.claims.written import claim_from


def statement(bound: int = 6, **check: Any) -> IntegerStatement:
    """Return a statement that is free of mistakes."""
    claim = claim_from({"id": "drawn", "check": {"kind": "integers", "bound": bound, **check}})
    assert list(mistakes_in(claim)) == []
    assert isinstance(claim.check, IntegerStatement)
    return claim.check


def assignments(
    spans: Mapping[str, Range], let: Mapping[str, Formula], known: dict[str, int]
) -> Iterator[dict[str, int]]:
    """Yield every choice of integers, with what follows from it."""
    if not spans:
        for name, formula in let.items():
            known = {**known, name: int(formula.value(known))}
        yield known
        return
    (name, span), *rest = spans.items()
    for value in span.values(known):
        yield from assignments(dict(rest), let, {**known, name: value})


def is_right(check: IntegerStatement, env: dict[str, int]) -> bool:
    """Whether what is claimed holds of one choice."""
    right = all(part.value(env) for part in check.holds)
    right &= len({part.value(env) for part in check.equivalent}) < 2
    if check.number is not None:
        number = check.number
        count = sum(bool(number.such.value(e)) for e in assignments(number.of, number.let, env))
        right &= number.least is None or count >= number.least.value(env)
        right &= number.exactly is None or count == number.exactly.value(env)
    return bool(right)


def by_definition(
    check: IntegerStatement, bound: int, fixed: Mapping[str, int]
) -> tuple[int, list[tuple[int, ...]]]:
    """Return how many cases there are, and which contradict the statement."""
    cases, wrong = 0, []
    for env in assignments(check.all, check.let, {"N": bound}):
        supposed = all(part.value(env) for part in check.where)
        if supposed and all(env[name] == value for name, value in fixed.items()):
            cases += 1
            if not is_right(check, env):
                wrong.append(tuple(env[name] for name in check.all))
    return cases, wrong


@st.composite
def statements(draw: st.DrawFn) -> IntegerStatement:
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
    return statement(**check)


def order(position: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return max(map(abs, position)), position


@settings(deadline=None)
@given(statements(), st.integers(0, 6), st.sampled_from([1, 5, 1 << 18]), st.data())
def test_statements_are_checked_as_by_definition(check, bound, block, data):
    fixed = data.draw(st.dictionaries(st.sampled_from(sorted(check.all)), st.integers(-1, 6)))
    cases, wrong = by_definition(check, bound, fixed)
    finding = find_integers(check, bound, fixed, block)
    assert (
        VerdictRecord.model_validate(verdict_document(finding.verdict)).as_verdict
        == finding.verdict
    )
    match finding.verdict:
        case Refuted(counterexample, positions):
            assert counterexample.position == min(wrong, key=order)
            assert counterexample.coordinates == tuple(check.all)
            assert finding.evidence == {"failures": len(wrong)}
            assert positions == cases
        case HoldsToBound(positions, to, None, "case"):
            assert (positions, to, wrong) == (cases, bound, [])
            assert cases
        case Exhausted(positions, "case"):
            assert (positions, wrong, check.is_finite) == (cases, [], True)
            assert cases
        case Vacuous():
            assert (cases, check.is_finite) == (0, True)
        case Undecided(why):
            assert cases == 0
            assert fixed or not check.is_finite
            assert f"up to N = {bound}" in why
        case other:
            pytest.fail(f"{other}")


# step2015 Lemmas 3.2 and 3.3, and Example 3.1 that it fails beyond.
LEMMA = {
    "all": {"k": "2..8 step 2", "s": "0..k-1", "r": "0..N", "q": "0..r//k"},
    "let": {"p": "q ^ r"},
    "equivalent": ["p >= s", "r >= s"],
}


def test_a_lemma_holds_to_a_bound_and_is_false_beyond_its_condition():
    held = find_integers(statement(**LEMMA), 64, {}).verdict
    assert isinstance(held, HoldsToBound)
    cases = sum(k * (r // k + 1) for k in range(2, 9, 2) for r in range(65))
    assert (held.positions, held.bound) == (cases, 64)
    spans = {**LEMMA["all"], "s": "0..2*k"}
    refuted = find_integers(statement(**LEMMA | {"all": spans}), 64, {}).verdict
    assert verdict_text(refuted) == (
        "refuted at (k, s, r, q) = (2, 3, 2, 1): p ≥ s is true, r ≥ s is false, where p = 3,"
        " claimed: p ≥ s ⇔ r ≥ s"
    )


@pytest.mark.parametrize(
    ("check", "found", "claimed"),
    [
        ({"holds": ["a >= 0", "a < 2"]}, "a < 2 is false", "a < 2"),
        (
            {"number": {"of": {"b": "0..a"}, "such": "b < 2", "exactly": "a+1"}},
            "the number of b with b < 2 is 2",
            "3",
        ),
        (
            {"number": {"of": {"b": "0..a"}, "such": "b < 2", "least": "a+1"}},
            "the number of b with b < 2 is 2",
            "at least 3",
        ),
    ],
)
def test_counterexamples_say_what_is_the_case(check, found, claimed):
    verdict = find_integers(statement(all={"a": "0..N"}, **check), 6, {}).verdict
    assert isinstance(verdict, Refuted)
    counterexample = verdict.counterexample
    assert (counterexample.found, counterexample.claimed) == (found, claimed)
    assert counterexample.position == (2,)


def test_negative_integers_count_by_their_size():
    check = statement(all={"a": "-N..N", "b": "-N..N"}, holds="a*b > -6")
    verdict = find_integers(check, 9, {}).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (-3, 2)


def test_a_statement_is_finite_if_it_is_the_same_for_every_bound():
    square = statement(all={"a": "0..9", "b": "0..9"}, holds="a*b < 82")
    assert find_integers(square, 0, {}).verdict == Exhausted(100, "case")
    assert find_integers(square, 6, {"a": 3}).verdict == HoldsToBound(10, 6, unit="case")
    never = statement(all={"a": "0..9"}, where="a > 9", holds="a == 3")
    assert find_integers(never, 6, {}).verdict == Vacuous("no integers are ones that it speaks of")


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
    check = statement(bound=20, holds="x != 21", **more)
    verdict = find_integers(check, 20, {}).verdict
    assert isinstance(verdict, HoldsToBound)
    assert verdict.bound == 20
    assert isinstance(find_integers(check, 21, {}).verdict, Refuted)


def test_a_value_outside_its_range_is_no_case():
    check = statement(all={"a": "0..N step 2", "b": "0..a"}, holds="a+b < 0")
    for value in (-2, 3, 8):
        verdict = find_integers(check, 6, {"a": value}).verdict
        assert verdict == Undecided(
            f"no integers up to N = 6, a = {value} are ones that it speaks of"
        )
    with pytest.raises(ConfigError, match=r"'q' is none of the integers .*: a, b$"):
        find_integers(check, 6, {"q": 1})


def test_what_is_supposed_protects_what_follows_in_any_order():
    check = statement(
        all={"a": "0..N", "b": "0..N"},
        let={"q": "10//a"},
        where=["b % a == 0", "a > 0", "a+b < 9"],
        holds="q*a <= 10",
    )
    cases = sum(b % a == 0 for a in range(1, 7) for b in range(7) if a + b < 9)
    assert find_integers(check, 6, {}).verdict == HoldsToBound(cases, 6, unit="case")


def test_what_a_later_name_rules_out_is_no_error():
    check = statement(
        all={"a": "0..N", "b": "0..N"}, let={"q": "10//a"}, where="b < a", holds="q*a <= 10"
    )
    assert find_integers(check, 6, {}).verdict == HoldsToBound(21, 6, unit="case")


@pytest.mark.parametrize("key", ["where", "holds", "let", "such"])
def test_what_has_no_value_is_an_error(key):
    check = {"all": {"a": "0..N"}, "holds": "a >= 0"}
    wrong = {
        "where": {"where": "6 % (a-3) < 9"},
        "holds": {"holds": ["a >= 0", "6 % (a-3) < 9"]},
        "let": {"let": {"q": "6 % (a-3)"}},
        "such": {"number": {"of": {"b": "0..2"}, "such": "6 % (a-3) < b", "least": "0"}},
    }
    with pytest.raises(FormulaError, match=r"division by zero at column \d+: a=3"):
        find_integers(statement(**check | wrong[key]), 6, {})


def test_conditions_are_asked_only_where_those_before_leave_them_open():
    held = statement(all={"a": "0..N"}, any=["a == 0", "6//a >= 0"])
    assert find_integers(held, 6, {}).verdict == HoldsToBound(7, 6, unit="case")
    refuted = find_integers(statement(all={"a": "0..N"}, holds=["a > 0", "6//a > 0"]), 6, {})
    assert refuted.evidence == {"failures": 1}


def test_integers_beyond_64_bits_are_refused():
    check = statement(all={"a": "0..N"}, holds="2**a > a")
    assert find_integers(check, 62, {}).verdict == HoldsToBound(63, 62, unit="case")
    with pytest.raises(FormulaError, match="outside signed integers of 64 bits"):
        find_integers(check, 63, {})


def test_too_many_choices_are_refused_before_they_are_looked_at():
    check = statement(all={"a": "0..N", "b": "0..N"}, holds="a+b >= 0")
    with pytest.raises(LimitError, match=r"more than 2,147,483,648 choices .* a smaller bound"):
        find_integers(check, 50_000, {})
    counted = statement(
        all={"a": "0..9"},
        number={"of": {"x": "0..N", "y": "0..N"}, "such": "x == y", "least": "1"},
    )
    with pytest.raises(LimitError):
        find_integers(counted, 50_000, {})


def test_the_budget_counts_every_choice_once():
    spans = statement(all={"a": "0..9", "b": "0..a"}, holds="a >= b").all
    visited = 10 + 55
    for block in (3, 100):
        blocks = choices_module.Choices(spans).blocks(
            choices_module.EvaluationBudget(visited), block
        )
        assert sum(found["a"].size for found in blocks) == 55
        with pytest.raises(LimitError):
            list(
                choices_module.Choices(spans).blocks(
                    choices_module.EvaluationBudget(visited - 1), block
                )
            )


def test_a_range_that_lists_some_integers_is_not_all_that_a_statement_speaks_of():
    said: dict[str, Any] = {"all": {"k": "2..6 step 2", "x": "0..k"}, "holds": "x <= k"}
    assert find_integers(statement(**said), 4, {}).verdict == Exhausted(15, "case")
    listed = statement(**said, listed=["k"])
    sense = "for k from 2 to 6 in steps of 2 alone"
    assert find_integers(listed, 4, {}).verdict == HoldsToBound(15, 4, sense, "case")
    assert find_integers(listed, 4, {"k": 4}).verdict == HoldsToBound(5, 4, None, "case")
    nothing = statement(**said, listed=["k"], where="x > k")
    assert isinstance(find_integers(nothing, 4, {}).verdict, Undecided)
