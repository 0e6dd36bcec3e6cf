"""What becomes of statements: tried on what is new to them, compared with what is known, ranked."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.judge.known import sources
from choco_pipeline.finding.stage import Finder
from choco_pipeline.finding.statements.scope import Tables
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.statement_line import VALUES_ARE
from choco_pipeline.finding.statements.value_statements import lines
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from tests.catalogues import catalogue_of
from tests.finding.made_statements import EVIDENCE, TRIANGLE, finder, g_is, p_iff, triangles


@pytest.fixture(scope="module")
def papers():
    return catalogue_of()


def test_a_true_statement_holds_on_parameters_and_cells_that_it_was_not_found_on():
    said = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    (found,) = finder(*triangles(3, 7, 11)).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "k = 15, 19, 23, 27, not seen before" in found.conclusion.text
    assert found.held_on.positions > 90
    assert found.held_on.tables == 5  # with those four: larger tables hold the same cells again
    assert "a larger table, to bound 1,024" in found.conclusion.text
    assert found.claim is not None
    assert found.claim["status"] == "found"
    assert found.claim["id"] == found.id


def test_verdicts_speak_of_the_games_of_the_statement_alone():
    ks = [(k, s) for k in (4, 6, 8) for s in range(2, k, 2)]
    games = [f"with-pass(strip-bar(k={k}, s={s}), passes=1)" for k, s in ks]
    said = p_iff(
        "with-pass(strip-bar(k=k, s=s), passes=1)",
        "(x+s+1)^((y^(z+s))+1)^p==0",
        "s%2 == 0",
        exceptions=((0, 0, 0, 1),),
        k=(4, 6, 8),
        s=(2, 4, 6),
    )
    (found,) = finder(*games).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "narrowed" in found.tried.what
    (claim,) = found.claims
    named = re.findall(r"\((\d+), (\d+)\)", found.conclusion.text)
    assert len(named) > 3
    assert all(claim.speaks_of({"k": int(k), "s": int(s)}) for k, s in named)
    # s even, s < k and k even, as far as parameters beyond those of the tables say: by the definition
    for k, s in product(range(2, 7), range(7)):
        game = parse_ruleset(f"with-pass(strip-bar(k={k}, s={s}), passes=1)")
        holds = all(
            game.is_p_position(p) == ((p[0] + s + 1) ^ ((p[1] ^ (p[2] + s)) + 1) ^ p[3] == 0)
            for p in game.positions(9)
            if any(p[:3])
        )
        assert claim.speaks_of({"k": k, "s": s}) == holds, (k, s)


def test_a_statement_that_fails_where_it_was_not_found_names_the_least_position():
    said = p_iff(TRIANGLE, "x^y^z==0", "k%2==1", k=(3, 7, 11))
    (found,) = finder(*triangles(3, 7, 11)).consider([said])
    assert (found.when, found.verdict) == ("k%4 == 3", "holds-to-bound")
    assert "refuted" not in found.conclusion.text
    assert "the condition was narrowed where it was wrong, k = 1, 5, 9" in found.tried.what
    for game in triangles(1, 5, 9):
        positions = parse_ruleset(game).positions(10)
        assert any(
            parse_ruleset(game).is_p_position(p) != (p[0] ^ p[1] ^ p[2] == 0) for p in positions
        )


def test_a_statement_that_cannot_be_narrowed_names_the_least_position():
    said = p_iff(triangles(5)[0], "x^y^z==0")
    (found,) = finder(*triangles(5)).consider([said])
    game = parse_ruleset(triangles(5)[0])
    place = found.conclusion.text.partition("(x, y, z) = (")[2].partition(")")[0]
    position = tuple(map(int, place.split(", ")))
    assert game.is_p_position(position) != (np.bitwise_xor.reduce(position) == 0)


@pytest.mark.parametrize(
    ("game", "place"), [(triangles(4)[0], (5, 3, 8)), ("solid-bar(f=x//8+z//8)", (200, 56, 256))]
)
def test_what_only_larger_coordinates_refute_is_refuted(game, place):
    """A table of P-positions to 1,024 takes some hundredths of a second, however small those of the run are."""
    (found,) = finder(game, bound=7).consider([p_iff(game, "x^y^z==0")])
    ruleset = parse_ruleset(game)
    assert ruleset.is_position(place)
    nearer = (p for p in ruleset.positions(max(place) - 1) if p[0] ^ p[1] ^ p[2] == 0)
    assert max(place) > 8 or all(map(ruleset.is_p_position, nearer))
    assert found.verdict == "refuted"
    assert f"refuted at (x, y, z) = {place}: P-position" in found.conclusion.text


def test_exceptions_are_left_out_and_wrong_without_them():
    game = "with-pass(strip-bar(k=4, s=1), passes=1)"
    formula = "(x+1)^y^(z+1)^p==0"
    exact = p_iff(game, formula, exceptions=((0, 0, 0, 1),))
    wrong = p_iff(game, formula)
    assert [one.verdict for one in finder(game).consider([exact])] == ["holds-to-bound"]
    assert [one.verdict for one in finder(game).consider([wrong])] == ["refuted"]


def test_grundy_numbers_by_cases_are_checked_case_by_case():
    game = "step-bar(k=1, s=0)"
    cases = (
        ("z+(y+1)//2", "(y+z)%2 == 0"),
        ("z-y+min(y, z-y)//2", "(y+z)%2 == 1"),
    )
    right = g_is(game, *cases)
    assert len(right.claims) == 2
    (found,) = finder(game, quantity="grundy").consider([right])
    assert (found.verdict, found.claim) == ("holds-to-bound", None)
    wrong = g_is(game, cases[0], ("z-y", "(y+z)%2 == 1"))
    (found,) = finder(game, quantity="grundy").consider([wrong])
    assert found.verdict == "refuted"


def test_a_statement_that_fails_for_some_parameters_is_narrowed_and_tried_on_others():
    ks = [(k, s) for k in (2, 4, 6) for s in range(k)]
    games = [f"step-bar(k={k}, s={s})" for k, s in ks]
    said = g_is("step-bar(k=k, s=s)", ("(y^(z+s))-s", ""), k=(2, 4, 6), s=tuple(range(6)))
    (found,) = finder(*games, quantity="grundy").consider([said])
    assert found.verdict == "holds-to-bound"
    assert found.text == f"for {found.when}: G"
    document = found.as_json()
    assert document["claim"]["statement"] == document["text"] == found.text
    assert (document["claim"]["id"], document["claim"]["when"]) == (found.id, found.when)
    assert "narrowed where it was wrong, (k, s) = " in found.tried.what
    assert found.claims[0].speaks_of({"k": 8, "s": 7})
    assert not found.claims[0].speaks_of({"k": 8, "s": 9})


def test_a_narrower_condition_leaves_nothing_out_of_which_the_statement_was_right():
    """Of heights ⌊max(x, z)/k⌋ + c it is right for even k up to c = 2^v₂(k); that k is a power of 2 would be a shorter condition."""
    seen = {(k, c): f"solid-bar(f=max(x, z)//{k}+{c})" for k in (2, 4) for c in range(k + 1)}
    said = p_iff(
        "solid-bar(f=max(x, z)//k+c)",
        "(x+c*k)^y^(z+c*k)==0",
        "c <= k and k != 3",
        c=(0, 1, 2, 3),
        k=(2, 4),
    )
    (found,) = finder(*seen.values(), bound=63).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "narrowed" in found.tried.what
    (claim,) = found.claims
    for k, c in product((6, 10, 12), range(6)):
        assert claim.speaks_of({"k": k, "c": c}) == (c <= (k & -k)), (k, c)


def test_every_game_that_a_statement_was_seen_for_is_tried_beyond_a_small_table():
    """Of (x+z)//4 positions with nim-sum 0 are the P-positions as far as a table to 6 goes: not at (5, 3, 8)."""
    said = p_iff(TRIANGLE, "x^y^z==0", "k%4 == 3 or k == 4", k=(3, 4, 7))
    (found,) = finder(*triangles(3, 4, 7), bound=6).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "narrowed where it was wrong, k = 4" in found.tried.what
    assert not found.claims[0].speaks_of({"k": 4})
    assert found.claims[0].speaks_of({"k": 31})


def test_what_follows_from_a_stronger_statement_is_left_out():
    family = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    single = p_iff(triangles(7)[0], "z==x^y")
    other = p_iff(triangles(1)[0], "(x-1)^y^(z-1)==0")
    found = finder(*triangles(1, 3, 7, 11)).consider([single, other, family])
    assert [one.ruleset for one in found] == [TRIANGLE, triangles(1)[0]]
    assert [one.implies for one in found] == [(single.text,), ()], "it is told under that one"


def test_p_positions_with_a_strip_follow_from_the_grundy_numbers_without():
    """Sprague and Grundy: a bar with a strip is P where the strip is as large as the bar's Grundy number."""
    chosen = [(k, s) for k in (2, 4, 6) for s in (0, 1, 2)]
    bounds = {(f"step-bar(k={k}, s={s})", "grundy"): 40 for k, s in chosen}
    bounds |= {(f"strip-bar(k={k}, s={s})", "p-positions"): 40 for k, s in chosen if k < 6}

    def kept(*proposed):
        return {
            one.id: one.implies for one in Finder(Tables(bounds), Catalogue({})).consider(proposed)
        }

    numbers = g_is("step-bar(k=k, s=s)", ("(y ^ (z+s))-s", ""), k=(2, 4, 6), s=(0, 1))
    numbers = replace(numbers, when="k%2 == 0 and s < 2")
    said = "strip-bar(k=k, s=s)", "(x+s) ^ y ^ (z+s) == 0"
    same = p_iff(*said, "k%2 == 0 and s < 2", k=(2, 4), s=(0, 1))
    more = p_iff(*said, "k%2 == 0 and s < 3", k=(2, 4), s=(0, 1, 2))
    assert kept(numbers, same) == {numbers.id: (same.text,)}
    assert kept(numbers, more) == {numbers.id: (), more.id: ()}


def test_what_was_proposed_for_more_games_follows_when_it_is_narrowed():
    """Of max(x, z)//k with even k both are right; P-positions follow from Grundy numbers, and not the other way."""
    family, ks = "solid-bar(f=max(x, z)//k)", (2, 4, 6, 8, 10, 12)
    games = [f"solid-bar(f=max(x, z)//{k})" for k in range(1, 13)]
    wider = p_iff(family, "x^y^z==0", k=ks)
    numbers = replace(g_is(family, ("x^y^z", ""), k=ks), when="k%2 == 0")
    fewer = replace(numbers, when="k%4 == 0", parameters={"k": (4, 8)})

    def said(*proposed):
        found = finder(*games, quantity="grundy", bound=20).consider(proposed)
        return {(one.kind, one.when): one.implies for one in found}

    narrowed = "p-positions", "k%2 == 0"
    assert said(wider) == {narrowed: ()}
    assert said(wider, numbers) == {("grundy", "k%2 == 0"): ("for k%2 == 0: P iff x^y^z==0",)}
    assert said(wider, fewer).keys() == {narrowed, ("grundy", "k%4 == 0")}


def test_nothing_follows_from_an_undecided_statement():
    """No table of Grundy numbers goes so far that it decides against a claim, and one of P-positions does."""
    numbers, other = (g_is("nim(3)", (f, "")) for f in ("a^b^c", "a^b^c^(a//1000)"))
    p = p_iff("nim(3)", "a^b^c==0")
    catalogue = Catalogue({"other": other.claims[0]})
    found = finder("nim(3)", catalogue=catalogue, quantity="grundy", bound=20)
    said = {one.kind: (one.verdict, one.implies) for one in found.consider([numbers, p])}
    assert said == {"p-positions": ("holds-to-bound", ()), "grundy": ("undecided", ())}


def test_what_follows_from_a_refuted_statement_stays():
    family = p_iff(TRIANGLE, "x^y^z==0 and x < 4", "k%2==1", k=(3, 7, 11))
    single = p_iff(triangles(7)[0], "z==x^y")
    found = finder(*triangles(3, 7, 11)).consider([single, family])
    assert [(one.ruleset, one.verdict) for one in found] == [
        (triangles(7)[0], "holds-to-bound"),
        (TRIANGLE, "refuted"),
    ]


def test_values_that_follow_from_the_p_positions_are_left_out():
    game = triangles(7)[0]
    formula = p_iff(game, "x^y^z==0")

    def values(of, condition, relation):
        check = {"kind": "values", "of": of, "values": condition, "relation": relation}
        return FoundStatement(
            kind="values",
            ruleset=game,
            said=f"{of}: {condition}",
            claim={"check": check},
            **EVIDENCE,
        )

    proposed = [
        values("x^y^z", "v == 0", "exactly"),
        values("x^y^(z+1)", "v%2 == 1", "within"),
        values("x^y^(z+1)", "(v & (v+1)) == 0 and v > 0", "exactly"),
    ]
    found = finder(game).consider([*proposed, formula])
    assert [one.kind for one in found] == ["p-positions"]
    without = finder(game).consider(proposed[:2])
    assert [one.kind for one in without] == ["values", "values"]


PASS = "with-pass(strip-bar(k=k, s=s), passes=1)"
#: Conj 4.1 of pass2016, for even s < k: {2^n − 2 : n ≥ 1} ∪ {1}; for odd ones, only 0 and 1 are values.
CONJ_4_1 = {
    "kind": "values",
    "of": "(x+s) ^ y ^ (z+s) ^ p",
    "values": "v == 1 or v >= 0 and (v+2) & (v+1) == 0",
    "relation": "exactly",
}


def values_are(ruleset, check, when="", **parameters):
    return FoundStatement(
        kind="values",
        ruleset=ruleset,
        said="values",
        when=when,
        parameters=parameters,
        claim={"check": check},
        formulas=tuple(lines(check["of"], check["relation"], check["values"])),
        **EVIDENCE,
    )


WITH_PASS = "with-pass(strip-bar(k=4, s=2), passes=1)"
VALUES = {**CONJ_4_1, "of": "(x+2) ^ y ^ (z+2) ^ p"}
MORE_VALUES = {**VALUES, "values": "v != 3", "relation": "within"}
P_IFF = {"kind": "p-positions", "relation": "exactly", "formula": "x ^ y ^ z == 0"}


@pytest.mark.parametrize(
    ("said", "known", "known_as"),
    [
        (p_iff("solid-bar(f=(x+z)//3)", "y == x^z"), "triangular-thm-7.3", "the same"),
        (g_is("step-bar(k=2, s=1)", ("(y^(z+1))-1", "")), "step2015-thm-3.2", "the same"),
        (values_are(WITH_PASS, VALUES), "pass2016-conj-4.1", "the same"),
        (
            values_are(WITH_PASS, VALUES | {"relation": "within"}),
            "pass2016-sec-4.2-question",
            "more",
        ),
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
    near = p_iff("solid-bar(f=(x+z)//3)", "y == x^z")
    near = replace(near, claim={"check": P_IFF, "reach": "20"})
    (found,) = finder(near.ruleset, catalogue=papers).consider([near])
    assert ("triangular-thm-7.3" in found.known, found.known_as) == (True, "more")


@pytest.mark.parametrize(("s", "relation"), [(1, "within"), (2, "exactly")])
def test_that_values_make_a_set_is_said_where_its_members_occur(s, relation):
    game = PASS.replace("k=k", "k=4").replace("s=s", f"s={s}")
    check = {**CONJ_4_1, "of": f"(x+{s}) ^ y ^ (z+{s}) ^ p"}
    (found,) = finder(game).consider([values_are(game, check)])
    assert found.verdict == "holds-to-bound"
    assert found.claim["check"]["relation"] == relation
    if relation == "within":
        assert found.text == (
            f"At the P-positions of {game}, (x+1) ^ y ^ (z+1) ^ p takes only values in"
            " {v : v = 1 or (v ≥ 0 and (v+2) & (v+1) = 0)}"
        )
        assert found.claim["statement"] == found.text
        assert found.formulas[1].label == VALUES_ARE["within"]
    else:
        assert found.text == "values"


def test_a_family_with_games_in_which_a_member_never_occurs_is_narrowed():
    ks = [(k, s) for k in (4, 6, 8) for s in range(2, k, 2)]
    games = [PASS.replace("k=k", f"k={k}").replace("s=s", f"s={s}") for k, s in ks]
    false_for_odd_s = values_are(PASS, CONJ_4_1, "k%2 == 0 and k > s", k=(4, 6, 8), s=(2, 4, 6))
    (found,) = finder(*games).consider([false_for_odd_s])
    assert found.verdict == "holds-to-bound"
    assert found.claim["check"]["relation"] == "exactly"
    assert (
        "narrowed where it was wrong or not all small values of a set occur, " in found.tried.what
    )
    (claim,) = found.claims
    assert all(claim.speaks_of({"k": k, "s": s}) for k, s in ks)
    for k, s in product(range(2, 13, 2), range(12)):
        if claim.speaks_of({"k": k, "s": s}):
            game = parse_ruleset(PASS.replace("k=k", f"k={k}").replace("s=s", f"s={s}"))
            p = filter(game.is_p_position, game.positions(10))
            values = {(x + s) ^ y ^ (z + s) ^ q for x, y, z, q in p}
            assert {0, 1, 2} <= values, (k, s)


def test_a_game_is_not_seen_because_each_of_its_parameters_is():
    """Of (k, s) = (4, 4) nothing was found, and at (18, 4, 20, 1) there the value is none of the set."""
    seen = [(4, 2), (6, 2), (6, 4)]
    games = [
        PASS.replace("k=k", f"k={k}").replace("s=s", f"s={s}") for k, s in sorted([*seen, (4, 4)])
    ]
    said = values_are(PASS, CONJ_4_1, "k%2 == 0 and s%2 == 0", k=(4, 6), s=(2, 4))
    (found,) = finder(*games).consider([replace(said, seen=tuple(seen))])
    assert "(4, 4)" in found.tried.what
    assert found.verdict == "holds-to-bound"
    (claim,) = found.claims
    assert not claim.speaks_of({"k": 4, "s": 4})
    assert all(claim.speaks_of({"k": k, "s": s}) for k, s in seen)
    assert FoundStatement.from_json(found.as_json()) == found


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


def test_certificates_decide_for_all_positions():
    asked = []

    def decide(claim, parameters, path):
        asked.append((claim.id, dict(parameters), path))
        status = "proved" if parameters["k"] != 11 else "undecided"
        return {"verdict": status, "text": status}

    said = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7))
    games = triangles(3, 7)
    paths = {game: [f"{i}.json"] for i, game in enumerate(games)}
    (found,) = finder(*games, decide=decide, paths=paths).consider([said])
    assert found.conclusion == Conclusion(
        "proved-for-listed", "proved for all positions where k = 3, 7", ("0.json", "1.json")
    )
    assert [parameters for _, parameters, _ in asked] == [{"k": 3}, {"k": 7}]
    more = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    games = triangles(3, 7, 11)
    paths = {game: [f"{i}.json"] for i, game in enumerate(games)}
    (found,) = finder(*games, decide=decide, paths=paths).consider([more])
    assert found.verdict == "holds-to-bound"
    assert "proved for all positions where k = 3, 7" in found.conclusion.text
    assert found.conclusion.certificates == ("0.json", "1.json")


def test_the_order_is_by_verdict_then_exactness_then_length():
    game = triangles(7)[0]
    observed = FoundStatement(kind="period", ruleset=game, said="rows repeat", **EVIDENCE)
    short = p_iff(triangles(3)[0], "x^y^z==0")
    wrong = p_iff(triangles(5)[0], "x^y^z==0")
    long = p_iff(game, "x^y^z==0 and x == x")
    found = finder(*triangles(3, 5, 7)).consider([wrong, observed, long, short])
    assert [one.verdict for one in found] == [
        "holds-to-bound",
        "holds-to-bound",
        "unchecked",
        "refuted",
    ]
    assert [one.ruleset for one in found[:2]] == [triangles(3)[0], game]
