"""``choco prove`` as a person types it."""

import json

import pytest

from tests.cli.command import choco


def test_from_a_game_to_a_certificate_and_back(tmp_path):
    game = "with-pass(strip-bar(k=2, s=1), passes=1)"
    done = choco("prove", game, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert found["status"] == "proved"
    assert (found["states"], found["engines"]) == ([8, 12], ["own", "checker"])
    assert 0 < found["seconds"] < 60
    assert [(row["passes"], row["closed"]) for row in found["counts"]] == [
        (0, "(2·2^n + 4^n)/4 for n ≥ 1"),
        (1, "(2·2^n + 4^n)/4 for n ≥ 1"),
    ]
    assert found["formula"] is None
    path = found["certificate"]
    assert path.startswith("results/proofs/with-pass-strip-bar-k-2-s-1-passes-1-p-")

    done = choco("prove", "--check", path, "--json", cwd=tmp_path)
    checked = json.loads(done.stdout)
    assert (done.returncode, checked["engines"][-1], checked["differences"]) == (0, "checker", [])
    assert game in " ".join(checked["statement"])

    document = json.loads((tmp_path / path).read_text())
    document["ruleset"] = "with-pass(strip-bar(k=2, s=2), passes=1)"
    (tmp_path / path).write_text(json.dumps(document))
    done = choco("prove", "--check", path, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"], found["engines"]) == (1, "refuted", [])


def test_grundy_numbers_into_a_folder_of_choice(tmp_path):
    words = ("prove", "step-bar(k=1)", "--relation", "grundy", "--out", str(tmp_path / "mine"))
    found = json.loads(choco(*words, "--json").stdout)
    assert (found["states"], found["obligations"]) == ([39], 7)
    assert [row["first"][:8] for row in found["counts"]] == [
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0, 1, 3, 7, 15, 31, 63, 127],
        [0, 1, 2, 2, 2, 2, 2, 2],
        [0, 0, 2, 3, 3, 3, 3, 3],
    ]
    done = choco(*words)
    printed = " ".join(done.stdout.split())
    assert "G = z+(y+1)//2 where (y+z)%2 == 0; z-y+min(y, z-y)//2 where (y+z)%2 == 1" in printed
    (path,) = (tmp_path / "mine").iterdir()
    assert str(path) in printed, "lines may be wrapped, nothing is cut"


@pytest.mark.parametrize(
    ("arguments", "counterexample"),
    [
        (["solid-bar(f=(x+z)//3)", "P <=> x^y^z == 0"], None),
        (["nim(2)", "P <=> a + b == 0"], [1, 1]),
        (["nim(2)", "a <= 3 => (P <=> a == b and b <= 3)"], None),
        (["nim(2)", "size <= 3 => G == a + b - 2*(a & b)"], None),
        (["nim(2)", "size <= 4 => (P <=> a == b and b <= 3)"], [4, 4]),
    ],
)
def test_a_statement_that_is_given_is_decided(tmp_path, arguments, counterexample):
    done = choco("prove", *arguments, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    is_proved = counterexample is None
    assert (done.returncode, done.stderr) == (int(not is_proved), "")
    assert found["status"] == ("proved" if is_proved else "refuted")
    certificates = list((tmp_path / "results/proofs/claims/statement").glob("*.json"))
    assert len(certificates) == is_proved
    for path in certificates:
        again = choco("prove", "--check", str(path), cwd=tmp_path)
        assert again.returncode == 0, again.stdout
    if not is_proved:
        assert found["claimed"]["counterexample"]["position"] == counterexample


@pytest.mark.parametrize(
    "statement",
    [
        "P <=> a ^ b",
        "P <=> a ^ q == 0",
        "P <=> a b",
        "P => a == b",
        "G != 0 => some option: G' == 0",
    ],
)
@pytest.mark.parametrize("further", [(), ("--for", "k >= 0")], ids=["game", "family"])
def test_what_is_no_statement_to_prove_is_refused(statement, further):
    done = choco("prove", "nim(2)", statement, *further)
    assert (done.returncode, done.stdout, done.stderr[:7]) == (2, "", "choco: ")


@pytest.mark.full
def test_an_undecided_game_leaves_no_certificate(tmp_path):
    done = choco("prove", "solid-bar(f=(x+z)//2)", "--out", str(tmp_path), "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"], found["certificate"]) == (1, "undecided", None)
    assert "does not close" in found["why"]
    assert found["growth"][:3] == [1, 6, 24]
    assert (found["counts"], found["formula"]) == ([], None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nim(2)", "--check", "some.json"],
        pytest.param(["--check", "some.json"], marks=pytest.mark.full),
        ["nim(2)", "P <=> a == b", "--relation", "p"],
        ["solid-bar(f=x//k)", "--for", "k >= 1"],
        ["solid-bar(f=x//k)", "let s = 2: P <=> x == s", "--for", "k >= 1"],
        ["nim(2)", "--seconds", "0"],
        ["nim(2)", "--seconds", "nan"],
        pytest.param(["solid-bar(f=5-x)"], marks=pytest.mark.full),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(tmp_path, arguments):
    done = choco("prove", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr[:7]) == (2, "", "choco: ")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.full
@pytest.mark.parametrize(
    "asked", [(), ("P <=> a ^ b == 0", "--for", "k >= 0")], ids=["game", "family"]
)
def test_a_check_says_that_a_game_is_described_otherwise_here(asked, tmp_path):
    """A certificate describes its games itself."""
    game = (
        "game: two\nparameters: {k: 1}\ncoordinates: [a, b]\nmoves: [{lower: [a]}, {lower: [b]}]\n"
    )
    described = tmp_path / "config" / "games" / "two.yaml"
    described.parent.mkdir(parents=True)
    described.write_text(game)
    done = choco(
        "prove", "game(two, k=k)" if asked else "game(two)", *asked, "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout
    check = ("prove", "--check", json.loads(done.stdout)["certificate"])
    right = choco(*check, "--json", cwd=tmp_path)
    assert (right.returncode, json.loads(right.stdout)["differences"]) == (0, [])
    described.write_text(f"{game[:-2]}, {{lower: [a, b], by: same}}]\n")
    other = choco(*check, "--json", cwd=tmp_path)
    assert (other.returncode, len(json.loads(other.stdout)["differences"])) == (1, 1)
    described.unlink()
    assert choco(*check, cwd=tmp_path).returncode == 0
