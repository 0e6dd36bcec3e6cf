"""Families of games with passes, for all numbers of passes at once, against the definition."""

import pytest

from choco_pipeline.formula.nodes import render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.uniform.family import Family
from choco_pipeline.proof.uniform.passes import without_passes
from tests.proof.uniform.judged import is_true, prove_family, proved_once, small_members
from tests.proof.uniform.test_families import STEPS

STEP, STRIP = "with-pass(step-bar(k=k, s=s), passes=r)", "with-pass(strip-bar(k=k, s=s), passes=r)"
HEAPS = "with-pass(nim(2), passes=r)"
SHORT = "k % 2 == 0 and s < k"
ODD, EVEN = "k % 2 == 0 and s % 2 == 1 and s < k", "k % 2 == 0 and s % 2 == 0 and 0 < s < k"
END = "x == 0 and y == 0 and z == 0 and p % 2 == 1"
NIM_SUM = "(x+s) ^ y ^ (z+s) ^ (p%2) == 0"
OF_ODD = f"{END} or {NIM_SUM}"  # pass2016, Theorem 4.1, for all numbers of passes
OF_EVEN = f"{END} or (x+s+1) ^ ((y ^ (z+s))+1) ^ (p%2) == 0"
FULL = pytest.mark.full


def passed(number):
    """Return the Grundy number with p passes left, where only the end has the number 0."""
    return f"max(0, (({number} - p%2) ^ (p%2)) + p%2)"


NUMBER = passed("(y ^ (z+s)) - s")


def p(condition, where=""):
    return {"p_positions": condition, "where": where}


def g(number):
    return {"grundy": number}


TRUE = [
    (STRIP, ODD, p(OF_ODD)),
    (STRIP.replace("=r", "=1"), ODD, p(OF_ODD.replace("p % 2", "p").replace("p%2", "p"))),
    (STRIP, EVEN, p(OF_EVEN)),
    (STRIP, SHORT, p(f"x == {NUMBER}")),
    (STRIP, ODD, p(NIM_SUM, f"not ({END})")),
    (STEP, SHORT, g(NUMBER)),
    (HEAPS, "r >= 0", p(f"a == {passed('b')}")),
    pytest.param(STEP, "k % 2 == 1 and s < k", g(passed(STEPS)), marks=FULL),
]


def agrees(ruleset, condition, asked):
    """Whether a statement is true of small bars and heaps with up to 4 passes left, by the definition."""
    members = small_members(ruleset, condition, 9, **({"r": 4} if "=r)" in ruleset else {}))
    return all(is_true(asked, *member) for member in members)


@pytest.mark.parametrize(("ruleset", "condition", "asked"), TRUE)
def test_what_is_true_is_proved_for_all_numbers_of_passes(ruleset, condition, asked):
    proof = proved_once(ruleset, condition, **asked)
    assert proof.status == "proved", proof.why
    assert agrees(ruleset, condition, asked)


FALSE = [
    (STRIP, SHORT, p(OF_ODD)),  # even s
    (STRIP, "k % 2 == 0 and s <= k", p(f"x == {NUMBER}")),
    (STRIP, "s < k", p(f"x == {NUMBER}")),
    (STRIP, ODD, p(OF_ODD.replace("p % 2", "p").replace("p%2", "p"))),  # r = 2
    (STRIP, ODD, p(OF_ODD.replace("p%2", "p%3"))),
    (STRIP, ODD, p(OF_ODD.replace("p%2", "p%4"))),
    (STRIP, ODD, p(OF_ODD.replace("p % 2", "p % 4"))),
    (STRIP, ODD, p(NIM_SUM)),  # false at the end alone
    (STRIP, ODD, p(OF_ODD.replace("p % 2 == 1", "p % 2 == 0"))),
    (STRIP, ODD, p(OF_ODD.replace("z == 0 and", "z <= 1 and"))),
    (STRIP, ODD, p(OF_ODD.replace("x == 0 and", ""))),
    (STRIP, ODD, p("(x+s) ^ y ^ (z+s) == 0")),
    (STRIP, EVEN, p(OF_EVEN.replace("s+1", "s"))),
    (STEP, SHORT, g("(y ^ (z+s)) - s")),
    (STEP, SHORT, g(NUMBER.replace("p%2", "p"))),
    (STEP, "k % 2 == 0 and s <= k", g(NUMBER)),
    (HEAPS, "r >= 0", p("a == b")),
]


@pytest.mark.parametrize(("ruleset", "condition", "asked"), FALSE)
def test_false_neighbours_are_refuted(ruleset, condition, asked):
    assert prove_family(ruleset, condition, **asked).status == "refuted"
    assert not agrees(ruleset, condition, asked)


@pytest.mark.parametrize(("ruleset", "condition", "asked"), FALSE)
def test_no_false_neighbour_is_proved_without_tables(
    ruleset, condition, asked, untried, monkeypatch
):
    monkeypatch.setattr("families.wrong_position", lambda *_: None)
    monkeypatch.setattr("families.prove_alone", lambda *_: None)
    try:
        assert prove_family(ruleset, condition, seconds=10, **asked).status == "undecided"
    except FamilyError:
        return


@pytest.mark.parametrize(
    ("ruleset", "asked", "why"),
    [
        ("with-pass(solid-bar(f=(x+z)//k), passes=r)", p("x+y+z+p == 0"), "a heap beside the game"),
        ("with-pass(solid-bar(f=(x+z)//k), passes=p)", p("x == 0"), "'p' is a coordinate"),
        (f"with-pass({STRIP}, passes=2)", p("x == 0"), "passes in one component"),
        ("sum(with-pass(step-bar(k=k)), nim(1))", p("a == 0"), "passes in one component"),
    ],
)
def test_what_is_outside_is_named(ruleset, asked, why):
    with pytest.raises(FamilyError, match=why):
        Family.read(ruleset, "k % 2 == 0", asked["p_positions"], "p-positions", asked["where"])


def test_a_game_in_which_others_have_the_number_0_is_undecided():
    """It is true: with an even number of passes left, the strip bar has the P-positions of the game without passes."""
    where, relation = "p % 2 == 0", "(x+s) ^ y ^ (z+s) == 0"
    found = prove_family(STRIP, "k % 2 == 0 and s == k", p_positions=relation, where=where)
    assert (found.status, "only-the-end" in found.why) == ("undecided", True)


@pytest.mark.parametrize(
    ("relation", "simple"),
    [
        (OF_ODD, "(x+s) ^ y ^ (z+s) == 0"),
        (OF_EVEN, "x+s+1 == (y ^ (z+s))+1"),
        (NUMBER, "(y ^ (z+s))-s"),
        ("p == 0 and x == y or p == 1 and x == y+1", "x == y"),
        ("p > 0 or not p >= 0", "0 > 0"),
        ("p == 0 or x == y", "0 == 0"),
    ],
)
def test_the_relation_without_passes_is_simple(relation, simple):
    assert render(without_passes(parse_nodes(relation), "p")) == simple
