"""Certificates of games: files with automata, checked without a search."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from choco_pipeline.automata.algebra import canonical
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.documents.files import read_json, write_text
from choco_pipeline.documents.model import Model
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.games.periods import Period
from choco_pipeline.proof.games.prover import (
    FORMAT,
    Proof,
    argument_names,
    check_relation,
    require_fitting,
)
from choco_pipeline.proof.proof_errors import CertificateError
from choco_pipeline.provenance import code_digest, digest, package_version

M = TypeVar("M", bound=Model)
#: Limit of bytes of a certificate. A proof that takes an hour needs a tenth of it.
MOST_BYTES = 1 << 25
#: Limit of characters of quoted text in an error message.
LONGEST = 100
#: Packages whose digest is the engine's version.
PROOF_CODE = ("automata", "formula", "games", "proof")


class GameDocument(Model):
    """A game and the automata of a relation, as JSON data."""

    ruleset: str
    relation: Relation
    coordinates: list[str]
    automata: list[dict[str, object]]
    period: Period | None = None


class CertificateDocument(GameDocument):
    """The content of a certificate file."""

    format: int = Field(ge=FORMAT, le=FORMAT)
    games: dict[str, object] = Field(default={})
    #: Present only in files of earlier versions.
    obligations: list[object] = Field(default=[])
    versions: dict[str, str]


# ---- Writing.


def write_certificate(proof: Proof, folder: Path) -> Path:
    """Write the certificate of a proof and return its path.

    Raises `CertificateError` unless the game is proved.
    """
    path = certificate_path(proof.ruleset, proof.relation, folder)
    write_document(path, proof.certificate)
    return path


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Write a certificate atomically, unless the file has this content already."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    # the pattern matches no string, because strings contain no line breaks
    short = re.sub(r"\[\n[\s\d,]*\]", lambda numbers: re.sub(r"\s+", "", numbers.group()), text)
    content = f"{short}\n"
    if not (path.is_file() and path.read_bytes() == content.encode()):
        write_text(path, content)


def certificate_path(ruleset: Ruleset, relation: Relation, folder: Path) -> Path:
    """Return the path of the certificate of a game and a relation."""
    slug = re.sub(r"[^a-z0-9]+", "-", ruleset.notation.lower()).strip("-")[:60].strip("-")
    return folder / f"{slug}-{relation}-{digest([ruleset.identity, relation])[:8]}.json"


def engine_version() -> str:
    """Return the package's version with a digest of `PROOF_CODE`."""
    return f"{package_version()} {code_digest(PROOF_CODE)}"


# ---- Reading.


def read_certificate(path: Path) -> Proof:
    """Read the proof in a file; its form is checked, but not its truth.

    Raises `StoreError`, `CertificateError`, `RulesetError` or `RelationError` if the file is missing, larger than `MOST_BYTES` or no
    certificate. The automata must fit the game, and be minimal and numbered breadth-first.
    """
    document = read_document(path, CertificateDocument)
    return claimed_proof(document, path, document.games)


def check_certificate(path: Path, seconds: float = 60.0) -> Proof:
    """Repeat the proof of a certificate, from its ruleset and automata."""
    return checked_again(read_certificate(path), seconds)


def checked_again(claimed: Proof, seconds: float) -> Proof:
    """Repeat the proof for the automata of `claimed_proof`."""
    given = claimed.ruleset, claimed.automata, claimed.relation
    return check_relation(*given, seconds, claimed.period)


def read_document(path: Path, model: type[M]) -> M:
    """Read a document; raise the errors of `read_certificate`."""
    try:
        return model.model_validate(read_json(path, MOST_BYTES))
    except ValidationError as error:
        first = error.errors()[0]
        where = excerpt(".".join(map(str, first["loc"]))) or "the document"
        raise CertificateError(f"{path}: not a certificate: {where}: {first['msg']}") from None


def claimed_proof(document: GameDocument, path: Path, games: Mapping[str, Any]) -> Proof:
    """Return the unchecked proof in a document; errors as `read_certificate`.

    User-defined games are read only from the descriptions `games`, and from no other file.
    """
    ruleset = parse_ruleset(document.ruleset, games=games)
    if ruleset.notation != document.ruleset:
        raise CertificateError(
            f"{path}: the ruleset must be written {ruleset.notation}, found {excerpt(document.ruleset)}"
        )
    coordinates = argument_names(ruleset, document.relation)
    if document.coordinates != coordinates:
        raise CertificateError(f"{path}: the coordinates must be {', '.join(coordinates)}")
    automata: list[Automaton] = []
    for passes, data in enumerate(document.automata):
        where = f"{path}: the automaton for {passes_left(passes)}"
        try:
            automata.append(Automaton.from_json(data))
        except ChocoError as error:
            raise CertificateError(f"{where}: {error}") from None
        if canonical(automata[passes]) != automata[passes]:
            raise CertificateError(f"{where} is not minimal and numbered breadth-first")
    relation, period = document.relation, document.period
    require_fitting(ruleset, relation, automata)
    return Proof(ruleset, relation, "proved", "", tuple(automata), (), 0.0, period=period)


def excerpt(text: str) -> str:
    """Return text for an error message, printable and at most `LONGEST` characters."""
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return printable if len(printable) <= LONGEST else f"{printable[:LONGEST]}…"
