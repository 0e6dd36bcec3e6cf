"""Proofs for ``choco claims check``.

With ``--prove`` claims are proved now; with ``--proofs`` the certificates of the last run are checked again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict, Finding, Undecided
from choco_pipeline.claims.quick_trial import Trial, chosen_cases
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula.ranges import Range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import build
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.records import ClaimProofOutcome, GameProof, GameToProve
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.proof.task import (
    PREPARED_BY,
    EarlierProofs,
    certified,
    check_again,
    decided_on,
    searched,
    settled,
    settled_following,
    settled_for_all,
    with_checker,
)
from choco_pipeline.sweep.run_files import RESULTS

#: GiB of memory for the decision of a claim.
MEMORY = 4


def proved_again(
    claim: Claim, verdicts: list[ClaimVerdict], catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    """Return a trial for each proof of a claim in the last run.

    Only the paths of certificates and their parameters are taken from the verdicts. Premises are in the catalogue. Raises
    `ConfigError` at once if none of the verdicts is a proof.
    """
    proved = [verdict for verdict in verdicts if verdict.is_proved]
    if not proved:
        raise ConfigError(f"claim {claim.id}: the last run has proved nothing of it")
    return _again(claim, proved, catalogue, seconds)


def decided_for_all_integers(
    claim: Claim, seconds: float, *, certify: bool = False
) -> Iterator[Trial]:
    """Decide a statement about all integers; yield a trial for each fixed choice.

    With `certify`, write certificates and call the checker.
    """
    with Limited(PREPARED_BY) as prover:
        verdicts = settled(claim.as_json(), seconds, MEMORY, prover)
    if certify:
        folder = RESULTS / "proofs"
        written = [certified(verdict, claim.as_json(), None, folder) for verdict in verdicts]
        verdicts = with_checker(written)
    yield from map(_trial_of, verdicts)


def proved_now(
    claim: Claim, catalogue: Catalogue, given: Mapping[str, int | Range], seconds: float
) -> Iterator[Trial]:
    """Return a trial for each proof, independently of any run.

    Without given values, a claim with `for_all` is decided for all parameters at once, and a statement about integers for all
    integers. Any other claim is decided for each game of its sample. Raises `ConfigError` if such a claim cannot be proved, or
    is not about the values.
    """
    if not given and claim.statement.for_all is not None:
        return settled_now(claim, catalogue, seconds)
    if claim.is_about_integers:
        if given:
            raise ConfigError(
                f"claim {claim.id}: it is decided for all integers, not for {assigned(given)}"
            )
        return decided_for_all_integers(claim, seconds, certify=True)
    if not claim.is_decidable:
        raise ConfigError(f"claim {claim.id}: a statement of this form is checked on tables alone")
    return proved_by_game(claim, chosen_cases(claim, given), seconds)


def proved_by_game(
    claim: Claim, cases: Sequence[Mapping[str, int]], seconds: float
) -> Iterator[Trial]:
    """Decide a claim for all positions of each game; yield a trial for each case."""
    assert claim.pattern is not None
    relation: Relation = "p" if "p-positions" in claim.quantities else "grundy"
    proofs: dict[str, GameProof] = {}
    outcomes = EarlierProofs(RESULTS / "proofs")
    with Limited(PREPARED_BY) as prover:
        for case in cases:
            start = time.perf_counter()
            game = build(claim.pattern, case, Path()).notation
            limits = {"seconds": seconds, "memory": MEMORY}
            if game not in proofs:
                order = {"ruleset": game, "relation": relation, "parameters": case, **limits}
                todo = GameToProve.model_validate({**order, "sweep": "", "claims": ()})
                proofs[game] = searched(todo, outcomes, prover)
            proof = proofs[game]
            if proof.is_proved:
                decided = decided_on(claim.as_json(), case, proof, limits, prover)
                (verdict,) = with_checker([decided])
                finding = verdict.finding
            else:
                finding = Finding(Undecided(f"the game is not proved: {proof.why}"))
            yield Trial(case, game, None, None, finding, time.perf_counter() - start)


def settled_now(claim: Claim, catalogue: Catalogue, seconds: float) -> Iterator[Trial]:
    """Yield the decision of a claim for all parameters, independently of any run."""
    with Limited(PREPARED_BY) as prover:
        yield _settled(claim, catalogue, prover, seconds)


def _settled(claim: Claim, catalogue: Catalogue, prover: Limited, seconds: float) -> Trial:
    """Decide a claim for all parameters, after its premises."""
    chain = {link.id: link.as_json() for link in [*catalogue.premises(claim), claim]}
    known: dict[str, ClaimVerdict] = {}
    for name, link in chain.items():
        if link["follows_from"] is not None:
            known[name] = settled_following(link, chain, known, seconds, MEMORY, None, prover)
        elif link["for_all"] is not None:
            known[name] = settled_for_all(link, seconds, MEMORY, None, prover)
    return _trial_of(known[claim.id])


def _again(
    claim: Claim, proved: list[ClaimVerdict], catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    with Limited(PREPARED_BY) as prover:
        for verdict in proved:
            start = time.perf_counter()
            if verdict.for_all is not None and claim.statement.for_all is None:
                outdated = Finding(Undecided("the claim no longer has `for_all`"))
                yield Trial(verdict.parameters, None, None, None, outdated, 0.0)
                continue
            if verdict.for_all is not None:
                yield _settled(claim, catalogue, prover, seconds)
                continue
            parameters, path = verdict.parameters, Path(verdict.certificate or "")
            proof = check_again(path, seconds, MEMORY, prover)
            if not isinstance(proof, ClaimProofOutcome):
                why = proof.why
                if proof.is_proved:
                    why = f"{path} is a certificate of a game, not of the claim"
                finding = Finding(Undecided(why))
            elif (proof.claim, proof.names) != (proved_statement(claim), parameters):
                finding = Finding(Undecided(f"{path} proves another statement than the claim's"))
            else:
                agreed = {"engines": proof.engines, "no_answer": proof.no_answer}
                finding = Finding(proof.verdict.as_verdict, {**proof.evidence, **agreed})
            took = time.perf_counter() - start
            yield Trial(parameters, proof.ruleset, None, None, finding, took)


def _trial_of(verdict: ClaimVerdict) -> Trial:
    return Trial(
        verdict.parameters, None, None, None, verdict.finding, verdict.seconds, verdict.for_all
    )
