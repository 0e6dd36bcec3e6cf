"""Statements on integers, decided for all integers, and claims for all parameters: one work order, one document of verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.documents.record import read_record_as
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.proof.for_all import load, settle_for_all, verdict_for_all
from choco_pipeline.proof.lemmas.follows import ask_checker_of_steps, settle_following
from choco_pipeline.proof.limits import Limited, limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.proof_orders import StatementProofOrder
from choco_pipeline.proof.statements.decided_integers import decide_integers
from choco_pipeline.proof.task import (
    NO_MEMORY,
    PREPARED_BY,
    asked_again,
    certified,
    write_proof_record,
)
from choco_pipeline.proof.task import warm_up as warm_up  # for children, as `PREPARED_BY` names it
from choco_pipeline.stages import Stage

#: A claim as `Claim.as_json` wrote it.
Document = Mapping[str, Any]


def decide_order(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Decide the statements of a work order, each in a child process under the order's limits.

    Raises `DisagreementError` if two engines, or an engine and the definition, contradict each other. The order is a
    `StatementProofOrder`. The other file receives ``{"verdicts": […]}`` as `choco_pipeline.proof.task.prove_order` writes them,
    whole or not at all: for each choice of a statement's fixed integers one, with these as its parameters; a certificate, if it
    is proved; of claims for all parameters as `settle_for_all` returns them, those that follow from others after these.
    ``"killed"`` is as there. The report is called as ``report(Stage.PROVE, proofs=1)`` for each statement; numbers of
    statements and of verdicts are returned.
    """
    order = read_record_as(StatementProofOrder, Path(order_file))
    verdicts: list[ClaimVerdict] = []
    with limited(PREPARED_BY) as prover:
        limits = (order.seconds, order.memory)
        folder = order.certificates
        for claim in order.claims.values():
            if claim["follows_from"] is not None:
                continue
            if claim["for_all"] is not None:
                verdicts.append(settled_for_all(claim, *limits, folder, prover))
            else:
                settled_now = settled(claim, *limits, prover)
                verdicts += (certified(result, claim, None, Path(folder)) for result in settled_now)
            report(Stage.PROVE, proofs=1)
        known = {verdict.claim: verdict for verdict in verdicts}
        for claim in following(order.claims):
            follows = settled_following(claim, order.claims, known, *limits, folder, prover)
            known[claim["id"]] = ask_checker_of_steps(follows)
            verdicts.append(known[claim["id"]])
            report(Stage.PROVE, proofs=1)
    _, verdicts = asked_again([], verdicts)
    documents = [verdict.document() for verdict in verdicts]
    write_proof_record(out_file, {"format": order.format, "verdicts": documents}, prover)
    return {"statements": len(order.claims), "verdicts": len(verdicts)}


def settled(
    claim: Mapping[str, Any], seconds: float, memory: float, prover: Limited
) -> list[ClaimVerdict]:
    """Decide one statement in a child process under limits, and return its verdicts: at least one."""
    start = time.perf_counter()
    limits = {"seconds": seconds, "memory": memory}
    try:
        verdicts = prover.call(settle_statement, claim, seconds, what="the decision", **limits)
    except UndecidedError as error:
        finding = Finding(Undecided(str(error)))
        took = time.perf_counter() - start
        claim_id = Claim.from_json(claim).id
        return [ClaimVerdict.of(claim_id, {}, finding, took, certificate=None)]
    return [ClaimVerdict.model_validate(document) for document in verdicts]


def settled_for_all(
    claim: Mapping[str, Any],
    seconds: float,
    memory: float,
    certificates: str | None,
    prover: Limited,
) -> ClaimVerdict:
    """Decide a claim for all parameters at once in a child process under limits, as `settle_for_all`.

    What z3 finds depends on what it was asked before: so in a copy of the child that has asked it nothing.
    """
    start = time.perf_counter()
    limits = {"seconds": seconds, "memory": memory}
    asked = (settle_for_all, dict(claim), seconds, memory, certificates)
    try:
        decided = prover.call_in_a_copy(*asked, loaded_by=load, what="the decision", **limits)
        return ClaimVerdict.model_validate(decided)
    except UndecidedError as error:
        return verdict_for_all(Claim.from_json(claim), Finding(Undecided(str(error))), None, start)


def following(claims: Mapping[str, Document]) -> list[Document]:
    """Return the claims that follow from others, each after its premises."""
    waiting = [claim for claim in claims.values() if claim["follows_from"] is not None]
    documents: list[Document] = []
    while waiting:
        open_ids = {claim["id"] for claim in waiting}
        ready = [c for c in waiting if open_ids.isdisjoint(c["follows_from"]["claims"])]
        if not ready:  # a catalogue has no circle
            raise ConfigError(f"claims follow from each other: {', '.join(sorted(open_ids))}")
        documents += ready
        waiting = [claim for claim in waiting if claim not in ready]
    return documents


def settled_following(
    claim: Document,
    claims: Mapping[str, Document],
    known: Mapping[str, ClaimVerdict],
    seconds: float,
    memory: float,
    certificates: str | None,
    prover: Limited,
) -> ClaimVerdict:
    """Decide a claim that follows from others in a child process under limits, as `settle_following`.

    `claims` are all claims by id, and `known` the verdicts for all parameters.
    """
    start = time.perf_counter()
    limits = {"seconds": seconds, "memory": memory}
    ids = claim["follows_from"]["claims"]
    try:
        for claim_id in ids:
            if claim_id not in claims:
                raise UndecidedError(
                    f"it follows from {claim_id}, which is not decided for all parameters at once"
                )
        premises = [claims[claim_id] for claim_id in ids]
        decided = [known[claim_id].document() if claim_id in known else None for claim_id in ids]
        asked = (settle_following, dict(claim), premises, decided, seconds, certificates)
        return ClaimVerdict.model_validate(prover.call(*asked, what="the decision", **limits))
    except UndecidedError as error:
        return verdict_for_all(Claim.from_json(claim), Finding(Undecided(str(error))), None, start)


def settle_statement(claim: Mapping[str, Any], seconds: float) -> list[ClaimVerdict]:
    """Decide one statement, in this process, and return its verdicts."""
    start = time.perf_counter()
    statement = Claim.from_json(claim)
    try:
        cases = decide_integers(statement, seconds=seconds)
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else NO_MEMORY
        cases = [({}, Finding(Undecided(why)))]
    each = (time.perf_counter() - start) / len(cases)
    return [
        ClaimVerdict.of(statement.id, fixed, finding, each, certificate=None)
        for fixed, finding in cases
    ]
