"""``choco prove --for``: what is said of a family of games, proved for all parameters at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from choco_pipeline.cli.output import emit, in_time
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.errors import UndecidedError
from choco_pipeline.proof.family_check import check_family
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.uniform.certificate import write
from choco_pipeline.proof.uniform.prove import FamilyProof, prove_family

#: Certificates of families are kept apart from those of single games, which another program checks.
DEFAULT_FOLDER, FOLDER = Path("results/proofs"), Path("results/families")


def show_family(
    ruleset: str | None,
    condition: str | None,
    p_positions: str | None,
    grundy: str | None,
    out: Path,
    seconds: float,
    json: bool,
    where: str = "",
) -> int:
    """Prove a family; print the result and return the exit code: 0 if it is proved, else 1.

    Parameters
    ----------
    ruleset, condition, p_positions, grundy, where
        As for `prove_family`.
    out
        Folder for the certificate; in place of the one for single games, the one for families.
    seconds
        Limit of time.
    json
        Print a document.
    """
    if ruleset is None or condition is None:
        raise ChocoError(
            "prove: a family needs a ruleset and --for, the condition on its parameters"
        )
    if not (math.isfinite(seconds) and seconds > 0):
        raise ChocoError(f"prove: --seconds must be a positive number, found {seconds:g}")
    proof = prove_family(
        ruleset, condition, p_positions=p_positions, grundy=grundy, where=where, seconds=seconds
    )
    if out == DEFAULT_FOLDER:
        out = FOLDER
    is_written = proof.status == "proved" or bool(proof.failures)
    path = write(proof, out).as_posix() if is_written else None
    checked = check_family(path, seconds) if path else None
    if checked and (checked["status"], checked["every_member"]) != (proof.status, bool(proof.failures)):  # fmt: skip
        why = f"the check of {path} says: {checked['why']}"
        if proof.failures:  # the counterexample stands
            proof = replace(proof, failures=(), engines=(), why=f"{proof.why}, but {why}")
        else:
            proof = replace(proof, status="undecided", why=why)
        path = None
    if json:
        emit(_document(proof, path) | {"checked": checked})
    else:
        print("\n".join([*_lines(proof, path), *(_checked_lines(checked) if checked else [])]))
    return 0 if proof.status == "proved" else 1


def show_family_check(
    certificate: str, seconds: float, memory: float, json: bool, checker: Limited
) -> int:
    """Check a family's certificate; print the result and return the exit code: 0 if it proves what it says, else 1.

    Parameters
    ----------
    certificate
        The file.
    seconds, memory
        Limits of time and, in GiB, of memory.
    json
        Print the document that `check_family` returns.
    checker
        The process that has the limits.
    """
    target = f"{check_family.__module__}:{check_family.__name__}"
    limits = {"seconds": seconds, "memory": memory}
    try:
        found = checker.call(target, certificate, seconds, what="the check", **limits)
    except UndecidedError as error:
        found = {"status": "undecided", "why": str(error), "certificate": certificate}
    if json:
        emit(found)
    else:
        print("\n".join(_checked_lines(found)))
    return 0 if found["status"] == "proved" else 1


def _checked_lines(found: Mapping[str, Any]) -> list[str]:
    if found["status"] == "undecided":
        return [f"undecided: {found['certificate']}: {found['why']}"]
    said = f"{found['relation']['formula']} for {found['ruleset']}, for all {found['for']}"
    said += f", where {found['where']}" if found["where"] else ""
    if found["status"] == "refuted" and not found["every_member"]:
        return [f"refuted: {said}: not at {found['position']} for {found['parameters']}"]
    checked = "refuted for every member" if found["every_member"] else "checked"
    agree = (
        "show it by the definition's options"
        if found["every_member"]
        else "agree with the definition"
    )
    return [
        f"{checked}: {said}: {found['conditions']} conditions written anew from the game are unsatisfiable by"
        f" {' and by '.join(found['engines'])}; {found['members']} members {agree};"
        f" {in_time(found['seconds'])}"
    ]


def _document(proof: FamilyProof, path: str | None) -> dict[str, Any]:
    family, wrong = proof.family, proof.counterexample
    return {
        "status": proof.status,
        "why": proof.why,
        "ruleset": family.ruleset,
        "for": family.condition,
        "where": family.where,
        "relation": {"kind": family.kind, "formula": family.relation},
        "parameters": dict(wrong.parameters) if wrong else None,
        "position": list(wrong.position) if wrong else None,
        "every_member": _everywhere(proof, path),
        "cases": len(proof.cases),
        "states": proof.states,
        "members": proof.members,
        "engines": list(proof.engines),
        "certificate": path if proof.status == "proved" else None,
        "seconds": round(proof.seconds, 2),
    }


def _everywhere(proof: FamilyProof, path: str | None) -> dict[str, Any] | None:
    """Return at which positions a relation is wrong for every member, and the certificate of that; None if it is not known."""
    if not proof.failures:
        return None
    cases = [
        {
            "parameters": {name: str(value) for name, value in failure.case.parameters.items()},
            "position": {name: str(value) for name, value in failure.position.items()},
        }
        for failure in proof.failures
    ]
    return {"cases": cases, "certificate": path}


def _lines(proof: FamilyProof, path: str | None) -> list[str]:
    family = proof.family
    what = {"p-positions": "P-positions", "grundy": "Grundy numbers"}[family.kind]
    said = f"the {what} of {family.ruleset} are {family.relation}"
    said += f", where {family.where}" if family.where else ""
    if proof.failures:
        return [
            f"refuted for all {', '.join(family.parameters)} with {family.condition}: {said}: {proof.why}",
            *(f"it contradicts itself at {failure.text}" for failure in proof.failures),
            f"{proof.texts} text{'s are' if proof.texts > 1 else ' is'} unsatisfiable by {' and by '.join(proof.engines)}; {in_time(proof.seconds)} in all",
            f"certificate: {path}",
        ]
    if proof.status != "proved":
        return [f"{proof.status}: {said}, for all {family.condition}: {proof.why}"]
    states = f"{proof.states} abstract states; " if proof.states else ""
    return [
        f"proved for all {', '.join(family.parameters)} with {family.condition}: {said}",
        f"{proof.why}; {states}{proof.texts} texts are unsatisfiable by {' and by '.join(proof.engines)};"
        f" {proof.members} members agree with the definition; {in_time(proof.seconds)} in all",
        f"certificate: {path}",
    ]
