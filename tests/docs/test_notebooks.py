"""Each notebook in the documentation shows the outputs of its cells."""

from __future__ import annotations

import json
from shutil import copytree

import pytest

from tests.docs.notebook import NOTEBOOKS, ROOT, executed


@pytest.mark.full
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_its_outputs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    copytree(ROOT / "config", "config")
    written = json.loads(path.read_text(encoding="utf-8"))
    assert any(cell.get("outputs") for cell in written["cells"])
    now = executed(written)
    for cell, again in zip(written["cells"], now["cells"], strict=True):
        assert again.get("outputs") == cell.get("outputs"), "".join(cell["source"])
