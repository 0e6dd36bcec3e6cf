"""One attempt at a proof, made or repeated, as plain data: what a process under limits is asked to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import verdict_to_json
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.arithmetic.engines import NOT_ASKED, EngineName
from choco_pipeline.proof.checker import ask_checker
from choco_pipeline.proof.games.automaton_counts import described_counts
from choco_pipeline.proof.games.certificate import (
    check_certificate,
    read_certificate,
    write_certificate,
)
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.claim_certificate import (
    check_claim_certificate,
    is_of_a_claim,
    proved_statement,
)
from choco_pipeline.proof.statements.proved_formulas import described_formula


def attempt(
    ruleset: str,
    relation: Relation,
    engines: Sequence[EngineName] | None,
    seconds: float,
    folder: str,
) -> dict[str, Any]:
    """Look for the proof of a game, and write its certificate.

    Parameters
    ----------
    ruleset
        In its notation.
    relation, engines, seconds
        As for `choco_pipeline.proof.games.prover.prove`.
    folder
        Of the certificates.

    Returns
    -------
    dict
        ``ruleset``, ``relation``; ``status``, ``why``; ``states`` (one number for each number of passes left, 0 first),
        ``obligations`` (how many), ``engines`` (which found all of them to hold), ``no_answer`` (for each other engine the
        reason), ``seconds``, ``growth``, ``certificate`` (a path or None), ``counts`` (as `described_counts` returns them);
        and ``formula``, None: `describe` looks for one.

    Raises
    ------
    ChocoError
        If there is no such game.
    DisagreementError
        If engines contradict each other, or the definition.
    """
    proof = prove(parse_ruleset(ruleset), relation, engines=engines, seconds=seconds)
    path = None
    if proof.status == "proved":
        path = write_certificate(proof, Path(folder)).as_posix()
    return _document(proof, path)


def repeat(
    certificate: str, engines: Sequence[EngineName] | None, seconds: float
) -> dict[str, Any]:
    """Prove again what a certificate says, and return what `attempt` returns; of a claim's certificate, also what it says.

    Returns
    -------
    dict
        As `attempt` does. Of a claim ``relation`` is None, ``status`` the verdict's name and ``why`` its text; ``claim`` has
        the statement, ``names`` the integers for which it is decided, ``verdict`` and ``evidence`` what was found.

    Raises
    ------
    ChocoError
        If the file is no certificate.
    DisagreementError
        As for `attempt`.
    """
    path = Path(certificate)
    if not is_of_a_claim(path):
        return _document(check_certificate(path, engines, seconds=seconds), certificate)
    start = time.perf_counter()
    said, finding = check_claim_certificate(path, engines, seconds=seconds)
    verdict = verdict_to_json(finding.verdict)
    return {
        **nothing_found(verdict["text"], time.perf_counter() - start),
        "ruleset": said.claim.ruleset,
        "relation": None,
        "status": verdict["verdict"],
        "engines": list(finding.evidence.get("engines", [])),
        "no_answer": dict(finding.evidence.get("no_answer", {})),
        "certificate": certificate,
        "claim": proved_statement(Claim(said.claim)),
        "names": said.names,
        "verdict": verdict,
        "evidence": finding.evidence,
    }


def check_again(
    certificate: Path,
    engines: Sequence[EngineName] | None,
    seconds: float,
    memory: float,
    prover: Limited,
) -> dict[str, Any]:
    """Return what `repeat` returns in a child process under limits, with what the checker says of what is proved.

    Raises
    ------
    ChocoError, DisagreementError
        As for `repeat`; also if the checker contradicts what the engines have proved.
    """
    start = time.perf_counter()
    path, limits = certificate.as_posix(), {"seconds": seconds, "memory": memory}
    try:
        found: dict[str, Any] = prover.call(
            f"{__name__}:{repeat.__name__}", path, engines, seconds, what="the check", **limits
        )
    except UndecidedError as error:
        nothing = nothing_found(str(error), time.perf_counter() - start)
        return nothing | {"ruleset": None, "relation": None, "certificate": path}
    if found["status"] == "proved":
        ask_third(found, engines, seconds)
    return found


def ask_third(found: dict[str, Any], engines: Sequence[EngineName] | None, seconds: float) -> None:
    """Add what the checker says of a proof that was found, unless others are the engines that are to be asked."""
    if engines is None:
        ask_checker([(found["certificate"], found)], seconds)
    else:
        found["no_answer"]["checker"] = NOT_ASKED


def describe(
    certificate: str, engines: Sequence[EngineName] | None, seconds: float
) -> dict[str, Any] | None:
    """Return a formula for what a certificate proves, as `described_formula` does."""
    return described_formula(proof_of(certificate), engines, seconds)


def proof_of(certificate: str) -> Proof:
    """Return what a certificate says as a proof; whether it is right is not asked."""
    found = read_certificate(Path(certificate))
    return Proof(found.ruleset, found.relation, "proved", "", found.automata, (), 0.0)


def nothing_found(why: str, seconds: float) -> dict[str, Any]:
    """Return what `attempt` returns if nothing was found, but for the ruleset and the relation."""
    return {
        "status": "undecided",
        "why": why,
        "states": [],
        "obligations": 0,
        "engines": [],
        "no_answer": {},
        "seconds": round(seconds, 4),
        "growth": [],
        "certificate": None,
        "counts": [],
        "formula": None,
    }


def _document(proof: Proof, certificate: str | None) -> dict[str, Any]:
    return {
        "ruleset": proof.ruleset.notation,
        "relation": proof.relation,
        "status": proof.status,
        "why": proof.why,
        "states": list(proof.states),
        "obligations": len({check.obligation for check in proof.checks}),
        "engines": list(proof.engines),
        "no_answer": dict(proof.no_answer),
        "seconds": round(proof.seconds, 4),
        "growth": list(proof.growth),
        "certificate": certificate,
        "counts": described_counts(proof) if proof.status == "proved" else [],
        "formula": None,
    }
