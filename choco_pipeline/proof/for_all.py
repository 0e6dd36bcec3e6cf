"""Statements decided for all parameters at once: the search, its certificate, the check of it, and a cache of verdicts.

A search (`choco_pipeline.proof.uniform`) only suggests: `checker/families.py`, which shares no code with it, decides. A claim
has the condition on its parameters in `for_all`. Its verdict is on all of them or, if it is refuted, on the parameters of the
counterexample, which a table must then confirm.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    AllParameters,
    ClaimVerdict,
    FalseEverywhere,
    Finding,
    Proved,
    Undecided,
)
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.checker import check_family
from choco_pipeline.proof.clock import Budget, Clock
from choco_pipeline.proof.games.certificate import engine_version
from choco_pipeline.proof.spoken import require_spoken_of
from choco_pipeline.proof.trial import Refutation, RelationKind, Statement, confirmed
from choco_pipeline.proof.uniform.family import Family
from choco_pipeline.proof.uniform.family_certificate import write
from choco_pipeline.proof.uniform.family_prover import FamilyProof, decide
from choco_pipeline.provenance import digest, file_digest
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity

FORMAT = 4
#: Certificates of families lie in a folder of their own in that of the games', and what is known of them in another.
FOLDER, OUTCOMES = "families", "outcomes/families"
#: Games whose tables use the kernels of those of families.
LOADED_FOR: Mapping[str, Quantity] = {
    "solid-bar(f=(x+z)//3)": "grundy",
    "step-bar(k=2, s=0)": "grundy",
}
#: The part of the memory at which a search ends itself and says where it stood; who calls ends it at the whole.
NEARLY = 0.9


def family_of(claim: Claim, beyond: int = 0) -> Family:
    """Return the family of games and the relation that a claim with `for_all` is about, or with a larger `reach`.

    Raises `FamilyError` if they are of a kind that has no obligations.
    """
    statement, given = claim.statement, claim.determined
    assert statement.ruleset is not None
    assert statement.for_all is not None
    assert given is not None
    condition, where = statement.for_all.text, claim.where_for_all(beyond)
    return Family.read(statement.ruleset, condition, given.formula.text, given.quantity, where)


def load() -> None:
    """Load what decisions need, beside the solvers: tables, whose packages take longer to import than most decisions."""
    for game, quantity in LOADED_FOR.items():
        table(parse_ruleset(game), 2, quantity)


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
    """Decide a statement on a family, for all parameters at once, in this process.

    The statement is as for `Family.read`. About this many seconds are searched, and as many checked; the folder receives the
    certificate. The answer is printed by ``choco prove --for --json``: ``status`` is ``proved``, ``refuted`` or
    ``undecided``; ``checked`` is the verdict on the certificate, None without one. Raises `FamilyError` if the game,
    the condition or the relation is of a kind that has no obligations; `DisagreementError` if two judges contradict each other.
    """
    try:
        family = Family.read(ruleset, condition, relation, kind, where)
    except ChocoError:
        wrong, _ = Statement(ruleset, condition, relation, kind, where).refutation()
        if wrong is None:
            raise
        answer = undecided_family(ruleset, condition, kind, relation, where, wrong.text)
        return answer | {"status": "refuted"} | _counterexample(wrong)
    proof = decide(family, Budget(seconds, memory=memory))
    answer = {
        "status": proof.status,
        "why": proof.why,
        "statement": family.statement.text,
        "ruleset": family.ruleset,
        "names": list(family.parameters),
        "for": family.condition,
        "where": family.where,
        "relation": {"kind": family.kind, "formula": family.relation},
        **_counterexample(proof.counterexample),
        "every_member": None,
        "cases": len(proof.cases),
        "states": proof.states,
        "members": proof.members,
        "certificate": None,
        "checked": None,
        "seconds": round(proof.seconds, 2),
    }
    if proof.status != "found" and not proof.failures:
        return answer
    kept, checked = _checked(proof, seconds, None if folder is None else Path(folder))
    if checked["every_member"]:
        why = f"{proof.why}; it contradicts itself for every member"
        cases = [
            {
                "text": failure.text,
                "parameters": {n: str(value) for n, value in failure.case.parameters.items()},
                "position": {n: str(value) for n, value in failure.position.items()},
            }
            for failure in proof.failures
        ]
        every = {"cases": cases, "certificate": kept}
        return answer | {"why": why, "checked": checked, "every_member": every}
    if proof.failures:  # the counterexample stands
        return answer
    if checked["status"] == "proved":
        return answer | {"status": "proved", "checked": checked, "certificate": kept}
    why = f"the check of {kept or 'the certificate'} says: {checked['why']}"
    return answer | {"status": "undecided", "why": why, "checked": checked}


def undecided_family(
    ruleset: str, condition: str, kind: RelationKind, relation: str, where: str, why: str
) -> dict[str, Any]:
    """Return the answer of `attempt_family` for an attempt that was ended from outside."""
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


def _counterexample(wrong: Refutation | None) -> dict[str, Any]:
    return {
        "parameters": dict(wrong.parameters) if wrong else None,
        "position": list(wrong.position) if wrong else None,
    }


def _checked(
    proof: FamilyProof, seconds: float, folder: Path | None
) -> tuple[str | None, Mapping[str, Any]]:
    """Write a certificate; return its path, if there is a folder to keep it, and the verdict of its check."""
    with TemporaryDirectory() as temporary:
        path = write(proof, folder or Path(temporary)).as_posix()
        return path if folder is not None else None, check_family(path, seconds)


def settle_for_all(
    document: Mapping[str, Any], seconds: float, memory: float, certificates: str | None
) -> ClaimVerdict:
    """Decide a claim for all parameters at once, in this process, and return the verdict.

    About this many seconds are searched, with this many GiB; the caller ends a search that takes much more at once. The
    verdict of an earlier search with the same code is taken from the folder of certificates; without one it is a new search
    that keeps nothing. The verdict has `for_all`, unless it is refuted. Raises `DisagreementError` if solvers, or a table and
    the definition, contradict each other.
    """
    start = time.perf_counter()
    claim = Claim.from_json(document)
    try:
        require_spoken_of(claim, Clock(seconds))
        family = family_of(claim)
    except ChocoError as error:
        return verdict_for_all(claim, Finding(Undecided(str(error))), None, start)
    folder = None if certificates is None else Path(certificates)
    limits = {"seconds": seconds, "memory": memory}
    if folder is not None and (known := _known(family, limits, folder)) is not None:
        return known.model_copy(update={"claim": claim.id})
    finding, parameters, certificate = _decided(claim, family, limits, folder)
    if parameters is None:
        verdict = verdict_for_all(claim, finding, certificate, start)
    else:
        spent = time.perf_counter() - start
        verdict = ClaimVerdict.of(claim.id, parameters, finding, spent, certificate=None)
    if folder is not None:
        _keep(family, limits, folder, verdict)
    return verdict


def verdict_for_all(
    claim: Claim, finding: Finding, certificate: str | None, start: float
) -> ClaimVerdict:
    """Return the verdict of a run on all parameters that satisfy the claim's condition."""
    condition = claim.statement.for_all
    assert condition is not None
    of = AllParameters(
        parameters=tuple(sorted(claim.parameters)),
        condition=condition.text,
        where=claim.where_for_all(),
    )
    seconds = time.perf_counter() - start
    verdict = ClaimVerdict.of(claim.id, {}, finding, seconds, for_all=of, certificate=certificate)
    if not isinstance(finding.verdict, Proved):
        return verdict.model_copy(update={"text": f"for {of.text}: {verdict.text}"})
    text = f"proved for {of.text}: {finding.verdict.certificate}"
    return verdict.model_copy(update={"text": text, "command": claim.command_for_all})


def _decided(
    claim: Claim, family: Family, limits: Mapping[str, float], folder: Path | None
) -> tuple[Finding, Mapping[str, int] | None, str | None]:
    """Return the finding, the parameters of a counterexample, and the certificate of a proof."""

    def undecided(why: str) -> tuple[Finding, None, None]:
        return Finding(Undecided(why)), None, None

    try:
        proof = _search(family, limits)
    except ChocoError as error:
        return undecided(str(error))
    certificates = None if folder is None else folder / FOLDER
    wrong, reach = proof.counterexample, claim.reach
    if wrong is not None:
        game = family.description.member(wrong.parameters)
        parameters = claim.match(game.notation)
        if parameters is None:
            return undecided(f"{proof.why}, of which the claim does not speak")
        finding = confirmed(claim, parameters, game, wrong)
        every = _everywhere(claim, proof, limits["seconds"], certificates)
        return finding.with_evidence(every), parameters, None
    if proof.status != "found":
        return undecided(proof.why)
    kept, answer = _checked(proof, limits["seconds"], certificates)
    if answer["status"] != "proved":
        return undecided(f"a proof was found, but its check says: {answer['why']}")
    evidence = {
        "engines": answer["engines"],
        "cases": len(proof.cases),
        "abstract_states": proof.states,
        "members": proof.members,
        "conditions": answer["conditions"],
        "tables": answer["members"],
        "alone": len(answer["alone"]),
    }
    if reach is not None:
        # Where it is false for every member just beyond its bound, if that is found.
        beyond = _search(family_of(claim, beyond=1), limits)
        evidence |= _everywhere(claim, beyond, limits["seconds"], certificates)
    domain = Proved(kept or claim.command_for_all, reach=None if reach is None else reach.text)
    return Finding(domain, evidence), None, kept


def _search(family: Family, limits: Mapping[str, float]) -> FamilyProof:
    return decide(family, Budget(limits["seconds"], memory=NEARLY * limits["memory"]))


def _everywhere(
    claim: Claim, proof: FamilyProof, seconds: float, folder: Path | None
) -> Mapping[str, Any]:
    """Return, as evidence, the positions at which a relation is false for every member, if there are any and the check confirms it."""
    if not proof.failures:
        return {}
    kept, answer = _checked(proof, seconds, folder)
    if not answer["every_member"]:
        return {}
    assert claim.statement.for_all is not None
    every = FalseEverywhere(
        parameters=tuple(sorted(claim.parameters)),
        condition=claim.statement.for_all.text,
        where=proof.family.where,
        positions=tuple(failure.text for failure in proof.failures),
        engines=tuple(answer["engines"]),
        certificate=kept,
    )
    return {"every_member": every.model_dump(mode="json")}


def _known(family: Family, limits: Mapping[str, float], folder: Path) -> ClaimVerdict | None:
    """Return an earlier verdict on a family, if it is of this code and these solvers; undecided only within the same limits.

    The certificate of a proof must be unchanged, byte for byte. It is not decided again.
    """
    try:
        known = read_record(_path(family, folder))
        if known["question"] != _question(family) or known["engines"] != _engines():
            return None
        verdict = ClaimVerdict.model_validate(known["verdict"])
        certificate = _certificate(verdict)
        if verdict.is_proved or certificate:
            path = Path(certificate or "")
            stands = path.parent == folder / FOLDER and known["sha256"] == file_digest(path)
        else:
            stands = verdict.verdict == "refuted" or all(
                limits[name] <= known["limits"][name] for name in limits
            )
    except (ChocoError, OSError, KeyError, TypeError, ValidationError):
        return None  # no such file, or nothing that can be read
    return verdict if stands else None


def _keep(family: Family, limits: Mapping[str, float], folder: Path, verdict: ClaimVerdict) -> None:
    path = _certificate(verdict)
    known = {
        "question": _question(family),
        "engines": _engines(),
        "limits": dict(limits),
        "sha256": None if path is None else file_digest(Path(path)),
        "verdict": verdict.document(),
    }
    write_record(_path(family, folder), known)


def _certificate(verdict: ClaimVerdict) -> str | None:
    """Return the certificate of a proof, or of a refutation for every member."""
    every = verdict.false_everywhere
    return verdict.certificate or (None if every is None else every.certificate)


def _question(family: Family) -> list[Any]:
    games = dict(family.description.documents)
    asked = [family.ruleset, games, family.condition, family.kind, family.relation]
    return [FORMAT, *asked, family.where]


def _engines() -> dict[str, str]:
    return {"own": engine_version(), "z3": version("z3-solver"), "cvc5": version("cvc5")}


def _path(family: Family, folder: Path) -> Path:
    return folder / OUTCOMES / f"{digest(_question(family))}.json"
