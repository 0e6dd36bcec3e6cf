"""Proofs of games, and of statements about a game or a family."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, overload

from choco_pipeline.api.check import (
    PROOF_SECONDS,
    claim_of,
    statement_trials,
    trials_for_all_parameters,
)
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.claims.quick_trial import Trial
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import Ruleset
from choco_pipeline.proof import task
from choco_pipeline.proof.for_all import attempt_family, undecided_family
from choco_pipeline.proof.games.guess import Relation, SearchSize
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.games.prover import prove as prove_automata
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import ProofOutcome

#: Time limit in seconds for each search for a formula: from the proved automata, and in a table.
FORMULA_SECONDS = 20.0
#: A search that reaches its memory limit reports its state. It is killed at this multiple of the limit.
BEYOND = 1.25


@overload
def prove(
    ruleset: Ruleset | str,
    what: Relation = ...,
    seconds: float = ...,
    size: SearchSize | None = ...,
) -> Proof: ...
@overload
def prove(
    ruleset: Ruleset | str, what: str, seconds: float = ..., *, condition: str | None
) -> Trial: ...
def prove(
    ruleset: Ruleset | str,
    what: str = "p",
    seconds: float = PROOF_SECONDS,
    size: SearchSize | None = None,
    *,
    condition: str | None = None,
) -> Proof | Trial:
    """Prove automata of a game, or a statement about a game or a family.

    This is ``choco prove``.

    Parameters
    ----------
    ruleset
        The game, or the notation of a family, in which names stand for integers.
    what
        ``p`` or ``grundy`` for automata of P-positions or Grundy numbers, or a statement ``P <=> …`` or ``G == …``.
    seconds
        Time limit.
    size
        Limits of the search for automata: tables to 15 binary digits by default.
    condition
        For a statement about a family: the condition on its parameters, such as ``k % 4 == 1``.

    Returns
    -------
    Proof
        For automata; its ``status`` is ``proved`` or ``undecided``.
    Trial
        For a statement; its ``verdict`` is ``proved`` only if the checker accepted a certificate.

    Raises
    ------
    ChocoError
        If the game, the statement or the condition cannot be read or is outside the method.
    DisagreementError
        If two engines, or an engine and the definition, contradict each other.

    Examples
    --------
    >>> from choco_pipeline import StripBar, prove
    >>> proof = prove(StripBar(k=4, s=2))
    >>> proof.status, proof.states
    ('proved', (17,))
    """
    for relation in get_args(Relation):
        if what == relation:
            return prove_automata(ruleset, relation, seconds, size)
    notation = ruleset.notation if isinstance(ruleset, Ruleset) else ruleset
    claim = claim_to_prove(notation, what, condition)
    if condition is None:
        (trial,) = statement_trials(claim, {}, None, seconds, prove=True)
    else:
        claim = Claim.from_json({**claim.as_json(), "for_all": condition})
        (trial,) = trials_for_all_parameters(claim, Catalogue({claim.id: claim}), seconds)
    return trial


def claim_to_prove(ruleset: str, statement: str, condition: str | None = None) -> Claim:
    """Return a statement about a game or a family as a claim.

    Raises `ChocoError` if it cannot be read, or determines neither the P-positions nor the Grundy numbers.
    """
    claim = claim_of(ruleset, statement, condition)
    if claim.determined is None:
        raise ChocoError(
            "prove: the statement must be `P <=> …` or `G == …`, after `premise =>` if it is about some positions only;"
            f" for others, type {command('check', 'RULESET', 'STATEMENT', '--prove')}"
        )
    if condition is not None and claim.let:
        raise ChocoError("prove: with --for, a statement has no `let`: write the integers out")
    return claim


def decide_game(
    notation: str,
    relation: Relation,
    claim: Claim | None,
    folder: Path,
    limits: Mapping[str, float],
    tell: Callable[[str], None],
) -> tuple[ProofOutcome, ClaimVerdict | None]:
    """Prove a game's automata; then decide a claim, or search for a formula.

    Everything, including reading the game, runs in a child process with limits on ``seconds`` and on ``memory`` in GiB.
    Certificates are written to `folder`. `tell` is called with a message before each step.
    """
    start, verdict = time.monotonic(), None
    with Limited(task.PREPARED_BY) as prover:
        if claim is not None:
            with suppress(UndecidedError):
                trial = (task.refuted_formula, claim.as_json())
                refuted = prover.call(*trial, what="the trial", **limits)
                verdict = refuted and ClaimVerdict.model_validate(refuted)
        try:
            if verdict is not None:
                raise UndecidedError("a table refutes the formula")
            order = (task.attempt, notation, relation, limits["seconds"], folder.as_posix())
            proof = ProofOutcome.model_validate(prover.call(*order, what="the proof", **limits))
        except UndecidedError as error:
            seconds = time.monotonic() - start
            return ProofOutcome.nothing(
                str(error), seconds, ruleset=notation, relation=relation
            ), verdict
        if proof.is_proved:
            tell("proved; the checker runs")
            (proof,) = task.with_checker([proof])
        if proof.is_proved and claim is not None:
            tell("proved; deciding the statement")
            decider = task.Decider(prover, **limits, certificates=folder.as_posix())
            (verdict,) = task.with_checker([decider.on_game(claim.as_json(), {}, proof)])
        elif proof.is_proved:
            tell("proved; looking for a formula")
            of_formula = {**limits, "seconds": min(limits["seconds"], FORMULA_SECONDS)}
            for by_table in (False, True):
                proof = task.with_formula(proof, of_formula, prover, by_table=by_table)
    return proof, verdict


def decide_family(
    claim: Claim, condition: str, folder: Path, limits: Mapping[str, float]
) -> dict[str, Any]:
    """Prove a claim on a family for all parameters, in a child process.

    The process reports its state when it reaches a limit, and is killed far beyond the limit. The result is that of
    `choco_pipeline.proof.for_all.attempt_family`.
    """
    given = claim.determined
    assert given is not None
    ruleset = str(claim.statement.ruleset)
    family = (ruleset, condition, given.quantity, given.formula.text, claim.domain())
    # The search and the check have the same time limit each.
    beyond = {"seconds": 2 * limits["seconds"], "memory": BEYOND * limits["memory"]}
    with Limited(task.PREPARED_BY) as prover:
        arguments = (*family, *limits.values(), folder.as_posix())
        try:
            answer: dict[str, Any] = prover.call(
                attempt_family, *arguments, what="the proof", **beyond
            )
        except UndecidedError as error:
            answer = undecided_family(*family, str(error))
    return answer
