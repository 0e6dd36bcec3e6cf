"""The definitions: against the papers' printed numbers, and against what every definition must satisfy."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
    parse_ruleset,
)
from choco_pipeline.errors import LimitError, RulesetError
from choco_pipeline.games import mex, ruleset
from tests.rulesets import plain, rulesets_with_bounds


def test_printed_grundy_numbers():
    assert StepBar(1).grundy((2, 3)) == 1, "step2015, Fig 4.2"
    assert StepBar(1).grundy((5, 9)) == 12, "step2015, Fig 4.2"
    triangular = SolidBar("(x+z)//3")
    printed = {
        (0, 0, 0): 0,
        (1, 0, 0): 1,
        (0, 0, 1): 1,
        (1, 0, 1): 0,
        (0, 0, 2): 2,
        (1, 0, 2): 3,
        (1, 1, 2): 4,
    }
    assert {p: triangular.grundy(p) for p in printed} == printed, "triangular, Example 7.1"


def test_printed_options():
    """solid2022, Example 2.1."""
    bar = SolidBar("(x+z)//3")
    assert (9, 3, 10) in bar.options((14, 3, 10))
    assert (4, 3, 7) in bar.options((13, 6, 7))
    assert bar.is_p_position((9, 3, 10))
    assert bar.is_p_position((4, 3, 7))


PRINTED_FOR_K_2 = """
(0,0,0),(1,0,1),(1,1,2),(2,0,2),(2,1,1),(3,0,3),(3,1,4),(3,2,5),(3,3,6),(3,4,7),(3,5,8),(4,0,4),(4,1,3),(4,2,6),
(4,3,5),(4,4,8),(4,5,7),(5,0,5),(5,1,6),(5,2,3),(5,3,4),(5,4,9),(5,5,10),(6,0,6),(6,1,5),(6,2,4),(6,3,3),(6,4,10),
(6,5,9),(7,0,7),(7,1,8),(7,2,9),(7,3,10),(7,4,3),(7,5,4),(8,0,8),(8,1,7),(8,2,10),(8,3,9),(8,4,4),(8,5,3),(9,0,9),
(9,1,10),(9,2,7),(9,3,8),(9,4,5),(9,5,6),(10,0,10),(10,1,9),(10,2,8),(10,3,7),(10,4,6),(10,5,5)
"""


def test_printed_p_positions():
    """triangular, Examples 8.7 and 8.8 (k=2)."""
    bar = SolidBar("(x+z)//2")
    printed = {
        tuple(map(int, found)) for found in re.findall(r"(\d+),(\d+),(\d+)", PRINTED_FOR_K_2)
    }
    assert {p for p in bar.positions(10) if bar.is_p_position(p)} == printed


def test_pass_is_not_allowed_from_the_terminal_position():
    game = WithPass(StripBar(4, 2), 2)
    assert list(game.options((0, 0, 0, 2))) == []
    assert (1, 0, 0, 1) in game.options((1, 0, 0, 2))
    assert (1, 0, 0, 0) not in game.options((1, 0, 0, 2)), "passes are used one at a time"
    assert (1, 0, 0, 2) not in game.options((1, 0, 0, 0))


@given(rulesets_with_bounds())
def test_options_are_smaller_positions(drawn):
    game, bound = drawn
    for position in game.positions(bound):
        options = list(game.options(position))
        assert len(options) == len(set(options)), f"{game}: {position} has an option twice"
        assert game.is_terminal(position) == (not options)
        for option in options:
            assert game.check(option) == option
            assert all(a <= b for a, b in zip(option, position, strict=True)), (
                f"{game}: {position} to {option}"
            )
            assert option < position, (
                f"{game}: lexicographic order must list {option} before {position}"
            )


@given(rulesets_with_bounds(), st.data())
def test_grundy_is_the_mex_of_the_options(drawn, data):
    game, bound = drawn
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    assert game.grundy(position) == mex(game.grundy(option) for option in game.options(position))


@given(plain, st.integers(1, 2), st.data())
def test_two_more_passes_change_nothing(game, passes, data):
    bound = 3 if len(game.coordinates) < 4 else 2
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    more = WithPass(game, passes + 2)
    assert more.grundy((*position, passes + 2)) == more.grundy((*position, passes)), (
        f"{game} at {position}"
    )


@given(st.integers(0, 9), st.integers(0, 9), st.data())
def test_a_strip_bar_is_a_sum_and_a_solid_bar_that_ignores_x(x, z, data):
    k, s = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 7))
    y = data.draw(st.integers(0, (z + s) // k))
    strip = StripBar(k, s).grundy((x, y, z))
    assert strip == DisjunctiveSum(Nim(1), StepBar(k, s)).grundy((x, y, z))
    assert strip == SolidBar(f"(z+{s})//{k}").grundy((x, y, z))
    assert strip == x ^ StepBar(k, s).grundy((y, z)), "Sprague and Grundy"


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_rectangular_bars_are_nim(m, n, data):
    bar = RectangularBar(m, n)
    position = data.draw(st.sampled_from(list(bar.positions())))
    assert bar.grundy(position) == Nim(4).grundy(position)
    i, j = data.draw(st.integers(1, m)), data.draw(st.integers(1, n))
    assert sum(bar.whole(i, j)) == m + n - 2


def test_coordinates_are_told_apart():
    assert DisjunctiveSum(StepBar(2), StepBar(3)).coordinates == ("y1", "z1", "y2", "z2")
    assert WithPass(DisjunctiveSum(StepBar(2), StripBar(3))).coordinates == (
        "y1",
        "z1",
        "x",
        "y2",
        "z2",
        "p",
    )
    assert WithPass(WithPass(Nim(1))).coordinates == ("a", "p", "p2")
    nested = DisjunctiveSum(DisjunctiveSum(Nim(1), Nim(1)), Nim(1)).coordinates
    assert len(set(nested)) == 3


@pytest.mark.parametrize(
    ("game", "position", "message"),
    [
        ("step-bar(k=4, s=2)", (1,), r"a position has 2 coordinates \(y, z\), found \(1,\)"),
        ("step-bar(k=4, s=2)", (2, 3), "y = 2 is above the bar, whose height at z = 3 is 1"),
        ("strip-bar(k=4, s=2)", (9, 2, 3), "height at z = 3 is 1"),
        ("solid-bar(f=(x+z)//3)", (1, 1, 1), "height at x = 1, z = 1 is 0"),
        ("rectangular-bar(m=5, n=7)", (3, 2, 0, 0), "a bar of 6 × 1 does not fit into 5 × 7"),
        ("nim(2)", (-1, 0), "integers from 0"),
        ("with-pass(nim(2), passes=1)", (1, 1, 2), "2 passes are left of 1"),
        ("sum(nim(1), step-bar(k=2))", (1, 3, 2), "height at z = 2 is 1"),
    ],
)
def test_positions_that_are_none(game, position, message):
    with pytest.raises(RulesetError, match=message):
        parse_ruleset(game).grundy(position)


def test_the_definition_has_a_limit(monkeypatch):
    monkeypatch.setattr(ruleset, "MOST_POSITIONS", 1000)
    with pytest.raises(LimitError, match="more than 1,000 positions"):
        Nim(9).grundy((6,) * 9)
