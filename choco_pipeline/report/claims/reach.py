"""Statements with a bound of their own, and what is the case beyond it, parameter by parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from choco_pipeline.errors import RulesetError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.report.claims.verdict_cells import Cell


@dataclass(frozen=True)
class ReachRow:
    """What a table says of the printed bound."""

    #: Values of the parameters, in the order of `ReachTable.names`; where several tables have the same, the last with its bound.
    names: list[str]
    #: The bound that the statement gives for them.
    printed: int
    #: The largest bound for which it is true, or as far as the table goes.
    true: str
    #: What is the case beyond the printed bound, in words: a remark, which no paper need assert.
    beyond: str
    #: The least position at which it fails, or would if it reached so far; "" if the table has none.
    failing: str
    #: The verdict.
    cell: Cell


@dataclass(frozen=True)
class ReachTable:
    """The bounds of one claim; `coordinates` are those of the failing positions."""

    names: list[str]
    coordinates: tuple[str, ...]
    rows: list[ReachRow]


def reach_table(cells: Sequence[Cell]) -> ReachTable | None:
    """Return what the verdicts on one claim say of its bound; None if no table goes beyond it."""
    told = [cell for cell in cells if "best_possible" in cell.document.evidence]
    if not told:
        return None
    first = told[0]
    names = list(first.document.parameters)
    try:
        coordinates = parse_ruleset(first.ruleset).coordinates
    except RulesetError:  # a height table that is not at hand here
        coordinates = ()
    times = Counter(tuple(cell.document.parameters.values()) for cell in told)
    rows = [
        _row(names, cell, several=times[tuple(cell.document.parameters.values())] > 1)
        for cell in told
    ]
    return ReachTable(names, coordinates, rows)


def _row(names: Sequence[str], cell: Cell, *, several: bool) -> ReachRow:
    verdict = cell.document
    values = [str(verdict.parameters[name]) for name in names]
    if several and values and verdict.bound is not None:
        values[-1] += f" (bound {verdict.bound:,})"
    evidence, refutes = verdict.evidence, verdict.counterexample
    true_up_to = evidence["true_up_to"]
    failing = refutes.position if refutes else evidence.get("false_at")
    if refutes:
        beyond = "false before"
    else:
        beyond = "false at once" if evidence["best_possible"] else "also true"
    return ReachRow(
        values,
        evidence["reach"],
        f"{true_up_to:,}" if failing else f"{true_up_to:,} or more",
        beyond,
        f"({', '.join(map(str, failing))})" if failing else "",
        cell,
    )
