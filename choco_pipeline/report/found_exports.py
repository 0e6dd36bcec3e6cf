"""Found statements, conjectures and questions as LaTeX, Markdown, JSON, b-files."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.finding.statements.formulas import displayed, lead
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.mining.number_sequences.counts import b_file
from choco_pipeline.report.claim_views import claim_views
from choco_pipeline.report.environment import papers
from choco_pipeline.report.found import FoundStatements, sequence_of
from choco_pipeline.report.standings import standings
from choco_pipeline.sweep.run_ledger import Ledger


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
