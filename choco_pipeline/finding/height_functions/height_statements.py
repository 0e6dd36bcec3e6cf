"""What is said of the height functions of a box: how many have which formula, and which condition tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.documents.record import read_record
from choco_pipeline.finding.height_functions.height_census import census
from choco_pipeline.finding.height_functions.height_criterion import CriterionSearch, search, tried
from choco_pipeline.finding.height_functions.height_samples import named
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement
from choco_pipeline.finding.statements.statement_line import StatementLine
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.mining.height_search import GRUNDY, P_POSITIONS, HeightClass
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.orders import ASKED_OF_HEIGHTS

RULESET = "solid-bar(f=f)"
MEANING = (
    "f is monotone, u < x, g = f(u, z) and h = f(x, z); the condition is meant for all such u, x and z, and also with the"
    " arguments of f exchanged"
)
TOP = (
    "t is the least of the v⊕z with v < x and f(v, z) = v⊕z and the x⊕w with w < z and f(x, w) = x⊕w, infinite where there"
    " are none"
)


@dataclass(frozen=True)
class HeightQuestion:
    """What is asked of a bar: a formula, and which height functions give it."""

    label: str
    formula: str
    shown: str
    heights: HeightClass


#: By their names in a plan.
QUESTIONS: Mapping[str, HeightQuestion] = {
    "grundy": HeightQuestion("G =", "x ^ y ^ z", "G = x⊕y⊕z", HeightClass(GRUNDY)),
    "p-positions": HeightQuestion(
        "P iff", "x ^ y ^ z == 0", "P iff x⊕y⊕z = 0", HeightClass(P_POSITIONS)
    ),
}


def classify_heights(order_file: str, out_file: str, report: Any) -> dict[str, int]:
    """Answer one question on all height functions of a box.

    Raises `HeightsError` if the box has too many functions, or is higher than wide. The order is ``{"asked": …, "side": n,
    "height": h}``: f has arguments 0..n and heights 0..h, h ≤ n. Asked is a name of `QUESTIONS`, for a condition on f, or
    ``counts``. The other file receives a `FoundDocument`, whole or not at all; numbers of statements and of searches are
    returned. The report is called as ``report(Stage.MINE, searches=1)``.
    """
    order = read_record(Path(order_file))
    document = classified(order["asked"], int(order["side"]), int(order["height"]))
    document.write(Path(out_file))
    report(Stage.MINE, searches=1)
    return document.counts


def classified(asked: str, side: int, height: int) -> FoundDocument:
    """Return statements and searches on the height functions of a box."""
    if asked not in QUESTIONS:
        return FoundDocument(statements=(census(side, height),), searches=())
    question = QUESTIONS[asked]
    criterion = search(question.heights, side, height)
    searched = Searched(
        what=f"conditions on f for {question.shown}",
        game=RULESET,
        tried=tried(criterion),
        nothing=not criterion.exact,
    )
    statements = statements_of(question, criterion, side, height)
    return FoundDocument(statements=tuple(statements), searches=(searched,))


def classified_all(side: int, height: int) -> FoundDocument:
    """Return all that can be said of the height functions of a box, one question after the other."""
    parts = [classified(asked, side, height) for asked in ASKED_OF_HEIGHTS]
    return FoundDocument(
        statements=tuple(statement for part in parts for statement in part.statements),
        searches=tuple(search for part in parts for search in part.searches),
    )


def statements_of(
    question: HeightQuestion, criterion: CriterionSearch, side: int, height: int
) -> list[FoundStatement]:
    """Return what a search says."""
    box = f"all monotone {named(side, height)}"
    statements = []
    for joined in criterion.exact:
        lines = tuple(
            StatementLine("and" if i else "exactly if", part.such, part.guard)
            for i, part in enumerate(joined)
        )
        conditions = "; and ".join(
            math_text(line.formula) + (f" wherever {math_text(line.where)}" if line.where else "")
            for line in lines
        )
        top = f"; {TOP}" if any("t" in part.names for part in joined) else ""
        statement = FoundStatement(
            kind="heights",
            ruleset=RULESET,
            parameters={"f": ()},
            said=f"Of {box}, exactly those have {question.shown} for which {conditions}. Here {MEANING}{top}.",
            formulas=(StatementLine(question.label, question.formula), *lines),
            found_on=Evidence(criterion.functions, f"{box}; {criterion.members:,} are so"),
            held_on=criterion.held,
            tried=tried(criterion),
            conclusion=Conclusion(
                "unchecked", f"right for {criterion.held.positions:,} other functions, too"
            ),
        )
        statements.append(statement)
    return statements
