"""What earlier runs have found out about games, so that a game is searched for a proof once and not in every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from choco_pipeline.documents.files import read_json
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError, RulesetError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.proof.games.certificate import certificate_path, engine_version
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.proof_outcome import GameProof
from choco_pipeline.proof.proof_orders import GameToProve
from choco_pipeline.provenance import file_digest

FORMAT = 3


@dataclass(frozen=True)
class EarlierProofs:
    """The outcomes of searches for proofs, a file for each below ``outcomes/`` in the folder of the certificates.

    An outcome stands as long as the code that decides is the same, and only for the game and the relation
    that it is about: what its file is called says nothing. Of a proof, the certificate must be the one that the game has,
    the same byte by byte; it is not decided again, which is what ``choco prove --check`` is for. That nothing was found
    stands for searches with the same limits, or less.
    """

    certificates: Path
    engine: str = field(default_factory=engine_version)

    def find(self, todo: GameToProve) -> GameProof | None:
        """Return what is known of a proof, found or not; None if nothing is."""
        try:
            game, relation = parse_ruleset(todo.ruleset), todo.relation
            known = read_record(self._path(game, relation))
            same = known["format"] == FORMAT and known["engine"] == self.engine
            if not (same and _is_about(known["proof"], game, relation)):
                return None
            proof = GameProof.model_validate(known["proof"])
            if proof.is_proved:
                path = certificate_path(game, relation, self.certificates)
                stands = (
                    proof.certificate == path.as_posix()
                    and known["sha256"] == file_digest(path)
                    and _is_about(read_json(path), game, relation)
                )
            else:
                within = todo.seconds <= known["seconds"] and todo.memory <= known["memory"]
                stands = proof.status == "undecided" and within
        except (ChocoError, OSError, KeyError, TypeError, ValidationError):
            return None  # no such file, or nothing that can be read
        asked = {name: getattr(todo, name) for name in ("ruleset", "sweep", "parameters")}
        return proof.model_copy(update=asked) if stands else None

    def add(self, todo: GameToProve, proof: GameProof) -> None:
        """Keep what a search has found, and the limits that it had; not for a ruleset that is none."""
        try:
            game = parse_ruleset(todo.ruleset)
        except RulesetError:
            return
        known = {
            "format": FORMAT,
            "engine": self.engine,
            "seconds": todo.seconds,
            "memory": todo.memory,
            "sha256": None if proof.certificate is None else file_digest(Path(proof.certificate)),
            "proof": proof.model_dump(),
        }
        write_record(self._path(game, todo.relation), known)

    def _path(self, game: Ruleset, relation: Relation) -> Path:
        return certificate_path(game, relation, self.certificates / "outcomes")


def _is_about(document: Mapping[str, Any], game: Ruleset, relation: Relation) -> bool:
    """Return whether what a document says itself is this game and relation, in whatever spelling."""
    same = parse_ruleset(document["ruleset"]).identity == game.identity
    return same and bool(document["relation"] == relation)
