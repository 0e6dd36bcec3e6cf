"""The commands as a person types them."""

import json
from functools import reduce

import pytest

import choco_pipeline
from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.cli.value import evaluate
from tests.cli.command import choco, choco_process


def test_processes_of_their_own_say_and_end_as_commands_do_in_this_one():
    right = ("value", "step-bar(k=2)", "2", "4", "--json")
    wrong = ("value", "stepbar(k=3)", "0", "0", "--json")
    for arguments, code in ((right, 0), (wrong, 2)):
        process, here = choco_process(*arguments), choco(*arguments)
        assert process.returncode == here.returncode == code
        assert (process.stdout, process.stderr) == (here.stdout, here.stderr)


def test_value():
    """triangular, Thm 7.3: for k=3, x⊕y⊕z=0 exactly at the P-positions."""
    done = choco("value", "solid-bar(f=(x+z)//3)", "7", "4", "7", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["outcome"]) == (0, "N")
    assert found["grundy"] == SolidBar("(x+z)//3").grundy((7, 4, 7))
    assert all(x ^ y ^ z == 0 for x, y, z in found["winning"])
    done = choco("value", "solid-bar(f=(x+z)//3)", "7", "4", "7")
    assert f": {found['grundy']}\n" in done.stdout
    assert all(f"({', '.join(map(str, option))})" in done.stdout for option in found["winning"])


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("solid-bar(f=(x+z)//3)", (18, 9, 19)),
        ("with-pass(strip-bar(k=4, s=2), passes=1)", (30, 6, 25, 1)),
        ("with-pass(nim(3), passes=2)", (12, 13, 14, 2)),
        ("step-bar(k=1)", (60, 70)),
    ],
)
def test_value_by_a_table_is_value_by_definition(monkeypatch, game, position):
    ruleset = parse_ruleset(game)
    monkeypatch.setattr("choco_pipeline.cli.value.BY_DEFINITION", 0)
    by_table = evaluate(ruleset, position)
    monkeypatch.setattr("choco_pipeline.cli.value.BY_DEFINITION", 10**9)
    assert by_table == evaluate(parse_ruleset(game), position)


def test_value_of_a_position_whose_grundy_table_is_too_large():
    found = evaluate(SolidBar("(x+z)//3"), (3000, 40, 3001))
    assert found.grundy is None
    assert found.outcome == "N"
    assert found.winning
    assert all(x ^ y ^ z == 0 for ((x, y, z),) in found.winning), "triangular, Thm 7.3"


@pytest.mark.parametrize("heap", [1, 9, 10**12])
def test_value_in_nineteen_heaps_is_said_or_refused(heap):
    game = reduce(lambda sums, _: f"sum({sums}, nim(1))", range(18), "nim(1)")
    done = choco("value", game, *[str(heap)] * 19, "--json")
    if heap == 1:
        assert json.loads(done.stdout)["grundy"] == 1, "nim-sum of nineteen ones"
    else:
        assert (done.returncode, json.loads(done.stdout)["status"]) == (2, "error")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["value", "solid-bar(f=(x+z)//3)", "7", "4"], "(x, y, z)"),
        (["value", "solid-bar(f=(x+z)//3)", "0", "4", "0"], "x = 0, z = 0"),
        (["value", "solid-bar(f=open(x))", "0", "4", "0"], "column 1"),
        (["value", "stepbar(k=3)", "0", "0"], "'step-bar'"),
        (["plan", "no-such.yaml"], "no-such.yaml"),
        (["verify", "no-such.done.json"], "no-such.done.json"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, place):
    done = choco(*arguments, "--json")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    answer = json.loads(done.stdout)
    assert (answer["status"], place in answer["error"]) == ("error", True)
    assert answer["error"] in done.stderr


def test_what_was_handed_over_does_not_steer_the_terminal_or_fill_it(tmp_path):
    name = "\x1b[31m\u202e" + "x" * 5000 + ".yaml"
    done = choco("plan", name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("choco: \\x1b[31m\\u202exxx")
    assert len(done.stderr) < 2100


@pytest.mark.parametrize(
    "config",
    [
        "bound: 1000000000",
        "bound: 1e9",
        "boud: 5",
        "bound: 5\n    heights: [open(x)]",
        "bound: 5\n    heights: [csv(../../etc/passwd)]",
    ],
)
def test_plan_refuses_what_cannot_be(tmp_path, config):
    ruleset = f"solid-bar(f={'f' if 'heights' in config else 'x+z'})"
    text = f"run: t\nsweeps:\n  a:\n    ruleset: {ruleset}\n    {config}\n    quantity: grundy\n"
    (tmp_path / "c.yaml").write_text(text)
    done = choco("plan", "c.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr[:7]) == (2, "choco: ")
    assert not (tmp_path / "results").exists(), "nothing has run"


@pytest.mark.full
def test_doctor_and_version():
    found = json.loads(choco("doctor", "--json").stdout)
    assert found["cores"] >= 1
    assert found["memory"] > found["memory_per_worker"] > 0
    assert json.loads(choco("version", "--json").stdout) == found["versions"]


def test_the_version_is_the_package_s():
    assert choco("--version").stdout == f"choco {choco_pipeline.__version__}\n"
    assert json.loads(choco("version", "--json").stdout)["choco_pipeline"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(monkeypatch, shell):
    monkeypatch.setenv("_CHOCO_COMPLETE", f"source_{shell}")
    assert f"complete_{shell}" in choco().stdout, "the script that the shell reads"
    monkeypatch.setenv("_CHOCO_COMPLETE", f"complete_{shell}")
    for words, found in (("choco cl", "claims"), ("choco claims check --pr", "--proofs")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", words)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        assert found in choco().stdout
