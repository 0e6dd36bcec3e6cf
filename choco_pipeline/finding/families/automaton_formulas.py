"""Formulas that are learned from automata of games, as findings of these games.

Idea: an automaton of a game is right at all positions, so a formula of it may be one that no search in a table finds. It is
compared with a table of the game, and then a finding among those of the table: statements on single games and on families are
made from it, tried and ranked like all others.

What is kept true: no finding says that its formula is proved. Searches here are limited by sizes instead of time, so that what is
found is the same on all machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.families.gathered import family_of, mined_from
from choco_pipeline.finding.families.single import lines_of
from choco_pipeline.finding.families.table_family import MemberTable, TableFamily, outcome
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.table_findings import (
    Evidence,
    FormulaLine,
    FormulasFinding,
    Tried,
    is_complete_formula,
)
from choco_pipeline.proof.games.guess import QUANTITIES, Relation, SearchSize
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.records import FormulaOfProof, GameProof
from choco_pipeline.proof.statements.proved_formulas import BOUNDS, formulas
from choco_pipeline.sweep.run_files import Plan
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import quick_bound, table

#: Formulas of a run's proofs are compared with a table up to this bound.
MOST_COMPARED = 64
LEARNED = "learned from the automaton of the game"
#: Searches of this size take a few seconds.
SMALL = SearchSize(digits=11, residuals=300, states=1 << 14)


def learned_from_game(cells: Cells) -> list[FormulasFinding]:
    """Return the formulas of a small automaton of a game, as findings of a table; none if there is no such automaton."""
    relation: Relation = "grundy" if cells.variable.name == "grundy" else "p"
    try:
        proof = prove(cells.game, relation, inf, SMALL)
        formula = formulas(proof, inf)
    except ChocoError:  # heights may fall beyond the table
        return []
    return [] if formula is None else _findings(cells, relation, formula)


def learned_in(
    plan: Plan, proofs: Sequence[Mapping[str, Any]], mined: Sequence[Mined]
) -> Iterator[Mined]:
    """Yield the formulas that a run's proofs have learned, each with the largest table of its game.

    Games are left out if a formula for all positions was `mined` in their tables.
    """
    complete = {
        (result.ruleset, result.quantity) for result in mined if is_complete_formula(result.finding)
    }
    tables = {
        (planned["ruleset"], planned["quantity"]): planned
        for planned in sorted(plan["tables"], key=lambda planned: planned["bound"])
        if (planned["ruleset"], planned["quantity"]) not in complete
    }
    for document in proofs:
        proof = GameProof.model_validate(document)
        quantity = QUANTITIES[proof.relation]
        planned = tables.get((proof.ruleset, quantity))
        if proof.formula is not None and planned is not None:
            game = parse_ruleset(proof.ruleset)
            bound = min(quick_bound(game, quantity), MOST_COMPARED)
            cells = Cells.of(game, bound, table(game, bound, quantity))
            for finding in _findings(cells, proof.relation, proof.formula):
                yield mined_from(finding, planned, family_of(plan, planned))


def _findings(cells: Cells, relation: Relation, formula: FormulaOfProof) -> list[FormulasFinding]:
    """Return formulas by cases as a finding that holds on a table; none if a formula is wrong there."""
    label, names = "P iff" if relation == "p" else "G =", cells.game.coordinates
    lines = [FormulaLine(formula=case.formula, where=case.where or "") for case in formula.cases]
    finding = FormulasFinding(
        label=label,
        formulas=tuple(lines),
        size=formula.size[0],
        text=f"{label} {'; '.join(map(str, formula.cases))}",
        found_on=Evidence(
            positions=sum(1 for _ in cells.game.positions(BOUNDS[len(names)])), what=LEARNED
        ),
        tried=Tried(candidates=1, what=f"formulas {LEARNED}"),
    )
    member = MemberTable({}, lambda: cells)
    family = TableFamily(cells.game.notation, (member,))
    outcomes = [outcome(family.claim(line), member) for line in lines_of(finding, cells.game)]
    held_on = sum(compared.positions for compared in outcomes)
    if not held_on or any(compared.failure is not None for compared in outcomes):
        return []
    seen = Evidence(positions=held_on, what=f"the table, to bound {cells.bound}")
    return [finding.model_copy(update={"held_on": seen})]
