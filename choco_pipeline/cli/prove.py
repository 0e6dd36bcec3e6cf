"""``choco prove``: proofs for games and families, and checks of certificates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import ValidationError

from choco_pipeline.api.check import (
    PROOF_SECONDS,
    claim_to_prove,
    decide_family,
    decide_game,
    load_claims,
)
from choco_pipeline.api.progress import waiting
from choco_pipeline.api.terminal import emit, in_time
from choco_pipeline.claims.conclusions.rows import enumerated
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.output import SETTINGS, Json, wrapped
from choco_pipeline.commands import command
from choco_pipeline.documents.files import read_json
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.description import differing_games
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.proof import task
from choco_pipeline.proof.checker import check_family, check_files
from choco_pipeline.proof.family_document import is_family
from choco_pipeline.proof.games.answers import SHOWN
from choco_pipeline.proof.games.certificate import MOST_BYTES
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import PositionCounts, ProofOutcome
from choco_pipeline.proof.statements.claim_certificate import proved_statement

app = typer.Typer(**SETTINGS)
NAMES = {"own": "our engine", "checker": "the checker"}
#: Folders of certificates of games and of families, which are checked by different programs.
DEFAULT_FOLDER, FOLDER = Path("results/proofs"), Path("results/families")
#: The document for ``--json``, the lines to print, and whether the exit code is 0.
Answer = tuple[Mapping[str, Any], list[str], bool]


@app.command()
def prove(
    ruleset: Annotated[
        str | None, typer.Argument(help="For example 'with-pass(strip-bar(k=4, s=2), passes=1)'.")
    ] = None,
    statement: Annotated[
        str | None,
        typer.Argument(
            help="The statement to prove, 'P <=> x ^ y ^ z == 0' or 'G == (y ^ (z+1)) - 1', or about some positions:"
            " 'size <= 20 => (P <=> x == z)'. Without a statement, automata are found and proved.",
        ),
    ] = None,
    relation: Annotated[
        Literal["p", "grundy"] | None,
        typer.Option(
            help="Without a statement: p, the P-positions, or grundy, the Grundy numbers; p by default."
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="Check a certificate again instead.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for the certificate.", metavar="DIR")
    ] = DEFAULT_FOLDER,
    seconds: Annotated[
        float, typer.Option(help="Limit of CPU seconds; beyond it the result is undecided.")
    ] = PROOF_SECONDS,
    memory: Annotated[
        float, typer.Option(help="Memory limit; beyond it the result is undecided.", metavar="GIB")
    ] = 4.0,
    condition: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="Prove it for all natural parameters that satisfy a condition, such as 'k % 4 == 1'.",
            metavar="CONDITION",
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Prove a game's P-positions or Grundy numbers, for all positions.

    With --for, the statement is about a family of games, and is proved for all parameters at once.

    The exit code is 0 if it is proved, 1 if it is refuted or undecided, 2 for a mistake in the input, and 3 if two engines, or
    an engine and the definition, contradict each other.
    """
    limits = {"seconds": seconds, "memory": memory}
    is_check = check is not None and ruleset is None and condition is None
    if not is_check and condition is not None and statement is None:
        raise ChocoError("prove: --for needs a ruleset and a statement, such as 'P <=> x == z'")
    if not is_check and (ruleset is None or check is not None):
        raise ChocoError("prove: give either a ruleset or --check with a certificate")
    for name, value in limits.items():
        if not (math.isfinite(value) and value > 0):
            raise ChocoError(f"prove: --{name} must be a positive number (got {value:g})")
    if ruleset is None:
        assert check is not None
        document, lines, is_right = _check(check, limits)
    elif condition is not None and statement is not None:
        claim = claim_to_prove(ruleset, statement, condition)
        folder = FOLDER if out == DEFAULT_FOLDER else out
        with waiting(f"{ruleset} for all {condition}: proving"):
            document = decide_family(claim, condition, folder, limits)
        lines = [*map(wrapped, _family_lines(document))]
        is_right = document["status"] == "proved"
    else:
        document, lines, is_right = _prove_game(ruleset, statement, relation, out, limits)
    if json:
        emit(document)
    else:
        print("\n".join(lines))
    return 0 if is_right else 1


# ---- One game.


def _prove_game(
    notation: str,
    statement: str | None,
    relation: Relation | None,
    out: Path,
    limits: Mapping[str, float],
) -> Answer:
    """Prove a statement about a game, or find its automata."""
    wanted, claim = relation or "p", None
    if statement is not None:
        if relation is not None:
            raise ChocoError("prove: the statement determines the relation; omit --relation")
        claim = claim_to_prove(notation, statement)
        given = claim.determined
        wanted = "grundy" if given is not None and given.quantity == "grundy" else "p"
    with waiting(f"{notation}: proving") as tell:
        proof, verdict = decide_game(
            notation, wanted, claim, out, limits, lambda step: tell(f"{notation}: {step}")
        )
    document = proof.model_dump()
    if claim is None or verdict is None:
        what = "P-positions" if proof.relation == "p" else "Grundy numbers"
        return document, _lines(proof, f"the {what} of {proof.ruleset}"), proof.is_proved
    document |= {"status": verdict.verdict, "why": verdict.text, "formula": claim.summary}
    document["claimed"] = verdict.document()
    stated = f"{verdict.verdict}: {claim.summary} in {proof.ruleset}"
    if not verdict.is_proved:
        return document, [wrapped(f"{stated}: {verdict.text}")], False
    by = enumerated([NAMES[name] for name in verdict.engines])
    lines = [
        wrapped(f"{stated}, for all positions, by {by}"),
        *_certificate_lines(str(verdict.certificate)),
    ]
    return document, lines, True


def _check(certificate: Path, limits: Mapping[str, float]) -> Answer:
    """Check a certificate, and compare the games and claims in it with this project."""
    path = certificate.as_posix()
    with waiting(f"{path}: checking"), Limited(task.PREPARED_BY) as prover:
        of_family = False
        with suppress(UndecidedError):
            of_family = bool(prover.call(is_family, path, what="reading", **limits))
        if of_family:
            return _check_family(path, limits, prover)
        proof = task.check_again(certificate, limits["seconds"], limits["memory"], prover)
    (stated,) = check_files([certificate], limits["seconds"], state_only=True)
    document = read_json(certificate, MOST_BYTES) if proof.is_proved else {}
    claim, claims = _claimed_id(document), load_claims().claims
    others = differences(document, claims)
    first, *rest = _lines(proof, path)
    statement = stated.statement or (f"the checker cannot print the statement: {stated.why}",)
    about = [wrapped(line, "  ", "    ") for line in statement]
    if claim is not None:
        about.append(f"claimed id: {claim}{'' if claim in claims else ', not in config/claims'}")
    about += [wrapped(f"not as in this project: {other}") for other in others]
    answer = proof.model_dump() | {"statement": stated.statement, "differences": others}
    return answer, [first, *about, *rest], proof.is_proved and not others


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
    return [*map(wrapped, lines), *_certificate_lines(str(proof.certificate))]


def _certificate_lines(certificate: str) -> list[str]:
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


# ---- Families.


def _check_family(certificate: str, limits: Mapping[str, float], checker: Limited) -> Answer:
    try:
        check = (check_family, certificate, limits["seconds"])
        answer = checker.call(*check, what="the check", **limits)
    except UndecidedError as error:
        answer = {"status": "undecided", "why": str(error), "certificate": certificate}
    document = {} if answer["status"] == "undecided" else read_json(Path(certificate), MOST_BYTES)
    games, others = document.get("games", {}), differences(document, {})
    lines = [*checked_lines(answer), *described_lines(games)]
    lines += [f"not as in this project: {other}" for other in others]
    is_right = answer["status"] == "proved" and not others
    return answer | {"games": games, "differences": others}, [*map(wrapped, lines)], is_right


def described_lines(games: Mapping[str, object]) -> list[str]:
    """Return the descriptions of a certificate's games, a line for each."""
    return [
        f"game({name}) in the certificate: {dumps(description)}"
        for name, description in games.items()
    ]


def checked_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return the lines on the check of a family's certificate, statement first."""
    if answer["status"] == "undecided":
        return [f"undecided: {answer['certificate']}: {answer['why']}"]
    statement, every = f"{answer['statement']}.", answer["every_member"]
    if answer["status"] == "refuted" and not every:
        at = ", ".join(map(str, answer["position"]))
        where = f"It is false at ({at}) for {assigned(answer['parameters'])}."
        return [f"refuted: {statement}", where]
    definition = "the definition's options" if every else "the definition"
    lines = [
        f"{'false for every member' if every else 'checked'}: {statement}",
        f"{enumerated(answer['engines'])} find {counted(answer['conditions'], 'condition')}, derived again from the game,"
        f" unsatisfiable; confirmed by {definition} for"
        f" {counted(answer['members'], 'member')}; {in_time(answer['seconds'])}",
    ]
    if every:
        return lines
    alone, by_tables = _members(answer["alone"]), _members(answer["tables_only"])
    return [
        *lines,
        f"also proved by the checker for one member alone: {alone}; compared by tables only: {by_tables}",
    ]


def _members(several: Sequence[Mapping[str, int]]) -> str:
    if not several:
        return "none"
    names = list(several[0])
    values = [", ".join(str(member[name]) for name in names) for member in several]
    if len(names) == 1:
        return f"{names[0]} = {', '.join(values)}"
    return f"({', '.join(names)}) = {', '.join(f'({value})' for value in values)}"


def _family_lines(answer: Mapping[str, Any]) -> list[str]:
    statement, every = f"{answer['statement']}.", answer["every_member"]
    if answer["status"] != "proved" and every is None:
        return [f"{answer['status']}: {statement}", answer["why"]]
    why, searched = [answer["why"]], f"searched for {in_time(answer['seconds'])}"
    if every is not None:
        why += [f"it contradicts itself at {case['text']}" for case in every["cases"]]
        why += [searched]
    else:
        states = f"{answer['states']} abstract states; " if answer["states"] else ""
        why = [f"{answer['why']}; {states}{searched}"]
    return [
        f"{answer['status'] if every is None else 'refuted'}: {statement}",
        *why,
        f"certificate: {(every or answer)['certificate']}",
        *checked_lines(answer["checked"]),
    ]


# ---- Names in certificates.


def _claimed_id(document: Mapping[str, Any]) -> str | None:
    """Return the claim's id in a certificate; it is not part of the proof."""
    claim = document.get("claim")
    return str(claim.get("id")) if isinstance(claim, dict) else None


def differences(document: Mapping[str, Any], claims: Mapping[str, Claim]) -> list[str]:
    """Return a sentence for each game or claim that differs from this project.

    Such a game or claim of a certificate has the same name as one of the project. Raises `ConfigError` if the project's
    description of a game cannot be read.
    """
    games = document.get("games")
    others = differing_games(games if isinstance(games, dict) else {}, Path.cwd())
    found = [
        f"the certificate describes game({name}) otherwise than config/games/{name}.yaml"
        for name in others
    ]
    known = claims.get(_claimed_id(document) or "")
    if known is not None:
        try:
            stated = proved_statement(Claim(Statement.model_validate(document["claim"])))
        except ValidationError:
            stated = {}
        if stated != proved_statement(known):
            found.append(f"the statement is not that of claim {known.id} in config/claims")
    return found
