"""``choco prove`` as a person types it."""

import json
import sys

import pytest

from choco_pipeline.cli.start import main
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

    done = choco("prove", "--check", path, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith(f"proved: {path}: ")
    assert game in " ".join(done.stdout.split())
    assert "8 states with 0 passes left, 12 states with 1 pass left" in done.stdout
    assert f"choco prove --check {path}" in done.stdout
    done = choco("prove", "--check", path, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["engines"][-1] == "checker"

    document = json.loads((tmp_path / path).read_text())
    document["ruleset"] = "with-pass(strip-bar(k=2, s=2), passes=1)"
    (tmp_path / path).write_text(json.dumps(document))
    done = choco("prove", "--check", path, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"], found["engines"]) == (1, "refuted", [])
    assert found["why"].startswith("the relation holds ")


def test_grundy_numbers_into_a_folder_of_choice(tmp_path):
    out = tmp_path / "mine"
    done = choco("prove", "step-bar(k=1)", "--relation", "grundy", "--out", str(out))
    assert done.returncode == 0, done.stderr
    (path,) = out.iterdir()
    (decided,) = (line for line in done.stdout.splitlines() if line.startswith("5 obligations"))
    lines = [
        "proved: the Grundy numbers of step-bar(k=1, s=0): the automata satisfy the definition at every position",
        "automata: 39 states",
        decided,
        "formula, found by search, proved by our engine: G = z+(y+1)//2 where (y+z)%2 == 0;"
        " z-y+min(y, z-y)//2 where (y+z)%2 == 1",
        *(
            f"positions with Grundy number {value}, coordinates below 2^n for n = 0, 1, …: {counts}"
            for value, counts in enumerate(
                [
                    "1, 1, 1, 1, 1, 1, 1, 1, …; a(n) = 1",
                    "0, 1, 3, 7, 15, 31, 63, 127, …; a(n) = 2^n - 1",
                    "0, 1, 2, 2, 2, 2, 2, 2, …; a(n) = 2 for n ≥ 2",
                    "0, 0, 2, 3, 3, 3, 3, 3, …; a(n) = 3 for n ≥ 3",
                ]
            )
        ),
        f"certificate: {path}",
        f"check it again: ./choco prove --check {path}",
    ]
    assert done.stdout.split() == " ".join(lines).split(), "lines may be wrapped, nothing is cut"
    assert decided.startswith("5 obligations decided by our engine")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["solid-bar(f=(x+z)//3)", "P <=> x^y^z == 0"], 0, "proved: P ⇔ x ⊕ y ⊕ z = 0 in "),
        (["nim(2)", "G == a | b"], 1, "refuted: G = a | b in nim(2):"),
        (["nim(2)", "P <=> a + b == 0"], 1, "(a, b) = (1, 1)"),
        (["nim(2)", "a <= 3 => (P <=> a == b and b <= 3)"], 0, "proved: "),
        (["nim(2)", "a <= 4 => (P <=> a == b and b <= 3)"], 1, "(a, b) = (4, 4)"),
        (["nim(2)", "size <= 3 => G == a + b - 2*(a & b)"], 0, "proved: "),
        (["nim(2)", "size <= 3 => (P <=> a == b and b <= 3)"], 0, "proved: "),
        (["nim(2)", "size <= 4 => (P <=> a == b and b <= 3)"], 1, "(a, b) = (4, 4)"),
    ],
)
def test_a_statement_that_is_given_is_decided(tmp_path, arguments, code, said):
    done = choco("prove", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (code, "")
    assert said in " ".join(done.stdout.split())
    certificates = list((tmp_path / "results/proofs/claims/statement").glob("*.json"))
    assert len(certificates) == (code == 0)
    for path in certificates:
        again = choco("prove", "--check", str(path), cwd=tmp_path)
        assert again.returncode == 0, again.stdout


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("P <=> a ^ b", "is an integer: a comparison is needed (at column 7)"),
        ("P <=> a ^ q == 0", '"q" is not a name'),
        ("P <=> a b", '"b" at column 9: an operator is needed'),
        ("P => a == b", "the statement must be `P <=> …` or `G == …`"),
        ("G != 0 => some option: G' == 0", "the statement must be `P <=> …` or `G == …`"),
    ],
)
@pytest.mark.parametrize("further", [(), ("--for", "k >= 0")], ids=["game", "family"])
def test_what_is_no_statement_to_prove_is_refused(statement, said, further):
    done = choco("prove", "nim(2)", statement, *further)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("choco: ")
    assert said in " ".join(done.stderr.split())


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
    ("arguments", "said"),
    [
        ([], "give either a ruleset or --check"),
        (["nim(2)", "--check", "some.json"], "give either a ruleset or --check"),
        pytest.param(["--check", "some.json"], "some.json: cannot be read", marks=pytest.mark.full),
        (["nim(2)", "--relation", "n"], "unknown relation 'n'; relations are p, grundy"),
        (["nim(2)", "P <=> a == b", "--relation", "p"], "leave out --relation"),
        (["solid-bar(f=x//k)", "--for", "k >= 1"], "--for needs a ruleset and a statement"),
        (["solid-bar(f=x//k)", "let s = 2: P <=> x == s", "--for", "k >= 1"], "has no `let`"),
        (["nim(2)", "--seconds", "0"], "--seconds must be a positive number, found 0"),
        (["nim(2)", "--seconds", "nan"], "--seconds must be a positive number, found nan"),
        pytest.param(["solid-bar(f=5-x)"], "not monotone", marks=pytest.mark.full),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["choco", "prove", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    out, err = capsys.readouterr()
    assert (stopped.value.code, out) == (2, "")
    assert said in err
    assert err.startswith("choco: ")
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.full
@pytest.mark.parametrize(
    "asked", [(), ("P <=> a ^ b == 0", "--for", "k >= 0")], ids=["game", "family"]
)
def test_a_check_says_that_a_game_is_described_otherwise_here(asked, tmp_path):
    """A certificate describes its games itself: by a name, somebody may mean another game than this project does."""
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
    assert (
        "not as in this project: the certificate describes game(two)"
        in choco(*check, cwd=tmp_path).stdout
    )
    described.unlink()
    assert choco(*check, cwd=tmp_path).returncode == 0
