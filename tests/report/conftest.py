"""One small run for all tests of the report."""

from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.documents.record import read_record
from tests.report.small_run import small_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory, "small")


@pytest.fixture
def ledger_file(finished: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(finished.parents[2])
    return finished


@pytest.fixture
def ledger(ledger_file: Path) -> dict[str, Any]:
    return read_record(ledger_file)
