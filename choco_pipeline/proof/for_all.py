"""Statements decided for all parameters: search, certificate, check, cache.

The search (`choco_pipeline.proof.uniform`) only finds candidate proofs. `checker/families.py`, which shares no code with it, decides.
The `for_all` of a claim is the condition on its parameters. A verdict applies to all these parameters. A refutation applies to the
parameters of its counterexample, and a table must confirm it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    AllParameters,
    ClaimVerdict,
    FalseEverywhere,
    Finding,
    Proved,
    Undecided,
)
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.checker import check_family
from choco_pipeline.proof.clock import Budget
from choco_pipeline.proof.games.certificate import engine_version
from choco_pipeline.proof.implied_condition import require_implied_condition
from choco_pipeline.proof.records import Question
from choco_pipeline.proof.trial import Refutation, RelationKind, Statement, confirmed
from choco_pipeline.proof.uniform.family import Family
from choco_pipeline.proof.uniform.family_certificate import write
from choco_pipeline.proof.uniform.family_prover import FamilyProof, decide
from choco_pipeline.tables.computing import cells_of
from choco_pipeline.tables.spec import Quantity

#: Subfolders of the folder of certificates: certificates of families, and cached outcomes.
FOLDER, OUTCOMES = "families", "outcomes/families"
#: Games whose tables use the same kernels as members of families.
LOADED_FOR: Mapping[str, Quantity] = {
    "solid-bar(f=(x+z)//3)": "grundy",
    "step-bar(k=2, s=0)": "grundy",
}
#: Fraction of the memory limit at which a search ends and reports its state. The caller kills it at the limit.
NEARLY = 0.9


def family_of(claim: Claim, beyond: int = 0) -> Family:
    """Return the family of a claim with `for_all`, its reach enlarged by `beyond`.

    Raises `FamilyError` if obligations are not supported for this kind of game.
    """
    statement, given = claim.statement, claim.determined
    assert statement.ruleset is not None
    assert statement.for_all is not None
    assert given is not None
    condition, where = statement.for_all.text, claim.domain(beyond)
    return Family.read(statement.ruleset, condition, given.formula.text, given.quantity, where)


@cache
def load() -> None:
    """Load the kernels of tables, which takes longer than most decisions."""
    for game, quantity in LOADED_FOR.items():
        cells_of(parse_ruleset(game), 2, quantity)


def attempt_family(
    ruleset: str,
    condition: str,
    relation: str,
    kind: RelationKind,
    where: str,
    seconds: float,
    memory: float,
    folder: str | None,
) -> dict[str, Any]:
    """Decide a statement about a family, for all parameters at once, in this process.

    The statement is given as for `Family.read`. `seconds` limits the search, and again the check. The folder receives the certificate.
    The result is the output of ``choco prove --for --json``. ``status`` is ``proved``, ``refuted`` or ``undecided``. ``checked`` is the
    verdict on the certificate, None without one. Raises `FamilyError` if obligations are not supported for the game, the condition or
    the relation; `DisagreementError` if two engines contradict each other.
    """
    statement = Statement(ruleset, condition, relation, kind, where)
    try:
        family = Family.read(ruleset, condition, relation, kind, where)
    except ChocoError:
        wrong, _ = statement.refutation()
        if wrong is None:
            raise
        answer = undecided_family(statement, wrong.text)
        return answer | {"status": "refuted"} | _counterexample(wrong)
    proof, kept, checked = _judged(
        family, seconds, memory, None if folder is None else Path(folder)
    )
    answer = {
        **undecided_family(family, proof.why),
        "status": proof.status,
        "names": list(family.parameters),
        **_counterexample(proof.counterexample),
        "cases": len(proof.cases),
        "states": proof.states,
        "members": proof.members,
        "seconds": round(proof.seconds, 2),
    }
    if checked is None:
        return answer
    if checked["every_member"]:
        why = f"{proof.why}; the statement is false for every member"
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
    if proof.failures:  # the counterexample refutes one member, at least
        return answer
    if checked["status"] == "proved":
        return answer | {"status": "proved", "checked": checked, "certificate": kept}
    why = f"the check of {kept or 'the certificate'} says: {checked['why']}"
    return answer | {"status": "undecided", "why": why, "checked": checked}


def undecided_family(family: Statement, why: str) -> dict[str, Any]:
    """Return the answer for an attempt without a result, such as a killed one."""
    return {
        "status": "undecided",
        "why": why,
        "statement": family.statement.text,
        "ruleset": family.ruleset,
        "for": family.condition,
        "where": family.where,
        "relation": {"kind": family.kind, "formula": family.relation},
        "every_member": None,
        "certificate": None,
        "checked": None,
    }


def _counterexample(wrong: Refutation | None) -> dict[str, Any]:
    return {
        "parameters": dict(wrong.parameters) if wrong else None,
        "position": list(wrong.position) if wrong else None,
    }


def _judged(
    family: Family, seconds: float, memory: float, folder: Path | None
) -> tuple[FamilyProof, str | None, Mapping[str, Any] | None]:
    """Search, write a certificate, and check it.

    Return the search result, the certificate's path in `folder` if there is one, and the verdict of the check, None without a
    certificate.
    """
    proof = decide(family, Budget(seconds, memory=NEARLY * memory))
    if proof.status != "found" and not proof.failures:
        return proof, None, None
    with TemporaryDirectory() as temporary:
        path = write(proof, folder or Path(temporary)).as_posix()
        return proof, None if folder is None else path, check_family(path, seconds)


def settle_for_all(
    document: Mapping[str, Any], seconds: float, memory: float, certificates: str | None
) -> ClaimVerdict:
    """Return the verdict on a claim for all parameters, decided in this process.

    `seconds` and `memory` (GiB) limit the search; the caller must kill a search that exceeds them by far. If `certificates` is given,
    the verdict of an earlier search with the same code is read from that folder, and a new verdict is stored there. The verdict has
    `for_all`, unless it is refuted. Raises `DisagreementError` if solvers, or a table and the definition, contradict each other.
    """
    load()
    start = time.perf_counter()
    claim = Claim.from_json(document)
    try:
        require_implied_condition(claim, seconds)
        family = family_of(claim)
    except ChocoError as error:
        return verdict_for_all(claim, Finding(Undecided(str(error))), None, start)
    if certificates is None:
        return _decided(claim, family, seconds, memory, None, start)
    games = dict(family.description.documents)
    inputs = (family.ruleset, games, family.condition, family.kind, family.relation, family.where)
    engines = {"own": engine_version(), "z3": version("z3-solver"), "cvc5": version("cvc5")}
    limits = {"seconds": seconds, "memory": memory}
    folder, outcomes = Path(certificates) / FOLDER, Path(certificates) / OUTCOMES
    question = Question(ClaimVerdict, folder, outcomes, inputs, engines, limits)
    if (known := question.find()) is not None:
        return known.model_copy(update={"claim": claim.id})
    verdict = _decided(claim, family, seconds, memory, folder, start)
    question.add(verdict)
    return verdict


def verdict_for_all(
    claim: Claim, finding: Finding, certificate: str | None, start: float
) -> ClaimVerdict:
    """Return a verdict for all parameters that satisfy the claim's condition."""
    condition = claim.statement.for_all
    assert condition is not None
    of = AllParameters(
        parameters=tuple(sorted({*claim.parameters, *condition.names})),
        condition=condition.text,
        where=claim.domain(),
    )
    seconds = time.perf_counter() - start
    verdict = ClaimVerdict.of(claim.id, {}, finding, seconds, for_all=of, certificate=certificate)
    if not isinstance(finding.verdict, Proved):
        return verdict.model_copy(update={"text": f"for {of.text}: {verdict.text}"})
    text = f"proved for {of.text}: {finding.verdict.certificate}"
    return verdict.model_copy(update={"text": text, "command": claim.command_for_all})


def _decided(
    claim: Claim, family: Family, seconds: float, memory: float, folder: Path | None, start: float
) -> ClaimVerdict:
    """Return the verdict of a search, whose certificate is kept in `folder`."""

    def undecided(why: str) -> ClaimVerdict:
        return verdict_for_all(claim, Finding(Undecided(why)), None, start)

    try:
        proof, kept, answer = _judged(family, seconds, memory, folder)
    except ChocoError as error:
        return undecided(str(error))
    wrong, reach = proof.counterexample, claim.reach
    if wrong is not None:
        game = family.description.member(wrong.parameters)
        parameters = claim.match(game.notation)
        if parameters is None:
            return undecided(f"{proof.why}, but the claim is not about this game")
        finding = confirmed(claim, parameters, game, wrong)
        finding = finding.with_evidence(_everywhere(claim, proof, kept, answer))
        spent = time.perf_counter() - start
        return ClaimVerdict.of(claim.id, parameters, finding, spent, certificate=None)
    if proof.status != "found" or answer is None:
        return undecided(proof.why)
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
        # Positions just beyond the bound that refute the formula for every member, if any are found.
        evidence |= _everywhere(
            claim, *_judged(family_of(claim, beyond=1), seconds, memory, folder)
        )
    domain = Proved(kept or claim.command_for_all, reach=None if reach is None else reach.text)
    return verdict_for_all(claim, Finding(domain, evidence), kept, start)


def _everywhere(
    claim: Claim, proof: FamilyProof, kept: str | None, answer: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    """Return evidence: positions that refute the statement for every member."""
    if not proof.failures or answer is None or not answer["every_member"]:
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
