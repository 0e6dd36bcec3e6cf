"""Writing a run's report: pages, machine-readable documents, proofs, exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.report import exports
from choco_pipeline.report.claims import claim_views
from choco_pipeline.report.families import write_family_pages
from choco_pipeline.report.found import found_of, found_page, printed, write_exports
from choco_pipeline.report.pages import CLAIMS, PARTS, first_page, pages, summary
from choco_pipeline.report.run_crate import write_crate
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import Ledger, write_ledger
from choco_pipeline.sweep.run_files import Paths, certificates_in, write_file_list

Report = Callable[..., None]


def write_pages(ledger_file: str, html_file: str, report: Report) -> dict[str, int]:
    """Write the parts of a report that do not depend on found statements.

    The documents, a page for each claim, and the other parts are written beside the first page `html_file`. Tables are read from
    the folder above the ledger's. Return the numbers of claims, verdicts and tables. Raises `StoreError` if the ledger or a table
    cannot be read.
    """
    ledger, results = Ledger.read(Path(ledger_file)), Path(ledger_file).parent.parent
    html = Path(html_file)
    document = {**ledger.document(), "summary": summary(ledger, claim_views(ledger))}
    write_json(html.with_name("report.json"), document)
    for name, frame in (
        ("ledger.csv", exports.row_frame(ledger)),
        ("verdicts.csv", exports.verdict_frame(ledger)),
    ):
        report(Stage.REPORT, documents=1)
        write_text(html.with_name(name), exports.csv_text(frame))
    written = set()
    for name, text in pages(ledger, results, html.parent):
        write_text(html.parent / name, text)
        written.add(html.parent / name)
    for old in (*html.parent.glob(f"{CLAIMS}/*.html"), *map(html.with_name, PARTS)):
        if old not in written:
            old.unlink(missing_ok=True)
    report(Stage.REPORT, documents=1)
    return {name: len(getattr(ledger, name)) for name in ("claims", "verdicts", "tables")}


def write_rest(
    ledger_file: str, html_file: str, found_file: str | None, report: Report
) -> dict[str, int]:
    """Write the rest of a report after `write_pages`; the first page is written last.

    With `found_file`, the page ``found.html`` and the folder ``found`` are also written. Return the number of found statements.
    Raises `StoreError` if a document cannot be read.
    """
    ledger, html = Ledger.read(Path(ledger_file)), Path(html_file)
    found = None
    if found_file is not None:
        document = FoundDocument.read(Path(found_file))
        found = found_of(document, ledger, Path(ledger_file).parent.parent)
        write_exports(found, ledger, html.with_name("found"))
        report(Stage.REPORT, documents=1)
        write_text(html.with_name("found.html"), found_page(found, ledger))
        report(Stage.REPORT, documents=1)
    statements = [] if found is None else found.statements
    text = printed("found.tex.j2", ledger, found, with_claims=True)
    write_text(html.with_name("report.tex"), text)
    report(Stage.REPORT, documents=1)
    for _ in range(write_family_pages(ledger, html.parent, statements)):
        report(Stage.REPORT, documents=1)
    names = [path.name for path in html.parent.glob("*.html")]
    write_text(html, first_page(ledger, names, found))
    report(Stage.REPORT, documents=1)
    return {"statements": len(statements)}


def write_first_report(
    plan_file: str, html_file: str, ledger_file: str, report: Report
) -> dict[str, int]:
    """Write the first ledger of a run, its report, and the list of its files."""
    write_ledger(plan_file, ledger_file, report, first=True)
    numbers = write_pages(ledger_file, html_file, report)
    write_rest(ledger_file, html_file, None, report)
    write_file_list(Path(html_file).parent)
    return numbers


def write_last_report(
    ledger_file: str, html_file: str, found_file: str, report: Report
) -> dict[str, int]:
    """Write the rest of a run's last report, its crate, and the list of all files."""
    numbers = write_rest(ledger_file, html_file, found_file, report)
    ledger = Ledger.read(Path(ledger_file))
    paths = Paths(Path(ledger_file).parent.parent, ledger.run)
    crate = write_crate(ledger, paths.results)
    certificates = {
        path
        for document in (ledger_file, found_file)
        for path in certificates_in(Path(document), paths.certificates)
    }
    write_file_list(Path(html_file).parent, crate, certificates=certificates)
    return numbers
