"""``choco check`` as a person types it, and the function of Python that does the same."""

import json

import pytest

import choco_pipeline
from choco_pipeline.errors import ChocoError
from tests.cli.command import choco

TRIANGLE = "solid-bar(f=(x+z)//k)"
NIM = "P <=> x ^ y ^ z == 0"
KEYS = {"verdict", "statement", "game", "domain", "counterexample", "positions", "engines", "cases"}


def checked(*words):
    """Return the exit code and the document that ``--json`` prints."""
    done = choco("check", *words, "--json")
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def test_what_holds_is_said_with_its_domain() -> None:
    code, found = checked("solid-bar(f=(x+z)//3)", "P <=> x^y^z == 0", "--bound", "12")
    assert (code, found["verdict"]) == (0, "holds-to-bound")
    assert found.keys() >= KEYS
    assert (found["statement"], found["game"]) == (NIM, "solid-bar(f=(x+z)//3)")
    assert found["domain"] == "coordinates up to 12"
    assert (found["counterexample"], found["engines"]) == (None, [])
    assert found["positions"] == sum((x + z) // 3 + 1 for x in range(13) for z in range(13))
    (case,) = found["cases"]
    assert case["parameters"] == {}
    done = choco("check", "solid-bar(f=(x+z)//3)", "P <=> x^y^z == 0", "--bound", "12")
    assert (done.returncode, done.stderr) == (0, "")
    assert "12" in done.stdout


def test_the_least_counterexample_is_shown() -> None:
    code, found = checked("nim(2)", "P <=> a == b and a != 3")
    assert (code, found["verdict"]) == (1, "refuted")
    shown = found["counterexample"]
    assert (shown["position"], shown["coordinates"]) == ([3, 3], ["a", "b"])
    done = choco("check", "nim(2)", "P <=> a == b and a != 3")
    assert done.returncode == 1
    assert "(3, 3)" in done.stdout


def test_values_are_given_beside_a_statement_with_signs_of_equality() -> None:
    """Only k=2..4 and m=0 are values; the statement has ``==``, ``<=`` and ``=>``."""
    statement = "x <= 9 => (P <=> x ^ y ^ z == 0)"
    game = "solid-bar(f=(x+z+m)//k)"
    for words in ([game, statement, "k=2..4", "m=0"], ["m=0", game, "k = 2..4", statement]):
        code, found = checked(*words, "--bound", "16")
        assert (code, found["verdict"]) == (1, "refuted")
        cases = {case["parameters"]["k"]: case["verdict"] for case in found["cases"]}
        assert cases == {2: "refuted", 3: "holds-to-bound", 4: "refuted"}
        assert found["parameters"] == {"k": 2, "m": 0}
        assert found["counterexample"] is not None


def test_a_limit_on_the_size_is_the_bound_of_the_table() -> None:
    code, found = checked("nim(2)", "size <= 5 => (P <=> a == b and a <= 5)")
    assert (code, found["verdict"], found["positions"]) == (0, "exhausted", 36)
    code, _ = checked("nim(2)", "size <= 6 => (P <=> a == b and a <= 5)")
    assert code == 1


def test_any_form_of_statement_is_checked() -> None:
    for statement in (
        "G != 0 => some option: G' == 0",
        "count(option: P') <= 1",
        "P <=> P(b, a)",
        "G(2, 3) == 1 and G(5, 9) == 12",
        "{a - b: P} == {0}",
    ):
        code, found = checked("nim(2)", statement, "--bound", "12")
        assert (code, found["verdict"] in ("holds-to-bound", "exhausted")) == (0, True), statement
    code, _ = checked("nim(2)", "a == b => some option: P'", "--bound", "12")
    assert code == 1


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (
            ["for k in 1..9, n in 0..N: let q = n//k: q*k <= n", "--bound", "30"],
            0,
            "holds-to-bound",
        ),
        (["for n in 0..30: n*n >= n"], 0, "exhausted"),
        (["for n in 0..N: n ^ 1 == n + 1"], 1, "refuted"),
        (["for n in 0..9: n < 0 => n == 1"], 1, "vacuous"),
        (["for n in 0..N: 7//(n-2) < 8"], 1, "undecided"),
    ],
)
def test_statements_about_integers_have_no_game(words, code, verdict) -> None:
    ended, found = checked(*words)
    assert (ended, found["verdict"], found["game"]) == (code, verdict, None)
    if verdict == "refuted":
        assert found["counterexample"]["coordinates"] == ["n"]
        assert found["counterexample"]["position"] == [1]


def test_rectangular_bars_limit_themselves() -> None:
    whole = "P <=> (i-1) ^ (m-i) ^ (j-1) ^ (n-j) == 0"
    code, found = checked("rectangular-bar(m=m, n=n)", whole, "m=1..4", "n=1..4")
    assert code == 0
    assert len(found["cases"]) == 16
    code, found = checked("rectangular-bar(m=3, n=4)", "P <=> a ^ b ^ c ^ d == 0")
    assert (code, found["verdict"]) == (0, "exhausted")
    code, found = checked("rectangular-bar(m=3, n=4)", "P <=> i == j")
    assert (code, found["counterexample"]["position"]) == (1, [1, 1, 1, 2])


@pytest.mark.parametrize(
    ("game", "statement", "code", "verdict", "positions"),
    [
        ("rectangular-bar(m=4, n=3)", "not P", 1, "refuted", 60),
        ("rectangular-bar(m=4, n=3)", "some position: P", 0, "exhausted", 1),
        ("rectangular-bar(m=4, n=3)", "count(position: P) == 12", 0, "exhausted", 12),
        ("rectangular-bar(m=4, n=3)", "i > 0 => not P", 0, "exhausted", 12),
        ("with-pass(rectangular-bar(m=2, n=2))", "not P or p == 1", 1, "refuted", 18),
        ("solid-bar(f=(x+z)//3)", "x == z and y == 0 => P", 0, "holds-to-bound", 13),
        ("solid-bar(f=(x+z)//3)", "P => x ^ y ^ z == 0", 0, "holds-to-bound", 47),
        ("nim(1)", "-1 < a", 0, "holds-to-bound", 13),
    ],
)
def test_a_statement_is_about_all_positions_that_satisfy_its_premise(
    game, statement, code, verdict, positions
) -> None:
    bound = [] if "rectangular" in game else ["--bound", "12"]
    ended, found = checked(game, statement, *bound)
    assert (ended, found["verdict"], found["positions"]) == (code, verdict, positions)


def test_parameters_with_a_false_premise_refute_nothing(tmp_path) -> None:
    words = ["step-bar(k=k)", "k % 2 == 0 => G == y ^ z", "k=1..2", "--json"]
    for more, holds in (([], "holds-to-bound"), (["--prove"], "proved")):
        done = choco("check", *words, *more, cwd=tmp_path)
        found = json.loads(done.stdout)
        assert (done.returncode, found["verdict"]) == (0, holds)
        assert [case["verdict"] for case in found["cases"]] == ["vacuous", holds]


def test_each_game_is_refuted_or_proved(tmp_path) -> None:
    done = choco("check", TRIANGLE, NIM, "k=3..4", "--prove", "--json", cwd=tmp_path)
    cases = {case["parameters"]["k"]: case for case in json.loads(done.stdout)["cases"]}
    assert (done.returncode, cases[3]["verdict"], cases[4]["verdict"]) == (1, "proved", "refuted")


def test_a_far_value_outside_of_a_set_refutes(tmp_path) -> None:
    statement = "{G: a == b+1} <= {v: v % 2 == 1 and v < 200}"
    done = choco("check", "nim(2)", statement, "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["counterexample"]["position"]) == (1, [128, 127])


def test_what_is_proved_is_of_all_positions(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = choco("check", TRIANGLE, NIM, "k=3", "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["domain"]) == (0, "proved", "all positions")
    assert "own" in found["engines"]
    done = choco("check", TRIANGLE, NIM, "k=3", "--prove", cwd=tmp_path)
    assert (done.returncode, "all positions" in done.stdout) == (0, True)


def test_what_is_false_is_refuted_before_a_proof_is_looked_for(tmp_path) -> None:
    """No proof of the bar with k = 2 is known; its table refutes the statement."""
    done = choco("check", TRIANGLE, NIM, "k=2", "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["engines"]) == (1, "refuted", [])
    assert found["counterexample"]["position"] is not None
    done = choco("check", "nim(2)", "P <=> a == b and a != 99", "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["counterexample"]["position"]) == (1, [99, 99])


def test_statements_about_integers_are_proved(tmp_path) -> None:
    true, false = "for n in 0..N: n ^ 1 <= n + 1", "for n in 0..N: n ^ 64 >= n"
    done = choco("check", true, "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"], found["domain"]) == (0, "proved", "all integers")
    assert {"own", "checker"} <= {*found["engines"]}
    done = choco("check", false, "--prove", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (1, "refuted")
    assert found["counterexample"]["position"] == [64]
    done = choco("check", "every x in 1..N: some y in 0..N: y > x", "--prove", cwd=tmp_path)
    assert done.returncode == 1
    assert "where N = 20" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing argument"),
        (["nim(2)"], "(at column"),
        (["nim(2)", "P <=> a == b", "P"], "a game and a statement are needed"),
        (["P <=> a == b"], '"P" speaks of a game, and none is given'),
        (["nim(2)", "P <=> a = b"], 'did you mean "=="?'),
        (["nim(2)", "P <=> a == b => P"], "parentheses"),
        (["nim(2)", "P <=> q == 0"], '"q" is not a name that has a value here (at column 7)'),
        (["nim(2)", "P <=> a == b", "k=3"], "no parameter 'k'"),
        ([TRIANGLE, NIM], "a value is needed for k"),
        ([TRIANGLE, NIM, "k=0"], "division by zero"),
        ([TRIANGLE, NIM, "k=q"], 'name "q"'),
        (["nimm(2)", "P <=> a == b"], "nimm"),
        (["nim(2)", "P <=> a//0 == b"], "division by zero"),
        (["nim(2)", "P <=> a == b", "--bound", "-1"], "a bound is at least 0"),
        (["nim(3)", "P <=> a ^ b ^ c == 0", "--bound", "99999"], "bound 99999 is too large"),
        (["nim(2)", "count(position: P) == 1"], "a limit is needed"),
        (["rectangular-bar(m=2, n=2)", "size <= 3 => P"], "`size` is not needed"),
        (["for n in 0..N: n >= 0", "n=1..3"], "n must be one integer"),
        (["nim(2)", "P <=> P[nim(2)](b, a)", "--prove"], "tables alone"),
        (["nim(2)", f"P <=> a == {'1' * 9000}"], "8,000 characters are allowed"),
        (["nim(2)", "P <=> __import__('os')"], "is not a sign of the language"),
        (["nim(2)", ""], "found 0"),
        (["nim(2", "P"], "the parenthesis is not closed"),
        ([TRIANGLE, NIM, "k=3..1"], "the range is empty"),
        (["nim(1)", "a == 1", "--bond", "5"], "unknown option --bond"),
        (["nim(2)", "(a, b) in printed"], "nothing is printed"),
        (["nim(2)", "G[nim(3)](a, b) == 0"], "a position of nim(3) is (a, b, c)"),
        (["nim(2)", "some option: no option: P'"], "an option of an option"),
        (["rectangular-bar(m=2, n=2)", "G == i ^ j"], "cell of an uncut bar"),
        (["rectangular-bar(m=2, n=2)", "i > 1 => some option: P'"], "cell of an uncut bar"),
        (["nim(2)", "a > 0 => a // 0 == 1"], "a // 0 == 1 ^"),
    ],
)
def test_what_cannot_be_checked_is_refused(words, said) -> None:
    done = choco("check", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_python_does_the_same() -> None:
    check = choco_pipeline.check
    assert [one.verdict for one in check(TRIANGLE, NIM, bound=16, k="2..3")] == [
        "refuted",
        "holds-to-bound",
    ]
    game = choco_pipeline.parse_ruleset("solid-bar(f=(x+z)//3)")
    (one,) = check(game, NIM, bound=16)
    assert (one.ruleset, one.bound, one.verdict) == (game.notation, 16, "holds-to-bound")
    (one,) = check(None, "for n in 0..N: n ^ 1 <= n + 1", bound=9)
    assert (one.ruleset, one.bound, one.verdict) == (None, 9, "holds-to-bound")
    (one,) = check(game, NIM, prove=True)
    assert one.verdict == "proved"
    with pytest.raises(ChocoError, match="has a value here"):
        check(game, "P <=> q == 0")
    with pytest.raises(ChocoError, match="a game needs a statement"):
        check(game)
    with pytest.raises(ChocoError, match="not a claim"):
        check(choco_pipeline.load_claims().claims["triangular-thm-7.3"], NIM)
