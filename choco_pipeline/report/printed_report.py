"""The report to print: conjectures, questions and what was found, as a LaTeX document, and as PDF where LaTeX is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from choco_pipeline.documents.files import write_whole
from choco_pipeline.errors import ChocoError
from choco_pipeline.report.claims.standings import Standing, standings
from choco_pipeline.report.claims.verdicts import claim_views
from choco_pipeline.report.found_statements.found import FoundStatements
from choco_pipeline.report.found_statements.found_exports import preamble, tex_sections
from choco_pipeline.report.math.latex import tex_text
from choco_pipeline.sweep.run_ledger import Ledger

LATEX = "pdflatex"
#: Seconds for one of its two passes, which take about one: a run must not wait for a program that asks something.
MOST_SECONDS = 60
#: A PDF without dates and random names, so that the same report is the same file.
REPEATABLE = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}


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


def write_pdf(document: str, path: Path) -> bool:
    """Write a LaTeX document as PDF; return whether LaTeX is installed, and else remove what an earlier run has left.

    Raises `ChocoError` if LaTeX does not take the document, or does not end.
    """
    if shutil.which(LATEX) is None:
        path.unlink(missing_ok=True)
        return False
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "report.tex").write_text(document, encoding="utf-8")
        command = [
            LATEX,
            "-interaction=nonstopmode",
            "-halt-on-error",
            "-no-shell-escape",
            "report",
        ]
        for _ in range(2):  # the second knows how wide the tables are
            try:
                done = subprocess.run(
                    command,
                    cwd=folder,
                    capture_output=True,
                    timeout=MOST_SECONDS,
                    env=os.environ | REPEATABLE,
                )
            except subprocess.TimeoutExpired:
                raise ChocoError(f"{path}: {LATEX} took more than {MOST_SECONDS} s") from None
            if done.returncode:
                raise ChocoError(f"{path}: {LATEX} {_why(done)}")
        write_whole(path, Path(folder, "report.pdf").read_bytes())
    return True


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return how LaTeX ended, and what it says of its error: a line that begins with "!"."""
    if done.returncode < 0:
        return f"was ended by {signal.Signals(-done.returncode).name}"
    lines = done.stdout.decode(errors="replace").splitlines()
    why = next((line for line in lines if line.startswith("!")), "! no reason is given")
    return f"does not take the report ({why.removeprefix('!').strip()})"


def _table(chosen: list[Standing]) -> Iterator[str]:
    yield r"\begin{longtable}{p{0.17\textwidth}p{0.45\textwidth}p{0.3\textwidth}}"
    for standing in chosen:
        claim = standing.view.claim
        cells = claim.number, claim.words, standing.known
        yield " & ".join(map(tex_text, cells)) + r" \\[4pt]"
    yield r"\end{longtable}"
