"""Formulas for what is proved: guessed from small positions, the shortest first, and decided for all positions.

A Grundy number is looked for as a nim-sum of shifted coordinates, as a linear form with halves, or as the least or the
largest of two of these; for all positions together, or by cases: residues of coordinates, and which of two is larger. A
position at which a guess is wrong joins the small ones, and the next guess is right there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.verdict import Proved, Refuted
from choco_pipeline.games import Position
from choco_pipeline.mining.cases import Case, shortest_cases
from choco_pipeline.mining.synthesis import Atoms, Target
from choco_pipeline.proof.claims import decide
from choco_pipeline.proof.engines import EngineName, installed_engines
from choco_pipeline.proof.explained import Known
from choco_pipeline.proof.proved import Proof
from choco_pipeline.tables.schema import unwrap

#: Guesses are made from the positions with coordinates up to this, by the number of coordinates.
BOUNDS = {1: 64, 2: 28, 3: 9, 4: 5}
#: So many guesses are put to the engines.
GUESSES = 8


@dataclass(frozen=True)
class Formulas:
    """What a proved relation is by formulas, each position by exactly one of them, or by several that agree.

    Attributes
    ----------
    cases
        Formulas of Grundy numbers, or a condition that P-positions alone satisfy.
    engines
        Who agrees that they are right at every position.
    """

    cases: tuple[Case, ...]
    engines: tuple[str, ...]


def formulas(
    proof: Proof, engines: Sequence[EngineName] | None = None, seconds: float = 20.0
) -> Formulas | None:
    """Look for formulas of a proved game without passes, and prove them.

    Parameters
    ----------
    proof
        Proved Grundy numbers, or P-positions.
    engines
        As for `choco_pipeline.proof.claims.decide`.
    seconds
        About so long is looked for formulas.

    Returns
    -------
    Formulas or None
        The shortest ones that are found and proved.
    """
    names = proof.ruleset.coordinates
    if proof.status != "proved" or unwrap(proof.ruleset)[1] or len(names) not in BOUNDS:
        return None
    positions = list(proof.ruleset.positions(BOUNDS[len(names)]))
    end = time.monotonic() + seconds
    first, *_ = asked = tuple(engines or installed_engines())
    for _ in range(GUESSES):
        guess = _guess(proof, names, positions)
        if guess is None:
            return None
        said, wrong = _decided(proof, guess, (first,), end)
        if wrong is not None:
            positions += wrong
            continue
        said, _ = _decided(proof, guess, asked, end)
        return Formulas(guess, said) if said else None
    return None


def described_formula(
    proof: Proof, engines: Sequence[EngineName] | None = None, seconds: float = 20.0
) -> dict[str, Any] | None:
    """Return the formulas of a proved relation as plain data.

    Returns
    -------
    dict or None
        ``text``, all in one line; ``cases``, a list of ``where`` (a condition, or None) and ``formula``; ``engines``,
        which agree.
    """
    found = formulas(proof, engines, seconds)
    if found is None:
        return None
    sign = "P ⇔ " if proof.relation == "p" else "G = "
    return {
        "text": sign + _in_one_line(found.cases),
        "cases": [{"where": case.where, "formula": case.formula} for case in found.cases],
        "engines": list(found.engines),
    }


def _decided(
    proof: Proof,
    cases: Sequence[Case],
    engines: Sequence[EngineName],
    end: float,
) -> tuple[tuple[str, ...], list[Position] | None]:
    """Return which engines find all cases to be right, or the least positions where some are wrong."""
    said: set[str] | None = None
    wrong = []
    for case in cases:
        check = {"kind": "grundy", "equals": case.formula}
        if proof.relation == "p":
            check = {"kind": "p-positions", "formula": case.formula}
        document = {"id": "guess", "ruleset": proof.ruleset.notation, "check": check}
        if case.where is not None:
            check["where"] = case.where
        finding = decide(Claim.from_json(document), {}, proof, "", engines, end - time.monotonic())
        match finding.verdict:
            case Proved():
                by = set(finding.evidence["engines"])
                said = by if said is None else said & by
            case Refuted(counterexample) if counterexample.position is not None:
                wrong.append(counterexample.position)
            case _:
                return (), None
    return ((), wrong) if wrong else (tuple(sorted(said or (), reverse=True)), None)


def _guess(
    proof: Proof, names: tuple[str, ...], positions: Sequence[Position]
) -> tuple[Case, ...] | None:
    """Return the shortest formulas that are right at the positions."""
    rows = np.array(positions, np.int64)
    points = {name: rows[:, i] for i, name in enumerate(names)}
    known = Atoms.at(names, points)
    if proof.relation == "p":
        truths = proof.automata[0].contains(rows)
        text = known.zeros(truths)
        return None if text is None else (Case(None, text),)
    numbers = np.array([Known(proof, position).number for position in positions], np.int64)
    return shortest_cases(known, points, Target(numbers))


def _in_one_line(cases: Sequence[Case]) -> str:
    """Return cases, of which each position is in exactly one, as text: the last one is all the others."""
    *first, last = cases
    return "".join(f"{case.formula} if {case.where} else " for case in first) + last.formula
