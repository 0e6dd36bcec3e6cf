"""Proving games and deciding claims on what is proved: one work order, one document of proofs and verdicts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from choco_pipeline.claims.kinds import GrundyNumbers, Options, PPositions
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Proved,
    Undecided,
    verdict_from_json,
    verdict_to_json,
)
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.arithmetic.engines import installed_engines
from choco_pipeline.proof.attempt import attempt, describe, nothing_found, proof_of
from choco_pipeline.proof.checker import ask_checker
from choco_pipeline.proof.games.earlier_proofs import EarlierProofs
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.limits import Limited, OverLimitError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.claim_certificate import agreed, write_claim_certificate
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.stages import Stage

#: Games whose proofs use everything that is compiled.
COMPILED_FOR: Mapping[str, Relation] = {
    "nim(2)": "p",
    "step-bar(k=2, s=0)": "grundy",
    "solid-bar(f=(x+z)//3)": "p",
}
#: A formula for what is proved is looked for this long, at most.
FORMULA_SECONDS = 5
#: The checker is asked about each certificate for so long in a run; most take less.
CHECKER_SECONDS = 1.0
NO_MEMORY = "there is too little memory"


def prove_order(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, int]:
    """Prove what a work order names, write the certificates, and decide the claims on what is proved.

    Everything runs in a child process under the order's limits of time and memory: what breaks one is undecided, and the
    others go on. A game about which `EarlierProofs` knows is not searched again; claims are always decided anew.

    Parameters
    ----------
    order_file
        The work order: what is to be proved, within how many ``seconds`` and how many GiB of ``memory``, with the claims
        to decide on each; and the claims as `Claim.as_json` wrote them.
    out_file
        Receives ``{"proofs": […], "verdicts": […]}``, whole or not at all: a proof for each in the order, with the path
        of its certificate or null; and verdicts as `choco_pipeline.claims.task.check_shard` writes them, with
        ``"table": null`` and the path of the certificate, for the claims on games that are proved.
    report
        Called as ``report(Stage.PROVE, proofs=1)`` for each.

    Returns
    -------
    dict
        Numbers of proofs, found or not, and of verdicts.

    Raises
    ------
    DisagreementError
        If two engines, or an engine and the definition, contradict each other.
    """
    order = read_record(Path(order_file))
    outcomes = EarlierProofs(Path(order["certificates"]))
    proofs, verdicts = [], []
    with Limited(f"{__name__}:warm_up") as prover:
        for todo in order["proofs"]:
            document = outcomes.find(todo) or _searched(todo, outcomes, prover)
            proofs.append(document)
            if document["status"] == "proved":
                for one in todo["claims"]:
                    claim = order["claims"][one["claim"]]
                    verdicts.append(_decided(claim, one["parameters"], document, todo, prover))
            report(Stage.PROVE, proofs=1)
    asked_again(proofs, verdicts)
    write_record(
        Path(out_file), {"format": order["format"], "proofs": proofs, "verdicts": verdicts}
    )
    return {"proofs": len(proofs), "verdicts": len(verdicts)}


def asked_again(proofs: Sequence[dict[str, Any]], verdicts: Sequence[dict[str, Any]]) -> None:
    """Add what the checker says to proofs and verdicts, in one call, in which games that claims share are decided once."""
    games = [(proof["certificate"], proof) for proof in proofs if proof["status"] == "proved"]
    claims = [(v["certificate"], v["evidence"]) for v in verdicts if v["verdict"] == "proved"]
    ask_checker([*games, *claims], CHECKER_SECONDS)


def warm_up() -> None:
    """Load what is compiled, or compile it, on small games, which first takes longer than their proofs; try MONA."""
    installed_engines()
    for game, relation in COMPILED_FOR.items():
        prove(parse_ruleset(game), relation, engines=["own"], seconds=math.inf)


def search(todo: Mapping[str, Any], certificates: str) -> dict[str, Any]:
    """Look for the proof of one game, in this process, and write its certificate.

    Parameters
    ----------
    todo
        ``ruleset``, ``relation``, ``sweep``, ``parameters`` and ``seconds``.
    certificates
        The folder.

    Returns
    -------
    dict
        What the ledger says of the game.
    """
    start = time.perf_counter()
    ruleset, relation = todo["ruleset"], todo["relation"]
    try:
        found = attempt(ruleset, relation, None, todo["seconds"], certificates)
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else NO_MEMORY
        found = nothing_found(why, time.perf_counter() - start)
    return found | _asked(todo)


def settle(
    claim: Mapping[str, Any], parameters: Mapping[str, int], certificate: str, seconds: float
) -> dict[str, Any]:
    """Decide one claim, in this process, on the automata of a certificate that was written by `search`.

    Returns
    -------
    dict
        The verdict.
    """
    start = time.perf_counter()
    proof = proof_of(certificate)
    statement = Claim.from_json(claim)
    try:
        finding = decide(statement, parameters, proof, certificate, seconds=seconds)
        is_bounded = statement.statement.reach is not None and isinstance(
            statement.check, PPositions | GrundyNumbers | Options
        )
        if is_bounded and isinstance(finding.verdict, Proved):
            left = (start + seconds - time.perf_counter()) / 2
            finding = _told_beyond(finding, statement, parameters, proof, certificate, left)
    except (ChocoError, MemoryError) as error:
        finding = Finding(Undecided(str(error) if isinstance(error, ChocoError) else NO_MEMORY))
    return verdict_document(
        statement.id, parameters, certificate, finding, time.perf_counter() - start
    )


def _told_beyond(
    finding: Finding,
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    seconds: float,
) -> Finding:
    """Return a proof of a claim with a bound of its own, which says under ``without_reach`` if it is true without one."""
    further = Claim(claim.statement.model_copy(update={"reach": None}))
    try:
        found = decide(further, parameters, proof, certificate, seconds=seconds).verdict
    except (ChocoError, MemoryError):  # a remark is not worth the proof
        return finding
    proved = {"without_reach": "proved"} if isinstance(found, Proved) else {}
    return Finding(finding.verdict, finding.evidence | proved)


def _searched(todo: Mapping[str, Any], outcomes: EarlierProofs, prover: Limited) -> dict[str, Any]:
    start = time.perf_counter()
    limits = {"seconds": todo["seconds"], "memory": todo["memory"]}
    arguments: tuple[Any, ...] = (dict(todo), outcomes.certificates.as_posix())
    try:
        found: dict[str, Any] = prover.call(
            f"{__name__}:search", *arguments, what="the proof", **limits
        )
    except UndecidedError as error:
        seconds = time.perf_counter() - start
        found = nothing_found(str(error), seconds) | _asked(todo)
        if not isinstance(error, OverLimitError):
            return found  # killed by somebody else: next time may be better
    if found["status"] == "proved":
        limits["seconds"] = seconds = min(todo["seconds"], FORMULA_SECONDS)
        arguments = (found["certificate"], None, seconds)
        with suppress(UndecidedError):
            found["formula"] = prover.call(
                f"{describe.__module__}:describe", *arguments, what="the formula", **limits
            )
    outcomes.add(todo, found)
    return found


def _decided(
    claim: Mapping[str, Any],
    parameters: Mapping[str, int],
    document: Mapping[str, Any],
    todo: Mapping[str, Any],
    prover: Limited,
) -> dict[str, Any]:
    start = time.perf_counter()
    certificate = document["certificate"]
    limits = {"seconds": todo["seconds"], "memory": todo["memory"]}
    arguments = (claim, parameters, certificate, todo["seconds"])
    try:
        verdict = dict(prover.call(f"{__name__}:settle", *arguments, what="the decision", **limits))
    except UndecidedError as error:
        finding = Finding(Undecided(str(error)))
        claim_id = Claim.from_json(claim).id
        seconds = time.perf_counter() - start
        verdict = verdict_document(claim_id, parameters, certificate, finding, seconds)
    if verdict["verdict"] == "proved":
        on_game = (document["engines"], document["no_answer"])
        verdict["evidence"] = agreed(verdict["evidence"], *on_game)
    return certified(verdict, claim, proof_of(certificate), Path(certificate).parent)


def _asked(todo: Mapping[str, Any]) -> dict[str, Any]:
    return {name: todo[name] for name in ("ruleset", "relation", "sweep", "parameters")}


def verdict_document(
    claim_id: str,
    parameters: Mapping[str, int],
    certificate: str | None,
    finding: Finding,
    seconds: float,
) -> dict[str, Any]:
    """Return what a run writes of a verdict by proof."""
    return {
        "claim": claim_id,
        "table": None,
        "parameters": dict(parameters),
        **verdict_to_json(finding.verdict),
        "evidence": finding.evidence,
        "certificate": certificate,
        "seconds": round(seconds, 4),
    }


def certified(
    verdict: Mapping[str, Any], claim: Mapping[str, Any], proof: Proof | None, folder: Path
) -> dict[str, Any]:
    """Return a verdict, with the certificate of its claim if that is proved."""
    if verdict["verdict"] != "proved":
        return dict(verdict)
    said = Claim.from_json(claim)
    path = write_claim_certificate(said, verdict["parameters"], proof, folder).as_posix()
    found = verdict_from_json(verdict)
    assert isinstance(found, Proved)
    return {**verdict, **verdict_to_json(replace(found, certificate=path)), "certificate": path}
