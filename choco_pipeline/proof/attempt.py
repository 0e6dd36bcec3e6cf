"""One attempt at a proof, made or repeated: what a process under limits is asked to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import VerdictRecord, verdict_fields
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.arithmetic.mona import NOT_ASKED, EngineName
from choco_pipeline.proof.checker import EngineAnswers, ask_checker
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
    engines: Sequence[EngineName] | None,
    seconds: float,
    folder: str,
) -> ProofOutcome:
    """Look for the proof of a game, and write its certificate.

    The outcome has no formula: `describe` looks for one. Raises `ChocoError` if there is no such game; `DisagreementError` if
    engines contradict each other, or the definition.
    """
    proof = prove(parse_ruleset(ruleset), relation, engines=engines, seconds=seconds)
    path = None
    if proof.status == "proved":
        path = write_certificate(proof, Path(folder)).as_posix()
    return _outcome(proof, path)


def repeat(certificate: str, engines: Sequence[EngineName] | None, seconds: float) -> ProofOutcome:
    """Prove again what a certificate says, and return what `attempt` returns; of a claim's certificate, also what it says.

    Raises `ChocoError` if the file is no certificate; `DisagreementError` as for `attempt`.
    """
    path = Path(certificate)
    if not is_of_a_claim(path):
        return _outcome(check_certificate(path, engines, seconds=seconds), certificate)
    start = time.perf_counter()
    certified, finding = check_claim_certificate(path, engines, seconds=seconds)
    verdict = VerdictRecord(**verdict_fields(finding.verdict))
    return ClaimProofOutcome(
        ruleset=certified.claim.ruleset,
        relation=None,
        status=verdict.verdict,
        why=verdict.text,
        engines=finding.evidence.get("engines", ()),
        no_answer=finding.evidence.get("no_answer", {}),
        seconds=round(time.perf_counter() - start, 4),
        certificate=certificate,
        claim=proved_statement(Claim(certified.claim)),
        names=certified.names,
        verdict=verdict,
        evidence=finding.evidence,
    )


def check_again(
    certificate: Path,
    engines: Sequence[EngineName] | None,
    seconds: float,
    memory: float,
    prover: Limited,
) -> ProofOutcome:
    """Return what `repeat` returns in a child process under limits, with what the checker says of what is proved.

    Raises `ChocoError` or `DisagreementError` as for `repeat`; also if the checker contradicts what the engines have proved.
    """
    start = time.perf_counter()
    path, limits = certificate.as_posix(), {"seconds": seconds, "memory": memory}
    try:
        document = prover.call(repeat, path, engines, seconds, what="the check", **limits)
    except UndecidedError as error:
        seconds = time.perf_counter() - start
        return ProofOutcome.nothing(str(error), seconds, certificate=path)
    kind = ClaimProofOutcome if "claim" in document else ProofOutcome
    again = kind.model_validate(document)
    return ask_third(again, engines, seconds) if again.is_proved else again


def ask_third(
    outcome: ProofOutcome, engines: Sequence[EngineName] | None, seconds: float
) -> ProofOutcome:
    """Return a proof that was found with what the checker says, unless others are the engines that are to be asked."""
    agreed = EngineAnswers(outcome.engines, outcome.no_answer)
    if engines is None:
        assert outcome.certificate is not None
        (agreed,) = ask_checker([(outcome.certificate, agreed)], seconds)
    else:
        agreed = agreed.and_silent("checker", NOT_ASKED)
    return outcome.model_copy(update=vars(agreed))


def describe(
    certificate: str, engines: Sequence[EngineName] | None, seconds: float
) -> FormulaOfProof | None:
    """Return a formula for what a certificate proves, as `formulas` does."""
    return formulas(proof_of(certificate), engines, seconds)


def proof_of(certificate: str) -> Proof:
    """Return what a certificate says as a proof; whether it is right is not asked."""
    certified = read_certificate(Path(certificate))
    return Proof(certified.ruleset, certified.relation, "proved", "", certified.automata, (), 0.0)


def _outcome(proof: Proof, certificate: str | None) -> ProofOutcome:
    return ProofOutcome(
        ruleset=proof.ruleset.notation,
        relation=proof.relation,
        status=proof.status,
        why=proof.why,
        states=proof.states,
        obligations=len({check.obligation for check in proof.checks}),
        engines=proof.engines,
        no_answer=dict(proof.no_answer),
        seconds=round(proof.seconds, 4),
        growth=proof.growth,
        certificate=certificate,
        counts=described_counts(proof) if proof.status == "proved" else (),
    )
