"""``choco prove --for``: proofs for a family of games, for all parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.cli.known_names import differences
from choco_pipeline.cli.output import emit, in_time, wrapped
from choco_pipeline.cli.statement_check import claim_of
from choco_pipeline.cli.waiting import waiting
from choco_pipeline.commands import command
from choco_pipeline.documents.files import read_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import read
from choco_pipeline.proof.checker import check_family
from choco_pipeline.proof.for_all import attempt_family, undecided_family
from choco_pipeline.proof.games.certificate import MOST_BYTES
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.task import PREPARED_BY

#: Certificates of families have a folder of their own, because another program checks those of single games.
DEFAULT_FOLDER, FOLDER = Path("results/proofs"), Path("results/families")
#: A search that reaches its memory limit reports its state; at this multiple of the limit it is killed.
BEYOND = 1.25


def show_family(
    ruleset: str | None,
    statement: str | None,
    condition: str,
    out: Path,
    seconds: float,
    memory: float,
    json: bool,
) -> int:
    """Prove a family; return 0 if it is proved, else 1.

    Everything runs in a child process. It reports its state when it reaches a limit, and is killed far beyond. `memory` is in
    GiB.
    """
    if ruleset is None or statement is None:
        raise ChocoError("prove: --for needs a ruleset and a statement, such as 'P <=> x == z'")
    require_positive(seconds=seconds, memory=memory)
    claim = claim_to_prove(ruleset, statement, condition)
    given = claim.determined
    assert given is not None
    family = (ruleset, condition, given.quantity, given.formula.text, claim.domain)
    folder = FOLDER if out == DEFAULT_FOLDER else out
    with (
        waiting(f"{ruleset} for all {condition}: proving"),
        Limited(PREPARED_BY) as prover,
    ):
        arguments = (*family, seconds, memory, folder.as_posix())
        # The search takes its seconds, and the check as many again.
        limits = {"seconds": 2 * seconds, "memory": BEYOND * memory}
        try:
            answer = prover.call(attempt_family, *arguments, what="the proof", **limits)
        except UndecidedError as error:
            answer = undecided_family(*family, str(error))
    if json:
        emit(answer)
    else:
        print("\n".join(map(wrapped, _lines(answer))))
    return 0 if answer["status"] == "proved" else 1


def claim_to_prove(ruleset: str, statement: str, condition: str | None = None) -> Claim:
    """Return a statement about a game, or about a family of games, as a claim.

    Raises `ChocoError` if it is not a statement, or determines neither the P-positions nor the Grundy numbers.
    """
    if condition is None:
        claim = claim_of(ruleset, statement)
    else:
        further = sorted(parse(condition).names - read(ruleset).names)
        every = dict.fromkeys(further, "0..0")
        document = {"id": "statement", "ruleset": ruleset, "statement": statement, "every": every}
        claim = Claim.from_json(document)
    if claim.determined is None:
        raise ChocoError(
            "prove: the statement must be `P <=> …` or `G == …`, after `premise =>` if it is about some positions only;"
            f" for others, type {command('check', 'RULESET', 'STATEMENT', '--prove')}"
        )
    if condition is not None and claim.let:
        raise ChocoError("prove: with --for, a statement has no `let`: write the integers out")
    return claim


def require_positive(**limits: float) -> None:
    """Raise `ChocoError` unless limits, named as options, are positive numbers."""
    for name, value in limits.items():
        if not (math.isfinite(value) and value > 0):
            raise ChocoError(f"prove: --{name} must be a positive number, found {value:g}")


def show_family_check(
    certificate: str, seconds: float, memory: float, json: bool, checker: Limited
) -> int:
    """Check a family's certificate; return 0 if it is a proof, else 1."""
    limits = {"seconds": seconds, "memory": memory}
    try:
        answer = checker.call(check_family, certificate, seconds, what="the check", **limits)
    except UndecidedError as error:
        answer = {"status": "undecided", "why": str(error), "certificate": certificate}
    document = {} if answer["status"] == "undecided" else read_json(Path(certificate), MOST_BYTES)
    games, others = document.get("games", {}), differences(document, {})
    if json:
        emit(answer | {"games": games, "differences": others})
    else:
        lines = [*checked_lines(answer), *described_lines(games)]
        lines += [f"not as in this project: {other}" for other in others]
        print("\n".join(map(wrapped, lines)))
    return 0 if answer["status"] == "proved" and not others else 1


def described_lines(games: Mapping[str, object]) -> list[str]:
    """Return the descriptions of a certificate's games, a line for each."""
    return [
        f"game({name}) in the certificate: {dumps(description)}"
        for name, description in games.items()
    ]


def checked_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return the lines on the check of a family's certificate, statement first."""
    if answer["status"] == "undecided":
        return [f"undecided: {answer['certificate']}: {answer['why']}"]
    statement = f"{answer['statement']}."
    if answer["status"] == "refuted" and not answer["every_member"]:
        at = ", ".join(map(str, answer["position"]))
        return [
            f"refuted: {statement}",
            f"It is false at ({at}) for {assigned(answer['parameters'])}.",
        ]
    checked = "false for every member" if answer["every_member"] else "checked"
    agree = (
        "show it by the definition's options"
        if answer["every_member"]
        else "agree with the definition"
    )
    return [
        f"{checked}: {statement}",
        f"{answer['conditions']} conditions written anew from the game are unsatisfiable by"
        f" {' and by '.join(answer['engines'])}; {answer['members']} members {agree};"
        f" {in_time(answer['seconds'])}",
        *_compared_lines(answer),
    ]


def _compared_lines(answer: Mapping[str, Any]) -> list[str]:
    if answer["every_member"]:
        return []
    return [
        f"also proved by the checker for one member alone: {_members(answer['alone'])};"
        f" compared by tables only: {_members(answer['tables_only'])}"
    ]


def _members(several: Sequence[Mapping[str, int]]) -> str:
    if not several:
        return "none"
    names = list(several[0])
    values = [", ".join(str(member[name]) for name in names) for member in several]
    if len(names) == 1:
        return f"{names[0]} = {', '.join(values)}"
    return f"({', '.join(names)}) = {', '.join(f'({value})' for value in values)}"


def _lines(answer: Mapping[str, Any]) -> list[str]:
    statement, every = f"{answer['statement']}.", answer["every_member"]
    if answer["status"] != "proved" and every is None:
        return [f"{answer['status']}: {statement}", answer["why"]]
    checked = checked_lines(answer["checked"])
    if every is not None:
        return [
            f"refuted: {statement}",
            answer["why"],
            *(f"it contradicts itself at {case['text']}" for case in every["cases"]),
            f"searched for {in_time(answer['seconds'])}",
            f"certificate: {every['certificate']}",
            *checked,
        ]
    states = f"{answer['states']} abstract states; " if answer["states"] else ""
    return [
        f"proved: {statement}",
        f"{answer['why']}; {states}searched for {in_time(answer['seconds'])}",
        f"certificate: {answer['certificate']}",
        *checked,
    ]
