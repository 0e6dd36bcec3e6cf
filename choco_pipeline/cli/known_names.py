"""Names in certificates that this project knows: claims and games."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.games.description import described_otherwise
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.shipped import project_file


def known_claims() -> Mapping[str, Claim]:
    """Return the claims of config/claims by id, or raise `ConfigError`."""
    return load_catalogue(sorted(project_file("config/claims").glob("*.yaml"))).claims


def claimed_id(document: Mapping[str, Any]) -> str | None:
    """Return the claim's id in a certificate, which is no part of the proof."""
    claim = document.get("claim")
    return str(claim.get("id")) if isinstance(claim, dict) else None


def differences(document: Mapping[str, Any], claims: Mapping[str, Claim]) -> list[str]:
    """Return a sentence for each name that differs from this project.

    A certificate may describe a game, or state a claim, of the same name differently. Raises `ConfigError` if the project's
    description of such a game cannot be read.
    """
    games = document.get("games")
    others = described_otherwise(games if isinstance(games, dict) else {}, Path.cwd())
    found = [
        f"the certificate describes game({name}) otherwise than config/games/{name}.yaml"
        for name in others
    ]
    known = claims.get(claimed_id(document) or "")
    if known is not None:
        try:
            stated = proved_statement(Claim(Statement.model_validate(document["claim"])))
        except ValidationError:
            stated = {}
        if stated != proved_statement(known):
            found.append(f"the statement is not that of claim {known.id} in config/claims")
    return found
