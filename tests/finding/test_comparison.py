"""Comparison of statements and claims at sampled positions: which claims imply, restate or extend a statement."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding import comparison
from choco_pipeline.finding.comparison import (
    Consequence,
    compared,
    compared_settled,
    cover_all,
    equivalent_claims,
    sampled,
    sources,
)
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import MOST_ASKED, Finder
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
def test_what_follows_from_a_claim_that_says_more_does_not_restate_it(said, known, known_as):
    """That there are no other values is less than that all of these occur, and than which positions are P."""
    (found,) = finder(said.ruleset, catalogue=catalogue_of()).consider([said])
    assert known in found.known
    assert found.known_as == known_as


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
    within, weaker = (
        values_are(game, f"{{a ^ b: P}} <= {{v: {v}}}").claims for v in ("v == 0", "v != 1")
    )
    papers = Catalogue({within[0].id: within[0]})
    assert equivalent_claims(weaker, [game], papers, [within[0].id]) == ()


def test_claims_on_a_bar_speak_of_it_beside_a_strip_and_relations_of_all_tables():
    (bar,) = g_is("step-bar(k=2, s=1)", ("(y^(z+1))-1", "")).claims
    known = Catalogue({bar.id: bar})
    assert cover_all([bar.id], ["step-bar(k=2, s=1)", "strip-bar(k=2, s=1)"], known)
    assert not cover_all([bar.id], ["strip-bar(k=2, s=1)", "strip-bar(k=4, s=1)"], known)
    assert cover_all(["patterns-lemma-4.1"], ["nim(2)"], catalogue_of())


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


GAME = triangles(7)[0]
FAR = 2**20 + 5
BAR = "step-bar(k=3, s=1)"


def claim(statement):
    (one,) = statement.claims
    return one


def asked(one, *premises, game=GAME, told="p"):
    return Consequence(claim(one), tuple(map(claim, premises)), game, told).decided()


def test_what_automata_decide_is_so_at_all_positions():
    nim = p_iff(GAME, "x^y^z == 0")
    assert asked(p_iff(GAME, "z == x^y"), nim) == "proved"
    assert asked(p_iff(GAME, f"x^y^z == 0 and x != {FAR}"), nim) == "refuted"
    assert asked(p_iff(GAME, "x^y^z == 0 and x*y >= 0"), nim) == "undecided", "a product"
    parts = [values_are(GAME, f"{w} => (P <=> x ^ y ^ z == 0)") for w in ("x < 9", "x >= 9")]
    assert asked(nim, *parts) == "proved"
    assert asked(nim, parts[0]) == "refuted"
    of_another_game = p_iff(triangles(3)[0], "x^y^z == 0")
    assert asked(nim, of_another_game) == "refuted", "nothing is said of this game"


@pytest.mark.parametrize("formula", ["z-y", "max(z-y, 0)", "z+y", "z-y*(y//2)", "(y^(z+1))-1"])
def test_the_answer_is_that_of_all_small_positions(formula):
    """On a bar of which every two of these differ at a small position if at all."""
    positions = [q for q in parse_ruleset(BAR).positions(12) if q[0] <= (q[1] + 1) // 3]
    for other, where in product(["z-y", "z-min(y, z)", "(y^(z+1))-1", "z"], ["", "y < 2"]):
        own, premise = g_is(BAR, (formula, where)), g_is(BAR, (other, ""))
        answer = asked(own, premise, game=BAR, told="grundy")
        at = [{"y": y, "z": z} for y, z in positions if not where or y < 2]
        same = all(parse(formula).value(p) == parse(other).value(p) for p in at)
        expected = {"proved"} if same else {"refuted"}
        assert answer in (expected | {"undecided"} if "*" in formula else expected)


def test_beside_a_strip_and_with_passes():
    numbers, near = (g_is("step-bar(k=4, s=1)", (f, "")) for f in ("(y^(z+1))-1", "y^z"))
    strip = p_iff("strip-bar(k=4, s=1)", "(x+1)^y^(z+1) == 0")
    game = strip.ruleset
    assert asked(strip, numbers, game=game) == "proved"
    assert asked(strip, near, game=game) == "refuted"
    passes = "with-pass(strip-bar(k=4, s=1), passes=1)"
    known = p_iff(
        passes, "(x+1)^y^(z+1)^p == 0", exceptions="x == 0 and y == 0 and z == 0 and p == 1"
    )
    parity, odd, even = (
        values_are(passes, f"{{x ^ y ^ z ^ p: P}} <= {{v: {condition}}}")
        for condition in ("v%2 == 0 or v == 1", "v%2 == 1", "v%2 == 0")
    )
    at_the_end = values_are(passes, "x+y+z == 0 => (P <=> 1 == 1)")
    assert asked(parity, known, at_the_end, game=passes) == "proved"
    assert asked(odd, known, at_the_end, game=passes) == "refuted"
    assert asked(parity, known, game=passes) == "proved"
    assert asked(even, known, game=passes) == "refuted", "(0, 0, 0, 1)"


def test_every_member_of_a_set_must_be_a_value():
    nim = p_iff(GAME, "x^y^z == 0")
    within = values_are(GAME, "{x ^ y ^ z: P} <= {v: v >= 0 and v%2 == 0}")
    exactly = values_are(GAME, "{x ^ y ^ z: P} == {v: v >= 0 and v%2 == 0}")
    just_0 = values_are(GAME, "{x ^ y ^ z: P} == {v: v == 0}")
    assert [asked(one, nim) for one in (within, exactly, just_0)] == ["proved", "refuted", "proved"]
    below = values_are(GAME, "{-x-y-z: P} >= {v: v == -2}")
    assert asked(below, nim) == "proved", "(1, 0, 1) is P"
    odd = values_are(GAME, "{-x-y-z: P} >= {v: v == -3}")
    assert asked(odd, nim) == "refuted", "x+y+z is even"
    assert asked(within, exactly) == "proved"
    assert asked(exactly, within) == "undecided", "that values are in a set tells no P-position"
    far = values_are(GAME, "x >= 9 => (P <=> x ^ y ^ z == 0)")
    every = values_are(GAME, "{x: P} == {v: v >= 0}")
    assert asked(every, nim) == "proved"
    assert asked(every, far) == "refuted"
    assert asked(every, far, within) == "undecided"


def test_what_speaks_of_all_positions_settles_a_game():
    nim = claim(p_iff(GAME, "x^y^z == 0"))
    part = claim(p_iff(GAME, "x^y^z == 0", exceptions=f"x == {FAR} and y == 1 and z == {FAR}"))
    assert compared_settled([nim], GAME) == "all positions"
    assert compared_settled([part], GAME) is None
    assert compared_settled([part], GAME, lambda _: "undecided") == "sampled positions"


def test_a_fold_that_samples_alone_show_is_undone():
    """The two differ at x = 2²⁰ + 5 alone, where no position is sampled."""
    nim, near = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, f"x^y^z == 0 and x != {FAR}")
    known = Catalogue({claim(nim).id: claim(nim)})
    assert sources(claim(near), [GAME], known) == (claim(nim).id,)
    found = finder(GAME).consider([nim, near])
    assert {one.id: one.implies for one in found} == {nim.id: (), near.id: ()}
    (found,) = finder(GAME, catalogue=known).consider([near])
    assert found.known == ()
    (found,) = finder(GAME, catalogue=known).consider([p_iff(GAME, "z == x^y")])
    assert (found.known, found.known_on) == ((claim(nim).id,), "all positions")


def test_of_too_many_games_sampled_positions_tell(monkeypatch):
    said, near = claim(p_iff(GAME, "x^y^z == 0")), claim(p_iff(GAME, f"x^y^z == 0 and x != {FAR}"))
    monkeypatch.setattr(comparison, "MOST_GAMES", 1)
    assert compared([near], [said], [GAME]) is None
    assert compared([near], [said], [GAME, GAME]) == "sampled positions"


def test_what_is_asked_of_a_run_has_one_limit_whoever_decides(monkeypatch):
    """Else a run of one process would answer fewer questions than one whose workers have answered some before."""
    monkeypatch.setitem(MOST_ASKED, "implication", 1)
    nim, near = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, f"x^y^z == 0 and x != {FAR}")
    same = p_iff(GAME, "z == x^y")
    key = Consequence(claim(same), (claim(nim),), GAME, "p").id
    for known in ({}, {("implication", key): "proved"}):
        run = Finder(Tables({(GAME, "p-positions"): 32}), Catalogue({claim(nim).id: claim(nim)}))
        run.answers = known
        (found,) = run.consider([same, near])
        assert (found.id, found.known_on) == (same.id, "all positions")
        assert [implied.compared_on for implied in found.implies] == ["sampled positions"]


def test_what_is_no_statement_on_positions_is_compared_as_it_is_written():
    rule = catalogue_of("patterns").claims["patterns-thm-5.4"]
    game = "rectangular-bar(m=4, n=4)"
    assert compared([rule], [rule], [game]) == "what is written"
