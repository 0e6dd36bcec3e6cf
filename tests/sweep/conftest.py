"""A folder with a small configuration."""

from pathlib import Path

import pytest

from tests.sweep.planned import CLAIMS, CONFIG


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    path = Path("c.yaml")
    path.write_text(CONFIG)
    return path
