"""What earlier runs have found out about games, so that a game is searched for a proof once and not in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.errors import ChocoError, RulesetError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.proof.certificate import certificate_path, engine_version
from choco_pipeline.proof.engines import installed_engines
from choco_pipeline.proof.members import Relation

FORMAT = 1


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of searches for proofs, a file for each below ``outcomes/`` in the folder of the certificates.

    An outcome stands as long as the code that decides and the engines are the same. Of a proof, the certificate must be
    the same, too, byte by byte; it is not decided again, which is what ``choco prove --check`` is for. That nothing was
    found stands for searches with the same limits, or less.
    """

    certificates: Path
    engines: Mapping[str, str] = field(
        default_factory=lambda: {engine: engine_version(engine) for engine in installed_engines()}
    )

    def find(self, todo: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the document of a proof, found or not, as `choco_pipeline.proof.task` writes it; None if it is unknown."""
        try:
            known = read_json(self._path(parse_ruleset(todo["ruleset"]), todo["relation"]))
            document: dict[str, Any] = known["proof"]
            if known["format"] != FORMAT or known["engines"] != self.engines:
                return None
            if document["status"] == "proved":
                stands = known["sha256"] == _sha256(document["certificate"])
            else:
                stands = all(todo[limit] <= known[limit] for limit in ("seconds", "memory"))
        except (ChocoError, OSError, KeyError, TypeError):
            return None  # no such file, or nothing that can be read
        asked = {name: todo[name] for name in ("sweep", "parameters")}
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
            "sha256": None if certificate is None else _sha256(certificate),
            "proof": document,
        }
        write_json(self._path(game, todo["relation"]), known)

    def _path(self, game: Ruleset, relation: Relation) -> Path:
        return certificate_path(game, relation, self.certificates / "outcomes")


def _sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
