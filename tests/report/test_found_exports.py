"""Found statements in LaTeX, Markdown and JSON, and as b-files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.cli.progress import DOCUMENTS
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.formulas import (
    displayed,
)
from choco_pipeline.finding.statement import StatementError
from choco_pipeline.formula.written.latex import LaTeX, tex_text
from choco_pipeline.report.exports import markdown, tex
from choco_pipeline.report.found import (
    FoundStatements,
    read_found,
)
from choco_pipeline.report.task import write_report, write_report_with_found
from tests.report.documents import whole
from tests.report.found_documents import (
    CERTIFICATE,
    HOSTILE,
    RESULTS,
    a_document,
    a_statement,
    document_of,
    statements,
)


def test_exports_say_what_the_page_says(found: FoundStatements, ledger: dict[str, Any]):
    in_tex, in_markdown = tex(found, whole(ledger)), markdown(found, whole(ledger))
    for view in found.views:
        said = view.statement
        assert rf"\label{{{said.id}}}" in in_tex
        assert f"### Found {view.number} ({view.words})" in in_markdown
        for line in displayed(said, LaTeX()):
            assert f"\\[\n{line}\n\\]" in in_tex
            assert f"```math\n{line}\n```" in in_markdown
        for exported in (in_tex, in_markdown):
            assert f"Held on {said.held_on.positions:,} {view.unit}s: " in exported
    assert in_tex.count(r"\begin{theorem}") == 1, (
        "a family of which some games are proved is a conjecture"
    )
    assert in_tex.count(r"\begin{conjecture}") == 7
    assert in_tex.count(r"\begin{refuted}") == 1
    assert f"`{CERTIFICATE}`" in in_markdown
    assert "<script>" not in in_markdown.replace(r"\<script\>", "")
    assert r"\input{" not in in_tex
    assert "\n\n\n" not in in_markdown


def test_text_of_latex_has_no_command():
    every = "".join(map(chr, range(1, 0x180))) + HOSTILE + "⊕≤Σ…🍫"
    written = re.sub(r"\$\\?[A-Za-z{}_^0-9-]+\$", "", tex_text(every))  # signs in mathematics
    written = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", written)
    assert set(written).isdisjoint("\\&%$#_{}^~<>|")
    assert "[U+1F36B]" in written


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no LaTeX on this machine (Debian: apt-get install texlive-latex-base)",
)
def test_latex_compiles(found: FoundStatements, ledger: dict[str, Any], tmp_path: Path):
    (tmp_path / "found.tex").write_text(tex(found, whole(ledger)), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "found.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "found.log").read_text(errors="replace")
    assert "Missing character" not in log
    assert "Undefined" not in log
    assert (tmp_path / "found.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.full
def test_the_whole_report_is_written(ledger_file: Path, tmp_path: Path):
    found_file = tmp_path / "found.json"
    a_document().write(found_file)
    folder = tmp_path / "report"
    old = folder / "found" / "b-found-000000000000.txt"
    old.parent.mkdir(parents=True)
    old.write_text("0 0\n")
    said: list[dict[str, int]] = []
    numbers = write_report_with_found(
        str(ledger_file),
        str(folder / "index.html"),
        str(found_file),
        lambda _stage, **n: said.append(n),
    )
    assert numbers["statements"] == 9
    assert said == [{"documents": 1}] * (DOCUMENTS - 1)  # beside the ledger
    sequence = next(one for one in statements() if one.picture)
    written = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "claims"
    }
    assert written == {
        "explore.html",
        "findings.html",
        "pairs.html",
        "tables.html",
        "found.html",
        "found/found.json",
        "found/found.md",
        "found/found.tex",
        f"found/b-{sequence.id}.txt",
        "index.html",
        "ledger.csv",
        "report.json",
        "report.tex",
        "verdicts.csv",
    }
    assert json.loads((folder / "found" / "found.json").read_text()) == a_document().document()
    lines = (folder / "found" / f"b-{sequence.id}.txt").read_text().splitlines()
    assert lines[0].startswith("# g(m): ")
    assert sequence.picture is not None
    assert lines[1:] == [f"{n} {term}" for n, term in enumerate(sequence.picture["terms"], 1)]
    # A report before there are found statements does not lead to any.
    write_report(str(ledger_file), str(tmp_path / "first" / "index.html"), lambda *_, **__: None)
    assert "found.html" not in (tmp_path / "first" / "index.html").read_text(encoding="utf-8")


def test_documents_that_are_none_are_refused(ledger: dict[str, Any], tmp_path: Path):
    path = tmp_path / "found.json"
    write_record(path, a_document().document() | {"format": 1})
    with pytest.raises(StoreError, match="another version wrote it: format"):
        read_found(path, whole(ledger), RESULTS)
    path.write_text("[]")
    with pytest.raises(StoreError, match="damaged: it has no digest"):
        read_found(path, whole(ledger), RESULTS)
    said = a_statement(picture={"kind": "sequence", "game": "nim(3)"})
    document_of(said).write(path)
    with pytest.raises(StatementError, match="not a picture of a sequence"):
        read_found(path, whole(ledger), RESULTS)
