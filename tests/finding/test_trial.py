"""Statements tried on what is new to them: other games, larger tables, and the run's own as a whole."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.verdict import Counterexample, Refuted
from choco_pipeline.finding.bounds import TableTrial
from choco_pipeline.finding.changed_conditions import narrowed, simplified, told_by_many
from choco_pipeline.finding.scope import WholeTable
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.computing import table
from tests.finding.made_statements import (
    CONJ_4_1,
    PASS,
    TRIANGLE,
    finder,
    g_is,
    p_iff,
    triangles,
    values_are,
)

END = "x == 0 and y == 0 and z == 0 and p == 1"


def test_a_true_statement_holds_on_parameters_and_cells_that_it_was_not_found_on():
    said = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    (found,) = finder(*triangles(3, 7, 11)).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "k = 15, 19, 23, 27, not seen before" in found.conclusion.text
    assert found.held_on.positions > 90
    assert found.held_on.tables == 5  # with those four: larger tables hold the same cells again
    assert "larger tables, to bounds from 256 to 1,024" in found.conclusion.text
    assert found.claim is not None
    assert found.claim["status"] == "found"
    assert found.claim["id"] == found.id


@pytest.mark.full
def test_verdicts_speak_of_the_games_of_the_statement_alone():
    ks = [(k, s) for k in (4, 6, 8) for s in range(2, k, 2)]
    games = [f"with-pass(strip-bar(k={k}, s={s}), passes=1)" for k, s in ks]
    said = p_iff(
        "with-pass(strip-bar(k=k, s=s), passes=1)",
        "(x+s+1)^((y^(z+s))+1)^p==0",
        "s%2 == 0",
        exceptions=END,
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


@pytest.mark.parametrize("place", [None, (39, 38)])
def test_what_only_the_whole_of_a_large_table_of_the_run_refutes_is_refuted(place):
    """Where searches have looked at its corner; a table computed to test it may be smaller."""
    (game,) = triangles(3)
    data = table(parse_ruleset(game), 40, "p-positions")
    if place is not None:
        data["p_y"][place] = 0
    asked = []

    def whole(name, quantity):
        asked.append((name, quantity))
        return WholeTable(40, data) if quantity == "p-positions" else None

    judges = finder(game, bound=40)
    judges.tables = replace(judges.tables, whole=whole)
    (found,) = judges.consider([p_iff(game, "x^y^z==0")])
    assert (game, "p-positions") in asked
    if place is None:
        assert found.conclusion.text.endswith(" of a table of the run, as a whole, to bound 40")
        assert found.verdict == "holds-to-bound"
    else:
        assert found.verdict == "refuted"
        assert f"({place[0]}, " in found.conclusion.text


def test_exceptions_are_left_out_and_wrong_without_them():
    game = "with-pass(strip-bar(k=4, s=1), passes=1)"
    formula = "(x+1)^y^(z+1)^p==0"
    exact = p_iff(game, formula, exceptions=END)
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
    assert found.verdict == "holds-to-bound"
    wrong = g_is(game, cases[0], ("z-y", "(y+z)%2 == 1"))
    (found,) = finder(game, quantity="grundy").consider([wrong])
    assert found.verdict == "refuted"


def test_a_statement_that_fails_for_some_parameters_is_narrowed_and_tried_on_others():
    ks = [(k, s) for k in (2, 4, 6) for s in range(k)]
    games = [f"step-bar(k={k}, s={s})" for k, s in ks]
    said = g_is("step-bar(k=k, s=s)", ("(y^(z+s))-s", ""), k=(2, 4, 6), s=tuple(range(6)))
    (found,) = finder(*games, quantity="grundy").consider([said])
    assert found.verdict == "holds-to-bound"
    assert found.text == f"step-bar(k=k, s=s), for {found.when}: G == (y ^ (z+s))-s"
    document = found.as_json()
    assert document["claim"]["words"] == document["text"] == found.text
    assert document["claim"]["statement"] == "G == (y ^ (z+s))-s"
    assert (document["claim"]["id"], document["claim"]["when"]) == (found.id, found.when)
    assert "narrowed where it was wrong, (k, s) = " in found.tried.what
    assert found.claims[0].speaks_of({"k": 8, "s": 7})
    assert not found.claims[0].speaks_of({"k": 8, "s": 9})


def test_a_formula_is_as_short_as_a_narrower_condition_allows():
    """Of (x+z)//k, k ≡ 1 (mod 4): triangular, Conj 8.1. For odd k the shift is -1, in whatever way that is written."""
    shift = "(3*(k%2)-2**v2(k)-4)//2"
    long = parse(f"(x+{shift})^y^(z+{shift})==0").text
    said = p_iff(TRIANGLE, long, k=(1, 3, 5, 7, 9, 11, 13))
    (found,) = finder(*triangles(*range(1, 14, 2)), bound=63).consider([said])
    assert found.verdict == "holds-to-bound"
    assert (found.when, found.statement) == ("k%4 == 1", "P <=> (x-1) ^ y ^ (z-1) == 0")


@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("(x+2*k-k) ^ y == 0", "(x+k) ^ y == 0"),
        ("(x+k-2*k) ^ y == 0", "(x-k) ^ y == 0"),
        ("(x+k-k) ^ y == 0", "x ^ y == 0"),
    ],
)
def test_parameters_that_are_added_one_after_the_other_are_one_term(written, short):
    said = p_iff(TRIANGLE, written, k=tuple(range(1, 14, 2)))
    assert simplified(said).statement == f"P <=> {short}"


def test_a_formula_that_a_condition_does_not_shorten_stays():
    said = g_is("step-bar(k=k, s=s)", ("(y^(z+s))-s", ""), k=(2, 4, 6), s=(0, 1))
    said = replace(said, when="k%2 == 0 and k > s")
    assert simplified(said) == said
    said = p_iff(TRIANGLE, "(x+k-1) ^ y == 0", k=tuple(range(1, 14, 2)))
    assert simplified(said) == said
    said = p_iff(TRIANGLE, "(x-k//2) ^ y ^ (z-k//2) == 0", "k == 2 or k == 3", k=(2, 3))
    assert simplified(said) == said, "of two games nothing is known to be the same"


def test_a_narrower_condition_leaves_nothing_out_of_which_the_statement_was_right():
    """Of heights ⌊max(x, z)/k⌋ + c it is right for even k and c up to 2^v₂(c)·2^v₂(k); that k is a power of 2 would be shorter."""
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
    for k, c in product((6, 10, 12), range(14)):
        assert claim.speaks_of({"k": k, "c": c}) == (c <= (c & -c) * (k & -k)), (k, c)


def test_games_that_are_named_are_named_again_without_those_where_a_formula_is_wrong():
    """Of heights ⌊max(x, z)/k⌋ the nim-sum is wrong for odd k; no other game is there to try a condition on."""
    ruleset = "solid-bar(f=max(x, z)//k)"
    games = {k: f"solid-bar(f=max(x, z)//{k})" for k in (2, 3, 4, 6)}
    named = p_iff(ruleset, "x^y^z==0", "2 <= k <= 4 or k == 6", k=tuple(games))
    (found,) = finder(*games.values()).consider([named])
    assert (found.when, found.verdict) == ("k == 2 or k == 4 or k == 6", "holds-to-bound")
    assert found.parameters == {"k": (2, 4, 6)}
    assert found.seen == ((2,), (4,), (6,))
    assert "the condition was narrowed where it was wrong, k = 3" in found.tried.what


def test_a_condition_that_leaves_no_other_game_to_try_it_on_narrows_nothing():
    """Of k = 3 to 6 the nim-sum is right for 3 alone, which it was seen for."""
    said = p_iff(TRIANGLE, "x^y^z==0", "k > 2 and k < 7", k=(3, 4, 5, 6))
    (found,) = finder(*triangles(3, 4, 5, 6)).consider([said])
    assert (found.when, found.verdict) == ("k > 2 and k < 7", "refuted")


def test_of_too_few_games_that_are_left_none_is_named():
    ruleset = "solid-bar(f=max(x, z)//k)"
    games = [f"solid-bar(f=max(x, z)//{k})" for k in (2, 3, 4)]
    (found,) = finder(*games).consider([p_iff(ruleset, "x^y^z==0", "2 <= k <= 4", k=(2, 3, 4))])
    assert (found.when, found.verdict) == ("2 <= k <= 4", "refuted")


@pytest.mark.parametrize(
    ("right", "wrong", "when"),
    [
        ((3, 7, 11, 15, 19, 23), set(range(1, 25)) - {3, 7, 11, 15, 19, 23}, "k%4 == 3"),
        ((3, 7, 11), (4,), "k%2 == 1"),
        (
            (1, 3, 4, 8),
            (2, 6, 7),
            None,
        ),  # k%4 != 2 and k%8 != 7 is one of 1,694, and 35 lists have four of seven
        # of few enough of as many lists, but its first part is there for one game: so that part goes if no further one is right
        ((3, 7, 15, 23), set(range(1, 25)) - {3, 7, 15, 23}, "k == 3 or k%8 == 7"),
    ],
)
def test_a_condition_of_several_parts_is_shorter_than_a_list_of_where_it_is_right(
    right, wrong, when
):
    said = p_iff(TRIANGLE, "x^y^z==0", k=right)
    refuted = Refuted(Counterexample("N", "P", (1, 1, 1), ("x", "y", "z")), 9)
    outcomes = [TableTrial({"k": k}, 9, refuted, None) for k in wrong]
    points = [{"k": k} for k in right]
    narrower = narrowed(said, points, outcomes, "all")
    assert (None if narrower is None else narrower.statement.when) == when
    if narrower is not None:
        told = told_by_many(narrower.statement, points)
        assert told.when == when.removeprefix("k == 3 or ")


def test_a_part_that_one_game_tells_of_may_come_and_go_while_a_condition_is_narrowed():
    """Of step bars with odd k: k > s or s%4 == 1 comes between, where (k, s) = (9, 13) alone is there for its second part."""
    pairs = [(k, s) for k in (1, 3, 5) for s in range(k)]
    said = g_is("step-bar(k=k, s=s)", ("z+(y+1)//2", "(y+z)%2 == s%2"), k=(1, 3, 5), s=range(5))
    said = replace(said, when="k%2 == 1", seen=tuple(pairs))
    games = [f"step-bar(k={k}, s={s})" for k, s in pairs]
    (found,) = finder(*games, quantity="grundy").consider([said])
    assert (found.when, found.verdict) == (
        "k%2 == 1 and (k > s or s%2 == 1 and s < 2*k)",
        "holds-to-bound",
    )


def test_every_game_that_a_statement_was_seen_for_is_tried_beyond_a_small_table():
    """Of (x+z)//4 positions with nim-sum 0 are the P-positions as far as a table to 6 goes: not at (5, 3, 8)."""
    said = p_iff(TRIANGLE, "x^y^z==0", "k%4 == 3 or k == 4", k=(3, 4, 7))
    (found,) = finder(*triangles(3, 4, 7), bound=6).consider([said])
    assert found.verdict == "holds-to-bound"
    assert "narrowed where it was wrong, k = 4" in found.tried.what
    assert not found.claims[0].speaks_of({"k": 4})
    assert found.claims[0].speaks_of({"k": 31})


@pytest.mark.parametrize(("s", "sign"), [(1, "<="), (2, "==")])
def test_that_values_make_a_set_is_said_where_its_members_occur(s, sign):
    game = PASS.replace("k=k", "k=4").replace("s=s", f"s={s}")
    line = CONJ_4_1.replace("+s", f"+{s}")
    (found,) = finder(game).consider([values_are(game, line)])
    assert found.verdict == "holds-to-bound"
    assert found.statement == line.replace("==", sign, 1)
    assert found.text == f"{game}: {found.statement}"


def test_a_family_with_games_in_which_a_member_never_occurs_is_narrowed():
    ks = [(k, s) for k in (4, 6, 8) for s in range(2, k, 2)]
    games = [PASS.replace("k=k", f"k={k}").replace("s=s", f"s={s}") for k, s in ks]
    false_for_odd_s = values_are(PASS, CONJ_4_1, "k%2 == 0 and k > s", k=(4, 6, 8), s=(2, 4, 6))
    (found,) = finder(*games).consider([false_for_odd_s])
    assert found.verdict == "holds-to-bound"
    assert found.claims[0].check.relation == "exactly"
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
