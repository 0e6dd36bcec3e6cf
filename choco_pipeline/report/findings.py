"""Value sets found in single tables, grouped by families of games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games.notation import Notation, read
from choco_pipeline.mining.table_findings import ValueSetFinding
from choco_pipeline.sweep.ledger import Ledger

#: Quantities in headings.
QUANTITIES = {"grundy": "Grundy numbers", "p-positions": "P-positions"}
#: Games whose arguments determine the coordinates, or the game itself: each is a family of its own.
APART = ("nim", "game")


def family_of(table: Mapping[str, Any]) -> str:
    """Return the heading of a table's family.

    Examples
    --------
    >>> family_of({"ruleset": "with-pass(strip-bar(k=4, s=1), passes=1)", "quantity": "p-positions"})
    'strip-bar with a pass: P-positions'
    >>> family_of({"ruleset": "sum(nim(1), step-bar(k=2, s=0))", "quantity": "grundy"})
    'nim(1) + step-bar: Grundy numbers'
    """
    quantity = str(table["quantity"])
    return f"{_family(read(table['ruleset']))}: {QUANTITIES.get(quantity, quantity)}"


def _family(notation: Notation) -> str:
    inner = [_family(value) for _, value in notation.arguments if isinstance(value, Notation)]
    if notation.name in APART:
        return notation.text
    if not inner:
        return notation.name
    if notation.name != "with-pass":
        return " + ".join(inner)
    passes = next(str(value) for key, value in notation.arguments if key == "passes")
    return f"{inner[0]} with {'a pass' if passes == '1' else f'{passes} passes'}"


Document = Mapping[str, Any]


@dataclass(frozen=True)
class TableFinding:
    """A value set and the table in which it was found."""

    table: Document
    finding: ValueSetFinding

    @property
    def ruleset(self) -> str:
        """The game of the table."""
        return str(self.table["ruleset"])

    @property
    def pretty(self) -> str:
        """The expression with the field's signs."""
        return math_text(self.finding.expression)


@dataclass(frozen=True)
class FindingGroup:
    """The value sets of the tables of one family of games."""

    family: str
    found: list[TableFinding]

    @property
    def forms(self) -> list[tuple[str, int]]:
        """The forms of the sets and their numbers of tables, most frequent first."""
        counts: dict[str, int] = defaultdict(int)
        for entry in self.found:
            counts[FORMS[entry.finding.form.name]] += 1
        return sorted(counts.items(), key=lambda item: -item[1])


#: The recognised forms of value sets, in words.
FORMS = {
    "zero": "only 0",
    "finite": "a few numbers",
    "two-powers-minus-two": "the numbers 2^n − 2",
    "powers": "powers of 2, shifted",
    "conditions": "numbers with a remainder or a bound",
    "all-up-to": "everything up to a frontier",
    "list": "a list without a known form",
}


def families(ledger: Ledger) -> list[FindingGroup]:
    """Return the value sets by family of games, in the order of the tables."""
    tables = {table["id"]: table for table in ledger.tables}
    order = {table_id: i for i, table_id in enumerate(tables)}
    groups: dict[str, list[TableFinding]] = defaultdict(list)
    chosen = [finding for finding in ledger.findings if isinstance(finding, ValueSetFinding)]
    for finding in sorted(chosen, key=lambda f: order[f.table]):
        table = tables[finding.table]
        groups[family_of(table)].append(TableFinding(table, finding))
    return [FindingGroup(family, findings) for family, findings in groups.items()]
