"""Statements tried on what is new to them: other games, larger tables, and the run's own as a whole."""

import re
from dataclasses import replace
from itertools import product

import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import Counterexample, Refuted
from choco_pipeline.finding.scope import Tables, WholeTable
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.trial import (
    TableTrial,
    Trials,
    bound_of_trial,
    narrowed,
    wider,
    without_rare_parts,
)
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of
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
    assert all(claim.is_about({"k": int(k), "s": int(s)}) for k, s in named)
    # s even, s < k and k even, as far as parameters beyond those of the tables say: by the definition
    for k, s in product(range(2, 7), range(7)):
        game = parse_ruleset(f"with-pass(strip-bar(k={k}, s={s}), passes=1)")
        holds = all(
            game.is_p_position(p) == ((p[0] + s + 1) ^ ((p[1] ^ (p[2] + s)) + 1) ^ p[3] == 0)
            for p in game.positions(9)
            if any(p[:3])
        )
        assert claim.is_about({"k": k, "s": s}) == holds, (k, s)


def test_parameters_without_a_value_are_excluded():
    """Nim with three heaps, of which one has at most c."""
    said = p_iff("solid-bar(f=c)", "(x^y^z)*c//c == 0", c=(1, 2, 3))
    (found,) = finder(*(f"solid-bar(f={c})" for c in (1, 2, 3))).consider([said])
    assert (found.when, found.verdict) == ("c > 0", "holds-to-bound")
    assert "narrowed where it was wrong or has no value, c = 0" in found.tried.what


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
        if quantity != "p-positions":
            return None
        return WholeTable(Cells.of(parse_ruleset(name), 40, data))

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
    assert found.claims[0].is_about({"k": 8, "s": 7})
    assert not found.claims[0].is_about({"k": 8, "s": 9})


@pytest.mark.full
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
        assert claim.is_about({"k": k, "c": c}) == (c <= (c & -c) * (k & -k)), (k, c)


def test_a_condition_that_leaves_no_other_game_to_try_it_on_narrows_nothing():
    """Of k = 3 to 6 the nim-sum is right for 3 alone, which it was seen for."""
    said = p_iff(TRIANGLE, "x^y^z==0", "k > 2 and k < 7", k=(3, 4, 5, 6))
    (found,) = finder(*triangles(3, 4, 5, 6)).consider([said])
    assert (found.when, found.verdict) == ("k > 2 and k < 7", "refuted")


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
    assert (None if narrower is None else narrower[0].when) == when
    if narrower is not None:
        told = without_rare_parts(narrower[0], points)
        assert told.when == when.removeprefix("k == 3 or ")


@pytest.mark.full
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
    assert all(claim.is_about({"k": k, "s": s}) for k, s in ks)
    for k, s in product(range(2, 13, 2), range(12)):
        if claim.is_about({"k": k, "s": s}):
            game = parse_ruleset(PASS.replace("k=k", f"k={k}").replace("s=s", f"s={s}"))
            p = filter(game.is_p_position, game.positions(10))
            values = {(x + s) ^ y ^ (z + s) ^ q for x, y, z, q in p}
            assert {0, 1, 2} <= values, (k, s)


@pytest.mark.full
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
    assert not claim.is_about({"k": 4, "s": 4})
    assert all(claim.is_about({"k": k, "s": s}) for k, s in seen)
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


STEP = "step-bar(k=k, s=s)"


def too_narrow(when):
    """Return the formula of step2015, Thm 3.2, with a condition, seen for some games with s < k."""
    seen = [(k, s) for k in (2, 4, 6) for s in range(k)]
    found = g_is(STEP, ("(y^(z+s))-s", ""), k=(2, 4, 6), s=tuple(range(6)))
    return replace(found, when=when, seen=tuple(seen))


def is_right(k, s):
    game = parse_ruleset(f"step-bar(k={k}, s={s})")
    return all(game.grundy((y, z)) == (y ^ (z + s)) - s for y, z in game.positions(16))


def test_a_condition_that_is_too_narrow_is_wider_and_right():
    """A proposal may be wrong for games that were not tried; what the finder keeps is not."""
    narrow = too_narrow("k%2 == 0 and s < k")
    assert wider(narrow) is not None
    games = [f"step-bar(k={k}, s={s})" for k, s in narrow.seen]
    (found,) = finder(*games, quantity="grundy").consider([narrow])
    assert found.verdict == "holds-to-bound"
    for k in range(1, 9):
        for s in range(10):
            if found.whole.is_about({"k": k, "s": s}):
                assert is_right(k, s), (k, s)
    assert found.whole.is_about({"k": 4, "s": 4})


@pytest.mark.parametrize(
    "said",
    [
        p_iff(TRIANGLE, "x ^ y ^ z == 0", "k%4 == 3", k=(3, 7, 11, 15)),
        p_iff(TRIANGLE, "y == x ^ z", k=(3, 7)),
        p_iff("solid-bar(f=(x+z)//3)", "y == x ^ z"),
    ],
)
def test_a_condition_without_which_a_statement_is_wrong_stays(said):
    assert wider(said) is None


def test_games_that_do_not_exist_are_left_out():
    """There is no bar with heights ⌊(x+z)/0⌋."""
    found = wider(p_iff(TRIANGLE, "y == x ^ z", "k >= 1 and k%4 == 3", k=(3, 7)))
    assert found is None or not found[0].whole.is_about({"k": 0})


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


PAPERS = catalogue_of("solid2022")


def triangle(k):
    return f"solid-bar(f=(x+z)//{k})"


def judged(statement, catalogue, games=None, quantity="p-positions", bound=40):
    bounds = {(game, quantity): bound for game in games or [statement.ruleset]}
    return Trials(Tables(bounds), catalogue).tried(statement)


def in_catalogue(*statements):
    return Catalogue({one.id: one.claims[0] for one in statements})


def test_a_statement_is_tried_just_beyond_the_end_of_a_claim_that_says_the_same():
    """The bound of Conjecture 1 is 2047 for k = 64, and tables of this statement would not go so far."""
    statement, place = p_iff(triangle(64), "x^y^z == 0"), (1985, 63, 2048)
    assert judged(statement, Catalogue({})).verdict == "holds-to-bound"
    found = judged(statement, PAPERS)
    assert found.verdict == "refuted"
    assert f"refuted at (x, y, z) = {place}" in found.conclusion.text
    assert parse_ruleset(triangle(64)).is_position(place)


def test_a_statement_that_ends_with_the_claim_or_that_no_claim_ends_holds():
    until = "size <= {} => (P <=> x ^ y ^ z == 0)"
    near = values_are(triangle(64), until.format(2047))
    assert judged(near, PAPERS).verdict == "holds-to-bound"
    beyond = values_are(triangle(64), until.format(2048))
    assert judged(beyond, PAPERS).verdict == "refuted"
    assert judged(p_iff(triangle(31), "x^y^z == 0"), PAPERS).verdict == "holds-to-bound"


def test_a_statement_is_not_said_to_hold_where_no_table_goes_as_far_as_a_claim():
    found = judged(p_iff(triangle(256), "x^y^z == 0"), PAPERS)
    assert found.verdict == "undecided"
    assert "but solid2022-conj-1 says so only for coordinates up to 32,767" in found.conclusion.text


def test_a_family_is_narrowed_to_games_of_which_no_claim_says_that_it_ends():
    ks = 31, 35, 39, 64
    family = p_iff("solid-bar(f=(x+z)//k)", "x^y^z == 0", "k%4 == 3 or k == 64", k=ks)
    games = list(map(triangle, ks))
    assert judged(family, Catalogue({}), games).verdict == "holds-to-bound"
    found = judged(family, PAPERS, games)
    assert found.verdict == "holds-to-bound"
    assert "narrowed where it was wrong, k = 64" in found.tried.what
    (claim,) = found.claims
    assert [k for k in range(31, 80) if claim.is_about({"k": k})] == list(range(31, 80, 4))


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
        assert f"but {other.id} contradicts it at (1" in found.conclusion.text
    p = p_iff("nim(3)", "c == (a^b)+a//100")
    assert judged(p, in_catalogue(for_all), bound=10).verdict == "refuted"
