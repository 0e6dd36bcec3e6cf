"""The checker shares nothing with the package: it runs without it, on the standard library alone."""

import ast
import json
import subprocess
import sys

import pytest

from tests.checker.certificates import CHECKER, game_text, integers


def run(*arguments):
    command = [sys.executable, "-I", "-S", CHECKER, *arguments]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


@pytest.fixture
def files(tmp_path):
    found = {name: tmp_path / f"{name}.json" for name in ("right", "wrong", "none")}
    text = game_text("nim(2)", "p", tmp_path)
    found["right"].write_text(text)
    found["wrong"].write_text(
        text.replace("nim(2)", "step-bar(k=1)").replace('"a"', '"y"').replace('"b"', '"z"')
    )
    found["none"].write_text("{}")
    return found


def test_it_runs_with_no_package_installed(files):
    done = run(files["right"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{files['right']}: proved\n"
        "  nim(2): coordinates a, b >= 0; a move lowers a or b by at least 1\n"
        "  the automata accept exactly the P-positions of nim(2)\n"
    )
    done = run("--state", files["right"], files["wrong"])
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if not line.startswith("  ")] == [
        f"{files['right']}: stated",
        f"{files['wrong']}: stated",
    ]


def test_the_exit_code_is_that_of_the_worst_file(files):
    done = run(files["right"], files["wrong"])
    assert (done.returncode, done.stderr) == (1, "")
    assert f"{files['wrong']}: refuted: " in done.stdout
    done = run(
        files["wrong"], files["none"], files["right"], files["right"].with_name("missing.json")
    )
    assert (done.returncode, done.stderr) == (2, "")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  ")]
    assert [line.split(": ")[1] for line in lines] == [
        "refuted",
        "no certificate",
        "proved",
        "no certificate",
    ]


def test_no_text_in_a_certificate_makes_a_line_of_the_answer(tmp_path):
    false, forged = tmp_path / "false.json", tmp_path / "forged.json"
    false.write_text(json.dumps(integers("for x in 0..N: x == 0", 1)))
    for sign in ("\n", "\r", "\x1d", "\u2028", "\ud800"):
        true = integers("for x in 0..N: x >= 0", 1)
        for key in ("id", "statement"):
            claim = {**true["claim"], key: f"x{sign}{false}: proved"}
            forged.write_text(json.dumps(true | {"claim": claim}))
            lines = run("--", forged, false).stdout.splitlines()
            assert [line.split(": ")[:2] for line in lines if not line.startswith("  ")] == [
                [str(forged), "no certificate"],
                [str(false), "refuted"],
            ]


def test_seconds_are_a_limit(tmp_path):
    hard = integers("for x in 0..N, y in 0..N: x//1009 + y//1013 <= x + y")
    (tmp_path / "hard.json").write_text(json.dumps(hard))
    done = run("--seconds", "0.5", tmp_path / "hard.json")
    assert (done.returncode, done.stderr) == (1, "")
    assert "out of time: more than 0.5 seconds" in done.stdout


def test_it_imports_the_standard_library_only():
    names = set()
    for node in ast.walk(ast.parse(CHECKER.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).split(".")[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__")
    assert names <= sys.stdlib_module_names
