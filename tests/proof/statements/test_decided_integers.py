"""Statements on integers decided for all of them: Python itself is the judge, whatever the names spell."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.claims.checks.check import check_standing
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.proof.statements.decided_integers import (
    choices,
    decide_integers,
    fixed_integers,
)
from tests.catalogues import catalogue_of
from tests.claims.claims import on_integers
from tests.claims.oracle_of_integers import outcome_of_integers
from tests.definition import value_in_python
from tests.effort import examples

BOUND = 3


def statement(bound=BOUND, **check):
    return on_integers(bound, **check)


def decided(seconds=math.inf, **check):
    """Return the one verdict on a statement, of which nothing is fixed."""
    ((fixed, finding),) = decide_integers(statement(**check), seconds)
    assert fixed == {}
    return finding.verdict


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
def test_statements_by_hand(check, at):
    verdict = decided(**check)
    assert isinstance(verdict, Proved if at is None else Refuted)
    assert at is None or verdict.counterexample.position == at


def test_a_statement_that_is_true_as_far_as_one_looks():
    """The bound of the check is no bound of the proof."""
    check = {"bound": 50, **ONE, "holds": "x < 1000 or x % 2 == 0"}
    assert not outcome_of_integers(statement(**check).proposition, 50).is_false
    assert decided(**check).counterexample.position == (1001,)


def test_what_is_fixed_and_for_which_values():
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
def test_choices_that_are_not_decided_are_told(span, wrong_at, decided_for, others):
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
def test_a_number_may_be_in_its_range_for_some_bounds_only(span):
    """With N = 4 there is k = 2, and z < 5; with a larger N there is k = 1 alone, or none."""
    claim = statement(bound=4, all={"k": span, "z": "0..N"}, holds="z < 5 or z//k == z")
    *told, (others, rest) = decide_integers(claim, math.inf)
    assert [(fixed, type(found.verdict)) for fixed, found in told] == [
        ({"k": 1}, Proved),
        ({"k": 2}, Proved),
    ]
    assert (others, rest.verdict.why[:24]) == ({}, "only the first 2 choices")


def test_a_statement_without_time_is_not_decided_for_all_choices():
    claim = statement(all={"k": "1..3", "z": "0..N"}, holds="k*z >= z")
    found = decide_integers(claim, 0)
    assert [(fixed["k"], finding.verdict.why) for fixed, finding in found] == [
        (k, "time is up before the sentence is decided") for k in (1, 2, 3)
    ]
    assert not any(finding.evidence["all_choices"] for _, finding in found)


def test_a_statement_that_speaks_of_nothing_is_vacuous():
    for check in (
        {"all": {"k": "5..2", "z": "k..N"}, "holds": "k*z >= z"},
        {"all": {"z": "0..N"}, "where": "z < 0", "holds": "z > 3"},
        {"all": {"z": "N+1..N"}, "holds": "z > 3"},
    ):
        assert decided(**check) == Vacuous("no case satisfies its premise")


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ({"all": {"x": "0..9"}, "holds": "x >= 0"}, "finitely many integers, so a check"),
        ({"all": {"n": "0..N", "x": "0..2**n"}, "holds": "x >= 0"}, "given n there are finitely"),
        ({"all": {"x": "0..N"}, "holds": "x < 2**N"}, r"2\*\*N: N is a bound, but must be"),
        ({"all": {"x": "0..N"}, "holds": "N*x >= 0"}, "given x there are finitely"),
        ({"all": {"x": "1..N"}, "holds": "v2(x) >= 0"}, r"v2\(x\) is an exponent, which no"),
        (
            counted({"z": "0..x"}, "x >> z == 0", least=1),
            "^x >> z: z is counted, but must be a constant there$",
        ),
        (
            counted({"z": "0..x"}, "z <= x", exactly="x+1"),
            r"^x\+1: count\(…\) can only be compared with a constant$",
        ),
        (counted({"z": "0..x"}, "z <= x", least=5), r"^5: count\(…\) is supported up to 4 only$"),
    ],
)
def test_what_is_not_said(check, why):
    verdict = decided(**check)
    assert isinstance(verdict, Undecided)
    assert re.search(why, verdict.why)


def test_a_range_of_numbers_without_value_is_undecided():
    verdict = decided(all={"k": "0..2", "j": "0..4 step k", "x": "j..N"}, holds="x >= 0")
    assert isinstance(verdict, Undecided)
    assert verdict.why.endswith("the step of a range is at least 1, found 0")


def test_printed_rows_are_data_of_a_statement_about_integers():
    def verdict(text):
        document = {"id": "a", "statement": text, "bound": 9, "printed": [[0, 0], [3, 6], [40, 80]]}
        ((_, finding),) = decide_integers(Claim.from_json(document), math.inf)
        return finding.verdict

    assert isinstance(verdict("for x in 0..N, y in 0..N: (x, y) in printed => y == 2*x"), Proved)
    refuted = verdict("for x in 0..N, y in 0..N: (x, y) in printed => x < 40")
    assert refuted.counterexample.position == (40, 80)


@pytest.mark.parametrize("where", ["k != 0", ["x >= 0", "k != 0 and x >= 1"], "k*k > 0"])
def test_choices_that_where_excludes_are_not_decided(where):
    found = decide_integers(
        statement(all={"k": "-3..3", "x": "0..N"}, where=where, holds="x - x % k == k*(x//k)")
    )
    assert [fixed["k"] for fixed, _ in found] == [-3, -2, -1, 1, 2, 3]
    assert all(isinstance(finding.verdict, Proved) for _, finding in found)
    assert all(finding.evidence["all_choices"] for _, finding in found)


def test_claims_on_games_are_refused():
    claim = Claim.from_json({"id": "a", "ruleset": "nim(2)", "statement": "G == a ^ b"})
    with pytest.raises(ValueError, match="a statement about integers is needed"):
        decide_integers(claim)


@pytest.mark.slow
def test_no_statement_of_the_papers_is_proved_that_its_check_refutes():
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


#: Names that sentences and engines have used, or use, for variables of their own.
SPELLINGS = ["x", "from_first_of_x", "below_0_x", "below_0_d", "d", "v", "n", "value", "other"]
SPELLINGS += ["t1", "from_first_of_d", "p", "q", "r0", "relation0", "times2", "x1", "e", "u"]


def verdicts(bound=20, **check):
    found = decide_integers(statement(bound, **check), math.inf)
    return [(fixed, finding.verdict) for fixed, finding in found]


def is_false_at(check, position, bound):
    """Return whether a statement speaks of integers and is false of them, as Python reads its formulas."""
    env = {"N": bound}

    def value(text):
        return value_in_python(str(text), env)

    def span(text):
        limits, _, step = str(text).partition(" step ")
        first, _, last = limits.partition("..")
        return range(value(first), value(last or first) + 1, value(step or 1))

    for (name, limits), at in zip(check["all"].items(), position, strict=True):
        if at not in span(limits):
            return False
        env[name] = at
    for name, text in check.get("let", {}).items():
        env[name] = value(text)
    if not value(check.get("where", "True")):
        return False
    if not value(check.get("holds", "True")):
        return True
    number = check.get("number")
    if number is None:
        return False
    outer, found = dict(env), 0
    stack = [{}]
    for name, limits in number["of"].items():
        longer = []
        for inner in stack:
            env.update(outer | inner)
            longer += [inner | {name: at} for at in span(limits)]
        stack = longer
    for inner in stack:
        env.update(outer | inner)
        for name, text in number.get("let", {}).items():
            env[name] = value(text)
        found += bool(value(number["such"]))
    return found < number["least"] if "least" in number else found != number["exactly"]


COLLISIONS = [
    # at x = 3000 and 0, which no check up to the bound sees
    {"all": {"x": "5..N", "from_first_of_x": "0..N"}, "holds": "x < from_first_of_x + 3000"},
    {
        "all": {"x": "0..N", "y": "0..N", "below_0_d": "0..N"},
        "let": {"d": "(x-y)//2"},
        "where": "y < x+3000 or d < -1500",
        "holds": "d + below_0_d >= 0 or y < x+3000",
    },
    {
        "all": {"x": "0..N", "from_first_of_u": "0..N"},
        "number": {"of": {"u": "5..x+5"}, "such": "u == from_first_of_u + 5", "least": 1},
    },
    {
        "all": {"x": "3000..N", "below_0_w": "0..N"},
        "number": {
            "of": {"u": "0..x"},
            "let": {"w": "(u-x)//2"},
            "such": "w + below_0_w >= 0 and u < x",
            "least": 1,
        },
    },
]


@pytest.mark.parametrize("check", COLLISIONS)
def test_names_that_spell_a_variable_are_names(check):
    """Each is false; where variables of ours had these names, each was proved."""
    ((_, verdict),) = verdicts(**check)
    assert isinstance(verdict, Refuted), verdict
    position = verdict.counterexample.position
    assert is_false_at(check, position, 10 * max(20, *map(abs, position)))


@st.composite
def terms(draw, names):
    first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    shapes = ["{}", "{}+{}", "{}-{}", "2*{}-3*{}", "{}^{}", "({}-1)&({}-2)", "min({}, {})", "-{}"]
    shapes += ["({}-{})//2", "({}-{})%3", "abs({}-{})", "max({}, -{})", "({}-3)|{}"]
    return draw(st.sampled_from(shapes)).format(first, second)


#: Far constants lie beyond every bound that a check looks up to.
FAR = [-3000, -129, 60, 1000, 4095, 100_000]
constants = st.one_of(st.integers(-4, 4), st.sampled_from(FAR))


@st.composite
def conditions(draw, names):
    sign = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
    text = f"{draw(terms(names))} {sign} {draw(terms(names))}+({draw(constants)})"
    if draw(st.booleans()):
        return text
    other = f"{draw(st.sampled_from(names))} {draw(st.sampled_from(['<', '>=']))} {draw(constants)}"
    return draw(st.sampled_from(["{} or {}", "{} and {}", "not ({} and {})"])).format(text, other)


@st.composite
def statements(draw):
    names = draw(st.permutations(SPELLINGS))[:6]
    x, y, follows, u, w, z = names
    spans = [f"{draw(constants)}..N", "-N..N", "-2..N step 3", "N//3..N"]
    check = {"all": {x: draw(st.sampled_from(spans))}}
    spans += [f"{x}..{x}+5", f"-{x}..N", f"min({x}, 2)..N", f"({x}-3)//2", f"{x}-2..{x}+2 step 2"]
    spans += [f"-3000..{x}"]
    check["all"][y] = draw(st.sampled_from(spans))
    known = [x, y]
    if draw(st.booleans()):
        check["all"][z] = "-1..1" if draw(st.booleans()) else "0..N"
        known.append(z)
    if draw(st.booleans()):
        check["let"] = {follows: draw(terms(known))}
        known.append(follows)
    if draw(st.booleans()):
        check["where"] = draw(conditions(known))
    if draw(st.booleans()):
        check["holds"] = draw(conditions(known))
        return check
    of = {u: draw(st.sampled_from([f"{x}-1..{x}+1", f"0..max({y}, 1)&7", f"({y}-1)//2", "-2..1"]))}
    inner = [*known, u]
    number = {"of": of}
    if draw(st.booleans()):
        number["let"] = {w: draw(terms(inner))}
        inner.append(w)
    number["such"] = draw(conditions(inner))
    number[draw(st.sampled_from(["least", "exactly"]))] = draw(st.integers(0, 2))
    return check | {"number": number}


def near(check):
    """Return integers at and beyond all constants of a statement."""
    text = str(check)
    far = [n for n in FAR if str(abs(n)) in text]
    beyond = itertools.product(far, (-3, -2, -1, 1, 2, 3), (-2, -1, 0, 1, 2, 5))
    return sorted({*range(-6, 8), *(factor * n + more for n, factor, more in beyond)})


@settings(max_examples=examples(60), deadline=None)
@given(statements())
def test_what_is_proved_of_any_names_is_true_and_what_is_refuted_is_false(check):
    for fixed, verdict in verdicts(**check):
        match verdict:
            case Proved() | Vacuous():
                never = {"holds": "0 > 1"} if isinstance(verdict, Vacuous) else {}
                points = near(check)
                spans = [[fixed[n]] if n in fixed else points for n in check["all"]]
                step = 1 + math.prod(map(len, spans)) // 2000
                for position in itertools.islice(itertools.product(*spans), 0, None, step):
                    for bound in (20, 20 + max(map(abs, position)), 900_000):
                        assert not is_false_at(check | never, position, bound), (position, bound)
            case Refuted(counterexample):
                position = counterexample.position
                bounds = {*range(20, 400), *(3 * abs(at) + e for at in position for e in range(3))}
                assert any(is_false_at(check, position, bound) for bound in {*bounds, 10**7})
            case Undecided(why):
                assert "finitely many" in why or "too large to decide" in why, why
