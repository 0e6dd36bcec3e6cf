"""``choco check``, and the functions of Python that do the same."""

import json

import pytest

import choco_pipeline
from choco_pipeline.errors import ChocoError, ConfigError
from tests.cli.command import choco

TRIANGLE = "solid-bar(f=(x+z)//k)"
NIM = "P <=> x ^ y ^ z == 0"
KEYS = {"verdict", "statement", "game", "domain", "counterexample", "positions", "engines", "cases"}


def checked(*words, cwd=None):
    """Return the exit code and the document that ``--json`` prints."""
    done = choco("check", *words, "--json", **({} if cwd is None else {"cwd": cwd}))
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("game", "statement", "code", "verdict", "positions"),
    [
        ("solid-bar(f=(x+z)//3)", "P <=> x^y^z == 0", 0, "holds-to-bound", 789),
        ("nim(2)", "G != 0 => some option: G' == 0", 0, "holds-to-bound", 156),
        ("nim(2)", "count(option: P') <= 1", 0, "holds-to-bound", 169),
        ("nim(2)", "P <=> P(b, a)", 0, "holds-to-bound", 169),
        ("nim(2)", "G(2, 3) == 1 and G(5, 9) == 12", 0, "exhausted", 2),
        ("nim(2)", "{a - b: P} == {0}", 0, "holds-to-bound", 13),
        ("nim(2)", "a == b => some option: P'", 1, "refuted", 13),
        ("rectangular-bar(m=4, n=3)", "not P", 1, "refuted", 60),
        ("rectangular-bar(m=4, n=3)", "some position: P", 0, "exhausted", 1),
        ("rectangular-bar(m=4, n=3)", "count(position: P) == 12", 0, "exhausted", 12),
        ("rectangular-bar(m=4, n=3)", "i > 0 => not P", 0, "exhausted", 12),
        ("with-pass(rectangular-bar(m=2, n=2))", "not P or p == 1", 1, "refuted", 18),
        ("solid-bar(f=(x+z)//3)", "x == z and y == 0 => P", 0, "holds-to-bound", 13),
        ("solid-bar(f=(x+z)//3)", "P => x ^ y ^ z == 0", 0, "holds-to-bound", 47),
        ("nim(1)", "-1 < a", 0, "holds-to-bound", 13),
        ("nim(2)", "size <= 5 => (P <=> a == b and a <= 5)", 0, "exhausted", 36),
        ("nim(2)", "size <= 6 => (P <=> a == b and a <= 5)", 1, "refuted", 49),
        ("rectangular-bar(m=3, n=4)", "P <=> a ^ b ^ c ^ d == 0", 0, "exhausted", 60),
    ],
)
def test_a_statement_is_about_all_positions_that_satisfy_its_premise(
    game, statement, code, verdict, positions
):
    bound = [] if "rectangular" in game else ["--bound", "12"]
    ended, found = checked(game, statement, *bound)
    assert (ended, found["verdict"], found["positions"]) == (code, verdict, positions)
    assert found.keys() >= KEYS
    assert found["engines"] == []
    if verdict == "holds-to-bound":
        assert (found["domain"], found["counterexample"]) == ("coordinates up to 12", None)


@pytest.mark.parametrize(
    ("words", "position"),
    [
        (["nim(2)", "P <=> a == b and a != 3"], [3, 3]),
        (["rectangular-bar(m=3, n=4)", "P <=> i == j"], [1, 1, 1, 2]),
        (["for n in 0..N: n ^ 1 == n + 1"], [1]),
    ],
)
def test_the_least_counterexample_is_shown(words, position):
    code, found = checked(*words)
    assert (code, found["verdict"], found["counterexample"]["position"]) == (1, "refuted", position)
    assert ", ".join(map(str, position)) in choco("check", *words).stdout


def test_values_are_given_beside_a_statement_with_signs_of_equality():
    """Only k=2..4 and m=0 are values; the statement has ``==``, ``<=`` and ``=>``."""
    statement = "x <= 9 => (P <=> x ^ y ^ z == 0)"
    game = "solid-bar(f=(x+z+m)//k)"
    for words in ([game, statement, "k=2..4", "m=0"], ["m=0", game, "k = 2..4", statement]):
        code, found = checked(*words, "--bound", "16")
        assert (code, found["verdict"]) == (1, "refuted")
        cases = {case["parameters"]["k"]: case["verdict"] for case in found["cases"]}
        assert cases == {2: "refuted", 3: "holds-to-bound", 4: "refuted"}
        assert found["parameters"] == {"k": 2, "m": 0}


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (["for k in 1..9, n in 0..N: let q = n//k: q*k <= n", "--bound", "30"], 0, "holds-to-bound"),
        (["for n in 0..30: n*n >= n"], 0, "exhausted"),
        (["for n in 0..9: n < 0 => n == 1"], 1, "vacuous"),
        (["for n in 0..N: 7//(n-2) < 8"], 1, "undecided"),
    ],
)  # fmt: skip
def test_statements_about_integers_have_no_game(words, code, verdict):
    ended, found = checked(*words)
    assert (ended, found["verdict"], found["game"]) == (code, verdict, None)


@pytest.mark.parametrize(("more", "holds"), [([], "holds-to-bound"), (["--prove"], "proved")])
def test_parameters_with_a_false_premise_refute_nothing(tmp_path, more, holds):
    words = ["step-bar(k=k)", "k % 2 == 0 => G == y ^ z", "k=1..2"]
    code, found = checked(*words, *more, cwd=tmp_path)
    assert (code, found["verdict"]) == (0, holds)
    assert [case["verdict"] for case in found["cases"]] == ["vacuous", holds]


@pytest.mark.parametrize(
    ("words", "verdicts", "place"),
    [
        ([TRIANGLE, NIM, "k=3..4"], ["proved", "refuted"], None),
        (["nim(2)", "{G: a == b+1} <= {v: v % 2 == 1 and v < 200}"], ["refuted"], [128, 127]),
        # No proof of the bar with k = 2 is known; its table refutes the statement.
        ([TRIANGLE, NIM, "k=2"], ["refuted"], None),
        (["nim(2)", "P <=> a == b and a != 99"], ["refuted"], [99, 99]),
        (["for n in 0..N: n ^ 64 >= n"], ["refuted"], [64]),
        # A claim on all bounds is refuted at one of them.
        (["every x in 1..N: some y in 0..N: y > x"], ["refuted"], [20]),
    ],
)
def test_what_is_false_is_refuted_and_the_other_games_are_proved(tmp_path, words, verdicts, place):
    code, found = checked(*words, "--prove", cwd=tmp_path)
    assert (code, found["verdict"], found["engines"]) == (1, "refuted", [])
    assert sorted(case["verdict"] for case in found["cases"]) == verdicts
    assert place in (None, found["counterexample"]["position"])


@pytest.mark.parametrize(
    ("words", "domain"),
    [
        ([TRIANGLE, NIM, "k=3"], "all positions"),
        (["for n in 0..N: n ^ 1 <= n + 1"], "all integers"),
    ],
)
def test_a_proof_names_its_domain_and_its_engines(tmp_path, words, domain):
    code, found = checked(*words, "--prove", cwd=tmp_path)
    assert (code, found["verdict"], found["domain"]) == (0, "proved", domain)
    assert {"own", "checker"} <= {*found["engines"]}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nim(2)"],
        ["nim(2)", "P <=> a == b", "P"],
        ["P <=> a == b"],
        ["nim(2)", "P <=> a = b"],
        ["nim(2)", "P <=> a == b => P"],
        ["nim(2)", "P <=> q == 0"],
        ["nim(2)", "P <=> a == b", "k=3"],
        [TRIANGLE, NIM],
        [TRIANGLE, NIM, "k=0"],
        [TRIANGLE, NIM, "k=q"],
        ["nimm(2)", "P <=> a == b"],
        ["nim(2)", "P <=> a//0 == b"],
        ["nim(2)", "P <=> a == b", "--bound", "-1"],
        ["nim(3)", "P <=> a ^ b ^ c == 0", "--bound", "99999"],
        ["nim(2)", "count(position: P) == 1"],
        ["rectangular-bar(m=2, n=2)", "size <= 3 => P"],
        ["for n in 0..N: n >= 0", "n=1..3"],
        ["nim(2)", "P <=> P[nim(2)](b, a)", "--prove"],
        ["nim(2)", f"P <=> a == {'1' * 9000}"],
        ["nim(2)", "P <=> __import__('os')"],
        ["nim(2)", ""],
        ["nim(2", "P"],
        [TRIANGLE, NIM, "k=3..1"],
        ["nim(1)", "a == 1", "--bond", "5"],
        ["nim(2)", "(a, b) in printed"],
        ["nim(2)", "G[nim(3)](a, b) == 0"],
        ["nim(2)", "some option: no option: P'"],
        ["rectangular-bar(m=2, n=2)", "G == i ^ j"],
        ["rectangular-bar(m=2, n=2)", "i > 1 => some option: P'"],
        ["nim(2)", "a > 0 => a // 0 == 1"],
    ],
)
def test_what_cannot_be_checked_is_refused(words):
    done = choco("check", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("choco: " if words else "Usage: ")
    assert "Traceback" not in done.stderr


def test_python_checks_and_proves_the_same(tmp_path, monkeypatch):
    check, prove = choco_pipeline.check, choco_pipeline.prove
    catalogue = choco_pipeline.load_claims()
    claim = catalogue["triangular-thm-7.3"]
    assert claim in list(catalogue)
    with pytest.raises(ConfigError):
        catalogue["triangular-thm-7"]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError):
        choco_pipeline.open_run("none")
    both = check(TRIANGLE, NIM, bound=16, k="2..3")
    assert [one.verdict for one in both] == ["refuted", "holds-to-bound"]
    game = choco_pipeline.parse_ruleset("solid-bar(f=(x+z)//3)")
    for given, statement, ruleset, bound in (
        (game, NIM, game.notation, 16),
        (None, "for n in 0..N: n ^ 1 <= n + 1", None, 9),
    ):
        (one,) = check(given, statement, bound=bound)
        assert (one.ruleset, one.bound, one.verdict) == (ruleset, bound, "holds-to-bound")
    assert prove("nim(2)").status == prove("nim(2)", "grundy").status == "proved"
    assert prove("nim(2)", "P <=> a == b", condition=None).verdict == "proved"
    assert prove("nim(2)", "P <=> a == b+1", condition=None).verdict == "refuted"
    for words in ([game, "P <=> q == 0"], [game], [claim, NIM], ["no-such-claim"]):
        with pytest.raises(ChocoError):
            check(*words)
    for wrong in ("P => x == y", "let s = 2: P <=> x == s"):
        with pytest.raises(ChocoError):
            prove("strip-bar(k=k)", wrong, condition="k >= 1")


@pytest.mark.full
def test_python_proves_statements_about_families(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prove, bar = choco_pipeline.prove, "strip-bar(k=k)"
    every = prove(bar, NIM, condition="k % 2 == 0 and k >= 2")
    assert (every.verdict, every.for_all.parameters) == ("proved", ("k",))
    odd = prove(bar, NIM, condition="k >= 1")
    assert (odd.verdict, odd.parameters) == ("refuted", {"k": 1})
