"""``choco prove``: proofs of P-positions or Grundy numbers of one game."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, get_args

from choco_pipeline.claims.conclusions.rows import enumerated
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.cli.known_names import claimed_id, differences, known_claims
from choco_pipeline.cli.output import emit, in_time, wrapped
from choco_pipeline.cli.prove_family import claim_to_prove, require_positive, show_family_check
from choco_pipeline.cli.waiting import waiting
from choco_pipeline.commands import command
from choco_pipeline.documents.files import read_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.games.combine import passes_left
from choco_pipeline.proof.checker import check_files
from choco_pipeline.proof.family_document import is_family
from choco_pipeline.proof.games.answers import SHOWN
from choco_pipeline.proof.games.certificate import MOST_BYTES
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import PositionCounts, ProofOutcome
from choco_pipeline.proof.task import (
    PREPARED_BY,
    attempt,
    check_again,
    decided_on,
    describe,
    refuted_formula,
    with_checker,
    with_formula,
)

T = TypeVar("T", bound=str)

NAMES = {"own": "our engine", "checker": "the checker"}
#: Time limit of the search for a formula of proved automata, and of that in a table.
FORMULA_SECONDS = 20.0


def show_proof(
    notation: str | None,
    relation: str | None,
    check: Path | None,
    out: Path,
    seconds: float,
    memory: float,
    json: bool,
    statement: str | None = None,
) -> int:
    """Prove, or check a certificate; return 0 if it is proved, else 1.

    Everything, including reading the input, runs in a child process under the limits. `memory` is in GiB.
    """
    if (notation is None) == (check is None):
        raise ChocoError("prove: give either a ruleset or --check with a certificate")
    require_positive(seconds=seconds, memory=memory)
    wanted: Relation = _one_of(get_args(Relation), relation or "p", "relation")
    claim = None
    if notation is not None and statement is not None:
        if relation is not None:
            raise ChocoError("prove: the statement determines the relation: leave out --relation")
        claim = claim_to_prove(notation, statement)
        given = claim.determined
        wanted = "grundy" if given is not None and given.quantity == "grundy" else "p"
    decided = None
    with (
        waiting(f"{notation or check}: proving") as tell,
        Limited(PREPARED_BY) as prover,
    ):
        start = time.monotonic()
        limits = {"seconds": seconds, "memory": memory}
        if claim is not None:
            with suppress(UndecidedError):
                refuted = prover.call(refuted_formula, claim.as_json(), what="the trial", **limits)
                decided = refuted and ClaimVerdict.model_validate(refuted)
        if check is not None and _is_family(check, prover, limits):
            return show_family_check(check.as_posix(), seconds, memory, json, prover)
        if check is not None:
            proof = check_again(check, seconds, memory, prover)
        elif decided is not None:
            why, took = "a table refutes the formula", time.monotonic() - start
            proof = ProofOutcome.nothing(why, took, notation, wanted)
        else:
            order = (attempt, notation, wanted, seconds, out.as_posix())
            try:
                proof = ProofOutcome.model_validate(prover.call(*order, what="the proof", **limits))
            except UndecidedError as error:
                took = time.monotonic() - start
                proof = ProofOutcome.nothing(str(error), took, notation, wanted)
            if proof.is_proved:
                tell(f"{notation}: proved; asking the checker")
                (proof,) = with_checker([proof])
        if claim is not None and proof.is_proved:
            tell(f"{notation}: proved; deciding the statement")
            verdict = decided_on(claim.as_json(), {}, proof, limits, prover)
            (decided,) = with_checker([verdict])
        elif proof.is_proved and proof.relation is not None:
            tell(f"{proof.ruleset}: proved; looking for a formula")
            limits["seconds"] = min(seconds, FORMULA_SECONDS)
            # Searches in tables load xarray and pandas, which few commands need.
            from choco_pipeline.proof.statements.proved_formulas import describe_by_table  # noqa: PLC0415

            for search in (describe, describe_by_table):
                proof = with_formula(proof, limits, prover, search)
    if claim is not None and decided is not None:
        formula = claim.summary
        if json:
            answer = {"status": decided.verdict, "why": decided.text, "formula": formula}
            emit(proof.model_dump() | answer | {"claimed": decided.document()})
        else:
            print("\n".join(_formula_lines(proof, formula, decided)))
        return 0 if decided.is_proved else 1
    if check is not None:
        return _show_check(check, proof, seconds, json)
    if json:
        emit(proof.model_dump())
    else:
        what = "P-positions" if proof.relation == "p" else "Grundy numbers"
        print("\n".join(_lines(proof, f"the {what} of {proof.ruleset}")))
    return 0 if proof.is_proved else 1


def _show_check(check: Path, proof: ProofOutcome, seconds: float, json: bool) -> int:
    """Print the verdict on a certificate and its statement.

    Return 0 if it is proved, and its names have the meaning of this project, else 1.
    """
    (stated,) = check_files([check], seconds, state_only=True)
    document = read_json(check, MOST_BYTES) if proof.is_proved else {}
    claim, claims = claimed_id(document), known_claims()
    others = differences(document, claims)
    if json:
        emit(proof.model_dump() | {"statement": stated.statement, "differences": others})
    else:
        lines = _lines(proof, check.as_posix())
        statement = stated.statement or (f"the checker cannot print the statement: {stated.why}",)
        about = [wrapped(line, "  ", "    ") for line in statement]
        if claim is not None:
            about.append(
                f"claimed id: {claim}{'' if claim in claims else ', not in config/claims'}"
            )
        about += [wrapped(f"not as in this project: {other}") for other in others]
        print("\n".join([lines[0], *about, *lines[1:]]))
    return 0 if proof.is_proved and not others else 1


def _is_family(check: Path, prover: Limited, limits: Mapping[str, float]) -> bool:
    with suppress(UndecidedError):
        return bool(prover.call(is_family, check.as_posix(), what="reading", **limits))
    return False


def _lines(proof: ProofOutcome, what: str) -> list[str]:
    lines = [f"{proof.status}: {what}: {proof.why}"]
    several = len(proof.states) > 1
    if proof.states:
        sizes = ", ".join(
            f"{n} states" + (f" with {passes_left(p)}" if several else "")
            for p, n in enumerate(proof.states)
        )
        lines.append(f"automata: {sizes}")
    if not proof.is_proved:
        if proof.growth:
            lines.append(f"residuals by digits read: {', '.join(map(str, proof.growth))}")
        return list(map(wrapped, lines))
    by = enumerated([NAMES[engine] for engine in proof.engines])
    decided = f"{proof.obligations} obligations decided" if proof.obligations else "decided"
    lines.append(f"{decided} by {by}, {in_time(proof.seconds)} in all")
    lines += [f"no answer by {NAMES[name]}: {why}" for name, why in proof.no_answer.items()]
    if proof.formula is not None:
        lines.append(f"formula, found by search, proved by our engine: {proof.formula.text}")
    for row in proof.counts:
        lines.append(_counts(row, proof.relation, several))
    return [*map(wrapped, lines), *_again(str(proof.certificate))]


def _formula_lines(proof: ProofOutcome, formula: str, decided: ClaimVerdict) -> list[str]:
    statement = f"{formula} in {proof.ruleset}"
    if not decided.is_proved:
        return [wrapped(f"{decided.verdict}: {statement}: {decided.text}")]
    by = enumerated([NAMES[name] for name in decided.engines])
    proved = wrapped(f"proved: {statement}, for all positions, by {by}")
    return [proved, *_again(str(decided.certificate))]


def _again(certificate: str) -> list[str]:
    """Return the lines with a certificate's path and the command to check it."""
    again = command("prove", "--check", certificate)
    return [f"certificate: {certificate}", f"check it again: {again}"]


def _counts(row: PositionCounts, relation: str | None, several: bool) -> str:
    what = "P-positions"
    if relation == "grundy":
        what = f"positions with Grundy number {row.value}"
    left = f" with {passes_left(row.passes)}" if several else ""
    first = ", ".join(map(str, row.first[:SHOWN]))
    rule = f"a(n) = {row.closed}" if row.closed else row.recurrence
    return f"{what}{left}, coordinates below 2^n for n = 0, 1, …: {first}, …; {rule}"


def _one_of(known: Sequence[T], name: str, what: str) -> T:
    """Return a known word.

    Raises `ChocoError` with the known words if it is none of them.
    """
    for word in known:
        if name == word:
            return word
    raise ChocoError(f"prove: unknown {what} {name!r}; {what}s are {', '.join(known)}")
