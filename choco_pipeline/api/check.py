"""Trials and proofs of claims, and of statements about a game or a family."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from itertools import chain
from pathlib import Path
from typing import Any, get_args, overload

from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue, mistakes_in
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict, Finding, Undecided
from choco_pipeline.claims.quick_trial import Given, ProcessorTime, Trial, chosen_cases, trials
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, ConfigError, LimitError
from choco_pipeline.formula import Range, parse, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import build, read, sample_of
from choco_pipeline.proof import task
from choco_pipeline.proof.for_all import attempt_family, undecided_family
from choco_pipeline.proof.games.guess import Relation, SearchSize
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.games.prover import prove as prove_automata
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import ClaimProofOutcome, GameProof, GameToProve, ProofOutcome
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.proof.trial import Statement
from choco_pipeline.shipped import project_file
from choco_pipeline.statements.parse import MAX_LENGTH
from choco_pipeline.sweep.run_files import RESULTS

#: The claims files of a project.
CLAIMS = Path("config/claims")
#: Time limits in seconds for all trials of a claim, and for each proof.
CHECK_SECONDS, PROOF_SECONDS = 10.0, 60.0
#: Trials of a claim on tables, and trials by proof.
Trials = tuple[Iterable[Trial], Iterable[Trial]]
#: Memory limit in GiB for the decision of a claim.
MEMORY = 4
#: Time limit in seconds for each search for a formula: from the proved automata, and in a table.
FORMULA_SECONDS = 20.0
#: A search that reaches its memory limit reports its state. It is killed at this multiple of the limit.
BEYOND = 1.25
#: Folder of new certificates.
PROOFS = RESULTS / "proofs"
#: Largest number of positions and largest bound of a table, if no bound is given.
POSITIONS, BOUND = 1 << 18, 64


def load_claims(*files: str | Path) -> Catalogue:
    """Return the claims in some files, or in all files of config/claims.

    Raises `ConfigError` if a file cannot be read.
    """
    return load_catalogue([*map(Path, files)] or sorted(project_file(CLAIMS).glob("*.yaml")))


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


# ---- Proofs.


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
    family = Statement(ruleset, condition, given.formula.text, given.quantity, claim.domain())
    # The search and the check have the same time limit each.
    beyond = {"seconds": 2 * limits["seconds"], "memory": BEYOND * limits["memory"]}
    with Limited(task.PREPARED_BY) as prover:
        arguments = (*astuple(family), *limits.values(), folder.as_posix())
        try:
            answer: dict[str, Any] = prover.call(
                attempt_family, *arguments, what="the proof", **beyond
            )
        except UndecidedError as error:
            answer = undecided_family(family, str(error))
    return answer
