"""Trials of statements and claims, on tables or by proof."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from choco_pipeline.api.claims import load_claims
from choco_pipeline.claims.language.catalogue import Catalogue, mistakes_in
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Finding,
    Undecided,
)
from choco_pipeline.claims.quick_trial import Given, ProcessorTime, Trial, chosen_cases, trials
from choco_pipeline.errors import ChocoError, ConfigError, LimitError
from choco_pipeline.formula import Range, parse, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import build, read, sample_of
from choco_pipeline.proof import task
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.records import ClaimProofOutcome, GameProof, GameToProve
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.statements.parse import MAX_LENGTH
from choco_pipeline.sweep.run_files import RESULTS

#: Time limits in seconds for all trials of a claim, and for each proof.
CHECK_SECONDS, PROOF_SECONDS = 10.0, 60.0
#: Trials of a claim on tables, and trials by proof.
Trials = tuple[Iterable[Trial], Iterable[Trial]]
#: Memory limit in GiB for the decision of a claim.
MEMORY = 4
#: Folder of new certificates.
PROOFS = RESULTS / "proofs"
#: Largest number of positions and largest bound of a table, if no bound is given.
POSITIONS, BOUND = 1 << 18, 64


def check(
    claim: str | Claim | Ruleset | None,
    statement: str | None = None,
    *,
    bound: int | None = None,
    prove: bool = False,
    **given: int | str,
) -> list[Trial]:
    """Check a statement about a game, or a claim, without a run.

    This is ``choco check`` and ``choco claims check``.

    Parameters
    ----------
    claim
        With a statement: the game, or its notation; None for a statement about integers. Alone: the id of a claim in
        config/claims, or a claim of `load_claims`.
    statement
        A statement in the language of docs/statements.md.
    bound
        The bound of the tables, instead of the default; in a statement about integers, the value of N.
    prove
        Search for proofs instead.
    **given
        Values of parameters, or ranges such as ``"2..20 step 2"``.

    Returns
    -------
    list of Trial
        A trial for each game, with ``parameters``, ``ruleset``, ``verdict``, ``text``, and the ``finding`` with its evidence.

    Raises
    ------
    ChocoError
        If the statement cannot be read, a value is missing, or a table would be too large.

    Examples
    --------
    >>> from choco_pipeline import check
    >>> [(one.parameters, one.verdict) for one in check("triangular-thm-7.3", k=3, bound=20)]
    [({'k': 3}, 'holds-to-bound')]
    >>> trials = check("solid-bar(f=(x+z)//k)", "P <=> x ^ y ^ z == 0", k="2..3", bound=20)
    >>> [(one.parameters, one.verdict) for one in trials]
    [({'k': 2}, 'refuted'), ({'k': 3}, 'holds-to-bound')]
    """
    values = {
        name: value if isinstance(value, int) else parse_range(value, names=())
        for name, value in given.items()
    }
    if statement is not None:
        if isinstance(claim, Claim):
            raise ConfigError("check: with a statement, a game is needed, not a claim")
        stated = claim_of(claim.notation if isinstance(claim, Ruleset) else claim, statement)
        return list(statement_trials(stated, values, bound, PROOF_SECONDS, prove=prove))
    catalogue = load_claims()
    if not isinstance(claim, str | Claim):
        raise ConfigError("check: a game needs a statement, such as 'P <=> x == z'")
    if isinstance(claim, str):
        claim = catalogue[claim]
    if prove:
        return list(proof_trials(claim, catalogue, values, PROOF_SECONDS))
    return list(trials(claim, values, bound))


def claim_of(game: str | None, statement: str, condition: str | None = None) -> Claim:
    """Return a statement as a claim: about a game, or without one about integers.

    A condition makes it a statement about a family. Raises `ChocoError` with the location of a mistake.
    """
    if not 0 < len(statement) <= MAX_LENGTH:
        raise ChocoError(
            f"statement: must have 1 to {MAX_LENGTH:,} characters (got {len(statement):,})"
        )
    document = {"id": "statement", "ruleset": game, "statement": statement}
    if game is not None and condition is not None:
        further = sorted(parse(condition).names - read(game).names)
        return Claim.from_json({**document, "every": dict.fromkeys(further, "0..0")})
    claim = Claim.from_json(document)
    for _, mistake in mistakes_in(claim):
        raise ChocoError(mistake)
    return claim


def statement_trials(
    claim: Claim, given: Given, bound: int | None, seconds: float, *, prove: bool
) -> Iterator[Trial]:
    """Return a trial for each choice of the parameters, by tables or by proof."""
    if bound is None:
        bound = _default_bound(claim)
    if prove:
        catalogue = Catalogue({claim.id: claim})
        refuted, later = deciding_trials(claim, catalogue, given, bound, seconds)
        by_table = list(refuted)
        if by_table and claim.pattern is not None:  # the other games must be proved
            done = [trial.parameters for trial in by_table]
            left = [case for case in chosen_cases(claim, given) if case not in done]
            later = trials_by_game(claim, left, seconds) if claim.is_decidable else ()
        return chain(by_table, later)
    return trials(claim, given, bound)


def _default_bound(claim: Claim) -> int | None:
    """Return a bound with a quick table; None if the claim or the shape has its own."""
    if claim.pattern is None:
        return 20
    if claim.shape in RECTANGULAR or claim.reach is not None:
        return None
    game = sample_of(claim.pattern, claim.games)
    sizes = ((n, math.prod(most + 1 for most in game.limits(n))) for n in range(BOUND, 1, -1))
    return next((n for n, positions in sizes if positions <= POSITIONS), 2)


def deciding_trials(
    claim: Claim, catalogue: Catalogue, given: Given, bound: int | None, seconds: float
) -> Trials:
    """Return the trials by tables that decide a claim, and the trials by proof.

    A claim that a table refutes, or that is about finitely many integers, needs no proof.
    """
    later = proof_trials(claim, catalogue, given, seconds)
    clock = ProcessorTime(seconds, "--seconds allows more")
    checked: list[Trial] = []
    with suppress(ConfigError, LimitError):  # the bound is missing or too large
        checked = list(trials(claim, given, bound, limit=clock.counted))
    refuted = [trial for trial in checked if trial.verdict == "refuted"]
    return (checked, ()) if claim.is_finite and checked else (refuted, () if refuted else later)


def proof_trials(
    claim: Claim, catalogue: Catalogue, given: Mapping[str, int | Range], seconds: float
) -> Iterator[Trial]:
    """Return a trial for each proof, independently of any run.

    Without given values, a claim with `for_all` is decided for all parameters at once, and a statement about integers for all
    integers. Any other claim is decided for each game of its sample. Raises `ConfigError` if no method can prove the claim, or if
    it does not cover the values.
    """
    if not given and claim.statement.for_all is not None:
        return trials_for_all_parameters(claim, catalogue, seconds)
    if claim.is_about_integers:
        if given:
            raise ConfigError(
                f"claim {claim.id}: it is decided for all integers, not for {assigned(given)}"
            )
        return trials_for_all_integers(claim, seconds, certify=True)
    if not claim.is_decidable:
        raise ConfigError(
            f"claim {claim.id}: a statement of this form can only be checked on tables"
        )
    return trials_by_game(claim, chosen_cases(claim, given), seconds)


def trials_for_all_integers(
    claim: Claim, seconds: float, *, certify: bool = False
) -> Iterator[Trial]:
    """Decide a statement about all integers, for each choice of parameters.

    With `certify`, certificates are written and checked.
    """
    folder = PROOFS.as_posix() if certify else None
    with Limited(task.PREPARED_BY) as prover:
        verdicts = task.Decider(prover, seconds, MEMORY, folder).on_integers(claim.as_json())
    yield from map(_trial_of, task.with_checker(verdicts) if certify else verdicts)


def trials_by_game(
    claim: Claim, cases: Sequence[Mapping[str, int]], seconds: float
) -> Iterator[Trial]:
    """Decide a claim for all positions of each game; yield a trial for each case."""
    assert claim.pattern is not None
    relation: Relation = "p" if "p-positions" in claim.quantities else "grundy"
    proofs: dict[str, GameProof] = {}
    with Limited(task.PREPARED_BY) as prover:
        decider = task.Decider(prover, seconds, MEMORY, PROOFS.as_posix())
        for case in cases:
            start = time.perf_counter()
            game = build(claim.pattern, case, Path()).notation
            if game not in proofs:
                limits = {"seconds": seconds, "memory": MEMORY}
                order = {"ruleset": game, "relation": relation, "parameters": case, **limits}
                todo = GameToProve.model_validate({**order, "sweep": "", "claims": ()})
                proofs[game] = task.searched(todo, PROOFS, prover)
            proof = proofs[game]
            if proof.is_proved:
                decided = decider.on_game(claim.as_json(), case, proof)
                (verdict,) = task.with_checker([decided])
                finding = verdict.finding
            else:
                finding = Finding(Undecided(f"the game is not proved: {proof.why}"))
            yield Trial(case, game, None, None, finding, time.perf_counter() - start)


def trials_for_all_parameters(
    claim: Claim, catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    """Decide a claim's premises, then the claim, for all parameters."""
    links = {link.id: link.as_json() for link in [*catalogue.premises(claim), claim]}
    known: dict[str, ClaimVerdict] = {}
    with Limited(task.PREPARED_BY) as prover:
        decider = task.Decider(prover, seconds, MEMORY)
        for name, link in links.items():
            if link["follows_from"] is not None:
                known[name] = decider.following(link, links, known)
            elif link["for_all"] is not None:
                known[name] = decider.for_all(link)
    yield _trial_of(known[claim.id])


def certificate_trials(
    claim: Claim, proved: Iterable[ClaimVerdict], catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    """Yield a trial for each certificate of a claim's proofs in the last run.

    Only the parameters and the paths of certificates are taken from the verdicts. The catalogue has the premises.
    """
    with Limited(task.PREPARED_BY) as prover:
        for verdict in proved:
            start = time.perf_counter()
            if verdict.for_all is not None and claim.statement.for_all is None:
                outdated = Finding(Undecided("the claim no longer has `for_all`"))
                yield Trial(verdict.parameters, None, None, None, outdated, 0.0)
                continue
            if verdict.for_all is not None:
                yield from trials_for_all_parameters(claim, catalogue, seconds)
                continue
            parameters, path = verdict.parameters, Path(verdict.certificate or "")
            proof = task.check_again(path, seconds, MEMORY, prover)
            if not isinstance(proof, ClaimProofOutcome):
                of_game = f"{path} is a certificate of a game, not of the claim"
                finding = Finding(Undecided(of_game if proof.is_proved else proof.why))
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
