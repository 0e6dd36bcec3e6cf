"""Whether what follows at sampled positions follows at all of them: decided by automata, and told apart from what is not."""

from itertools import product

import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding import comparison as dominance
from choco_pipeline.finding.comparison import Consequence, Dominance, sources
from choco_pipeline.finding.statement import Implied
from choco_pipeline.finding.steps import Answers, Asked
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from tests.catalogues import catalogue_of
from tests.finding.made_statements import (
    TRIANGLE,
    finder,
    g_is,
    p_iff,
    triangles,
    values_are,
)

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
    assert Dominance().settled([nim], GAME) == "all positions"
    assert Dominance().settled([part], GAME) is None
    assert Dominance(decides=False).settled([part], GAME) == "sampled positions"


def test_a_statement_that_follows_for_all_positions_is_told_so():
    nim, same = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, "z == x^y and x+y >= 0")
    (found,) = finder(GAME).consider([nim, same])
    assert found.implies == (Implied(same.text, "all positions"),)


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


def test_what_automata_cannot_decide_follows_as_far_as_sampled_positions_tell():
    nim, product_ = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, "x^y^z == 0 and x*y >= 0")
    (found,) = finder(GAME).consider([nim, product_])
    assert found.implies == (Implied(product_.text, "sampled positions"),)
    (found,) = finder(GAME, catalogue=Catalogue({claim(nim).id: claim(nim)})).consider([product_])
    assert (found.known, found.known_on) == ((claim(nim).id,), "sampled positions")


@pytest.mark.full
def test_a_family_is_compared_for_each_of_its_games():
    """The two differ for k = 11 alone, and far away."""
    ks = (3, 7, 11, 15)
    family = p_iff(TRIANGLE, "x^y^z == 0", "k%4 == 3", k=ks)
    near = p_iff(TRIANGLE, f"x^y^z == 0 and (k != 11 or x != {FAR})", "k%4 == 3", k=ks)
    same = p_iff(TRIANGLE, "x^y == z", "k%4 == 3", k=ks)
    found = finder(*triangles(*ks)).consider([family, near, same])
    implied = {one.id: [told.compared_on for told in one.implies] for one in found}
    assert (len(implied), implied.pop(near.id)) == (2, [])
    assert [*implied.values()] == [["all positions"]]


def test_of_too_many_games_sampled_positions_tell(monkeypatch):
    said, near = claim(p_iff(GAME, "x^y^z == 0")), claim(p_iff(GAME, f"x^y^z == 0 and x != {FAR}"))
    monkeypatch.setattr(dominance, "MOST_GAMES", 1)
    assert Dominance().compared([near], [said], [GAME]) is None
    assert Dominance().compared([near], [said], [GAME, GAME]) == "sampled positions"
    monkeypatch.setattr(dominance, "MOST_QUESTIONS", 0)
    assert Dominance().compared([near], [said], [GAME]) == "sampled positions"


def test_what_workers_have_decided_is_not_decided_again(monkeypatch):
    nim, near = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, f"x^y^z == 0 and x != {FAR}")
    noted = Dominance(decides=False)
    assert noted.compared(near.claims, nim.claims, [GAME]) == "sampled positions"
    told = Asked(consequences=noted.asked)
    answers = Answers(consequences={key: one.decided() for key, one in told.consequences.items()})
    monkeypatch.setattr(Consequence, "decided", lambda _: pytest.fail("it is known"))
    assert Dominance({**answers.consequences}).compared(near.claims, nim.claims, [GAME]) is None


def test_what_is_asked_of_a_run_has_one_limit_whoever_decides(monkeypatch):
    """Else a run of one process would answer fewer questions than one whose workers have answered some before."""
    monkeypatch.setattr(dominance, "MOST_QUESTIONS", 1)
    nim, near = p_iff(GAME, "x^y^z == 0"), p_iff(GAME, f"x^y^z == 0 and x != {FAR}")
    same = p_iff(GAME, "z == x^y")
    answered = {Consequence(claim(same), (claim(nim),), GAME, "p").key: "proved"}
    for known in ({}, answered):
        run = Dominance(known)
        assert run.compared(same.claims, nim.claims, [GAME]) == "all positions"
        assert run.compared(near.claims, nim.claims, [GAME]) == "sampled positions"


def test_what_is_no_statement_on_positions_is_compared_as_it_is_written():
    rule = catalogue_of("patterns").claims["patterns-thm-5.4"]
    game = "rectangular-bar(m=4, n=4)"
    assert Dominance().compared([rule], [rule], [game]) == "what is written"
