"""Claims that follow from others, decided: a verdict that is no stronger than those on the premises, and how it came about."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, verdict_text
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import build
from choco_pipeline.proof.checker import CHECKER_SECONDS, ask_checker
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.for_all import verdict_for_all
from choco_pipeline.proof.lemmas.derivation import INTEGER_BOUND, Derivation, derived
from choco_pipeline.proof.lemmas.family_game import require_only_the_end
from choco_pipeline.proof.lemmas.lemma import LEMMAS
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.spoken import require_spoken_of
from choco_pipeline.proof.statements.claim_certificate import write_claim_certificate
from choco_pipeline.proof.statements.decided_integers import decide_integers
from choco_pipeline.tables.computing.in_memory import table

#: So many members' tables up to this bound are compared with what lemmas say, and with the claim.
MEMBERS, BOUND = 6, 14


def settle_following(
    document: Mapping[str, Any],
    premises: Sequence[Mapping[str, Any]],
    decided: Sequence[Mapping[str, Any] | None],
    seconds: float,
    certificates: str | None,
) -> ClaimVerdict:
    """Decide a claim that follows from others, in this process, and return the verdict.

    The claim and the premises that it names, in their order, are as `Claim.as_json` wrote them; a premise's verdict on all
    parameters is None where there is none. About so many seconds may each sentence take. The verdict is as
    `choco_pipeline.proof.for_all.settle_for_all` returns it, never refuted; its evidence has ``follows_from``. Raises
    `DisagreementError` if judges contradict each other; also if the claim is false in a table, though it follows.
    """
    start = time.perf_counter()
    claim = Claim.from_json(document)
    folder = None if certificates is None else Path(certificates)
    known = [None if answer is None else ClaimVerdict.model_validate(answer) for answer in decided]
    try:
        require_spoken_of(claim, Clock(seconds))
        finding = _decided(
            claim, [Claim.from_json(premise) for premise in premises], known, seconds, folder
        )
    except DisagreementError:
        raise
    except ChocoError as error:
        return verdict_for_all(claim, Finding(Undecided(str(error))), None, start)
    certificate = finding.evidence["follows_from"]["steps"][-1]["certificate"]
    return verdict_for_all(claim, finding, certificate, start)


def _decided(
    claim: Claim,
    premises: Sequence[Claim],
    decided: Sequence[ClaimVerdict | None],
    seconds: float,
    folder: Path | None,
) -> Finding:
    """Return that a claim is proved, or raise why not."""
    follows = claim.statement.follows_from
    assert follows is not None
    chain = [_premise(premise, finding) for premise, finding in zip(premises, decided, strict=True)]
    derivation = derived(claim, premises)
    hypotheses = [
        require_only_the_end(part, derivation.family, Clock(seconds))
        for part in derivation.only_the_end
    ]
    steps = [
        step
        for statement in derivation.statements
        for step in _steps(claim, statement, seconds, folder)
    ]
    agreeing = (values for values in derivation.family.members() if _agrees(derivation, values))
    compared = len(list(islice(agreeing, MEMBERS)))
    if not compared:
        raise LemmaError("there is no game with these parameters that a table can be made of")
    evidence = {
        **_agreed(steps),
        "members": compared,
        "follows_from": {
            "premises": chain,
            "lemmas": [LEMMAS[name].title for name in follows.lemmas],
            "hypotheses": hypotheses,
            "known": math_text(derivation.last.conclusion()),
            "steps": steps,
        },
    }
    return Finding(Proved(steps[-1]["certificate"] or claim.command_for_all), evidence)


def _premise(premise: Claim, verdict: ClaimVerdict | None) -> Mapping[str, Any]:
    """Return what is known of a premise, or raise that it is not proved for all parameters."""
    if verdict is None or verdict.for_all is None or not verdict.is_proved:
        what = "is not decided for all parameters at once"
        if verdict is not None:
            what = f"is not proved for all parameters at once: {verdict.text}"
        raise LemmaError(f"it follows from {premise.id}, which {what}")
    condition = premise.statement.for_all
    of_verdict = verdict.for_all.condition
    if verdict.claim != premise.id or condition is None or condition.text != of_verdict:
        raise LemmaError(f"it follows from {premise.id}, of which another verdict is given")
    by = verdict.evidence.get("follows_from")
    return {"claim": premise.id, "for_all": verdict.for_all.text, "follows_from": by}


def _steps(
    claim: Claim, conclusion: str, seconds: float, folder: Path | None
) -> Iterator[Mapping[str, Any]]:
    """Decide a statement on integers by automata, and write its certificates, or raise that it is not proved.

    One for each number of passes left, if it speaks of them.
    """
    # Under the claim's own id, the certificate would seem to be of the claim.
    name = f"{claim.id[:59]}.step"
    statement = Claim.from_json({"id": name, "statement": conclusion, "bound": INTEGER_BOUND})
    for fixed, finding in decide_integers(statement, seconds=seconds):
        of = assigned(fixed)
        if not isinstance(finding.verdict, Proved):
            why = f"{statement.summary}: {verdict_text(finding.verdict)}"
            raise LemmaError(f"it does not follow{f' for {of}' if of else ''}: {why}")
        path = None
        if folder is not None:
            path = write_claim_certificate(statement, fixed, None, folder).as_posix()
        yield {
            "says": statement.summary,
            "for": of,
            "engines": ["own"],
            "no_answer": {},
            "states": finding.evidence["states"],
            "certificate": path,
        }


def ask_checker_of_steps(verdict: ClaimVerdict) -> ClaimVerdict:
    """Return a verdict of `settle_following` with what the checker says of the certificates of its sentences.

    Raises `DisagreementError` if it says that one of them is false.
    """
    if not verdict.is_proved:
        return verdict
    chain = verdict.evidence["follows_from"]
    after = ask_checker([step["certificate"] for step in chain["steps"]], CHECKER_SECONDS)
    steps = [{**step, **vars(by)} for step, by in zip(chain["steps"], after, strict=True)]
    return verdict.with_evidence({**_agreed(steps), "follows_from": {**chain, "steps": steps}})


def _agreed(steps: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return which engines agree on all sentences, and why others say nothing of some."""
    agreeing = [n for n in steps[0]["engines"] if all(n in step["engines"] for step in steps)]
    silent = {name: why for step in steps for name, why in step["no_answer"].items()}
    return {
        "engines": agreeing,
        "no_answer": {n: why for n, why in silent.items() if n not in agreeing},
    }


def _agrees(derivation: Derivation, values: Mapping[str, int]) -> bool:
    """Return whether there is such a member; its table says what lemmas and the claim say, or judges contradict each other."""
    claim, conclusion = derivation.last.claim, derivation.last.conclusion()
    assert claim.pattern is not None
    try:
        game = build(claim.pattern, values, Path())
        data = table(game, BOUND, "grundy")
    except ChocoError:
        return False
    grundy = data.grundy.transpose(*game.coordinates).to_numpy()
    grid = np.meshgrid(*map(np.arange, grundy.shape), indexing="ij", sparse=True)
    given: dict[str, ArrayLike] = {**values, **dict(zip(game.coordinates, grid, strict=True))}
    given["grundy"] = grundy
    concluded = conclusion.evaluate({name: given[name] for name in conclusion.names})
    is_right = concluded if "grundy" in conclusion.names else concluded == (grundy == 0)
    wrong = np.argwhere((grundy >= 0) & ~is_right)
    if len(wrong):
        raise DisagreementError(
            f"{claim.id}: {math_text(conclusion)} follows by lemmas, and is false at {tuple(wrong[0].tolist())} of {game.notation}"
        )
    for case in claim.cases({name: values[name] for name in claim.parameters}):
        finding = check_claim(claim, case, game, BOUND, table(game, BOUND, claim.quantities[0]))
        if isinstance(finding.verdict, Refuted):
            raise DisagreementError(
                f"{claim.id} follows by lemmas, and {game.notation} says: {verdict_text(finding.verdict)}"
            )
    return True
