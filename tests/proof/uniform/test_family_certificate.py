"""What makes an invariant a proof: nothing can be left out of it, and it does not fit another family."""

import json
import os
import subprocess
import sys

import pytest
import z3

from choco_pipeline.cli.prove import prove
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.uniform import invariant_search
from choco_pipeline.proof.uniform.family_certificate import document, write
from choco_pipeline.proof.uniform.sentences import by_cvc5
from tests.checker.families.program import families
from tests.proof.uniform.judged import search_family

SUM = "solid-bar(f=(x+z)//k)"


@pytest.mark.parametrize("solver", families.SOLVERS)
def test_a_solver_without_an_answer_says_unknown(solver):
    """What it says beside that, as why, is no answer, and contradicts none."""
    # Which of these numbers have a given sum is hard to know: cvc5 does not in a second.
    factors = [12345, 23456, 34567, 45678, 56789, 67891, 78912, 89123, 91234, 10007, 20011, 30013]
    numbers = {f"|{i}|": factor for i, factor in enumerate(factors)}
    declared = "".join(f"(declare-const {n} Int) (assert (<= 0 {n} 1))" for n in numbers)
    total = " ".join(f"(* {factor} {n})" for n, factor in numbers.items())
    asked = f"(set-logic QF_LIA) {declared} (assert (= 300001 (+ {total})))"
    answer = families.SOLVERS[solver](asked, 1)
    if solver == "cvc5":
        assert answer == by_cvc5(f"{asked}(check-sat)", 1) == "unknown"
    else:
        assert answer in ("unknown", "unsat")


def test_the_command_writes_a_certificate(tmp_path, capsys):
    code = prove(SUM, "P <=> x ^ y ^ z == 0", condition="k % 4 == 3", out=tmp_path, json=True)
    said = json.loads(capsys.readouterr().out)
    assert (code, said["status"], said["checked"]["engines"]) == (0, "proved", ["z3", "cvc5"])
    written = json.loads((tmp_path / said["certificate"]).read_text(encoding="utf-8"))
    assert written["for"] == "k%4 == 3"
    (case,) = written["cases"]
    assert case["parameters"] == {"k": {"m_k": 4, "1": 3}}
    assert [o["kind"] for o in case["obligations"]] == ["exclusion"] * 3 + ["option"]


def test_the_program_writes_its_texts_for_other_solvers(tmp_path, capsys):
    proof = search_family(SUM, "k % 4 == 3", p_positions="x ^ y ^ z == 0")
    path = write(proof, tmp_path)
    command = [
        sys.executable,
        "-I",
        families.__file__,
        "--texts",
        str(tmp_path / "texts"),
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{path}: proved: every condition holds\n  solid_bar(")
    files = [*(tmp_path / "texts").rglob("*.smt2")]
    assert len(files) == 33
    for file in files:
        solver = z3.Solver()
        solver.from_string(file.read_text(encoding="utf-8"))
        assert solver.check() == z3.unsat


@pytest.mark.full
def test_the_command_names_the_member_and_the_position_of_a_refutation(tmp_path, capsys):
    code = prove(SUM, "P <=> (x-1)^y^(z-1) == 0", condition="k % 4 == 3", out=tmp_path, json=True)
    said = json.loads(capsys.readouterr().out)
    assert (code, said["status"], said["certificate"]) == (1, "refuted", None)
    assert (said["parameters"], said["position"]) == ({"k": 3}, [1, 1, 2])
    (case,) = said["every_member"]["cases"]
    assert case["position"] == {"x": "2*m_k+1", "y": "1", "z": "2*m_k+2"}
    (written,) = tmp_path.glob("*.json")
    assert written.as_posix() == said["every_member"]["certificate"]
    assert (said["checked"]["status"], said["checked"]["every_member"]) == ("refuted", True)


@pytest.mark.parametrize(("limit", "value"), [("seconds", 0.0), ("memory", -1.0), ("memory", float("inf"))])  # fmt: skip
def test_limits_are_positive_numbers(tmp_path, limit, value):
    limits = {"seconds": 60.0, "memory": 4.0} | {limit: value}
    with pytest.raises(ChocoError, match=f"--{limit} must be"):
        prove(SUM, "P <=> x ^ y ^ z == 0", condition="k % 4 == 3", out=tmp_path, **limits)


def test_a_search_without_memory_says_where_it_stood():
    found = search_family(SUM, "k % 4 == 3", p_positions="x ^ y ^ z == 0", memory=0.001)
    assert found.status == "undecided"
    assert "case 1 of 1" in found.why
    assert "exclusion-x" in found.why
    assert "the 0.001 GiB of memory are over" in found.why


@pytest.mark.full
def test_a_search_that_is_ended_by_memory_is_undecided(tmp_path, capsys):
    code = prove(
        SUM, "P <=> x ^ y ^ z == 0", condition="k % 4 == 3", out=tmp_path, memory=0.01, json=True
    )
    said = json.loads(capsys.readouterr().out)
    assert (code, said["status"], said["certificate"]) == (1, "undecided", None)
    assert "GiB of memory" in said["why"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("settings", [{"DRAWN": 0, "NEAR": 0}, {"LARGE": 2}])
def test_invariants_do_not_depend_on_the_points_that_are_drawn(settings, monkeypatch):
    """Nor on how large integers must be to be no machine words."""
    wanted = document(search_family(SUM, "k % 4 == 3", p_positions="x ^ y ^ z == 0"))
    for name, value in settings.items():
        monkeypatch.setattr(invariant_search, name, value)
    assert document(search_family(SUM, "k % 4 == 3", p_positions="x ^ y ^ z == 0")) == wanted


@pytest.mark.full
def test_the_same_invariants_are_found_in_every_process():
    """Sets have another order in each; what is found must not follow it, or a certificate would not be made again."""
    program = (
        "from choco_pipeline.proof.uniform.family_certificate import document\n"
        "from tests.proof.uniform.judged import search_family\n"
        "proof = search_family('step-bar(k=k, s=s)', 'k % 2 == 0 and s < k', grundy='(y ^ (z+s)) - s')\n"
        "print(document(proof))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "predicates" in printed.pop()
