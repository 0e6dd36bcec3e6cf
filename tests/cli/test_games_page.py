"""What docs/games.md shows works as it says."""

import re
import shutil
from pathlib import Path

import pytest

from choco_pipeline import Game
from choco_pipeline.sweep.run_plan import current_plan

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "games.md"
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
SWEEP = """
run: whole-cuts
claims: [my-claims.yaml]
sweeps:
  whole-cuts: {ruleset: "game(whole-cuts, k=k)", parameters: {k: 1..6}, bound: 100, quantity: grundy}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with the files of the page."""
    found = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "config" / "games", found / "config" / "games")
    for block in BLOCKS:
        name = re.match(r"# (\S+\.yaml)\n", block)
        if name:
            (found / name[1]).write_text(block)
    return found


def test_the_worked_example_is_the_file_that_comes_with_the_project(tmp_path):
    (block,) = (block for block in BLOCKS if block.startswith("game: whole-cuts"))
    (tmp_path / "whole-cuts.yaml").write_text(block)
    shown = Game.from_file(tmp_path / "whole-cuts.yaml")
    assert shown == Game.from_file(ROOT / "config" / "games" / "whole-cuts.yaml")


def test_a_plan_is_made_again_when_a_game_has_changed(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    Path("my-sweep.yaml").write_text(SWEEP)
    before = current_plan(Path("my-sweep.yaml"))
    assert "config/games/whole-cuts.yaml" in before["inputs"]
    assert current_plan(Path("my-sweep.yaml")) == before
    file = Path("config/games/whole-cuts.yaml")
    file.write_text(f"# A comment.\n{file.read_text()}")
    same = current_plan(Path("my-sweep.yaml"))
    assert [t["id"] for t in same["tables"]] == [t["id"] for t in before["tables"]]
    file.write_text(file.read_text().replace("clip: false", "clip: true"))
    after = current_plan(Path("my-sweep.yaml"))
    assert not {t["id"] for t in after["tables"]} & {t["id"] for t in before["tables"]}


def test_the_game_of_the_page_on_extending(tmp_path):
    text = (ROOT / "docs" / "extending.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\n([^`]*^game: few\n[^`]*)```", text, re.MULTILINE)
    path = tmp_path / "few.yaml"
    path.write_text(block)
    game = Game.from_file(path)
    assert game.coordinates == ("a", "b")
    for a, b in game.positions(20):
        assert set(game.options((a, b))) == {
            *((a - n, b) for n in (1, 2) if n <= a),
            *((a, b - n) for n in (1, 2) if n <= b),
            *((a - n, b - n) for n in range(1, min(a, b) + 1)),
        }


def test_every_game_is_on_the_page():
    names = re.findall(r"^\| `game\(([a-z-]+)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(names) == {path.stem for path in (ROOT / "config" / "games").glob("*.yaml")}
