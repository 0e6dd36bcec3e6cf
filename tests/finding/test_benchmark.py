"""The benchmark of finding: its targets are true, its traps are traps, its reader reads, and its short form is run."""

import ast
from pathlib import Path

import numpy as np
import pytest

from benchmarks.finding import (
    formulas,
    games,
    reading,
    reading_heights,
    reading_related,
    reading_words,
)
from benchmarks.finding.case import KNOWN, Decoy, Target, load
from benchmarks.finding.formulas import UnreadError, value
from benchmarks.finding.games import Game, monotone
from benchmarks.finding.page import page
from benchmarks.finding.reading import Effort, game_of, truth, wrong
from benchmarks.finding.reading_heights import has_formula
from benchmarks.finding.reading_related import wrong_related
from benchmarks.finding.run import scores, summary
from benchmarks.finding.scores import covers

CASES = load()
TARGETS = [case for case in CASES if isinstance(case, Target)]
DECOYS = [case for case in CASES if isinstance(case, Decoy)]
#: Targets are tried in boxes with coordinates up to this, own games to less.
SIDE = 24
SMALL = Effort(cells=1 << 16, times=1)


def named(case):
    return case.id


def document(expected, ruleset):
    """Return what is expected as the search would say it."""
    label = "G =" if expected.kind == "grundy" else "P iff"
    where = f" where {expected.where}" if expected.where else ""
    said = f"{label} {expected.formula}{where}"
    if expected.kind == "related":
        ruleset, said = expected.of or ruleset, expected.formula
    when = expected.when
    lines = [{"label": label, "formula": expected.formula, "where": expected.where}]
    if expected.kind == "values":
        are = "are among the v with" if expected.of else "are exactly the v with"
        lines = [
            {"label": "values of", "formula": expected.formula, "where": ""},
            {"label": are, "formula": expected.values, "where": ""},
        ]
    return {
        "kind": expected.kind,
        "ruleset": ruleset,
        "text": f"for {when}: {said}" if when else said,
        "when": when,
        "formulas": lines,
        "parameters": {},
    }


def test_there_are_enough_of_them() -> None:
    assert len(TARGETS) >= 60
    assert len(DECOYS) >= 20
    assert sum(case.short for case in CASES) >= 8


READERS = [formulas, games, reading, reading_heights, reading_related, reading_words]


@pytest.mark.parametrize("module", READERS)
def test_the_reader_shares_nothing_with_the_package(module) -> None:
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
    assert not [name for name in imported if name.startswith("choco")]
    assert {name for name in imported if name.startswith("benchmarks")} <= own


@pytest.mark.slow
@pytest.mark.parametrize("case", [one for one in TARGETS if not one.outside], ids=named)
def test_what_is_expected_is_true(case) -> None:
    """As far as small boxes tell; what is expected of words and pictures, the search's own words are read back for."""
    if case.expect.kind not in ("p-positions", "grundy", "values", "related"):
        return
    find = wrong_related if case.expect.kind == "related" else wrong
    spoken = [p for p in case.points() if not case.expect.when or value(case.expect.when, **p)]
    assert spoken
    for point in spoken[:: max(1, len(spoken) // 6)]:
        said = document(case.expect, case.games)
        try:
            assert find(said, point, SIDE, SMALL) is None, (case.id, point)
        except UnreadError as error:
            pytest.skip(str(error))  # a game of config/games that is not there


@pytest.mark.parametrize("case", [one for one in DECOYS if one.trap], ids=named)
def test_a_trap_is_one(case) -> None:
    """What it says is right on the tables that are searched, and wrong where it is said to be."""
    said = document(case.trap, case.games)
    points = list(case.points())
    assert any(wrong(said, point, min(case.bound, 40), SMALL) is None for point in points)
    if not case.fails:
        return
    names = sorted(case.parameters)
    point, q = dict(zip(names, case.fails, strict=False)), tuple(case.fails[len(names) :])
    game = Game(game_of(case.games, point))
    largest = {n: m + 2 for n, m in zip(game.names, q, strict=True) if n not in game.limits}
    is_p = case.trap.kind == "p-positions"
    _, found = truth(game, largest, is_p, Path())
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
def test_marking_is_the_definition(notation) -> None:
    game = Game(notation)
    legal = game.box({name: 7 for name in game.names if name not in game.limits})
    found = game.p_positions(legal)
    seen = 0
    for q in game.positions(7):
        if all(n < size for n, size in zip(q, found.shape, strict=True)):
            assert found[q] == (game.number(q) == 0), q
            seen += 1
    assert seen == legal.sum() * (game.passes + 1)


def test_numbers_are_the_heaps_beside() -> None:
    game = Game("step-bar(k=2, s=3)")
    found = game.numbers({"z": 30})
    assert all(found[q] == game.number(q) for q in game.positions(30))
    assert found[4, 9] == 12, "not (4 ^ 12) - 3 = 5"
    passes = Game("with-pass(step-bar(k=2, s=1), passes=2)")
    found = passes.numbers({"z": 9})
    assert all(found[q] == passes.number(q) for q in passes.positions(9))


def test_the_height_functions_are_all_monotone_ones() -> None:
    assert sum(1 for _ in monotone(2, 2, 2)) == 175, "plane partitions in a 3×3×2 box"
    z = np.arange(8)[None, :]
    assert has_formula(2 * (z // 4), is_p=False)
    assert not has_formula(z, is_p=True)


def test_a_statement_that_leaves_positions_out_does_not_find_all() -> None:
    (case,) = [one for one in TARGETS if one.id == "step-even"]

    def said(text, when):
        lines = [{"label": "G =", "formula": "y ^ z", "where": ""}]
        return {
            "text": text,
            "when": when,
            "kind": "grundy",
            "formulas": lines,
            "ruleset": case.games,
            "parameters": {"k": [2, 8]},
        }

    whole = said("for k%2 == 0: G = y ^ z", "k%2 == 0")
    part = said("for k%4 == 0: G = y ^ z", "k%4 == 0")
    assert covers(case.expect, [whole], case, case.games, KNOWN)
    assert not covers(case.expect, [part], case, case.games, KNOWN)


@pytest.mark.full
def test_what_changes_far_away_is_not_said_of_all() -> None:
    """At x above 200, 300 or 600, as a number in the heights tells; or at z = 128, of tables to 63."""
    cases = [one for one in DECOYS if one.id.startswith(("region-", "late-16"))]
    assert len(cases) >= 8
    found = list(scores(cases, 1, 1))
    assert [one.false for one in found if one.false] == []
    assert all(one.statements or one.refuted for one in found), "it was proposed, and tried"


@pytest.mark.full
def test_the_short_form() -> None:
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
