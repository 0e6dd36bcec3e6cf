"""``choco claims check --proofs``: what the last run proved, proved again from its certificates."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.outcomes import is_proved
from choco_pipeline.claims.trial import Trial
from choco_pipeline.claims.verdict import Proved, Undecided, verdict_from_json
from choco_pipeline.errors import ConfigError
from choco_pipeline.proof.certificate import check_certificate
from choco_pipeline.proof.claims import decide
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proved import Proof
from choco_pipeline.proof.statement_task import settled
from choco_pipeline.proof.task import warm_up

#: Limits of deciding a statement for all integers, in seconds and in GiB.
SECONDS, MEMORY = 60, 4


def proved_again(claim: Claim, verdicts: list[dict[str, Any]]) -> Iterator[Trial]:
    """Return a trial for each proof that a run found of a claim; what is wrong with the request is raised at once.

    Parameters
    ----------
    claim
        Of a catalogue. A statement on integers is decided again, whatever a run found.
    verdicts
        What the run found. Nothing of them is taken over but which certificates they name, for which parameters.

    Raises
    ------
    ConfigError
        If none of them is a proof.
    """
    if claim.pattern is None:
        return decided_for_all_integers(claim)
    proved = [verdict for verdict in verdicts if is_proved(verdict)]
    if not proved:
        raise ConfigError(f"claim {claim.id}: the last run has proved nothing of it")
    return _on_certificates(claim, proved)


def decided_for_all_integers(claim: Claim) -> Iterator[Trial]:
    """Yield what is decided of a statement on integers for all of them, each fixed choice of some a trial."""
    with Limited(f"{warm_up.__module__}:{warm_up.__name__}") as prover:
        found = settled(claim.as_json(), SECONDS, MEMORY, prover)
    for document in found:
        finding = Finding(verdict_from_json(document), document["evidence"])
        yield Trial(document["parameters"], None, None, None, finding, document["seconds"])


def _on_certificates(claim: Claim, proved: list[dict[str, Any]]) -> Iterator[Trial]:
    checked = cache(lambda path: check_certificate(Path(path)))
    for verdict in proved:
        start = time.perf_counter()
        parameters, path = verdict["parameters"], verdict["certificate"]
        proof = checked(path)
        finding = _finding(claim, parameters, proof, path)
        seconds = time.perf_counter() - start
        yield Trial(parameters, proof.ruleset.notation, None, None, finding, seconds)


def _finding(claim: Claim, parameters: Mapping[str, int], proof: Proof, path: str) -> Finding:
    game = proof.ruleset.notation
    if claim.match(game) != {name: parameters.get(name) for name in claim.parameters}:
        return Finding(Undecided(f"{path} is of {game}, of which the claim does not speak so"))
    if proof.status != "proved":
        return Finding(Undecided(f"{path}: {proof.status}, {proof.why}"))
    found = decide(claim, parameters, proof, path)
    if not isinstance(found.verdict, Proved):
        return found
    agreed = [name for name in found.evidence.get("engines", ["own"]) if name in proof.engines]
    return Finding(found.verdict, found.evidence | {"engines": agreed})
