"""What is found in tables of games and families, and in random ones."""

import numpy as np
import pytest

from choco_pipeline.finding.comparison import sources
from choco_pipeline.finding.statement import Mined
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.table_findings import CellularFinding, Evidence, Tried
from choco_pipeline.mining.task import MINERS
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of
from tests.finding.made_statements import (
    document,
    finder,
    mined,
    values_are,
)


def random_heights(folder, seed, side):
    random = np.random.default_rng(seed)
    steps = random.integers(0, 3, (side, side))
    heights = np.maximum.accumulate(np.maximum.accumulate(steps.cumsum(0), 0), 1)
    np.savetxt(folder / "heights.csv", heights, fmt="%d", delimiter=",")


@pytest.mark.parametrize(
    "quantity", ["p-positions", pytest.param("grundy", marks=pytest.mark.full)]
)
def test_random_cells_yield_no_statement(quantity):
    game = "strip-bar(k=2, s=1)" if quantity == "p-positions" else "step-bar(k=2, s=1)"
    data = table(parse_ruleset(game), 64, quantity).copy(deep=True)
    (name,) = data.data_vars
    legal = data[name].values >= 0
    data[name].values[legal] = np.random.default_rng(5).integers(0, 60, legal.sum())
    found = document(mined(game, MINERS, quantity, 64, data=data))
    assert found.statements == ()
    assert found.searches
    assert all(search.tried.candidates > 0 for search in found.searches)
    assert any(search.nothing for search in found.searches)


@pytest.mark.full
@pytest.mark.parametrize("quantity", ["p-positions", "grundy"])
@pytest.mark.parametrize(("seed", "side"), [(3, 40), (4, 40), (5, 64)])
def test_random_heights_yield_no_statement(tmp_path, monkeypatch, seed, side, quantity):
    monkeypatch.chdir(tmp_path)
    random_heights(tmp_path, seed, side)
    game = "solid-bar(f=csv(heights.csv))"
    found = document(mined(game, MINERS, quantity, side - 1))
    assert found.statements == ()
    nothing = {s.what for s in found.searches if s.nothing}
    assert {"formulas", "value-sets", "count", "cellular"} <= nothing


def test_what_a_nim_sum_is_at_all_p_positions_is_said_of_no_others():
    game = "solid-bar(f=max(x, z)//2)"
    found, higher = document(mined(game, ["value-sets"], bound=64)).statements
    assert found.statement == "P <=> x ^ y ^ z == 0"
    assert (higher.search, higher.ruleset) == ("related", "solid-bar(f=max(x, z)//2+1)")
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
        for one in mined(game, ["value-sets"], bound=128, family=family)
    ]
    found = document(findings).statements
    said = "{(x+s) ^ y ^ (z+s) ^ p: P} == {v: v == 1 or v >= 0 and (v+2) & (v+1) == 0}"
    (one,) = [s for s in found if s.statement == said]
    assert one.verdict == "holds-to-bound"
    (claim,) = one.claims
    for k, s in games:  # pass2016, Conj 4.1, speaks of even s
        assert claim.is_about({"k": k, "s": s}) == (s % 2 == 0), one.when
    alone = [s for s in found if "(x+2) ^ y ^ (z+2) ^ p" in s.statement]
    assert alone == [], "what is said of all s is not said again for one"


def test_of_what_values_exclude_only_the_most_is_said():
    game = "solid-bar(f=x//2+z//2)"

    def among(of, condition):
        return values_are(game, f"{{{of}: P}} <= {{v: {condition}}}")

    weak = [among("x+y+z", "v%2 == 0"), among("(x+1) ^ y ^ (z+1)", "v%2 == 0")]
    strong = among("x ^ y ^ z", "v%4 == 0")
    (found,) = finder(game).consider([*weak, strong])
    assert found.text == strong.text
    other = among("y", "v%2 == 0")
    assert len(finder(game).consider([other, strong])) == 2, "neither follows from the other"


def test_what_the_papers_say_in_two_parts_is_known():
    papers = catalogue_of()

    def like(m, i, j):
        return f"(P <=> P[rectangular-bar(m={m}, n={m})]({i}, {j}))"

    cells = [
        f"m%2 == {m} and i%2 == {i} and j%2 == {j} => {said}"
        for (m, i, j), said in {
            (0, 0, 0): like("m//2", "i//2", "j//2"),
            (0, 0, 1): like("m//2", "i//2", "j//2+1"),
            (0, 1, 0): like("m//2", "i//2+1", "j//2"),
            (0, 1, 1): like("m//2", "i//2+1", "j//2+1"),
            (1, 0, 0): like("m//2", "i//2", "j//2"),
            (1, 0, 1): "not P",
            (1, 1, 0): "not P",
            (1, 1, 1): like("m//2+1", "i//2+1", "j//2+1"),
        }.items()
    ]

    def blocks(cases):
        return values_are("rectangular-bar(m=m, n=m)", "; ".join(cases), m=tuple(range(1, 20)))

    games = [f"rectangular-bar(m={m}, n={m})" for m in range(1, 20)]
    (claim,) = blocks(cells).claims
    assert sources(claim, games, papers) == ("patterns-thm-3.3", "patterns-lemma-4.1-cells")
    other = [*cells[:-1], cells[-1].replace("j//2+1", "j//2")]
    (claim,) = blocks(other).claims
    assert sources(claim, games, papers) == ()


def test_what_nothing_can_try_on_other_games_is_not_said_of_a_family():
    family, rule = "step-bar(k=k, s=s)", "a(y, z) = a(y-1, z-1)"
    finding = CellularFinding(
        ruleset="nim(2)",
        axes=("y", "z"),
        passes=None,
        text=rule,
        found_on=Evidence(positions=9, what="halves"),
        held_on=Evidence(positions=9, what="others"),
        tried=Tried(candidates=3, what="rules"),
    )
    games = {f"step-bar(k={k}, s={s})": {"k": k, "s": s} for k in (2, 4) for s in (0, 1)}
    found = [
        Mined(game, "grundy", 9, family, at, finding.model_copy(update={"ruleset": game}))
        for game, at in games.items()
    ]
    told = document(found)
    assert told.statements == ()
    (why,) = [one for one in told.searches if one.nothing]
    assert rule in why.what
    assert why.why.startswith("seen in 4 games")
