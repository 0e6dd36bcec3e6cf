"""A folder with a game of one's own."""

import pytest

from tests.games.written_game import EXAMPLE


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the game `example`, in which the test runs."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    (tmp_path / "config" / "games" / "example.yaml").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path
