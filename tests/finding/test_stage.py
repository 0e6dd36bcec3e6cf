"""What becomes of statements: tried on what is new to them, compared with what is known, ranked; and of random tables."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue
from choco_pipeline.finding.families.table_family import MemberTable, TableFamily
from choco_pipeline.finding.judge.known import sources
from choco_pipeline.finding.stage import Finder, found_in
from choco_pipeline.finding.statements.entries import claims_of
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.scope import Tables
from choco_pipeline.finding.statements.statement import (
    VALUES_ARE,
    Evidence,
    FoundStatement,
    StatementLine,
    Tried,
)
from choco_pipeline.finding.statements.value_statements import lines
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.search_evidence import Candidates, Seen
from choco_pipeline.mining.table_findings import PeriodFinding
from choco_pipeline.mining.task import MINERS, mine_table
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.reading.cells import Cells

EVIDENCE = {
    "found_on": Evidence(10, "a box"),
    "held_on": Evidence(90, "the rest"),
    "tried": Tried(5, "nim-sums"),
}
TRIANGLE = "solid-bar(f=(x+z)//k)"


def silent(*_, **__):
    """Take what is reported."""


def p_iff(ruleset, formula, when="", exceptions=(), **values):
    return FoundStatement(
        kind="p-positions",
        ruleset=ruleset,
        said=f"P iff {formula}",
        when=when,
        parameters=values,
        formulas=(StatementLine("P iff", formula),),
        exceptions=exceptions,
        **EVIDENCE,
    )


def g_is(ruleset, *lines, **values):
    formulas = tuple(StatementLine("G =", formula, where) for formula, where in lines)
    return FoundStatement(
        kind="grundy",
        ruleset=ruleset,
        said="G",
        parameters=values,
        formulas=formulas,
        **EVIDENCE,
    )


def finder(*games, catalogue=None, decide=None, quantity="p-positions", bound=32, **certificates):
    tables = Tables({(game, quantity): bound for game in games}, certificates.get("paths", {}))
    return Finder(tables, catalogue or Catalogue({}), decide)


def triangles(*ks):
    return [f"solid-bar(f=(x+z)//{k})" for k in ks]


@pytest.fixture(scope="module")
def papers():
    return load_catalogue(sorted(Path("config/claims").glob("*.yaml")))


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
    (claim,) = claims_of(found)
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
    assert len(claims_of(right)) == 2
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
    assert claims_of(found)[0].speaks_of({"k": 8, "s": 7})
    assert not claims_of(found)[0].speaks_of({"k": 8, "s": 9})


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
    catalogue = Catalogue({"other": claims_of(other)[0]})
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
    (claim,) = claims_of(found)
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
    (claim,) = claims_of(found)
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


def test_what_claims_say_only_together_is_known_by_all_of_them():
    whole = load_catalogue([Path("config/claims/step2015.yaml")])
    papers = Catalogue({one: whole.claims[one] for one in ("step2015-thm-2.1", "step2015-thm-3.2")})
    games = [f"step-bar(k={k}, s={s})" for k in (2, 4) for s in range(k)]
    said = g_is("step-bar(k=k, s=s)", ("(y^(z+s))-s", ""), k=(2, 4), s=(0, 1, 2, 3))
    (claim,) = claims_of(said)
    assert sources(claim, games, papers) == ("step2015-thm-2.1", "step2015-thm-3.2")
    assert sources(claim, games, whole) == ("step2015-sec-1-grundy",)  # says both
    assert sources(claim, [*games, "step-bar(k=4, s=5)"], papers) == ()


def test_a_claim_that_contradicts_a_statement_is_no_source_of_it():
    said = p_iff(triangles(3)[0], "x^y^z==0")
    near = p_iff(triangles(3)[0], "x^y^z==0 and x < 1000")
    (claim,), (other,) = claims_of(said), claims_of(near)
    game = triangles(3)
    assert sources(claim, game, Catalogue({other.id: other})) == ()
    (same,) = claims_of(p_iff(game[0], "x^z==y"))
    assert sources(claim, game, Catalogue({same.id: same})) == (same.id,)


def test_a_claim_that_contradicts_a_statement_in_one_game_is_no_source_of_it_in_another():
    shifted = "(x-k//5)^y^(z-k//5)==0"
    (claim,) = claims_of(p_iff(TRIANGLE, shifted, k=(3, 5)))
    (zero,) = claims_of(p_iff(TRIANGLE, "x^y^z==0", k=(3, 5)))
    (one,) = claims_of(p_iff(TRIANGLE, "(x-1)^y^(z-1)==0", "k==5", k=(5,)))
    (other,) = claims_of(p_iff(TRIANGLE, "x^y^z==0", "k==3", k=(3,)))
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


def mined(ruleset, quantity, bound, family, what=tuple(MINERS), data=None):
    game = parse_ruleset(ruleset)
    data = table(game, bound, quantity) if data is None else data
    parameters = match(read(family), read(ruleset)) or {}
    findings = mine_table(what, game, bound, quantity, data)
    member = MemberTable(parameters, lambda: Cells.of(game, bound, data), findings)
    return [Mined(ruleset, quantity, bound, family, parameters, f) for f in findings], member


def test_a_family_is_found_from_its_tables_alone(papers):
    ks = range(3, 42, 2)
    both = [mined(g, "p-positions", 80, TRIANGLE, ["shifts"]) for g in triangles(*ks)]
    family = TableFamily.of(TRIANGLE, [member for _, member in both])
    document = found_in(
        [one for many, _ in both for one in many],
        [family],
        finder(*triangles(*ks), catalogue=papers, bound=80),
        silent,
    )
    found = document.statements
    said = {(one.when, one.formulas[0].formula): one for one in found if one.formulas}
    zero = said["k%4 == 3", "x ^ y ^ z == 0"]
    one = said["k%4 == 1", "(x-1) ^ y ^ (z-1) == 0"]
    assert zero.verdict == one.verdict == "holds-to-bound"
    assert "triangular-thm-7.3" in zero.known
    assert "triangular-conj-8.1" in one.known


def random_heights(folder, seed, side):
    random = np.random.default_rng(seed)
    steps = random.integers(0, 3, (side, side))
    heights = np.maximum.accumulate(np.maximum.accumulate(steps.cumsum(0), 0), 1)
    path = folder / "heights.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in heights) + "\n")
    return path


@pytest.mark.parametrize("quantity", ["p-positions", "grundy"])
def test_random_cells_yield_no_statement(quantity):
    game = "strip-bar(k=2, s=1)" if quantity == "p-positions" else "step-bar(k=2, s=1)"
    data = table(parse_ruleset(game), 64, quantity).copy(deep=True)
    (name,) = data.data_vars
    legal = data[name].values >= 0
    data[name].values[legal] = np.random.default_rng(5).integers(0, 60, legal.sum())
    findings, _ = mined(game, quantity, 64, game, data=data)
    document = found_in(findings, [], finder(game, quantity=quantity), silent)
    assert document.statements == ()
    assert document.searches
    assert all(search.tried.candidates > 0 for search in document.searches)
    assert any(search.nothing for search in document.searches)


@pytest.mark.full
@pytest.mark.parametrize("quantity", ["p-positions", "grundy"])
@pytest.mark.parametrize(("seed", "side"), [(3, 40), (4, 40), (5, 64)])
def test_random_heights_yield_no_statement(tmp_path, monkeypatch, seed, side, quantity):
    monkeypatch.chdir(tmp_path)
    random_heights(tmp_path, seed, side)
    game = "solid-bar(f=csv(heights.csv))"
    findings, _ = mined(game, quantity, side - 1, game)
    document = found_in(findings, [], finder(game, quantity=quantity), silent)
    assert document.statements == ()
    nothing = {s.what for s in document.searches if s.nothing}
    assert {"formulas", "value-sets", "count", "cellular"} <= nothing


def test_what_a_nim_sum_is_at_all_p_positions_is_said_of_no_others():
    game = "solid-bar(f=max(x, z)//2)"
    findings, _ = mined(game, "p-positions", 64, game, ["value-sets"])
    document = found_in(findings, [], finder(game), silent)
    found, higher = document.statements
    assert (found.kind, found.formulas) == (
        "p-positions",
        (StatementLine("P iff", "x ^ y ^ z == 0"),),
    )
    assert (higher.kind, higher.ruleset) == ("related", "solid-bar(f=max(x, z)//2+1)")
    assert found.verdict == "holds-to-bound"


@pytest.mark.full
def test_sets_of_values_over_a_family_have_its_parameters_and_its_condition():
    family = "with-pass(strip-bar(k=k, s=s), passes=1)"
    games = {
        (k, s): f"with-pass(strip-bar(k={k}, s={s}), passes=1)"
        for k in (4, 6, 8, 10)
        for s in range(1, k)
    }
    findings = [
        one
        for game in games.values()
        for one in mined(game, "p-positions", 128, family, ["value-sets"])[0]
    ]
    document = found_in(findings, [], finder(*games.values(), bound=128), silent)
    found = document.statements
    of_conj_4_1 = [
        s for s in found if s.claim and s.claim["check"].get("of") == "(x+s) ^ y ^ (z+s) ^ p"
    ]
    (one,) = [s for s in of_conj_4_1 if "v == 1" in s.claim["check"]["values"]]
    assert one.verdict == "holds-to-bound"
    (claim,) = claims_of(one)
    for k, s in games:  # pass2016, Conj 4.1, speaks of even s
        assert claim.speaks_of({"k": k, "s": s}) == (s % 2 == 0), one.when
    alone = [s for s in found if s.claim and s.claim["check"].get("of") == "(x+2) ^ y ^ (z+2) ^ p"]
    assert alone == [], "what is said of all s is not said again for one"


def test_of_what_values_exclude_only_the_most_is_said():
    game = "solid-bar(f=x//2+z//2)"

    def among(of, condition):
        check = {"kind": "values", "of": of, "values": condition, "relation": "within"}
        text = f"{of}: {condition}"
        return FoundStatement(
            kind="values", ruleset=game, said=text, claim={"check": check}, **EVIDENCE
        )

    weak = [among("x+y+z", "v%2 == 0"), among("(x+1) ^ y ^ (z+1)", "v%2 == 0")]
    strong = among("x ^ y ^ z", "v%4 == 0")
    (found,) = finder(game).consider([*weak, strong])
    assert found.text == strong.text
    other = among("y", "v%2 == 0")
    assert len(finder(game).consider([other, strong])) == 2, "neither follows from the other"


def test_a_rule_without_passes_left_is_one_of_the_game_without():
    games = ["nim(3)", "with-pass(nim(3), passes=1)"]
    both = [mined(game, "p-positions", 63, game, ["cellular"])[0] for game in games]
    document = found_in([*both[0], *both[1]], [], finder(*games), silent)
    found = document.statements
    assert [one.ruleset for one in found if one.kind == "cellular"] == ["nim(3)"]


def test_cases_that_leave_positions_out_are_wrong_there() -> None:
    game = "solid-bar(f=max(x, z)//2)"
    small = g_is(game, ("x ^ z", "y == 0"), ("(x ^ z) ^ 1", "y == 1"))
    (found,) = finder(game, quantity="grundy", bound=3).consider([small])
    assert found.verdict == "refuted"
    whole = g_is(game, ("x ^ z", "y == 0"), ("x ^ z ^ y", "y > 0"))
    (found,) = finder(game, quantity="grundy", bound=3).consider([whole])
    assert found.verdict == "holds-to-bound"


def test_what_the_papers_say_in_two_parts_is_known(papers):
    cells = [
        {"where": f"m%2 == {m} and i%2 == {i} and j%2 == {j}"} | said
        for (m, i, j), said in {
            (0, 0, 0): {"like": ["m//2", "i//2", "j//2"]},
            (0, 0, 1): {"like": ["m//2", "i//2", "j//2+1"]},
            (0, 1, 0): {"like": ["m//2", "i//2+1", "j//2"]},
            (0, 1, 1): {"like": ["m//2", "i//2+1", "j//2+1"]},
            (1, 0, 0): {"like": ["m//2", "i//2", "j//2"]},
            (1, 0, 1): {"outcome": "N"},
            (1, 1, 0): {"outcome": "N"},
            (1, 1, 1): {"like": ["m//2+1", "i//2+1", "j//2+1"]},
        }.items()
    ]

    def blocks(cases):
        return FoundStatement(
            kind="blocks",
            ruleset="rectangular-bar(m=m, n=m)",
            said=f"{len(cases)} blocks",
            parameters={"m": tuple(range(1, 20))},
            claim={"check": {"kind": "pattern", "cases": cases}},
            **EVIDENCE,
        )

    games = [f"rectangular-bar(m={m}, n={m})" for m in range(1, 20)]
    (claim,) = claims_of(blocks(cells))
    assert sources(claim, games, papers) == ("patterns-thm-3.3", "patterns-lemma-4.1-cells")
    other = [*cells[:-1], {"like": ["m//2+1", "i//2+1", "j//2"]}]
    (claim,) = claims_of(blocks(other))
    assert sources(claim, games, papers) == ()


def test_p_positions_are_known_from_what_moves_lead_to(papers):
    (claim,) = claims_of(p_iff("nim(4)", "a ^ b ^ c ^ d == 0"))
    halves = {name: papers.claims[f"patterns-thm-2.3-{name}"] for name in ("closed", "reached")}
    both = Catalogue({one.id: one for one in halves.values()})
    assert sources(claim, ["nim(4)"], both) == tuple(one.id for one in halves.values())
    for one in halves.values():
        assert sources(claim, ["nim(4)"], Catalogue({one.id: one})) == ()
    (wrong,) = claims_of(p_iff("nim(4)", "a ^ b ^ c ^ d <= 1"))
    assert sources(wrong, ["nim(4)"], both) == ()


def test_periods_of_single_games_are_not_said_of_their_family():
    """Of even k, what is so for s < k was said of all s; it is wrong in the row y = 4 for (k, s) = (2, 3)."""
    family = "step-bar(k=k, s=s)"
    ks = [(k, s) for k in (2, 4, 6) for s in range(k)]
    games = [f"step-bar(k={k}, s={s})" for k, s in ks]
    findings = [one for g in games for one in mined(g, "grundy", 511, family, ["periods"])[0]]
    document = found_in(findings, [], finder(*games, quantity="grundy", bound=511), silent)
    assert [one for one in document.statements if one.kind != "related"] == []
    (why,) = {one.why for one in document.searches if one.nothing}
    assert "no 3 of them have the same" in why
    beyond = parse_ruleset("step-bar(k=2, s=3)")
    assert (beyond.grundy((4, 106)), beyond.grundy((4, 114))) == (109, 111)


def test_what_nothing_can_try_on_other_games_is_not_said_of_a_family():
    family, rows = "step-bar(k=k, s=s)", "line y along z: period 1; saltus 1; preperiod 0"
    finding = PeriodFinding(
        ruleset="nim(2)",
        along="z",
        across=("y",),
        passes=None,
        laws=dict.fromkeys(("period", "saltus", "preperiod"), "1"),
        text=rows,
        found_on=Seen(positions=9, what="halves"),
        held_on=Seen(positions=9, what="others"),
        tried=Candidates(candidates=3, what="lines"),
    )
    games = {f"step-bar(k={k}, s={s})": {"k": k, "s": s} for k in (2, 4) for s in (0, 1)}
    found = [
        Mined(game, "grundy", 9, family, at, finding.model_copy(update={"ruleset": game}))
        for game, at in games.items()
    ]
    document = found_in(found, [], finder(quantity="grundy"), silent)
    assert document.statements == ()
    (why,) = [one for one in document.searches if one.nothing]
    assert rows in why.what
    assert why.why.startswith("seen in 4 games")
    without = finding.model_copy(update={"laws": {"period": "1", "saltus": "1"}})
    alone = [Mined("nim(2)", "grundy", 9, "nim(2)", {}, one) for one in (finding, without)]
    assert [len(found_in([one], [], finder(), silent).statements) for one in alone] == [1, 0]


def test_of_a_family_that_no_condition_tells_the_games_are_named():
    """Of k = 6 the formula is right for s up to 6 and for 8, which small numbers and remainders do not tell from 7."""
    pattern, games = "step-bar(k=6, s=s)", {s: f"step-bar(k=6, s={s})" for s in range(9)}
    what = ["formulas", "counts", "cellular", "blocks"]
    both = [mined(game, "grundy", 60, pattern, what) for game in games.values()]
    document = found_in(
        [one for findings, _ in both for one in findings],
        [TableFamily.of(pattern, [member for _, member in both])],
        finder(*games.values(), quantity="grundy", bound=60),
        silent,
        related_games=False,
    )
    (found,) = document.statements
    assert (found.when, found.formulas[0].formula) == ("0 <= s <= 6 or s == 8", "(y ^ (z+s))-s")
    assert found.verdict == "holds-to-bound"
    assert len(found.implies) == 7, "the games whose own formulas were found are told under it"
    for s, game in games.items():
        ruleset = parse_ruleset(game)
        holds = all(ruleset.grundy(p) == (p[0] ^ (p[1] + s)) - s for p in ruleset.positions(24))
        assert claims_of(found)[0].speaks_of({"s": s}) == holds
    # what a step bar shows with a strip beside it is no statement of each of its games
    whys = {one.what: one.why for one in document.searches if one.why}
    (counted,) = (what for what in whys if what.startswith("strip-bar(k=6, s=s): the number"))
    assert "not said of the family" in whys[counted]
