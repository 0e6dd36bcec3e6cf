"""``choco results``: a dated page of a run's figures."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from choco_pipeline.cli.output import emit, note
from choco_pipeline.documents.files import write_text
from choco_pipeline.report.results_page import results_page
from choco_pipeline.sweep.finished_run import ledger_of

#: Where dated pages lie.
PAGES = Path("docs/results")


def write_results(run: str, against: str | None, *, json: bool) -> None:
    """Write ``docs/results/<date>-<run>.md`` from the ledger of a run, compared with that of another."""
    ledger = ledger_of(run)
    base = None if against is None else ledger_of(against)
    today = date.today()
    out = PAGES / f"{today.isoformat()}-{run}.md"
    write_text(out, results_page(ledger, base, today))
    if json:
        emit({"page": str(out)})
    else:
        note(str(out))
