"""One small run for all tests of the report."""

import pytest

from choco_pipeline.documents.record import read_record
from tests.report.small_run import small_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    return small_run(tmp_path_factory, "small")


@pytest.fixture
def ledger_file(finished, monkeypatch):
    monkeypatch.chdir(finished.parents[2])
    return finished


@pytest.fixture
def ledger(ledger_file):
    return read_record(ledger_file)
