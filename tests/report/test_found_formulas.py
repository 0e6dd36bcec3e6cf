"""Formulas of found statements as mathematics: cases, conditions, sets of values, tables of height functions."""

from __future__ import annotations

import re
from typing import Any

import pytest

from choco_pipeline.finding.formulas import (
    condition,
    displayed,
    reach,
    set_of,
)
from choco_pipeline.finding.statement import StatementError
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.mining.closed_forms.value_sets import forms
from choco_pipeline.report.exports import markdown, tex
from choco_pipeline.report.found import (
    FoundStatements,
    found_of,
    found_page,
)
from tests.report.documents import whole
from tests.report.found_documents import RESULTS, a_statement, document_of, squeezed, statements
from tests.report.read_pages import Document


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, [r"(a, b, c) \text{ is a P-position} \iff a \oplus b \oplus c = 0"]),
        ({"words": "none"}, []),
    ],
)
def test_formulas_of_positions(changes, lines):
    assert displayed(a_statement(**changes), LaTeX()) == lines


def test_cases_conditions_and_reach():
    family, _, cases, limited, _, _, values, _, _ = statements()
    assert condition(family, LaTeX()) == r"k \equiv 3 \pmod{4} \text{ and } s < k"
    assert condition(cases, LaTeX()) == ""
    assert displayed(cases, LaTeX()) == [
        r"G(y, z) = \begin{cases} y \oplus z & \text{if }z < 2^{v_{2}(k)} \\ "
        r"2 \cdot \left\lfloor \frac{y + z}{k} \right\rfloor - \lvert y - z\rvert & \text{if }z \geq 2^{v_{2}(k)} \end{cases}"
    ]
    assert reach(limited, LaTeX()) == r"2 k^{2} - 1"
    assert len(displayed(limited, LaTeX())) == 1
    assert displayed(values, LaTeX()) == [
        r"\{(x + s) \oplus y \oplus (z + s) : (x, y, z) \text{ a P-position}\} = \{2^{n} - 2 : n \geq 1\} \cup \{1\}"
    ]


def test_counts_of_height_functions_are_tables(
    found: FoundStatements, html: str, ledger: dict[str, Any]
):
    (view,) = found.heights
    rows = [[table.head, *table.rows] for table in view.tables]
    assert rows == [
        [("n \\ h", "1"), ("2", "6,174")],
        [("sum", "exactly", "closest"), ("(x−1)⊕y⊕(z−1)", "4,321", "5")],
        [("x \\ z", "0", "1"), ("0", "0", "0"), ("1", "0", "7")],
    ]
    shown = squeezed(Document(html).text["heights"])
    assert "6,174" in shown
    assert "(x−1)⊕y⊕(z−1) 4,321 5" in shown
    assert "The least f with: G = x⊕y⊕z, <not> constant" in shown
    assert "| (x−1)⊕y⊕(z−1) | 4,321 | 5 |" in markdown(found, whole(ledger))
    assert r"2 & 6,174 \\" in tex(found, whole(ledger))
    broken = a_statement(search="heights", words="none", picture={"kind": "height-functions"})
    with pytest.raises(StatementError, match="not counts of height functions"):
        found_page(found_of(document_of(broken), whole(ledger), RESULTS), whole(ledger))
    assert "Which height functions?" not in found_page(
        found_of(document_of(a_statement()), whole(ledger), RESULTS), whole(ledger)
    )


@pytest.mark.parametrize(
    "values",
    [
        [0, 2, 6, 14, 30],
        [0, 1, 2, 6, 14, 30],
        [0, 1, 3, 7, 15],
        [1, 2, 4, 8, 16],
        [4, 8, 16, 32],
        [1, 5, 13, 29],
        [5, 6, 8, 12, 20],
        [-1, 0, 2, 6, 14],
        [0],
        [1, 2, 5],
    ],
)
def test_sets_of_values_are_read_off_their_conditions(values):
    form = forms(values)[0]
    written = set_of(form.condition, LaTeX())
    members: set[int] = set()
    for part in written.split(r" \cup "):
        inside = part.removeprefix(r"\{").removesuffix(r"\}")
        powers = re.fullmatch(r"2\^\{n\}(?: ([+-]) (\d+))? : n \\geq (\d+)", inside)
        if powers:
            more = int(f"{powers[1] or '+'}{powers[2] or 0}")
            members |= {2**n + more for n in range(int(powers[3]), 12)}
        else:
            members |= {int(number.replace(" ", "")) for number in inside.split(",")}
    assert {v for v in members if v <= max(values)} == set(values)
