"""The benchmark of finding: its targets are true, its traps are traps, its reader reads, and its short form is run."""

import ast
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.finding import evaluation, formulas, games, heights, pictures, reading, trial
from benchmarks.finding.case import KNOWN, Decoy, Target, load
from benchmarks.finding.evaluation import game_of, table
from benchmarks.finding.formulas import UnreadError, value
from benchmarks.finding.games import Game, monotone
from benchmarks.finding.heights import has_formula
from benchmarks.finding.page import page
from benchmarks.finding.reading import Reading
from benchmarks.finding.run import scores, summary
from benchmarks.finding.scores import covers
from benchmarks.finding.trial import Effort, wrong

CASES = load()
TARGETS = [case for case in CASES if isinstance(case, Target)]
DECOYS = [case for case in CASES if isinstance(case, Decoy)]
#: Targets are tried in boxes with coordinates up to this, own games to less.
SIDE = 24
SMALL = Effort(cells=1 << 16, times=1)


def named(case):
    return case.id


@pytest.fixture(autouse=True)
def described_games(tmp_path, monkeypatch):
    """The package finds descriptions of games in the working directory."""
    for folder in games.OWN:
        shutil.copytree(folder, tmp_path / "config" / "games", dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


READERS = [evaluation, formulas, games, heights, pictures, reading, trial]
#: Syntax trees and data, and what reads them: nothing that evaluates a formula, a statement or a game.
SHARED = {
    "choco_pipeline.claims.language.claim",
    "choco_pipeline.finding.statement",
    "choco_pipeline.formula",
    "choco_pipeline.formula.nodes",
    "choco_pipeline.mining.table_findings",
    "choco_pipeline.statements",
    "choco_pipeline.statements.parse",
    "choco_pipeline.statements.tree",
}


@pytest.mark.parametrize("module", READERS)
def test_the_package_judges_nothing_here(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    own = {reader.__name__ for reader in READERS}
    assert {name for name in imported if name.startswith("choco")} <= SHARED
    assert {name for name in imported if name.startswith("benchmarks")} <= own


@pytest.mark.slow
@pytest.mark.parametrize("case", [one for one in TARGETS if not one.outside], ids=named)
def test_what_is_expected_is_true(case):
    """As far as small boxes tell, for what is expected as a statement."""
    if case.expect.kind not in ("p-positions", "grundy", "values", "related"):
        return
    spoken = [p for p in case.points() if not case.expect.when or value(case.expect.when, **p)]
    assert spoken
    for point in spoken[:: max(1, len(spoken) // 6)]:
        said = case.expect.claim(case.games)
        try:
            assert wrong(said, point, SIDE, SMALL) is None, (case.id, point)
        except UnreadError as error:
            pytest.skip(str(error))  # a game of config/games that is not there


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(one, marks=pytest.mark.full) if one.id == "late-nim" else one
        for one in DECOYS
        if one.trap
    ],
    ids=named,
)
def test_a_trap_is_one(case):
    """What it says is right on the tables that are searched, and wrong where it is said to be."""
    said = case.trap.claim(case.games)
    points = list(case.points())
    assert any(wrong(said, point, min(case.bound, 40), SMALL) is None for point in points)
    if not case.fails:
        return
    names = sorted(case.parameters)
    point, q = dict(zip(names, case.fails, strict=False)), tuple(case.fails[len(names) :])
    game = Game(game_of(case.games, point))
    largest = {n: m + 2 for n, m in zip(game.names, q, strict=True) if n not in game.limits}
    is_p = case.trap.kind == "p-positions"
    _, found = table(game, largest, is_p, Path())
    at = {**point, **dict(zip(game.names, q, strict=True))}
    assert value(case.trap.formula, **at) != found[q]


@pytest.mark.parametrize(
    "notation",
    [
        "solid-bar(f=(x+z)//3)",
        "strip-bar(k=3, s=5)",
        "nim(3)",
        "with-pass(strip-bar(k=2, s=1), passes=1)",
        "with-pass(nim(3), passes=2)",
        "game(moore-3-2)",
        "game(exact-2-2)",
        "game(ns-bar)",
    ],
)
def test_marking_is_the_definition(notation):
    game = Game(notation)
    legal = game.box({name: 7 for name in game.names if name not in game.limits})
    found = game.p_positions(legal)
    seen = 0
    for q in game.positions(7):
        if all(n < size for n, size in zip(q, found.shape, strict=True)):
            assert found[q] == (game.number(q) == 0), q
            seen += 1
    assert seen == legal.sum() * (game.passes + 1)


def test_numbers_are_the_heaps_beside():
    game = Game("step-bar(k=2, s=3)")
    found = game.numbers({"z": 30})
    assert all(found[q] == game.number(q) for q in game.positions(30))
    assert found[4, 9] == 12, "not (4 ^ 12) - 3 = 5"
    passes = Game("with-pass(step-bar(k=2, s=1), passes=2)")
    found = passes.numbers({"z": 9})
    assert all(found[q] == passes.number(q) for q in passes.positions(9))


def test_the_height_functions_are_all_monotone_ones():
    assert sum(1 for _ in monotone(2, 2, 2)) == 175, "plane partitions in a 3×3×2 box"
    z = np.arange(8)[None, :]
    assert has_formula(2 * (z // 4), is_p=False)
    assert not has_formula(z, is_p=True)


def test_a_statement_that_leaves_positions_out_does_not_find_all():
    (case,) = [one for one in TARGETS if one.id == "step-even"]

    def said(when):
        claim = case.expect.model_copy(update={"when": when}).claim(case.games)
        return Reading(case.games, "grundy", {"k": [2, 8]}, (claim,))

    assert covers(case.expect, [said("k%2 == 0")], case, case.games, KNOWN)
    assert not covers(case.expect, [said("k%4 == 0")], case, case.games, KNOWN)


@pytest.mark.slow
def test_what_changes_far_away_is_not_said_of_all():
    """At x above 200, 300 or 600, as a number in the heights tells; or at z = 128, of tables to 63."""
    cases = [one for one in DECOYS if one.id.startswith(("region-", "late-16"))]
    assert len(cases) >= 8
    found = list(scores(cases, 1, 1))
    assert [one.false for one in found if one.false] == []
    assert all(one.statements or one.refuted for one in found), "it was proposed, and tried"


@pytest.mark.slow
def test_the_short_form():
    cases = [case for case in CASES if case.short and case.games != "step-bar(k=k, s=0)"]
    found = list(scores(cases, 1, 1))
    total = summary(found, cases)
    assert not [one.why for one in found if one.outcome == "skipped"]
    assert total["recall"] >= 0.8
    assert total["unread"] == 0
    assert [one.false for one in found if one.false] == []
    run = {"date": "", "machine": "", "commit": "", "summary": total}
    html = page(run | {"scores": [one.as_json() for one in found]}, cases)
    assert all(case.id in html for case in cases)
