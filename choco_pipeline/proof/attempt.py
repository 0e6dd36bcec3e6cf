"""One attempt at a proof, made or repeated: what a process under limits is asked to do."""

from __future__ import annotations

import time
from pathlib import Path

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import VerdictRecord, verdict_fields
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.checker import ask_checker
from choco_pipeline.proof.games.automaton_counts import described_counts
from choco_pipeline.proof.games.certificate import (
    check_certificate,
    read_certificate,
    write_certificate,
)
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.proof_outcome import ClaimProofOutcome, FormulaOfProof, ProofOutcome
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.claim_certificate import (
    check_claim_certificate,
    is_of_a_claim,
    proved_statement,
)
from choco_pipeline.proof.statements.proved_formulas import formulas


def attempt(
    ruleset: str,
    relation: Relation,
    seconds: float,
    folder: str,
) -> ProofOutcome:
    """Look for the proof of a game, and write its certificate.

    The outcome has no formula: `describe` looks for one. Raises `ChocoError` if there is no such game; `DisagreementError` if
    the engine contradicts the definition.
    """
    proof = prove(parse_ruleset(ruleset), relation, seconds)
    path = None
    if proof.status == "proved":
        path = write_certificate(proof, Path(folder)).as_posix()
    return _outcome(proof, path)


def repeat(certificate: str, seconds: float) -> ProofOutcome:
    """Prove again what a certificate says, and return what `attempt` returns; of a claim's certificate, also what it says.

    Raises `ChocoError` if the file is no certificate; `DisagreementError` as for `attempt`.
    """
    path = Path(certificate)
    if not is_of_a_claim(path):
        return _outcome(check_certificate(path, seconds), certificate)
    start = time.perf_counter()
    certified, finding = check_claim_certificate(path, seconds)
    verdict = VerdictRecord(**verdict_fields(finding.verdict))
    return ClaimProofOutcome(
        ruleset=certified.claim.ruleset,
        relation=None,
        status=verdict.verdict,
        why=verdict.text,
        engines=("own",) if verdict.verdict == "proved" else (),
        seconds=round(time.perf_counter() - start, 4),
        certificate=certificate,
        claim=proved_statement(Claim(certified.claim)),
        names=certified.names,
        verdict=verdict,
        evidence=finding.evidence,
    )


def check_again(
    certificate: Path,
    seconds: float,
    memory: float,
    prover: Limited,
) -> ProofOutcome:
    """Return what `repeat` returns in a child process under limits, with what the checker says of what is proved.

    Raises `ChocoError` or `DisagreementError` as for `repeat`; also if the checker contradicts the engine.
    """
    start = time.perf_counter()
    path, limits = certificate.as_posix(), {"seconds": seconds, "memory": memory}
    try:
        document = prover.call(repeat, path, seconds, what="the check", **limits)
    except UndecidedError as error:
        seconds = time.perf_counter() - start
        return ProofOutcome.nothing(str(error), seconds, certificate=path)
    kind = ClaimProofOutcome if "claim" in document else ProofOutcome
    again = kind.model_validate(document)
    return with_checker(again, seconds) if again.is_proved else again


def with_checker(outcome: ProofOutcome, seconds: float) -> ProofOutcome:
    """Return a proof with the answer of the checker."""
    assert outcome.certificate is not None
    (agreed,) = ask_checker([outcome.certificate], seconds)
    return outcome.model_copy(update=vars(agreed))


def describe(certificate: str, seconds: float) -> FormulaOfProof | None:
    """Return a formula for what a certificate proves, as `formulas` does."""
    return formulas(proof_of(certificate), seconds)


def proof_of(certificate: str) -> Proof:
    """Return what a certificate says as a proof; whether it is right is not asked."""
    certified = read_certificate(Path(certificate))
    automata, period = certified.automata, certified.period
    return Proof(
        certified.ruleset, certified.relation, "proved", "", automata, (), 0.0, period=period
    )


def _outcome(proof: Proof, certificate: str | None) -> ProofOutcome:
    return ProofOutcome(
        ruleset=proof.ruleset.notation,
        relation=proof.relation,
        status=proof.status,
        why=proof.why,
        states=proof.states,
        obligations=len(proof.checks),
        engines=("own",) if proof.status == "proved" else (),
        seconds=round(proof.seconds, 4),
        growth=proof.growth,
        certificate=certificate,
        counts=described_counts(proof) if proof.status == "proved" else (),
    )
