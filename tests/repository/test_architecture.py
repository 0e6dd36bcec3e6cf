"""docs/architecture.md names every package and every room, and nothing else."""

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "choco_pipeline"
PAGE = (PACKAGE.parent / "docs" / "architecture.md").read_text()
#: The first cells of the tables' rows, with one name or several.
NAMED = {
    name
    for row in re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE)
    for name in re.findall(r"`([a-z_/]+)`", row)
}
FOLDERS = {folder.parent.relative_to(PACKAGE) for folder in PACKAGE.rglob("__init__.py")}


def test_every_room_and_package_is_named():
    rooms = {folder.as_posix() for folder in FOLDERS} - {
        ".",
        "proof/uniform",
    }  # whose rooms are named
    modules = {path.stem for path in PACKAGE.glob("[a-z]*.py")}
    assert rooms | modules <= NAMED


def test_nothing_is_named_that_is_not_there():
    there = {folder.as_posix() for folder in FOLDERS} | {path.stem for path in PACKAGE.glob("*.py")}
    assert there >= NAMED
