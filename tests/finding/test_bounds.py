"""How far tables go on which statements are tried: past every place at which a game may change."""

from __future__ import annotations

import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.finding.bounds import bound_of_trial, largest_number
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.trial import tried
from choco_pipeline.games import parse_ruleset
from tests.catalogues import catalogue_of
from tests.finding.made_statements import finder, g_is, p_iff, values_are


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
    said = values_are(
        family, "{x ^ y ^ z: P} <= {v: v%16 == 0}", "a == 2 and b%8 == 0", a=(2,), b=(0, 16)
    )
    (claim,) = said.claims
    assert (
        bound_of_trial(claim, parse_ruleset("solid-bar(f=(x >> 2)+(z >> 8))"), "p-positions", None)
        >= 336
    )
    (found,) = finder().consider([said])
    assert found.verdict == "refuted"


def test_positions_are_counted_in_a_table_as_large_as_that_of_the_run():
    """A table of Welter's game to bound 64 takes too long for a trial, but the run has computed one."""
    line = (
        "every n in 1..16: count(position: size <= 64 and P and a < b and (a == n or b == n)) == 1"
    )
    claim = Claim(Statement(id="found-line", ruleset="game(welter)", statement=line))
    assert bound_of_trial(claim, parse_ruleset("game(welter)"), "p-positions", 64) >= 64


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


@pytest.fixture(scope="module")
def papers():
    return catalogue_of("solid2022")


def triangle(k):
    return f"solid-bar(f=(x+z)//{k})"


def judged(statement, catalogue, games=None, quantity="p-positions", bound=40):
    bounds = {(game, quantity): bound for game in games or [statement.ruleset]}
    return tried(statement, Tables(bounds), catalogue)


def in_catalogue(*statements):
    return Catalogue({one.id: one.claims[0] for one in statements})


def test_a_statement_is_tried_just_beyond_the_end_of_a_claim_that_says_the_same(papers):
    """The bound of Conjecture 1 is 2047 for k = 64, and tables of this statement would not go so far."""
    statement, place = p_iff(triangle(64), "x^y^z == 0"), (1985, 63, 2048)
    assert judged(statement, Catalogue({})).verdict == "holds-to-bound"
    found = judged(statement, papers)
    assert found.verdict == "refuted"
    assert f"refuted at (x, y, z) = {place}" in found.conclusion.text
    assert parse_ruleset(triangle(64)).is_position(place)


def test_a_statement_that_ends_with_the_claim_or_that_no_claim_ends_holds(papers):
    until = "size <= {} => (P <=> x ^ y ^ z == 0)"
    near = values_are(triangle(64), until.format(2047))
    assert judged(near, papers).verdict == "holds-to-bound"
    beyond = values_are(triangle(64), until.format(2048))
    assert judged(beyond, papers).verdict == "refuted"
    assert judged(p_iff(triangle(31), "x^y^z == 0"), papers).verdict == "holds-to-bound"


def test_a_statement_is_not_said_to_hold_where_no_table_goes_as_far_as_a_claim(papers):
    found = judged(p_iff(triangle(256), "x^y^z == 0"), papers)
    assert found.verdict == "undecided"
    assert "but solid2022-conj-1 says so of coordinates up to 32,767 alone" in found.conclusion.text


def test_a_family_is_narrowed_to_games_of_which_no_claim_says_that_it_ends(papers):
    ks = 31, 35, 39, 64
    family = p_iff("solid-bar(f=(x+z)//k)", "x^y^z == 0", "k%4 == 3 or k == 64", k=ks)
    games = list(map(triangle, ks))
    assert judged(family, Catalogue({}), games).verdict == "holds-to-bound"
    found = judged(family, papers, games)
    assert found.verdict == "holds-to-bound"
    assert "narrowed where it was wrong, k = 64" in found.tried.what
    (claim,) = found.claims
    assert [k for k in range(31, 80) if claim.speaks_of({"k": k})] == list(range(31, 80, 4))


@pytest.mark.parametrize("other", ["x^y^z == 0 and x < 500", "x^y^z == 0 and x < 30"])
def test_the_game_decides_between_a_statement_and_a_claim(other):
    right, wrong = (p_iff(triangle(3), formula) for formula in ("x^y^z == 0", other))
    assert judged(right, in_catalogue(wrong), bound=4).verdict == "holds-to-bound"
    assert judged(wrong, in_catalogue(right), bound=4).verdict == "refuted"


def test_where_no_table_decides_between_a_statement_and_a_claim_neither_holds():
    for_all, near = (g_is("nim(3)", (f, "")) for f in ("a^b^c", "a^b^c^(a//1000)"))
    for one, other in ((for_all, near), (near, for_all)):
        found = judged(one, in_catalogue(other), quantity="grundy", bound=10)
        assert found.verdict == "undecided"
        assert f"but {other.id} says something else of (1" in found.conclusion.text
    p = p_iff("nim(3)", "c == (a^b)+a//100")
    assert judged(p, in_catalogue(for_all), bound=10).verdict == "refuted"
