"""The report to print: as LaTeX always, as PDF where LaTeX is installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.report.claims.standings import standings
from choco_pipeline.report.claims.verdicts import claim_views
from choco_pipeline.report.found_statements.found import found_of
from choco_pipeline.report.math.latex import tex_text
from choco_pipeline.report.pages import pages
from choco_pipeline.report.printed_report import printed_report, write_pdf
from tests.report.documents import a_claim, a_ledger, a_row, a_verdict, whole
from tests.report.found_documents import a_document, statements

RESULTS = Path("results")

DOCUMENT = "\\documentclass{article}\\begin{document}Nim\\end{document}\n"


def test_it_says_of_each_conjecture_what_is_known():
    claim = a_claim(status="conjecture", number="Conjecture 7 & more") | {"words": "⌈√2⌉ ≥ 1_0"}
    verdict = a_verdict("holds-to-bound", {})
    said = printed_report(a_ledger([claim], [verdict], [a_row([verdict])]), None)
    assert (
        "Conjecture 7 \\& more & $\\lceil$$\\surd$2$\\rceil$ $\\geq$ 1\\_0 & holds to bound" in said
    )
    nothing = printed_report(a_ledger([a_claim()], [], [a_row([])]), None)
    assert "Conjectures" not in nothing
    assert nothing.endswith("\\end{document}\n")


def test_all_that_is_open_stands_under_its_paper_and_what_was_found_behind_it(
    ledger: dict[str, Any], ledger_file: Path
):
    """Every conjecture and question with what is known of it, no theorem among them, and every found statement."""
    known = whole(ledger)
    said = printed_report(known, found_of(a_document(), known, RESULTS))
    before, _, behind = said.partition(r"\section*{Not in the catalogue}")
    assert behind
    rest = before
    for paper, chosen in standings(claim_views(known)):
        heading = rf"\subsection*{{{tex_text(paper.title)}}}"
        assert rest.count(heading) == 1
        rest = rest.partition(heading)[2]
        for standing in chosen:
            claim = standing.view.claim
            row = " & ".join(map(tex_text, (claim.number, claim.words, standing.known)))
            assert row in rest
            rest = rest.partition(row)[2]
    open_claims = [c for c in known.claims if c.status in ("conjecture", "question")]
    assert before.count(r"\\[4pt]") == len(open_claims) > 10
    assert "open; yes as far as checked, as read here: holds" in before
    for statement in statements():
        assert behind.count(rf"\label{{{statement.id}}}") == 1


@pytest.mark.full
def test_without_latex_there_is_no_pdf_and_the_page_says_so(
    ledger: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    old = tmp_path / "report.pdf"
    old.write_bytes(b"of an earlier run")
    for there in (True, False):
        monkeypatch.setattr(
            shutil, "which", lambda _name, there=there: "/bin/true" if there else None
        )
        first = dict(pages(whole(ledger), RESULTS, tmp_path))["index.html"]
        assert ('href="report.pdf"' in first) is there
        assert ("LaTeX is not installed" in first) is not there
    assert not write_pdf(DOCUMENT, old)
    assert not old.exists()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_the_same_report_is_the_same_pdf(tmp_path: Path):
    document = printed_report(a_ledger([a_claim()], [], [a_row([])]), None)
    for name in ("one.pdf", "two.pdf"):
        assert write_pdf(
            document.replace(r"\end{document}", r"Nim.\end{document}"), tmp_path / name
        )
    written = (tmp_path / "one.pdf").read_bytes()
    assert written.startswith(b"%PDF-")
    assert written == (tmp_path / "two.pdf").read_bytes()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_a_report_that_latex_does_not_take_is_an_error_with_its_reason(tmp_path: Path):
    document = r"\documentclass{article}\begin{document}\nosuchword\end{document}"
    with pytest.raises(
        ChocoError, match=r"report.pdf: pdflatex does not take the report \(.*ndefined"
    ):
        write_pdf(document, tmp_path / "report.pdf")
    assert not (tmp_path / "report.pdf").exists()
