"""Claims, verdicts and rows as a ledger holds them, as plain as can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from choco_pipeline.sweep.ledger import Ledger

Document = dict[str, Any]
#: The parts of a ledger that most tests do not name.
OTHERS: Document = {
    **dict.fromkeys(("claims", "verdicts", "rows", "pairs", "tables", "proofs", "findings"), ()),
    "format": 1,
    "run": "r",
    "title": "t",
    "config": "c.yaml",
    "command": "./choco run c.yaml",
    "versions": {"choco_pipeline": "1"},
    "seconds": dict.fromkeys(("tables", "checks", "mining", "proofs"), 0),
}


def whole(document: Mapping[str, Any]) -> Ledger:
    """Return a ledger of which a test says only a part."""
    return Ledger.model_validate({**OTHERS, **document})


def a_claim(
    name: str = "c",
    *,
    number: str = "Theorem 1",
    status: str = "theorem",
    ruleset: str | None = "nim(1)",
    **said: Any,
) -> Document:
    formal = {
        **dict.fromkeys(("when", "for_all", "follows_from", "bound", "check")),
        **{"id": name, "ruleset": ruleset, "every": {}, "some": {}, "printed": []},
        "statement": "P <=> a == 0",
        **said,
    }
    paper = {"key": "p", "title": "Title", "authors": ["A. B."], "year": 2000, "reference": "R"}
    return {
        **dict.fromkeys(("where", "note", "corrects")),
        **{"id": name, "number": number, "status": status, "ruleset": ruleset},
        "paper": paper,
        "words": "Words.",
        "contradicts": [],
        "kind": "p-positions",
        "formula": "P",
        "formal": formal,
    }


def a_verdict(
    kind: str,
    parameters: Mapping[str, int],
    *,
    claim: str = "c",
    table: str | None = None,
    position: Sequence[int] = (1,),
    coordinates: Sequence[str] = ("x",),
    evidence: Mapping[str, Any] | None = None,
) -> Document:
    shown = {"position": list(position), "coordinates": list(coordinates)}
    refutes = {**shown, "found": "f", "claimed": "g", "option": None, "reason": None}
    proof = {"certificate": "c.json"} if kind == "proved" else {}
    return {
        **dict.fromkeys(("reach", "printed", "why")),
        **{"claim": claim, "table": table, "parameters": dict(parameters), "verdict": kind},
        **{"positions": 1, "bound": 9, "seconds": 0.5, "text": kind, **proof},
        "counterexample": refutes if kind == "refuted" else None,
        "evidence": dict(evidence or {}),
    }


def a_row(
    verdicts: Sequence[Document], *, verdict: str = "holds-to-bound", decided: int | None = None
) -> Document:
    """Return a row; `decided` is the number of the deciding verdict."""
    name = verdicts[0]["claim"] if verdicts else "c"
    document: Document = {
        **dict.fromkeys(("parameters", "proved_for", "for_all", "follows_from"), ""),
        **dict.fromkeys(("check", "command"), f"./choco claims check {name}"),
        **{"claim": name, "verdict": verdict, "text": "what it comes to", "engines": []},
        **{"checks": len(verdicts), "positions": len(verdicts), "seconds": len(verdicts) / 2},
        "counts": dict(Counter(one["verdict"] for one in verdicts)),
        "bound": [9, 9] if verdicts else None,
        "decided": None,
    }
    if decided is not None:
        one = verdicts[decided]
        shown = {key: one["counterexample"][key] for key in ("coordinates", "position")}
        document["decided"] = {"table": one["table"], "parameters": one["parameters"], **shown}
    return document


def a_ledger(
    claims: Sequence[Document],
    verdicts: Sequence[Document],
    rows: Sequence[Document],
    pairs: Sequence[Document] = (),
    tables: Sequence[Document] = (),
) -> Ledger:
    parts = {"claims": claims, "verdicts": verdicts, "rows": rows, "pairs": pairs}
    return whole({**parts, "tables": tables})


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
    """Return a proof of one game."""
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
    """Return the proof of a triangular bar."""
    return an_entry(f"solid-bar(f=(x+z)//{k})", {"k": k}, **changes)
