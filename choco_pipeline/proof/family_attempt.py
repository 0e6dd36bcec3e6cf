"""One attempt to prove what is said of a family: the search, the certificate, and the check of it, as plain data.

What is called proved here is proved by `checker/families.py`, which shares no code with the search.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.checker import check_family
from choco_pipeline.proof.clock import Budget
from choco_pipeline.proof.trial import RelationKind, Statement
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.family_certificate import write
from choco_pipeline.proof.uniform.family_prover import FamilyProof, decide


def attempt_family(
    ruleset: str,
    condition: str,
    kind: RelationKind,
    relation: str,
    where: str,
    seconds: float,
    memory: float,
    folder: str | None,
) -> dict[str, Any]:
    """Decide what is said of a family, for all parameters at once, in this process.

    What is said is as for `Family.read`. About so many seconds are searched, and as many checked; the folder receives the
    certificate. The answer is what ``choco prove --for --json`` prints: ``status`` is ``proved``, ``refuted`` or
    ``undecided``; ``checked`` is what the check says of the certificate, None without one. Raises `FamilyError` if the game,
    the condition or the relation is of a kind that has no obligations; `DisagreementError` if two judges contradict each other.
    """
    try:
        family = Family.read(ruleset, condition, relation, kind, where)
    except ChocoError:
        wrong, _ = Statement(ruleset, condition, relation, kind, where).refutation()
        if wrong is None:
            raise
        answer = undecided_family(ruleset, condition, kind, relation, where, wrong.text)
        found = {"parameters": dict(wrong.parameters), "position": list(wrong.position)}
        return answer | {"status": "refuted", **found}
    proof = decide(family, Budget(seconds, memory=memory))
    answer = _document(proof)
    if proof.status != "found" and not proof.failures:
        return answer
    with TemporaryDirectory() as temporary:
        path = write(proof, Path(temporary if folder is None else folder)).as_posix()
        checked = check_family(path, seconds)
    answer |= {"checked": checked}
    kept = path if folder is not None else None
    if checked["every_member"]:
        why = f"{proof.why}; it contradicts itself for every member"
        return answer | {"why": why, "every_member": _everywhere(proof, kept)}
    if proof.failures:  # the counterexample stands
        return answer | {"checked": None}
    if checked["status"] == "proved":
        return answer | {"status": "proved", "certificate": kept}
    return answer | {"status": "undecided", "why": f"the check of {path} says: {checked['why']}"}


def undecided_family(
    ruleset: str, condition: str, kind: RelationKind, relation: str, where: str, why: str
) -> dict[str, Any]:
    """Return what `attempt_family` would of an attempt that was ended from outside."""
    return {
        "status": "undecided",
        "why": why,
        "statement": Statement(ruleset, condition, relation, kind, where).statement.text,
        "ruleset": ruleset,
        "for": condition,
        "where": where,
        "relation": {"kind": kind, "formula": relation},
        "every_member": None,
        "certificate": None,
        "checked": None,
    }


def _everywhere(proof: FamilyProof, certificate: str | None) -> dict[str, Any]:
    """Return at which positions a relation is wrong for every member, and the certificate of that."""
    cases = [
        {
            "text": failure.text,
            "parameters": {name: str(value) for name, value in failure.case.parameters.items()},
            "position": {name: str(value) for name, value in failure.position.items()},
        }
        for failure in proof.failures
    ]
    return {"cases": cases, "certificate": certificate}


def _document(proof: FamilyProof) -> dict[str, Any]:
    family, wrong = proof.family, proof.counterexample
    return {
        "status": proof.status,
        "why": proof.why,
        "statement": family.statement.text,
        "ruleset": family.ruleset,
        "names": list(family.parameters),
        "for": family.condition,
        "where": family.where,
        "relation": {"kind": family.kind, "formula": family.relation},
        "parameters": dict(wrong.parameters) if wrong else None,
        "position": list(wrong.position) if wrong else None,
        "every_member": None,
        "cases": len(proof.cases),
        "states": proof.states,
        "members": proof.members,
        "certificate": None,
        "checked": None,
        "seconds": round(proof.seconds, 2),
    }
