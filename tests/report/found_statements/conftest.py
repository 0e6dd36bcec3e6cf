"""What was found, as views and as a page."""

from __future__ import annotations

from typing import Any

import pytest

from choco_pipeline.report.found_statements.found import (
    FoundStatements,
    found_of,
    found_page,
)
from tests.report.documents import whole
from tests.report.found_documents import a_document
from tests.report.found_statements.found_views import RESULTS


@pytest.fixture
def found(ledger: dict[str, Any]) -> FoundStatements:
    return found_of(a_document(), whole(ledger), RESULTS)


@pytest.fixture
def html(found: FoundStatements, ledger: dict[str, Any]) -> str:
    return found_page(found, whole(ledger))
