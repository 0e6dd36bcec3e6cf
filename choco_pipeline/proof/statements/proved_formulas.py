"""Formulas of proved games, guessed from small positions and decided everywhere.

A Grundy number is looked for as a nim-sum of shifted coordinates, as a linear form with halves, or as the least or the
largest of two of these; for all positions together, or by cases: residues of coordinates, and which of two is larger. A
position at which a guess is wrong joins the small ones, and the next guess is right there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Finding,
    Proved,
    Refuted,
    Undecided,
)
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games import Position
from choco_pipeline.mining.closed_forms.synthesis import Atoms, FormulaCase, Target, shortest_cases
from choco_pipeline.proof.arithmetic.logic import Sentence
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.proof_outcome import FormulaOfProof
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.decided_claims import ProvedPosition, Question

#: Largest coordinate of the positions for guesses, by the number of coordinates.
BOUNDS = {1: 64, 2: 28, 3: 9, 4: 5}
#: Guesses that are decided at most.
GUESSES = 8


def formulas(proof: Proof, seconds: float = 20.0) -> FormulaOfProof | None:
    """Return the shortest proved formulas of a game without passes, if any."""
    names = proof.ruleset.coordinates
    if proof.status != "proved" or proof.ruleset.passes or len(names) not in BOUNDS:
        return None
    positions = list(proof.ruleset.positions(BOUNDS[len(names)]))
    clock = Clock(seconds)
    for _ in range(GUESSES):
        guess = _guess(proof, names, positions)
        if guess is None:
            return None
        finding = decide_cases(proof, guess, clock.left)
        match finding.verdict:
            case Refuted(Counterexample(position=tuple(wrong))):
                positions.append(wrong)
            case _:
                return proved_formula(proof, guess, finding)
    return None


def proved_formula(
    proof: Proof, cases: tuple[FormulaCase, ...], decided: Finding
) -> FormulaOfProof | None:
    """Return formulas by cases as a record; None if they are not proved."""
    if not isinstance(decided.verdict, Proved):
        return None
    sign = "P ⇔ " if proof.relation == "p" else "G = "
    return FormulaOfProof(text=sign + "; ".join(map(str, cases)), cases=cases)


def decide_cases(
    proof: Proof,
    cases: Sequence[FormulaCase],
    seconds: float = 60.0,
    *,
    covers: bool = True,
) -> Finding:
    """Return whether formulas are right in their cases, and cover all positions.

    The finding is that of `decide` without a certificate's path. Raises `DisagreementError` if the cases are right at the
    counterexample.
    """
    claim = _claim(proof, cases, covers=covers)
    question = Question(claim, {}, proof, "", seconds)

    def wrong(passes: int) -> Sentence:
        return question.translator(passes).false_where(question.in_reach, claim.parts.rest)

    try:
        shown = partial(_counterexample, proof, cases)
        return question.everywhere(lambda _: question.in_reach, wrong, shown)
    except (NotDefinableError, UndecidedError, LimitError, FormulaError) as error:
        return Finding(Undecided(str(error)))


def _claim(proof: Proof, cases: Sequence[FormulaCase], *, covers: bool) -> Claim:
    """Return the claim that formulas are right in their cases, and cover everything."""
    sign = "P <=>" if proof.relation == "p" else "G =="
    parts = [
        f"{sign} {case.formula}"
        if case.where is None
        else f"({case.where}) => ({sign} {case.formula})"
        for case in cases
    ]
    meant = [case.where for case in cases]
    if covers and None not in meant:
        parts.append(" or ".join(f"({where})" for where in meant))
    document = {"id": "guess", "ruleset": proof.ruleset.notation, "statement": ";\n".join(parts)}
    return Claim(Statement.model_validate(document), games=proof.ruleset.documents)


def _counterexample(
    proof: Proof, cases: Sequence[FormulaCase], position: Position
) -> Counterexample:
    """Return the counterexample to formulas by cases at a position."""
    at = dict(zip(proof.ruleset.coordinates, position, strict=True))
    known = ProvedPosition(proof, position)
    right = known.is_p_position if proof.relation == "p" else known.number
    meant = [case for case in cases if case.where is None or parse(case.where).value(at)]
    if meant and all(parse(case.formula).value(at) == right for case in meant):
        raise DisagreementError(f"formulas are right at {position}, the engine says they are not")
    claimed = " and ".join(map(str, meant)) or "no case that it is in"
    return Counterexample(str(right), claimed, position, proof.ruleset.coordinates)


def _guess(
    proof: Proof, names: tuple[str, ...], positions: Sequence[Position]
) -> tuple[FormulaCase, ...] | None:
    """Return the shortest formulas that are right at the positions."""
    rows = np.array(positions, np.int64)
    points = {name: rows[:, i] for i, name in enumerate(names)}
    known = Atoms.at(names, points)
    if proof.relation == "p":
        truths = proof.automata[0].contains(rows)
        text = known.zeros(truths)
        return None if text is None else (FormulaCase(None, text),)
    numbers = np.array([ProvedPosition(proof, position).number for position in positions], np.int64)
    return shortest_cases(known, points, Target(numbers))
