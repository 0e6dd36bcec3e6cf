"""Statements on the values of a formula at the P-positions: how they begin, their formulas, and what is left of one in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.statement_line import VALUES_ARE, VALUES_OF, StatementLine
from choco_pipeline.mining.closed_forms.value_forms import within
from choco_pipeline.mining.table_findings import Relation, ValueForm

BEGINS = "At the P-positions of {game}, "


def sentence(game: str, of: str, form: ValueForm) -> str:
    """Return which values a formula takes at a game's P-positions."""
    return BEGINS.format(game=game) + form.says_of(of)


def lines(of: str, relation: Relation, values: str) -> Iterator[StatementLine]:
    """Yield the formulas of a statement that the values of a formula and those of a condition compare so."""
    yield StatementLine(VALUES_OF, of)
    yield StatementLine(VALUES_ARE[relation], values)


def with_other_values_excluded(statement: FoundStatement) -> FoundStatement | None:
    """Return what a statement that values make a set says of other values; None if it says nothing else.

    Examples
    --------
    "x ^ y takes exactly the values {0, 1}" becomes "x ^ y takes only values in {v : v == 0 or v == 1}".
    """
    check = statement.claim["check"] if statement.claim else {}
    if statement.kind != "values" or check["relation"] != "exactly":
        return None
    check = {**check, "relation": "within"}
    return replace(
        statement,
        said=sentence(statement.ruleset, check["of"], within(check["values"])),
        claim={**(statement.claim or {}), "check": check},
        formulas=tuple(lines(check["of"], "within", check["values"])),
    )
