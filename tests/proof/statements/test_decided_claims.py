"""Claims decided for all positions, against tables and definitions; false ones are refuted at the least position."""

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.formula import parse
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide
from tests.claims.claims import claim_on
from tests.effort import examples
from tests.proof.statements.decided_games import decided

BOUND = 9


@cache
def grundy_numbers(text, bound):
    """Return the positions with coordinates up to `bound` in the order of counterexamples, and their numbers."""
    game = parse_ruleset(text)
    heaps = len(game.base.coordinates)
    positions = [q for q in game.positions(bound) if max(q[:heaps]) <= bound]
    positions.sort(key=lambda q: (max(q[:heaps]), q))
    return {q: game.grundy(q) for q in positions}


def first_wrong(text, wrong, bound=BOUND):
    """Return the least position up to `bound` where ``wrong(number, named)`` is true, by definition."""
    names = parse_ruleset(text).coordinates
    for position, number in grundy_numbers(text, bound).items():
        if wrong(number, dict(zip(names, position, strict=True))):
            return position
    return None


def agrees(finding, expected, heaps, bound=BOUND, reach=None):
    match finding.verdict:
        case Proved("here", "position", found_reach, None):
            assert found_reach == reach
            assert expected is None
        case Refuted(counterexample):
            at = counterexample.position
            assert at == expected or (expected is None and max(at[:heaps]) > bound), (at, expected)
        case Vacuous(why):
            assert why.startswith("no ")
            assert expected is None
        case other:
            raise AssertionError(other)


def pieces(names):
    """Strategies for integers, and for conditions, in these names."""
    small = st.sampled_from([*names, "1", "2", f"({names[0]}-1)", f"({names[-1]}+1)"])
    integers = st.one_of(
        small, st.builds("({} {} {})".format, small, st.sampled_from("+-^&|"), small)
    )
    integers = st.one_of(integers, st.builds("({}) // 2".format, integers))
    compared = st.sampled_from(["==", "!=", "<", ">="])
    conditions = st.builds("{} {} {}".format, integers, compared, integers)
    conditions = st.one_of(
        conditions,
        st.just(f"{' ^ '.join(names)} == 0"),
        st.builds("({}) or ({})".format, conditions, conditions),
    )
    return integers, conditions


SETS = st.sampled_from(
    [
        *("v == 0", "v >= 0", "v < 3", "v % 2 == 0", "v >= -1", "v < 1", "v == 0 or v == -5"),
        *("v != v", "v < 0", "v == 0 or v == 5000000", "v == 0 or v == -5000000", "-3 <= v < 2"),
    ]
)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_drawn_claims_on_values(data):
    text = data.draw(st.sampled_from(["step-bar(k=2, s=1)", "strip-bar(k=2, s=0)", "nim(2)"]))
    names = parse_ruleset(text).coordinates
    integers, conditions = pieces(names)
    reach = data.draw(st.none() | st.integers(-1, 6))
    value, member = parse(data.draw(integers)), parse(data.draw(SETS))
    where = data.draw(st.none() | conditions)
    premises = ["P"] + ([] if where is None else [f"({where})"])
    premises += [] if reach is None else [f"size <= {reach}"]

    def found(sign):
        return decided(text, f"{{{value}: {' and '.join(premises)}}} {sign} {{v: {member}}}")

    def spoken(number, named):
        near = reach is None or max(named.values()) <= reach
        return number == 0 and near and (where is None or parse(where).value(named))

    def wrong(number, named):
        return spoken(number, named) and not member.value({"v": value.value(named)})

    named = [
        (number, dict(zip(names, q, strict=True)))
        for q, number in grundy_numbers(text, BOUND).items()
    ]
    seen = {value.value(at) for number, at in named if spoken(number, at)}
    outwards = [w for v in range(60) for w in (-v, v)] + [-5_000_000, 5_000_000]
    members = [v for v in outwards if member.value({"v": v})]

    within = found("<=")
    agrees(within, first_wrong(text, wrong), len(names), reach=reach)
    first = within.evidence["first_values"]
    assert within.evidence["negative_values"] or min(seen, default=0) >= 0
    assert {v for v in seen if 0 <= v <= max(first, default=0)} <= set(first)
    covers, exactly = found(">=").verdict, found("==").verdict
    match covers:
        case Refuted(counterexample):
            said = re.fullmatch(r"no P-position has the value (-?[\d,]+)", counterexample.found)
            absent = int(said[1].replace(",", ""))
            assert absent not in seen
            assert member.value({"v": absent})
            nearer = {v for v in members if (abs(v), v) < (abs(absent), absent)}
            assert nearer <= seen or reach is None
            assert isinstance(exactly, Refuted)
        case Vacuous():
            assert members == []
        case Proved():
            assert set(members) <= seen or reach is None
            assert members
            assert isinstance(exactly, Proved) == isinstance(within.verdict, Proved)
        case other:
            raise AssertionError(other)
    if reach is not None:  # all of it is known
        assert isinstance(covers, Refuted) == (not set(members) <= seen)
        assert isinstance(exactly, Refuted) == (set(members) != seen)
        assert isinstance(within.verdict, Vacuous) == (not seen)
    if isinstance(exactly, Vacuous):
        assert seen == set()
        assert members == []


@pytest.mark.parametrize(
    ("said", "absent"),
    [
        ("== {v: v == 0 or v == -5}", "-5"),
        (">= {v: v < 1}", "-1"),
        (">= {v: v == 0 or v == 5000000}", "5,000,000"),
        (">= {v: v == 0 or v == -7000000}", "-7,000,000"),
    ],
)
def test_members_of_any_sign_must_be_values(said, absent):
    finding = decided("solid-bar(f=(x+z)//3)", f"{{x ^ y ^ z: P}} {said}")
    assert finding.verdict.counterexample.found == f"no P-position has the value {absent}"


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("a < 0 => (P <=> a == b)", "no position"),
        ("a < 0 => P", "no position"),
        ("a != b and P => a > 7", "no pos"),
        ("{a: P and a > b} <= {v: v == 7}", "no P"),
        ("{a: P} >= {v: v != v}", "no integer"),
        ("a < 0 => no option: a' == b'", "no position"),
        ("a == 0 => every option by a: a' > b'", "no position"),
    ],
)
def test_what_says_nothing_is_vacuous(statement, why):
    verdict = decided("nim(2)", statement).verdict
    assert isinstance(verdict, Vacuous)
    assert verdict.why.startswith(why)


def test_far_counterexamples_are_explained_by_the_automata():
    far = 10**6

    def counterexample(statement, relation="p"):
        return decided("nim(2)", statement, relation).verdict.counterexample

    found = counterexample(f"P <=> a ^ b == 0 and a < {far}")
    assert (found.position, found.found) == ((far, far), "P-position")
    assert (found.claimed, found.option) == ("N-position", None)
    found = counterexample(f"P <=> a ^ b == 0 or a == {far} and b == {far - 1}")
    assert (found.position, found.found) == ((far, far - 1), "N-position")
    found = counterexample(f"a >= {far} => (G == (a ^ b)+1)", "grundy")
    assert (found.position, found.found) == ((far, 0), f"Grundy number {far}")
    assert (found.claimed, found.option) == (f"Grundy number {far + 1}", (0, 0))
    found = counterexample(f"{{a+b: P}} <= {{v: v < {2 * far}}}")
    assert (found.position, found.found) == ((far, far), f"the P-position has the value {2 * far}")


@pytest.mark.parametrize(("reach", "at"), [(-1, None), (5, None), (6, (6, 6))])
def test_a_claim_speaks_no_further_than_it_reaches(reach, at):
    verdict = decided("nim(2)", f"size <= {reach} => (P <=> a == b and a < 6)").verdict
    if at is not None:
        assert verdict.counterexample.position == at
    else:
        no_position = Vacuous("no position satisfies its premise")
        assert verdict == (Proved("here", reach=reach) if reach > 0 else no_position)
    verdict = decided("nim(2)", f"{{a: P and size <= {reach}}} == {{v: 0 <= v < 6}}").verdict
    assert verdict == Proved("here", reach=5) if reach == 5 else isinstance(verdict, Refuted)


def test_the_least_position_may_have_more_passes_left():
    text = "with-pass(step-bar(k=2, s=1), passes=1)"
    game, wrong = parse_ruleset(text), [(0, 5, 0), (1, 2, 1)]
    assert not any(map(game.is_p_position, wrong))
    said = "p == 0 and y == 0 and z == 5 or p == 1 and y == 1 and z == 2 => P"
    assert decided(text, said).verdict.counterexample.position == (1, 2, 1)


def test_grundy_numbers_tell_p_positions_too():
    said = "P <=> y == z"
    assert decided("step-bar(k=1)", said) != decided("step-bar(k=2)", said)
    by_p = decided("step-bar(k=2, s=1)", said).verdict
    assert decided("step-bar(k=2, s=1)", said, "grundy").verdict == by_p
    assert decided("nim(2)", "{a-b: P} == {v: v == 0}", "grundy").verdict == Proved("here")


LISTING = {"kind": "listing", "of": "a", "order": ["a", "b"], "begins": [0], "up_to": 3}


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        ("nim(2)", "G == a ^ b", "Grundy numbers are not proved"),
        ("nim(2)", "P <=> a*b == 0", "multiplies two coordinates"),
        ("nim(2)", "let zero = 0: P <=> a//zero == b", "division by zero"),
        ("nim(2)", "P <=> a >> 20 == b", "more than 65536 states"),
        ("nim(2)", {"check": LISTING}, "statements of this form are not supported in proofs"),
        ("rectangular-bar(m=2, n=3)", "P <=> i == j", "not supported in proofs"),
    ],
)
def test_what_is_not_decided(text, said, why):
    verdict = decided(text, said).verdict
    assert isinstance(verdict, Undecided)
    assert why in verdict.why


def test_an_undecided_game_decides_no_claim():
    proof = prove(parse_ruleset("step-bar(k=2, s=1)"), seconds=1e-9)
    claim = claim_on(proof.ruleset, "P <=> y == z")
    verdict = decide(claim, {}, proof, "here").verdict
    assert "no proved automata" in verdict.why
