"""``choco mine``: found statements, and refused requests."""

import json

import pytest
from typer.testing import CliRunner

from choco_pipeline.cli.app import app
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.finding.heights import HeightsError
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.computing import quick_bound

SEARCH = ["--what", "formulas"]


def mine(*words, code=0):
    done = CliRunner().invoke(app, ["mine", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code
    return done.stdout


def test_a_game_is_mined_with_evidence_and_verdict():
    shown = mine("step-bar(k=4, s=2)", "--bound", "64", *SEARCH)
    assert "   as typed: G == (y ^ (z+2))-2\n" in shown
    assert "pass2016-thm-3.1, step2015-sec-1-grundy" in shown
    assert shown.endswith("1 statement from 1 table\n")


def test_a_family_is_mined_as_json():
    found = json.loads(mine("step-bar(k=k)", "k=2..4 step 2", "--bound", "64", *SEARCH, "--json"))
    statements = [FoundStatement.from_json(one) for one in found["statements"]]
    assert [one.statement for one in statements] == ["G == y ^ z"] * 2
    assert {one.ruleset for one in statements} == {f"step-bar(k={k}, s=0)" for k in (2, 4)}


def test_a_bound_is_chosen_with_which_a_table_takes_seconds(tmp_path, monkeypatch):
    (tmp_path / "config" / "games").mkdir(parents=True)
    names = ", ".join(f"x{i}" for i in range(8))
    text = f"game: big\ncoordinates: [{names}]\nmoves: [{{lower: [{names}], by: any}}]\n"
    (tmp_path / "config" / "games" / "big.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    # With the bound 4 its 390,625 cells have as many options each; with 8 the table would never end.
    assert quick_bound(parse_ruleset("game(big)"), "p-positions") == 2
    assert quick_bound(parse_ruleset("step-bar(k=2)"), "grundy") == 256


@pytest.mark.full
def test_that_nothing_is_found_is_said():
    shown = mine("solid-bar(f=(x+z)//4)", "--bound", "80", *SEARCH)
    assert "   formulas: solid-bar(f=(x+z)//4)" in shown
    assert shown.endswith("0 statements from 1 table\n")


def test_one_heap_with_a_pass_has_a_formula_and_three_heaps_have_none():
    """Three heaps with a pass have no known formula."""
    one = mine("with-pass(nim(1), passes=1)", "--quantity", "grundy", "--bound", "140", *SEARCH)
    assert "   as typed: G == max(p, p ^ (a+1))-1\n" in one
    assert "nothing was found" not in one
    three = mine("with-pass(nim(3), passes=1)", "--bound", "15", "--what", "blocks", *SEARCH)
    *_, plain, last = three.splitlines()
    assert plain.startswith("nothing was found about with-pass(nim(3), passes=1)")
    assert last.endswith("from 1 table")


def test_four_heaps_are_counted_as_heaps_and_as_uncut_bars():
    shown = mine("nim(4)", "--bound", "31", "--what", "counts", "--what", "value-sets")
    assert "   as typed: P <=> a ^ b ^ c ^ d == 0\n" in shown
    assert "rectangular-bar(m=m, n=m): g(2m) = 4g(m); g(2m+1) = g(m)+g(m+1)" in shown


@pytest.mark.full
def test_subtraction_by_1_or_k_is_three_statements(tmp_path, monkeypatch):
    """A line for k = 2 and odd k has no condition that eight tables confirm; that for odd k has one."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    text = "game: two\ncoordinates: [a]\nparameters: {k: 2}\nmoves: [{lower: [a], by: [1, k]}]\n"
    (tmp_path / "config" / "games" / "two.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    shown = mine("game(two, k=k)", "k=2..9")
    for line in (
        "game(two, k=k), for k ≡ 1 (mod 2), G = a mod 2",
        "game(two, k=k), for k ≡ 0 (mod 2), G = max((a mod (k+1)) mod 2, (a mod (k+1))−k+2)",
        "game(two, k=k), P ⇔ a mod (k+1) ≡ 0 (mod 2) and a mod (k+1) < k",
        "3 statements from 16 tables",
    ):
        assert line in shown


def test_one_heap_in_misere_play_has_no_grundy_numbers(tmp_path, monkeypatch):
    (tmp_path / "config" / "games").mkdir(parents=True)
    text = "game: last\ncoordinates: [a]\nplay: misere\nmoves: [{lower: [a], by: [1, 2, 3]}]\n"
    (tmp_path / "config" / "games" / "last.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert "   as typed: P <=> a%4 == 1\n" in mine("game(last)", *SEARCH)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["step-bar(k=k)"], ConfigError),
        (["step-bar(k=k)", "k"], ConfigError),
        (["step-bar(k=k)", "k=x"], ConfigError),
        (["step-bar(k=k, s=k-1)", "k=1..6"], ConfigError),
        (["rectangular-bar(m=m, n=2*m)", "m=1..6"], ConfigError),
        (["sum(step-bar(k=k), step-bar(k=j))", "k=1..2", "j=1..2"], ConfigError),
        (["step-bar(k=y)", "y=1..2"], ConfigError),
        (["nim(n)", "n=1..3"], ConfigError),
        (["step-bar(k=k)", "k=1..2000"], LimitError),
        (["step-bar(k=2)", "--what", "gold"], ConfigError),
        (["step-bar(k=2)", "--bound", "-1"], ConfigError),
    ],
)
def test_a_mistake_in_the_request_is_refused(words, error):
    with pytest.raises(error):
        mine(*words)


@pytest.mark.full
def test_height_functions_are_told_apart_at_once():
    done = CliRunner().invoke(app, ["heights", "--side", "2", "--height", "1"])
    assert done.exit_code == 0
    assert "of the 20 monotone f from {0..2}² to {0..1}, 6 have G = x⊕y⊕z" in done.stdout
    with pytest.raises(HeightsError, match="side 1, height 2"):
        CliRunner().invoke(app, ["heights", "--side", "1"], catch_exceptions=False)
