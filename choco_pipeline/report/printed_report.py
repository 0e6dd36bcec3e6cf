"""The report to print: conjectures, questions and what was found, as a LaTeX document."""

from __future__ import annotations

from collections.abc import Iterator

from choco_pipeline.report.claims.standings import Standing, standings
from choco_pipeline.report.claims.verdicts import claim_views
from choco_pipeline.report.found_statements.found import FoundStatements
from choco_pipeline.report.found_statements.found_exports import preamble, tex_sections
from choco_pipeline.report.math.latex import tex_text
from choco_pipeline.sweep.run_ledger import Ledger


def printed_report(ledger: Ledger, found: FoundStatements | None) -> str:
    """Return the LaTeX document."""
    parts = preamble(ledger.title, ledger.run)
    parts.insert(1, r"\ifdefined\pdftrailerid\pdftrailerid{}\fi")
    if known := standings(claim_views(ledger)):
        parts.append(r"\section*{Conjectures and questions of the papers}")
        for paper, chosen in known:
            parts.append(rf"\subsection*{{{tex_text(paper.title)}}}")
            parts.append(tex_text(paper.reference))
            parts += _table(chosen)
    if found is not None:
        parts += tex_sections(found)
    return "\n".join([*parts, r"\end{document}"]) + "\n"


def _table(chosen: list[Standing]) -> Iterator[str]:
    yield r"\begin{longtable}{p{0.17\textwidth}p{0.45\textwidth}p{0.3\textwidth}}"
    for standing in chosen:
        claim = standing.view.claim
        cells = claim.number, claim.words, standing.known
        yield " & ".join(map(tex_text, cells)) + r" \\[4pt]"
    yield r"\end{longtable}"
