"""What makes an invariant a proof: nothing can be left out of it, and it does not fit another family."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

from choco_pipeline.cli.prove_family import show_family
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.clock import FOREVER, Clock
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.family_prover import obligations, prove_family, prove_obligation
from choco_pipeline.proof.uniform.sentences import SOLVERS, require_unsat
from choco_pipeline.proof.uniform.smt import texts
from tests.checker.families.program import families

SUM = "solid-bar(f=(x+z)//k)"


@cache
def proofs():
    family = Family.read(SUM, "k % 4 == 3", "x ^ y ^ z == 0", "p-positions")
    (case,) = family.cases()
    return [prove_obligation(obligation, Clock(60)) for obligation in obligations(family, case)]


def is_proof(proof):
    try:
        for name, text in texts(proof):
            require_unsat(name, text, FOREVER)
    except UndecidedError:
        return False
    return True


@pytest.mark.parametrize("number", range(4))
def test_no_state_can_be_left_out(number):
    proof = proofs()[number]
    assert is_proof(proof)
    for here, states in proof.states.items():
        for state in states:
            fewer = {**proof.states, here: tuple(bits for bits in states if bits != state)}
            if here.start:
                continue
            assert not is_proof(replace(proof, states=fewer)), (here.name, state)


@pytest.mark.full
def test_a_strategy_with_another_answer_is_checked_anew():
    """Some other answers are as good; most are not, and none of these is taken for a proof."""
    (proof,) = (proof for proof in proofs() if proof.obligation.kind == "option")
    refused = 0
    for state, answers in proof.strategy.items():
        steps = list(proof.obligation.steps(state[0]))
        for i, answer in enumerate(answers):
            for other in range(len(steps[i].answers)):
                if other != answer:
                    changed = (*answers[:i], other, *answers[i + 1 :])
                    refused += not is_proof(
                        replace(proof, strategy={**proof.strategy, state: changed})
                    )
    assert refused > 10


@pytest.mark.parametrize(
    ("condition", "relation"),
    [
        ("k % 4 == 1", "x ^ y ^ z == 0"),
        ("k % 4 == 2", "x ^ y ^ z == 0"),
        ("k % 4 == 3", "(x+1) ^ y ^ (z+1) == 0"),
    ],
)
def test_an_invariant_does_not_prove_a_false_family(condition, relation):
    family = Family.read(SUM, condition, relation, "p-positions")
    (case,) = family.cases()
    foreign = []
    for obligation, proof in zip(obligations(family, case), proofs(), strict=True):
        own = replace(obligation, watched=proof.obligation.watched, singles=False)
        foreign.append(replace(proof, obligation=own))
    assert not all(map(is_proof, foreign))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_without_an_answer_says_unknown(solver):
    """What it says beside that, as why, is no answer, and contradicts none."""
    # Which of these numbers have a given sum is hard to know: cvc5 does not in a second.
    factors = [12345, 23456, 34567, 45678, 56789, 67891, 78912, 89123, 91234, 10007, 20011, 30013]
    numbers = {f"|{i}|": factor for i, factor in enumerate(factors)}
    declared = "".join(f"(declare-const {n} Int) (assert (<= 0 {n} 1))" for n in numbers)
    total = " ".join(f"(* {factor} {n})" for n, factor in numbers.items())
    asked = f"(set-logic QF_LIA) {declared} (assert (= 300001 (+ {total})))"
    answers = {
        SOLVERS[solver](f"{asked}(check-sat)", 1),
        getattr(families, f"ask_{solver}")(asked, 1),
    }
    assert answers == {"unknown"} if solver == "cvc5" else answers <= {"unknown", "unsat"}


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_tell_what_can_be_satisfied(solver):
    ask = SOLVERS[solver]
    text = "(set-logic QF_LIA)\n(declare-const |count(x')| Int)\n(assert {})\n(check-sat)\n"
    assert ask(text.format("(= (mod |count(x')| 2) 1)"), 1000) == "sat"
    assert ask(text.format("(= (* 2 |count(x')|) (- 3))"), 1000) == "unsat"


def test_the_command_writes_a_document_and_texts_that_stand_alone(tmp_path, capsys):
    code = show_family(SUM, "P <=> x ^ y ^ z == 0", "k % 4 == 3", tmp_path, 60.0, 4.0, True)
    said = json.loads(capsys.readouterr().out)
    assert (code, said["status"], said["engines"]) == (0, "proved", ["z3", "cvc5"])
    document = json.loads((tmp_path / said["certificate"]).read_text(encoding="utf-8"))
    assert document["for"] == "k%4 == 3"
    (case,) = document["cases"]
    assert case["parameters"] == {"k": {"m_k": 4, "1": 3}}
    assert [o["kind"] for o in case["obligations"]] == ["exclusion"] * 3 + ["option"]
    files = sorted(tmp_path.glob("family-*/case-1/*.smt2"))
    assert {file.stem for file in files} == set(case["texts"])
    for file in files:
        assert SOLVERS["z3"](file.read_text(encoding="utf-8"), 10_000) == "unsat"


@pytest.mark.full
def test_the_command_names_the_member_and_the_position_of_a_refutation(tmp_path, capsys):
    code = show_family(SUM, "P <=> (x-1)^y^(z-1) == 0", "k % 4 == 3", tmp_path, 60.0, 4.0, True)
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
        show_family(SUM, "P <=> x ^ y ^ z == 0", "k % 4 == 3", tmp_path, **limits, json=True)


def test_a_search_without_memory_says_where_it_stood():
    found = prove_family(SUM, "k % 4 == 3", p_positions="x ^ y ^ z == 0", memory=0.001)
    assert (found.status, found.engines) == ("undecided", ())
    assert "case 1 of 1" in found.why
    assert "exclusion-x" in found.why
    assert "the 0.001 GiB of memory are over" in found.why


@pytest.mark.full
def test_a_search_that_is_ended_by_memory_is_undecided(tmp_path, capsys):
    code = show_family(SUM, "P <=> x ^ y ^ z == 0", "k % 4 == 3", tmp_path, 60.0, 0.01, True)
    said = json.loads(capsys.readouterr().out)
    assert (code, said["status"], said["certificate"]) == (1, "undecided", None)
    assert "GiB of memory" in said["why"]
    assert not list(tmp_path.iterdir())


@pytest.mark.full
def test_the_same_invariants_are_found_in_every_process():
    """Sets have another order in each; what is found must not follow it, or a certificate would not be made again."""
    program = (
        "from choco_pipeline.proof.uniform.family_prover import prove_family\n"
        "proof = prove_family('step-bar(k=k, s=s)', 'k % 2 == 0 and s < k', grundy='(y ^ (z+s)) - s')\n"
        "print(*(text for case in proof.cases for text in case.texts.items()))\n"
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
    assert "declare-const" in printed.pop()
