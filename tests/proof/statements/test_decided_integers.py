"""Statements on integers decided for all of them, against plain loops; false ones are refuted where loops find them false."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks.check import check_standing
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof.statements import decided_integers as module
from choco_pipeline.proof.statements.decided_integers import (
    choices,
    decide_integers,
    fixed_integers,
)
from tests.catalogues import catalogue_of
from tests.claims.oracle_of_integers import outcome_of_integers
from tests.claims.written import claim_from
from tests.effort import examples

BOUND = 3
BEYOND = 7


def statement(bound=BOUND, **check):
    document = {"id": "drawn", "check": {"kind": "integers", "bound": bound, **check}}
    claim = claim_from(document)
    assert list(mistakes_in(claim)) == []
    return claim


def decided(seconds=math.inf, **check):
    """Return the one verdict on a statement, of which nothing is fixed."""
    ((fixed, finding),) = decide_integers(statement(**check), seconds)
    assert fixed == {}
    return finding.verdict


@st.composite
def terms(draw, names):
    first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    shapes = ["{}", "{}+{}", "{}-{}", "{} ^ {}", "({}-1) ^ ({}-1)", "min({}, {})", "abs({}-{})"]
    shapes += ["({}+{})//k", "{} % k", "k*{}-{}", "{} >> 1", "{} & {}", "-{} // 2", "{}+2"]
    return draw(st.sampled_from(shapes)).format(first, second)


@st.composite
def conditions(draw, names):
    left, right = draw(terms(names)), draw(st.one_of(terms(names), st.sampled_from("0123")))
    compared = f"{left} {draw(st.sampled_from(['==', '!=', '<', '<=', '>=']))} {right}"
    if draw(st.booleans()):
        return compared
    joined = draw(st.sampled_from(["{} or {} == 1", "not ({} and {} > 0)", "{} and {} % 2 == 0"]))
    return joined.format(compared, draw(st.sampled_from(names)))


@st.composite
def statements(draw):
    """Draw a statement with a divisor k, two integers, at times one that follows, and at times others that are counted."""
    ranges = ["0..N", "1..N", "-2..N", "k..N step 2", "-N..N", "2*k..N+1"]
    inner = ["0..x", "x..x+k", "0..N", "x-1..x+1", "0..2*y", "x//2"]
    spans = {"k": "1..2", "x": draw(st.sampled_from(ranges))}
    spans["y"] = draw(st.sampled_from([*ranges, *inner]).filter(lambda span: "y" not in span))
    names, check = ["x", "y"], {"all": spans}
    if draw(st.booleans()):
        check["let"] = {"z": draw(terms(names))}
        names.append("z")
    if draw(st.booleans()):
        check["where"] = draw(conditions(names))
    said = draw(st.sampled_from(["holds", "any", "equivalent", "number"]))
    if said == "holds":
        check["holds"] = draw(conditions(names))
    elif said in ("any", "equivalent"):
        check[said] = draw(st.lists(conditions(names), min_size=2, max_size=3))
    else:
        of = {"u": draw(st.sampled_from(inner))}
        if draw(st.booleans()):
            of["v"] = draw(st.sampled_from(["0..u", "u..u+1"]))
        let = {"w": draw(terms([*names, *of]))}
        such = draw(conditions([*names, *of, "w"]))
        many = draw(st.integers(0, 2))
        check["number"] = {"of": of, "let": let, "such": such}
        check["number"][draw(st.sampled_from(["least", "exactly"]))] = many
    return check


@settings(max_examples=examples(150), deadline=None)
@given(statements())
def test_drawn_statements(check) -> None:
    claim = statement(**check)
    for fixed, finding in decide_integers(claim, math.inf):
        assert list(fixed) == ["k"]
        given = statement(**{**check, "all": {**check["all"], "k": fixed["k"]}})
        match finding.verdict:
            case Proved(_, "integer"):
                for bound in range(BOUND, BEYOND + 1):
                    assert not outcome_of_integers(given.proposition, bound).is_false
            case Vacuous("no case satisfies its premise"):
                assert outcome_of_integers(given.proposition, BEYOND).is_empty
            case Refuted(counterexample, 0):
                # With this bound at the latest it is false there; whether earlier, the ranges say.
                *_, x, y = counterexample.position
                largest = max(BOUND, 2 * abs(x) + 2, 2 * abs(y) + 2)
                shown = check_standing(given, largest, {"k": fixed["k"], "x": x, "y": y})
                if "N" not in str(check.get("number")):
                    assert isinstance(shown.verdict, Refuted)
                    assert shown.verdict.counterexample == counterexample
                if "-" not in str(check["all"]) and largest <= 2 * BEYOND:
                    assert (
                        outcome_of_integers(given.proposition, largest).least
                        == counterexample.position
                    )
            case other:
                raise AssertionError(other)


ONE = {"all": {"x": "0..N"}}


def counted(of, such, **how):
    return {**ONE, "number": {"of": of, "such": such, **how}}


def unique(k, **how):
    return counted({"z": "0..2*x"}, f"x ^ z//{k} ^ z == 0", **how)


PAIRS = {"u": "0..1", "v": "u..2"}, "u+v == 2"
FURTHER = counted({"z": "x..N+3"}, "z > 4", least=2)
BELOW = {"all": {"x": "-N..N", "y": "x..-1"}}


@pytest.mark.parametrize(
    ("check", "at"),
    [
        (unique(2, exactly=1), None),
        (unique(2, least=1), None),
        (unique(2, least=2), (0,)),
        (unique(2, exactly=0), (0,)),
        (unique(3, exactly=1), (2,)),
        (counted(*PAIRS, exactly=2), None),  # a pair is counted once
        (counted(*PAIRS, exactly=1), (0,)),
        (counted(*PAIRS, exactly=3), (0,)),
        (counted({"u": "x//2"}, "u <= x", exactly=1), None),  # what has one value, once
        ({**FURTHER, "bound": 2}, (0,)),
        ({**FURTHER, "bound": 3}, None),
        ({**BELOW, "holds": "y < 0 and x <= y"}, None),
        ({**BELOW, "holds": "x >= -4"}, (-5, -5)),
        # beyond 64 bits
        ({**ONE, "let": {"y": "x + 1"}, "where": "x > 3", "holds": "x >> 70 == 0"}, (1 << 70,)),
    ],
)
def test_statements_by_hand(check, at) -> None:
    verdict = decided(**check)
    assert isinstance(verdict, Proved if at is None else Refuted)
    assert at is None or verdict.counterexample.position == at


def test_a_wrong_number_is_shown() -> None:
    shown = decided(**unique(3, exactly=1)).counterexample
    assert shown.coordinates == ("x",)
    assert shown.found.endswith("is 2")


def test_a_statement_that_is_true_as_far_as_one_looks() -> None:
    """The bound of the check is no bound of the proof."""
    check = {"bound": 50, **ONE, "holds": "x < 1000 or x % 2 == 0"}
    assert not outcome_of_integers(statement(**check).proposition, 50).is_false
    assert decided(**check).counterexample.position == (1001,)


def test_the_least_counterexample_is_that_of_a_check() -> None:
    for check in (
        {"all": {"k": "9", "x": "0..N", "y": "0..N"}, "holds": "x+y < 8"},
        {"all": {"x": "2..N", "y": "3*x", "z": "0..y"}, "holds": "x+z < 17"},
        {"all": {"x": "1..N", "y": "0..N step 3"}, "where": "x > 4", "holds": "x+y < 11"},
    ):
        ((_, finding),) = decide_integers(statement(**check), math.inf)
        least = outcome_of_integers(statement(**check).proposition, 30).least
        assert finding.verdict.counterexample.position == least


def test_what_is_fixed_and_for_which_values() -> None:
    def fixed(**check):
        return fixed_integers(statement(**check))

    open_range = {"all": {"k": "2..6 step 2", "z": "0..N"}}
    assert fixed(**open_range, holds="k*z >= z") == ("k",)
    assert fixed(**open_range, holds="z >> k <= z") == ("k",)
    assert fixed(all={"z": "0..N", "k": "0..N"}, holds="k*z >= 0") == ("z",)
    assert fixed(all={"d": "0..3", "e": "0..d", "x": "0..N"}, holds="x >> e >= 0") == ("d", "e")
    assert fixed(all={"s": "0..N", "x": "0..N"}, holds="x+s >= s") == ()
    assert fixed(all={"t": "0..3", "x": "t..N"}, let={"k": "2*t"}, holds="x//(k+1) >= 0") == ("t",)
    check = statement(all={"k": "2..6 step 2", "z": "0..N"}, holds="k*z >= z")
    assert choices(check, ("k",)) == ([{"k": 2}, {"k": 4}, {"k": 6}], True)
    many = statement(bound=5000, all={"k": "1..N", "z": "0..N"}, holds="k*z >= z")
    assert choices(many, ("k",)) == ([{"k": k} for k in range(1, 101)], False)
    few = statement(bound=5, all={"k": "1..N", "z": "0..N"}, holds="k*z >= z")
    assert choices(few, ("k",)) == ([{"k": k} for k in range(1, 6)], False)


@pytest.mark.parametrize(
    ("span", "wrong_at", "decided_for", "others"),
    [
        ("1..90", 80, 90, None),
        ("1..100", 101, 100, None),
        ("1..101", 101, 100, "only the first 100 choices of k from 1 to 101 are decided"),
        ("1..N", 300, 9, "only the first 9 choices of k from 1 to N are decided"),
        ("10..N", 300, 0, "only the first 0 choices of k from 10 to N are decided"),
    ],
)
def test_choices_that_are_not_decided_are_told(span, wrong_at, decided_for, others) -> None:
    """A statement may be false of these alone: it is not proved by the rest."""
    claim = statement(bound=9, all={"k": span, "z": "0..N"}, holds=f"k*z < {wrong_at}*z or z < 9")
    found = decide_integers(claim, math.inf)
    told = [(fixed, finding) for fixed, finding in found if fixed]
    assert [fixed["k"] for fixed, _ in told] == list(range(1, decided_for + 1))
    assert all(isinstance(f.verdict, Refuted) == (c["k"] >= wrong_at) for c, f in told)
    assert {finding.evidence["all_choices"] for _, finding in found} == {others is None}
    rest = [finding.verdict for fixed, finding in found if not fixed]
    assert rest == ([] if others is None else [Undecided(others)])


@pytest.mark.parametrize("span", ["1..max(1, 6-N)", "1..max(2, 7-N)-1 step 1", "2*N-7..2"])
def test_a_number_may_be_in_its_range_for_some_bounds_only(span) -> None:
    """With N = 4 there is k = 2, and z < 5; with a larger N there is k = 1 alone, or none."""
    claim = statement(bound=4, all={"k": span, "z": "0..N"}, holds="z < 5 or z//k == z")
    *told, (others, rest) = decide_integers(claim, math.inf)
    assert [(fixed, type(found.verdict)) for fixed, found in told] == [
        ({"k": 1}, Proved),
        ({"k": 2}, Proved),
    ]
    assert (others, rest.verdict.why[:24]) == ({}, "only the first 2 choices")


def test_a_statement_without_time_is_not_decided_for_all_choices() -> None:
    claim = statement(all={"k": "1..3", "z": "0..N"}, holds="k*z >= z")
    found = decide_integers(claim, 0)
    assert [(fixed["k"], finding.verdict.why) for fixed, finding in found] == [
        (k, "time is up before the sentence is decided") for k in (1, 2, 3)
    ]
    assert not any(finding.evidence["all_choices"] for _, finding in found)


def test_a_statement_that_speaks_of_nothing_is_vacuous() -> None:
    for check in (
        {"all": {"k": "5..2", "z": "k..N"}, "holds": "k*z >= z"},
        {"all": {"z": "0..N"}, "where": "z < 0", "holds": "z > 3"},
        {"all": {"z": "N+1..N"}, "holds": "z > 3"},
    ):
        ((fixed, finding),) = decide_integers(statement(**check), math.inf)
        assert (fixed, finding.verdict) == ({}, Vacuous("no case satisfies its premise"))


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ({"all": {"x": "0..9"}, "holds": "x >= 0"}, "finitely many integers, which the check"),
        ({"all": {"n": "0..N", "x": "0..2**n"}, "holds": "x >= 0"}, "given n there are finitely"),
        ({"all": {"x": "0..N"}, "holds": "x < 2**N"}, r"2\*\*N: N is a bound, and must be"),
        ({"all": {"x": "0..N"}, "holds": "N*x >= 0"}, "given x there are finitely"),
        ({"all": {"x": "1..N"}, "holds": "v2(x) >= 0"}, r"v2\(x\) is an exponent, which no"),
        (
            counted({"z": "0..x"}, "x >> z == 0", least=1),
            "^x >> z: z is counted, and must be a number there$",
        ),
        (
            counted({"z": "0..x"}, "z <= x", exactly="x+1"),
            r"^x\+1: a number of integers must not depend on integers$",
        ),
        (counted({"z": "0..x"}, "z <= x", least=5), "^5: more than 4 integers are counted$"),
    ],
)
def test_what_is_not_said(check, why) -> None:
    verdict = decided(**check)
    assert isinstance(verdict, Undecided)
    assert re.search(why, verdict.why)


def test_a_range_of_numbers_without_value_is_undecided() -> None:
    (finding,) = (
        found
        for _, found in decide_integers(
            statement(all={"k": "0..2", "j": "0..4 step k", "x": "j..N"}, holds="x >= 0")
        )
    )
    assert isinstance(finding.verdict, Undecided)
    assert finding.verdict.why.endswith("the step of a range is at least 1, found 0")


def test_printed_rows_are_data_of_a_statement_about_integers() -> None:
    def verdict(text):
        document = {"id": "a", "statement": text, "bound": 9, "printed": [[0, 0], [3, 6], [40, 80]]}
        ((_, finding),) = decide_integers(Claim.from_json(document), math.inf)
        return finding.verdict

    assert isinstance(verdict("for x in 0..N, y in 0..N: (x, y) in printed => y == 2*x"), Proved)
    refuted = verdict("for x in 0..N, y in 0..N: (x, y) in printed => x < 40")
    assert refuted.counterexample.position == (40, 80)


@pytest.mark.parametrize("where", ["k != 0", ["x >= 0", "k != 0 and x >= 1"], "k*k > 0"])
def test_choices_that_where_excludes_are_not_decided(where) -> None:
    found = decide_integers(
        statement(all={"k": "-3..3", "x": "0..N"}, where=where, holds="x - x % k == k*(x//k)")
    )
    assert [fixed["k"] for fixed, _ in found] == [-3, -2, -1, 1, 2, 3]
    assert all(isinstance(finding.verdict, Proved) for _, finding in found)
    assert all(finding.evidence["all_choices"] for _, finding in found)


def test_an_engine_that_contradicts_the_definition_is_an_alarm(monkeypatch) -> None:
    monkeypatch.setattr(module, "_least", lambda *_: {"N": 9, "x": 1})
    with pytest.raises(DisagreementError, match=r"is false at .* by the engine, not by definition"):
        decided(all={"x": "0..N"}, holds="x != 7")


def test_claims_on_games_are_refused() -> None:
    document = {"id": "a", "ruleset": "nim(2)", "check": {"kind": "grundy", "equals": "a ^ b"}}
    with pytest.raises(ValueError, match="a statement about integers is needed"):
        decide_integers(claim_from(document))


@pytest.mark.slow
def test_no_statement_of_the_papers_is_proved_that_its_check_refutes() -> None:
    catalogue = catalogue_of()
    number = 0
    for claim in catalogue.claims.values():
        if not claim.is_about_integers or claim.is_finite:
            continue
        for fixed, finding in decide_integers(claim, math.inf):
            if isinstance(finding.verdict, Undecided):
                continue
            number += 1
            found = check_standing(claim, None, fixed).verdict
            assert isinstance(found, Refuted) == isinstance(finding.verdict, Refuted), claim.id
            if isinstance(found, Refuted):
                assert found.counterexample == finding.verdict.counterexample
    assert number > 300
