"""What becomes of statements: those that follow from others are left out, the others ranked."""

from dataclasses import replace

import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import Finder
from choco_pipeline.finding.statement import FoundStatement, Implied, Mined
from choco_pipeline.mining.table_findings import CellularFinding, Tried
from tests.finding.made_statements import (
    EVIDENCE,
    TRIANGLE,
    finder,
    g_is,
    p_iff,
    triangles,
    values_are,
)


def test_what_follows_from_a_stronger_statement_is_left_out():
    family = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    single = p_iff(triangles(7)[0], "z==x^y")
    other = p_iff(triangles(1)[0], "(x-1)^y^(z-1)==0")
    found = finder(*triangles(1, 3, 7, 11)).consider([single, other, family])
    assert [one.ruleset for one in found] == [TRIANGLE, triangles(1)[0]]
    told = Implied(single.text, "all positions")
    assert [one.implies for one in found] == [(told,), ()], "it is told under that one"


def test_a_period_follows_from_a_formula_for_the_grundy_numbers():
    own = "game(subtraction-set, s=10)"  # amounts 1 and 3, the digits of 10
    formula = g_is(own, ("a%2", ""))
    law = replace(formula, statement="G(a+2) == G", search="smaller-heaps")
    (found,) = finder(own, quantity="grundy").consider([law, formula])
    assert found.statement == "G == a%2"
    assert found.implies == (Implied(law.text),)


def test_what_follows_under_a_condition_names_its_parameters():
    """Without them it would be read as a statement on all games of the family."""
    formula = p_iff(TRIANGLE, "x^y^z==0", "k%4==3", k=(3, 7, 11))
    values = values_are(TRIANGLE, "{x^y^z: P} == {v: v == 0}", k=(3, 7))
    (found,) = finder(*triangles(3, 7, 11)).consider([values, formula])
    assert [one.text for one in found.implies] == [
        f"{TRIANGLE}, k = 3, 7: {{x ^ y ^ z: P}} == {{v: v == 0}}"
    ]


@pytest.mark.full
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
    assert [*kept(numbers, same).values()] == [(Implied(same.text, "all positions"),)]
    (found,) = Finder(Tables(bounds), Catalogue({})).consider([numbers, more])
    assert found.claims[0].is_about({"k": 4, "s": 2}), "the condition is wider"
    assert found.implies == (Implied(more.text, "all positions"),)


@pytest.mark.full
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
    told = Implied(f"{family}, for k%2 == 0: P <=> x ^ y ^ z == 0", "all positions")
    assert said(wider, numbers) == {("grundy", "k%2 == 0"): (told,)}
    assert said(wider, fewer) == {("grundy", "k%2 == 0"): (told,)}, "the condition is wider"


def test_pictures_of_uncut_bars_follow_from_the_formula_that_settles_all_of_them():
    """The heaps of C(m, m+3) are 2m+1 together, so that their nim-sum is odd: that no cell is P is nothing new."""
    finding = CellularFinding(
        ruleset="nim(4)",
        axes=("m", "i", "j"),
        passes=None,
        tried=Tried(candidates=1, what="rules"),
        terms=((1, 0, 0),),
    )
    sides = {"m": (1, 2, 3), "n": (1, 2, 3, 4, 5, 6)}
    formula = p_iff("rectangular-bar(m=m, n=n)", "(i-1)^(m-i)^(j-1)^(n-j)==0", **sides)
    picture = FoundStatement(
        search="cellular",
        ruleset="rectangular-bar(m=m, n=m+3)",
        words="no cell is a P-position",
        parameters={"m": (1, 2, 3)},
        source=Mined("nim(4)", "p-positions", 9, "nim(4)", {}, finding),
        **EVIDENCE,
    )
    games = [f"rectangular-bar(m={m}, n={n})" for m in sides["m"] for n in sides["n"]]
    found = {one.kind: one for one in finder(*games).consider([picture, formula])}
    assert found["cellular"].follows_from == (found["p-positions"].id,)
    assert found["cellular"].follows_on == "all positions"
    (alone,) = finder(*games).consider([picture])
    assert alone.follows_from == ()
    square = p_iff("rectangular-bar(m=m, n=m)", "(i-1)^(m-i)^(j-1)^(m-j)==0", m=(1, 2, 3))
    found = {one.kind: one for one in finder(*games).consider([picture, square])}
    assert found["cellular"].follows_from == (), "it speaks of other bars"


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
        return values_are(game, f"{{{of}: P}} {relation} {{v: {condition}}}")

    proposed = [
        values("x^y^z", "v == 0", "=="),
        values("x^y^(z+1)", "v%2 == 1", "<="),
        values("x^y^(z+1)", "(v & (v+1)) == 0 and v > 0", "=="),
    ]
    found = finder(game).consider([*proposed, formula])
    assert [one.kind for one in found] == ["p-positions"]
    without = finder(game).consider(proposed[:2])
    assert [one.kind for one in without] == ["values", "values"]
