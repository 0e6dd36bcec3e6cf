"""Writing a run's report: the page, report.json and two CSV files, each whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from choco_pipeline.documents.files import read_json, write_json, write_text
from choco_pipeline.report.assemble import page, report_json, row_frame, verdict_frame


def write_report(ledger_file: str, html_file: str, report: Callable[..., None]) -> dict[str, Any]:
    """Write the report of a run, with ``report.json``, ``ledger.csv`` and ``verdicts.csv`` beside the page.

    Parameters
    ----------
    ledger_file
        ``results/<run>/ledger.json``; the tables are read from ``results/tables``.
    html_file
        The page; written last.
    report
        Called as ``report("report", documents=1)`` for each document.

    Returns
    -------
    dict
        Numbers of claims, verdicts and tables.

    Raises
    ------
    StoreError
        If the ledger or a table that is shown cannot be read.
    """
    ledger, html = read_json(Path(ledger_file)), Path(html_file)
    results = Path(ledger_file).parent.parent
    write_json(html.with_name("report.json"), report_json(ledger))
    report("report", documents=1)
    write_text(html.with_name("ledger.csv"), row_frame(ledger).to_csv(index=False))
    report("report", documents=1)
    write_text(html.with_name("verdicts.csv"), verdict_frame(ledger).to_csv(index=False))
    report("report", documents=1)
    write_text(html, page(ledger, results))
    report("report", documents=1)
    numbers = ("claims", "verdicts", "tables")
    return {name: len(ledger[name]) for name in numbers}
