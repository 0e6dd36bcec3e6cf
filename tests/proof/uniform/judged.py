"""Searches for proofs of families, with the verdict of `checker/families.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.proof.clock import Budget
from choco_pipeline.proof.trial import RelationKind
from choco_pipeline.proof.uniform.family import Family
from choco_pipeline.proof.uniform.family_certificate import document, write
from choco_pipeline.proof.uniform.family_prover import FamilyProof, decide
from choco_pipeline.proof.uniform.parametric_rules import describe
from tests.checker.families.program import check_family
from tests.definition import value_in_python


@dataclass(frozen=True)
class Judged(FamilyProof):
    """A search with its verdict: ``proved`` for ``found``, and the solvers that agree."""

    engines: tuple[str, ...] = ()


def search_family(
    ruleset: str,
    condition: str,
    *,
    p_positions: str = "",
    grundy: str = "",
    where: str = "",
    seconds: float = 60.0,
    memory: float = inf,
) -> FamilyProof:
    """Return the outcome of a search: a guess, until its certificate is judged."""
    kind: RelationKind = "grundy" if grundy else "p-positions"
    family = Family.read(ruleset, condition, grundy or p_positions, kind, where)
    return decide(family, Budget(seconds, memory=memory))


def prove_family(ruleset: str, condition: str, **asked: Any) -> Judged:
    """Return the outcome of a search, judged."""
    found = search_family(ruleset, condition, **asked)
    if found.status != "found" and not found.failures:
        return Judged(**vars(found))
    with TemporaryDirectory() as folder:
        answer = check_family(write(found, Path(folder)).as_posix(), 600.0)
    if found.failures and not answer["every_member"]:
        return Judged(**vars(found) | {"failures": ()})
    why = found.why if found.failures or answer["status"] == "proved" else answer["why"]
    judged = {"status": answer["status"], "why": why, "engines": tuple(answer["engines"])}
    return Judged(**vars(found) | judged)


@cache
def proved_once(ruleset: str, condition: str, **asked: Any) -> Judged:
    """Return the outcome of a search, judged once for all tests of a process: none may have changed what decides it."""
    return prove_family(ruleset, condition, **asked)


def certificate_of(ruleset: str, condition: str, **asked: Any) -> dict[str, Any]:
    """Return a certificate as it is read from its file, to be changed."""
    found: dict[str, Any] = json.loads(
        json.dumps(document(proved_once(ruleset, condition, **asked)))
    )
    return found


#: Bounds of the positions that are compared, by the number of coordinates.
BOUNDS = {1: 24, 2: 14, 3: 8, 4: 5, 5: 3}


def small_members(
    ruleset: str, condition: str, most: int = 3, **fixed: int
) -> Iterator[tuple[dict[str, int], Ruleset]]:
    """Yield the first members of a family, with their parameters."""
    names = sorted({*describe(ruleset).parameters, *parse(condition).names} - fixed.keys())
    for numbers in sorted(product(range(12), repeat=len(names)), key=sum):
        given = {**fixed, **dict(zip(names, numbers, strict=True))}
        with suppress(ChocoError):  # no game
            if most and value_in_python(condition, given):
                yield given, parse_ruleset(ruleset, given)
                most -= 1


def is_true(asked: Mapping[str, str], given: Mapping[str, int], game: Ruleset) -> bool:
    """Whether a statement is true of a member's small positions, by the definition."""
    said, where = asked.get("grundy") or asked["p_positions"], asked.get("where") or "True"
    for position in game.positions(BOUNDS[len(game.coordinates)]):
        at = {**given, **dict(zip(game.coordinates, position, strict=True))}
        number = game.grundy(position)
        if value_in_python(where, at) and (
            value_in_python(said, at) != (number if "grundy" in asked else number == 0)
        ):
            return False
    return True


@pytest.fixture
def verdict(tmp_path: Path) -> Callable[[object], dict[str, Any]]:
    """Return the checker's verdict on a document."""

    def of(document: object) -> dict[str, Any]:
        path = tmp_path / "family.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return check_family(path.as_posix(), 600.0)

    return of


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no table refute a statement before the search."""
    monkeypatch.setattr(
        "choco_pipeline.proof.trial.Statement.refutation", lambda statement, seconds: (None, 0)
    )
