"""``choco export``: P-positions, statements and claims of a run as files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from choco_pipeline.cli.output import emit, note
from choco_pipeline.errors import ConfigError
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.counts import b_file
from choco_pipeline.report import Format, What
from choco_pipeline.report.exports import (
    frame_bytes,
    p_position_counts,
    position_rows,
    row_frame,
    statement_b_files,
    statement_rows,
)
from choco_pipeline.report.published import Published
from choco_pipeline.sweep.ledger import ledger_of, tables_of
from choco_pipeline.sweep.run_files import RESULTS, Paths, read_plan
from choco_pipeline.tables.cells import Cells


def export_run(
    run: str,
    what: What,
    as_: Format,
    game: str | None,
    bound: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write a part of a run to standard output or to a file."""
    if (as_ == "parquet" or as_json) and out is None:
        raise ConfigError(f"export: {'--json' if as_json else '--as parquet'} needs --out FILE")
    content = _content(run, what, as_, game, bound)
    if out is None:
        sys.stdout.write(content.decode())
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    if as_json:
        emit({"run": run, "what": what, "as": as_, "file": out.as_posix(), "bytes": len(content)})
    else:
        note(out.as_posix())


def _content(run: str, what: What, as_: Format, game: str | None, bound: int | None) -> bytes:
    ledger = ledger_of(run)
    match what:
        case "claims":
            return frame_bytes(row_frame(ledger), as_)
        case "statements":
            statements = FoundDocument.read(Paths(RESULTS, run).found).statements
            if as_ == "bfile":
                return "\n".join(text for _, text in statement_b_files(statements)).encode()
            return frame_bytes(statement_rows(statements), as_)
        case "digests":
            if as_ != "json":
                raise ConfigError("--what digests: --as json is needed")
            plan = read_plan(Paths(RESULTS, run).plan)
            found = FoundDocument.read(Paths(RESULTS, run).found).statements
            digests = Published.of_run(plan, ledger, found).model_dump()
            return (json.dumps(digests, indent=0, ensure_ascii=False) + "\n").encode()
        case "p-positions":
            tables = _tables(run, game, bound)
            if as_ != "bfile":
                return frame_bytes(position_rows(tables), as_)
            if len(tables) != 1:
                raise ConfigError("--as bfile: P-positions need --game with a game of the run")
            return b_file(p_position_counts(tables[0])).encode()


def _tables(run: str, game: str | None, bound: int | None) -> list[Cells]:
    """Return the largest table of each game, or of one, cut to a bound."""
    identity = None if game is None else parse_ruleset(game).identity
    largest: dict[str, Cells] = {}
    for cells in tables_of(run):
        known = largest.get(cells.game.identity)
        if identity in (None, cells.game.identity) and (known is None or known.bound < cells.bound):
            largest[cells.game.identity] = cells
    if not largest:
        raise ConfigError(f"run {run!r} has no table{'' if game is None else f' of {game}'}")
    return [cells if bound is None else cells.corner(bound) for cells in largest.values()]
