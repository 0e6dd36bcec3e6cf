"""A proof as a ledger holds it, as plain as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def an_entry(
    ruleset: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    relation: str = "p",
    sweep: str = "some-games",
    status: str = "proved",
    states: Sequence[int] = (3,),
    growth: Sequence[int] = (),
    certificate: str | None = None,
) -> dict[str, Any]:
    """Return what the ledger says of one game."""
    return {
        "ruleset": ruleset,
        "relation": relation,
        "sweep": sweep,
        "parameters": dict(parameters or {}),
        "status": status,
        "why": f"why <{status}>",
        "states": list(states),
        "engines": ["own", "checker"] if status == "proved" else [],
        "seconds": 1.25,
        "growth": list(growth),
        "certificate": certificate,
    }


def solid(k: int, **changes: Any) -> dict[str, Any]:
    """Return a triangular bar's entry."""
    return an_entry(f"solid-bar(f=(x+z)//{k})", {"k": k}, **changes)
