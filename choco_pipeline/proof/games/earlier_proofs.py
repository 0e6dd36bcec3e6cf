"""What earlier runs have found out about games, so that a game is searched for a proof once and not in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from choco_pipeline.documents.files import read_json
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError, RulesetError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.proof.arithmetic.engines import installed_engines
from choco_pipeline.proof.games.certificate import certificate_path, engine_version
from choco_pipeline.proof.games.membership import Relation

FORMAT = 2


@dataclass(frozen=True)
class EarlierProofs:
    """The outcomes of searches for proofs, a file for each below ``outcomes/`` in the folder of the certificates.

    An outcome stands as long as the code that decides and the engines are the same, and only for the game and the relation
    that it is about: what its file is called says nothing. Of a proof, the certificate must be the one that the game has,
    the same byte by byte; it is not decided again, which is what ``choco prove --check`` is for. That nothing was found
    stands for searches with the same limits, or less.
    """

    certificates: Path
    engines: Mapping[str, str] = field(
        default_factory=lambda: {engine: engine_version(engine) for engine in installed_engines()}
    )

    def find(self, todo: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the document of a proof, found or not, as `choco_pipeline.proof.task` writes it; None if it is unknown."""
        try:
            game, relation = parse_ruleset(todo["ruleset"]), todo["relation"]
            known = read_record(self._path(game, relation))
            document: dict[str, Any] = known["proof"]
            same = known["format"] == FORMAT and known["engines"] == self.engines
            if not (same and _is_about(document, game, relation)):
                return None
            if document["status"] == "proved":
                path = certificate_path(game, relation, self.certificates)
                stands = (
                    document["certificate"] == path.as_posix()
                    and known["sha256"] == _sha256(path)
                    and _is_about(read_json(path), game, relation)
                )
            else:
                stands = document["status"] == "undecided" and all(
                    todo[limit] <= known[limit] for limit in ("seconds", "memory")
                )
        except (ChocoError, OSError, KeyError, TypeError):
            return None  # no such file, or nothing that can be read
        asked = {name: todo[name] for name in ("ruleset", "sweep", "parameters")}
        return document | asked if stands else None

    def add(self, todo: Mapping[str, Any], document: Mapping[str, Any]) -> None:
        """Keep what a search has found, and the limits that it had; not for a ruleset that is none."""
        try:
            game = parse_ruleset(todo["ruleset"])
        except RulesetError:
            return
        certificate = document["certificate"]
        known = {
            "format": FORMAT,
            "engines": self.engines,
            "seconds": todo["seconds"],
            "memory": todo["memory"],
            "sha256": None if certificate is None else _sha256(Path(certificate)),
            "proof": dict(document),
        }
        write_record(self._path(game, todo["relation"]), known)

    def _path(self, game: Ruleset, relation: Relation) -> Path:
        return certificate_path(game, relation, self.certificates / "outcomes")


def _is_about(document: Mapping[str, Any], game: Ruleset, relation: Relation) -> bool:
    """Return whether what a document says itself is this game and relation, in whatever spelling."""
    same = parse_ruleset(document["ruleset"]).identity == game.identity
    return same and bool(document["relation"] == relation)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
