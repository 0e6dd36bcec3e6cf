"""Formulas learned from automata: proposed like those of tables, tried like these, and proved only by the proof of a statement."""

from functools import cache
from itertools import product
from pathlib import Path
from shutil import copy

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.api import mine as module
from choco_pipeline.api.mine import mine_games
from choco_pipeline.errors import HeightError
from choco_pipeline.finding.single import (
    LEARNED,
    SMALL,
    learned_from_game,
    learned_in,
)
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.finding.steps import ask, conclude, propose
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.stages import Stage
from tests.finding.made_statements import cells_of, document, silent
from tests.jobs import planned_run

TWO_HEIGHTS = "game(two-heights)"
NIM_SUM = "x ^ y ^ z == 0"
CONFIG = f"""
run: learned
claims: []
sweeps:
  wedges:
    {{ruleset: "{TWO_HEIGHTS}", bound: 32, quantity: p-positions, prove: [p], mine: [formulas]}}
"""


@cache
def is_p(x, y, z):
    """Whether a position of two-heights has no move to a P-position, in plain Python."""
    options = [(a, y, z) for a in range(x)] + [(x, b, z) for b in range(y)]
    options += [(min(x, c // 3), min(y, c // 2), c) for c in range(z)]
    return not any(is_p(*option) for option in options)


def test_mine_finds_what_prove_finds(monkeypatch):
    for z in range(14):
        for x, y in product(range(z // 3 + 1), range(z // 2 + 1)):
            assert is_p(x, y, z) == (x ^ y ^ z == 0)
    _, _, document = mine_games(TWO_HEIGHTS, {}, what=["formulas"])
    (statement,) = document.statements
    assert statement.statement == f"P <=> {NIM_SUM}"
    assert statement.found_on.what == LEARNED
    assert statement.verdict == "holds-to-bound"
    monkeypatch.setattr(module, "MOST_AUTOMATA", 0)
    assert mine_games(TWO_HEIGHTS, {}, what=["formulas"])[-1].statements == ()


def test_limits_of_a_search_are_sizes():
    """Its automaton of 119 states is too large to decide: however long that takes, there is no proof."""
    game = parse_ruleset("strip-bar(k=3, s=1)")
    proof = prove(game, "grundy", seconds=float("inf"), size=SMALL)
    assert proof.status == "undecided"
    assert learned_from_game(cells_of("strip-bar(k=3, s=1)", 20, "grundy")) == []


def test_heights_that_fall_beyond_the_table_are_no_error():
    game = parse_ruleset("solid-bar(f=min((x+z)//2, 300-x))")
    with pytest.raises(HeightError):
        prove(game, size=SMALL)
    assert learned_from_game(cells_of(game.notation, 40)) == []


def proof_with(formula, ruleset=TWO_HEIGHTS):
    cases = [{"where": None, "formula": formula}]
    said = {"text": f"P ⇔ {formula}", "cases": cases}
    return {
        "ruleset": ruleset,
        "relation": "p",
        "status": "proved",
        "why": "",
        "seconds": 0.0,
        "sweep": "wedges",
        "parameters": {},
        "formula": said,
    }


def plan_of(ruleset, bound):
    planned = {"ruleset": ruleset, "quantity": "p-positions", "bound": bound, "sweeps": ["wedges"]}
    return {"tables": [planned], "sweeps": {"wedges": {"ruleset": ruleset}}}


def test_a_formula_that_the_table_contradicts_is_not_proposed():
    plan = plan_of(TWO_HEIGHTS, 32)
    for wrong in ("x == 0", "y == 0", "y ^ (z-1) == 0"):
        assert list(learned_in(plan, [proof_with(wrong)], [])) == []
    (right,) = learned_in(plan, [proof_with(NIM_SUM)], [])
    assert right.finding.formulas[0].formula == NIM_SUM
    assert list(learned_in(plan, [proof_with(NIM_SUM)], [right])) == []
    assert list(learned_in(plan, [proof_with(NIM_SUM) | {"formula": None}], [])) == []


def test_a_formula_that_larger_tables_contradict_is_refuted():
    """Below x+z = 201 the bar has the height 0, so that x = z is right on a table to bound 64."""
    game = "solid-bar(f=(x+z)//201)"
    proposed = list(learned_in(plan_of(game, 64), [proof_with("x == z", game)], []))
    assert len(proposed) == 1
    (statement,) = document(proposed).statements
    assert statement.verdict == "refuted"


@pytest.mark.full
def test_a_run_proposes_and_proves_what_its_proofs_have_learned(tmp_path, monkeypatch):
    root = Path.cwd()
    (tmp_path / "config" / "games").mkdir(parents=True)
    copy(root / "config" / "games" / "two-heights.yaml", tmp_path / "config" / "games")
    (tmp_path / "config.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    planned_run(Path("config.yaml"), Stage.BUILD, Stage.MINE, Stage.PROVE)
    run = "results/learned/plan.json", 0
    proposed = propose(run, 0, 1, silent)
    chosen = ask(run, 1, proposed, silent).values()
    assert f"P <=> {NIM_SUM}" in [statement.statement for statement in chosen]
    conclude(run, "found.json", 1, proposed, silent)
    (statement,) = FoundDocument.read(Path("found.json")).statements
    assert (statement.statement, statement.verdict) == (f"P <=> {NIM_SUM}", "proved")
    assert statement.conclusion.certificates
