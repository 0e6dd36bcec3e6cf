"""Tasks of the stage `prove`, run in a child process under limits.

These functions run in the child and take JSON data: `attempt`, `repeat`, `describe`, `refuted_formula`, `settle` and
`settle_statement`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from choco_pipeline.claims.checks.judgement import depends_on_position
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Finding,
    Proved,
    Undecided,
    VerdictRecord,
    verdict_fields,
)
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.checker import CHECKER_SECONDS, ask_checker
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.follows import ask_checker_of_steps, settle_following
from choco_pipeline.proof.for_all import settle_for_all, verdict_for_all
from choco_pipeline.proof.games.answers import described_counts
from choco_pipeline.proof.games.certificate import (
    check_certificate,
    engine_version,
    read_certificate,
    write_certificate,
)
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.games.prover import Proof, prove
from choco_pipeline.proof.limits import KilledError, Limited, limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import (
    ClaimProofOutcome,
    FormulaOfProof,
    GameProof,
    GameToProve,
    ProofOrder,
    ProofOutcome,
    Question,
    StatementProofOrder,
)
from choco_pipeline.proof.statements.claim_certificate import (
    check_claim_certificate,
    is_of_a_claim,
    proved_statement,
    write_claim_certificate,
)
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.proof.statements.decided_integers import decide_integers
from choco_pipeline.proof.statements.proved_formulas import describe
from choco_pipeline.proof.trial import Statement, confirmed
from choco_pipeline.provenance import file_digest
from choco_pipeline.stages import KILLED, Stage

AnyProof = TypeVar("AnyProof", bound=ProofOutcome)
AnyAnswer = TypeVar("AnyAnswer", bound=ProofOutcome | ClaimVerdict)
#: JSON data of a claim (`Claim.as_json`).
Document = Mapping[str, Any]
#: Subfolder of the folder of certificates for cached outcomes.
OUTCOMES = "outcomes"
#: Games whose proofs together use all compiled code.
COMPILED_FOR: Mapping[str, Relation] = {
    "nim(2)": "p",
    "step-bar(k=2, s=0)": "grundy",
    "solid-bar(f=(x+z)//3)": "p",
}
#: The function that a child process calls at its start.
PREPARED_BY = "choco_pipeline.proof.task:warm_up"
#: Limit for a formula search, in seconds.
FORMULA_SECONDS = 5
NO_MEMORY = "there is too little memory"


def warm_up() -> None:
    """Load or compile all compiled code, by proofs of small games."""
    for game, relation in COMPILED_FOR.items():
        prove(parse_ruleset(game), relation, math.inf)


# ---- Orders.


def prove_order(order_document: Document, report: Callable[..., None]) -> dict[str, Any]:
    """Prove the games of an order and decide the claims about them.

    A proof that exceeds a limit of time or memory is undecided. Cached outcomes of games are used. Claims are always decided anew.

    Parameters
    ----------
    order_document
        JSON data of a `ProofOrder`.
    report
        Called as ``report(Stage.PROVE, proofs=1)`` for each game.

    Returns
    -------
    dict
        ``proofs``: one for each game, with the path of its certificate or null. ``verdicts``: on the claims about proved games, with
        the path of their certificate. ``killed``: true if a child was killed from outside.

    Raises
    ------
    DisagreementError
        If the engine contradicts the checker or the definition.
    """
    order = ProofOrder.model_validate(order_document)
    certificates = Path(order.certificates)
    answers: list[GameProof | ClaimVerdict] = []
    with limited(PREPARED_BY) as prover:
        for todo in order.proofs:
            proof = searched(todo, certificates, prover)
            answers.append(proof)
            decider = Decider(prover, todo.seconds, todo.memory, order.certificates)
            for to_decide in todo.claims if proof.is_proved else ():
                claim = order.claims[to_decide.claim]
                answers.append(decider.on_game(claim, to_decide.parameters, proof))
            report(Stage.PROVE, proofs=1)
    # One call of the checker for all certificates, because it decides a shared game only once.
    answers = with_checker(answers)
    return {
        "proofs": [answer.model_dump() for answer in answers if isinstance(answer, GameProof)],
        "verdicts": [answer.document() for answer in answers if isinstance(answer, ClaimVerdict)],
        KILLED: prover.was_killed,
    }


def decide_order(order_document: Document, report: Callable[..., None]) -> dict[str, Any]:
    """Decide the statements of a `StatementProofOrder`; see `prove_order`.

    A statement about integers has a verdict for each choice of its fixed integers, which are the verdict's parameters. A claim for all
    parameters has one verdict; see `settle_for_all`. Claims that follow from others come last.
    """
    order = StatementProofOrder.model_validate(order_document)
    verdicts: list[ClaimVerdict] = []
    with limited(PREPARED_BY) as prover:
        decider = Decider(prover, order.seconds, order.memory, order.certificates)
        for claim in order.claims.values():
            if claim["follows_from"] is not None:
                continue
            if claim["for_all"] is not None:
                verdicts.append(decider.for_all(claim))
            else:
                verdicts += decider.on_integers(claim)
            report(Stage.PROVE, proofs=1)
        known = {verdict.claim: verdict for verdict in verdicts}
        for claim in following(order.claims):
            verdict = ask_checker_of_steps(decider.following(claim, order.claims, known))
            known[claim["id"]] = verdict
            verdicts.append(verdict)
            report(Stage.PROVE, proofs=1)
    documents = [verdict.document() for verdict in with_checker(verdicts)]
    return {"verdicts": documents, KILLED: prover.was_killed}


def following(claims: Mapping[str, Document]) -> list[Document]:
    """Return the claims that follow from others, each after its premises."""
    pending = [claim for claim in claims.values() if claim["follows_from"] is not None]
    documents: list[Document] = []
    while pending:
        open_ids = {claim["id"] for claim in pending}
        ready = [c for c in pending if open_ids.isdisjoint(c["follows_from"]["claims"])]
        if not ready:  # impossible for a valid catalogue
            raise ConfigError(f"claims follow from each other: {', '.join(sorted(open_ids))}")
        documents += ready
        pending = [claim for claim in pending if claim not in ready]
    return documents


# ---- The checker.


def with_checker(answers: Sequence[AnyAnswer], seconds: float | None = None) -> list[AnyAnswer]:
    """Add the checker's answers to proofs and verdicts.

    The time limit for each certificate is `CHECKER_SECONDS` by default. Verdicts on families are skipped, because another checker has
    already decided them. Raises `DisagreementError` if the checker refutes a certificate.
    """

    def needs_checker(answer: ProofOutcome | ClaimVerdict) -> bool:
        return answer.is_proved and (isinstance(answer, ProofOutcome) or answer.for_all is None)

    paths = [str(answer.certificate) for answer in answers if needs_checker(answer)]
    engine_answers = iter(ask_checker(paths, CHECKER_SECONDS if seconds is None else seconds))

    def with_engines(answer: Any) -> Any:
        engines = vars(next(engine_answers))
        if isinstance(answer, ClaimVerdict):
            return answer.with_evidence(engines)
        return answer.model_copy(update=engines)

    return [with_engines(answer) if needs_checker(answer) else answer for answer in answers]


# ---- Games.


def searched(todo: GameToProve, certificates: Path, prover: Limited) -> GameProof:
    """Return the cached outcome for a game, or search in a child and cache it."""
    start = time.perf_counter()
    try:
        question = question_of(todo, certificates)
    except RulesetError as error:
        return _of_game(todo, ProofOutcome.nothing(str(error), time.perf_counter() - start))
    if (known := question.find()) is not None:
        return _of_game(todo, known)
    limits = {"seconds": todo.seconds, "memory": todo.memory}
    request = (attempt, todo.ruleset, todo.relation, todo.seconds, certificates.as_posix())
    was_killed = False
    try:
        document = prover.call(*request, what="the proof", **limits)
        outcome = ProofOutcome.model_validate(document)
    except ChocoError as error:
        was_killed = isinstance(error, KilledError)  # a later run may succeed
        outcome = ProofOutcome.nothing(str(error), time.perf_counter() - start)
    proof = _of_game(todo, outcome)
    if proof.is_proved:
        limits["seconds"] = min(todo.seconds, FORMULA_SECONDS)
        proof = with_formula(proof, limits, prover)
    if not was_killed:
        question.add(proof)
    return proof


def question_of(todo: GameToProve, certificates: Path) -> Question[GameProof]:
    """Return a search's cache entry; raise `RulesetError` for an invalid ruleset."""
    inputs = ("game", parse_ruleset(todo.ruleset).identity, todo.relation)
    limits = {"seconds": todo.seconds, "memory": todo.memory}
    engines = {"own": engine_version()}
    return Question(GameProof, certificates, certificates / OUTCOMES, inputs, engines, limits)


def _of_game(todo: GameToProve, outcome: ProofOutcome) -> GameProof:
    fields = {name: getattr(todo, name) for name in ("ruleset", "relation", "sweep", "parameters")}
    return GameProof(**{**dict(outcome), **fields})


def attempt(ruleset: str, relation: Relation, seconds: float, folder: str) -> ProofOutcome:
    """Search for a proof of a game's relation and write its certificate.

    Raises `ChocoError` if the ruleset is invalid; `DisagreementError` if the engine contradicts the definition.
    """
    proof = prove(parse_ruleset(ruleset), relation, seconds)
    if proof.status != "proved":
        return _outcome(proof, None)
    return _outcome(proof, write_certificate(proof, Path(folder)).as_posix())


def _outcome(proof: Proof, certificate: str | None) -> ProofOutcome:
    is_proved = proof.status == "proved"
    return ProofOutcome(
        ruleset=proof.ruleset.notation,
        relation=proof.relation,
        status=proof.status,
        why=proof.why,
        states=proof.states,
        obligations=len(proof.checks),
        engines=("own",) if is_proved else (),
        seconds=round(proof.seconds, 4),
        growth=proof.growth,
        certificate=certificate,
        counts=described_counts(proof) if is_proved else (),
    )


def repeat(certificate: str, seconds: float) -> ProofOutcome:
    """Repeat the proof of a certificate, in this process.

    Raises `ChocoError` if the file is no certificate; `DisagreementError` like `attempt`.
    """
    path = Path(certificate)
    if not is_of_a_claim(path):
        return _outcome(check_certificate(path, seconds), certificate)
    start = time.perf_counter()
    document, finding = check_claim_certificate(path, seconds)
    verdict = VerdictRecord(**verdict_fields(finding.verdict))
    return ClaimProofOutcome(
        ruleset=document.claim.ruleset,
        relation=None,
        status=verdict.verdict,
        why=verdict.text,
        engines=("own",) if verdict.verdict == "proved" else (),
        seconds=round(time.perf_counter() - start, 4),
        certificate=certificate,
        claim=proved_statement(Claim(document.claim)),
        names=document.names,
        verdict=verdict,
        evidence=finding.evidence,
    )


def check_again(certificate: Path, seconds: float, memory: float, prover: Limited) -> ProofOutcome:
    """Call `repeat` in a child process, and then the checker.

    Raises the errors of `repeat`; also `DisagreementError` if the checker contradicts the engine.
    """
    start = time.perf_counter()
    path, limits = certificate.as_posix(), {"seconds": seconds, "memory": memory}
    try:
        document = prover.call(repeat, path, seconds, what="the check", **limits)
    except UndecidedError as error:
        took = time.perf_counter() - start
        return ProofOutcome.nothing(str(error), took, certificate=path)
    kind = ClaimProofOutcome if "claim" in document else ProofOutcome
    (outcome,) = with_checker([kind.model_validate(document)], seconds)
    return outcome


def with_formula(
    proof: AnyProof, limits: Mapping[str, float], prover: Limited, *, by_table: bool = False
) -> AnyProof:
    """Add a formula to a proof, if a search finds one with a better rank."""
    request = (describe, proof.certificate, limits["seconds"], by_table)
    with suppress(UndecidedError):
        document = prover.call(*request, what="the formula", **limits)
        formula = document and FormulaOfProof.model_validate(document)
        if formula and (proof.formula is None or formula.rank < proof.formula.rank):
            return proof.model_copy(update={"formula": formula})
    return proof


# ---- Claims.


def refuted_formula(document: Document) -> ClaimVerdict | None:
    """Return a refutation by a table of a claim about one game, if there is one."""
    start = time.perf_counter()
    claim = Claim.from_json(document)
    ruleset, given = claim.statement.ruleset, claim.determined
    assert ruleset is not None
    assert given is not None
    statement = Statement(ruleset, "", given.formula.text, given.quantity, claim.domain())
    wrong, _ = statement.refutation()
    if wrong is None:
        return None
    finding = confirmed(claim, {}, parse_ruleset(ruleset), wrong)
    return ClaimVerdict.of(claim.id, {}, finding, time.perf_counter() - start, certificate=None)


@dataclass(frozen=True)
class Decider:
    """Decisions about claims in a child process, each under limits.

    A decision that exceeds a limit is undecided.
    """

    child: Limited
    seconds: float
    #: In GiB.
    memory: float
    #: Folder for certificates of claims, if any.
    certificates: str | None = None

    def on_game(
        self, claim: Document, parameters: Mapping[str, int], proof: ProofOutcome
    ) -> ClaimVerdict:
        """Decide a claim about a proved game."""
        request = (claim, dict(parameters), proof.certificate, self.seconds, self.certificates)
        return ClaimVerdict.model_validate(
            self._decided(parameters, settle, *request, certificate=proof.certificate)
        )

    def on_integers(self, claim: Document) -> list[ClaimVerdict]:
        """Decide a statement about integers; return at least one verdict."""
        answer = self._decided({}, settle_statement, claim, self.seconds, self.certificates)
        verdicts = answer if isinstance(answer, list) else [answer]
        return list(map(ClaimVerdict.model_validate, verdicts))

    def for_all(self, claim: Document) -> ClaimVerdict:
        """Decide a claim for all parameters; see `settle_for_all`."""
        request = (claim, self.seconds, self.memory, self.certificates)
        answer = self._decided(None, settle_for_all, *request)
        return ClaimVerdict.model_validate(answer)

    def following(
        self, claim: Document, claims: Mapping[str, Document], known: Mapping[str, ClaimVerdict]
    ) -> ClaimVerdict:
        """Decide a claim that follows from others; see `settle_following`.

        `claims` has all claims by id, and `known` the verdicts for all parameters by id.
        """
        start, ids = time.perf_counter(), claim["follows_from"]["claims"]
        if missing := next((claim_id for claim_id in ids if claim_id not in claims), None):
            why = f"it follows from {missing}, which is not decided for all parameters at once"
            return verdict_for_all(Claim.from_json(claim), Finding(Undecided(why)), None, start)
        decided = [known[claim_id].document() if claim_id in known else None for claim_id in ids]
        request = (claim, [claims[claim_id] for claim_id in ids], decided)
        answer = self._decided(None, settle_following, *request, self.seconds, self.certificates)
        return ClaimVerdict.model_validate(answer)

    def _decided(
        self,
        parameters: Mapping[str, int] | None,
        decide_claim: Callable[..., Any],
        claim: Document,
        *more: Any,
        certificate: str | None = None,
    ) -> Any:
        """Return the child's answer, or an undecided verdict if a limit is exceeded.

        That verdict is for all parameters if `parameters` is None.
        """
        start, limits = time.perf_counter(), {"seconds": self.seconds, "memory": self.memory}
        try:
            request = (decide_claim, dict(claim), *more)
            return self.child.call(*request, what="the decision", **limits)
        except UndecidedError as error:
            finding, stated = Finding(Undecided(str(error))), Claim.from_json(claim)
            if parameters is None:
                return verdict_for_all(stated, finding, None, start)
            took = time.perf_counter() - start
            return ClaimVerdict.of(stated.id, parameters, finding, took, certificate=certificate)


def _without_answer(error: ChocoError | MemoryError) -> Finding:
    return Finding(Undecided(str(error) if isinstance(error, ChocoError) else NO_MEMORY))


@lru_cache(maxsize=4)
def _proof_of(certificate: str, _: str) -> Proof:
    """Return the proof in a certificate; the file's digest is part of the cache key."""
    return read_certificate(Path(certificate))


def settle(
    claim: Document,
    parameters: Mapping[str, int],
    certificate: str,
    seconds: float,
    folder: str | None = None,
) -> ClaimVerdict:
    """Decide a claim by the automata of a game's certificate, in this process.

    The folder receives the certificate of a proved claim. If the claim is also proved without its bound, the evidence has
    ``without_reach``.
    """
    start, clock = time.perf_counter(), Clock(seconds)
    proof = _proof_of(certificate, file_digest(Path(certificate)))
    stated = Claim.from_json(claim)
    try:
        finding = decide(stated, parameters, proof, certificate, seconds=seconds)
        is_bounded = stated.reach is not None and isinstance(finding.verdict, Proved)
        if is_bounded and depends_on_position(stated.parts.rest, stated.coordinates):
            with suppress(ChocoError, MemoryError):  # the proof does not depend on this remark
                arguments = (stated.without_reach, parameters, proof, certificate, clock.left / 2)
                if isinstance(decide(*arguments).verdict, Proved):
                    finding = finding.with_evidence({"without_reach": "proved"})
    except (ChocoError, MemoryError) as error:
        finding = _without_answer(error)
    took = time.perf_counter() - start
    verdict = ClaimVerdict.of(stated.id, parameters, finding, took, certificate=certificate)
    return certified(verdict, stated, proof, folder)


def settle_statement(
    claim: Document, seconds: float, folder: str | None = None
) -> list[ClaimVerdict]:
    """Decide a statement about integers, in this process.

    The folder receives the certificates of proved verdicts.
    """
    start = time.perf_counter()
    statement = Claim.from_json(claim)
    try:
        cases = decide_integers(statement, seconds=seconds)
    except (ChocoError, MemoryError) as error:
        cases = [({}, _without_answer(error))]
    each = (time.perf_counter() - start) / len(cases)
    verdicts = (
        ClaimVerdict.of(statement.id, fixed, finding, each, certificate=None)
        for fixed, finding in cases
    )
    return [certified(verdict, statement, None, folder) for verdict in verdicts]


def certified(
    verdict: ClaimVerdict, claim: Claim, proof: Proof | None, folder: str | None
) -> ClaimVerdict:
    """Write the certificate of a proved claim; return the verdict with its path."""
    plain = verdict.as_verdict
    if folder is None or not isinstance(plain, Proved):
        return verdict
    path = write_claim_certificate(claim, verdict.parameters, proof, Path(folder)).as_posix()
    fields = verdict_fields(replace(plain, certificate=path))
    return verdict.model_copy(update={**fields, "certificate": path})
