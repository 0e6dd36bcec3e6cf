"""Formulas that a search finds for proved games: right by definition, short, and proved by every engine."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.formula import parse
from choco_pipeline.mining.atoms import Linear, NimSum
from choco_pipeline.mining.cases import Case
from choco_pipeline.mining.synthesis import Atoms, Target
from choco_pipeline.proof import formulas as module
from choco_pipeline.proof.claims import decide
from choco_pipeline.proof.formulas import described_formula, formulas
from choco_pipeline.proof.mona import mona_version
from choco_pipeline.proof.prove import prove
from tests.claims.claims import claim_on
from tests.effort import examples
from tests.proof.test_claims import proved

OWN = ["own"]
NAMES = ("y", "z")


@settings(max_examples=examples(200))
@given(st.data())
def test_a_formula_is_written_as_what_it_is(data) -> None:
    small = st.integers(-3, 3)
    multiples = data.draw(st.tuples(small, small))
    divisor, more = data.draw(st.integers(1, 2)), data.draw(st.integers(-5, 5))
    formula = Linear(multiples, divisor, data.draw(st.integers(0, divisor - 1)))
    shifts = data.draw(st.tuples(small, small))
    for y, z in product(range(4), repeat=2):
        at = {"y": y, "z": z}
        value = (multiples[0] * y + multiples[1] * z + formula.constant) // divisor + more
        assert parse(formula.text(NAMES, more)).value(at) == value
        nim_sum = ((y + shifts[0]) ^ (z + shifts[1])) + more
        assert parse(NimSum(shifts).text(NAMES, more)).value(at) == nim_sum


@pytest.mark.parametrize(
    ("formula", "more", "text"),
    [
        (Linear((1, 2), 2, 1), 0, "z+(y+1)//2"),
        (Linear((-3, 3), 2, 0), 0, "3*(z-y)//2"),
        (Linear((0, 1), 2, 0), 0, "z//2"),
        (Linear((-2, 1), 1, 0), -4, "z-2*y-4"),
        (Linear((0, 0), 1, 0), 0, "0"),
        (NimSum((0, 2)), -2, "(y ^ (z+2))-2"),
        (NimSum((0, -1)), 0, "y ^ (z-1)"),
    ],
)
def test_the_shortest_writing(formula, more, text) -> None:
    assert formula.text(NAMES, more) == text


@pytest.mark.parametrize(
    "text",
    [
        "y ^ z",
        "(y ^ (z+3))-3",
        "2*z-3*y+7",
        "z+(y+1)//2",
        "min(y, z-2)",
        "max(3*y, z//2+5)",
        "min(z-(y+1)//2, 3*(z-y)//2)",
    ],
)
def test_planted_formulas_are_found(text) -> None:
    grid = np.indices((20, 20)).reshape(2, -1)
    points = {"y": grid[0], "z": grid[1]}
    numbers = parse(text).evaluate(points)
    everywhere = np.ones(numbers.shape, np.bool_)
    found = Atoms.at(NAMES, points).shortest(Target(numbers), everywhere)
    assert np.array_equal(parse(found).evaluate(points), numbers)
    assert len(found) <= len(text)
    noise = np.random.default_rng(1).integers(0, 9, numbers.shape)
    assert Atoms.at(NAMES, points).shortest(Target(noise), everywhere) is None


def numbers_agree(text, found, bound=40):
    """Whether at every position up to a bound exactly the cases that speak of it give its Grundy number."""
    game = parse_ruleset(text)
    for position in game.positions(bound):
        at = dict(zip(game.coordinates, position, strict=True))
        said = {
            case.formula and parse(case.formula).value(at)
            for case in found.cases
            if case.where is None or parse(case.where).value(at)
        }
        if said != {game.grundy(position)}:
            return False
    return True


def test_the_twelve_parts_of_step2015_conjectures_4_1_to_4_4_are_two_cases() -> None:
    found = formulas(proved("step-bar(k=1)", "grundy"), OWN)
    assert found.cases == (
        Case("(y+z)%2 == 0", "z+(y+1)//2"),
        Case("(y+z)%2 == 1", "min((2*z-y)//2, 3*(z-y)//2)"),
    )
    assert found.engines == ("own",)
    assert numbers_agree("step-bar(k=1)", found)
    assert described_formula(proved("step-bar(k=1)", "grundy"), OWN) == {
        "text": "G = z+(y+1)//2 if (y+z)%2 == 0 else min((2*z-y)//2, 3*(z-y)//2)",
        "cases": [{"where": case.where, "formula": case.formula} for case in found.cases],
        "engines": ["own"],
    }


@pytest.mark.skipif(mona_version() is None, reason="MONA is not installed")
def test_both_engines_prove_the_cases() -> None:
    proof = proved("step-bar(k=1)", "grundy")
    found = formulas(proof)
    assert set(found.engines) == {"own", "mona"}
    for case in found.cases:
        claim = claim_on(proof.ruleset, kind="grundy", equals=case.formula, where=case.where)
        finding = decide(claim, {}, proof, "here")
        assert finding.verdict.certificate == "here"
        assert finding.evidence["engines"] == ["own", "mona"]


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
def test_games_with_one_formula(text, relation, formula) -> None:
    found = formulas(proved(text, relation), OWN)
    assert found.cases == (Case(None, formula),)


def test_games_without_a_formula() -> None:
    assert formulas(proved("step-bar(k=3)", "grundy"), OWN) is None
    assert formulas(proved("with-pass(nim(2), passes=1)"), OWN) is None
    assert described_formula(proved("step-bar(k=3)", "grundy"), OWN) is None
    undecided = prove(parse_ruleset("nim(2)"), engines=OWN, seconds=1e-9)
    assert formulas(undecided, OWN) is None


def test_a_wrong_guess_is_mended_by_its_counterexample(monkeypatch) -> None:
    asked = []

    def counted(proof, guess, *rest):
        asked.append(guess)
        return right(proof, guess, *rest)

    right = module._decided
    monkeypatch.setattr(module, "_decided", counted)
    monkeypatch.setattr(module, "BOUNDS", {2: 4, 3: 2})
    found = formulas(proved("solid-bar(f=(x+z)//13)"), OWN)
    assert found.cases == (Case(None, "(x-1) ^ y ^ (z-1) == 0"),)
    assert len(asked) > 1
    assert asked[0] != found.cases


def test_time_is_kept_to() -> None:
    assert formulas(proved("nim(2)"), OWN, seconds=0.0) is None
