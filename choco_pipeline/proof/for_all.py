"""Claims decided for all parameters at once: proved, or false for some, or how far it went; what is known is kept.

A claim says with `for_all` for which natural numbers. The family of games and the relation are read off the claim, and decided
by `choco_pipeline.proof.uniform`; what comes of it is a verdict on all of them, or, if it is refuted, on the parameters of the
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

from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import (
    AllParameters,
    ClaimVerdict,
    FalseEverywhere,
)
from choco_pipeline.claims.language.verdict import Proved, Undecided
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.checker import check_family
from choco_pipeline.proof.clock import Budget, Clock
from choco_pipeline.proof.games.certificate import engine_version
from choco_pipeline.proof.spoken import require_spoken_of
from choco_pipeline.proof.trial import confirmed
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.family_certificate import write
from choco_pipeline.proof.uniform.family_prover import FamilyProof, decide
from choco_pipeline.provenance import digest, file_digest
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.schema import Quantity

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


def settle_for_all(
    document: Mapping[str, Any], seconds: float, memory: float, certificates: str | None
) -> ClaimVerdict:
    """Decide a claim for all parameters at once, in this process, and return the verdict.

    About so many seconds are searched, with so many GiB; who calls ends it if it takes much more at once. What an earlier
    search with the same code found is taken from the folder of certificates; without one it is a new search that keeps
    nothing. The verdict has `for_all`, unless it is refuted. Raises `DisagreementError` if solvers, or a table and the
    definition, contradict each other.
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
    verdict = _decided(claim, family, limits, folder, start)
    if folder is not None:
        _keep(family, limits, folder, verdict)
    return verdict


def verdict_for_all(
    claim: Claim,
    finding: Finding,
    certificate: str | None,
    start: float,
    command: str | None = None,
) -> ClaimVerdict:
    """Return what a run writes of a verdict on all parameters that satisfy the claim's condition."""
    condition = claim.statement.for_all
    assert condition is not None
    of = AllParameters(
        parameters=tuple(sorted(claim.parameters)),
        condition=condition.text,
        where=claim.where_for_all(),
    )
    seconds = time.perf_counter() - start
    verdict = ClaimVerdict.of(claim.id, {}, finding, seconds, for_all=of, certificate=certificate)
    by_command = {} if command is None else {"command": command}
    if isinstance(finding.verdict, Proved):
        text = f"proved for {of.text}: {finding.verdict.certificate}"
    else:
        text = f"for {of.text}: {verdict.text}"
    return verdict.model_copy(update={"text": text, **by_command})


def _decided(
    claim: Claim, family: Family, limits: Mapping[str, float], folder: Path | None, start: float
) -> ClaimVerdict:
    try:
        proof = _decide(family, limits)
    except ChocoError as error:
        return verdict_for_all(claim, Finding(Undecided(str(error))), None, start)
    if proof.status == "found":
        return _checked(claim, proof, limits, folder, start)
    if proof.counterexample is None:
        return verdict_for_all(claim, Finding(Undecided(proof.why)), None, start)
    game = family.description.member(proof.counterexample.parameters)
    parameters = claim.match(game.notation)
    if parameters is None:
        why = f"{proof.why}, of which the claim does not speak"
        return verdict_for_all(claim, Finding(Undecided(why)), None, start)
    finding = confirmed(claim, parameters, game, proof.counterexample)
    if proof.failures:
        every = _everywhere(claim, proof, limits["seconds"], folder)
        finding = finding.with_evidence(every)
    seconds = time.perf_counter() - start
    return ClaimVerdict.of(claim.id, parameters, finding, seconds, certificate=None)


def _decide(family: Family, limits: Mapping[str, float]) -> FamilyProof:
    return decide(family, Budget(limits["seconds"], memory=NEARLY * limits["memory"]))


def _checked(
    claim: Claim, proof: FamilyProof, limits: Mapping[str, float], folder: Path | None, start: float
) -> ClaimVerdict:
    """Return that a claim is proved, if the check, which shares no code with the search, says so of the certificate."""
    path, answer = _written(proof, limits["seconds"], folder)
    if answer["status"] != "proved":
        why = f"a proof was found, but its check says: {answer['why']}"
        return verdict_for_all(claim, Finding(Undecided(why)), None, start)
    kept = None if folder is None else path.as_posix()
    reach = claim.reach
    domain = Proved(kept or claim.command_for_all, reach=None if reach is None else reach.text)
    beyond: Mapping[str, Any] = {}
    if reach is not None:
        # Where it is false for every member just beyond its bound, if that is found.
        further = _decide(family_of(claim, beyond=1), limits)
        beyond = _everywhere(claim, further, limits["seconds"], folder) if further.failures else {}
    finding = Finding(domain, {**_evidence(proof, answer), **beyond})
    return verdict_for_all(claim, finding, kept, start, command=claim.command_for_all)


def _written(
    proof: FamilyProof, seconds: float, folder: Path | None
) -> tuple[Path, Mapping[str, Any]]:
    """Write a certificate, for good if there is a folder for it, and return what its check says."""
    with TemporaryDirectory() as temporary:
        path = write(proof, Path(temporary) if folder is None else folder / FOLDER)
        return path, check_family(path.as_posix(), seconds)


def _everywhere(
    claim: Claim, proof: FamilyProof, seconds: float, folder: Path | None
) -> Mapping[str, Any]:
    """Return, as evidence, at which positions a relation is false for every member, if the check of that says so, too."""
    path, answer = _written(proof, seconds, folder)
    if not answer["every_member"]:
        return {}
    assert claim.statement.for_all is not None
    every = FalseEverywhere(
        parameters=tuple(sorted(claim.parameters)),
        condition=claim.statement.for_all.text,
        where=proof.family.where,
        positions=tuple(failure.text for failure in proof.failures),
        engines=tuple(answer["engines"]),
        certificate=None if folder is None else path.as_posix(),
    )
    return {"every_member": every.model_dump(mode="json")}


def _evidence(proof: FamilyProof, checked: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "engines": checked["engines"],
        "cases": len(proof.cases),
        "abstract_states": proof.states,
        "members": proof.members,
        "conditions": checked["conditions"],
        "tables": checked["members"],
        "alone": len(checked["alone"]),
    }


def _known(family: Family, limits: Mapping[str, float], folder: Path) -> ClaimVerdict | None:
    """Return what was found of a family, if it is of this code and these solvers; undecided only within the same limits.

    Of a proof, the certificate must be there as it was written, byte by byte. It is not decided again.
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
    return {
        "own": engine_version(),
        "z3": version("z3-solver"),
        "cvc5": version("cvc5"),
    }


def _path(family: Family, folder: Path) -> Path:
    return folder / OUTCOMES / f"{digest(_question(family))}.json"
