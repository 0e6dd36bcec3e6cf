"""Proving games and deciding claims on what is proved: one work order, one document of proofs and verdicts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from choco_pipeline.claims.checks.judgement import depends_on_position
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Proved, Undecided, verdict_fields
from choco_pipeline.documents.record import read_record_as, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.attempt import attempt, describe, proof_of
from choco_pipeline.proof.checker import CHECKER_SECONDS, ask_checker
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.earlier_proofs import EarlierProofs
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.proof_outcome import FormulaOfProof, GameProof, ProofOutcome
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.limits import Limited, OverLimitError, limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.proof_orders import KILLED, GameToProve, ProofOrder
from choco_pipeline.proof.statements.claim_certificate import write_claim_certificate
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.proof.trial import Statement, confirmed
from choco_pipeline.stages import Stage

AnyProof = TypeVar("AnyProof", bound=ProofOutcome)
#: Looks for a formula, given a certificate and the seconds.
Describe = Callable[[str, float], FormulaOfProof | None]
#: Games whose proofs use everything that is compiled.
COMPILED_FOR: Mapping[str, Relation] = {
    "nim(2)": "p",
    "step-bar(k=2, s=0)": "grundy",
    "solid-bar(f=(x+z)//3)": "p",
}
#: What a child loads before its first clock runs: all that the orders of either kind need, so that it serves both.
PREPARED_BY = "choco_pipeline.proof.statement_task:warm_up"
#: A formula for what is proved is looked for this long, at most.
FORMULA_SECONDS = 5
NO_MEMORY = "there is too little memory"


def prove_order(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Prove what a work order names, write the certificates, and decide the claims on what is proved.

    Everything runs in a child process under the order's limits of time and memory: what breaks one is undecided, and the
    others go on. A game about which `EarlierProofs` knows is not searched again; claims are always decided anew. Raises
    `DisagreementError` if the engine contradicts the checker or the definition. The order is a `ProofOrder`. The
    other file receives ``{"proofs": […], "verdicts": […]}``, whole or not at all: a proof for each in the order, with the path
    of its certificate or null; and verdicts as `choco_pipeline.claims.task.check_shard` writes them, with ``"table": null`` and
    the path of the certificate, for the claims on games that are proved. It has ``"killed": true`` if somebody else has killed
    what is undecided for that reason: the next run asks it again. The report is called as ``report(Stage.PROVE, proofs=1)`` for
    each; numbers of proofs, found or not, and of verdicts are returned.
    """
    order = read_record_as(ProofOrder, Path(order_file))
    outcomes = EarlierProofs(Path(order.certificates))
    proofs: list[GameProof] = []
    verdicts: list[ClaimVerdict] = []
    with limited(PREPARED_BY) as prover:
        for todo in order.proofs:
            proof = outcomes.find(todo) or searched(todo, outcomes, prover)
            proofs.append(proof)
            limits = {"seconds": todo.seconds, "memory": todo.memory}
            for asked in todo.claims if proof.is_proved else ():
                claim = order.claims[asked.claim]
                verdicts.append(decided_on(claim, asked.parameters, proof, limits, prover))
            report(Stage.PROVE, proofs=1)
    proofs, verdicts = asked_again(proofs, verdicts)
    outcome = {
        "proofs": [proof.model_dump() for proof in proofs],
        "verdicts": [verdict.document() for verdict in verdicts],
    }
    write_proof_record(out_file, {"format": order.format, **outcome}, prover)
    return {"proofs": len(proofs), "verdicts": len(verdicts)}


def write_proof_record(out_file: str, content: Mapping[str, Any], prover: Limited) -> None:
    """Write what came of an order, and whether somebody else has killed what should have answered."""
    killed = {KILLED: True} if prover.was_killed else {}
    write_record(Path(out_file), {**content, **killed})


def asked_again(
    proofs: Sequence[GameProof], verdicts: Sequence[ClaimVerdict]
) -> tuple[list[GameProof], list[ClaimVerdict]]:
    """Return proofs and verdicts with what the checker says, asked once, so that games that claims share are decided once."""
    answers: list[GameProof | ClaimVerdict] = [*proofs, *verdicts]
    proved = [answer for answer in answers if _is_asked(answer)]
    agreed = iter(ask_checker([str(answer.certificate) for answer in proved], CHECKER_SECONDS))
    return (
        [
            answer.model_copy(update=vars(next(agreed))) if _is_asked(answer) else answer
            for answer in proofs
        ],
        [
            answer.with_evidence(vars(next(agreed))) if _is_asked(answer) else answer
            for answer in verdicts
        ],
    )


def _is_asked(answer: GameProof | ClaimVerdict) -> bool:
    """Return whether there is a certificate that the checker reads; families have others."""
    return answer.is_proved and (isinstance(answer, GameProof) or answer.for_all is None)


def warm_up() -> None:
    """Load what is compiled, or compile it, on small games, which first takes longer than their proofs."""
    for game, relation in COMPILED_FOR.items():
        prove(parse_ruleset(game), relation, math.inf)


def search(document: Mapping[str, Any], certificates: str) -> GameProof:
    """Look for the proof of one game, in this process, and write its certificate."""
    start = time.perf_counter()
    todo = GameToProve.model_validate(document)
    try:
        outcome = attempt(todo.ruleset, todo.relation, todo.seconds, certificates)
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else NO_MEMORY
        outcome = ProofOutcome.nothing(why, time.perf_counter() - start)
    return _of_game(todo, outcome)


def refuted_formula(document: Mapping[str, Any]) -> ClaimVerdict | None:
    """Return the verdict on what a claim says of one game, if a table refutes it, in this process."""
    start = time.perf_counter()
    claim = Claim.from_json(document)
    ruleset, given = claim.statement.ruleset, claim.determined
    assert ruleset is not None
    assert given is not None
    statement = Statement(ruleset, "", given.formula.text, given.quantity, claim.domain)
    wrong, _ = statement.refutation()
    if wrong is None:
        return None
    finding = confirmed(claim, {}, parse_ruleset(ruleset), wrong)
    seconds = time.perf_counter() - start
    return ClaimVerdict.of(claim.id, {}, finding, seconds, certificate=None)


def settle(
    claim: Mapping[str, Any], parameters: Mapping[str, int], certificate: str, seconds: float
) -> ClaimVerdict:
    """Decide one claim, in this process, on the automata of a certificate that was written by `search`."""
    start, clock = time.perf_counter(), Clock(seconds)
    proof = proof_of(certificate)
    statement = Claim.from_json(claim)
    try:
        finding = decide(statement, parameters, proof, certificate, seconds=seconds)
        is_proved = isinstance(finding.verdict, Proved) and statement.reach is not None
        if is_proved and depends_on_position(statement.parts.rest, statement.coordinates):
            finding = _told_beyond(
                finding, statement, parameters, proof, certificate, clock.left / 2
            )
    except (ChocoError, MemoryError) as error:
        finding = Finding(Undecided(str(error) if isinstance(error, ChocoError) else NO_MEMORY))
    seconds = time.perf_counter() - start
    return ClaimVerdict.of(statement.id, parameters, finding, seconds, certificate=certificate)


def _told_beyond(
    finding: Finding,
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    seconds: float,
) -> Finding:
    """Return a proof of a claim with a bound of its own, which says under ``without_reach`` if it is true without one."""
    further = claim.without_reach
    try:
        verdict = decide(further, parameters, proof, certificate, seconds=seconds).verdict
    except (ChocoError, MemoryError):  # a remark is not worth the proof
        return finding
    is_proved = isinstance(verdict, Proved)
    return finding.with_evidence({"without_reach": "proved"}) if is_proved else finding


def searched(todo: GameToProve, outcomes: EarlierProofs, prover: Limited) -> GameProof:
    """Look for the proof of one game as `search`, in a child process under its limits, and keep the outcome."""
    start = time.perf_counter()
    limits = {"seconds": todo.seconds, "memory": todo.memory}
    asked = (search, todo.model_dump(), outcomes.certificates.as_posix())
    try:
        proof = GameProof.model_validate(prover.call(*asked, what="the proof", **limits))
    except UndecidedError as error:
        seconds = time.perf_counter() - start
        proof = _of_game(todo, ProofOutcome.nothing(str(error), seconds))
        if not isinstance(error, OverLimitError):
            return proof  # killed by somebody else: next time may be better
    if proof.is_proved:
        limits["seconds"] = seconds = min(todo.seconds, FORMULA_SECONDS)
        assert proof.certificate is not None
        proof = with_formula(proof, limits, prover)
    outcomes.add(todo, proof)
    return proof


def with_formula(
    proof: AnyProof,
    limits: Mapping[str, float],
    prover: Limited,
    search: Describe = describe,
) -> AnyProof:
    """Return a proof with a formula for what is proved, if the search finds one within limits that ranks before the proof's."""
    asked = (search, proof.certificate, limits["seconds"])
    with suppress(UndecidedError):
        document = prover.call(*asked, what="the formula", **limits)
        formula = document and FormulaOfProof.model_validate(document)
        if formula and (proof.formula is None or formula.rank < proof.formula.rank):
            return proof.model_copy(update={"formula": formula})
    return proof


def decided_on(
    claim: Mapping[str, Any],
    parameters: Mapping[str, int],
    proof: ProofOutcome,
    limits: Mapping[str, float],
    prover: Limited,
) -> ClaimVerdict:
    """Decide one claim on a proved game as `settle`, in a child process under limits, and write the certificate if it is proved."""
    start = time.perf_counter()
    certificate = proof.certificate
    assert certificate is not None
    asked = (settle, claim, parameters, certificate, limits["seconds"])
    try:
        verdict = ClaimVerdict.model_validate(prover.call(*asked, what="the decision", **limits))
    except UndecidedError as error:
        finding = Finding(Undecided(str(error)))
        claim_id = Claim.from_json(claim).id
        seconds = time.perf_counter() - start
        verdict = ClaimVerdict.of(claim_id, parameters, finding, seconds, certificate=certificate)
    return certified(verdict, claim, proof_of(certificate), Path(certificate).parent)


def _of_game(todo: GameToProve, outcome: ProofOutcome) -> GameProof:
    asked = {name: getattr(todo, name) for name in ("ruleset", "relation", "sweep", "parameters")}
    return GameProof(**{**dict(outcome), **asked})


def certified(
    verdict: ClaimVerdict, claim: Mapping[str, Any], proof: Proof | None, folder: Path
) -> ClaimVerdict:
    """Return a verdict, with the certificate of its claim if that is proved."""
    plain = verdict.as_verdict
    if not isinstance(plain, Proved):
        return verdict
    stated = Claim.from_json(claim)
    path = write_claim_certificate(stated, verdict.parameters, proof, folder).as_posix()
    fields = verdict_fields(replace(plain, certificate=path))
    return verdict.model_copy(update={**fields, "certificate": path})
