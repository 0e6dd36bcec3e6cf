"""Writing a run's report: pages, documents for programs, proofs, exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.report import exports
from choco_pipeline.report.claims import claim_views
from choco_pipeline.report.families import write_family_pages
from choco_pipeline.report.found import FoundStatements, found_page, read_found
from choco_pipeline.report.pages import CLAIMS, FIRST, pages, summary
from choco_pipeline.report.run_crate import write_crate
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import Ledger, write_ledger
from choco_pipeline.sweep.run_files import Paths, certificates_in, write_file_list

Report = Callable[..., None]


def write_report(
    ledger_file: str, html_file: str, report: Report, found_file: str | None = None
) -> dict[str, int]:
    """Write the report of a run, with its documents beside the first page.

    The first page is written last. Tables are read from the folder above the ledger's. With found statements there are also
    ``found.html`` and the folder ``found``. Return the numbers of claims, verdicts, tables and found statements. Raises
    `StoreError` if the ledger or a table cannot be read.
    """
    ledger, results = Ledger.read(Path(ledger_file)), Path(ledger_file).parent.parent
    html = Path(html_file)
    numbers = {name: len(getattr(ledger, name)) for name in ("claims", "verdicts", "tables")}
    found: FoundStatements | None = None
    if found_file is not None:
        found = read_found(Path(found_file), ledger, results)
        numbers["statements"] = len(found.views)
        exports.write_exports(found, ledger, html.with_name("found"))
        report(Stage.REPORT, documents=1)
        write_text(html.with_name("found.html"), found_page(found, ledger))
        report(Stage.REPORT, documents=1)
    document = {**ledger.document(), "summary": summary(ledger, claim_views(ledger))}
    write_json(html.with_name("report.json"), document)
    for name, text in (
        ("ledger.csv", exports.csv_text(exports.row_frame(ledger))),
        ("verdicts.csv", exports.csv_text(exports.verdict_frame(ledger))),
        ("report.tex", exports.printed_report(ledger, found)),
    ):
        report(Stage.REPORT, documents=1)
        write_text(html.with_name(name), text)
    report(Stage.REPORT, documents=1)
    statements = [] if found is None else [view.statement for view in found.views]
    for _ in range(write_family_pages(ledger, html.parent, statements)):
        report(Stage.REPORT, documents=1)
    written = set()
    for name, text in pages(ledger, results, html.parent, found):
        path = html if name == FIRST else html.parent / name
        write_text(path, text)
        written.add(path)
    for old in (html.parent / CLAIMS).glob("*.html"):
        if old not in written:
            old.unlink()
    report(Stage.REPORT, documents=1)
    return numbers


def write_first_report(
    plan_file: str, html_file: str, ledger_file: str, report: Report
) -> dict[str, int]:
    """Write the first ledger of a run, its report, and the list of its files."""
    write_ledger(plan_file, ledger_file, report, first=True)
    numbers = write_report(ledger_file, html_file, report)
    write_file_list(Path(html_file).parent)
    return numbers


def write_last_report(
    ledger_file: str, html_file: str, found_file: str, report: Report
) -> dict[str, int]:
    """Write the last report of a run, its crate, and the list of all files."""
    numbers = write_report(ledger_file, html_file, report, found_file)
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
