"""Certificates of claims: files with a statement, fixed integers and automata.

docs/proof.md explains the keys. `checker/check.py` decides these files independently of this package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import Finding, Undecided
from choco_pipeline.documents.model import Model
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import build
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.certificate import (
    GameDocument,
    checked_again,
    claimed_proof,
    read_document,
    write_document,
)
from choco_pipeline.proof.games.prover import FORMAT, Proof
from choco_pipeline.proof.proof_errors import CertificateError
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.proof.statements.decided_integers import decide_choice, fixed_integers
from choco_pipeline.provenance import digest, versions
from choco_pipeline.statements.tree import text_of, without_samples

#: Subfolder of the folder of certificates, for claims.
FOLDER = "claims"


class ClaimDocument(Model):
    """The content of a claim's certificate file."""

    format: int = Field(ge=FORMAT, le=FORMAT)
    kind: Literal["claim"]
    claim: Statement
    names: dict[str, int]
    game: GameDocument | None
    games: dict[str, object] = Field(default={})
    verdict: Literal["proved"]
    versions: dict[str, str]


def write_claim_certificate(
    claim: Claim, names: Mapping[str, int], proof: Proof | None, folder: Path
) -> Path:
    """Write the certificate of a claim; claim and `names` determine its path.

    `names` are the parameters of the verdict. `proof` is None for a statement about integers.
    """
    games = {} if proof is None else proof.described_games
    document = {
        "format": FORMAT,
        "kind": "claim",
        "claim": proved_statement(claim),
        "names": dict(names),
        "game": proof.document if proof is not None and claim.is_about_outcomes else None,
        **games,
        "verdict": "proved",
        "versions": versions(),
    }
    values = "-".join(f"{name}-{value}" for name, value in names.items())
    slug = re.sub(r"[^a-z0-9-]+", "", values)[:60].strip("-") or "all"
    name = f"{slug}-{digest([document['claim'], document['names'], *games.values()])[:8]}.json"
    path = folder / FOLDER / claim.id / name
    write_document(path, document)
    return path


def proved_statement(claim: Claim) -> dict[str, object]:
    """Return the claim as JSON data, reduced to the statement that is proved."""
    formal = claim.as_json()
    if claim.statement.check is None:
        formal["statement"] = text_of(without_samples(claim.proposition))
        formal.pop("check")
    formal.pop("for_all")
    formal.pop("follows_from")
    return formal


def is_of_a_claim(path: Path) -> bool:
    """Whether a file is a certificate of a claim instead of a game."""
    return read_document(path, _Kind).kind == "claim"


def check_claim_certificate(path: Path, seconds: float = 60.0) -> tuple[ClaimDocument, Finding]:
    """Decide a claim again, from its certificate only.

    The claim is undecided if its automata are not proved. Raises `StoreError`, `CertificateError`, `RulesetError` or `RelationError` if
    the file is no certificate of a claim.
    """
    document = read_document(path, ClaimDocument)
    claim, names = Claim(document.claim, games=document.games), document.names
    clock = Clock(seconds)
    mistakes = [message for _, message in mistakes_in(claim)]
    if not mistakes and claim.pattern is None and not (claim.is_about_integers and claim.integers):
        mistakes = ["it has no ruleset"]
    if mistakes:
        raise CertificateError(f"{path}: not a certificate: claim: {mistakes[0]}")
    if claim.pattern is None or (claim.is_about_integers and claim.integers):
        if set(names) != set(fixed_integers(claim)):
            needed = ", ".join(fixed_integers(claim)) or "none"
            raise CertificateError(f"{path}: values are needed for exactly these names: {needed}")
        return document, decide_choice(claim, names, seconds)
    parameters = {name: names[name] for name in claim.parameters}
    game = build(claim.pattern, parameters, Path(), document.games)
    if dict(names) not in claim.cases(parameters):
        given = assigned(names)
        raise CertificateError(f"{path}: the claim is not about {given or 'this game'}")
    if document.game is not None:
        claimed = claimed_proof(document.game, path, document.games)
        if claimed.ruleset.identity != game.identity:
            other = claimed.ruleset.notation
            raise CertificateError(
                f"{path}: the automata are of {other}, needed is {game.notation}"
            )
        proof = checked_again(replace(claimed, ruleset=game), seconds)
    elif claim.is_about_outcomes:
        raise CertificateError(f"{path}: the automata of the game are needed")
    else:
        proof = Proof(game, "p", "proved", "", (), (), 0.0)
    if proof.status != "proved":
        return document, Finding(Undecided(f"its game's automata are {proof.status}: {proof.why}"))
    return document, decide(claim, names, proof, path.as_posix(), clock.left)


class _Kind(Model, extra="ignore"):
    kind: str = "game"
