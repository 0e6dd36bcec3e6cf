"""A drawing for a found statement: its sequence, or the P-positions of a table that it speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from choco_pipeline.finding.statements.statement import FoundStatement, StatementError
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.report.charts.line_chart import Line, line_chart
from choco_pipeline.report.charts.pictures import Picture, picture_of

#: Kinds of statements for which the pattern of P-positions is drawn, and how many cells of it along a side.
PATTERNS = ("p-positions", "cellular", "blocks")
SIDE = 64
#: So many terms of a sequence are drawn, and so many listed.
TERMS, LISTED = 64, 16


def drawing(
    statement: FoundStatement, tables: Sequence[Mapping[str, Any]], results: Path
) -> Markup | None:
    """Return a statement's drawing as SVG, or None.

    Of the tables that the statement speaks of, the largest that has a plane of P-positions is drawn. Raises `StoreError` if a
    table that is drawn cannot be read.
    """
    sequence = sequence_of(statement)
    if sequence is not None:
        return _chart(sequence)
    if statement.kind not in PATTERNS:
        return None
    fitting = [table for table in tables if _speaks_of(statement, table)]
    for table in sorted(fitting, key=lambda table: -int(table["positions"])):
        if (picture := picture_of(table, results)) is not None:
            return pattern(picture, table["ruleset"])
    return None


def pattern(picture: Picture, ruleset: str) -> Markup:
    """Return P-positions as dark cells of a grid, the first row at the bottom unless the picture counts downwards."""
    cells = picture.cells[:SIDE, :SIDE]
    rows, columns = cells.shape
    path = []
    for i in range(rows):
        y = i if picture.down else rows - 1 - i
        path += [f"M{j} {y}h1v1h-1z" for j in range(columns) if cells[i, j] == 1]
    says = f"P-positions of {ruleset}: {picture.row} {'down' if picture.down else 'up'}, {picture.column} across"
    says += f", {picture.title}" if picture.title else ""
    return Markup(
        '<figure class="pattern"><svg viewBox="-0.5 -0.5 {w} {h}" role="img" aria-label="{says}">'
        '<rect width="{columns}" height="{rows}" class="frame"/><path d="{path}"/></svg>'
        "<figcaption>{says}.</figcaption></figure>"
    ).format(
        w=columns + 1,
        h=rows + 1,
        columns=columns,
        rows=rows,
        path="".join(path),
        says=says,
    )


def sequence_of(statement: FoundStatement) -> IntegerSequence | None:
    """Return the sequence that a statement is about, or None."""
    shown = statement.picture
    if shown is None or shown["kind"] != "sequence":
        return None
    try:
        return IntegerSequence.of(shown)
    except (KeyError, TypeError) as error:
        raise StatementError(f"{statement.id}: not a picture of a sequence: {error}") from None


def _chart(sequence: IntegerSequence) -> Markup:
    terms = sequence.terms[:TERMS]
    name = f"g({sequence.index})"
    chart = line_chart([Line("", list(enumerate(terms, sequence.first)))], sequence.index, name)
    listed = ", ".join(map(str, terms[:LISTED])) + (", …" if len(sequence.terms) > LISTED else "")
    return Markup("<figure>{}<figcaption>{}, {}: {}.</figcaption></figure>").format(
        chart, name, sequence.what, listed
    )


def _speaks_of(statement: FoundStatement, table: Mapping[str, Any]) -> bool:
    if table["quantity"] != "p-positions":
        return False
    values = match(statement.pattern, read(table["ruleset"]))
    return values is not None and all(
        values[name] in seen for name, seen in statement.parameters.items()
    )
