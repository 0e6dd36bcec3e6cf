"""How far tables go on which statements are tried: past every place at which a game may change."""

import pytest

from choco_pipeline.finding.judge.bounds import bound_of_trial, largest_number
from choco_pipeline.games import parse_ruleset
from tests.finding.made_statements import finder, p_iff, values_are


@pytest.mark.parametrize(
    ("height", "number"),
    [
        ("(x+z)//7", 7),
        ("(x >> 8)+(z >> 2)", 256),
        ("(x+z)//(3*100)", 300),
        ("x//2**7+z//2", 128),
        ("(x+z)//v2(64)", 64),
        ("x+z", 0),
        ("x >> 4000", 4000),
    ],
)
def test_where_heights_change_is_a_number_that_they_come_to(height, number):
    assert largest_number(parse_ruleset(f"solid-bar(f={height})")) == number


def test_a_statement_is_tried_where_shifted_coordinates_first_count():
    """For z < 256 the bar is one with heights x//4, which is Nim; at (268, 68, 336) it is not."""
    family = "solid-bar(f=(x >> a)+(z >> b))"
    check = {"kind": "values", "of": "x^y^z", "values": "v%16 == 0", "relation": "within"}
    said = values_are(family, check, "a == 2 and b%8 == 0", a=(2,), b=(0, 16))
    (claim,) = said.claims
    assert (
        bound_of_trial(claim, parse_ruleset("solid-bar(f=(x >> 2)+(z >> 8))"), "p-positions", None)
        >= 336
    )
    (found,) = finder().consider([said])
    assert found.verdict == "refuted"


def test_tables_that_end_before_their_games_change_are_no_evidence():
    """Of (x >> 2)+(z >> 16) no table goes to z = 2¹⁶, and all that are computed are of x//4."""
    family = "solid-bar(f=(x >> 2)+(z >> b))"
    for when, b, verdict in (
        ("b%16 == 0 and b > 0", (16, 32), "undecided"),
        ("b%8 == 0 and b > 0", (16, 24), "refuted"),
    ):
        (found,) = finder().consider([p_iff(family, "x^y^z == 0", when, b=b)])
        assert found.verdict == verdict


def test_tables_of_uncut_bars_end_with_them():
    bars = p_iff("rectangular-bar(m=m, n=m)", "(i-1)^(m-i)^(j-1)^(m-j) == 0", m=(2, 3, 4))
    (found,) = finder().consider([bars])
    assert (found.verdict, found.held_on.tables) == ("holds-to-bound", 13)
