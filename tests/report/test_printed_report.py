"""The report to print, as LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from choco_pipeline.formula.written.latex import tex_text
from choco_pipeline.report.claims import claim_views, standings
from choco_pipeline.report.exports import printed_report
from choco_pipeline.report.found import found_of
from tests.report.documents import whole
from tests.report.found_documents import a_document, statements

RESULTS = Path("results")


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
            claim = standing.claim
            row = " & ".join(map(tex_text, (claim.number, claim.words, standing.known)))
            assert row in rest
            rest = rest.partition(row)[2]
    open_claims = [c for c in known.claims if c.status in ("conjecture", "question")]
    assert before.count(r"\\[4pt]") == len(open_claims) > 10
    assert "open; yes as far as checked, in our formal reading: holds" in before
    for statement in statements():
        assert behind.count(rf"\label{{{statement.id}}}") == 1
