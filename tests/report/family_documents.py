"""Ledgers that name proofs of families, made for a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.verdict import Proved
from choco_pipeline.proof.uniform.family_certificate import write
from tests.claims.verdict_documents import verdict_document
from tests.proof.uniform.judged import proved_once

FamilyClaim = tuple[str, str, dict[str, str]]

STEP = ("step-bar(k=k, s=s)", "k % 2 == 0 and s < k", {"grundy": "(y ^ (z+s)) - s"})
THREE = ("solid-bar(f=(x+z)//k)", "k % 4 == 3", {"p_positions": "x ^ y ^ z == 0"})
ODD_STEP = (
    "step-bar(k=k, s=s)",
    "k % 2 == 1 and s <= k",
    {
        "grundy": "z + (1-(y+z+s)%2)*((y+1)//2)"
        " - (y+z+s)%2*max((y+1)//2, ((2*k+1)*y-z-s+2*k-1)//(2*k))"
    },
)


def certificates(folder: Path, families: Sequence[FamilyClaim] = (STEP, THREE)) -> list[Path]:
    """Prove families, and return where their certificates are."""
    found = []
    for ruleset, condition, relation in families:
        proof = proved_once(ruleset, condition, **relation)
        assert proof.status == "proved", proof.why
        found.append(write(proof, folder))
    return found


def proved_verdict(claim: str, path: Path) -> dict[str, Any]:
    """Return the verdict on a claim that a certificate proves for all parameters."""
    return {
        "claim": claim,
        "table": None,
        "parameters": {},
        "for_all": {"parameters": ["k"], "condition": "k % 4 == 3", "where": ""},
        **verdict_document(Proved(path.as_posix())),
        "evidence": {"engines": ["z3", "cvc5"], "conditions": 47, "tables": 12, "alone": 7},
        "certificate": path.as_posix(),
        "seconds": 1.0,
    }
