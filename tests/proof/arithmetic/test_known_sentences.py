"""A program that is called mona, and is none, is not believed."""

import shutil
import textwrap

import pytest

from choco_pipeline import Nim
from choco_pipeline.automata.arithmetic import linear as linear_automaton
from choco_pipeline.cli import doctor
from choco_pipeline.proof.arithmetic import mona
from choco_pipeline.proof.arithmetic.logic import free, less
from choco_pipeline.proof.arithmetic.mona import (
    KNOWN,
    decide_with_mona,
    installed_engines,
    mona_fault,
    mona_version,
    unasked,
)
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.proof_errors import UndecidedError
from tests.proof.interpret import truth
from tests.proof.relations import decide

REAL = shutil.which("mona")
RELATIONS = {"R": linear_automaton({"0": 3, "1": -1}, 0, "<=")}
VALID = "echo 'Formula is valid'"
INVALID = "printf 'A counter-example of least length (1) is:\\nV0 = {0}\\nV1 = {}\\nV2 = {}\\n'"


@pytest.fixture
def pretender(tmp_path, monkeypatch):
    """Return a function that puts a program called mona before all others."""

    def install(script):
        path = tmp_path / "mona"
        path.write_text(f"#!/bin/sh\n{textwrap.dedent(script)}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return install


@pytest.mark.parametrize(("sentence", "says"), KNOWN, ids=lambda part: "")
def test_what_is_known_is_so(sentence, says):
    """By our engine, and by looking at small numbers."""
    found = decide(sentence, RELATIONS)
    assert found.valid == (says is None)
    sets = {"R": {(x, y) for x in range(40) for y in range(40) if 3 * x <= y}}
    names = sorted(free(sentence))
    for values in ((a, b, c) for a in range(5) for b in range(5) for c in range(5)):
        at = dict(zip(names, values, strict=False))
        assert truth(sentence, at, sets, 40) == (says is None or says(**at)), at


def test_half_of_what_is_known_is_false():
    assert sum(says is None for _, says in KNOWN) == len(KNOWN) / 2


@pytest.mark.skipif(REAL is None, reason="mona is not installed")
def test_mona_itself_is_used():
    assert mona_fault() is None
    assert installed_engines() == ("own", "mona")
    assert unasked(["own", "mona"]) == {}
    assert unasked(["own"]) == {"mona": "it was not asked"}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (VALID, "wrong about a known sentence: it finds a false one valid"),
        (INVALID, "wrong about a known sentence: it finds a true one invalid"),
        ("exit 3", "did not answer a known sentence: MONA gave no answer: it says nothing"),
        ("head -c 1000 /dev/zero | tr '\\0' '\\377'", "did not answer a known sentence"),
        # an answer by chance, here by the number of the process
        (f"if [ $(($$ / 2 % 2)) = 0 ]; then {VALID}; else {INVALID}; fi", "is not used, since it"),
        # which knows what holds without a quantifier and without an automaton
        (f"if grep -q 'ex2 V1: ' $2; then {VALID}; else exec {REAL} \"$@\"; fi", "is not used"),
        (f'if grep -q relation $2; then {VALID}; else exec {REAL} "$@"; fi', "is not used"),
        (
            "printf 'A counter-example of least length (1) is:\\nV0 = {999999999}\\nV1 = {}\\n'",
            "more than 100,000 binary digits",
        ),
        (
            "printf 'A counter-example of least length (1) is:\\nV0 = {}\\nV1 = {0}\\n'",
            "its counter-example is none",
        ),
    ],
)
def test_another_program_is_not_used(pretender, script, why):
    pretender(script)
    fault = mona_fault()
    assert fault is not None
    assert why in fault
    assert installed_engines() == ("own",)
    with pytest.raises(UndecidedError, match=r"MONA gave no answer: .* is not used, since it"):
        decide_with_mona(less("x", "y"), {})
    proof = prove(Nim(2))
    assert (proof.status, proof.engines) == ("proved", ("own",))
    assert proof.no_answer == {"mona": fault}
    asked = prove(Nim(2), engines=["own", "mona"])
    assert (asked.engines, list(asked.no_answer)) == (("own",), ["mona"])
    assert "is not used, since it" in asked.why
    assert prove(Nim(2), engines=["mona"]).status == "undecided"


@pytest.mark.skipif(REAL is None, reason="mona is not installed")
def test_a_program_that_somebody_kills_once_is_started_again(pretender, tmp_path):
    once = tmp_path / "once"
    pretender(f'if [ ! -e {once} ]; then touch {once}; kill -9 $$; fi; exec {REAL} "$@"')
    assert mona_fault() is None
    once.unlink()
    assert decide_with_mona(less("x", "x"), {}).valid is False
    assert once.exists()


def test_a_program_that_is_killed_each_time_gives_no_answer(pretender):
    pretender("kill -9 $$")
    assert "MONA gave no answer: it was killed (SIGKILL)" in (mona_fault() or "")


def test_a_program_that_hangs_is_not_waited_for(pretender, monkeypatch):
    monkeypatch.setattr(mona, "MOST_SECONDS", 0.3)
    pretender("exec sleep 1000")
    assert mona_version() == "unknown"
    assert "did not answer a known sentence: MONA gave no answer: stopped after 0.3" in (
        mona_fault() or ""
    )


def test_a_program_that_cannot_be_started(tmp_path, monkeypatch):
    (tmp_path / "mona").write_bytes(b"\x7fELF, but not really")
    (tmp_path / "mona").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert mona_version() == "unknown"
    assert "it cannot be started" in (mona_fault() or "")


def test_the_doctor_says_so(pretender, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "warm_up", lambda: None)
    pretender(VALID)
    doctor.show_machine(json=False)
    assert "is not used, since it is wrong about a known sentence" in capsys.readouterr().out
