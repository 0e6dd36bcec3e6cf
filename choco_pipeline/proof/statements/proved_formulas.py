"""Formulas for proved games, guessed from small positions and decided for all.

A guess for the Grundy number is a nim-sum of shifted coordinates, a linear form with halves, or the minimum or maximum of two of
these. It applies to all positions, or to cases by residues and order of coordinates. A counterexample to a guess is added to the small
positions for the next guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.claims.language.verdict import Counterexample, Finding, Proved, Refuted
from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.mining.closed_forms.synthesis import Atoms, FormulaCase, Target, shortest_cases
from choco_pipeline.mining.table_findings import is_complete_formula
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.proof.games.guess import QUANTITIES
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.records import FormulaOfProof
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import quick_bound

#: Bound of the positions for guesses, by the number of coordinates.
BOUNDS = {1: 64, 2: 28, 3: 9, 4: 5}
#: Limit of guesses.
GUESSES = 8


def formulas(proof: Proof, seconds: float = 20.0) -> FormulaOfProof | None:
    """Return a short proved formula for a game without passes, if one is found."""
    names = proof.ruleset.coordinates
    if proof.status != "proved" or proof.ruleset.passes or len(names) not in BOUNDS:
        return None
    positions = list(proof.ruleset.positions(BOUNDS[len(names)]))
    clock = Clock(seconds)
    for _ in range(GUESSES):
        rows = np.array(positions, np.int64)
        known = Atoms.at({name: rows[:, i] for i, name in enumerate(names)})
        guess: tuple[FormulaCase, ...] | None
        if proof.relation == "p":
            text = known.zeros(proof.automata[0].contains(rows))
            guess = None if text is None else (FormulaCase(None, text),)
        else:
            numbers = np.array([proof.number(position) for position in positions], np.int64)
            guess = shortest_cases(known, Target(numbers))
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
    """Return the record of a formula by cases; None unless `decided` is a proof."""
    if not isinstance(decided.verdict, Proved):
        return None
    sign = "P ⇔ " if proof.relation == "p" else "G = "
    return FormulaOfProof(text=sign + "; ".join(map(str, cases)), cases=cases)


def decide_cases(
    proof: Proof, cases: Sequence[FormulaCase], seconds: float = 60.0, *, covers: bool = True
) -> Finding:
    """Decide whether formulas are right in their cases.

    If `covers`, the cases must also cover all positions. The finding names no certificate.
    """
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
    claim = Claim(Statement.model_validate(document), games=proof.ruleset.documents)
    return decide(claim, {}, proof, "", seconds)


def formulas_of_table(proof: Proof, seconds: float = 20.0) -> FormulaOfProof | None:
    """Return the best proved formula among those mined from a table, if any.

    The game must be without passes. The time limit applies to the decisions.
    """
    game = proof.ruleset
    if proof.status != "proved" or game.passes:
        return None
    quantity = QUANTITIES[proof.relation]
    bound = quick_bound(game, quantity)
    clock = Clock(seconds)
    proved: list[FormulaOfProof] = []
    for finding in mine_formulas(Cells.computed(game, bound, quantity)):
        if not (finding.nothing or finding.exceptions):
            cases = tuple(
                FormulaCase(line.where or None, line.formula) for line in finding.formulas
            )
            covers = is_complete_formula(finding)
            decided = decide_cases(proof, cases, clock.left, covers=covers)
            formula = proved_formula(proof, cases, decided)
            proved += [] if formula is None else [formula]
    return min(proved, key=lambda formula: formula.rank, default=None)


def describe(certificate: str, seconds: float, by_table: bool) -> FormulaOfProof | None:
    """Return a formula for the game of a certificate, found in a table if `by_table`."""
    proof = read_certificate(Path(certificate))
    return formulas_of_table(proof, seconds) if by_table else formulas(proof, seconds)
