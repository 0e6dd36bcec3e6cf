"""How games follow from their neighbours: what is known is found, and what is near to it is not said."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.related import relations
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import Finder
from choco_pipeline.finding.statement import FoundStatement, Mined, Proposals
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import build, match, read
from tests.finding.made_statements import g_is

STEP = "step-bar(k=k, s=s)"


def searched(family, points, quantity="p-positions"):
    found = []
    for point in points:
        game = build(read(family), point, Path()).notation
        parameters = dict(sorted((match(read(family), read(game)) or {}).items()))
        found.append(Mined(game, quantity, 40, family, parameters, {}))
    return found


def found_by(mined):
    return Proposals.merged(search() for search in relations(mined))


def judged(mined, catalogue=None):
    tables = Tables({(one.ruleset, one.quantity): one.bound for one in mined})
    return Finder(tables, catalogue or Catalogue({})).consider(*found_by(mined)[:2])


def test_a_step_more_is_a_column_more_while_column_0_is_the_end():
    mined = searched(STEP, [{"k": k, "s": s} for k in range(1, 6) for s in range(8)], "grundy")
    found = {one.text: one for one in judged(mined)}
    said = found[f"{STEP}, for s > 0 and k >= s: G == G[step-bar(k=k, s=s-1)](y, z+1)-1"]
    assert said.verdict == "holds-to-bound"
    assert FoundStatement.from_json(said.as_json()) == said


@pytest.mark.full
def test_what_one_pass_does_is_narrowed_to_bars_in_which_the_end_alone_has_value_0():
    family = "with-pass(step-bar(k=k, s=s), passes=1)"
    points = [{"k": k, "s": s} for k in range(1, 6) for s in range(k)]
    found = judged(searched(family, points, "grundy"))
    by_lemma = {one.known: one for one in found if one.verdict == "holds-to-bound"}
    one = by_lemma["one-pass",]
    assert one.when == "k > s"
    assert one.statement == f"p >= 1 => G == max(((G[{family}](y, z, p-1)+1) ^ 1)-1, 0)"
    assert "narrowed where it was wrong" in one.tried.what
    two = by_lemma["two-more-passes",]
    assert two.when == ""
    assert two.statement.startswith("p >= 2 => G == G[")
    assert two.statement.endswith("(y, z, p-2)")


def test_what_is_so_of_all_games_is_said_of_one_family():
    games = [f"with-pass({game}, passes=1)" for game in ("nim(3)", "nim(2)", "step-bar(k=1, s=2)")]
    stated, *_ = found_by([one for game in games for one in searched(game, [{}])])
    assert sum("p-2" in one.text for one in stated) == 1


def test_how_far_positions_are_moved_may_have_no_value_for_some_parameters():
    # What is found by 2^v₂(c) is not asked of c = 0, which ended the search.
    points = [{"c": c, "k": k} for c in range(5) for k in range(5)]
    stated, *_ = found_by(searched("solid-bar(f=(x+z+c)//2**k)", points))
    assert all(one.when for one in stated if "v2(c)" in one.statement)


def test_higher_bars_are_lower_ones_farther_away():
    (found,) = judged(searched("solid-bar(f=(x+z)//k)", [{"k": k} for k in range(1, 17)]))
    assert found.when == ""
    assert found.ruleset == "solid-bar(f=(x+z)//k+1)"
    assert found.statement == "P <=> P[solid-bar(f=(x+z)//k)](x+(k-k//2), y, z+(k-k//2))"
    (single,) = judged(searched("solid-bar(f=max(x, z)//2)", [{}]))
    assert single.statement == "P <=> P[solid-bar(f=max(x, z)//2)](x+2, y, z+2)"
    assert judged(searched("solid-bar(f=x//2+z//2)", [{}])) == []


@pytest.mark.full
def test_what_ends_two_steps_beyond_the_games_that_are_shown_is_not_said_of_all():
    family = "solid-bar(f=(x+z+c)//k)"
    points = [{"k": k, "c": c} for k in range(1, 9) for c in range(k)]
    found = judged(searched(family, points))
    (one,) = (one for one in found if "(x+z+(c-2))//k)" in one.text)
    assert one.verdict == "holds-to-bound"  # and (1, 1, 0) of k = 2, c = 4 tells that it is wrong
    assert parse(one.when).value({"k": 5, "c": 4})
    assert not parse(one.when).value({"k": 2, "c": 4})


@pytest.mark.full
def test_what_a_formula_says_of_both_games_is_told_under_it_also_of_smaller_parameters_in_heights():
    family, ks = "solid-bar(f=max(x, z)//k)", range(2, 13, 2)
    mined = searched(family, [{"k": k} for k in ks], "grundy")
    formula = replace(g_is(family, ("x ^ y ^ z", ""), k=tuple(ks)), when="k%2 == 0")
    stated, doubtful, _ = found_by(mined)
    tables = Tables({(one.ruleset, one.quantity): one.bound for one in mined})
    (said,) = Finder(tables, Catalogue({})).consider([formula, *stated], doubtful)
    assert said.kind == "grundy"
    assert any("solid-bar(f=max(x, z)//(k-2))" in told.text for told in said.implies)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_said_of_random_heights(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(seed)
    for by, name in ((0, "a"), (1, "b")):  # of slope 1/3, and higher by 1 at places
        steps = random.random((2, 60)) < 1 / 3
        heights = steps[0].cumsum()[:, None] + steps[1].cumsum()[None, :]
        np.savetxt(f"{name}.csv", heights + by * (random.random() < 0.5), fmt="%d", delimiter=",")
        assert found_by(searched(f"solid-bar(f=csv({name}.csv))", [{}]))[:2] == ([], [])


def test_a_relation_of_games_with_formulas_says_nothing_more():
    """Of even k the Grundy numbers are known, and so how those of k and k-2 are related."""
    even = [{"k": k, "s": 0} for k in range(2, 14, 2)]
    mined = searched("step-bar(k=k, s=0)", [{"k": one["k"]} for one in even], "grundy")
    (said,) = [one for one in judged(mined) if one.verdict == "holds-to-bound"]
    assert said.statement == "G == G[step-bar(k=k-2, s=0)](y, z)"
    known = g_is("step-bar(k=k, s=0)", ("y ^ z", ""), k=tuple(range(2, 14, 2)))
    known = replace(known, when="k%2 == 0")
    tables = Tables({(one.ruleset, one.quantity): one.bound for one in mined})
    stated, doubtful, _ = found_by(mined)
    found = Finder(tables, Catalogue({})).consider([known, *stated], doubtful)
    assert [(one.when, one.statement) for one in found] == [("k%2 == 0", "G == y ^ z")]
