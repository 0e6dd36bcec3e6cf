"""Comparison of statements and claims at sampled positions: which claims imply, restate or extend a statement."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.comparison import cover_all, equivalent_claims, sampled, sources
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from tests.catalogues import catalogue_of
from tests.finding.made_statements import (
    CONJ_4_1,
    TRIANGLE,
    finder,
    g_is,
    p_iff,
    triangles,
    values_are,
)


@pytest.fixture(scope="module")
def papers():
    return catalogue_of()


WITH_PASS = "with-pass(strip-bar(k=4, s=2), passes=1)"


VALUES = CONJ_4_1.replace("+s", "+2")
WITHIN = VALUES.replace("==", "<=", 1)
MORE_VALUES = "{(x+2) ^ y ^ (z+2) ^ p: P} <= {v: v != 3}"


@pytest.mark.parametrize(
    ("said", "known", "known_as"),
    [
        (p_iff("solid-bar(f=(x+z)//3)", "y == x^z"), "triangular-thm-7.3", "the same"),
        (g_is("step-bar(k=2, s=1)", ("(y^(z+1))-1", "")), "step2015-thm-3.2", "the same"),
        (values_are(WITH_PASS, VALUES), "pass2016-conj-4.1", "the same"),
        (values_are(WITH_PASS, WITHIN), "pass2016-sec-4.2-question", "more"),
        (values_are(WITH_PASS, MORE_VALUES), "pass2016-sec-4.2-question", "more"),
    ],
)
def test_what_follows_from_a_claim_that_says_more_does_not_restate_it(
    papers, said, known, known_as
):
    """That there are no other values is less than that all of these occur, and than which positions are P."""
    (found,) = finder(said.ruleset, catalogue=papers).consider([said])
    assert known in found.known
    assert found.known_as == known_as


def test_a_statement_up_to_a_place_does_not_restate_one_on_all_positions(papers):
    near = values_are("solid-bar(f=(x+z)//3)", "size <= 20 => (P <=> y == x ^ z)")
    (found,) = finder(near.ruleset, catalogue=papers).consider([near])
    assert ("triangular-thm-7.3" in found.known, found.known_as) == (True, "more")


def test_what_papers_say_is_known_in_other_words_too(papers):
    said = p_iff(TRIANGLE, "y == x^z", "k%4==3", k=(3, 7, 11))
    (found,) = finder(*triangles(3, 7, 11), catalogue=papers).consider([said])
    assert "triangular-thm-7.3" in found.known
    new = p_iff("solid-bar(f=x+z)", "y == x^z")
    (found,) = finder("solid-bar(f=x+z)", catalogue=papers).consider([new])
    assert found.known == ()


def test_what_is_said_of_more_games_than_a_claim_speaks_of_extends_it():
    whole = catalogue_of("triangular")
    theorem = whole.claims["triangular-thm-7.3"]
    said = p_iff(TRIANGLE, "y == x^z", "k%4==3", k=(3, 7, 11))
    for when, known_as in (("k%4 == 3", "the same"), ("k%4 == 3 and k < 12", "of fewer games")):
        narrow = theorem.statement.model_copy(update={"when": parse(when)})
        papers = Catalogue({theorem.id: replace(theorem, statement=narrow)})
        (found,) = finder(*triangles(3, 7, 11), catalogue=papers).consider([said])
        assert (found.verdict, found.known, found.known_as) == (
            "holds-to-bound",
            (theorem.id,),
            known_as,
        )


def test_what_claims_say_only_together_is_known_by_all_of_them():
    whole = catalogue_of("step2015")
    papers = Catalogue({one: whole.claims[one] for one in ("step2015-thm-2.1", "step2015-thm-3.2")})
    games = [f"step-bar(k={k}, s={s})" for k in (2, 4) for s in range(k)]
    said = g_is("step-bar(k=k, s=s)", ("(y^(z+s))-s", ""), k=(2, 4), s=(0, 1, 2, 3))
    (claim,) = said.claims
    assert sources(claim, games, papers) == ("step2015-thm-2.1", "step2015-thm-3.2")
    assert sources(claim, games, whole) == ("step2015-sec-1-grundy",)  # says both
    assert sources(claim, [*games, "step-bar(k=4, s=5)"], papers) == ()


def test_a_claim_that_contradicts_a_statement_is_no_source_of_it():
    said = p_iff(triangles(3)[0], "x^y^z==0")
    near = p_iff(triangles(3)[0], "x^y^z==0 and x < 1000")
    (claim,), (other,) = said.claims, near.claims
    game = triangles(3)
    assert sources(claim, game, Catalogue({other.id: other})) == ()
    (same,) = p_iff(game[0], "x^z==y").claims
    assert sources(claim, game, Catalogue({same.id: same})) == (same.id,)


def test_a_claim_that_contradicts_a_statement_in_one_game_is_no_source_of_it_in_another():
    shifted = "(x-k//5)^y^(z-k//5)==0"
    (claim,) = p_iff(TRIANGLE, shifted, k=(3, 5)).claims
    (zero,) = p_iff(TRIANGLE, "x^y^z==0", k=(3, 5)).claims
    (one,) = p_iff(TRIANGLE, "(x-1)^y^(z-1)==0", "k==5", k=(5,)).claims
    (other,) = p_iff(TRIANGLE, "x^y^z==0", "k==3", k=(3,)).claims
    assert sources(claim, triangles(3, 5), Catalogue({c.id: c for c in (zero, one)})) == ()
    both = Catalogue({c.id: c for c in (other, one)})
    assert sources(claim, triangles(3, 5), both) == (other.id, one.id)


def test_only_claims_of_the_same_kind_say_the_same():
    game = "nim(2)"
    (said,) = p_iff(game, "a == b").claims
    (same,), (more,) = p_iff(game, "a^b == 0").claims, g_is(game, ("a^b", "")).claims
    papers = Catalogue({one.id: one for one in (same, more)})
    assert equivalent_claims([said], [game], papers, [same.id, more.id]) == (same.id,)
    assert equivalent_claims([said], [game], papers, [more.id]) == ()
    (within,) = values_are(game, "{a ^ b: P} <= {v: v == 0}").claims
    (none_there,) = values_are(game, "a != b => (P <=> 1 == 0)").claims
    papers = Catalogue({none_there.id: none_there})
    assert equivalent_claims([within], [game], papers, [none_there.id]) == ()


def test_claims_on_some_of_the_games_say_the_same_together():
    (said,) = p_iff(TRIANGLE, "x^y^z == 0", k=(3, 7)).claims
    (three,), (seven,) = (p_iff(game, "z == x^y").claims for game in triangles(3, 7))
    papers = Catalogue({one.id: one for one in (three, seven)})
    assert equivalent_claims([said], triangles(3, 7), papers, [*papers.claims]) == (
        three.id,
        seven.id,
    )
    assert equivalent_claims([said], triangles(3, 7), papers, [three.id]) == ()


def test_claims_on_a_bar_speak_of_it_beside_a_strip_and_relations_of_all_tables(papers):
    (bar,) = g_is("step-bar(k=2, s=1)", ("(y^(z+1))-1", "")).claims
    known = Catalogue({bar.id: bar})
    assert cover_all([bar.id], ["step-bar(k=2, s=1)", "strip-bar(k=2, s=1)"], known)
    assert not cover_all([bar.id], ["strip-bar(k=2, s=1)", "strip-bar(k=4, s=1)"], known)
    assert cover_all(["patterns-lemma-4.1"], ["nim(2)"], papers)


@pytest.mark.parametrize(
    "notation",
    ["nim(2)", "nim(6)", "solid-bar(f=(x+z)//3)", "with-pass(strip-bar(k=4, s=2), passes=1)"],
)
def test_all_are_positions_and_some_are_large(notation):
    game, points = parse_ruleset(notation), sampled(notation)
    rows = np.stack(list(points.values()), axis=1).tolist()
    assert all(map(game.is_position, rows))
    assert len(rows) == len(set(map(tuple, rows)))
    assert max(map(max, rows)) > 500


@pytest.mark.parametrize(
    ("notation", "most"),
    [
        ("solid-bar(f=(x+z)//3)", 3),
        ("with-pass(strip-bar(k=2, s=1), passes=1)", 1),
        ("sum(rectangular-bar(m=2, n=3), step-bar(k=1, s=1))", 1),
    ],
)
def test_all_of_the_least_positions_are_there_and_nothing_else(notation, most):
    """At the limits of bars, and beside them, by the definition."""
    game, points = parse_ruleset(notation), sampled(notation)
    rows = set(map(tuple, np.stack(list(points.values()), axis=1).tolist()))
    box = set(product(range(most + 1), repeat=len(points)))
    least = {place for place in box if game.is_position(place)}
    assert rows & box == least
    assert least < box


def test_of_many_coordinates_no_more_are_compared():
    """A box of 4 to the 10th positions said no more, and took seconds."""
    points = sampled("nim(10)")
    rows = np.stack(list(points.values()), axis=1)
    assert 1000 < len(rows) < 20_000
    assert np.count_nonzero(rows, axis=1).max() == 10, "drawn ones"
    assert (np.bitwise_xor.reduce(rows, axis=1) == 0).sum() > 100, "P-positions among them"


def test_heights_from_a_file_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heights = np.add.outer(np.arange(40), np.arange(40)) // 3
    np.savetxt("heights.csv", heights, fmt="%d", delimiter=",")
    points = sampled("solid-bar(f=csv(heights.csv))")
    assert 20 < max(int(values.max()) for values in points.values()) < 40
