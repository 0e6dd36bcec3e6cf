"""Statements on integers, decided for all integers, and claims for all parameters: one work order, one document of verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.outcomes import is_for_all
from choco_pipeline.claims.verdict import Undecided
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.errors import UndecidedError
from choco_pipeline.proof.for_all import settle_for_all, verdict_for_all
from choco_pipeline.proof.integers import decide_integers
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.task import (
    NO_MEMORY,
    asked_again,
    certified,
    verdict_document,
    warm_up,
)


def decide_order(order_file: str, out_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Decide the statements of a work order, each in a child process under the order's limits.

    Parameters
    ----------
    order_file
        The work order: the claims as `Claim.as_json` wrote them, how many ``seconds`` and GiB of ``memory`` each may
        take, and the folder of ``certificates``.
    out_file
        Receives ``{"verdicts": […]}`` as `choco_pipeline.proof.task.prove_order` writes them, whole or not at all: for
        each choice of a statement's fixed integers one, with these as its parameters; a certificate, if it is proved; of
        claims for all parameters as `settle_for_all` returns them.
    report
        Called as ``report("proofs", proofs=1)`` for each statement.

    Returns
    -------
    dict
        Numbers of statements and of verdicts.

    Raises
    ------
    DisagreementError
        If two engines, or an engine and the definition, contradict each other.
    """
    order = read_json(Path(order_file))
    verdicts: list[dict[str, Any]] = []
    with Limited(f"{__name__}:{warm_up.__name__}") as prover:
        for claim in order["claims"].values():
            limits = (order["seconds"], order["memory"])
            if claim["for_all"] is not None:
                verdicts.append(settled_for_all(claim, *limits, order["certificates"], prover))
            else:
                found = settled(claim, *limits, prover)
                folder = Path(order["certificates"])
                verdicts += (certified(one, claim, None, folder) for one in found)
            report("proofs", proofs=1)
    asked_again([], [verdict for verdict in verdicts if not is_for_all(verdict)])
    write_json(Path(out_file), {"format": order["format"], "verdicts": verdicts})
    return {"statements": len(order["claims"]), "verdicts": len(verdicts)}


def settled(
    claim: Mapping[str, Any], seconds: float, memory: float, prover: Limited
) -> list[dict[str, Any]]:
    """Decide one statement in a child process under limits, and return its verdicts: at least one.

    Raises
    ------
    DisagreementError
        As for `decide_order`.
    """
    start = time.perf_counter()
    target = f"{__name__}:{settle_statement.__name__}"
    limits = {"seconds": seconds, "memory": memory}
    found: list[dict[str, Any]]
    try:
        found = prover.call(target, claim, seconds, what="the decision", **limits)
    except UndecidedError as error:
        finding = Finding(Undecided(str(error)))
        took = time.perf_counter() - start
        found = [verdict_document(Claim.from_json(claim).id, {}, None, finding, took)]
    return found


def settled_for_all(
    claim: Mapping[str, Any],
    seconds: float,
    memory: float,
    certificates: str | None,
    prover: Limited,
) -> dict[str, Any]:
    """Decide a claim for all parameters at once in a child process under limits, as `settle_for_all`."""
    start = time.perf_counter()
    target = f"{settle_for_all.__module__}:{settle_for_all.__name__}"
    limits = {"seconds": seconds, "memory": memory}
    asked = (dict(claim), seconds, memory, certificates)
    try:
        return dict(prover.call(target, *asked, what="the decision", **limits))
    except UndecidedError as error:
        return verdict_for_all(Claim.from_json(claim), Finding(Undecided(str(error))), None, start)


def settle_statement(claim: Mapping[str, Any], seconds: float) -> list[dict[str, Any]]:
    """Decide one statement, in this process, and return its verdicts."""
    start = time.perf_counter()
    statement = Claim.from_json(claim)
    try:
        found = decide_integers(statement, seconds=seconds)
    except (ChocoError, MemoryError) as error:
        why = str(error) if isinstance(error, ChocoError) else NO_MEMORY
        found = [({}, Finding(Undecided(why)))]
    each = (time.perf_counter() - start) / len(found)
    return [verdict_document(statement.id, fixed, None, finding, each) for fixed, finding in found]
