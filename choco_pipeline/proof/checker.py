"""Calls of the two standalone checkers: for games and claims, and for families."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.family_document import read_family
from choco_pipeline.provenance import file_digest
from choco_pipeline.shipped import SHIPPED

#: Checker of games and claims. ``-I -S`` restricts it to Python's standard library.
PROGRAM = SHIPPED / "checker" / "check.py"
#: Checker of families. It imports the other checker, z3 and cvc5.
FAMILIES = PROGRAM.with_name("families.py")
#: Additional seconds for the start of Python.
START = 5.0
#: Time limit in seconds for a new certificate. Nearly all take less than one; a nim-sum of six integers takes up to three.
CHECKER_SECONDS = 4.0

#: ``stated`` if only the statement was requested.
Answer = Literal[
    "proved", "refuted", "vacuous", "out of time", "undecided", "no certificate", "stated"
]


@dataclass(frozen=True)
class Checked:
    """The checker's answer on one certificate."""

    #: ``out of time``: a longer limit may help; ``undecided``: the statement is not supported.
    answer: Answer
    #: The reason, if any.
    why: str
    #: The games and the statement, from the rules and formulas in the file.
    statement: tuple[str, ...] = ()


def check_files(
    paths: Sequence[Path], seconds: float, *, state_only: bool = False
) -> list[Checked]:
    """Return the checker's answer on each certificate.

    The checker reads only these files, and decides a game once that several of them share. `seconds` is CPU time per certificate.
    """
    if not paths:
        return []
    if not PROGRAM.is_file():
        return [Checked("undecided", f"{PROGRAM} is not installed")] * len(paths)
    command = [sys.executable, "-I", "-S", str(PROGRAM), "--seconds", f"{seconds:g}"]
    command += ["--state"] if state_only else []
    try:
        done = subprocess.run(
            [*command, "--", *map(str, paths)],
            capture_output=True,
            text=True,
            check=False,
            # wall-clock time is longer than CPU time beside other processes
            timeout=START + 4 * (seconds + 1) * len(paths),
        )
    except subprocess.TimeoutExpired as error:
        output = error.stdout  # bytes in spite of ``text=True``; None without output
        lines = output.decode() if isinstance(output, bytes) else ""
        return _answers(paths, lines, Checked("out of time", "it exceeded its time limit"))
    return _answers(paths, done.stdout, Checked("undecided", _complaint(done.stderr)))


@cache
def checker_version() -> str:
    """Return a digest of the checker's source file."""
    return file_digest(PROGRAM)[:16] if PROGRAM.is_file() else "not installed"


@dataclass(frozen=True)
class EngineAnswers:
    """The engines that confirm a proof, and the reasons of engines without an answer."""

    engines: tuple[str, ...]
    no_answer: Mapping[str, str]


def ask_checker(certificates: Sequence[str], seconds: float) -> list[EngineAnswers]:
    """Run the checker on certificates of proofs; the time limit applies to each.

    Raises `DisagreementError` if the checker refutes one.
    """
    answers = check_files(list(map(Path, certificates)), seconds)
    return list(map(_agreeing, certificates, answers))


def _agreeing(path: str, checked: Checked) -> EngineAnswers:
    match checked.answer:
        case "proved":
            return EngineAnswers(("own", "checker"), {})
        case "out of time":
            longer = command("prove", "--check", path, "--seconds", 600)
            why = f"{checked.why}; to ask it for longer: {longer}"
        case "undecided" | "no certificate":
            why = checked.why
        case answer:
            its_answer = f"{answer}: {checked.why}" if checked.why else answer
            raise DisagreementError(
                f"{path} is proved by our engine; {PROGRAM.name} says: {its_answer}"
            )
    return EngineAnswers(("own",), {"checker": why})


def _complaint(stderr: str) -> str:
    return (stderr.strip().splitlines() or ["it gave no answer"])[-1]


def _answers(paths: Sequence[Path], output: str, otherwise: Checked) -> list[Checked]:
    """Parse the checker's output; a file without an answer gets `otherwise`.

    The output for a file is ``FILE: answer`` or ``FILE: answer: why``, followed by indented lines with its statement.
    """
    blocks: list[list[str]] = []
    for line in output.splitlines():
        if line.startswith("  ") and blocks:
            blocks[-1].append(line.removeprefix("  "))
        else:
            blocks.append([line])
    answers = []
    for i, path in enumerate(paths):
        line, *statement = blocks[i] if i < len(blocks) else [""]
        wanted = rf"{re.escape(str(path))}: ({'|'.join(get_args(Answer))})(?:: (.*))?"
        found = re.fullmatch(wanted, line)
        if found is None:
            answers.append(otherwise)
        else:
            answer = cast("Answer", found[1])
            answers.append(Checked(answer, found[2] or "", tuple(statement)))
    return answers


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return the verdict of `checker/families.py` on the certificate of a family.

    The verdict is the output of ``choco prove --check --json``. ``status`` is ``proved``, ``refuted`` or ``undecided``.
    ``every_member`` is true if the statement is false for every member. ``alone`` lists the members for which `checker/check.py` also
    proves the statement, and ``tables_only`` the other members that were compared with the definition. Raises `ChocoError` if the file
    is no certificate of a family; `DisagreementError` if the solvers, or the two programs, contradict each other.
    """
    written = read_family(Path(path))
    options = ["--seconds", f"{seconds:g}", "--json", "--", path]
    command = [sys.executable, "-I", str(FAMILIES), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise ChocoError(f"{FAMILIES.name}: {_complaint(done.stderr)}")
    answer: dict[str, Any] = json.loads(done.stdout)
    if answer["status"] == "no certificate":
        raise ChocoError(f"{path}: {answer['why']}")
    if answer["status"] == "contradiction":
        raise DisagreementError(answer["why"])
    statement, engines = written.statement(tuple(answer.pop("coordinates"))), answer.pop("engines")
    return {
        **answer,
        "statement": statement.text,
        "ruleset": written.ruleset,
        "for": written.condition,
        "where": written.where,
        "relation": written.relation.model_dump(),
        "engines": engines,
    }
