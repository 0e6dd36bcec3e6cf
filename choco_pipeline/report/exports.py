"""Exports of a run's results as data frames, and of frames as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

import pandas as pd

from choco_pipeline.claims.conclusions.rows import engines_text
from choco_pipeline.errors import ConfigError, require_package
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula.written.latex import markdown_text, tex_text
from choco_pipeline.mining.table_findings import IntegerSequence
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.tables.cells import Cells, p_position_rows

#: Contents and formats of exports.
What = Literal["p-positions", "statements", "claims", "digests"]
Format = Literal["csv", "parquet", "latex", "bfile", "markdown", "json"]
#: Columns of `verdict_frame` and `row_frame`.
COLUMNS = [
    "claim", "paper", "number", "status", "ruleset", "parameters", "table", "bound", "verdict", "reach",
    "printed", "engines", "no_answer", "positions", "counterexample", "found", "claimed", "why", "text", "seconds",
]  # fmt: skip
ROW_COLUMNS = [
    "claim", "paper", "number", "status", "verdict", "text", "checks", "counts", "parameters", "proved_for",
    "for_all", "follows_from", "engines", "bound", "positions", "seconds", "decided", "command", "words",
]  # fmt: skip
#: Most rows of a table in a paper.
MOST_PRINTED = 10_000
#: First characters of formulas in a spreadsheet program, and the apostrophe, which marks text and is hidden there.
ESCAPED = tuple("=+-@\t\r'")


def verdict_frame(ledger: Ledger) -> pd.DataFrame:
    """Return one row for each verdict, with the columns `COLUMNS`.

    Positions and parameters are JSON.
    """
    claims = {claim.id: claim for claim in ledger.claims}
    rulesets = {table["id"]: table["ruleset"] for table in ledger.tables}
    rows = []
    for verdict in ledger.verdicts:
        claim, refutes = claims[verdict.claim], verdict.counterexample
        position = refutes and refutes.position
        silent = verdict.no_answer if verdict.is_proved else {}
        parameters = verdict.parameters if verdict.for_all is None else verdict.for_all.model_dump()
        rows.append(
            {
                **{name: value for name, value in verdict if name in COLUMNS},
                "paper": claim.paper.key,
                "number": claim.number,
                "status": claim.status,
                "ruleset": rulesets.get(verdict.table or "", claim.ruleset),
                "parameters": json.dumps(parameters),
                "engines": " ".join(verdict.engines if verdict.is_proved else ()),
                "no_answer": json.dumps(silent) if silent else None,
                "counterexample": None if position is None else json.dumps(position),
                "found": refutes and refutes.found,
                "claimed": refutes and refutes.claimed,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def row_frame(ledger: Ledger) -> pd.DataFrame:
    """Return one row for each claim, with the columns `ROW_COLUMNS`.

    Counts, bounds and the deciding counterexample are JSON.
    """
    claims = {claim.id: claim for claim in ledger.claims}
    rows = []
    for row in ledger.rows:
        claim = claims[row.claim]
        document = row.model_dump()
        of_claim = {name: getattr(claim, name) for name in ("number", "status", "words")}
        packed = {
            name: None if document[name] is None else json.dumps(document[name])
            for name in ("counts", "bound", "decided")
        }
        packed["engines"] = engines_text(row.engines)
        rows.append({**document, **of_claim, **packed, "paper": claim.paper.key})
    return pd.DataFrame(rows, columns=ROW_COLUMNS)


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
            "--what p-positions: the games of this run differ in their coordinates; choose one with --game"
        )
    return pd.concat(frames, ignore_index=True)


def p_position_counts(cells: Cells) -> IntegerSequence:
    """Return the numbers of P-positions with coordinates, except passes, up to n."""
    rows = p_position_rows(cells)[list(cells.game.base.coordinates)]
    largest = rows.max(axis=1)
    terms = tuple(int((largest <= n).sum()) for n in range(cells.bound + 1))
    what = "P-positions with no coordinate above n"
    return IntegerSequence(cells.game.notation, what, "n", 0, terms)


def csv_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV without text that a spreadsheet program evaluates.

    Text that begins with one of = + - @, a tab, a carriage return or an apostrophe gets an apostrophe in front. The first
    apostrophe of a cell can therefore always be removed.
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
            return frame.to_parquet(index=False)
        case "bfile":
            raise ConfigError(
                "--as bfile: claims have no sequences; export p-positions or statements"
            )
        case "json":
            raise ConfigError("--as json: only digests can be written as JSON")
        case "latex" | "markdown":
            if len(frame) > MOST_PRINTED:
                raise ConfigError(
                    f"--as {as_}: at most {MOST_PRINTED:,} rows (got {len(frame):,}); use csv or parquet"
                )
            # Missing values become empty cells.
            rows = frame.astype(object).where(frame.notna(), "").itertuples(index=False, name=None)
            cells = [list(frame.columns), *rows]
            return (_latex(cells) if as_ == "latex" else _markdown(cells)).encode()


def _latex(rows: Sequence[Sequence[object]]) -> str:
    head, *body = (" & ".join(tex_text(str(cell)) for cell in row) + r" \\" for row in rows)
    first = rf"\begin{{longtable}}{{{'l' * len(rows[0])}}}"
    return "\n".join([first, head, r"\hline", *body, r"\end{longtable}", ""])


def _markdown(rows: Sequence[Sequence[object]]) -> str:
    head, *body = (f"| {' | '.join(markdown_text(str(cell)) for cell in row)} |" for row in rows)
    return "\n".join([head, f"|{' --- |' * len(rows[0])}", *body, ""])
