"""Certificates of families as JSON; docs/families.md explains the keys."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from choco_pipeline.documents.files import write_json
from choco_pipeline.proof.uniform.affine import Affine
from choco_pipeline.proof.uniform.by_cases import CaseFormulaProof
from choco_pipeline.proof.uniform.control import ControlLocation, TrackForm
from choco_pipeline.proof.uniform.failure import Failure
from choco_pipeline.proof.uniform.family import FamilyCase
from choco_pipeline.proof.uniform.family_prover import CaseProof, FamilyProof
from choco_pipeline.proof.uniform.forms import AffineQuotient
from choco_pipeline.proof.uniform.invariant_search import Invariant

KIND, FORMAT = "family", 2
#: The key of a sum's constant, which is not a valid name.
CONSTANT_KEY = "1"


def document(proof: FamilyProof) -> dict[str, object]:
    """Return the certificate of a proof, or of a refutation for every member."""
    family = proof.family
    return {
        "kind": KIND,
        "format": FORMAT,
        "ruleset": family.ruleset,
        "games": dict(family.description.documents),
        "parameters": list(family.parameters),
        "for": family.condition,
        "where": family.where,
        "relation": {"kind": family.kind, "formula": family.relation},
        "without_passes": family.without_passes if family.description.passes else None,
        "verdict": "refuted" if proof.failures else "proved",
        "cases": [*map(_case, proof.cases), *map(_failure, proof.failures)],
    }


def write(proof: FamilyProof, folder: Path) -> Path:
    """Write the certificate and return its path."""
    family = proof.family
    statement = "\n".join([family.ruleset, family.condition, family.kind, family.relation])
    statement += f"\n{family.where}" if family.where else ""
    stem = f"family-{hashlib.sha256(statement.encode()).hexdigest()[:16]}"
    path = folder / f"{stem}.json"
    write_json(path, document(proof))
    return path


def _case(proof: CaseProof) -> dict[str, object]:
    return {
        **_case_fields(proof.case, proof.largest),
        "obligations": [
            {
                "kind": invariant.obligation.kind,
                "move": invariant.obligation.move,
                "locations": [_location(invariant, here) for here in ordered(invariant)],
            }
            for invariant in proof.invariants
        ],
        "formula": None if proof.by_cases is None else _formula(proof.case, proof.by_cases),
    }


def _formula(case: FamilyCase, proof: CaseFormulaProof) -> dict[str, object]:
    return {
        "factors": list(proof.factors),
        "floors": [*map(_quotient, case.floors.values())],
        "quotients": [
            {"dividend": _sum(q.dividend), "divisor": _sum(q.divisor)}
            for q in proof.quotients.values()
        ],
        "options": [
            {"move": next(iter(changes)), "fallen": [*changes][1:], "changed": _sums(changes)}
            for changes in proof.options
        ],
        "lemmas": {name: [_sum(total) for total in sums] for name, sums in proof.lemmas.items()},
    }


def _failure(failure: Failure) -> dict[str, object]:
    parts = None if failure.digits is None else failure.digits.items()
    return {
        **_case_fields(failure.case, failure.largest),
        "position": _sums(failure.position),
        "digits": parts and {x: {"high": _sum(high), "low": _sum(low)} for x, (high, low) in parts},
    }


def _case_fields(case: FamilyCase, largest: Mapping[str, int] | None) -> dict[str, object]:
    return {
        "parameters": _sums(case.parameters),
        "conditions": [_sum(c) for c in case.conditions],
        "heights": {
            name: {
                "function": height.function,
                "parts": [_quotient(part) for part in height.parts],
            }
            for name, height in case.heights.items()
        },
        "shifts": _sums(case.shifts),
        "constant": _sum(case.constant),
        "offset": _sum(case.offset),
        "largest": None if largest is None else dict(largest),
    }


def _quotient(part: AffineQuotient) -> dict[str, object]:
    terms, constant = part.split
    return {"terms": _sums(terms), "constant": _sum(constant), "divisor": _sum(part.divisor)}


def ordered(proof: Invariant) -> list[ControlLocation]:
    """Return all locations of the control, the start first, then by name.

    Locations without states are included, because words reach them after the hypotheses have become false for good.
    """
    return sorted(proof.facts, key=lambda here: (not here.start, here.name))


def _location(proof: Invariant, here: ControlLocation) -> dict[str, object]:
    obligation, facts = proof.obligation, proof.facts[here]
    written: dict[str, object] = {
        "start": here.start,
        "settled": here.settled,
        "move": here.move or None,
        "orders": dict(here.orders),
        "zero": sorted(here.zero),
    }
    if here.phase == "upper":
        written["upper"] = True
    if not here.start:
        counters: Mapping[str, TrackForm] = obligation.counters(here)
        written |= {
            "counters": {name: _sums(form) for name, form in counters.items()},
            "equalities": [_sum(total) for total in facts.equalities],
            "parities": dict(facts.parities),
            "never": [
                [_sum(s) for s in conjunction] for conjunction in obligation.never_again(here)
            ],
            "predicates": [_sum(p) for p in proof.predicates[here]],
        }
    states = proof.states.get(here, ())
    written["states"] = ["".join("01"[bit] for bit in bits) for bits in states]
    if obligation.kind == "option" and states:
        written["strategy"] = _strategy(proof, here)
    return written


def _strategy(proof: Invariant, here: ControlLocation) -> list[dict[str, object]]:
    numbers = {there: number for number, there in enumerate(ordered(proof))}
    steps: list[dict[str, object]] = []
    for number, step in enumerate(proof.obligation.steps(here)):
        if not step.digits:
            continue
        taken: dict[int, list[int]] = {}
        for state, bits in enumerate(proof.states[here]):
            taken.setdefault(proof.strategy[here, bits][number], []).append(state)
        answers = [
            {
                "states": states,
                "digits": dict(step.answers[index][0]),
                "to": numbers[step.answers[index][1]],
                "move": step.answers[index][1].move or None,
            }
            for index, states in sorted(taken.items())
        ]
        steps.append({"digits": dict(step.digits), "answers": answers})
    return steps


def _sums(totals: Mapping[str, Affine]) -> dict[str, dict[str, int]]:
    return {name: _sum(total) for name, total in totals.items()}


def _sum(total: Affine) -> dict[str, int]:
    return dict(total.terms) | ({CONSTANT_KEY: total.constant} if total.constant else {})
