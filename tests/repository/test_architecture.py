"""docs/architecture.md names every package and every room, and none that is not there; a name is of one thing."""

import ast
import re
from collections import Counter
from itertools import chain
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


def test_no_two_modules_and_no_two_classes_have_one_name():
    files = [path for path in PACKAGE.rglob("*.py") if path.stem != "__init__"]
    modules = Counter(path.stem for path in files if path.stem != "task")
    parts = chain.from_iterable(ast.walk(ast.parse(path.read_text())) for path in files)
    classes = Counter(part.name for part in parts if isinstance(part, ast.ClassDef))
    public = {name: number for name, number in classes.items() if not name.startswith("_")}
    assert {n for names in (modules, public) for n, number in names.items() if number > 1} == set()


def test_rooms_are_small():
    crowded = {folder: len([*(PACKAGE / folder).glob("[a-z]*.py")]) for folder in FOLDERS}
    assert max(crowded.values()) <= 14, crowded
