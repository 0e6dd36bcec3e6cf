"""A condition is tried just outside itself, and is wider if the statement is right there."""

from dataclasses import replace

import pytest

from choco_pipeline.finding.changed_conditions import wider
from choco_pipeline.games import parse_ruleset
from tests.finding.made_statements import TRIANGLE, finder, g_is, p_iff

STEP = "step-bar(k=k, s=s)"


def statement(when):
    """Return the formula of step2015, Thm 3.2, with a condition, seen for some games with s < k."""
    seen = [(k, s) for k in (2, 4, 6) for s in range(k)]
    found = g_is(STEP, ("(y^(z+s))-s", ""), k=(2, 4, 6), s=tuple(range(6)))
    return replace(found, when=when, seen=tuple(seen))


def is_right(k, s):
    game = parse_ruleset(f"step-bar(k={k}, s={s})")
    return all(game.grundy((y, z)) == (y ^ (z + s)) - s for y, z in game.positions(16))


def test_a_condition_that_is_too_narrow_is_wider_and_right():
    """A proposal may be wrong for games that were not tried; what the finder keeps is not."""
    narrow = statement("k%2 == 0 and s < k")
    assert wider(narrow) is not None
    games = [f"step-bar(k={k}, s={s})" for k, s in narrow.seen]
    (found,) = finder(*games, quantity="grundy").consider([narrow])
    assert found.verdict == "holds-to-bound"
    for k in range(1, 9):
        for s in range(10):
            if found.whole.speaks_of({"k": k, "s": s}):
                assert is_right(k, s), (k, s)
    assert found.whole.speaks_of({"k": 4, "s": 4})


@pytest.mark.parametrize("when", ["k%4 == 3", "k == 3 or k == 7 or k == 11"])
def test_a_residue_is_learnt_anew_or_stays(when):
    """triangular, Thm 7.3: the nim-sum is right for k ≡ 3 (mod 4) and no other k but even ones far away."""
    found = wider(p_iff(TRIANGLE, "x ^ y ^ z == 0", when, k=(3, 7, 11)))
    assert found is None or all(
        found.statement.whole.speaks_of({"k": k}) == (k % 4 == 3) for k in range(1, 40)
    )


def test_a_condition_without_which_a_statement_is_wrong_stays():
    assert wider(p_iff(TRIANGLE, "x ^ y ^ z == 0", "k%4 == 3", k=(3, 7, 11, 15))) is None


def test_games_that_do_not_exist_are_left_out():
    """There is no bar with heights ⌊(x+z)/0⌋."""
    found = wider(p_iff(TRIANGLE, "y == x ^ z", "k >= 1 and k%4 == 3", k=(3, 7)))
    assert found is None or not found.statement.whole.speaks_of({"k": 0})


def test_statements_without_a_condition_or_parameters_are_as_wide_as_can_be():
    assert wider(p_iff(TRIANGLE, "y == x ^ z", k=(3, 7))) is None
    assert wider(p_iff("solid-bar(f=(x+z)//3)", "y == x ^ z")) is None
