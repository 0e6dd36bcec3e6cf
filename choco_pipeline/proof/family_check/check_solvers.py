"""Two solvers that are asked the same: z3 and cvc5."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import cvc5
import z3

from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof.clock import Clock, answer_within

UNKNOWN = "unknown"
_NAME = re.compile(r"\|[^|]+\|")


def _ask_z3(text: str, milliseconds: int) -> str:
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())


def _ask_cvc5(text: str, milliseconds: int) -> str:
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(milliseconds))
    # Half of the time that conditions with many alternatives take otherwise.
    solver.setOption("decision", "justification")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "condition")
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        command.invoke(solver, parser.getSymbolManager())
    answer = solver.checkSat()
    return UNKNOWN if answer.isUnknown() else str(answer)


SOLVERS: dict[str, Callable[[str, int], str]] = {"z3": _ask_z3, "cvc5": _ask_cvc5}


def is_unsatisfiable(name: str, condition: str, clock: Clock) -> bool:
    """Whether all solvers say that no integers satisfy a condition.

    Raises `UndecidedError` if the time is over; `DisagreementError` if one says so and another knows integers that do.
    """
    declared = "".join(f"(declare-const {n} Int)\n" for n in sorted(set(_NAME.findall(condition))))
    text = f"(set-logic QF_LIA)\n{declared}(assert {condition})\n"
    answers = {}
    for solver, ask in SOLVERS.items():
        clock.require()
        answers[solver] = answer_within(clock, partial(ask, text), UNKNOWN)
    if {"sat", "unsat"} <= set(answers.values()):
        disagreement = ", ".join(f"{solver} says {answer}" for solver, answer in answers.items())
        raise DisagreementError(f"{name}: {disagreement}")
    return set(answers.values()) == {"unsat"}
