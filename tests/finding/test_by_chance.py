"""What is so in bars with drawn heights, too, says nothing of a game, of whichever kind it is."""

from __future__ import annotations

import numpy as np
import pytest

from choco_pipeline.finding.single import single_tables
from choco_pipeline.finding.words import BARS, MANY, bars_by_chance, right_by_chance
from choco_pipeline.games import parse_ruleset
from tests.finding.made_statements import document, mined, values_are

HIGH = "solid-bar(f=x+z+4)"  # no height is below x⊕z, so it is Nim
SEARCHES = ("formulas", "value-sets", "counts", "cellular", "blocks")


def statements(findings):
    return single_tables(findings).statements


@pytest.mark.parametrize("notation", [HIGH, "solid-bar(f=(x+z)//3)", "step-bar(k=4, s=2)"])
def test_drawn_bars_are_monotone_and_about_as_high(notation):
    height = parse_ruleset(notation).rules.bar.limit.height
    bars = bars_by_chance(notation)
    assert len(bars) == BARS
    sizes = [41] * len(bars[0].rules.bar.limit.of)
    tables = [bar.rules.bar.limit.height.table(*sizes) for bar in bars]
    own = height.table(*sizes)
    assert len({heights.tobytes() for heights in tables}) == BARS
    for heights in tables:
        assert abs(heights - own).max() <= 3
        assert all((np.diff(heights, axis=axis) >= 0).all() for axis in range(len(sizes)))


@pytest.mark.parametrize(
    "search",
    [pytest.param(s, marks=pytest.mark.full if s == "cellular" else ()) for s in SEARCHES],
)
def test_of_a_high_bar_there_is_nothing_to_say(search):
    """That it is Nim, with all that follows, is so in all high bars."""
    found = document(mined(HIGH, [search]))
    assert found.statements == ()
    assert any("whose steps are drawn" in (one.why or "") for one in found.searches)


@pytest.mark.parametrize(
    ("notation", "quantity", "searches"),
    [
        pytest.param("solid-bar(f=(x+z)//3)", "p-positions", SEARCHES, marks=pytest.mark.full),
        ("strip-bar(k=2, s=0)", "p-positions", ["formulas", "blocks"]),
        ("step-bar(k=4, s=2)", "grundy", ["formulas", "counts"]),
        ("with-pass(strip-bar(k=4, s=1), passes=1)", "p-positions", ["formulas", "value-sets"]),
    ],
)
def test_what_follows_from_where_the_steps_are_is_no_chance(notation, quantity, searches):
    several = statements(mined(notation, searches, quantity, 63))
    assert several
    for one in several:
        number = right_by_chance(one, [notation])
        assert number is not None
        assert number < MANY, one.text


def test_how_far_a_formula_is_right_is_not_compared():
    """Of k = 2 the bound of solid2022, Conjecture 1, is 1, and up to there any bar is Nim."""
    nim = "P <=> x ^ y ^ z == 0"
    for line, is_compared in ((f"size <= k//2 => ({nim})", False), (nim, True)):
        one = values_are("solid-bar(f=(x+z)//k)", line, k=(2, 6))
        games = [f"solid-bar(f=(x+z)//{k})" for k in (2, 6)]
        assert (right_by_chance(one, games) is not None) == is_compared


def test_games_that_are_no_bars_are_not_compared():
    (found,) = statements(mined("nim(3)", ["formulas"]))
    assert right_by_chance(found, ["nim(3)"]) is None


def test_pictures_and_numbers_of_a_game_follow_from_a_formula_for_all_its_positions():
    """They are said behind it, with its id, and by themselves where no formula is known."""
    alone = document(mined("strip-bar(k=2, s=0)", ["blocks"])).statements
    assert [(one.search, one.follows_from) for one in alone] == [("blocks", ())]
    formula, blocks = document(mined("strip-bar(k=2, s=0)", ["formulas", "blocks"])).statements
    assert (formula.search, formula.follows_from) == ("formulas", ())
    assert (blocks.search, blocks.follows_from) == ("blocks", (formula.id,))
