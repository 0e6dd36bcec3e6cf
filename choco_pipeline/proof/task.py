"""Proving games and deciding claims on what is proved: one work order, one document of proofs and verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.verdict import Undecided, verdict_to_json
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.certificate import write_certificate
from choco_pipeline.proof.claims import decide
from choco_pipeline.proof.prove import Proof, prove


def prove_order(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Prove what a work order names, write the certificates, and decide the claims on what is proved.

    What is too large for the engines, or takes them longer than its limit, is undecided, and the others go on; a limit is
    about kept, since it is looked at between steps. Memory is bounded only in so far as the engines bound the automata
    that they make; a worker that outgrows its share is killed all the same, and then this order fails.

    Parameters
    ----------
    order_file
        The work order: what is to be proved, with the claims to decide on each, and the claims as `Claim.as_json` wrote
        them.
    out_file
        Receives ``{"proofs": […], "verdicts": […]}``, whole or not at all: a proof for each in the order, with the path
        of its certificate or null; and verdicts as `choco_pipeline.claims.task.check_shard` writes them, with
        ``"table": null`` and the path of the certificate, for the claims on games that are proved.
    report
        Called as ``report("proofs", proofs=1)`` for each.

    Returns
    -------
    dict
        Numbers of proofs, found or not, and of verdicts.

    Raises
    ------
    DisagreementError
        If two engines, or an engine and the definition, contradict each other.
    """
    order = read_json(Path(order_file))
    claims = {claim_id: Claim.from_json(document) for claim_id, document in order["claims"].items()}
    proofs, verdicts = [], []
    for todo in order["proofs"]:
        document, proof = _proved(todo, Path(order["certificates"]))
        proofs.append(document)
        if proof is not None:
            for one in todo["claims"]:
                claim = claims[one["claim"]]
                verdicts.append(_verdict(claim, one["parameters"], proof, document, todo))
        report("proofs", proofs=1)
    write_json(Path(out_file), {"format": order["format"], "proofs": proofs, "verdicts": verdicts})
    return {"proofs": len(proofs), "verdicts": len(verdicts)}


def _proved(todo: Mapping[str, Any], certificates: Path) -> tuple[dict[str, Any], Proof | None]:
    """Return what the ledger says of a game, and the proof if there is one."""
    start = time.perf_counter()
    document: dict[str, Any] = {name: todo[name] for name in ("ruleset", "relation", "parameters")}
    try:
        proof = prove(parse_ruleset(todo["ruleset"]), todo["relation"], seconds=todo["seconds"])
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else "there is too little memory"
        seconds = round(time.perf_counter() - start, 4)
        nothing = {"states": [], "engines": [], "seconds": seconds, "growth": []}
        return {**document, "status": "undecided", "why": why, **nothing, "certificate": None}, None
    is_proved = proof.status == "proved"
    path = write_certificate(proof, certificates).as_posix() if is_proved else None
    document |= {
        "status": proof.status,
        "why": proof.why,
        "states": list(proof.states),
        "engines": list(proof.engines),
        "seconds": round(proof.seconds, 4),
        "growth": list(proof.growth),
        "certificate": path,
    }
    return document, proof if is_proved else None


def _verdict(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    document: Mapping[str, Any],
    todo: Mapping[str, Any],
) -> dict[str, Any]:
    start = time.perf_counter()
    certificate = document["certificate"]
    try:
        finding = decide(claim, parameters, proof, certificate, seconds=todo["seconds"])
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else "there is too little memory"
        finding = Finding(Undecided(why))
    return {
        "claim": claim.id,
        "table": None,
        "parameters": dict(parameters),
        **verdict_to_json(finding.verdict),
        "evidence": finding.evidence,
        "certificate": certificate,
        "seconds": round(time.perf_counter() - start, 4),
    }
