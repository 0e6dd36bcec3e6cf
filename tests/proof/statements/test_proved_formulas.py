"""Formulas that a search finds for proved games: right by definition, short, and proved by every engine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.verdict import Proved, Refuted
from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.synthesis import FormulaCase
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.records import FormulaOfProof
from choco_pipeline.proof.statements import proved_formulas as module
from choco_pipeline.proof.statements.proved_formulas import (
    decide_cases,
    formulas,
    formulas_of_table,
)
from tests.effort import examples
from tests.proof.statements.decided_games import proved

NAMES = ("y", "z")


def test_the_twelve_parts_of_step2015_conjectures_4_1_to_4_4_are_two_cases():
    found = formulas(proved("step-bar(k=1)", "grundy"))
    assert found.cases == (
        FormulaCase("(y+z)%2 == 0", "z+(y+1)//2"),
        FormulaCase("(y+z)%2 == 1", "min(3*(z-y)//2, z-(y+1)//2)"),
    )
    assert first_wrong(parse_ruleset("step-bar(k=1)"), found.cases, 40) is None
    text = "G = z+(y+1)//2 where (y+z)%2 == 0; min(3*(z-y)//2, z-(y+1)//2) where (y+z)%2 == 1"
    assert found == FormulaOfProof(text=text, cases=found.cases)


@pytest.mark.parametrize(
    ("text", "relation", "formula"),
    [
        ("step-bar(k=2, s=1)", "grundy", "(y ^ (z+1))-1"),
        ("strip-bar(k=2, s=0)", "grundy", "x ^ y ^ z"),
        ("nim(2)", "grundy", "a ^ b"),
        ("nim(2)", "p", "a ^ b == 0"),
        ("solid-bar(f=(x+z)//5)", "p", "(x-1) ^ y ^ (z-1) == 0"),
        ("solid-bar(f=(x+z)//13)", "p", "(x-1) ^ y ^ (z-1) == 0"),
        ("strip-bar(k=4, s=3)", "p", "(x+3) ^ y ^ (z+3) == 0"),
    ],
)
def test_games_with_one_formula(text, relation, formula):
    found = formulas(proved(text, relation))
    assert found.cases == (FormulaCase(None, formula),)


def test_games_without_a_formula():
    assert formulas(proved("step-bar(k=3)", "grundy")) is None
    assert formulas(proved("with-pass(nim(2), passes=1)")) is None
    undecided = prove(parse_ruleset("nim(2)"), seconds=1e-9)
    assert formulas(undecided) is None


@pytest.mark.parametrize(
    ("game", "formula"),
    [
        ("game(subtraction)", "a%7 == 0 or a%7 == 2"),
        ("game(restricted-nim)", "(a ^ b ^ c)%4 == 0"),
        ("game(whole-cuts)", "2*y-z == 0"),
    ],
)
def test_formulas_of_tables_are_proved(game, formula):
    proof = proved(game)
    assert formulas(proof) is None
    found = formulas_of_table(proof)
    assert found == FormulaOfProof(text=f"P ⇔ {formula}", cases=(FormulaCase(None, formula),))
    for position in proof.ruleset.positions(40 if len(proof.ruleset.coordinates) < 3 else 9):
        at = dict(zip(proof.ruleset.coordinates, position, strict=True))
        assert parse(formula).value(at) == (proof.ruleset.grundy(position) == 0)


def test_a_formula_that_is_right_on_a_table_alone_is_not_proved(monkeypatch):
    proof = proved("solid-bar(f=(x+z)//101)")
    monkeypatch.setattr(module, "quick_bound", lambda *_: 45)
    game, decided = proof.ruleset, []
    right = module.decide_cases

    def counted(*asked, **how):
        decided.append(right(*asked, **how))
        return decided[-1]

    monkeypatch.setattr(module, "decide_cases", counted)
    assert formulas_of_table(proof) is None
    assert decided
    for finding in decided:
        assert isinstance(finding.verdict, Refuted)
        assert game.is_position(finding.verdict.counterexample.position)


def test_a_formula_of_a_part_of_the_positions_is_proved():
    proof = proved("step-bar(k=3, s=2)", "grundy")
    found = formulas_of_table(proof)
    assert found.rank[0]
    (case,) = found.cases
    meant = [
        position
        for position in proof.ruleset.positions(40)
        if parse(case.where).value(dict(zip(NAMES, position, strict=True)))
    ]
    assert len(meant) > 100
    for y, z in meant:
        assert parse(case.formula).value({"y": y, "z": z}) == proof.ruleset.grundy((y, z))
    wrong = (FormulaCase(case.where, f"{case.formula}+1"),)
    assert isinstance(decide_cases(proof, wrong, covers=False).verdict, Refuted)
    assert isinstance(decide_cases(proof, (case,)).verdict, Refuted)


def test_a_wrong_guess_is_mended_by_its_counterexample(monkeypatch):
    asked = []

    def counted(proof, guess, *rest):
        asked.append(guess)
        return right(proof, guess, *rest)

    right = module.decide_cases
    monkeypatch.setattr(module, "decide_cases", counted)
    monkeypatch.setattr(module, "BOUNDS", {2: 4, 3: 2})
    found = formulas(proved("solid-bar(f=(x+z)//13)"))
    assert found.cases == (FormulaCase(None, "(x-1) ^ y ^ (z-1) == 0"),)
    assert len(asked) > 1
    assert asked[0] != found.cases


def first_wrong(game, cases, bound):
    """Return the least position that is in no case or in one that is wrong there, by the definition of the game."""
    wrong = []
    for position in game.positions(bound):
        at = dict(zip(game.coordinates, position, strict=True))
        meant = [case for case in cases if case.where is None or parse(case.where).value(at)]
        number = game.grundy(position)
        if not meant or any(parse(case.formula).value(at) != number for case in meant):
            wrong.append(position)
    return min(wrong, key=lambda position: (max(position), position), default=None)


def test_cases_that_leave_a_position_out_are_refuted_there():
    # each is right where it is meant, and the last of them, said of all other positions, is not
    cases = (FormulaCase("y == 0", "x ^ z"), FormulaCase("y == 1", "(x ^ z) ^ 1"))
    proof = proved("solid-bar(f=max(x, z)//2)", "grundy")
    refuted = decide_cases(proof, cases).verdict
    assert isinstance(refuted, Refuted)
    assert refuted.counterexample.position[1] == 2
    assert refuted.counterexample.position == first_wrong(proof.ruleset, cases, 5)
    whole = (*cases, FormulaCase("y > 1", "x ^ y ^ z"))
    assert isinstance(decide_cases(proof, whole).verdict, Proved)


@pytest.mark.parametrize("far", [61, 1000])
def test_cases_that_are_wrong_at_one_far_number_are_refuted(far):
    proof = proved("nim(2)", "grundy")
    left_out = (FormulaCase(f"a != {far}", "a ^ b"),)
    overlapping = (FormulaCase(f"a <= {far}", "a ^ b"), FormulaCase(f"a >= {far}", "(a ^ b)+1"))
    for cases in (left_out, overlapping, overlapping[::-1]):
        verdict = decide_cases(proof, cases).verdict
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position[0] >= far


FAR = 20
RIGHT = ("a ^ b", "(a ^ b)+0", "max(a, b) ^ min(a, b)")
PLACES = st.sampled_from(("a", "b", "(a+b)"))
CONDITIONS = st.one_of(
    st.just(None),
    st.builds("{}%2 == {}".format, PLACES, st.integers(0, 1)),
    st.builds("{}%4 != {}".format, PLACES, st.integers(0, 4)),
    st.builds(
        "{} {} {}".format,
        PLACES,
        st.sampled_from(("<", "<=", ">", ">=", "==", "!=")),
        st.integers(0, FAR),
    ),
    st.sampled_from(("a <= b", "a > b", "a < b", "2*a <= b", "2*a > b")),
)
FORMULAS = st.one_of(
    st.sampled_from(RIGHT), st.sampled_from(("a+b", "a | b", "max(a, b)", f"a ^ b ^ (b//{FAR})"))
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.builds(FormulaCase, CONDITIONS, FORMULAS), min_size=1, max_size=4))
def test_drawn_cases_are_proved_only_where_the_definition_agrees(cases):
    proof = proved("nim(2)", "grundy")
    wrong = first_wrong(proof.ruleset, cases, 2 * FAR + 2)
    match decide_cases(proof, cases).verdict:
        case Proved():
            assert wrong is None
        case Refuted(counterexample):
            assert counterexample.position == wrong
        case verdict:
            pytest.fail(str(verdict))
