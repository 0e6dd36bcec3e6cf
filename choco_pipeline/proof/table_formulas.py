"""Formulas of proved games that the search in a table finds, decided for all positions.

A run does not use them, because its finder tries the formulas of its tables.
"""

from __future__ import annotations

from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.mining.closed_forms.synthesis import FormulaCase
from choco_pipeline.mining.table_findings import is_complete_formula
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games.certificate import proof_of
from choco_pipeline.proof.games.membership import QUANTITIES
from choco_pipeline.proof.games.proof_outcome import FormulaOfProof
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.statements.proved_formulas import decide_cases, proved_formula
from choco_pipeline.tables.computing import quick_bound, table


def formulas_of_table(proof: Proof, seconds: float = 20.0) -> FormulaOfProof | None:
    """Return the first proved formula by rank of a game without passes; None if there is none.

    The time limit is for the decisions.
    """
    game = proof.ruleset
    if proof.status != "proved" or game.passes:
        return None
    quantity = QUANTITIES[proof.relation]
    bound = quick_bound(game, quantity)
    clock = Clock(seconds)
    proved: list[FormulaOfProof] = []
    for finding in mine_formulas(game, bound, table(game, bound, quantity)):
        if not (finding.nothing or finding.exceptions):
            cases = tuple(
                FormulaCase(line.where or None, line.formula) for line in finding.formulas
            )
            covers = is_complete_formula(finding)
            decided = decide_cases(proof, cases, clock.left, covers=covers)
            formula = proved_formula(proof, cases, decided)
            proved += [] if formula is None else [formula]
    return min(proved, key=lambda formula: formula.rank, default=None)


def describe_by_table(certificate: str, seconds: float) -> FormulaOfProof | None:
    """Return a formula for the relation of a certificate; see `formulas_of_table`."""
    return formulas_of_table(proof_of(certificate), seconds)
