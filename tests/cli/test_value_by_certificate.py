"""``choco value --certificate``: positions of any size, as a person types them."""

import json
import shutil

import pytest

from choco_pipeline.cli.value import evaluate, evaluate_by
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove
from tests.cli.command import choco

GAME = "strip-bar(k=4, s=2)"
LARGE = str(10**100)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return write_certificate(prove(parse_ruleset(GAME)), tmp_path_factory.mktemp("proofs"))


def test_a_hundred_digits(certificate):
    done = choco("value", GAME, LARGE, "17", LARGE, "--certificate", str(certificate), "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (found["outcome"], found["grundy"], found["all"]) == ("N", None, False)
    assert [int(LARGE), 0, int(LARGE)] in found["winning"]

    done = choco("value", GAME, LARGE, "17", LARGE, "--certificate", str(certificate))
    assert f"\n({LARGE}, 0, {LARGE})\n" in done.stdout
    assert "□" not in done.stdout, "a bar of 10**100 columns is not drawn"


def test_the_certificate_says_what_the_definition_says(certificate):
    game = parse_ruleset(GAME)
    for position in ((0, 0, 0), (9, 2, 7), (9, 2, 8), (3, 1, 5)):
        by_definition = evaluate(game, position)
        found = evaluate_by(certificate, game, position)
        assert found.outcome == by_definition.outcome
        assert found.is_complete == (found.outcome == "P")
        assert all(option in by_definition.winning for option in found.winning)


def test_without_a_certificate_a_large_position_is_refused(tmp_path):
    done = choco("value", GAME, LARGE, "17", LARGE, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("folder", ["certificates", "proofs"])
def test_a_certificate_that_is_there_is_used_where_it_is_needed(certificate, tmp_path, folder):
    there = tmp_path / "results" / folder / certificate.name
    there.parent.mkdir(parents=True)
    shutil.copy(certificate, there)
    path = there.relative_to(tmp_path).as_posix()
    said = choco("value", GAME, LARGE, "17", LARGE, "--json", cwd=tmp_path).stdout
    given = choco("value", GAME, LARGE, "17", LARGE, "--json", "--certificate", path, cwd=tmp_path)
    assert json.loads(said) == json.loads(given.stdout)
    assert json.loads(said)["certificate"] == path
    small = json.loads(choco("value", GAME, "3", "1", "2", "--json", cwd=tmp_path).stdout)
    assert (small["certificate"], small["all"]) == (None, True), "the definition says more"


def test_a_certificate_of_another_game_is_refused(tmp_path):
    file = tmp_path / "config" / "games" / "one.yaml"
    file.parent.mkdir(parents=True)
    text = "game: one\ncoordinates: [a]\nmoves: [{lower: [a], by: [1, 3]}]\n"
    file.write_text(text)
    assert choco("prove", "game(one)", "--out", "proofs", cwd=tmp_path).returncode == 0
    (path,) = (tmp_path / "proofs").glob("*.json")
    file.write_text(text.replace("3", "2"))
    for game in ("game(one)", "nim(1)"):
        done = choco("value", game, "4", "--certificate", str(path), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
