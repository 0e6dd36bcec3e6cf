"""The judges outside of the package: `checker/check.py` for games and claims, `checker/families.py` for families."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof.family_document import read_family
from choco_pipeline.provenance import file_digest
from choco_pipeline.shipped import SHIPPED

#: The program; it is run with ``-I -S``, so that it cannot import anything but Python's standard library.
PROGRAM = SHIPPED / "checker" / "check.py"
#: The program for families, which imports the former, z3 and cvc5.
FAMILIES = PROGRAM.with_name("families.py")
#: Seconds for Python to start, and for what the checker does not count against a file's limit.
START = 5.0
#: For so many seconds it is asked about each certificate that is just written. Nearly all take less than one; a sentence with
#: six integers in nim-sums takes two or three, and a machine that does other things as well makes more of either.
CHECKER_SECONDS = 4.0

#: ``stated`` if the checker was asked what the file states, and to decide nothing.
Answer = Literal[
    "proved", "refuted", "vacuous", "out of time", "undecided", "no certificate", "stated"
]


@dataclass(frozen=True)
class Checked:
    """What the checker says of one certificate."""

    #: ``out of time``: it may answer if it is asked for longer; ``undecided``: the statement is one that it cannot say.
    answer: Answer
    #: The reason; empty where it gives none.
    why: str
    #: The games and the statement, derived from the rules and formulas in the file.
    statement: tuple[str, ...] = ()


def check_files(
    paths: Sequence[Path], seconds: float, *, state_only: bool = False
) -> list[Checked]:
    """Return the checker's answers on certificates, in their order. It reads no other file.

    Games that several certificates share are decided once. The seconds are of computing, for each certificate.
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
            # a second of computing takes longer beside other processes
            timeout=START + 4 * (seconds + 1) * len(paths),
        )
    except subprocess.TimeoutExpired as error:
        output = error.stdout  # bytes though text was asked for; None if there is nothing
        lines = output.decode() if isinstance(output, bytes) else ""
        otherwise = Checked("out of time", "it did not end in its time")
        return _answers(paths, lines, otherwise)
    complaint = done.stderr.strip().splitlines()
    otherwise = Checked("undecided", complaint[-1] if complaint else "it gave no answer")
    return _answers(paths, done.stdout, otherwise)


@cache
def checker_version() -> str:
    """Return a digest of the program."""
    return file_digest(PROGRAM)[:16] if PROGRAM.is_file() else "not installed"


@dataclass(frozen=True)
class EngineAnswers:
    """The judges that agree on a proof, and why another gives no answer."""

    engines: tuple[str, ...]
    no_answer: Mapping[str, str]


def ask_checker(certificates: Sequence[str], seconds: float) -> list[EngineAnswers]:
    """Ask the checker about certificates that our engine has proved, each for so many seconds at most; return who agrees.

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
            said = f"{answer}: {checked.why}" if checked.why else answer
            raise DisagreementError(f"{path} is proved by our engine; {PROGRAM.name} says: {said}")
    return EngineAnswers(("own",), {"checker": why})


def _answers(paths: Sequence[Path], output: str, otherwise: Checked) -> list[Checked]:
    """Return the answers in the checker's output, in the order of the files.

    For each file it has a line, ``FILE: answer`` or ``FILE: answer: why``, and the lines of the statement with an indent.
    A file without a line has the answer `otherwise`.
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
        match = re.fullmatch(wanted, line)
        if match is None:
            answers.append(otherwise)
        else:
            answer: Answer = match.group(1)  # type: ignore[assignment]
            answers.append(Checked(answer, match.group(2) or "", tuple(statement)))
    return answers


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return the verdict of `checker/families.py` on the certificate of a family.

    The answer is what ``choco prove --check --json`` prints: ``status`` is ``proved``, ``refuted`` or ``undecided``;
    refuted with ``every_member`` where the certificate has a position for each member at which the statement is wrong.
    ``alone`` are members for which `checker/check.py` proves the statement, too; ``tables_only`` the others that were
    compared with the definition. Raises `ChocoError` if the file is no certificate of a family; `DisagreementError` if
    the solvers, or the two programs, contradict each other.
    """
    written = read_family(Path(path))
    command = [
        sys.executable,
        "-I",
        str(FAMILIES),
        "--seconds",
        f"{seconds:g}",
        "--json",
        "--",
        path,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        complaint = done.stderr.strip().splitlines()
        raise ChocoError(f"{FAMILIES.name}: {complaint[-1] if complaint else 'it gave no answer'}")
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
