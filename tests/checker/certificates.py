"""Certificates for the checker: proved by the package, or written by hand."""

import functools
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove

CHECKER = Path(__file__).parents[2] / "checker/check.py"


@functools.cache
def checker() -> ModuleType:
    """Return the checker as a module; it lies outside of the package."""
    spec = importlib.util.spec_from_file_location("check", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check"] = module
    spec.loader.exec_module(module)
    return module


@functools.cache
def game_text(ruleset: str, relation: str, folder: Path) -> str:
    """Return the text of a certificate that the package writes."""
    proof = prove(parse_ruleset(ruleset), relation)
    assert proof.status == "proved", proof.why
    return write_certificate(proof, folder).read_text()


def verdict_on(document: Any, folder: Path, name: str = "certificate.json") -> tuple[str, str]:
    """Return the checker's verdict on a document."""
    return answer_on(document, folder, name)[0]


def answer_on(
    document: Any, folder: Path, name: str = "certificate.json"
) -> tuple[tuple[str, str], list[str]]:
    """Return the checker's verdict on a document, and the statement that it prints."""
    path, statement = folder / name, list[str]()
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    checker().relation_in.cache_clear()
    checker().proof_in.cache_clear()
    return checker().verdict_on(path, statement), statement


def claim_on(game: str, statement: str, **more: Any) -> dict[str, Any]:
    """Return the certificate of a statement on the game of another certificate."""
    document, names = json.loads(game), more.pop("names", {})
    claim = {"id": "claim", "ruleset": document["ruleset"], "statement": statement, **more}
    automata = {key: document[key] for key in ("ruleset", "relation", "coordinates", "automata")}
    return {
        "format": 1,
        "kind": "claim",
        "claim": claim,
        "names": names,
        "game": automata,
        "verdict": "proved",
    }


def integers(statement: str, bound: int = 20, **names: int) -> dict[str, Any]:
    """Return the certificate of a statement on integers."""
    claim = {"id": "claim", "statement": statement, "bound": bound}
    return {"format": 1, "kind": "claim", "claim": claim, "names": names, "verdict": "proved"}
