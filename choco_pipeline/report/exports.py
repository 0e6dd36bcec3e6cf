"""Found statements, claims and P-positions of a run as files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd

from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.errors import ConfigError, require_package
from choco_pipeline.finding.statements.formulas import displayed, lead
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula.written.latex import LaTeX, markdown_text, tex_text
from choco_pipeline.mining.counts import b_file
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.report.claim_views import claim_views
from choco_pipeline.report.environment import papers
from choco_pipeline.report.export_formats import Format
from choco_pipeline.report.found import FoundStatements, sequence_of
from choco_pipeline.report.standings import standings
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.tables.cells import Cells, p_position_rows


def write_exports(found: FoundStatements, ledger: Ledger, folder: Path) -> None:
    """Write ``found.tex``, ``found.md``, ``found.json`` and the b-files.

    There is a b-file for each sequence. Old b-files are removed.
    """
    write_text(folder / "found.tex", tex(found, ledger))
    write_text(folder / "found.md", markdown(found, ledger))
    write_json(folder / "found.json", found.document.document())
    files = b_files(found)
    for name, text in files.items():
        write_text(folder / name, text)
    for old in folder.glob("b-*.txt"):
        if old.name not in files:
            old.unlink()


def b_files(found: FoundStatements) -> dict[str, str]:
    """Return the names and texts of the b-files of all sequences."""
    return {
        f"b-{view.statement.id}.txt": b_file(sequence)
        for view in found.views
        if (sequence := sequence_of(view.statement)) is not None
    }


def tex(found: FoundStatements, ledger: Ledger) -> str:
    """Return the statements as LaTeX theorems, if proved, or conjectures."""
    return _rendered(
        "found.tex.j2", found, ledger, f"Found: {ledger.title}", in_vain=found.in_vain, standings=()
    )


def markdown(found: FoundStatements, ledger: Ledger) -> str:
    """Return the statements as Markdown, with formulas in GitHub's syntax."""
    title = f"Found: {ledger.title}"
    return _rendered("found.md.j2", found, ledger, title, in_vain=found.in_vain)


def printed_report(ledger: Ledger, found: FoundStatements | None) -> str:
    """Return conjectures, questions and found statements as a LaTeX document."""
    known = standings(claim_views(ledger))
    return _rendered("found.tex.j2", found, ledger, ledger.title, in_vain=None, standings=known)


def _rendered(
    template: str, found: FoundStatements | None, ledger: Ledger, title: str, **content: object
) -> str:
    documents = papers(markdown=".md." in template)
    documents.filters |= {
        "formulas": lambda statement: displayed(statement, LaTeX()),
        "lead": lambda statement: lead(statement, LaTeX()),
    }
    sections = found and [
        ("Not in the catalogue", found.new),
        ("Rediscovered", found.rediscovered),
        ("Consequences of what is known", found.consequences),
        ("Which height functions?", found.heights),
        ("Refuted on tables kept back", found.refuted),
    ]
    return documents.get_template(template).render(
        title=title, run=ledger.run, sections=sections or [], **content
    )


#: Most rows of a table in a paper.
MOST_PRINTED = 10_000
#: First characters of a formula in a spreadsheet program, and the mark of text, which it hides.
ESCAPED = tuple("=+-@\t\r'")


def statement_rows(statements: Sequence[FoundStatement]) -> pd.DataFrame:
    """Return a row for each statement."""
    return pd.DataFrame(
        [
            {
                "id": statement.id,
                "kind": statement.kind,
                "ruleset": statement.ruleset,
                "when": statement.when,
                "statement": statement.text,
                "verdict": statement.verdict,
                "text": statement.conclusion.text,
                "known": " ".join(statement.known),
                "known_as": statement.known_as if statement.known else "",
                "known_on": statement.known_on if statement.known else "",
                "latex": statement.latex,
            }
            for statement in statements
        ]
    )


def position_rows(tables: Sequence[Cells]) -> pd.DataFrame:
    """Return the P-positions of tables with the same coordinates, with their games."""
    frames = []
    for cells in tables:
        rows = p_position_rows(cells)
        rows.insert(0, "ruleset", cells.game.notation)
        frames.append(rows)
    if len({tuple(frame.columns) for frame in frames}) > 1:
        raise ConfigError(
            "--what p-positions: the run has games with other coordinates: name one with --game"
        )
    return pd.concat(frames, ignore_index=True)


def p_position_counts(cells: Cells) -> IntegerSequence:
    """Return the numbers of P-positions with coordinates, except passes, up to n."""
    rows = p_position_rows(cells)[list(cells.game.base.coordinates)]
    largest = rows.max(axis=1)
    terms = tuple(int((largest <= n).sum()) for n in range(cells.bound + 1))
    what = "P-positions with no coordinate above n"
    return IntegerSequence(cells.game.notation, what, "n", 0, terms)


def statement_b_files(statements: Sequence[FoundStatement]) -> Iterator[str]:
    """Yield the b-file of each statement on a sequence."""
    for statement in statements:
        sequence = sequence_of(statement)
        if sequence is not None:
            yield b_file(sequence)


def csv_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV in which no text is a formula to a spreadsheet program.

    Text that begins with one of = + - @, a tab or a carriage return is written with an apostrophe before it, and so is
    text that begins with an apostrophe. The first apostrophe of a cell can therefore always be removed.
    """

    def escaped(cell: object) -> object:
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(ESCAPED) else cell

    columns = {
        str(name): pd.Series(map(escaped, column), index=frame.index, dtype=object)
        for name, column in frame.select_dtypes(exclude=["number", "bool"]).items()
    }
    # A carriage return ends a line, too, but Python before 3.13 does not quote it.
    returns = any("\r" in str(cell) for column in columns.values() for cell in column)
    quoting: Literal[0, 2] = 2 if returns else 0  # csv.QUOTE_NONNUMERIC, or QUOTE_MINIMAL
    return frame.assign(**columns).to_csv(index=False, quoting=quoting)


def frame_bytes(frame: pd.DataFrame, as_: Format) -> bytes:
    """Return a frame as a file of the format."""
    match as_:
        case "csv":
            return csv_text(frame).encode()
        case "parquet":
            require_package("pyarrow", "parquet", "--as parquet")
            packed = io.BytesIO()
            frame.to_parquet(packed, index=False)
            return packed.getvalue()
        case "bfile":
            raise ConfigError(
                "--as bfile: claims are no sequence; p-positions and statements have some"
            )
        case "json":
            raise ConfigError("--as json: only digests can be written as JSON")
        case "latex" | "markdown":
            if len(frame) > MOST_PRINTED:
                raise ConfigError(
                    f"--as {as_}: {len(frame):,} rows, at most {MOST_PRINTED:,} are printed; csv and parquet take them all"
                )
            return (_latex(frame) if as_ == "latex" else _markdown(frame)).encode()


def _printed(frame: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    """Yield the rows, with empty text for unknown values."""
    return frame.astype(object).where(frame.notna(), "").itertuples(index=False, name=None)


def _latex(frame: pd.DataFrame) -> str:
    def row(cells: Sequence[object]) -> str:
        return " & ".join(tex_text(str(cell)) for cell in cells) + r" \\"

    head = [
        rf"\begin{{longtable}}{{{'l' * len(frame.columns)}}}",
        row(list(frame.columns)),
        r"\hline",
    ]
    body = [row(cells) for cells in _printed(frame)]
    return "\n".join([*head, *body, r"\end{longtable}", ""])


def _markdown(frame: pd.DataFrame) -> str:
    def row(cells: Sequence[object]) -> str:
        return f"| {' | '.join(markdown_text(str(cell)) for cell in cells)} |"

    body = [row(cells) for cells in _printed(frame)]
    rule = f"| {' | '.join('---' for _ in frame.columns)} |"
    return "\n".join([row(list(frame.columns)), rule, *body, ""])
