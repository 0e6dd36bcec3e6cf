"""Two solvers that read SMT-LIB 2 texts: z3 and cvc5. A proof needs ``unsat`` of both, for each text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import cvc5
import z3

from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof.clock import Clock, answer_within
from choco_pipeline.proof.proof_errors import UndecidedError

#: Seconds that a solver may take for one text, at least.
LEAST_SECONDS = 0.1


def by_z3(text: str, milliseconds: int) -> str:
    """Return what z3 answers: sat, unsat or unknown."""
    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


def by_cvc5(text: str, milliseconds: int) -> str:
    """Return what cvc5 answers: sat, unsat or unknown."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(milliseconds))
    # Half of the time that conditions with many alternatives take otherwise.
    solver.setOption("decision", "justification")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
    symbols = parser.getSymbolManager()
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, symbols))
    return answer.strip()


SOLVERS: Mapping[str, Callable[[str, int], str]] = {"z3": by_z3, "cvc5": by_cvc5}


def require_unsat(name: str, text: str, clock: Clock) -> None:
    """Return if all solvers say ``unsat``.

    Raises
    ------
    UndecidedError
        If one says anything else.
    DisagreementError
        If one says ``sat`` and another ``unsat``.
    """
    answers = {}
    for solver, ask in SOLVERS.items():
        clock.require()
        answers[solver] = answer_within(clock, partial(ask, text), "unknown", LEAST_SECONDS)
    if {"sat", "unsat"} <= set(answers.values()):
        disagreement = ", ".join(f"{solver}: {answer}" for solver, answer in answers.items())
        raise DisagreementError(f"{name}: {disagreement}")
    for solver, answer in answers.items():
        if answer != "unsat":
            raise UndecidedError(f"{name}: {solver} says {answer}, unsat is needed")
