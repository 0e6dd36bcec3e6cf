"""Views of statements for tests, and text without its line breaks."""

from __future__ import annotations

from pathlib import Path

from choco_pipeline.finding.statements.found_document import FoundDocument
from choco_pipeline.finding.statements.statement import (
    FoundStatement,
)

RESULTS = Path("results")


def document_of(*statements: FoundStatement) -> FoundDocument:
    return FoundDocument(statements=statements, searches=())


def squeezed(text: str) -> str:
    return " ".join(text.split())
